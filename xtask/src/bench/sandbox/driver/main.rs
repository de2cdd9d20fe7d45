//! The driver of `cargo xtask bench sandbox`: runs every contestant in turn and prints one JSON line for each time.
//!
//! It is a program of its own so that `cargo xtask` does not need the product to be built. Nothing is measured before
//! the pool of warm workers is full again, so that no contestant pays for the one before it.

mod bare;
mod contest;
mod crowd;
mod pool;
mod setup;

use anyhow::Context;
use serde_json::json;

use contest::{Contest, ENTRANTS};
use setup::{Part, Setup};

const ROUNDS: usize = 50;
const ROUNDS_QUICK: usize = 3;

/// One number that was measured.
pub struct Sample {
    case: &'static str,
    who: String,
    unit: &'static str,
    value: f64,
}

impl Sample {
    /// A time.
    pub fn ms(case: &'static str, who: impl Into<String>, value: f64) -> Sample {
        Sample { case, who: who.into(), unit: "ms", value }
    }

    fn print(&self) {
        let Sample { case, who, unit, value } = self;
        println!("{}", json!({ "case": case, "who": who, "unit": unit, "value": value }));
    }
}

/// Says something to whoever looks on.
pub fn note(text: &str) {
    println!("{}", json!({ "note": text }));
}

fn main() -> anyhow::Result<()> {
    let text = std::env::args().nth(1).context("started without its setup; run `cargo xtask bench sandbox`")?;
    let setup = Setup::read(&text)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut contest = Contest::prepare(setup).await?;
        let measured = measure(&mut contest).await;
        let said = contest.pool.close().await;
        measured.and(said)
    })
}

async fn measure(contest: &mut Contest) -> anyhow::Result<()> {
    let quick = contest.setup.quick;
    let entrants: Vec<_> = ENTRANTS.iter().filter(|entrant| contest.setup.wants(entrant.part())).collect();
    for entrant in &entrants {
        contest.measure(**entrant).await.with_context(|| format!("{entrant:?} failed at the rehearsal"))?;
    }
    let rounds = if quick { ROUNDS_QUICK } else { ROUNDS };
    for round in 0..rounds {
        if round % 10 == 0 {
            note(&format!("round {} of {rounds}", round + 1));
        }
        // Another one first each time, so that none always follows the same.
        for place in 0..entrants.len() {
            let entrant = *entrants[(place + round) % entrants.len()];
            for _ in 0..entrant.times() {
                contest.pool.is_full().await?.iter().for_each(Sample::print);
                let samples = contest.measure(entrant).await;
                samples.with_context(|| format!("{entrant:?} failed"))?.iter().for_each(Sample::print);
            }
        }
    }
    if contest.setup.wants(Part::Crowd) {
        crowd::runs_per_second(contest).await?.iter().for_each(Sample::print);
        crowd::tasks(contest).await?.iter().for_each(Sample::print);
    }
    contest.pool.tell().await
}
