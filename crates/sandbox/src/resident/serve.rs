//! The resident process: takes orders at its door, has them answered one after the other, and ends when nobody asks.

use std::cell::Cell as Count;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Notify};
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::{ORDER_BYTES_MAX, Order, ResidentSpec, ResidentStatus, VERSION, Word};
use crate::Sandbox;
use crate::broker::{Claim, free_memory_bytes};
use crate::cell::{CallError, Cell, CellOptions, Part, Stop, read_message};
use crate::leaving::Leaving;
use crate::protocol::{End, KilledBy, frame, read_frame};
use crate::turnstile::Pass;
use crate::{Error, sys};

/// The hidden argument that makes this program a resident.
pub const RESIDENT_ARGUMENT: &str = "__resident";

/// So many orders wait or are worked on at once; the next is told so.
const ORDERS_MAX: usize = 32;
/// To say what one wants.
const ORDER_TIME_MAX: Duration = Duration::from_secs(5);
/// Who does not take a piece for so long is gone.
const PIECE_TIME_MAX: Duration = Duration::from_secs(10);
/// An order that was given up ends within this time, or its cell does.
const STOP_TIME_MAX: Duration = Duration::from_secs(20);
/// To load its module.
const LOAD_TIME_MAX: Duration = Duration::from_secs(300);

/// Is a resident until nobody asks any more. Never returns to the caller's `main`.
pub fn be_resident() -> ! {
    sys::exit(if run().is_ok() { 0 } else { 1 })
}

fn run() -> io::Result<()> {
    sys::close_from(3)?;
    let spec: ResidentSpec = read_frame(&mut io::stdin())?;
    sys::place_null(0)?;
    if spec.v != VERSION {
        return Ok(());
    }
    let _ = sys::new_session();
    let door = spec.door();
    let Some(Claim { listener, lock }) = door.claim()? else { return Ok(()) };
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(LocalSet::new().run_until(async {
        let resident = Rc::new(Serving::new(spec));
        let served = resident.clone().serve(UnixListener::from_std(listener)?).await;
        // Nobody finds the door any more, and then the cell goes.
        door.remove(&lock);
        resident.end().await;
        served
    }));
    runtime.shutdown_background();
    served
}

struct Serving {
    sandbox: Sandbox,
    spec: ResidentSpec,
    /// The one cell, while there is one; held by whose turn it is.
    cell: Mutex<Option<Cell>>,
    loaded: Count<bool>,
    orders: Count<usize>,
    idle_since: Count<Instant>,
    stopping: Notify,
}

impl Serving {
    fn new(spec: ResidentSpec) -> Serving {
        let sandbox = Sandbox {
            program: "/proc/self/exe".into(),
            image: spec.image.clone(),
            kernel: spec.kernel.clone(),
            broker: None,
            leaving: Leaving::default(),
            tally: Default::default(),
        };
        Serving {
            sandbox,
            spec,
            cell: Mutex::new(None),
            loaded: Count::new(false),
            orders: Count::new(0),
            idle_since: Count::new(Instant::now()),
            stopping: Notify::new(),
        }
    }

    async fn serve(self: Rc<Self>, listener: UnixListener) -> io::Result<()> {
        let idle = Duration::from_millis(self.spec.idle_ms);
        loop {
            let until = self.idle_since.get() + idle;
            tokio::select! {
                accepted = listener.accept() => {
                    let serving = self.clone();
                    let (stream, _) = accepted?;
                    tokio::task::spawn_local(async move { serving.attend(stream).await });
                }
                () = sleep_until(until) => {
                    if self.orders.get() == 0 && self.idle_since.get() + idle <= Instant::now() {
                        return Ok(());
                    }
                    // Somebody is being served; looked at again when that may have ended.
                    if self.orders.get() > 0 {
                        self.idle_since.set(Instant::now());
                    }
                }
                () = self.stopping.notified() => return Ok(()),
            }
        }
    }

    async fn end(&self) {
        // Who is still served loses its cell; it hears that by the end of its connection.
        if let Ok(mut cell) = self.cell.try_lock()
            && let Some(cell) = cell.take()
        {
            cell.finish(Stop::Now).await;
        }
        self.sandbox.settle().await;
    }

    async fn attend(self: Rc<Self>, mut stream: UnixStream) {
        let order = timeout(ORDER_TIME_MAX, read_message::<Order>(&mut stream, ORDER_BYTES_MAX)).await;
        let Ok(Ok((order, _))) = order else { return };
        match order {
            Order::Status => {
                let (loaded, orders) = (self.loaded.get(), self.orders.get());
                drop(say(&mut stream, &Word::Status(ResidentStatus { pid: std::process::id(), loaded, orders })).await);
            }
            Order::Stop => {
                drop(say(&mut stream, &Word::Stopping).await);
                self.stopping.notify_one();
            }
            Order::Answer { .. } if self.orders.get() >= ORDERS_MAX => {
                drop(say(&mut stream, &Word::Busy { waiting: self.orders.get() }).await);
            }
            Order::Answer { arguments } => {
                self.orders.set(self.orders.get() + 1);
                if say(&mut stream, &Word::Taken).await.is_ok()
                    && let Some(last) = self.answer(&mut stream, &arguments).await
                {
                    drop(say(&mut stream, &last).await);
                }
                self.orders.set(self.orders.get() - 1);
                self.idle_since.set(Instant::now());
            }
        }
    }

    /// The last word of an order; nothing where nobody waits for it any more.
    async fn answer(&self, stream: &mut UnixStream, arguments: &Value) -> Option<Word> {
        let mut place = tokio::select! {
            place = self.cell.lock() => place,
            () = gone(stream) => return None,
        };
        let mut cell = match place.take() {
            Some(cell) => cell,
            None => match self.load().await {
                Ok(cell) => cell,
                Err(why) => return Some(Word::Failed { why }),
            },
        };
        let (last, is_well) = self.talk(&mut cell, stream, arguments).await;
        if is_well {
            *place = Some(cell);
            return last;
        }
        self.loaded.set(false);
        let end = ending(cell).await;
        last.map(|last| match last {
            Word::Failed { .. } => Word::Failed { why: end },
            last => last,
        })
    }

    async fn load(&self) -> Result<Cell, String> {
        // Half of what it may hold is what it holds at the least; a machine without that much would come to a halt.
        let needed = self.spec.policy.memory_bytes / 2;
        if let Some(free) = free_memory_bytes().filter(|free| *free < needed) {
            return Err(format!("it needs {} MB of memory, and {} MB are free", needed / 1_000_000, free / 1_000_000));
        }
        let options =
            CellOptions { inputs: vec![self.spec.input.clone()], ..CellOptions::of(self.spec.policy.clone()) };
        // One for each of the user's files of weights: it takes no place from programs.
        let mut cell =
            Cell::start(&self.sandbox, options, Pass { file: None }).map_err(|error: Error| error.to_string())?;
        let load = format!("{}.load", self.spec.module);
        match timeout(LOAD_TIME_MAX, cell.call(&load, &self.spec.arguments)).await {
            Ok(Ok(_)) => {
                self.loaded.set(true);
                Ok(cell)
            }
            Ok(Err(CallError::Raised(raised))) => Err(raised.message),
            Ok(Err(CallError::Ended)) => Err(ending(cell).await),
            Err(_) => Err(format!("it was not loaded within {} s", LOAD_TIME_MAX.as_secs())),
        }
    }

    /// Has one order answered; gives the last word, and whether the cell can go on.
    async fn talk(&self, cell: &mut Cell, stream: &mut UnixStream, arguments: &Value) -> (Option<Word>, bool) {
        let lost = || (Some(Word::Failed { why: String::new() }), false);
        let Ok(stopper) = cell.begin(&format!("{}.answer", self.spec.module), arguments).await else { return lost() };
        let mut stopper = Some(stopper);
        let mut until = Instant::now() + Duration::from_millis(self.spec.order_ms_max);
        let (mut is_late, mut is_gone) = (false, false);
        loop {
            let part = {
                let mut next = std::pin::pin!(cell.next());
                loop {
                    tokio::select! {
                        part = &mut next => break part,
                        () = gone(stream), if !is_gone => is_gone = true,
                        () = sleep_until(until) => {
                            // It did not even hear that it should stop.
                            let Some(_) = &stopper else { return (self.too_late(is_late), false) };
                            is_late = true;
                        }
                    }
                    if let Some(stopper) = stopper.take() {
                        stopper.stop();
                        until = Instant::now() + STOP_TIME_MAX;
                    }
                }
            };
            match part {
                Ok(Part::Piece(_)) if stopper.is_none() => {}
                Ok(Part::Piece(value)) => is_gone = say(stream, &Word::Piece { value }).await.is_err(),
                Ok(Part::Whole(_)) if is_gone => return (None, true),
                Ok(Part::Whole(_)) if is_late => return (self.too_late(true), true),
                Ok(Part::Whole(value)) => return (Some(Word::Whole { value }), true),
                Err(CallError::Raised(error)) => return (Some(Word::Raised { error }), true),
                Err(CallError::Ended) => return lost(),
            }
            if is_gone && let Some(stopper) = stopper.take() {
                stopper.stop();
                until = Instant::now() + STOP_TIME_MAX;
            }
        }
    }

    fn too_late(&self, is_late: bool) -> Option<Word> {
        let seconds = self.spec.order_ms_max / 1000;
        is_late.then(|| Word::Raised {
            error: crate::Raised::ours("TimeoutError", format!("it has not finished its answer within {seconds} s")),
        })
    }
}

/// Waits until whoever asked has closed the connection. Nothing more is said on it.
async fn gone(stream: &UnixStream) {
    loop {
        let mut byte = [0];
        match stream.try_read(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => return,
        }
        if stream.readable().await.is_err() {
            return;
        }
    }
}

async fn say(stream: &mut UnixStream, word: &Word) -> io::Result<()> {
    let message = frame(word)?;
    timeout(PIECE_TIME_MAX, stream.write_all(&message)).await.map_err(|_| io::ErrorKind::TimedOut)?
}

/// What became of a cell that no longer answers.
async fn ending(cell: Cell) -> String {
    let finished = cell.finish(Stop::Now).await;
    match finished.report.map(|report| report.end) {
        Some(End::Killed { by: KilledBy::Memory }) => "it needs more memory than it may have".to_string(),
        Some(End::Unavailable { cause, fix }) => format!("{cause}; {fix}"),
        _ => match finished.stderr.text.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("it ended: {}", line.trim()),
            None => "it ended without a word".to_string(),
        },
    }
}
