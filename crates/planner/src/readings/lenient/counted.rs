//! Numbers and orders by other nouns: `ticket volume`, `the biggest box office hit`, `rank the categories by rating`.

use base::Type;
use data::plan::Dir;

use super::super::{Parser, Steps, features};
use crate::draft::{Draft, Head, Target};
use crate::mentions::What;
use crate::score::Feature;

/// `ticket volume`, `order numbers`: how many there are, where no column is called so.
pub fn volume(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let free = draft.heads.is_empty() && draft.rank.is_none() && !draft.share && draft.pending.is_none();
    if !free || parser.modifier(at).is_some() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Thing(thing) = mention.what else { continue };
        let word = &parser.tokens[mention.end - 1];
        // "Order numbers" are what the orders are known by, unless they change.
        let numbers = parser.word(mention.end) == "numbers" && draft.series.is_some();
        let noun = matches!(parser.word(mention.end), "volume" | "volumes") || numbers;
        if noun && word.fold == word.singular && !parser.mentions.is_data(mention.end) {
            let mut next = draft.with(|next| {
                next.features.extend(features(mention));
                next.heads.push(Head::counted(thing));
            });
            next.assume("count", format!("`{}` = how many", parser.tokens[mention.end].text));
            steps.push((mention.end + 1, next));
        }
    }
}

/// `the biggest box office hit`: the row that has the number which the ranking is by.
pub fn hit(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "hit" | "hits") || parser.mentions.is_data(at) || !draft.heads.is_empty() {
        return;
    }
    let by = draft.rank.as_ref().filter(|rank| rank.dir == Dir::Desc && !rank.open).and_then(|rank| rank.by.as_ref());
    let Some(Head { target: Target::Columns(columns), agg: None, .. }) = by else { return };
    let [column] = columns[..] else { return };
    let Some(thing) = parser.index.rows_of(column.table) else { return };
    let mut next = draft.with(|next| next.heads.push(Head::plain(Target::Thing(thing))));
    next.assume("hit", format!("a `{}` is a row of {}", parser.tokens[at].text, parser.index.table(column.table).name));
    steps.push((at + 1, next));
}

/// `rank the categories by average rating, best to worst`: the number of each of them, in that order.
pub fn ranked_by(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "rank" | "sort" | "order") || at > 0 || !draft.is_fresh() {
        return;
    }
    let start = parser.skip_determiners(at + 1);
    for (by, target, found) in parser.targets(start).iter().cloned() {
        let kinds = match &target {
            Target::Columns(columns) => columns.iter().all(|id| parser.index.column(*id).ty == Type::Text),
            Target::Thing(_) => true,
            _ => false,
        };
        if parser.word(by) != "by" || !kinds {
            continue;
        }
        for (end, head, more) in parser.quantities(by + 1).iter().cloned() {
            let (end, dir) = direction(parser, end, &head);
            let next = draft.with(|next| {
                next.features.extend(found.iter().chain(&more).copied());
                next.features.push(Feature::OpenChoice);
                next.groups.push(target.clone());
                next.heads.push(Head { amount: true, ..head });
                next.direction = Some(dir);
            });
            steps.push((end, next));
        }
    }
}

/// `from best to worst`, after the number it is said of; the highest comes first unless the words say otherwise.
fn direction(parser: &Parser, at: usize, head: &Head) -> (usize, Dir) {
    let start = at + usize::from(parser.comma(at));
    let start = start + usize::from(parser.word(start) == "from");
    let other = |dir: Dir| if dir == Dir::Desc { Dir::Asc } else { Dir::Desc };
    let dir = match (parser.word(start), parser.word(start + 1), parser.word(start + 2)) {
        ("highest" | "most", "to", "lowest" | "least") => Some(Dir::Desc),
        ("lowest" | "least", "to", "highest" | "most") => Some(Dir::Asc),
        // Short waits are the better ones.
        ("best", "to", "worst") => better(parser, head),
        ("worst", "to", "best") => better(parser, head).map(other),
        _ => None,
    };
    dir.map_or((at, Dir::Desc), |dir| (start + 3, dir))
}

/// The end of a number that is the better one, where its name says so.
fn better(parser: &Parser, head: &Head) -> Option<Dir> {
    match &head.target {
        Target::Columns(columns) => parser.index.lexicon.better(&parser.index.facts(*columns.first()?).words),
        Target::Measure(measure) => {
            parser.index.lexicon.better(&crate::words::split_name(&parser.index.measure(*measure).name))
        }
        _ => None,
    }
}
