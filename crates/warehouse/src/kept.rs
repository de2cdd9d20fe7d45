//! Cells that stay for a moment after a statement, for the next one of the same owner over the same prepared file.
//!
//! ```text
//! parsing   nothing but parsing has ever run there, so its trees are believed
//! opened    has the file open; is given only what the guard has checked, and no tree of it is read
//! ```
//! A warehouse is one owner's, so no cell is ever lent to another. A cell that failed at anything is not kept, nor one that
//! is old: whoever takes one has most of its time left, and tries again alone where that was not enough.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sandbox::Cell;

/// How long a cell may serve. Its own clock runs from its beginning.
const LIFE_MAX: Duration = Duration::from_secs(4);
/// How many statements it may serve: their processor time adds up.
const SERVED_MAX: u32 = 100;
/// How many are kept of each kind and file.
const KEPT_MAX: usize = 8;

/// A cell with its past.
pub struct Kept {
    /// The cell.
    pub cell: Cell,
    born: Instant,
    served: u32,
}

impl Kept {
    /// One that was made just now.
    pub fn fresh(cell: Cell) -> Kept {
        Kept { cell, born: Instant::now(), served: 0 }
    }

    fn may_serve(&self) -> bool {
        self.born.elapsed() < LIFE_MAX && self.served < SERVED_MAX
    }
}

/// The cells that are kept, by the file they have open; none of them while nobody asked for that.
#[derive(Default)]
pub struct KeptCells {
    wanted: AtomicBool,
    idle: Mutex<Vec<(Option<PathBuf>, Kept)>>,
}

impl KeptCells {
    /// Keeps cells from now on: worth it only in a process that goes on.
    pub fn begin(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// Whether cells are kept here.
    pub fn are_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// One that has the file open; or, without one, one in which nothing but parsing has run.
    pub fn take(&self, file: Option<&Path>) -> Option<Kept> {
        let mut idle = self.lock();
        let at = idle.iter().rposition(|(of, kept)| of.as_deref() == file && kept.may_serve())?;
        Some(idle.swap_remove(at).1)
    }

    /// Keeps one that has served once more; gives it back where it is not to be kept.
    pub fn put(&self, file: Option<&Path>, mut kept: Kept) -> Option<Cell> {
        kept.served += 1;
        let mut idle = self.lock();
        let there = idle.iter().filter(|(of, _)| of.as_deref() == file).count();
        if !self.are_wanted() || !kept.may_serve() || there >= KEPT_MAX || !kept.cell.ends_by_itself() {
            return Some(kept.cell);
        }
        idle.push((file.map(Path::to_path_buf), kept));
        None
    }

    /// Lets those go that may serve no more.
    pub fn sweep(&self) {
        self.lock().retain(|(_, kept)| kept.may_serve());
    }

    /// Lets all go and keeps no more.
    pub fn end(&self) {
        self.wanted.store(false, Ordering::Relaxed);
        self.lock().clear();
    }

    /// Nothing panics while it is held; a poisoned lock still guards a whole value.
    fn lock(&self) -> MutexGuard<'_, Vec<(Option<PathBuf>, Kept)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
