//! A model that is watched: each request is a span, named as the conventions for generative models name such things, and is
//! counted under the model's name. Of what was asked and answered nothing is told but how much it was.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base::{Durations, Histogram, Problem};
use tracing::field::Empty;
use tracing::{Instrument, Span, error_span, info};

use crate::{Family, Listener, Model, Prices, Reading, Reply, Request, Tokens};

/// Names are given by callers; more of them are counted together.
const NAMES_MAX: usize = 64;
/// What those are counted under.
const OTHERS: &str = "other";

/// What models were asked since the process began, by name.
#[derive(Debug, Default)]
pub struct Tally(Mutex<BTreeMap<String, Arc<Counts>>>);

#[derive(Debug, Default)]
struct Counts {
    times: Histogram,
    used: Mutex<Used>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Used {
    failed: u64,
    tokens: Tokens,
    usd: f64,
}

/// What was asked of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The model's name, without what a program is given.
    pub name: String,
    /// How long requests took, those that failed included.
    pub times: Durations,
    /// How many failed.
    pub failed: u64,
    /// What the others used.
    pub tokens: Tokens,
    /// What that cost, where the model has prices.
    pub usd: f64,
}

impl Tally {
    /// Every model that was asked.
    pub fn all(&self) -> Vec<Asked> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |(name, counts): (&String, &Arc<Counts>)| {
            let Used { failed, tokens, usd } = *counts.used.lock().unwrap_or_else(PoisonError::into_inner);
            Asked { name: name.clone(), times: counts.times.durations(), failed, tokens, usd }
        };
        counts.iter().map(told).collect()
    }

    fn of(&self, name: &str) -> Arc<Counts> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = counts.contains_key(name);
        let name = if is_known || counts.len() < NAMES_MAX { name } else { OTHERS };
        counts.entry(name.to_string()).or_default().clone()
    }
}

/// A model whose requests are counted.
pub(crate) struct Watched {
    pub model: Arc<dyn Model>,
    /// Who has it.
    pub provider: String,
    pub prices: Option<Prices>,
    pub tally: Arc<Tally>,
}

impl Model for Watched {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn family(&self) -> &Family {
        self.model.family()
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        let span = error_span!(
            target: "assay::model",
            "model",
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = self.provider,
            gen_ai.request.model = told(self.name()),
            gen_ai.request.max_tokens = request.output_tokens_max,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.response.finish_reasons = Empty,
            error.type = Empty,
        );
        Box::pin(self.ask(request, heard).instrument(span))
    }
}

impl Watched {
    async fn ask(&self, request: &Request, heard: Listener<'_>) -> Result<Reply, Problem> {
        let began = Instant::now();
        let asked = self.model.reply(request, heard).await;
        let took = began.elapsed();
        let (span, name, ms) = (Span::current(), told(self.name()), took.as_secs_f64() * 1e3);
        // What is answered from a recording was counted when it was paid for.
        let counts = (!asked.as_ref().is_ok_and(|reply| reply.recorded)).then(|| self.tally.of(name));
        if let Some(counts) = &counts {
            counts.times.observe(took);
        }
        let add = |change: &dyn Fn(&mut Used)| {
            if let Some(counts) = &counts {
                change(&mut counts.used.lock().unwrap_or_else(PoisonError::into_inner));
            }
        };
        match &asked {
            Ok(reply) => {
                let (tokens, usd) = (reply.tokens, self.prices.map(|prices| prices.cost(&reply.tokens)));
                add(&|used| {
                    used.tokens += tokens;
                    used.usd += usd.unwrap_or_default();
                });
                // In the conventions' counts, input includes what was cached and output what was thought.
                let input = tokens.input.saturating_add(tokens.cache_read).saturating_add(tokens.cache_write);
                let output = tokens.output.saturating_add(tokens.reasoning);
                span.record("gen_ai.usage.input_tokens", input).record("gen_ai.usage.output_tokens", output);
                span.record("gen_ai.response.finish_reasons", tracing::field::debug(reply.stop));
                info!(target: "assay::model", model = name, input, output, usd, ms, recorded = reply.recorded, "reply");
            }
            Err(problem) => {
                add(&|used| used.failed += 1);
                span.record("error.type", problem.code_name());
                info!(target: "assay::model", model = name, code = problem.code_name(), ms, "no reply");
            }
        }
        asked
    }
}

/// A name without what follows a program's own, for its arguments may hold what is nobody's business; and no longer than a
/// name.
fn told(name: &str) -> &str {
    const CHARACTERS_MAX: usize = 80;
    let words = if name.starts_with("command:") { name.split_whitespace().next() } else { None };
    let name = words.unwrap_or(name);
    name.char_indices().nth(CHARACTERS_MAX).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_arguments_are_not_told() {
        assert_eq!(told("command:/usr/bin/ask --key s3cret"), "command:/usr/bin/ask");
        assert_eq!(told("local:two words"), "local:two words");
    }

    #[test]
    fn names_that_callers_make_up_do_not_fill_the_memory() {
        let tally = Tally::default();
        for number in 0..1_000 {
            tally.of(&format!("chat:{number}")).used.lock().expect("no test panics with it").failed += 1;
        }
        tally.of("chat:3").used.lock().expect("as above").failed += 1;
        let all = tally.all();
        assert_eq!(all.len(), NAMES_MAX + 1);
        let failed = |name: &str| all.iter().find(|asked| asked.name == name).map(|asked| asked.failed);
        assert_eq!((failed("chat:3"), failed(OTHERS)), (Some(2), Some(1_000 - NAMES_MAX as u64)));
    }
}
