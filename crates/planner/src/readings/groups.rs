//! What the answer is split by: columns, things and periods.

use data::plan::{Agg, Grain};

use super::{Name, Parser, Quantity, Steps, features};
use crate::draft::{Columns, Draft, Head, Pending, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;
use crate::words::is_participle;

/// `by region and month`, `per customer`, `for each zone`; after `top 10 products`, `by revenue` says what they are ranked by.
pub fn group(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let together = parser.word(at) == "across" && parser.word(end) == "all" || agent_end(parser, at).is_some();
        if together || !matches!(role, Role::GroupBy | Role::GroupPer | Role::Each | Role::Terms) {
            continue;
        }
        let ranked =
            draft.rank.as_ref().is_some_and(|rank| rank.by.is_none() && !rank.open && rank.kind != RankKind::Recent);
        if ranked && matches!(role, Role::GroupBy | Role::Terms) {
            for (end, head, features) in parser.quantities(end).iter().cloned() {
                let next = draft.with(|next| {
                    next.features.extend(features);
                    if let Some(rank) = &mut next.rank {
                        rank.by = Some(Head { amount: true, ..head });
                    }
                });
                steps.push((end, next));
            }
            continue;
        }
        // "Rated above 7 by viewers" says which rating.
        let compared = super::asides::just_compared(parser, at, draft);
        let again = |columns| {
            let start = parser.skip_determiners(end);
            parser.mentions.at(start).iter().any(|mention| !super::asides::rest_of(mention, columns).is_empty())
        };
        if role == Role::Terms || parser.word(at) == "by" && compared.is_some_and(again) {
            continue;
        }
        if let Some((end, next)) = per_row(parser, at, end, draft) {
            steps.push((end, next));
            continue;
        }
        let ratios = super::ratios::per(parser, at, end, draft);
        if !ratios.is_empty() {
            steps.extend(ratios);
            continue;
        }
        if !draft.is_open() || draft.pending == Some(Pending::Agg(Agg::Count, None)) {
            items(parser, end, draft, steps);
        }
    }
}

/// `average votes per movie` where every row is a movie: the average of the rows, not a list of them.
fn per_row(parser: &Parser, at: usize, end: usize, draft: &Draft) -> Option<(usize, Draft)> {
    let index = parser.index;
    let start = parser.skip_determiners(end);
    let (mention, table) = parser.mentions.at(start).iter().find_map(|mention| match mention.what {
        What::Thing(thing) => index.things[thing].table.map(|table| (mention, table)),
        _ => None,
    })?;
    let averages = |head: &Head| match &head.target {
        Target::Columns(columns) => head.agg == Some(Agg::Avg) && columns.iter().all(|id| id.table == table),
        _ => false,
    };
    let fits = parser.word(at) == "per" && !draft.is_open() && draft.rank.is_none() && draft.groups.is_empty();
    let averaged = fits && !draft.heads.is_empty() && draft.heads.iter().all(averages);
    averaged.then(|| (mention.end, draft.with(|next| next.features.extend(super::features(mention)))))
}

/// One or more items of a group, joined by "and" or a comma.
fn items(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const ITEMS_MAX: usize = 3;
    let start = parser.skip_determiners(at);
    let mut targets = parser.targets(start).to_vec();
    // "By the doctor's specialty".
    if let Some((mention, _)) = parser.modifier(start) {
        let owned = super::features(mention);
        let with =
            |(end, target, features): (usize, Target, Vec<Feature>)| (end, target, [features, owned.clone()].concat());
        targets.extend(parser.targets(mention.end).iter().cloned().map(with));
    }
    targets.extend(super::bins::targets(parser, start));
    let plain = targets.len();
    // "By number of cards": the column is the number itself.
    if let Some(counted) = parser.role(start, Role::Count) {
        let number = |target: &Target| match target {
            Target::Columns(columns) => columns.iter().all(|id| parser.index.column(*id).ty.is_number()),
            _ => false,
        };
        targets.extend(parser.targets(counted).iter().filter(|(_, target, _)| number(target)).cloned());
    }
    for (position, (end, target, features)) in targets.into_iter().enumerate() {
        let fits = matches!(
            target,
            Target::Thing(_)
                | Target::Columns(_)
                | Target::Flag(_)
                | Target::Grain(_)
                | Target::Part(_)
                | Target::Bins(..)
                | Target::Decades(_)
        );
        if !fits || draft.groups.contains(&target) || draft.groups.len() >= ITEMS_MAX {
            continue;
        }
        let next = draft.with(|next| {
            next.features.extend(features);
            next.groups.push(target);
            next.numbered |= position >= plain;
            next.connected = false;
        });
        steps.push((end, next.clone()));
        let mut after = end;
        if parser.comma(after) {
            after += 1;
        }
        if let Some(joined) = parser.role(after, Role::And) {
            after = joined;
        }
        if after > end {
            let again = parser.role(after, Role::GroupBy).or_else(|| parser.role(after, Role::GroupPer));
            items(parser, again.unwrap_or(after), &next, steps);
        }
    }
}

/// `by region and smoker`: a column named behind "and" right after a group is one more group, no condition.
pub fn go_on(parser: &Parser, at: usize, draft: &Draft, columns: &Columns) -> bool {
    let singular = parser.tokens[at].fold == parser.tokens[at].singular;
    let same = |what: &What| matches!(what, What::Columns(known) if known == columns);
    let named = || parser.mentions.at(at).iter().any(|mention| same(&mention.what));
    if draft.groups.is_empty() || !singular || at < 2 || parser.role(at - 1, Role::And) != Some(at) || !named() {
        return false;
    }
    let end = at - 1 - usize::from(parser.comma(at - 2));
    let is_group = |start: usize| {
        let known = |(stop, target, _): &Name| *stop == end && draft.groups.contains(target);
        parser.targets(start).iter().any(known) || super::bins::targets(parser, start).iter().any(known)
    };
    (0..end).any(is_group)
}

/// What [`Parser::quantities`] looks up: `revenue`, `average price`, `number of orders`, `stock`.
pub fn find_quantities(parser: &Parser, at: usize) -> Vec<Quantity> {
    let start = parser.skip_determiners(at);
    let mut found = Vec::new();
    let mut aggregates = vec![(start, None)];
    for (end, role) in parser.roles(start) {
        match role {
            Role::Count => aggregates.push((end, Some(Agg::Count))),
            Role::Agg(agg) => aggregates.push((parser.role(end, Role::Count).unwrap_or(end), Some(agg))),
            _ => {}
        }
    }
    for (end, agg) in aggregates {
        let start = parser.skip_determiners(end);
        let owned = parser.modifier(start).map(|(mention, _)| (mention.end, super::features(mention)));
        let starts = std::iter::once((start, Vec::new())).chain(owned);
        let targets = starts.flat_map(|(start, owned)| {
            let with = move |(end, target, features): (usize, Target, Vec<Feature>)| {
                (end, target, features.into_iter().chain(owned.clone()).collect::<Vec<_>>())
            };
            parser.targets(start).iter().cloned().map(with)
        });
        for (end, target, features) in targets {
            if !matches!(target, Target::Grain(_) | Target::Part(_)) {
                let amount = agg.is_none() && is_own_unit(parser, end, &target);
                // "By kilometres driven" is by all of them.
                let deed = agg.is_none() && super::deeds::is_said(parser, end, &target);
                let agg = agg.or(deed.then_some(Agg::Sum));
                let features = features.into_iter().chain(deed.then_some(Feature::ImpliedAggregate)).collect();
                found.push((end, Head { target, agg, quantile: None, amount }, features));
            }
        }
    }
    found
}

/// `tonnage`, `kWh`: who names a number by its unit asks how much of it there is.
pub(super) fn is_own_unit(parser: &Parser, end: usize, target: &Target) -> bool {
    let Target::Columns(columns) = target else { return false };
    let lexicon = &parser.index.lexicon;
    let said = end.checked_sub(1).and_then(|last| lexicon.unit(parser.word(last)));
    let amounts = |family: &str| matches!(family, "mass" | "energy" | "volume" | "area" | "acres" | "pounds");
    let own = |id: &ColId| {
        let facts = parser.index.facts(*id);
        facts.unit.as_ref() == said && facts.per.is_none()
    };
    said.is_some_and(|unit| amounts(unit.family)) && columns.iter().all(own)
        || super::deeds::is_said(parser, end, target)
}

/// `week by week`, `office by office`.
pub fn one_by_one(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let repeated = parser.word(at + 1) == "by" && parser.word(at) == parser.word(at + 2) && !parser.word(at).is_empty();
    if !repeated || draft.is_open() {
        return;
    }
    for (end, target, features) in parser.targets(at).iter().cloned() {
        let fits = matches!(
            target,
            Target::Thing(_) | Target::Columns(_) | Target::Flag(_) | Target::Grain(_) | Target::Part(_)
        );
        if fits && end == at + 1 && !draft.groups.contains(&target) {
            let next = draft.with(|next| {
                next.features.extend(features);
                next.groups.push(target);
            });
            steps.push((at + 3, next));
        }
    }
}

/// `gender split in percent`, `orders by status as a percentage`: the share of each group instead of its number.
pub fn in_percent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const PHRASES: &[&[&str]] =
        &[&["in", "percent"], &["in", "%"], &["in", "percentages"], &["as", "a", "percentage"], &["as", "percentages"]];
    let Some(end) = parser.after_phrase(at, PHRASES) else { return };
    let split = draft.distribution || !draft.groups.is_empty() && draft.heads.iter().all(counts);
    if split && !draft.heads.is_empty() && !draft.share && parser.word(end) != "of" {
        steps.push((end, draft.with(|next| next.percent = true)));
    }
}

fn counts(head: &Head) -> bool {
    head.target.is_rows() && matches!(head.agg, None | Some(Agg::Count))
}

/// `used by homes with a heat pump`: whose it is, said with a condition, not how to split it.
pub fn agent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = agent_end(parser, at).filter(|_| !draft.heads.is_empty() && !draft.is_open()) else { return };
    let mut next = draft.with(|_| {});
    next.assume("agent", "what follows `by` says whose it is, not how to split it");
    steps.push((end, Draft { predicate: true, ..next }));
}

/// The token after a noun that did something, where a condition on it follows.
fn agent_end(parser: &Parser, at: usize) -> Option<usize> {
    let start = parser.skip_determiners(at + 1);
    let thing = parser.mentions.at(start).iter().find(|mention| matches!(mention.what, What::Thing(_)))?;
    let conditioned =
        matches!(parser.word(thing.end), "with" | "without" | "that" | "who" | "which" | "whose" | "having");
    // "Used in January by homes with ..."
    let done = (at.saturating_sub(4)..at).any(|before| is_participle(parser.word(before)));
    (parser.word(at) == "by" && done && conditioned).then_some(thing.end)
}

/// `across all branches`: of all of them together.
pub fn across_all(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = parser.word(at) == "across" && parser.word(at + 1) == "all" && !draft.heads.is_empty();
    if !said || draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(parser.skip_determiners(at + 2)) {
        if matches!(mention.what, What::Thing(_) | What::Columns(_)) {
            steps.push((mention.end, draft.with(|next| next.features.extend(features(mention)))));
        }
    }
}

/// `daily`, `monthly`.
pub fn period_adjective(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Adjective(grain) = role else { continue };
        // "Monthly price" where a column is called so is that column, not a price per month.
        if parser.index.is_in_a_name(&parser.tokens[at].fold) {
            continue;
        }
        // "The daily records" are the rows of a table of days.
        if parser.role(end, Role::Rows).is_some() {
            continue;
        }
        let target = Target::Grain(grain);
        // "Highest daily close" where every row is a day: the highest of all rows.
        let of_rows = grain == Grain::Day && parser.index.row_words.days;
        let summed = matches!(draft.pending, Some(Pending::Agg(Agg::Sum | Agg::Count, _)));
        if of_rows && draft.is_open() && !summed {
            steps.push((end, draft.clone()));
            continue;
        }
        if !draft.groups.contains(&target) {
            steps.push((end, draft.with(|next| next.groups.push(target))));
        }
    }
}

/// `over time`.
pub fn over_time(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::OverTime)
        && !draft.heads.is_empty()
        // How many different ones there were over the years may be those of all years together.
        && !draft.distinct
    {
        steps.push((end, draft.with(|next| next.groups.push(Target::OverTime))));
    }
}
