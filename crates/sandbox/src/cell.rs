//! The command's side of one cell: starts its supervisor, talks to its kernel, keeps a bounded part of its output.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, sleep_until};
use tracing::{Span, error_span};

use crate::broker::Breadth;
use crate::capture::{Capture, Captured, Listener, Source, Stream};
use crate::execution::Program;
use crate::harvest::{self, Harvest};
use crate::layers::Layer;
use crate::leaving::Supervisor;
use crate::policy::Policy;
use crate::protocol::{
    DONE, End, FRAME_BYTES_MAX, Input, LAST_WORD_BYTES_MAX, PROTOCOL_VERSION, Raised, Report, Request, Response, Spec,
    frame, frame_length,
};
use crate::supervisor::SUPERVISOR_ARGUMENT;
use crate::turnstile::Pass;
use crate::{Error, Sandbox, sys};

/// Whoever made a cell ends it at its limit; so long after that it cannot be relied on any more.
const GRACE: Duration = Duration::from_secs(10);

/// What a cell is made of.
#[derive(Clone)]
pub struct CellOptions {
    /// What it may do and use.
    pub policy: Policy,
    /// Files it can read, at `/work/input/<name>`.
    pub inputs: Vec<Input>,
    /// Where the files it leaves in `/work/out` go.
    pub out: Option<PathBuf>,
    /// Who is told what it prints, while it prints.
    pub listener: Option<Listener>,
    /// What a warm kernel has imported.
    pub breadth: Breadth,
    /// Layers left out, to show what they are for: never in a product, and such a cell is always cold.
    pub without: Vec<Layer>,
}

impl CellOptions {
    /// A cell without files and listeners.
    pub fn of(policy: Policy) -> CellOptions {
        CellOptions {
            policy,
            inputs: Vec::new(),
            out: None,
            listener: None,
            breadth: Breadth::Full,
            without: Vec::new(),
        }
    }
}

/// A running cell with a fresh kernel in it. Dropping it closes its control channel, and whoever made it kills it.
pub struct Cell {
    /// Who made it, when it was made for us alone.
    supervisor: Option<Supervisor>,
    control: UnixStream,
    kernel: UnixStream,
    stdout: JoinHandle<Captured>,
    stderr: JoinHandle<Captured>,
    flooded: Arc<Notify>,
    over: watch::Sender<bool>,
    out: Option<PathBuf>,
    out_bytes_max: u64,
    /// The status that its program said it ends with.
    said_status: Option<u8>,
    /// When it must have ended even if whoever should see to it does not.
    deadline: Instant,
    /// Open for as long as the cell is.
    _span: Span,
}

/// Why a call gave no value.
#[derive(Debug)]
pub enum CallError {
    /// The function raised.
    Raised(Raised),
    /// The cell is gone; [`Cell::finish`] says why.
    Ended,
}

/// What comes of an answer in pieces.
#[derive(Debug)]
pub(crate) enum Part {
    /// A part of it.
    Piece(Value),
    /// Its end.
    Whole(Value),
}

/// Ends an answer that comes in pieces.
#[derive(Debug)]
pub(crate) struct Stopper(StdUnixStream);

impl Stopper {
    /// Asks for the end, which comes with the next piece. A channel that is full or closed leads to an end of its own.
    pub fn stop(mut self) {
        if let Ok(message) = frame(&Request::Stop) {
            let _ = io::Write::write(&mut self.0, &message);
        }
    }
}

/// How a cell is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its work is done; kill it.
    Now,
    /// Let its program come to its own end.
    WhenDone,
}

/// Everything that is known of a cell after its end. No report: its supervisor was lost.
#[derive(Debug)]
pub struct Finished {
    /// What the supervisor said.
    pub report: Option<Report>,
    /// The files that came back.
    pub harvest: Harvest,
    /// What it printed.
    pub stdout: Captured,
    /// What it printed.
    pub stderr: Captured,
}

impl Cell {
    /// Starts a cell; its kernel comes up while the caller goes on.
    pub(crate) fn start(sandbox: &Sandbox, options: CellOptions, pass: Pass) -> Result<Cell, Error> {
        let failed = |error: io::Error| Error::Start(error.to_string());
        let (control, control_inner) = StdUnixStream::pair().map_err(failed)?;
        let (kernel, kernel_inner) = StdUnixStream::pair().map_err(failed)?;
        let (stdout, stdout_inner) = io::pipe().map_err(failed)?;
        let (stderr, stderr_inner) = io::pipe().map_err(failed)?;
        let supervisor = Command::new(&sandbox.program)
            .arg(SUPERVISOR_ARGUMENT)
            .env_clear()
            .current_dir("/")
            // A Ctrl-C at the terminal is for the command, which then lets go of the cell in good order.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(control_inner)))
            .stdout(Stdio::from(stdout_inner))
            .stderr(Stdio::from(stderr_inner))
            .spawn()
            .map_err(failed)?;
        let spec = Spec {
            v: PROTOCOL_VERSION,
            image: sandbox.image.clone(),
            kernel: sandbox.kernel.clone(),
            inputs: options.inputs.clone(),
            policy: options.policy.clone(),
            without: options.without.clone(),
        };
        // The place is the supervisor's from now on: it is taken until the cell has been cleared away.
        let mut lent = vec![kernel_inner.as_raw_fd()];
        lent.extend(pass.file.as_ref().map(AsRawFd::as_raw_fd));
        specify(&control, &spec, &lent).map_err(failed)?;
        let (control, kernel) = (into_tokio(control).map_err(failed)?, into_tokio(kernel).map_err(failed)?);
        let (stdout, stderr) = (source(stdout.into()).map_err(failed)?, source(stderr.into()).map_err(failed)?);
        Ok(Cell::joined(Some(sandbox.leaving.of(supervisor)), control, kernel, stdout, stderr, options))
    }

    /// A cell whose four ends are at hand.
    pub(crate) fn joined(
        supervisor: Option<Supervisor>,
        control: UnixStream,
        kernel: UnixStream,
        stdout: Source,
        stderr: Source,
        options: CellOptions,
    ) -> Cell {
        let flooded = Arc::new(Notify::new());
        let (over, is_over) = watch::channel(false);
        let capture = Capture {
            kept_bytes: options.policy.output_kept_bytes as usize,
            read_bytes: options.policy.output_read_bytes,
            alarm: flooded.clone(),
            over: is_over,
            listener: options.listener,
        };
        let warm = supervisor.is_none();
        Cell {
            _span: error_span!(target: "assay::cell", "cell", warm, profile = ?options.policy.profile),
            supervisor,
            control,
            kernel,
            stdout: tokio::spawn(capture.clone().read(Stream::Stdout, stdout)),
            stderr: tokio::spawn(capture.read(Stream::Stderr, stderr)),
            flooded,
            over,
            out: options.out,
            out_bytes_max: options.policy.scratch_bytes,
            said_status: None,
            deadline: Instant::now() + Duration::from_millis(options.policy.wall_ms) + GRACE,
        }
    }

    /// Calls `module.function` of the shipped modules.
    pub async fn call(&mut self, function: &str, arguments: &Value) -> Result<Value, CallError> {
        self.ask(&Request::Call { function, arguments, in_pieces: false }, FRAME_BYTES_MAX).await
    }

    /// Begins a call whose answer comes in pieces; gives what ends it early.
    pub(crate) async fn begin(&mut self, function: &str, arguments: &Value) -> Result<Stopper, CallError> {
        let stopper = self.kernel.as_fd().try_clone_to_owned().map(|channel| Stopper(StdUnixStream::from(channel)));
        let stopper = stopper.map_err(|_| CallError::Ended)?;
        let message = frame(&Request::Call { function, arguments, in_pieces: true })
            .map_err(|error| CallError::Raised(Raised::ours("OverflowError", error.to_string())))?;
        self.kernel.write_all(&message).await.map_err(|_| CallError::Ended)?;
        Ok(stopper)
    }

    /// What comes next of the answer that was begun. Not to be given up in the middle.
    pub(crate) async fn next(&mut self) -> Result<Part, CallError> {
        let read = read_message::<Response>(&mut self.kernel, FRAME_BYTES_MAX).await;
        match read.map_err(|_| CallError::Ended)?.0 {
            Response { error: Some(error), .. } => Err(CallError::Raised(error)),
            Response { piece: Some(piece), .. } => Ok(Part::Piece(piece)),
            Response { value, .. } => Ok(Part::Whole(value)),
        }
    }

    /// Runs a program as `__main__`; afterwards the kernel ends.
    pub(crate) async fn exec(&mut self, program: &Program<'_>, reduced: bool) -> Result<Value, CallError> {
        self.ask(&Request::Exec { program, reduced }, LAST_WORD_BYTES_MAX).await
    }

    async fn ask(&mut self, request: &Request<'_>, answer_bytes_max: usize) -> Result<Value, CallError> {
        let message =
            frame(request).map_err(|error| CallError::Raised(Raised::ours("OverflowError", error.to_string())))?;
        let response = tokio::select! {
            response = exchange(&mut self.kernel, &message, answer_bytes_max) => response.ok(),
            () = self.flooded.notified() => {
                // Kept for `finish`, which waits for it too.
                self.flooded.notify_one();
                None
            }
            () = sleep_until(self.deadline) => None,
        };
        self.said_status = response.as_ref().and_then(|response| response.status);
        match response {
            Some(Response { error: Some(error), .. }) => Err(CallError::Raised(error)),
            Some(Response { value, error: None, .. }) => Ok(value),
            None => Err(CallError::Ended),
        }
    }

    /// Whether someone else sees to its end when it is dropped, so that nobody has to wait for it.
    pub fn ends_by_itself(&self) -> bool {
        self.supervisor.is_none()
    }

    /// Ends the cell and says what became of it.
    pub async fn finish(mut self, stop: Stop) -> Finished {
        let kernel = self.kernel;
        match self.said_status {
            // Whoever made the cell need not wait until the system has taken a large process apart.
            Some(status) if stop == Stop::WhenDone => drop(self.control.write_all(&[DONE, status]).await),
            // A kernel that is asked nothing more comes to its own end, also one that is still talking.
            _ => drop(kernel),
        }
        if stop == Stop::Now {
            let _ = self.control.shutdown().await;
        }
        let told = tokio::select! {
            told = read_message::<Report>(&mut self.control, FRAME_BYTES_MAX) => told.ok(),
            () = sleep_until(self.deadline) => None,
            () = self.flooded.notified() => {
                let _ = self.control.shutdown().await;
                read_message::<Report>(&mut self.control, FRAME_BYTES_MAX).await.ok()
            }
        };
        let _ = self.over.send(true);
        let stdout = self.stdout.await.unwrap_or_default();
        let stderr = self.stderr.await.unwrap_or_default();
        let (report, descriptors) = told.unzip();
        let ended = report.as_ref().is_some_and(|report| matches!(report.end, End::Exited { .. } | End::Killed { .. }));
        let harvest = match descriptors.into_iter().flatten().next() {
            Some(left) if ended => {
                let copying = move || harvest::copy_out(&left, self.out.as_deref(), self.out_bytes_max);
                tokio::task::spawn_blocking(copying).await.unwrap_or_default()
            }
            _ => Harvest::default(),
        };
        Finished { report, harvest, stdout, stderr }
    }
}

/// Tells a supervisor what to make. A specification fits the socket's buffer; a supervisor that is already gone shows when
/// the report is read.
fn specify(control: &StdUnixStream, spec: &Spec, lent: &[RawFd]) -> io::Result<()> {
    let bytes = frame(spec)?;
    match sys::send(control.as_raw_fd(), &bytes, lent) {
        Ok(sent) if sent < bytes.len() => Err(io::ErrorKind::WriteZero.into()),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// The reading end of what a cell prints.
pub(crate) fn source(end: OwnedFd) -> io::Result<Source> {
    let rest = File::from(end.try_clone()?);
    // It also makes the pipe not block, for both.
    Ok(Source::of(pipe::Receiver::from_owned_fd(end)?, rest))
}

pub(crate) fn into_tokio(stream: StdUnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

async fn exchange(kernel: &mut UnixStream, message: &[u8], answer_bytes_max: usize) -> io::Result<Response> {
    kernel.write_all(message).await?;
    Ok(read_message(kernel, answer_bytes_max).await?.0)
}

/// One message, and the descriptors that came with it.
pub(crate) async fn read_message<T: DeserializeOwned>(
    from: &mut UnixStream,
    bytes_max: usize,
) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut header = [0; 4];
    let receive = || sys::receive(from.as_raw_fd(), &mut header);
    let (count, descriptors) = from.async_io(Interest::READABLE, receive).await?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    from.read_exact(&mut header[count..]).await?;
    let mut body = vec![0; frame_length(header, bytes_max)?];
    from.read_exact(&mut body).await?;
    Ok((serde_json::from_slice(&body)?, descriptors))
}
