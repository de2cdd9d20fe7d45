//! What the server counts of its own work as it goes: requests by door, readers of live events, bytes that were sent.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use app::ServeLimits;
use base::{Code, Durations, Histogram};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// What is asked in other ways, or at addresses that are none, is counted together: callers make such names up.
const OTHER: &str = "other";
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

/// What was counted since the start.
#[derive(Debug)]
pub struct Counters {
    doors: Mutex<BTreeMap<(&'static str, String), Arc<Requests>>>,
    readers: Arc<Semaphore>,
    readers_max: usize,
    uploaded: AtomicU64,
}

#[derive(Debug, Default)]
struct Requests {
    times: Histogram,
    statuses: Mutex<BTreeMap<u16, u64>>,
}

/// How requests at one door went.
pub struct AtDoor {
    /// GET, POST ….
    pub method: &'static str,
    /// The address with its parameters in braces.
    pub door: String,
    /// How many had each status.
    pub statuses: BTreeMap<u16, u64>,
    /// How long they took until their answer began.
    pub times: Durations,
}

/// The right to read live events, given back when it is dropped.
pub struct Reader {
    _permit: OwnedSemaphorePermit,
}

impl Counters {
    /// Nothing was counted yet.
    pub fn of(limits: &ServeLimits) -> Counters {
        let readers_max = limits.readers.min(Semaphore::MAX_PERMITS);
        let readers = Arc::new(Semaphore::new(readers_max));
        Counters { doors: Mutex::default(), readers, readers_max, uploaded: AtomicU64::new(0) }
    }

    /// A request was answered, so fast. The door is as the table of doors spells it.
    pub fn answered(&self, method: &str, door: Option<&str>, status: u16, took: Duration) {
        let method = METHODS.iter().find(|known| **known == method).copied().unwrap_or(OTHER);
        let key = (method, door.unwrap_or(OTHER).to_string());
        let requests = self.doors.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        requests.times.observe(took);
        *requests.statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// Every door that was asked.
    pub fn doors(&self) -> Vec<AtDoor> {
        let doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |((method, door), requests): (&(&'static str, String), &Arc<Requests>)| AtDoor {
            method,
            door: door.clone(),
            statuses: requests.statuses.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            times: requests.times.durations(),
        };
        doors.iter().map(told).collect()
    }

    /// A place to read live events.
    pub fn reader(&self) -> Result<Reader, Refusal> {
        let permit = self.readers.clone().try_acquire_owned().map_err(|_| {
            let message = format!("{} readers of live events are there already", self.readers_max);
            Refusal::new(Code::TooManyRequests, message, "close some of them, or ask for the status instead")
        })?;
        Ok(Reader { _permit: permit })
    }

    /// How many read live events, and how many may.
    pub fn readers(&self) -> (usize, usize) {
        (self.readers_max - self.readers.available_permits(), self.readers_max)
    }

    /// So many bytes of a file came.
    pub fn uploaded(&self, bytes: usize) {
        self.uploaded.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// How many bytes of files came.
    pub fn uploads(&self) -> u64 {
        self.uploaded.load(Ordering::Relaxed)
    }
}
