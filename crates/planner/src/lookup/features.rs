//! What speaks for and against a candidate, as names that weights are learned for.
//!
//! A candidate's features are the union of those of its column, its aggregate, its conditions and each pair of them, so
//! that a whole grid of candidates is scored from few parts. A name has words of the closed class, kinds, positions and
//! counts in it, never a word of any data. Its first word is its group.

mod aggregate;
mod condition;
mod select;

pub use aggregate::{aggregate, aggregate_and_conditions, column_and_aggregate, left, outcome};
pub use condition::conditions;
pub use select::{Leftover, column, column_and_conditions};

use super::scene::{Scene, Span};

/// Takes the features of one part.
pub trait Sink {
    /// A feature that is there.
    fn add(&mut self, name: &[&str]) {
        self.add_times(name, 1.0);
    }

    /// A feature with a size.
    fn add_times(&mut self, name: &[&str], size: f64);
}

/// The groups of features, for measuring what each is worth.
pub const GROUPS: &[&str] =
    &["cover", "asks", "place", "near", "value", "compare", "rows", "unused", "trigger", "kind", "count"];

/// A small count.
fn few(count: usize) -> &'static str {
    ["0", "1", "2", "3", "4", "5+"][count.min(5)]
}

/// A distance in words.
fn distance(gap: usize) -> &'static str {
    match gap {
        0 => "0",
        1 => "1",
        2 => "2",
        3..=4 => "3-4",
        5..=7 => "5-7",
        _ => "far",
    }
}

/// How much of a header is said.
fn cover(coverage: f64) -> &'static str {
    match coverage {
        c if c <= 0.0 => "none",
        c if c < 0.3 => "little",
        c if c < 0.52 => "half",
        c if c < 0.75 => "more",
        c if c < 0.99 => "most",
        _ => "all",
    }
}

/// A word by what it is: itself if it is of the closed class.
fn class(scene: &Scene, at: Option<usize>) -> &'static str {
    let Some(word) = at.and_then(|at| scene.words.get(at)) else { return "edge" };
    match word.closed {
        Some(closed) => closed,
        None if word.number.is_some() => "#",
        None if word.proper => "Name",
        None => "~",
    }
}

fn before(scene: &Scene, span: Span) -> &'static str {
    class(scene, span.start.checked_sub(1))
}

fn after(scene: &Scene, span: Span) -> &'static str {
    class(scene, Some(span.end))
}
