//! Superlatives that come after what they rank, or that are told by what they are meant: `returned the most`, `turns up most
//! often`, `best selling by units`, `busiest for orders`, `by agent, top 5`.

use data::plan::{Agg, Dir};

use super::filters::{failure, flag};
use super::ranks::{head_words, opposite, optional_count, ranked};
use super::{Parser, Steps, features};
use crate::draft::{Condition, Draft, Head, Rank, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};

/// Verbs that say of a value only that rows have it.
const OCCURS: &[&[&str]] = &[
    &["occurs"],
    &["occur"],
    &["occurred"],
    &["appears"],
    &["appear"],
    &["happens"],
    &["happen"],
    &["happened"],
    &["turns", "up"],
    &["turn", "up"],
    &["comes", "up"],
    &["come", "up"],
    &["shows", "up"],
    &["show", "up"],
    &["is", "seen"],
    &["is", "found"],
    &["is", "used"],
    &["is", "chosen"],
];

/// The token after `(the) most (often)`, and the direction.
fn most_often_at(parser: &Parser, at: usize) -> Option<(usize, Dir)> {
    let at = parser.skip_determiners(at);
    let often = |at: usize| matches!(parser.word(at), "often" | "frequently");
    match parser.word(at) {
        "most" => Some((at + 1 + usize::from(often(at + 1)), Dir::Desc)),
        "least" => Some((at + 1 + usize::from(often(at + 1)), Dir::Asc)),
        _ => None,
    }
}

/// `which type of anomaly turns up most often`: the value that the most rows have.
pub fn most_often(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { target, agg: None, .. }] = &draft.heads[..] else { return };
    let column = match target {
        Target::Columns(columns) => columns.first().copied(),
        Target::Thing(thing) if parser.index.things[*thing].table.is_none() => {
            parser.index.things[*thing].keys.first().copied()
        }
        _ => None,
    };
    let occurs = parser.after_phrase(at, OCCURS);
    let Some(verb) = occurs.or_else(|| Some(at + done_length(parser, at, column)?)) else { return };
    let repeated = column.filter(|id| !parser.index.column(*id).unique);
    let (Some(rows), None, false) =
        (repeated.and_then(|id| parser.index.rows_of(id.table)), &draft.rank, draft.is_open())
    else {
        return;
    };
    if let Some((end, dir)) = most_often_at(parser, verb) {
        let by = Head::counted(rows);
        let mut next = ranked(draft, RankKind::Extreme, dir, None, Some(by));
        next.rank.iter_mut().for_each(|rank| rank.open = false);
        steps.push((end, next));
    }
}

/// How many words say that rows were made of a value, before `most often`: `are borrowed`, `comes in`.
fn done_length(parser: &Parser, at: usize, column: Option<ColId>) -> Option<usize> {
    let table = column?.table;
    let rows = |mention: &Mention| match &mention.what {
        What::Thing(thing) => parser.index.things[*thing].table == Some(table),
        What::Event(dates) => dates.iter().all(|id| id.table == table),
        _ => false,
    };
    let passive = usize::from(matches!(parser.word(at), "is" | "are" | "was" | "were" | "gets" | "get"));
    let said = parser.mentions.at(at + passive).iter().find(|mention| rows(mention)).map(|mention| mention.end - at);
    let came = matches!((parser.word(at), parser.word(at + 1)), ("comes" | "come" | "came", "in" | "up")).then_some(2);
    said.or(came).filter(|length| matches!(parser.word(at + length + 1), "often" | "frequently"))
}

/// `which country do most of our lots come from`, `what do most guests pay with`: the value that the most rows have.
pub fn do_most(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { target: Target::Columns(columns), agg: None, amount: false, .. }] = &draft.heads[..] else { return };
    let asked = matches!(draft.ask, Some(Ask::Which | Ask::What)) && draft.rank.is_none() && !draft.is_open();
    let most = matches!(parser.word(at), "do" | "did" | "have" | "are" | "were") && parser.word(at + 1) == "most";
    let [column] = columns[..] else { return };
    if !asked || !most || parser.index.column(column).ty.is_number() {
        return;
    }
    let start = parser.skip(at + 2, |glue| matches!(glue, Glue::Determiner | Glue::Preposition | Glue::Other));
    for mention in parser.mentions.at(start) {
        let What::Thing(rows) = mention.what else { continue };
        if parser.index.things[rows].table != Some(column.table) {
            continue;
        }
        let mut next = ranked(draft, RankKind::Extreme, Dir::Desc, None, Some(Head::counted(rows)));
        next.rank.iter_mut().for_each(|rank| rank.open = false);
        next.features.extend(features(mention));
        next.predicate = true;
        steps.push((having_end(parser, mention.end), next));
    }
}

/// The token after a verb that says only that rows have a value.
fn having_end(parser: &Parser, at: usize) -> usize {
    match (parser.word(at), parser.word(at + 1)) {
        ("come" | "came" | "originate", "from") | ("belong", "to") | ("fall", "into" | "under") | ("live", "in") => {
            at + 2
        }
        ("have" | "use" | "used" | "choose" | "chose" | "prefer", "") => at + 1,
        _ => at,
    }
}

/// `which category gets returned the most`, `which agent misses the SLA most often`: the number of rows that say so.
pub fn flagged_most(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let ranks = matches!(&draft.heads[..], [Head { agg: None, amount: false, .. }]);
    if !ranks || draft.rank.is_some() || draft.is_open() || draft.share {
        return;
    }
    let mut found = Steps::new();
    flag(parser, at, draft, &mut found);
    failure(parser, at, draft, &mut found);
    for (middle, said) in found {
        let rows = said.filters.last().and_then(|filter| match &filter.condition {
            Condition::Flag(columns) => columns.first().and_then(|id| parser.index.rows_of(id.table)),
            _ => None,
        });
        let (Some(rows), Some((end, dir))) = (rows, most_often_at(parser, middle)) else { continue };
        let by = Head::counted(rows);
        let mut next = ranked(&said, RankKind::Amount, dir, None, Some(by));
        next.rank.iter_mut().for_each(|rank| rank.open = false);
        next.assume("often", "the most is counted, not taken as a share");
        steps.push((end, next));
        // "Going by return rate" says what decides instead.
        let mut told = ranked(draft, RankKind::Extreme, dir, None, None);
        told.rank.iter_mut().for_each(|rank| rank.open = false);
        if is_told(parser, end) {
            steps.push((end, told));
        }
    }
}

/// `the best average rating`, `the worst return rate`: where one end of a number is the better one.
pub fn best_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let subject = matches!(&draft.heads[..], [Head { agg: None, amount: false, .. }]);
    if !subject || draft.rank.is_some() || draft.is_open() || !matches!(parser.word(at), "best" | "worst") {
        return;
    }
    for (end, by, features) in parser.quantities(at + 1).iter().cloned() {
        let Some(better) = parser.index.lexicon.better(&head_words(parser, &by)) else { continue };
        let dir = if parser.word(at) == "best" { better } else { opposite(better) };
        // Nobody is the worst by the one bad mark that all have.
        let mut next = ranked(draft, RankKind::Adjective, dir, None, Some(by));
        next.rank.iter_mut().for_each(|rank| rank.open = false);
        next.features.extend(features);
        steps.push((end, next));
    }
}

/// Whether words such as "going by" start at a position or after a comma.
fn is_told(parser: &Parser, at: usize) -> bool {
    parser.role(at + usize::from(parser.comma(at)), Role::Terms).is_some()
}

/// `total bill per patient, top 10`: how many of the groups, and from which end.
pub fn trailing_top(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Top(dir) = role else { continue };
        let (end, Some(number)) = optional_count(parser, end) else { continue };
        let end = end + usize::from(parser.word(end) == "only");
        let free = draft.limit.is_none() && draft.direction.is_none() && draft.sort.is_none() && !draft.is_open();
        if !free || draft.heads.is_empty() {
            continue;
        }
        match &draft.rank {
            None if !draft.groups.is_empty() => {
                let cut = |next: &mut Draft| (next.limit, next.direction) = (Some(number), Some(dir));
                steps.push((end, draft.with(cut)));
            }
            Some(rank) if rank.number.is_none() && rank.dir == dir && rank.by.is_some() => {
                steps.push((end, draft.with(|next| next.limit = Some(number))));
            }
            _ => {}
        }
    }
}

/// `best selling products by units`, `slowest agents, going by average time`: what decides is said after all.
pub fn in_what_terms(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(rank) = draft.rank.as_ref().filter(|rank| !rank.open && !draft.heads.is_empty()) else { return };
    let implied = rank.by.as_ref().filter(|by| by.agg.is_none() && rank.kind != RankKind::Recent);
    for (start, role) in parser.roles(at) {
        let terms = role == Role::Terms;
        let by = role == Role::GroupBy && parser.word(at) == "by" && rank.kind == RankKind::Amount;
        for (end, head, features) in parser.quantities(start).iter().cloned() {
            let Some(implied) = implied.filter(|implied| implied.target != head.target) else { continue };
            if !(terms && same_kind(parser, implied, &head) || by && adds_up(parser, &head)) {
                continue;
            }
            let head = Head { amount: head.agg.is_none(), ..head };
            let next = draft.with(|next| {
                next.features.extend(features);
                next.rank.iter_mut().for_each(|rank| rank.by = Some(head.clone()));
            });
            steps.push((end, next));
        }
    }
    busiest_for(parser, at, draft, rank, steps);
}

/// Whether two numbers are measured alike, so that the first end of the one is that of the other.
fn same_kind(parser: &Parser, one: &Head, other: &Head) -> bool {
    let family = |head: &Head| -> Option<&str> {
        let column = match &head.target {
            Target::Columns(columns) => columns.first().copied(),
            Target::Measure(measure) => match &parser.index.measure(*measure).expr {
                Some(data::plan::Expr::Col { col }) => parser.index.find(col),
                _ => None,
            },
            _ => None,
        };
        parser.index.facts(column?).unit.as_ref().map(|unit| unit.family)
    };
    family(one).is_some() && family(one) == family(other)
}

fn adds_up(parser: &Parser, head: &Head) -> bool {
    match &head.target {
        Target::Measure(measure) => parser.index.measure(*measure).agg == Agg::Sum,
        Target::Columns(columns) => columns.iter().all(|id| parser.index.facts(*id).additive),
        _ => false,
    }
}

/// `busiest day ever for orders`: many of what follows.
fn busiest_for(parser: &Parser, at: usize, draft: &Draft, rank: &Rank, steps: &mut Steps) {
    let busy = rank.by.is_none() && rank.kind == RankKind::Extreme;
    if parser.word(at) != "for" || !busy {
        return;
    }
    let start = parser.skip_determiners(at + 1);
    let start = start + usize::from(parser.word(start) == "new");
    for mention in parser.mentions.at(start) {
        let What::Thing(thing) = mention.what else { continue };
        let by = Head::counted(thing);
        let next = draft.with(|next| {
            next.features.extend(super::features(mention));
            next.rank.iter_mut().for_each(|rank| rank.by = Some(by.clone()));
        });
        steps.push((mention.end, next));
    }
}
