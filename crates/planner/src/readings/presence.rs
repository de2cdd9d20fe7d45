//! What rows have: `with a satisfaction score`, `with a courier`, `in stock`.

use data::plan::Test;

use super::filters::{add, add_negated};
use super::{Parser, Steps, features};
use crate::draft::{Amount, Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;
use crate::words::is_with;

/// `with a satisfaction score`, `that have a battery`: the opposite of lacking it.
pub fn presence(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let had = is_with(parser.word_before_determiners(at));
    let discounted = parser.word_before_determiners(at) == "at" && parser.before(at) == "a";
    // "With their prices" lists them.
    let listed = matches!(parser.before(at), "their" | "its");
    if !(had || discounted) || listed || draft.heads.is_empty() {
        return;
    }
    for mention in parser.mentions.at(at) {
        if let What::Columns(columns) = &mention.what
            && !is_two_valued(parser, columns)
        {
            steps.push((mention.end, having(parser, draft, columns, features(mention))));
        }
    }
}

/// The draft with the condition that something is there; of a charge that may be nothing or not be filled in, some of it.
fn having(parser: &Parser, draft: &Draft, columns: &Columns, mut found: Vec<Feature>) -> Draft {
    const CHARGES: &[&str] =
        &["fine", "fee", "discount", "tip", "surcharge", "bonus", "penalty", "charge", "deposit", "delay"];
    let charge = |id: &ColId| {
        let (info, facts) = (parser.index.column(*id), parser.index.facts(*id));
        let zero = info.min.as_ref().and_then(crate::build::number_of) == Some(0.0);
        info.nulls > 0 && zero && facts.has_any(CHARGES)
    };
    if columns.iter().all(charge) {
        found.push(Feature::OpenChoice);
        let zero = Amount::bare(0.0);
        let condition =
            Condition::Compare { columns: columns.clone(), test: Test::Gt, amounts: vec![zero], implied: false };
        return add(draft, condition, &found);
    }
    add_negated(draft, Condition::Empty(columns.clone()), &found)
}

fn is_two_valued(parser: &Parser, columns: &Columns) -> bool {
    columns.iter().all(|id| parser.index.facts(*id).yes.is_some())
}

/// `with a courier`, `involving a locker`: what a two-valued column says of the rows, by a part of its name.
pub fn had(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const VERBS: &[&str] = &[
        "with",
        "have",
        "has",
        "having",
        "had",
        "by",
        "using",
        "involve",
        "involves",
        "involved",
        "involving",
        "need",
        "needs",
        "needed",
        "get",
        "gets",
        "got",
        "receive",
        "received",
        "in",
        "use",
        "used",
    ];
    let before = parser.word_before_determiners(at);
    if !VERBS.contains(&before)
        || draft.heads.is_empty()
        || draft.is_open()
        || before == parser.before(at) && before == "in"
    {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        if is_two_valued(parser, columns) && mention.partial {
            let mut found = features(mention);
            found.push(Feature::OpenChoice);
            steps.push((mention.end, add(draft, Condition::Flag(columns.clone()), &found)));
        }
    }
}

/// `that got a discount`, `included a late fee`: a verb of having, and a number or text that may be missing.
pub fn got(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const VERBS: &[&str] = &[
        "got",
        "get",
        "gets",
        "received",
        "receive",
        "receives",
        "included",
        "include",
        "includes",
        "contained",
        "contain",
        "contains",
        "carried",
        "carry",
        "carries",
        "involved",
    ];
    let determined = matches!(parser.word(at + 1), "a" | "an" | "any" | "some");
    // "That got stars".
    let plural = parser.tokens.get(at + 1).is_some_and(|token| token.fold != token.singular);
    if !VERBS.contains(&parser.word(at)) || !(determined || plural) || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at + 1 + usize::from(determined)) {
        let What::Columns(columns) = &mention.what else { continue };
        let may_lack = |id: &ColId| {
            let column = parser.index.column(*id);
            let zero = column.min.as_ref().and_then(crate::build::number_of) == Some(0.0);
            column.nulls > 0 || column.ty.is_number() && zero
        };
        if is_two_valued(parser, columns) || !columns.iter().all(may_lack) {
            continue;
        }
        let mut found = features(mention);
        found.push(Feature::OpenChoice);
        let next = having(parser, &Draft { predicate: true, ..draft.clone() }, columns, found);
        steps.push((mention.end, next));
    }
}

/// `got a 1 or a 2`, `was a 5`: of the number that the rows before were said to have.
pub fn marks(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let verb = matches!(parser.word(at), "got" | "get" | "gave" | "was" | "were" | "received" | "scored" | "had");
    let had = draft.filters.iter().rev().find_map(|filter| match &filter.condition {
        Condition::Empty(columns) | Condition::Missing(columns) if filter.negated => Some(columns),
        _ => None,
    });
    let number = |id: &ColId| parser.index.column(*id).ty.is_number();
    let Some(columns) = had.filter(|columns| verb && columns.iter().all(number)) else { return };
    let mark = |at: usize| {
        let start = at + usize::from(parser.word(at) == "a");
        let number = parser.tokens.get(start)?.number()?;
        Some((start + 1, Amount::bare(number)))
    };
    let Some((mut end, first)) = mark(at + 1) else { return };
    let mut amounts = vec![first];
    while let Some((next, amount)) = parser.role(end, Role::Or).and_then(mark) {
        amounts.push(amount);
        end = next;
    }
    let test = if amounts.len() == 1 { Test::Eq } else { Test::In };
    let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: true };
    steps.push((end, add(&Draft { predicate: true, ..draft.clone() }, condition, &[Feature::OpenChoice])));
}

/// `out of stock`, `in stock`, `sold out`: a number that counts what is left, none of it or some.
pub fn availability(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let available = |(end, role)| if let Role::Available(some) = role { Some((end, some)) } else { None };
    let Some((end, some)) = parser.roles(at).find_map(available) else { return };
    if follows_amount(parser, at) {
        return;
    }
    let test = if some { Test::Gt } else { Test::Eq };
    let index = parser.index;
    let stocks = |id: &ColId| {
        let named = index.facts(*id).has_any(&["stock", "inventory"]);
        named && index.is_quantity(*id)
    };
    let columns: Columns = index.columns().filter(stocks).collect();
    if !columns.is_empty() {
        let zero = Amount::bare(0.0);
        steps.push((end, add(draft, Condition::Compare { columns, test, amounts: vec![zero], implied: false }, &[])));
    }
}

fn follows_amount(parser: &Parser, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| parser.tokens[before].number().is_some())
        || matches!(parser.before(at), "units" | "left")
}
