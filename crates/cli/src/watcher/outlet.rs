//! Passes on what a program prints while it runs, on a thread of its own: a reader that takes its time, such as a pager,
//! must not hold up the program, its limits or its run. What waits is bounded by what is kept of a program's output.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use crate::printer::Printer;

/// Something to print.
pub enum Piece {
    /// On stdout.
    Out(String),
    /// On stderr.
    Err(String),
    /// Nothing: somebody waits until what came before is printed, and is told what went wrong.
    Mark(SyncSender<Option<Arc<io::Error>>>),
}

/// The way to the printing thread.
pub struct Outlet(Sender<Piece>);

impl Outlet {
    /// Starts the thread. It ends with the outlet.
    pub fn new(printer: Arc<Printer>) -> Outlet {
        let (sender, pieces) = mpsc::channel();
        thread::spawn(move || print(&printer, &pieces));
        Outlet(sender)
    }

    /// Prints when those before are printed.
    pub fn put(&self, piece: Piece) {
        let _ = self.0.send(piece);
    }

    /// Waits until everything is printed; gives why it was not, if so.
    pub fn drain(&self) -> Option<Arc<io::Error>> {
        let (told, printed) = mpsc::sync_channel(1);
        self.put(Piece::Mark(told));
        printed.recv().unwrap_or_default()
    }
}

/// A reader that went away is no reason to stop the run, which is recorded all the same: the rest is dropped.
fn print(printer: &Printer, pieces: &Receiver<Piece>) {
    let mut failed = None;
    for piece in pieces {
        match piece {
            Piece::Out(text) if failed.is_none() => failed = printer.try_bytes(text.as_bytes()).err().map(Arc::new),
            Piece::Out(_) => {}
            Piece::Err(text) => printer.pass_on(&text),
            Piece::Mark(told) => drop(told.send(failed.clone())),
        }
    }
}
