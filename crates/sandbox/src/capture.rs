//! What a program prints: read to its end, bounded, and told while it comes.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{Notify, watch};

/// Told what a program prints, as far as it is kept. Must not block.
pub type Listener = Arc<dyn Fn(Stream, &str) + Send + Sync>;

/// Where a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }
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

/// The reading end of a stream.
pub struct Source<R> {
    reader: R,
    /// The same end, for a last look that does not wait. A pipe ends when the last process that holds it has been taken
    /// apart, which can be long after its last word.
    rest: Option<File>,
}

impl<R> Source<R> {
    /// Read until the stream itself ends.
    pub fn to_the_end(reader: R) -> Source<R> {
        Source { reader, rest: None }
    }

    /// Read until the stream ends or the cell is over; `rest` does not block.
    pub fn until_over(reader: R, rest: File) -> Source<R> {
        Source { reader, rest: Some(rest) }
    }
}

/// How streams of a cell are read.
#[derive(Clone)]
pub struct Capture {
    /// How much is kept.
    pub kept_bytes: usize,
    /// How much is read before the alarm.
    pub read_bytes: u64,
    /// Raised when a stream is endless.
    pub alarm: Arc<Notify>,
    /// Whether the cell is over: everything it printed is there.
    pub over: watch::Receiver<bool>,
    /// Who is told.
    pub listener: Option<Listener>,
}

#[derive(Default)]
struct Progress {
    bytes: Vec<u8>,
    told: usize,
    total: u64,
    flooded: bool,
}

impl Capture {
    /// Reads a stream, keeps its beginning and tells of it, and raises the alarm when it is endless.
    pub async fn read(mut self, stream: Stream, mut from: Source<impl AsyncRead + Unpin>) -> Captured {
        let mut progress = Progress::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let waits = from.rest.is_some();
            let count = tokio::select! {
                biased;
                count = from.reader.read(&mut buffer) => count.unwrap_or(0),
                Ok(_) = self.over.wait_for(|over| *over), if waits => break,
            };
            if count == 0 {
                from.rest = None;
                break;
            }
            self.keep(stream, &mut progress, &buffer[..count]);
        }
        while let Some(Ok(count @ 1..)) = from.rest.as_mut().map(|rest| rest.read(&mut buffer)) {
            self.keep(stream, &mut progress, &buffer[..count]);
        }
        self.tell(stream, &progress.bytes[progress.told..], true);
        let truncated = progress.total > self.kept_bytes as u64;
        let text = String::from_utf8_lossy(&progress.bytes).into_owned();
        Captured { text, truncated, flooded: progress.flooded }
    }

    fn keep(&self, stream: Stream, progress: &mut Progress, part: &[u8]) {
        progress.total += part.len() as u64;
        let room = self.kept_bytes.saturating_sub(progress.bytes.len());
        progress.bytes.extend_from_slice(&part[..part.len().min(room)]);
        progress.told += self.tell(stream, &progress.bytes[progress.told..], false);
        if progress.total > self.read_bytes && !progress.flooded {
            progress.flooded = true;
            self.alarm.notify_one();
        }
    }

    /// Passes whole characters on; one that is not complete yet waits for the rest. Gives how many bytes went.
    fn tell(&self, stream: Stream, bytes: &[u8], last: bool) -> usize {
        let Some(listener) = &self.listener else { return bytes.len() };
        let whole = match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() && !last => error.valid_up_to(),
            _ => bytes.len(),
        };
        if whole > 0 {
            listener(stream, &String::from_utf8_lossy(&bytes[..whole]));
        }
        whole
    }
}
