//! How long things took, counted as they happen: buckets that whoever watches a process can add up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets in microseconds, from a warm lookup to a long reply of a model.
const BOUNDS_US: [u64; 16] = [
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000,
    30_000_000,
    60_000_000,
    120_000_000,
];

/// Counts of durations by bucket. Counting takes no lock.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS_US.len()],
    beyond: AtomicU64,
    microseconds: AtomicU64,
}

/// What a histogram holds at one moment; those of several places can be added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations {
    /// How many took as long as each bound or less, without those of the bounds before.
    buckets: [u64; BOUNDS_US.len()],
    beyond: u64,
    microseconds: u64,
}

impl Histogram {
    /// Something took that long.
    pub fn observe(&self, took: Duration) {
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let place = BOUNDS_US.partition_point(|bound| *bound < microseconds);
        self.buckets.get(place).unwrap_or(&self.beyond).fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.durations().count()
    }

    /// What it holds now.
    pub fn durations(&self) -> Durations {
        Durations {
            buckets: std::array::from_fn(|place| self.buckets[place].load(Ordering::Relaxed)),
            beyond: self.beyond.load(Ordering::Relaxed),
            microseconds: self.microseconds.load(Ordering::Relaxed),
        }
    }
}

impl Durations {
    /// How many there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum::<u64>() + self.beyond
    }

    /// How long they took together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds as f64 / 1e6
    }

    /// Each bound in seconds with how many took as long or less.
    pub fn cumulated(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let mut sum = 0;
        BOUNDS_US.iter().zip(&self.buckets).map(move |(bound, count)| {
            sum += count;
            (*bound as f64 / 1e6, sum)
        })
    }

    /// Adds what another place counted.
    pub fn add(&mut self, other: &Durations) {
        self.buckets.iter_mut().zip(other.buckets).for_each(|(sum, count)| *sum += count);
        self.beyond += other.beyond;
        self.microseconds = self.microseconds.saturating_add(other.microseconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_is_in_one_bucket_and_those_of_two_places_add_up() {
        let histogram = Histogram::default();
        for ms in [0, 1, 2, 600_000] {
            histogram.observe(Duration::from_millis(ms));
        }
        let mut all = histogram.durations();
        all.add(&histogram.durations());
        let at = |bound: f64| all.cumulated().find(|(seconds, _)| *seconds == bound).map(|(_, count)| count);
        assert_eq!((at(0.0005), at(0.001), at(0.0025), at(120.0)), (Some(2), Some(4), Some(6), Some(6)));
        assert_eq!((all.count(), histogram.count()), (8, 4));
        assert!((all.seconds() - 1200.006).abs() < 1e-6);
    }
}
