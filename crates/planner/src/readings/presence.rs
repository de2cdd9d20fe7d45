//! What rows have: `with a satisfaction score`, `with a courier`, `in stock`.

use data::plan::Test;

use super::filters::add;
use super::{Parser, Steps, features};
use crate::draft::{Amount, Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;

/// `with a satisfaction score`, `that have a battery`: the opposite of lacking it.
pub fn presence(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let having = matches!(parser.word_before_determiners(at), "with" | "have" | "has" | "having" | "had");
    let discounted = parser.word_before_determiners(at) == "at" && parser.before(at) == "a";
    // "With their prices" lists them.
    let listed = matches!(parser.before(at), "their" | "its");
    if !(having || discounted) || listed || draft.heads.is_empty() {
        return;
    }
    for mention in parser.mentions.at(at) {
        if let What::Columns(columns) = &mention.what
            && !is_two_valued(parser, columns)
        {
            let mut next = add(draft, Condition::Empty(columns.clone()), &features(mention));
            next.filters.last_mut().expect("a filter was just added").negated = true;
            steps.push((mention.end, next));
        }
    }
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
        let named = index.facts(*id).words.iter().any(|word| matches!(word.as_str(), "stock" | "inventory"));
        named && index.column(*id).ty.is_number() && !index.facts(*id).identifier
    };
    let columns: Columns = index.columns().filter(stocks).collect();
    if !columns.is_empty() {
        let zero = Amount { number: 0.0, percent: false, money: false, unit: None };
        steps.push((end, add(draft, Condition::Compare { columns, test, amounts: vec![zero], implied: false }, &[])));
    }
}

fn follows_amount(parser: &Parser, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| parser.tokens[before].number().is_some())
        || matches!(parser.before(at), "units" | "left")
}
