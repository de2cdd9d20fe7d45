//! How many runs a process works on at once, whoever begins them: those that are begun here at once and those that are
//! taken from the queue share one number, and who came first goes first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// The places for runs at work. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slots(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    most: usize,
    used: AtomicUsize,
    /// Whether a run waits in the queue that a new one must not overtake.
    waited: AtomicBool,
    /// Told when a slot is given back or a run begins to wait.
    changed: Notify,
    /// Told when there may be a slot for who waits beside the queue.
    freed: Notify,
}

/// One of them, given back when it is dropped.
#[derive(Debug)]
pub struct Slot(Slots);

impl Slots {
    /// So many, at least one.
    pub fn new(most: usize) -> Slots {
        let (used, waited) = (AtomicUsize::new(0), AtomicBool::new(false));
        Slots(Arc::new(Inside { most: most.max(1), used, waited, changed: Notify::new(), freed: Notify::new() }))
    }

    /// One for a run that begins now; none if all are taken, or if another waits already.
    pub fn take(&self) -> Option<Slot> {
        if self.0.waited.load(Ordering::Acquire) { None } else { self.reserve() }
    }

    /// The same, waited for: what is over in a moment need not be written into the queue. First come, first served, behind
    /// the queue.
    pub async fn take_within(&self, time: Duration) -> Option<Slot> {
        let taking = async {
            loop {
                let freed = self.0.freed.notified();
                if let Some(slot) = self.take() {
                    return slot;
                }
                freed.await;
            }
        };
        tokio::time::timeout(time, taking).await.ok()
    }

    /// One, whoever waits.
    pub(crate) fn reserve(&self) -> Option<Slot> {
        let more = |used: usize| (used < self.0.most).then_some(used + 1);
        self.0.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| Slot(self.clone()))
    }

    /// A run waits in the queue from now on.
    pub fn one_waits(&self) {
        self.0.waited.store(true, Ordering::Release);
        self.0.changed.notify_one();
    }

    /// Says whether any waits still.
    pub(crate) fn set_waited(&self, waited: bool) {
        self.0.waited.store(waited, Ordering::Release);
        if !waited {
            self.0.freed.notify_waiters();
        }
    }

    /// How many are taken, and how many there are.
    pub fn count(&self) -> (usize, usize) {
        (self.0.used.load(Ordering::Acquire), self.0.most)
    }

    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.used.fetch_sub(1, Ordering::AcqRel);
        self.0.0.changed.notify_one();
        self.0.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_beside_the_queue_gets_what_is_given_back_and_not_before_the_queue() {
        let slots = Slots::new(1);
        let first = slots.take();
        assert!(slots.take_within(Duration::from_millis(5)).await.is_none());
        let waiting = tokio::spawn({
            let slots = slots.clone();
            async move { slots.take_within(Duration::from_secs(60)).await }
        });
        slots.one_waits();
        drop(first);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "the queue comes first");
        slots.set_waited(false);
        assert!(waiting.await.expect("no panic").is_some());
    }

    #[test]
    fn there_are_never_more_and_nobody_overtakes_who_waits() {
        let slots = Slots::new(2);
        let (first, second) = (slots.take(), slots.take());
        assert!(first.is_some() && second.is_some() && slots.take().is_none());
        slots.one_waits();
        drop(first);
        assert!(slots.take().is_none(), "somebody waits");
        assert!(slots.reserve().is_some(), "and gets it");
        slots.set_waited(false);
        assert_eq!(slots.count(), (1, 2));
        assert!(slots.take().is_some());
    }
}
