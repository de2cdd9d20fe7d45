//! What callers of a server may take, and between which numbers each limit lies.

use std::ops::RangeInclusive;
use std::time::Duration;

use base::Problem;

/// The limits of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeLimits {
    /// What a request may hold, files apart.
    pub body_bytes: usize,
    /// What the files of one request may hold together.
    pub upload_bytes: usize,
    /// Rows of a list in one answer.
    pub rows: usize,
    /// How long a body, or a part of a file, may take to come.
    pub body_time: Duration,
    /// How many runs of one owner are worked on at once.
    pub runs: usize,
    /// How many runs of one owner may wait.
    pub queue: usize,
    /// Connections at once.
    pub connections: usize,
    /// Readers of live events at once.
    pub readers: usize,
}

/// Its usual value and the numbers it may be.
fn limit(name: &str) -> Option<(u64, RangeInclusive<u64>)> {
    Some(match name {
        "serve.body_bytes" => (1 << 20, 1 << 10..=1 << 30),
        "serve.upload_bytes" => (512 << 20, 1 << 10..=1 << 40),
        "serve.rows" => (1_000, 1..=1_000),
        "serve.body_seconds" => (30, 1..=3_600),
        "serve.runs" => (std::thread::available_parallelism().map_or(2, |count| count.get() as u64), 1..=1_024),
        "serve.queue" => (512, 0..=100_000),
        "serve.connections" => (4_096, 1..=65_536),
        "serve.readers" => (4_096, 1..=65_536),
        _ => return None,
    })
}

pub(super) fn default_of(name: &str) -> Option<u64> {
    limit(name).map(|(usual, _)| usual)
}

pub(super) fn allowed(name: &str) -> RangeInclusive<u64> {
    limit(name).map_or(0..=0, |(_, allowed)| allowed)
}

impl ServeLimits {
    pub(super) fn read(number: &dyn Fn(&str) -> Result<u64, Problem>) -> Result<ServeLimits, Problem> {
        let size = |name: &str| Ok::<_, Problem>(usize::try_from(number(name)?).unwrap_or(usize::MAX));
        Ok(ServeLimits {
            body_bytes: size("serve.body_bytes")?,
            upload_bytes: size("serve.upload_bytes")?,
            rows: size("serve.rows")?,
            body_time: Duration::from_secs(number("serve.body_seconds")?),
            runs: size("serve.runs")?,
            queue: size("serve.queue")?,
            connections: size("serve.connections")?,
            readers: size("serve.readers")?,
        })
    }
}
