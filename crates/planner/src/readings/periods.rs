//! Periods that pass a condition on what they hold: `days with at least 15 tickets`, `on how many days did more than 250
//! adults come`, `months with more than £9,000 net`.

use data::plan::{Agg, Grain, Test};

use super::compare::with_having;
use super::filters::add;
use super::{Parser, Steps, deeds, features};
use crate::draft::{Amount, Condition, Draft, Head, Pending, Target};
use crate::index::ColId;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::period::{Period, When};
use crate::score::Feature;

/// The period as what is listed or counted; some number has to follow that it is compared by.
pub fn with_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let counting = draft.pending == Some(Pending::Agg(Agg::Count, None));
    let free = draft.heads.is_empty() && draft.rank.is_none() && draft.filters.is_empty() && !draft.share;
    let plural = parser.tokens.get(at).is_some_and(|token| token.fold != token.singular);
    if !free || !plural || !(counting || draft.pending.is_none()) {
        return;
    }
    for (end, role) in parser.roles(at) {
        let Role::Grain(grain) = role else { continue };
        // Where every row is a day, days are rows and need no grouping.
        let rows = grain == Grain::Day && parser.index.row_words.days;
        let opens =
            matches!(parser.word(end), "with" | "had" | "have" | "did" | "when" | "where" | "were" | "was" | "on");
        let compared = (end..parser.tokens.len()).any(|next| !parser.comparisons(next, false).is_empty());
        if rows || !opens || !compared {
            continue;
        }
        let agg = counting.then_some(Agg::Count);
        let mut next = draft.with(|next| next.heads.push(Head { agg, ..Head::plain(Target::Grain(grain)) }));
        (next.pending, next.connected) = (None, true);
        steps.push((end, next));
    }
}

/// `for each of the last 7 days`, `in every one of the past 6 months`: told for each of them.
pub fn each_of_the_last(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let start = at + usize::from(matches!(parser.word(at), "for" | "in" | "on" | "over"));
    let one = start + 1 + usize::from(parser.word(start + 1) == "one");
    let each = matches!(parser.word(start), "each" | "every") && parser.word(one) == "of";
    if !each || draft.heads.is_empty() || draft.is_open() || parser.word(one + 1) != "the" {
        return;
    }
    for mention in parser.mentions.at(one + 2).iter().chain(parser.mentions.at(one + 1)) {
        let What::When(when @ When::In(Period::LastMany(_, grain))) = &mention.what else { continue };
        let group = Target::Grain(*grain);
        if draft.groups.contains(&group) {
            continue;
        }
        let condition = Condition::Time { columns: None, when: when.clone(), verb: false };
        let next = add(draft, condition, &[]);
        steps.push((mention.end, next.with(|next| next.groups.push(group))));
    }
}

/// `more than £9,000 net` of each period: all its rows together.
pub fn total(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let periods = matches!(&draft.heads[..], [Head { target: Target::Grain(_), agg: None | Some(Agg::Count), .. }]);
    if !periods || !draft.having.is_empty() || draft.is_open() {
        return;
    }
    let mut found: Vec<(usize, &Mention, Test, Vec<Amount>)> = Vec::new();
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        let start = parser.skip(end, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
        found.extend(parser.mentions.at(start).iter().map(|mention| (mention.end, mention, test, amounts.clone())));
    }
    for mention in parser.mentions.at(at) {
        let compared = parser.comparisons(mention.end, true).iter().cloned();
        found.extend(compared.map(|(end, test, amounts)| (end, mention, test, amounts)));
    }
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        for (after, target, more) in deeds::targets(parser, end - 1).into_iter().filter(|(after, _, _)| *after > end) {
            let head = Head { agg: Some(Agg::Sum), ..Head::plain(target) };
            steps.push((after, summed(draft, head, test, amounts.clone(), &more)));
        }
    }
    let adds_up = |id: &ColId| {
        let (index, facts) = (parser.index, parser.index.facts(*id));
        // The rain of several places does not add up over a day.
        if facts.unit.as_ref().is_some_and(|unit| unit.family == "length") {
            return false;
        }
        index.column(*id).ty.is_number() && (facts.adds_up() || facts.is_money()) && facts.per.is_none()
    };
    for (end, mention, test, amounts) in found {
        let What::Columns(columns) = &mention.what else { continue };
        if columns.is_empty() || !columns.iter().all(adds_up) {
            continue;
        }
        let head = Head { agg: Some(Agg::Sum), ..Head::plain(Target::Columns(columns.clone())) };
        steps.push((end, summed(draft, head, test, amounts, &features(mention))));
    }
}

fn summed(draft: &Draft, head: Head, test: Test, amounts: Vec<Amount>, found: &[Feature]) -> Draft {
    let text = "the number of each period is the sum of its rows".to_string();
    with_having(draft, head, test, amounts, found).granting(Feature::ImpliedAggregate, "aggregate", text)
}

/// `on how many days did we deliver at least 15 parcels`: the verb says by which date the days are told.
pub fn done_by_us(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let periods = matches!(&draft.heads[..], [Head { target: Target::Grain(_), agg: None | Some(Agg::Count), .. }]);
    let asks = matches!(parser.word(at), "did" | "do" | "have") && matches!(parser.word(at + 1), "we" | "they" | "you");
    if !periods || !asks || draft.dated.is_some() {
        return;
    }
    for mention in parser.mentions.at(at + 2) {
        let What::Event(dates) = &mention.what else { continue };
        let mut next = draft.with(|next| next.features.extend(features(mention)));
        (next.dated, next.predicate) = (Some(dates.clone()), true);
        steps.push((mention.end, next));
    }
}
