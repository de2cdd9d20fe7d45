//! Numbers that are no amounts: what already holds all that came before it, and what only tells things apart or places
//! them. A sum or an average of these says nothing, whatever words or which part of the planner led to it.

use base::Type;
use data::dataset::Running;
use data::plan::{Agg, Expr, Grain, Measure, Op, Plan, Pred, Test};

use super::{column, conjuncts, counted, fixed, grouped};
use crate::index::{ColId, Index};
use crate::tokens::{self, Token};
use crate::{Answer, Assumption, Outcome, Reading, Reason, Refusal};

/// The outcome, or a refusal where its reading computes with what is no amount.
pub fn checked(index: &Index, outcome: Outcome) -> Outcome {
    let refused = |message: String| Outcome::Refusal(Refusal::new(Reason::Unsupported, message));
    let sound = |readings: Vec<Reading>| readings.into_iter().filter(|one| misused(index, one).is_none()).collect();
    match outcome {
        Outcome::Answer(answer) => match misused(index, &answer.reading) {
            Some(message) => refused(message),
            None => Outcome::Answer(Answer { others: sound(answer.others), ..answer }),
        },
        Outcome::Refusal(refusal) => {
            let best = refusal.best.filter(|best| misused(index, best).is_none());
            let best_confidence = best.as_ref().map_or(0.0, |_| refusal.best_confidence);
            Outcome::Refusal(Refusal { best, best_confidence, others: sound(refusal.others), ..refusal })
        }
    }
}

/// What a reading makes of a number that it must not, in people's words.
pub(super) fn misused(index: &Index, reading: &Reading) -> Option<String> {
    let plan = &reading.plan;
    let latest = reading.assumptions.iter().any(|known| known.code == "running");
    plan.measures.iter().find_map(|measure| {
        let id = number(index, measure)?;
        let name = &index.column(id).name;
        match (&index.column(id).running, measure.agg) {
            (_, Agg::Count | Agg::CountDistinct) => None,
            (Some(running), Agg::Max | Agg::Min) => {
                let open = latest && measure.agg == Agg::Max && !tells_apart(index, plan, id, running);
                let of = running.entity.join(" and ");
                open.then(|| format!("{name} is a {running}: each {of} has a latest of its own, so ask for it by {of}"))
            }
            (Some(running), _) if !is_of_one_moment(index, plan, id, &running.time) => Some(format!(
                "{name} is a {running}: each row holds all that came before it, so that adding up or averaging its rows \
                 counts the same again; its latest or highest can be told"
            )),
            (_, Agg::Max | Agg::Min) => None,
            _ if let Some(stock) = index.column(id).stock.as_ref().filter(|_| measure.agg == Agg::Sum)
                && !is_of_one_moment(index, plan, id, &stock.time) =>
            {
                let time = &stock.time;
                Some(format!(
                    "{name} is a {stock}: adding it up over several {time} counts the same again, so ask for one {time}, \
                     by {time}, or for an average"
                ))
            }
            _ if index.facts(id).mark => Some(format!(
                "{name} tells things apart or places them and is no amount, so a sum or an average of it means nothing; \
                 its rows can be counted, and its highest and lowest told"
            )),
            _ => None,
        }
    })
}

/// The column that is added up or averaged, also where its cells are texts.
fn number(index: &Index, measure: &Measure) -> Option<ColId> {
    match measure.expr.as_ref()? {
        Expr::Op { op: Op::ToNumber, args } => column(index, args.first()?),
        expr => column(index, expr),
    }
}

/// Whether each number of the answer is about one of the things that have a running total of their own.
fn tells_apart(index: &Index, plan: &Plan, id: ColId, running: &Running) -> bool {
    let held: Vec<ColId> = fixed(plan).into_iter().filter_map(|expr| column(index, expr)).collect();
    let told: Vec<ColId> = grouped(index, plan).into_iter().chain(held).collect();
    let entity = |name: &String| {
        let own = index.columns_of(id.table).find(|other| index.column(*other).name == *name);
        let alike = |other: &ColId| {
            Some(*other) == own || own.is_some_and(|own| index.column(*other).distinct >= index.column(own).distinct)
        };
        told.iter().any(alike)
    };
    running.entity.iter().all(entity)
}

/// Whether only rows of one time are put together: those of different things may be.
fn is_of_one_moment(index: &Index, plan: &Plan, id: ColId, time: &str) -> bool {
    let is_time = |expr: &Expr| {
        column(index, expr).is_some_and(|other| other.table == id.table && index.column(other).name == *time)
    };
    let held = |pred: &&Pred| matches!(pred, Pred::Test { test: Test::Eq, expr, .. } if is_time(expr));
    let own = |grain: Option<Grain>, expr: &Expr| match grain {
        None => true,
        Some(grain) => grain == Grain::Day && column(index, expr).is_some_and(|id| index.column(id).ty == Type::Date),
    };
    // Where some things have no number on a day, a sum over them falls for no reason.
    let whole = index.column(id).nulls == 0;
    conjuncts(plan).iter().any(held)
        || whole && plan.group.iter().any(|group| is_time(&group.expr) && own(group.grain, &group.expr))
}

/// What stands for what where it is counted: rows for something that their own numbers count, or names for things although
/// one name may be that of several.
pub fn counted_otherwise(index: &Index, tokens: &[Token], plan: &Plan) -> Option<Assumption> {
    let said = |noun: &str| tokens.iter().any(|token| token.singular == noun);
    let rows = || {
        let table = index.dataset.tables.iter().position(|table| table.name == plan.from)?;
        let counts = plan.measures.iter().any(|measure| measure.agg == Agg::Count && measure.expr.is_none());
        let noun = &index.things[index.rows_of(table)?].noun;
        (counts && said(noun) && is_counted_by_rows(index, table))
            .then(|| format!("rows of {} were counted", plan.from))
    };
    let names = || {
        let held: Vec<ColId> = fixed(plan).into_iter().filter_map(|expr| column(index, expr)).collect();
        counted(plan).filter_map(|expr| column(index, expr)).find_map(|id| {
            let info = index.column(id);
            let within = info.repeats_within.as_ref()?;
            let told = |other: &ColId| other.table == id.table && index.column(*other).name == *within;
            let apart = grouped(index, plan).iter().chain(&held).any(told);
            let number = data::figures::grouped(&info.distinct.to_string());
            (!apart && !said("name")).then(|| {
                format!("counted by {}: {number} different names, of which some stand in several {within}", info.name)
            })
        })
    };
    rows().or_else(names).map(|text| Assumption { code: "counted".to_string(), text })
}

/// Whether a number of each row says how many of what the rows are called after their file: a day's vaccinations.
pub fn is_counted_by_rows(index: &Index, table: usize) -> bool {
    let own = index.rows_of(table).map(|thing| &index.things[thing].noun);
    let amount = |id: ColId| index.facts(id).core.last().map(|word| index.forms.singular(word));
    let quantity = |id: &ColId| index.column(*id).ty == Type::Int && index.is_quantity(*id) && !index.facts(*id).mark;
    index.table(table).noun.is_none() && index.columns_of(table).filter(quantity).any(|id| amount(id).as_ref() == own)
}

/// Whether rows are counted, though the question has the whole name of a number of theirs: total vaccinations.
pub fn passes_over_a_number(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let counts = plan.measures.iter().any(|measure| measure.agg == Agg::Count && measure.expr.is_none());
    let said = |id: &ColId| {
        let words = &index.facts(*id).written;
        words.len() > 1 && tokens.windows(words.len()).any(|some| some.iter().zip(words).all(|(a, b)| a.fold == *b))
    };
    let used = |id: &ColId| plan.columns().contains(&index.qualified(*id).as_str());
    counts && index.columns().filter(|id| index.column(*id).running.is_some()).any(|id| said(&id) && !used(&id))
}

/// Whether of two numbers that `and` joins only the first is told: "total units and target".
pub fn drops_the_second(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let used = plan.columns();
    let is_used = |id: &ColId| used.contains(&index.qualified(*id).as_str());
    let named = |at: usize, id: &ColId| {
        let words = &index.facts(*id).core;
        let said =
            tokens.get(at..at + words.len()).is_some_and(|some| some.iter().zip(words).all(|(a, b)| a.fold == *b));
        said && !words.is_empty() && index.column(*id).ty.is_number()
    };
    let first = |and: usize| {
        let ends = |id: &ColId| and.checked_sub(index.facts(*id).core.len()).is_some_and(|at| named(at, id));
        index.columns().any(|id| ends(&id) && is_used(&id))
    };
    let second = |at: usize| {
        let mut columns = index.columns().filter(|id| named(at, id)).peekable();
        columns.peek().is_some() && !columns.any(|id| is_used(&id))
    };
    let joins = |at: &usize| tokens[*at].fold == "and";
    !plan.measures.is_empty()
        && (1..tokens.len())
            .filter(joins)
            .any(|at| first(at) && (second(at + 1) || tokens::word(tokens, at + 1) == "the" && second(at + 2)))
}
