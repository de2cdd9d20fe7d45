//! The answer cache: for what an answer may be given again, and how it is given.
//!
//! There is no store of answers beside the journal: a key leads to the run that last gave the answer, and giving it
//! again is a run of its own, with what was found as its one step. Whatever could change an answer is part of the key:
//! the words but for case, spaces and closing punctuation, the version of the data with its owner's words, the program,
//! the options, and the plan that a question continues.

use std::time::Instant;

use base::{Hash, Problem, RunId};
use data::plan::Plan;
use flow::{Engine, Finish, Found, FoundBy, Recall, Request};
use serde_json::{Value, json};
use warehouse::Resolved;

use crate::ASK;
use crate::ask::AskInput;
use crate::context::Context;
use crate::task::milliseconds;

/// How many answers can be given again; the least recently used leaves.
pub const ANSWERS_MAX: i64 = 1_000;
/// How many bytes they may have together.
pub const ANSWERS_BYTES_MAX: i64 = 64 << 20;

/// What the answer to a question is found by.
pub fn key(context: &Context, input: &AskInput, resolved: &Resolved, follows: Option<&str>) -> Recall {
    let mut asked = json!({
        "task": ASK, "program": context.build, "dataset": resolved.id, "version": resolved.version,
        "question": normalised(&input.question), "answer_all": input.answer_all, "reading": input.reading,
        "follows": follows,
    });
    if let Some(model) = &input.model {
        asked["model"] = json!({
            "name": model.name, "planner_off": model.planner_off, "derivations": model.derivations,
            "rows": model.rows, "learning": model.learning, "extras": model.extras,
        });
    }
    let key = Hash::of_json(&asked);
    Recall { key, about: resolved.id.clone(), rows_max: ANSWERS_MAX, bytes_max: ANSWERS_BYTES_MAX }
}

/// A question without what does not change its answer.
fn normalised(question: &str) -> String {
    let words = question.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_end_matches(['?', '!', '.', ' ']).to_string()
}

/// Whether a question is computed whatever is known. What is written to a file is written by the run that is asked for it.
pub fn is_passed_over(input: &AskInput) -> bool {
    input.no_cache || input.file.is_some()
}

/// Whether people remember something that a model would read: what it makes of a note is not known from before it was
/// written.
pub fn is_noted(context: &Context, input: &AskInput) -> bool {
    input.model.is_some() && !context.warehouse.notes().about(&input.data).unwrap_or_default().is_empty()
}

/// Gives a known answer again, for a question that continues none: as a run that is over at once, recorded in one commit.
/// Nothing where it is not known, or has to be computed.
pub async fn give_again(
    engine: &Engine<Context>,
    context: &Context,
    request: &Request,
    input: &AskInput,
    resolved: &Resolved,
) -> Result<Option<(RunId, Value)>, Problem> {
    let started = Instant::now();
    if is_passed_over(input) || is_noted(context, input) {
        return Ok(None);
    }
    let recall = key(context, input, resolved, None);
    let Some(found) = engine.found_by_key(&recall.key).await? else { return Ok(None) };
    let key = recall.key.clone();
    let found_by = FoundBy { recall: Some(recall), thread: input.thread.clone() };
    let finish =
        |run: &RunId, found| Finish { found_by, ..Finish::succeeded(again(context, found, run, input, started)) };
    let recorded = engine.record_found(request, &key, found, finish).await?;
    Ok(recorded.map(|(run, finish)| (run, finish.output)))
}

/// An answer that was found, as this run's own.
pub fn again(context: &Context, found: Found, run: &RunId, input: &AskInput, started: Instant) -> Value {
    let mut answer = found.output;
    answer["run"] = json!(run);
    answer["question"] = json!(input.question);
    let plan = serde_json::from_value::<Plan>(answer["plan"].clone()).ok();
    let touching = |plan: Plan| context.warehouse.notes().touching(&input.data, &plan);
    answer["remembered"] = json!(plan.map(touching).unwrap_or_default());
    answer["cached"] = json!(true);
    answer["cached_from"] = json!(found.run);
    answer["timing_ms"] = json!({ "plan": 0.0, "execute": 0.0, "verify": 0.0, "total": milliseconds(started) });
    answer
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn case_spaces_and_closing_punctuation_do_not_make_another_question() {
        assert_eq!(normalised("  How many\tORDERS are there ?! "), "how many orders are there");
        assert_ne!(normalised("price above 1.5"), normalised("price above 15"));
    }
}
