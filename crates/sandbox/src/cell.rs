//! The command's side of one cell: starts its supervisor, talks to its kernel, keeps a bounded part of its output.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::policy::Policy;
use crate::protocol::{
    FRAME_BYTES_MAX, Input, LAST_WORD_BYTES_MAX, PROTOCOL_VERSION, Raised, Report, Request, Response, Spec, frame,
    frame_length,
};
use crate::supervisor::SUPERVISOR_ARGUMENT;
use crate::{Error, Sandbox};

/// What a cell is made of.
#[derive(Debug)]
pub struct CellOptions {
    /// What it may do and use.
    pub policy: Policy,
    /// Files it can read, at `/work/input/<name>`.
    pub inputs: Vec<Input>,
    /// Where the files it leaves in `/work/out` go.
    pub out: Option<PathBuf>,
}

/// A running cell with a fresh kernel in it. Dropping it closes its control channel, and its supervisor kills it.
pub struct Cell {
    supervisor: Child,
    control: UnixStream,
    kernel: UnixStream,
    stdout: JoinHandle<Captured>,
    stderr: JoinHandle<Captured>,
    flooded: Arc<Notify>,
}

/// Why a call gave no value.
#[derive(Debug)]
pub enum CallError {
    /// The function raised.
    Raised(Raised),
    /// The cell is gone; [`Cell::finish`] says why.
    Ended,
}

/// What was kept of one output stream.
#[derive(Debug, Default)]
pub struct Captured {
    /// The first bytes, where not UTF-8 replaced by U+FFFD.
    pub text: String,
    /// Whether there was more.
    pub truncated: bool,
    /// Whether there was so much more that the cell had to be killed.
    pub flooded: bool,
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
    /// What it printed.
    pub stdout: Captured,
    /// What it printed.
    pub stderr: Captured,
}

impl Cell {
    /// Starts a cell; its kernel comes up while the caller goes on.
    pub(crate) fn start(sandbox: &Sandbox, options: CellOptions) -> Result<Cell, Error> {
        if let Some(excess) = options.policy.excess() {
            return Err(Error::Excessive(excess));
        }
        let failed = |error: io::Error| Error::Start(error.to_string());
        let (control, control_inner) = StdUnixStream::pair().map_err(failed)?;
        let (kernel, kernel_inner) = StdUnixStream::pair().map_err(failed)?;
        let channel = kernel_inner.as_raw_fd();
        let mut command = Command::new(&sandbox.program);
        command
            .arg(SUPERVISOR_ARGUMENT)
            .arg(channel.to_string())
            .env_clear()
            .current_dir("/")
            // A Ctrl-C at the terminal is for the command, which then lets go of the cell in good order.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(control_inner)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // SAFETY: fcntl is async-signal-safe; it only lets the kernel's channel survive the exec that follows.
        unsafe {
            command.pre_exec(move || match libc::fcntl(channel, libc::F_SETFD, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        let mut supervisor = command.spawn().map_err(failed)?;
        drop(kernel_inner);
        let spec = Spec {
            v: PROTOCOL_VERSION,
            image: sandbox.image.clone(),
            kernel: sandbox.kernel.clone(),
            inputs: options.inputs,
            out: options.out,
            policy: options.policy,
        };
        // A specification fits the socket's buffer; a supervisor that is already gone shows when the report is read.
        let told = crate::protocol::write_frame(&mut (&control), &spec);
        told.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(failed(error)) })?;
        let flooded = Arc::new(Notify::new());
        let (kept, read) = (spec.policy.output_kept_bytes, spec.policy.output_read_bytes);
        let stdout = supervisor.stdout.take().expect("stdout was piped above");
        let stderr = supervisor.stderr.take().expect("stderr was piped above");
        Ok(Cell {
            control: into_tokio(control).map_err(failed)?,
            kernel: into_tokio(kernel).map_err(failed)?,
            stdout: tokio::spawn(capture(stdout, kept, read, flooded.clone())),
            stderr: tokio::spawn(capture(stderr, kept, read, flooded.clone())),
            supervisor,
            flooded,
        })
    }

    /// Calls `module.function` of the shipped modules.
    pub async fn call(&mut self, function: &str, arguments: &Value) -> Result<Value, CallError> {
        self.ask(&Request::Call { function, arguments }, FRAME_BYTES_MAX).await
    }

    /// Runs a program as `__main__`; afterwards the kernel ends.
    pub(crate) async fn exec(&mut self, code: &str, name: &str) -> Result<Value, CallError> {
        self.ask(&Request::Exec { code, name }, LAST_WORD_BYTES_MAX).await
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
        };
        match response {
            Some(Response { error: Some(error), .. }) => Err(CallError::Raised(error)),
            Some(Response { value, error: None }) => Ok(value),
            None => Err(CallError::Ended),
        }
    }

    /// Ends the cell and says what became of it.
    pub async fn finish(mut self, stop: Stop) -> Finished {
        // A kernel that is asked nothing more comes to its own end, also one that is still talking.
        drop(self.kernel);
        if stop == Stop::Now {
            let _ = self.control.shutdown().await;
        }
        let report = tokio::select! {
            report = read_json::<Report>(&mut self.control, FRAME_BYTES_MAX) => report.ok(),
            () = self.flooded.notified() => {
                let _ = self.control.shutdown().await;
                read_json::<Report>(&mut self.control, FRAME_BYTES_MAX).await.ok()
            }
        };
        let _ = self.supervisor.wait().await;
        let stdout = self.stdout.await.unwrap_or_default();
        let stderr = self.stderr.await.unwrap_or_default();
        Finished { report, stdout, stderr }
    }
}

fn into_tokio(stream: StdUnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

async fn exchange(kernel: &mut UnixStream, message: &[u8], answer_bytes_max: usize) -> io::Result<Response> {
    kernel.write_all(message).await?;
    read_json(kernel, answer_bytes_max).await
}

async fn read_json<T: serde::de::DeserializeOwned>(from: &mut UnixStream, bytes_max: usize) -> io::Result<T> {
    let mut header = [0; 4];
    from.read_exact(&mut header).await?;
    let mut body = vec![0; frame_length(header, bytes_max)?];
    from.read_exact(&mut body).await?;
    Ok(serde_json::from_slice(&body)?)
}

/// Reads a stream to its end, keeps its beginning, and raises the alarm when it is endless.
async fn capture(mut stream: impl AsyncRead + Unpin, kept: u64, read: u64, alarm: Arc<Notify>) -> Captured {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let (mut total, mut flooded) = (0, false);
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        total += count as u64;
        let room = (kept as usize).saturating_sub(bytes.len());
        bytes.extend_from_slice(&buffer[..count.min(room)]);
        if total > read && !flooded {
            flooded = true;
            alarm.notify_one();
        }
    }
    Captured { text: String::from_utf8_lossy(&bytes).into_owned(), truncated: total > kept, flooded }
}
