//! Questions that continue another: "and by category?", "only for 2025", "and the median?", "top 3 only".
//!
//! The plan before and the new words become a new plan; nothing else is remembered. What the words mean is found by the
//! same grammar as ever: groups and conditions are read in a whole question about the same rows ("how many orders by
//! category") and moved from its plan into the one before. A question that is whole stands on its own. Whatever is not
//! understood as either is refused, and no word is passed over.

mod change;
mod words;

use data::describe::describe;
use data::plan::{Agg, Plan};
use serde::{Deserialize, Serialize};

use self::words::Fragment;
use crate::decide::{checked, decide};
use crate::index::Index;
use crate::words::plural;
use crate::{Answer, Assumption, Outcome, Reading, Reason, Refusal, plan_with};

/// What was answered before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Previous {
    /// In the user's words.
    pub question: String,
    /// What was computed.
    pub plan: Plan,
    /// The columns that answered it.
    pub focus: Vec<String>,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// Whether it could also have been read another way.
    pub ambiguous: bool,
}

/// What stands against a continuation, if that is known.
type Against = Option<(Reason, String)>;

/// Plans a question that may continue the one before.
pub fn plan_after(index: &Index, previous: &Previous, question: &str) -> Outcome {
    let fragment = words::fragment(index, question);
    if !fragment.continues {
        let outcome = plan_with(index, question);
        if let Outcome::Answer(_) = outcome {
            return outcome;
        }
    }
    match followed(index, previous, &fragment) {
        Ok(reading) => {
            let confidence = reading.confidence();
            checked(index, Outcome::Answer(Answer { reading, confidence, others: Vec::new() }))
        }
        Err(why) => match plan_with(index, question) {
            Outcome::Refusal(refusal) => Outcome::Refusal(explained(index, previous, refusal, why)),
            answer => answer,
        },
    }
}

/// A refusal that also says what was understood of the thread.
fn explained(index: &Index, previous: &Previous, refusal: Refusal, why: Against) -> Refusal {
    let before = describe(&previous.plan, &index.dataset);
    match why {
        Some((reason, why)) => Refusal { message: format!("as a continuation of {before}: {why}"), reason, ..refusal },
        None => Refusal { message: format!("{}; nor does it continue {before}", refusal.message), ..refusal },
    }
}

/// The plan before, changed as the words say.
fn followed(index: &Index, previous: &Previous, fragment: &Fragment) -> Result<Reading, Against> {
    let unsupported = |why: String| Some((Reason::Unsupported, why));
    let mut reading = Reading {
        plan: previous.plan.clone(),
        focus: previous.focus.clone(),
        assumptions: previous.assumptions.clone(),
        ambiguous: previous.ambiguous,
        chart: fragment.chart,
        score: 0.0,
    };
    reading.assumptions.retain(|assumption| assumption.code != "follow_up");
    let mut changed = fragment.chart.is_some();
    if let Some(agg) = fragment.agg {
        change::aggregate(index, &mut reading, agg).map_err(unsupported)?;
        changed = true;
    }
    if !fragment.rest.is_empty() {
        let asked = without_each(read_rest(index, &previous.plan, &fragment.rest)?);
        reading.score = asked.score;
        change::conditions(&mut reading, &asked);
        change::groups(&mut reading, &asked, fragment.join).map_err(unsupported)?;
        reading.ambiguous |= asked.ambiguous;
        changed = true;
    }
    if let Some((number, dir)) = fragment.top {
        change::top(&mut reading, number, dir).map_err(unsupported)?;
        changed = true;
    }
    if let Some((by, dir)) = &fragment.sort {
        change::sort(index, &mut reading, by, *dir).map_err(unsupported)?;
        changed = true;
    }
    if !changed {
        return Err(None);
    }
    let value = serde_json::to_value(&reading.plan).map_err(|_| None)?;
    if let Err(problems) = data::plan::read(&value, &index.dataset) {
        return Err(problems.first().and_then(|problem| unsupported(problem.to_string())));
    }
    let text = format!("continues \u{201c}{}\u{201d}", previous.question);
    reading.assumptions.push(Assumption { code: "follow_up".to_string(), text });
    Ok(reading)
}

/// "What about Chat and Phone" chooses rows; what is told of each was said before.
fn without_each(mut asked: Reading) -> Reading {
    let split = asked.assumptions.iter().any(|assumption| assumption.code == "each");
    if split {
        asked.plan.group.pop();
        asked.assumptions.retain(|assumption| assumption.code != "each");
    }
    asked
}

/// What the words say of the rows before, read in a whole question about them.
fn read_rest(index: &Index, plan: &Plan, rest: &str) -> Result<Reading, Against> {
    let mut why = None;
    for head in heads(index, plan) {
        // What a head alone says is not what the words say.
        let Outcome::Answer(bare) = decide(index, &head) else { continue };
        if bare.reading.plan.from != plan.from || bare.reading.plan.filter.is_some() {
            continue;
        }
        for link in ["", "for ", "in ", "with ", "by "] {
            match decide(index, &format!("{head} {link}{rest}")) {
                Outcome::Answer(found) if is_plain(&found.reading.plan, plan) => return Ok(found.reading),
                Outcome::Answer(_) => {}
                Outcome::Refusal(refusal) if link.is_empty() && why.is_none() => {
                    why = Some((refusal.reason, refusal.message));
                }
                Outcome::Refusal(_) => {}
            }
        }
    }
    Err(why)
}

/// Whether a plan says nothing but groups and conditions over the same rows.
fn is_plain(found: &Plan, before: &Plan) -> bool {
    let says_something = found.filter.is_some() || !found.group.is_empty();
    let nothing_else =
        found.top.is_none() && found.having.is_none() && found.compute.is_empty() && found.via.is_empty();
    found.from == before.from && says_something && nothing_else && found.measures.len() == 1
}

/// Questions about the rows of a plan, the one nearest to what it computes first.
fn heads(index: &Index, plan: &Plan) -> Vec<String> {
    let dataset = &index.dataset;
    let mut heads = Vec::new();
    for measure in &plan.measures {
        let declared = dataset.measures.iter().find(|known| known.agg == measure.agg && known.expr == measure.expr);
        heads.extend(declared.map(|known| known.name.clone()));
        if let Some(data::plan::Expr::Col { col }) = &measure.expr
            && let Some((_, column)) = col.split_once('.')
        {
            let said = match measure.agg {
                Agg::Sum => "total",
                Agg::Min => "minimum",
                Agg::Max => "maximum",
                Agg::Median => "median",
                _ => "average",
            };
            heads.push(format!("{said} {}", column.replace('_', " ")));
        }
    }
    let noun = dataset.table(&plan.from).and_then(|table| table.noun.clone());
    heads.extend(noun.map(|noun| format!("how many {}", plural(&noun))));
    heads.push("how many rows".to_string());
    heads
}
