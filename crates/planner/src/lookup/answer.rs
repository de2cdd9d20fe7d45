//! What the ranker adds where the grammar has no answer: the best reading there is, and an answer where it is as sure as
//! answers have to be.

use base::{Cell, Type};
use data::describe::describe;
use data::plan::{Agg, Expr, Measure, Op, Plan, Pred, Select, Test};

use super::candidates::{AGGREGATES, Candidate};
use super::certainty::confidence;
use super::features::Leftover;
use super::rank::{Ranked, rank};
use super::scene::{How, Link, Operand, Relation, Scene};
use super::table::Value;
use super::weights::Weights;
use super::words::Word;
use crate::index::{ColId, Index};
use crate::names;
use crate::words::snake;
use crate::{Answer, Assumption, Outcome, Reading, Reason, Refusal};

/// A reading with less is not an answer.
const CONFIDENCE_MIN: f64 = 0.97;

/// The ranker's best reading of a question about one small table, and how sure it is.
pub fn best<'w>(index: &Index, weights: &impl Fn() -> &'w Weights, question: &str) -> Option<(Reading, f64)> {
    let table = index.lookup().filter(|_| !index.table(0).cells.is_empty())?;
    let scene = Scene::new(index, table, question);
    let weights = weights();
    let ranked = rank(&scene, weights)?;
    let sure = confidence(&scene, &ranked, weights);
    Some((reading(index, &scene, &ranked, ranked.best, sure.max(f64::MIN_POSITIVE).ln()), sure))
}

/// The refusal with the best reading that looks something up, or an answer in its place.
pub fn instead<'w>(index: &Index, weights: &impl Fn() -> &'w Weights, question: &str, refusal: Refusal) -> Outcome {
    let hopeless = matches!(refusal.reason, Reason::WriteRequested | Reason::NoData | Reason::Limit);
    let Some(table) = index.lookup().filter(|_| !hopeless) else { return Outcome::Refusal(refusal) };
    let scene = Scene::new(index, table, question);
    let weights = weights();
    let Some(ranked) = rank(&scene, weights) else { return Outcome::Refusal(refusal) };
    let sure = confidence(&scene, &ranked, weights);
    let of = |candidate: Candidate| reading(index, &scene, &ranked, candidate, sure.max(f64::MIN_POSITIVE).ln());
    let best = of(ranked.best);
    let others = ranked.others.iter().map(|other| of(*other)).collect();
    let unread = matches!(refusal.reason, Reason::UnknownWord | Reason::Unsupported);
    if sure >= CONFIDENCE_MIN && unread && is_whole(&scene, &ranked) {
        return Outcome::Answer(Answer { reading: best, confidence: sure, others });
    }
    if refusal.best.is_some() && refusal.best_confidence >= sure {
        return Outcome::Refusal(refusal);
    }
    Outcome::Refusal(Refusal { best: Some(best), best_confidence: sure, others, ..refusal })
}

/// Whether the best candidate accounts for every word of the question, and rows that are at hand satisfy it.
pub fn is_whole(scene: &Scene, ranked: &Ranked) -> bool {
    let set = &ranked.sets[ranked.best.conditions];
    // Between a comparison and its number nothing may stand that means something else.
    let joins =
        |word: &Word| word.number.is_some() || word.closed.is_some_and(|closed| !matches!(closed, "not" | "no"));
    let tight = |link: &Link| match link.operand {
        Operand::Number(_) => scene.words[link.span.start..link.span.end].iter().all(joins),
        _ => true,
    };
    let whole = set.links.iter().all(|link| scene.links[*link].how != How::Part && tight(&scene.links[*link]));
    let named = scene.mentions[ranked.best.column].first().is_some_and(|mention| mention.coverage > 0.7);
    let left = Leftover::of(scene, ranked.best.column, set);
    let aggregate = AGGREGATES[ranked.best.aggregate];
    let accounted = |(word, covered): (&Word, &bool)| {
        *covered || word.closed.is_some_and(|closed| is_filler(closed) || is_said_by(closed, aggregate))
    };
    let all = scene.words.iter().zip(&left.covered).all(accounted);
    whole && named && all && !set.rows.is_empty() && !set.links.is_empty()
}

/// Words that ask or join and say nothing else.
fn is_filler(closed: &str) -> bool {
    matches!(
        closed,
        "a" | "an"
            | "the"
            | "of"
            | "in"
            | "at"
            | "by"
            | "for"
            | "from"
            | "to"
            | "on"
            | "with"
            | "and"
            | "s"
            | "is"
            | "are"
            | "was"
            | "were"
            | "be"
            | "been"
            | "did"
            | "do"
            | "does"
            | "has"
            | "have"
            | "had"
            | "having"
            | "what"
            | "which"
            | "who"
            | "whom"
            | "when"
            | "where"
            | "that"
            | "there"
            | "it"
            | "its"
            | "their"
            | "his"
            | "her"
            | "name"
            | "list"
            | "show"
            | "give"
            | "tell"
            | "me"
            | "as"
            | "this"
            | "these"
            | "those"
            | "they"
    )
}

/// Words that an aggregate accounts for.
fn is_said_by(closed: &str, aggregate: Option<Agg>) -> bool {
    match aggregate {
        Some(Agg::Max) => matches!(closed, "highest" | "largest" | "maximum" | "max" | "greatest" | "biggest"),
        Some(Agg::Min) => matches!(closed, "lowest" | "smallest" | "minimum" | "min"),
        Some(Agg::Count) => matches!(closed, "how" | "many" | "number" | "count"),
        Some(Agg::Sum) => matches!(closed, "total" | "sum" | "combined"),
        Some(Agg::Avg) => matches!(closed, "average" | "mean"),
        _ => false,
    }
}

fn reading(index: &Index, scene: &Scene, ranked: &Ranked, candidate: Candidate, score: f64) -> Reading {
    let plan = plan(index, scene, ranked, candidate);
    let focus = plan.select.iter().map(|item| &item.name).chain(plan.measures.iter().map(|item| &item.name));
    let focus = focus.cloned().collect();
    let text = format!("the words were read as: {}", describe(&plan, &index.dataset));
    let assumptions = vec![Assumption { code: "lookup".to_string(), text }];
    Reading { plan, focus, assumptions, ambiguous: true, chart: None, score }
}

fn plan(index: &Index, scene: &Scene, ranked: &Ranked, candidate: Candidate) -> Plan {
    let table = index.table(0);
    let mut plan = Plan::new(index.dataset.id.clone(), table.name.clone());
    let id = ColId { table: 0, column: candidate.column };
    let (column, name) = (Expr::col(index.qualified(id)), snake(&index.column(id).name));
    match AGGREGATES[candidate.aggregate] {
        None => plan.select.push(Select { name, expr: column }),
        Some(Agg::Count) => {
            let name = names::aggregate(Agg::Count, None, &name);
            plan.measures.push(Measure { name, agg: Agg::Count, expr: None, with: None, q: None, filter: None });
        }
        Some(agg) => {
            let (name, expr) = (names::aggregate(agg, None, &name), Some(as_number(index, id)));
            plan.measures.push(Measure { name, agg, expr, with: None, q: None, filter: None });
        }
    }
    let mut tests: Vec<Pred> =
        ranked.sets[candidate.conditions].links.iter().map(|link| test(index, scene, &scene.links[*link])).collect();
    plan.filter = match tests.len() {
        0 => None,
        1 => tests.pop(),
        _ => Some(Pred::And { and: tests }),
    };
    plan
}

/// A column's cells as numbers, also where they are texts.
fn as_number(index: &Index, id: ColId) -> Expr {
    let column = Expr::col(index.qualified(id));
    match index.column(id).ty {
        Type::Text => Expr::Op { op: Op::ToNumber, args: vec![column] },
        _ => column,
    }
}

fn test(index: &Index, scene: &Scene, link: &Link) -> Pred {
    let id = ColId { table: 0, column: link.column };
    let number = |bound: f64| {
        let whole = bound.fract() == 0.0 && bound.abs() < 9e15;
        if whole { Cell::from(bound as i64) } else { Cell::from(bound) }
    };
    let test = match link.relation {
        Relation::Equal => Test::Eq,
        Relation::Above => Test::Gt,
        Relation::AtLeast => Test::Ge,
        Relation::Below => Test::Lt,
        Relation::AtMost => Test::Le,
    };
    let (expr, values) = match &link.operand {
        Operand::Number(bound) => (as_number(index, id), vec![number(*bound)]),
        Operand::Values(ids) => {
            let known = &scene.table.columns[link.column].values;
            // Decimals are texts in a table, but a plan compares a number with a number.
            let numeric = index.column(id).ty.is_number();
            let spelled = |value: &Value| match value.number.filter(|_| numeric) {
                Some(bound) => number(bound),
                None => value.cell.clone(),
            };
            let cells = ids.iter().map(|id| spelled(&known[*id as usize])).collect();
            (Expr::col(index.qualified(id)), cells)
        }
        Operand::Texts(texts) => {
            (Expr::col(index.qualified(id)), texts.iter().map(|text| Cell::from(text.as_str())).collect())
        }
    };
    let test = if values.len() > 1 { Test::In } else { test };
    Pred::Test { test, expr, values }
}
