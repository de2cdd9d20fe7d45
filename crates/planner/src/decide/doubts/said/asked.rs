//! What a question asks for in so many words and a plan leaves out or turns around.

use data::plan::{Agg, Expr, Plan, Pred, Test};

use super::super::{column, conjuncts, fixed_cells};
use super::Said;
use crate::index::{ColId, Index};
use crate::mentions::What;

/// Whether a plan tells something else than what the words ask for.
pub fn is_left_out(said: &Said, plan: &Plan) -> bool {
    counts_a_mass(said, plan)
        || leaves_out_the_second(said, plan)
        || tells_neither_side(said, plan)
        || averages_an_amount(said, plan)
        || takes_what_is_to_be_done(said, plan)
        || prices_something_else(said, plan)
}

/// `the most honey` beside rows of honey: a lot of it is no number of rows.
fn counts_a_mass(said: &Said, plan: &Plan) -> bool {
    let index = said.index;
    let counts = plan.measures.iter().any(|measure| measure.agg == Agg::Count && measure.expr.is_none());
    let rows = |thing: usize| index.things[thing].table.is_some_and(|table| index.table(table).name == plan.from);
    let person = |noun: &String| index.lexicon.is_of_any(&["person", "role"], noun);
    let mass = |at: usize| {
        let names = said.mentions.at(at);
        let longest = names.iter().map(|mention| mention.end).max();
        let thing = names.iter().find(|mention| matches!(mention.what, What::Thing(thing) if rows(thing)));
        let singular = |end: usize| said.tokens[end - 1].fold == said.tokens[end - 1].singular;
        thing.is_some_and(|mention| Some(mention.end) == longest && singular(mention.end) && !mention.synonym)
            && !said.mentions.is_data(at + 1)
            && !person(&said.tokens[at].singular)
    };
    let measured = index.columns().any(|id| index.table(id.table).name == plan.from && is_amount(index, id));
    counts
        && measured
        && said.words().any(|at| matches!(said.word(at), "most" | "least" | "more" | "less" | "much") && mass(at + 1))
}

/// Whether rows have more or less of it, so that it adds up.
fn is_amount(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let family = facts.unit.as_ref().map(|unit| unit.family.as_str());
    facts.extensive || facts.additive || matches!(family, Some("mass" | "volume" | "energy" | "tons" | "pounds"))
}

/// `the heaviest batch, and which hive did it come from`: both are asked for.
fn leaves_out_the_second(said: &Said, plan: &Plan) -> bool {
    let told = plan.select.iter().map(|item| &item.expr).chain(plan.group.iter().map(|item| &item.expr));
    let shown: Vec<ColId> = told.filter_map(|expr| column(said.index, expr)).collect();
    let columns = |at: usize| -> Vec<ColId> {
        let of = |what: &What| match what {
            What::Columns(columns) => columns.clone(),
            What::Thing(thing) => {
                let thing = &said.index.things[*thing];
                thing.keys.iter().copied().chain(thing.label).collect()
            }
            _ => Vec::new(),
        };
        said.mentions.at(at).iter().flat_map(|mention| of(&mention.what)).collect()
    };
    let second = |at: usize| {
        let joins = at > 2 && said.word(at) == "and" && !said.mentions.at(at).iter().any(|m| m.end > at + 1);
        let asks = (at + 1..=at + 2).find(|next| matches!(said.word(*next), "which" | "what"));
        let named = asks.filter(|_| joins).map(|asks| columns(asks + 1)).unwrap_or_default();
        !named.is_empty() && !named.iter().any(|id| shown.contains(id))
    };
    !shown.is_empty() && said.words().any(second)
}

/// `more passengers on the Corran or the Puffin`: one number for each of the two.
fn tells_neither_side(said: &Said, plan: &Plan) -> bool {
    let degrees = ["more", "less", "fewer", "higher", "lower", "better", "worse", "bigger", "longer", "cheaper"];
    let compares = degrees.iter().any(|word| said.has(word)) && said.has("or") && !said.has("than");
    let grouped = |expr: &Expr| plan.group.iter().any(|group| group.expr == *expr);
    let sides = |pred: &Pred| matches!(pred, Pred::Test { test: Test::In, expr, .. } if !grouped(expr));
    compares && !plan.group.is_empty() && conjuncts(plan).into_iter().any(sides)
}

/// `more weight in December`: what there was of it altogether, where nothing says that rows are averaged.
fn averages_an_amount(said: &Said, plan: &Plan) -> bool {
    let index = said.index;
    let usual = ["average", "avg", "mean", "typically", "typical", "usually", "per", "each", "usual", "normally"];
    let amount = |id: &ColId| is_amount(index, *id);
    let averaged = |measure: &data::plan::Measure| match &measure.expr {
        Some(expr) if measure.agg == Agg::Avg => column(index, expr).filter(amount),
        _ => None,
    };
    let averaged: Vec<ColId> = plan.measures.iter().filter_map(averaged).collect();
    let more = |at: usize| {
        matches!(said.word(at), "more" | "most" | "less" | "least")
            && averaged.iter().any(|id| super::names(said, at + 1, *id))
    };
    !usual.iter().any(|word| said.has(word)) && said.words().any(more)
}

/// `tickets to be resolved`: what is still to be done, or what was done in the end, but not what has been done.
fn takes_what_is_to_be_done(said: &Said, plan: &Plan) -> bool {
    let cells = fixed_cells(plan);
    let done = |what: &What| match what {
        What::Value(values) => values.iter().any(|(_, text)| cells.contains(&text.as_str())),
        What::Columns(_) | What::Flag(_) | What::Event(_) => true,
        _ => false,
    };
    let denied = |at: usize| at > 0 && matches!(said.word(at - 1), "still" | "yet");
    let to_be = |at: usize| said.word(at) == "to" && said.word(at + 1) == "be" && !denied(at);
    let participle = |at: usize| said.word(at).ends_with("ed") || said.word(at).ends_with("en");
    let named = |at: usize| participle(at) && said.mentions.at(at).iter().any(|mention| done(&mention.what));
    said.words().any(|at| to_be(at) && named(at + 2))
}

/// `price paid for a WBC` beside a price per jar and what each hive cost: money of other rows, by a part of its name.
fn prices_something_else(said: &Said, plan: &Plan) -> bool {
    let index = said.index;
    let money = |id: ColId| index.facts(id).is_money() || index.facts(id).words.iter().any(|word| word == "price");
    let spoken = |id: ColId| index.facts(id).core.iter().all(|word| said.has(word));
    let told = plan.measures.iter().filter_map(|measure| column(index, measure.expr.as_ref()?));
    let partly: Vec<ColId> = told.filter(|id| money(*id) && !spoken(*id)).collect();
    let rival = |table: usize| index.columns().any(|id| id.table == table && money(id));
    let described = |pred: &Pred| match pred {
        Pred::Test { test: Test::Eq, expr, .. } => {
            column(index, expr).is_some_and(|id| partly.iter().all(|known| known.table != id.table) && rival(id.table))
        }
        _ => false,
    };
    !partly.is_empty() && plan.group.is_empty() && conjuncts(plan).into_iter().any(described)
}
