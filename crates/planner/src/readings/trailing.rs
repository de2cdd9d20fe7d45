//! What is said late: `films with no synopsis, how many?`, `when was the strongest vibration measured`.

use base::Type;
use data::plan::Agg;

use super::ranks::ranked;
use super::{Parser, Steps};
use crate::draft::{Draft, Filter, Head, RankKind, Target, Zone};
use crate::index::ColId;
use crate::lexicon::{Ask, Role};
use crate::score::Feature;
use crate::words::is_be;

/// The last words say that what was described is to be counted.
pub fn count_last(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Count) else { return };
    let told = (end..parser.tokens.len()).all(|at| {
        matches!(
            parser.word(at),
            "are" | "were" | "is" | "was" | "there" | "that" | "of" | "them" | "in" | "total" | "please"
        )
    });
    let [head] = &draft.heads[..] else { return };
    let rows = head.target.is_rows() && head.agg.is_none();
    let plain = draft.rank.is_none() && draft.groups.is_empty() && !draft.is_open() && !draft.share;
    let described = !draft.filters.is_empty() || !draft.having.is_empty();
    if told && rows && plain && described && draft.sort.is_none() && draft.limit.is_none() {
        let mut next = draft.with(|next| next.heads[0].agg = Some(Agg::Count));
        next.ask = None;
        steps.push((parser.tokens.len(), next));
    }
}

/// `results of the Ruy Lopez games: how many of each?`, `condition of the textiles, in counts`: the number of rows of each.
pub fn of_each(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const PHRASES: &[&[&str]] = &[
        &["how", "many", "of", "each"],
        &["how", "many", "for", "each"],
        &["number", "of", "each"],
        &["in", "counts"],
        &["as", "counts"],
        &["in", "numbers"],
    ];
    let [Head { target: target @ Target::Columns(columns), agg: None, amount: false, .. }] = &draft.heads[..] else {
        return;
    };
    let kinds = |id: &ColId| {
        let column = parser.index.column(*id);
        column.ty == Type::Text && !column.unique && !parser.index.facts(*id).identifier
    };
    let plain = draft.rank.is_none() && draft.groups.is_empty() && !draft.is_open() && !draft.share;
    let Some(end) =
        parser.after_phrase(at, PHRASES).filter(|_| plain && columns.iter().all(kinds) && draft.having.is_empty())
    else {
        return;
    };
    let group = target.clone();
    let mut next = draft.with(|next| {
        next.features.push(Feature::OpenChoice);
        next.groups.push(group);
        next.heads = vec![Head::count_of(Target::Rows)];
    });
    next.ask = None;
    steps.push((end, next));
}

/// `when was the strongest vibration measured`: the ranking word stands before the number.
pub fn when_was_extreme(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asked = draft.ask == Some(Ask::When) && draft.heads.is_empty() && draft.rank.is_none() && !draft.is_open();
    let index = parser.index;
    if !asked || index.row_words.days {
        return;
    }
    for (middle, role) in parser.roles(at) {
        let Role::Extreme(dir) = role else { continue };
        for (end, by, features) in parser.quantities(middle).iter().cloned() {
            let Target::Columns(columns) = &by.target else { continue };
            let ([column], None) = (&columns[..], by.agg) else { continue };
            let dates = crate::build::moments(index, column.table);
            let thing = index.rows_of(column.table);
            let (Some(thing), 1, true) = (thing, dates.len(), index.column(*column).ty.is_number()) else { continue };
            let mut next = ranked(draft, RankKind::Adjective, dir, None, Some(by));
            next.features.extend(features);
            next.heads.push(Head::plain(Target::Columns(dates)));
            next.scopes.push(thing);
            next.ask = Some(Ask::What);
            steps.push((end, next));
        }
    }
}

/// `the longest ride, and what kind of bike was it on`: one more column of the row that was ranked first.
pub fn and_which(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asked = matches!(parser.word(at), "what" | "which") && draft.joined && draft.groups.is_empty();
    let ranked = draft.rank.as_ref().is_some_and(|rank| !rank.open && rank.by.is_some());
    let Some(Head { target: Target::Thing(thing), agg: None, amount: false, .. }) = draft.heads.first() else { return };
    let Some(table) = parser.index.things[*thing].table.filter(|_| asked && ranked) else { return };
    for (end, target, features) in parser.targets(at + 1).iter().cloned() {
        let own = matches!(&target, Target::Columns(columns) if columns.iter().all(|id| id.table == table));
        if !own || draft.heads.iter().any(|head| head.target == target) {
            continue;
        }
        // "Was it on", "did it have".
        let verb = matches!(parser.word(end), "is" | "was" | "did" | "does") && parser.word(end + 1) == "it";
        let after = if verb { end + 2 } else { end };
        let closes =
            verb && matches!(parser.word(after), "on" | "in" | "at" | "for" | "with" | "from" | "have" | "use");
        let mut next = draft.with(|next| next.features.extend(features));
        next.heads.push(Head::plain(target));
        steps.push((after + usize::from(closes), next));
    }
}

/// `the biggest order and how much was it`, `the longest film and how long is it`: the number that decided is shown too.
pub fn and_how_much(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(by) = draft.rank.as_ref().filter(|rank| !rank.open).and_then(|rank| rank.by.as_ref()) else { return };
    let degree = parser.word(at + 1);
    let verb = is_be(parser.word(at + 2));
    let whom = matches!(parser.word(at + 3), "it" | "that" | "they" | "there" | "those");
    let said = parser.word(at) == "how" && verb && whom && draft.joined && !draft.heads.is_empty();
    let rows = by.target.is_rows() || by.agg == Some(Agg::Count);
    let words = parser.index.lexicon.extent(degree);
    let of_column = match &by.target {
        Target::Columns(columns) => columns.iter().all(|id| {
            let facts = parser.index.facts(*id);
            let timed = degree == "long" && facts.unit.as_ref().is_some_and(|unit| unit.family == "time");
            timed || words.is_some_and(|words| facts.has_any(words))
        }),
        _ => false,
    };
    let money = |columns: &Vec<ColId>| columns.iter().all(|id| parser.index.facts(*id).is_money());
    let fits = match degree {
        "many" => rows,
        "much" => {
            matches!(&by.target, Target::Columns(columns) if money(columns)) || matches!(by.target, Target::Measure(_))
        }
        "high" | "big" | "large" | "low" => !rows,
        _ => of_column,
    };
    if said && fits {
        steps.push((at + 4, draft.with(|next| next.with_number = true)));
    }
}

/// `how many are overdue and what percentage of all is that`: the number and its share of all rows.
pub fn and_what_share(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { target: target @ Target::Thing(_), agg: Some(Agg::Count), .. }] = &draft.heads[..] else { return };
    let [Filter { zone: Zone::Predicate, .. }] = &draft.filters[..] else { return };
    let plain = draft.rank.is_none() && draft.groups.is_empty() && draft.having.is_empty() && !draft.is_open();
    if !draft.joined || !plain || draft.share || draft.distinct {
        return;
    }
    let start = at + usize::from(parser.word(at) == "what");
    let Some(end) = parser.role(at, Role::Share).or_else(|| parser.role(start, Role::Share)) else { return };
    let of = end + usize::from(parser.word(end) == "of");
    let whole = match (parser.word(of), parser.word(of + 1)) {
        ("the", "total") => of + 2,
        ("all" | "total", _) => of + 1,
        _ => return,
    };
    // Whatever is named here must be what was counted.
    let rows = parser.targets_named(whole).into_iter().find(|(_, named)| named == target).map(|(end, _)| end);
    let whole = rows.unwrap_or(whole);
    let verb = matches!(parser.word(whole), "is" | "are");
    let told = verb && matches!(parser.word(whole + 1), "that" | "they" | "it" | "those");
    let end = if told { whole + 2 } else { whole };
    steps.push((end, draft.with(|next| (next.share, next.with_number) = (true, true))));
}
