//! Two opinions of one question: where the grammar's reading looks something up in a small table, the ranker's best
//! reading is held beside it. Agreement makes the answer surer; a sure ranker that disagrees makes it ambiguous.

use std::collections::BTreeSet;

use data::plan::{Agg, Plan};
use serde_json::Value;

use super::answer::best;
use super::weights::Weights;
use crate::decide::SEVERAL_WAYS;
use crate::index::Index;
use crate::{Answer, Outcome, Reason, Refusal};

/// From here a ranker that reads the question otherwise keeps the grammar's reading from being the answer.
const DISSENT_MIN: f64 = 0.6;

/// The grammar's answer in the light of what the ranker reads.
pub fn beside<'w>(index: &Index, weights: &impl Fn() -> &'w Weights, question: &str, answer: Answer) -> Outcome {
    let Some(asked) = Lookup::of(&answer.reading.plan, &answer.reading.focus) else { return Outcome::Answer(answer) };
    let Some((reading, sure)) = best(index, weights, question) else { return Outcome::Answer(answer) };
    if Lookup::of(&reading.plan, &reading.focus).as_ref() == Some(&asked) {
        return Outcome::Answer(Answer { confidence: answer.confidence.max(sure), ..answer });
    }
    if sure < DISSENT_MIN {
        return Outcome::Answer(Answer { confidence: answer.confidence.min(1.0 - sure), ..answer });
    }
    let others = [vec![answer.reading], answer.others].concat();
    let refusal = Refusal::new(Reason::Ambiguous, SEVERAL_WAYS);
    Outcome::Refusal(Refusal { best: Some(reading), best_confidence: sure, others, ..refusal })
}

/// What a plan looks up, apart from how it is spelled.
#[derive(Debug, PartialEq)]
struct Lookup {
    columns: BTreeSet<String>,
    agg: Option<Agg>,
    conditions: BTreeSet<String>,
}

impl Lookup {
    /// Nothing for plans that a lookup cannot be: groups, rankings, several numbers.
    fn of(plan: &Plan, focus: &[String]) -> Option<Lookup> {
        let [asked] = focus else { return None };
        let plain = plan.group.is_empty() && plan.compute.is_empty() && plan.having.is_none() && plan.top.is_none();
        if !plain || !plan.over.is_empty() || plan.measures.len() > 1 {
            return None;
        }
        let canonical = plan.canonical();
        let measure = plan.measures.first();
        let part = |list: &str| {
            let items = canonical[list].as_array().into_iter().flatten();
            items.filter(|item| item["as"] == asked.as_str()).map(|item| item["expr"].clone()).collect::<Value>()
        };
        let expr = if measure.is_some() { part("measures") } else { part("select") };
        Some(Lookup { columns: named(&expr), agg: measure.map(|m| m.agg), conditions: named(&canonical["where"]) })
    }
}

/// The columns that a part of a plan names.
fn named(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("col").and_then(Value::as_str).map(str::to_string));
            fields.values().for_each(|value| found.extend(named(value)));
        }
        Value::Array(items) => items.iter().for_each(|item| found.extend(named(item))),
        _ => {}
    }
    found
}
