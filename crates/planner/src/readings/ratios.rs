//! One number for each unit of another: `fare per km`, `average number of orders per customer`, `sales relative to budget`.
//!
//! "Per" splits the answer into groups unless what follows is measured itself, or unless the average of a number that is
//! only known for all of them together is asked for.

use data::plan::{Agg, Grain};

use super::{Parser, Steps};
use crate::build::is_summable;
use crate::draft::{Columns, Draft, Head, Target};
use crate::index::ColId;
use crate::lexicon::{Glue, Role};
use crate::mentions::What;
use crate::score::Feature;

/// Words of columns that hold all of what their unit measures.
const WHOLES: &[&str] = &["usage", "consumption", "used", "distance", "total", "volume", "area", "amount", "quantity"];

/// What stands before "per" as one number for each of what stands after it; nothing where "per" makes groups.
pub fn per(parser: &Parser, at: usize, end: usize, draft: &Draft) -> Steps {
    let mut steps = Steps::new();
    let Some(number) = number(draft).filter(|_| !draft.is_open() && draft.groups.is_empty()) else { return steps };
    if parser.word(at) == "per" {
        measured(parser, end, draft, number, &mut steps);
    }
    if steps.is_empty() && matches!(parser.word(at), "per" | "for" | "by" | "each") {
        counted(parser, end, draft, number, parser.word(at) == "per", &mut steps);
    }
    steps
}

/// The number that the words last asked for or ranked by.
fn number(draft: &Draft) -> Option<&Head> {
    match &draft.rank {
        Some(rank) => rank.by.as_ref(),
        None => draft.heads.last().filter(|_| draft.heads.len() == 1),
    }
}

fn with_ratio(draft: &Draft, first: &Head, second: Head, found: &[Feature]) -> Draft {
    let ratio = Head::plain(Target::Ratio(Box::new((Head { agg: None, ..first.clone() }, second))));
    draft.with(|next| {
        next.features.extend_from_slice(found);
        match next.rank.as_mut().and_then(|rank| rank.by.as_mut()) {
            Some(by) => *by = Head { amount: by.amount, ..ratio },
            None => next.heads = vec![ratio],
        }
    })
}

/// `per km`, `per square metre`, `per resident`: of a number that is measured or counted in a column.
fn measured(parser: &Parser, at: usize, draft: &Draft, number: &Head, steps: &mut Steps) {
    let summed = matches!(number.agg, None | Some(Agg::Sum));
    let averaged = number.agg == Some(Agg::Avg);
    if !is_amount(parser, number) || !(summed || averaged) || is_time_word(parser, at) {
        return;
    }
    let own = |id: &ColId| matches!(&number.target, Target::Columns(columns) if columns.contains(id));
    if let Some((end, columns)) = columns_of_unit(parser, at, &own) {
        let second = Head::plain(Target::Columns(columns));
        steps.push((end, with_ratio(draft, number, second, &[])));
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let counts = |id: &ColId| {
            let facts = parser.index.facts(*id);
            is_summable(parser.index, *id) && !own(id) && (mention.partial || facts.additive)
        };
        let singular = parser.tokens[mention.end - 1].fold == parser.tokens[mention.end - 1].singular;
        if columns.iter().all(counts) && summed && singular {
            let second = Head::plain(Target::Columns(columns.clone()));
            steps.push((mention.end, with_ratio(draft, number, second, &super::features(mention))));
        }
    }
}

/// `price per tonne` of `Price (EUR/t)`: the number is one for each of it anyway.
pub fn in_own_rate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "per" | "a" | "each") {
        return;
    }
    let by = draft.rank.as_ref().and_then(|rank| rank.by.as_ref());
    let Some(Target::Columns(columns)) = draft.heads.last().or(by).map(|head| &head.target) else { return };
    let unit = parser.tokens.get(at + 1).and_then(|token| parser.index.lexicon.unit(&token.fold));
    let per = |id: &ColId| unit.is_some() && parser.index.facts(*id).per.as_ref() == unit;
    if !draft.is_open() && columns.iter().all(per) {
        steps.push((at + 2, draft.clone()));
    }
}

/// Whether a head is a number whose total means something.
fn is_amount(parser: &Parser, head: &Head) -> bool {
    match &head.target {
        Target::Columns(columns) => columns.iter().all(|id| is_summable(parser.index, *id)),
        Target::Measure(measure) => parser.index.measure(*measure).agg == Agg::Sum,
        _ => false,
    }
}

fn is_time_word(parser: &Parser, at: usize) -> bool {
    parser.roles(at).any(|(_, role)| matches!(role, Role::Grain(_) | Role::Part(_)))
}

/// The columns measured in a unit that is named at a position: those that hold the whole of it, where others do not.
fn columns_of_unit(parser: &Parser, at: usize, own: &impl Fn(&ColId) -> bool) -> Option<(usize, Columns)> {
    let index = parser.index;
    let square = matches!(parser.word(at), "square" | "sq");
    let (end, spellings): (usize, &[&str]) = match parser.word(at + usize::from(square)) {
        "metre" | "meter" | "m" if square => (at + 2, &["sqm", "m2"]),
        "foot" | "feet" | "ft" if square => (at + 2, &["sqft", "ft2"]),
        _ if square => return None,
        _ => (at + 1, &[]),
    };
    let said = parser.word(at);
    let unit = index.lexicon.unit(said).filter(|unit| !square && unit.family != "count");
    let measured = |id: &ColId| {
        let facts = index.facts(*id);
        let last = facts.words.last().map_or("", String::as_str);
        let named = if square { spellings.contains(&last) } else { facts.words.len() > 1 && last == said };
        named || unit.is_some() && facts.unit.as_ref() == unit
    };
    let columns: Columns = index.columns().filter(|id| measured(id) && !own(id) && is_summable(index, *id)).collect();
    let whole = |id: &ColId| index.facts(*id).has_any(WHOLES);
    let wholes: Columns = columns.iter().copied().filter(whole).collect();
    let columns = if columns.len() > 1 && !wholes.is_empty() { wholes } else { columns };
    (!columns.is_empty()).then_some((end, columns))
}

/// `average number of orders per customer`, `average revenue per order`, `fare per trip by month`: for each one counted.
fn counted(parser: &Parser, at: usize, draft: &Draft, number: &Head, per: bool, steps: &mut Steps) {
    let start = parser.skip_determiners(at);
    let rows = matches!(number.target, Target::Thing(_) | Target::Rows | Target::Flag(_));
    let average = number.agg == Some(Agg::Avg) && (rows || is_amount(parser, number) && is_measure(number));
    let plain = matches!(number.agg, None | Some(Agg::Sum)) && is_amount(parser, number) && per;
    // "Which genre earns the most per movie", where every row is a movie.
    let own_rows = |target: &Target| match (target, &number.target) {
        (Target::Thing(thing), Target::Columns(columns)) => {
            columns.iter().all(|id| parser.index.things[*thing].table == Some(id.table))
        }
        _ => false,
    };
    let ranked = draft.rank.is_some() && !draft.heads.is_empty() && plain;
    for (end, target, found) in parser.targets(start).iter().cloned() {
        let split_later = (end..parser.tokens.len())
            .any(|later| parser.roles(later).any(|(_, role)| matches!(role, Role::GroupBy | Role::GroupPer)));
        let things = matches!(target, Target::Thing(_)) && target != number.target;
        let days = target == Target::Grain(Grain::Day);
        let for_each_row = ranked && own_rows(&target);
        if things && (average || plain && split_later || for_each_row) || days && average {
            steps.push((end, with_ratio(draft, number, Head::plain(target), &found)));
        }
    }
}

fn is_measure(head: &Head) -> bool {
    matches!(head.target, Target::Measure(_))
}

/// `orders per customer on average`: one number, not one for each.
pub fn on_average(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = parser.role(at, Role::Agg(Agg::Avg)).filter(|_| parser.word(at) == "on");
    let (Some(end), [number], [group]) = (said, &draft.heads[..], &draft.groups[..]) else { return };
    let counted = number.target.is_rows() && matches!(number.agg, None | Some(Agg::Count));
    let summed = is_amount(parser, number) && (is_measure(number) || number.agg == Some(Agg::Sum) || number.amount);
    let each = matches!(group, Target::Thing(_)) || *group == Target::Grain(Grain::Day);
    if (counted || summed) && each && *group != number.target && draft.rank.is_none() && !draft.share {
        let mut next = with_ratio(draft, number, Head::plain(group.clone()), &[]);
        next.groups.clear();
        steps.push((end, next));
    }
}

/// `how many tickets does an agent handle on average`: how many there are for each one.
pub fn does_on_average(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [number @ Head { target: Target::Thing(counted), agg: Some(Agg::Count), .. }] = &draft.heads[..] else {
        return;
    };
    let asks = matches!(parser.word(at), "does" | "do") && parser.word(0) == "how" && parser.word(1) == "many";
    if !asks || draft.rank.is_some() || !draft.groups.is_empty() || draft.is_open() {
        return;
    }
    let start = parser.skip(at + 1, |glue| glue == Glue::Determiner);
    let start = start + usize::from(matches!(parser.word(start), "average" | "typical"));
    let average = start > at + 1 && matches!(parser.word(start - 1), "average" | "typical");
    for mention in parser.mentions.at(start) {
        let What::Thing(thing) = mention.what else { continue };
        let verb = parser.roles(mention.end).any(|(_, role)| matches!(role, Role::Link | Role::Glue(Glue::Have)));
        let usual = parser.word(mention.end + 1) == "on" && parser.word(mention.end + 2) == "average";
        if thing != *counted && verb && (usual || average) {
            let second = Head::plain(Target::Thing(thing));
            let end = mention.end + if usual { 3 } else { 1 };
            steps.push((end, with_ratio(draft, number, second, &super::features(mention))));
        }
    }
}

/// `box office relative to budget`, `sales as a percentage of the budget`.
pub fn relative_to(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const PHRASES: &[&[&str]] = &[
        &["relative", "to"],
        &["in", "relation", "to"],
        &["as", "a", "share", "of"],
        &["as", "a", "percentage", "of"],
        &["as", "a", "fraction", "of"],
        &["as", "a", "multiple", "of"],
    ];
    let Some(end) = parser.after_phrase(at, PHRASES) else { return };
    let Some(number) = number(draft).filter(|head| !draft.is_open() && is_amount(parser, head)) else { return };
    for (end, second, found) in parser.quantities(end).iter().cloned() {
        let summed = matches!(second.agg, None | Some(Agg::Sum)) && matches!(number.agg, None | Some(Agg::Sum));
        if summed && second.target != number.target && is_amount(parser, &second) {
            steps.push((end, with_ratio(draft, number, Head { agg: None, ..second }, &found)));
        }
    }
}
