//! What a program prints: read to its end, bounded, and told while it comes.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
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
pub struct Source {
    reader: Receiver,
    /// The same end, for a last look that does not wait. A pipe ends when the last process that holds it has been taken
    /// apart, which can be long after its last word.
    rest: File,
}

impl Source {
    /// Read until the stream ends or the cell is over; `rest` does not block.
    pub fn of(reader: Receiver, rest: File) -> Source {
        Source { reader, rest }
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
    pub async fn read(mut self, stream: Stream, mut from: Source) -> Captured {
        let mut progress = Progress::default();
        let mut buffer = vec![0; 64 * 1024];
        let is_over = loop {
            let count = tokio::select! {
                biased;
                count = from.reader.read(&mut buffer) => count.unwrap_or(0),
                Ok(_) = self.over.wait_for(|over| *over) => break true,
            };
            if count == 0 {
                break false;
            }
            self.keep(stream, &mut progress, &buffer[..count]);
        };
        while let (true, Ok(count @ 1..)) = (is_over, from.rest.read(&mut buffer)) {
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
