//! Who hears what: every event of the runs that this process works on goes through one hub, to any number of readers.
//!
//! While a run is worked on, its channel keeps what was said, so that a reader who comes late hears the same events in the
//! same order as one who was there from the start; only of what passes by the oldest is forgotten when it becomes much.
//! Durable events are kept by the store as well, and from there a reader hears what was committed before this process
//! had the run, or by another one.
//!
//! ```text
//! run at work -> channel (kept, in order) -+-> reader    a channel closes when its run is no longer worked on here;
//!                                          +-> reader    who has heard all of it goes on with the store
//! ```

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Problem, RunId};
use store::{Event, RunState};
use tokio::sync::watch;

use crate::Runs;
use crate::lookout::{Follow, Lookout};

/// How many passing events of a run are kept for who comes late.
const PASSING_MAX: usize = 4096;
/// How many bytes of text they may hold together.
const PASSING_BYTES_MAX: usize = 4 << 20;

/// The channels of the runs that this process works on. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Hub {
    channels: Arc<Mutex<HashMap<RunId, Arc<Channel>>>>,
    lookout: Lookout,
}

/// What is said of one run while this process works on it.
#[derive(Default)]
pub(crate) struct Channel {
    log: Mutex<Log>,
    /// Counts what was said, so that readers wake.
    said: watch::Sender<u64>,
}

#[derive(Default)]
struct Log {
    events: VecDeque<(u64, Arc<Event>)>,
    next: u64,
    passing: usize,
    passing_bytes: usize,
    closed: bool,
}

/// Keeps a channel open; dropping it closes the channel.
pub(crate) struct Open {
    hub: Hub,
    run: RunId,
    channel: Arc<Channel>,
}

impl Hub {
    /// Opens the channel of a run that this process begins to work on.
    pub(crate) fn open(&self, run: &RunId) -> Open {
        let channel = Arc::new(Channel::default());
        lock(&self.channels).insert(run.clone(), channel.clone());
        self.lookout.tell(run);
        Open { hub: self.clone(), run: run.clone(), channel }
    }

    fn channel(&self, run: &RunId) -> Option<Arc<Channel>> {
        lock(&self.channels).get(run).cloned()
    }

    /// Where to wait for runs that this process does not work on.
    pub(crate) fn lookout(&self) -> &Lookout {
        &self.lookout
    }
}

impl Open {
    pub(crate) fn channel(&self) -> Arc<Channel> {
        self.channel.clone()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut channels = lock(&self.hub.channels);
        // A later attempt may have opened one of its own.
        if channels.get(&self.run).is_some_and(|channel| Arc::ptr_eq(channel, &self.channel)) {
            channels.remove(&self.run);
        }
        drop(channels);
        lock(&self.channel.log).closed = true;
        self.channel.said.send_modify(|count| *count += 1);
    }
}

impl Channel {
    /// Says something to whoever listens, now or later.
    pub(crate) fn say(&self, event: Event) {
        lock(&self.log).push(event);
        self.said.send_modify(|count| *count += 1);
    }
}

impl Log {
    fn push(&mut self, event: Event) {
        if event.seq.is_none() {
            self.passing += 1;
            self.passing_bytes += text_bytes(&event);
        }
        self.events.push_back((self.next, Arc::new(event)));
        self.next += 1;
        if self.passing > PASSING_MAX || self.passing_bytes > PASSING_BYTES_MAX {
            self.forget_half();
        }
    }

    /// Drops the older half of what passes by. Half at once, so that it is rarely done.
    fn forget_half(&mut self) {
        let (mut passing, mut bytes) = (self.passing, self.passing_bytes);
        self.events.retain(|(_, event)| {
            let stays = event.seq.is_some() || (passing <= PASSING_MAX / 2 && bytes <= PASSING_BYTES_MAX / 2);
            if !stays {
                passing -= 1;
                bytes -= text_bytes(event);
            }
            stays
        });
        (self.passing, self.passing_bytes) = (passing, bytes);
    }

    /// The first durable event that it has.
    fn first_seq(&self) -> Option<i64> {
        self.events.iter().find_map(|(_, event)| event.seq)
    }

    /// Where a reader goes on who has heard the durable events up to that number.
    fn after(&self, seen: i64) -> u64 {
        let heard = self.events.iter().rev().find(|(_, event)| event.seq.is_some_and(|seq| seq <= seen));
        heard.map_or(0, |(position, _)| position + 1)
    }

    fn since(&self, position: u64) -> impl Iterator<Item = &Arc<Event>> {
        let from = self.events.partition_point(|(at, _)| *at < position);
        self.events.range(from..).map(|(_, event)| event)
    }
}

fn text_bytes(event: &Event) -> usize {
    event.data["text"].as_str().map_or(0, str::len)
}

/// Nothing panics while it is held; a poisoned lock still guards a whole value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run's events from some point on, in order: those that are recorded and, while this process works on it, those that
/// only pass by.
pub struct Events {
    runs: Runs,
    run: RunId,
    /// The number of the last durable event that was given.
    seen: i64,
    ready: VecDeque<Arc<Event>>,
    /// The channel that was open when the reader came, until it is entered.
    found: Option<Arc<Channel>>,
    live: Option<Live>,
    /// Its place among those who wait for the run, while this process does not work on it.
    follow: Option<Follow>,
    over: bool,
}

/// A reader's place in a channel.
struct Live {
    channel: Arc<Channel>,
    position: u64,
    said: watch::Receiver<u64>,
}

impl Events {
    pub(crate) fn new(runs: Runs, run: RunId, seen: i64) -> Events {
        let found = runs.hub().channel(&run);
        Events { runs, run, seen, ready: VecDeque::new(), found, live: None, follow: None, over: false }
    }

    /// The next event, waited for; `None` once the run has ended or nobody works on it any more.
    pub async fn next(&mut self) -> Result<Option<Arc<Event>>, Problem> {
        loop {
            if let Some(event) = self.take_ready() {
                return Ok(Some(event));
            }
            if self.over {
                return Ok(None);
            }
            if self.live.is_some() {
                self.wait().await;
            } else if self.join().await? {
                self.hear();
            } else {
                self.look(true).await?;
            }
        }
    }

    /// The same, but it ends as soon as this process no longer works on the run.
    pub async fn next_here(&mut self) -> Result<Option<Arc<Event>>, Problem> {
        if self.live.is_none() && self.found.is_some() && self.join().await? {
            self.hear();
        }
        while self.ready.is_empty() && self.live.is_some() {
            self.wait().await;
        }
        Ok(self.take_ready())
    }

    /// The next event that is there, without waiting for one that is not.
    pub async fn next_there(&mut self) -> Result<Option<Arc<Event>>, Problem> {
        if self.ready.is_empty() && !self.over && (self.live.is_some() || self.join().await?) {
            self.hear();
        }
        if self.ready.is_empty() && !self.over && self.live.is_none() {
            self.look(false).await?;
        }
        Ok(self.take_ready())
    }

    fn take_ready(&mut self) -> Option<Arc<Event>> {
        let event = self.ready.pop_front()?;
        self.seen = event.seq.unwrap_or(self.seen);
        self.over |= event.kind == "run.finished";
        Some(event)
    }

    /// Waits until something is said in the channel, and takes it.
    async fn wait(&mut self) {
        if let Some(live) = &mut self.live {
            // The channel, and with it who says something, is held here.
            let _ = live.said.changed().await;
        }
        self.hear();
    }

    /// Takes what was said in the channel since; one that is closed and heard to its end is left.
    fn hear(&mut self) {
        let Some(live) = &mut self.live else { return };
        live.said.mark_unchanged();
        let log = lock(&live.channel.log);
        self.ready.extend(log.since(live.position).cloned());
        live.position = log.next;
        let closed = log.closed;
        drop(log);
        if closed {
            self.live = None;
        }
    }

    /// Enters the channel of the run, if this process works on it. What was committed before comes first.
    async fn join(&mut self) -> Result<bool, Problem> {
        let found = self.found.take().or_else(|| self.runs.hub().channel(&self.run));
        let Some(channel) = found else { return Ok(false) };
        let said = channel.said.subscribe();
        let first = lock(&channel.log).first_seq();
        if let Some(first) = first {
            while self.seen + 1 < first {
                let before = self.runs.events_after(&self.run, self.seen).await?;
                let before: Vec<Event> = before.into_iter().take_while(|event| event.seq < Some(first)).collect();
                let Some(last) = before.last().and_then(|event| event.seq) else { break };
                self.seen = last;
                self.ready.extend(before.into_iter().map(Arc::new));
            }
        }
        let position = lock(&channel.log).after(self.seen);
        self.follow = None;
        self.live = Some(Live { channel, position, said });
        Ok(true)
    }

    /// Looks at what is recorded of a run that this process does not work on; where nothing is new, waits until something
    /// may be, if it is patient.
    async fn look(&mut self, patiently: bool) -> Result<(), Problem> {
        if self.follow.is_none() {
            // From here on no change is missed.
            self.follow = patiently.then(|| self.runs.follow(&self.run));
            self.runs.reap().await?;
        }
        // Asked first: what was committed before the end is then all told.
        let state = self.runs.state(&self.run).await?;
        self.ready.extend(self.runs.events_after(&self.run, self.seen).await?.into_iter().map(Arc::new));
        if !self.ready.is_empty() {
            return Ok(());
        }
        if !matches!(state, RunState::Running | RunState::Pending) {
            self.over = true;
            return Ok(());
        }
        // Its channel may have been opened since it was last looked for.
        let is_here = self.runs.hub().channel(&self.run).is_some();
        if let Some(follow) = self.follow.as_mut().filter(|_| !is_here) {
            follow.changed().await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use serde_json::json;

    use super::*;

    fn event(seq: Option<i64>, text: &str) -> Event {
        let (run, at) = (RunId::fresh(), SystemTime::now().into());
        Event { run, seq, at, kind: "text.delta".to_string(), data: json!({ "text": text }) }
    }

    #[test]
    fn much_that_passes_by_is_forgotten_from_its_beginning_and_nothing_durable_is() {
        let mut log = Log::default();
        for number in 0..10_000 {
            log.push(event((number % 1_000 == 0).then_some(number / 1_000 + 1), &number.to_string()));
        }
        assert!(log.passing <= PASSING_MAX, "{}", log.passing);
        let durable: Vec<i64> = log.events.iter().filter_map(|(_, event)| event.seq).collect();
        assert_eq!(durable, (1..=10).collect::<Vec<_>>());
        let last = log.since(9_999).map(|event| event.data["text"].clone()).collect::<Vec<_>>();
        assert_eq!(last, [json!("9999")]);
        log.push(event(None, &"x".repeat(PASSING_BYTES_MAX)));
        assert!(log.passing_bytes <= PASSING_BYTES_MAX, "{}", log.passing_bytes);
    }

    #[test]
    fn a_reader_goes_on_behind_the_last_durable_event_it_has_heard() {
        let mut log = Log::default();
        for (seq, text) in [(Some(3), "a"), (None, "b"), (Some(4), "c"), (None, "d")] {
            log.push(event(seq, text));
        }
        let heard = |seen: i64| log.since(log.after(seen)).map(|event| event.data["text"].clone()).collect::<Vec<_>>();
        assert_eq!(log.first_seq(), Some(3));
        assert_eq!(heard(2), ["a", "b", "c", "d"]);
        assert_eq!(heard(3), ["b", "c", "d"]);
        assert_eq!(heard(4), ["d"]);
    }
}
