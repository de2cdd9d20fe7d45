//! Conditions on time: periods, and verbs that say which date they are about.

use data::plan::Test;

use super::filters::{add, after_joints};
use super::{Parser, Steps, features};
use crate::draft::{Amount, Columns, Condition, Draft, Filter, Target};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::period::{Period, When};

/// `in March`, `since June 1`, `last week`, `on weekends`.
pub fn time(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::When(when) = &mention.what else { continue };
        if super::lenient::staying::is_now(parser, draft, when) {
            continue;
        }
        let verb = follows_participle(parser, at, draft);
        steps.push((mention.end, add(draft, Condition::Time { columns: None, when: when.clone(), verb }, &[])));
        if let Some(condition) = year_column(parser, when) {
            steps.push((mention.end, add(draft, condition, &[])));
        }
    }
}

/// Whether the condition just before is a participle such as "closed", so that the period may be about that event.
fn follows_participle(parser: &Parser, at: usize, draft: &Draft) -> bool {
    let is_state = |filter: &Filter| matches!(filter.condition, Condition::Values { .. } | Condition::Flag(_));
    let mut before = at;
    while before > 0 && parser.roles(before - 1).any(|(_, role)| matches!(role, Role::Glue(_))) {
        before -= 1;
    }
    draft.filters.last().is_some_and(is_state) && parser.before(before).ends_with("ed")
}

/// `founded before 1980`, `built in 1990`: the year that the word names is kept as a plain number.
pub fn year_said(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        if !columns.iter().all(|id| parser.index.facts(*id).years) {
            continue;
        }
        for start in after_joints(parser, mention.end) {
            for next in parser.mentions.at(start) {
                let What::When(when) = &next.what else { continue };
                let Some((test, amounts)) = year_test(when) else { continue };
                let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
                steps.push((next.end, add(draft, condition, &features(mention))));
            }
        }
    }
}

/// A table may keep the year as a plain number.
fn year_column(parser: &Parser, when: &When) -> Option<Condition> {
    let (test, amounts) = year_test(when)?;
    let index = parser.index;
    let is_year = |id: &ColId| {
        let named = index.facts(*id).words.last().is_some_and(|word| word == "year");
        index.column(*id).ty.is_number() && (named || index.facts(*id).years)
    };
    let columns: Columns = index.columns().filter(is_year).collect();
    (!columns.is_empty()).then_some(Condition::Compare { columns, test, amounts, implied: false })
}

/// How a number that is a year compares with whole years.
pub(super) fn year_test(when: &When) -> Option<(Test, Vec<Amount>)> {
    let amount = |period: &Period| match period {
        Period::Year(year) => Some(Amount::bare(f64::from(*year))),
        _ => None,
    };
    Some(match when {
        When::In(Period::Span(from, to)) if from.day_of_year() == 1 && to.day_of_year() == 1 => {
            let year = |year: i16| Amount::bare(f64::from(year));
            (Test::Between, vec![year(from.year()), year(to.year() - 1)])
        }
        When::In(period) => (Test::Eq, vec![amount(period)?]),
        When::Since(period) => (Test::Ge, vec![amount(period)?]),
        When::After(period) => (Test::Gt, vec![amount(period)?]),
        When::Before(period) => (Test::Lt, vec![amount(period)?]),
        When::Until(period) => (Test::Le, vec![amount(period)?]),
        When::Between(first, last) => (Test::Between, vec![amount(first)?, amount(last)?]),
        When::Weekdays(_) | When::Hours(_) | When::PriorTo(..) => return None,
    })
}

/// `resolved in March`, `order date before May 2026`, `created last week`.
pub fn event_time(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (mention, columns) in event_columns(parser, at) {
        for start in after_joints(parser, mention.end) {
            for next in parser.mentions.at(start) {
                let What::When(when) = &next.what else { continue };
                let condition = Condition::Time { columns: Some(columns.clone()), when: when.clone(), verb: false };
                let mut timed = add(draft, condition, &features(mention));
                // "Expired in March" beside `expires_on`: a state may be called so, too.
                let word = &parser.tokens[at].fold;
                let own = columns.iter().all(|id| parser.index.facts(*id).event.contains(word));
                if !own && parser.mentions.at(at).iter().any(|other| matches!(other.what, What::Value(_))) {
                    timed.assume("date_said", format!("`{}` says a date here, not a state", parser.tokens[at].text));
                }
                steps.push((next.end, timed));
            }
        }
    }
}

/// `that started in March`, `ending after June`: where no date is called so.
pub fn bound_time(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some((middle, columns)) = bounds(parser, at) else { return };
    for start in after_joints(parser, middle) {
        for next in parser.mentions.at(start) {
            let What::When(when) = &next.what else { continue };
            let condition = Condition::Time { columns: Some(columns.clone()), when: when.clone(), verb: false };
            steps.push((next.end, add(draft, condition, &[])));
        }
    }
}

/// The dates that a verb or name at a position stands for.
pub(super) fn event_columns<'p>(parser: &'p Parser, at: usize) -> Vec<(&'p Mention, Columns)> {
    let columns = |mention: &Mention| -> Columns {
        match &mention.what {
            What::Event(columns) => columns.clone(),
            What::Columns(columns) => {
                columns.iter().copied().filter(|id| parser.index.column(*id).ty.is_temporal()).collect()
            }
            What::Role(Role::Created) => creation_dates(parser),
            _ => Vec::new(),
        }
    };
    let found = parser.mentions.at(at).iter().map(|mention| (mention, columns(mention)));
    found.filter(|(_, columns)| !columns.is_empty()).collect()
}

/// `per month of admission`, `per month, by start date`: which date the groups before it are cut from.
pub fn group_of_event(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let cut = draft.groups.iter().any(|group| matches!(group, Target::Grain(_) | Target::Part(_)));
    let start = match parser.word(at) {
        "of" | "by" => parser.skip_determiners(at + 1),
        "they" | "it" => after_joints(parser, at + 1).last().unwrap_or(at + 1),
        _ => return,
    };
    if !cut || draft.dated.is_some() {
        return;
    }
    for (mention, columns) in event_columns(parser, start) {
        let found = features(mention);
        let dated = |next: &mut Draft| {
            next.features.extend(found);
            next.dated = Some(columns);
        };
        steps.push((mention.end, draft.with(dated)));
    }
    if let Some((end, columns)) = bounds(parser, start) {
        steps.push((end, draft.with(|next| next.dated = Some(columns))));
    }
}

/// `started`, `ending`, `start date`: the first or the last of two dates that a row has, whatever they are called.
fn bounds(parser: &Parser, at: usize) -> Option<(usize, Columns)> {
    const STARTS: &[&str] = &["start", "started", "begin", "began", "from", "since"];
    const ENDS: &[&str] = &["end", "ended", "finish", "finished", "to", "until", "till"];
    let words = match parser.word(at) {
        "start" | "starts" | "started" | "starting" | "begin" | "begins" | "began" | "begun" | "beginning" => STARTS,
        "end" | "ends" | "ended" | "ending" | "finish" | "finishes" | "finished" | "finishing" => ENDS,
        _ => return None,
    };
    let index = parser.index;
    let named = |id: &ColId| matches!(&index.facts(*id).event[..], [word] if words.contains(&word.as_str()));
    let dates: Columns = index.columns().filter(|id| index.column(*id).ty.is_temporal() && named(id)).collect();
    let end = at + 1 + usize::from(matches!(parser.word(at + 1), "date" | "dates" | "day" | "time"));
    let called = parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Event(_)));
    (!dates.is_empty() && !called).then_some((end, dates))
}

/// `created per day`, `resolved by month`: the verb says which date the groups are cut from.
pub fn event_group(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.dated.is_some() {
        return;
    }
    for (mention, columns) in event_columns(parser, at) {
        let grain = |start: usize| {
            parser.targets(start).iter().any(|(_, t, _)| matches!(t, Target::Grain(_) | Target::Part(_)))
        };
        let marker = |(end, role)| matches!(role, Role::GroupBy | Role::GroupPer | Role::Each).then_some(end);
        let grouped = after_joints(parser, mention.end)
            .any(|next| parser.roles(next).filter_map(marker).any(|end| grain(parser.skip_determiners(end))));
        if grouped {
            steps.push((mention.end, draft.with(|next| next.dated = Some(columns))));
        }
    }
}

/// Dates that say when a row came into being: never missing, and named so or not named after anything else.
fn creation_dates(parser: &Parser) -> Columns {
    let index = parser.index;
    let verbs =
        ["created", "opened", "order", "ordered", "submitted", "start", "started", "received", "purchase", "placed"];
    let made = |id: &ColId| {
        let event = &index.facts(*id).event;
        event.is_empty() || event.len() == 1 && verbs.contains(&event[0].as_str())
    };
    index
        .columns()
        .filter(|id| index.column(*id).ty.is_temporal() && index.column(*id).nulls == 0 && made(id))
        .collect()
}
