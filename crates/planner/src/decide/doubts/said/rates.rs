//! What is told per something: `nights per guest`, `the rate of late loans`, and plans that tell something else.

use data::plan::{Grain, Plan};

use super::super::{column, grouped, measured};
use crate::index::ColId;
use crate::index::other_names::SORTS;
use crate::mentions::What;
use crate::readings::Parser;

/// Whether a rate is asked for and a plan tells none, or another.
pub fn are_told_otherwise(said: &Parser, plan: &Plan) -> bool {
    tells_no_rate(said, plan)
        || groups_by_a_quantity(said, plan)
        || tells_each_for_a_rate(said, plan)
        || takes_another_rate(said, plan)
        || tells_each_hour(said, plan)
}

/// `fee per hour`, `sessions per hour`: what an hour comes to, or an hour of the day, and not every single hour there was.
fn tells_each_hour(said: &Parser, plan: &Plan) -> bool {
    let per = said.positions().any(|at| matches!(said.word(at), "per" | "an") && said.word(at + 1) == "hour");
    let each = plan.group.iter().any(|group| group.grain == Some(Grain::Hour));
    per && each && plan.filter.is_none()
}

/// `pass rate` beside whether something passed: a share, and no other number that is called a rate.
fn tells_no_rate(said: &Parser, plan: &Plan) -> bool {
    let two_valued = |id: &ColId| said.index.facts(*id).yes.is_some();
    let state = |at: usize| {
        said.mentions.at(at).iter().any(|mention| match &mention.what {
            What::Flag(_) | What::Value(_) => true,
            What::Columns(columns) => columns.iter().all(two_valued),
            _ => false,
        })
    };
    let rate = |at: usize| {
        at > 0 && said.word(at) == "rate" && state(at - 1) && !said.mentions.at(at - 1).iter().any(|m| m.end > at)
    };
    let averaged = |measure: &data::plan::Measure| {
        let columns = measure.expr.as_ref().and_then(|expr| column(said.index, expr));
        measure.filter.is_none() && columns.is_some_and(|id| !two_valued(&id))
    };
    let told = plan.measures.iter().any(|measure| measure.expr.is_some()) && plan.measures.iter().all(averaged);
    let listed = plan.measures.is_empty();
    plan.compute.is_empty() && (told || listed) && said.positions().any(rate)
}

/// `hire total per night` beside how many nights, `calls per vehicle` beside `vehicle_count`, `revenue per bed` beside
/// `bed_type`: a ratio, not one group for each number or kind of them.
fn groups_by_a_quantity(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let plural = |id: ColId, token: &crate::tokens::Token| {
        let core = &index.facts(id).core;
        let word = core.iter().find(|word| index.forms.singular(word) == token.fold);
        let number = index.column(id).ty.is_number() && !index.facts(id).identifier;
        let of_another = core.last().is_some_and(|last| {
            let unsaid = said.tokens.iter().all(|token| token.singular != index.forms.singular(last));
            unsaid && (number || SORTS.contains(&last.as_str()))
        });
        word.is_some_and(|word| number && *word != token.fold || of_another)
    };
    let groups = grouped(index, plan);
    let per = |at: usize| {
        let next = said.tokens.get(at + 1);
        said.word(at) == "per" && next.is_some_and(|token| groups.iter().any(|id| plural(*id, token)))
    };
    said.positions().any(per)
}

/// `nights per guest by nationality`, `which level brings in the most per swimmer`: a rate of each group, and not every
/// guest beside its group.
fn tells_each_for_a_rate(said: &Parser, plan: &Plan) -> bool {
    let groups = grouped(said.index, plan);
    let told = |what: &What| match what {
        What::Thing(thing) => said.index.things[*thing].keys.iter().any(|key| groups.contains(key)),
        What::Columns(columns) => columns.iter().any(|id| groups.contains(id)),
        _ => false,
    };
    let split = |from: usize| {
        (from..said.tokens.len()).any(|at| matches!(said.word(at), "by" | "each" | "every" | "per" | "for"))
    };
    let ranked = said.has("which") && plan.top.as_ref().is_some_and(|top| !top.per.is_empty());
    let each = |at: usize| {
        let named = said.mentions.at(at + 1).iter().filter(|mention| told(&mention.what)).map(|mention| mention.end);
        said.word(at) == "per" && named.into_iter().any(|end| split(end) || ranked)
    };
    groups.len() > 1 && said.positions().any(each)
}

/// `nights per guest`: a number that is per something else is not it.
fn takes_another_rate(said: &Parser, plan: &Plan) -> bool {
    let of =
        |at: usize| said.tokens.get(at + 1).filter(|_| said.word(at) == "per").map(|token| token.singular.as_str());
    let per: Vec<&str> = said.positions().filter_map(of).collect();
    let told = measured(said.index, plan);
    let other = |id: ColId| {
        let words = &said.index.facts(id).words;
        let has = |word: &&str| words.iter().any(|own| said.index.forms.singular(own) == *word);
        words.iter().any(|word| word == "per") && !per.iter().any(has)
    };
    !per.is_empty() && told.into_iter().any(other)
}
