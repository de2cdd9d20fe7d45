//! Phrases that take up again what was said before: `among those with at least 10 films`, `out of all that have a rating`,
//! `of all electric rides, what share`.

use super::{Parser, Steps};
use crate::draft::{Draft, Head, Target};
use crate::lexicon::Role;
use crate::mentions::What;

/// `among those with`, `out of all that have`, `of the countries with`: what follows limits what was asked about.
pub fn again(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let start = match (parser.word(at), parser.word(at + 1)) {
        ("among" | "amongst" | "of" | "considering" | "counting" | "only", _) => at + 1,
        ("out", "of") => at + 2,
        _ => return,
    };
    let start = start + usize::from(parser.word(start) == "only");
    let opens = |at: usize| matches!(parser.word(at), "with" | "that" | "which" | "who" | "having" | "where" | "whose");
    let pronoun = parser.skip_determiners(start);
    let nouns = parser.targets_named(pronoun).into_iter();
    let known = |target: &Target| {
        let head = draft.heads.iter().any(|head| head.target == *target);
        head || draft.groups.contains(target)
    };
    let named = nouns.filter(|(_, target)| known(target)).map(|(end, _)| end);
    let pronouns = (pronoun > start).then_some(pronoun);
    // "Out of all tickets" needs nothing more.
    let named: Vec<usize> = named.collect();
    let whole = named.first().copied().filter(|_| parser.word(at) == "out");
    let Some(end) = named.into_iter().chain(pronouns).find(|end| opens(*end)).or(whole) else { return };
    steps.push((end, Draft { predicate: true, connected: true, whole: draft.share, ..draft.clone() }));
}

/// `the most common diagnosis among patients born before 1950`, `share of women among team leads`: those it is said of.
pub fn among(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if parser.role(at, Role::Among).is_none() || draft.is_open() {
        return;
    }
    let start = parser.skip_determiners(at + 1);
    let of_rows = parser.mentions.at(start).iter().any(|mention| {
        matches!(mention.what, What::Thing(_) | What::Value(_) | What::Flag(_) | What::Role(Role::Rows))
    });
    if !of_rows {
        return;
    }
    if !draft.heads.is_empty() {
        steps.push((start, Draft { connected: true, whole: draft.share, ..draft.clone() }));
    } else if draft.share && draft.filters.len() == draft.share_from + 1 {
        // The women are the part, whoever follows is the whole.
        let mut next = Draft { whole: true, ..draft.clone() };
        next.filters.iter_mut().for_each(|filter| filter.zone = crate::draft::Zone::Predicate);
        steps.push((start, next));
    }
}

/// `of all electric rides, what share ended after midnight`: the whole comes first.
pub fn share_of_them(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asks = matches!(parser.word(at), "what" | "which");
    let share = matches!(parser.word(at + 1), "share" | "percentage" | "proportion" | "fraction" | "part" | "percent");
    let rows = match &draft.heads[..] {
        [Head { target, agg: None, amount: false, .. }] => target.is_rows(),
        _ => false,
    };
    let opened = matches!(parser.word(0), "of" | "out" | "among" | "for");
    if asks && share && rows && opened && !draft.share && draft.groups.is_empty() && draft.rank.is_none() {
        let of_them = matches!((parser.word(at + 2), parser.word(at + 3)), ("of", "them" | "those" | "these"));
        let mut next = draft.with(|next| (next.share, next.predicate) = (true, true));
        next.filters.iter_mut().for_each(|filter| filter.zone = crate::draft::Zone::BeforeHead);
        next.share_from = next.filters.len();
        steps.push((if of_them { at + 4 } else { at + 2 }, next));
    }
}
