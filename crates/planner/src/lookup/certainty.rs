//! How likely a best candidate is right: its probability corrected by what the learned model cannot know of itself.

use super::candidates::AGGREGATES;
use super::features::{Leftover, Sink, left};
use super::rank::Ranked;
use super::scene::Scene;
use super::weights::Weights;

/// The group of the names that confidence has weights for.
pub const GROUP: &str = "sure";

const ODDS_MAX: f64 = 8.0;

/// What confidence depends on.
pub fn features(scene: &Scene, ranked: &Ranked, sink: &mut impl Sink) {
    let best = ranked.best;
    let set = &ranked.sets[best.conditions];
    let odds = |share: f64| (share.max(1e-9) / (1.0 - share).max(1e-9)).ln().clamp(-ODDS_MAX, ODDS_MAX);
    sink.add(&[GROUP]);
    sink.add_times(&[GROUP, "odds"], odds(ranked.probability));
    sink.add_times(&[GROUP, "odds alone"], odds(ranked.alone));
    sink.add_times(&[GROUP, "margin"], (ranked.probability / ranked.second.max(1e-9)).ln().min(ODDS_MAX));
    sink.add(&[GROUP, "rows", left(scene, set)]);
    sink.add(&[GROUP, "aggregate", AGGREGATES[best.aggregate].map_or("plain", |aggregate| aggregate.as_str())]);
    let leftover = Leftover::of(scene, best.column, set);
    sink.add_times(&[GROUP, "unused words"], (leftover.words.len() as f64).min(4.0));
    sink.add_times(&[GROUP, "unused numbers"], leftover.numbers as f64);
    sink.add_times(&[GROUP, "unused columns"], (leftover.columns as f64).min(3.0));
    let coverage = scene.mentions[best.column].first().map_or(0.0, |mention| mention.coverage);
    sink.add_times(&[GROUP, "coverage"], coverage);
    if set.links.is_empty() {
        sink.add(&[GROUP, "no conditions"]);
    }
}

struct Sum<'w> {
    weights: &'w Weights,
    total: f64,
}

impl Sink for Sum<'_> {
    fn add_times(&mut self, name: &[&str], size: f64) {
        self.total += self.weights.of(name) * size;
    }
}

/// Between 0 and 1.
pub fn confidence(scene: &Scene, ranked: &Ranked, weights: &Weights) -> f64 {
    let mut sum = Sum { weights, total: 0.0 };
    features(scene, ranked, &mut sum);
    1.0 / (1.0 + (-sum.total).exp())
}
