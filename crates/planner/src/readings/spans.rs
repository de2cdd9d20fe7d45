//! How long rows took, where no number says it: the time between the two dates of a row.

use data::plan::{Agg, Dir, Op, Test};

use super::dates::{self, Spanned};
use super::filters::add;
use super::{Parser, Steps};
use crate::draft::{Amount, Condition, Draft, Head, Rank, RankKind, Target};
use crate::index::{ColId, Interval};
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::What;
use crate::score::Feature;

/// `how long do trips last`, `how long is the average stay`: the average unless the words say otherwise.
pub fn how_long(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let opening = after_average(parser, at);
    let Some((start, op)) = asked_length(parser, opening).filter(|_| draft.is_fresh()) else { return };
    let averaged = (at..parser.tokens.len()).any(|token| is_usual(parser, token) || is_average(parser.word(token)));
    for found in asked_between(parser, start) {
        let next = draft.with(|next| {
            next.heads.push(Head { agg: Some(Agg::Avg), ..Head::plain(elapsed(parser, found.interval, op)) });
            next.features.extend((!averaged).then_some(Feature::ImpliedAverage));
            next.features.extend(found.features());
        });
        steps.push((found.end, Draft { ask: Some(Ask::What), connected: true, ..next }));
    }
    let verb = parser.word(start);
    if !matches!(verb, "do" | "does" | "did" | "is" | "are" | "was" | "were") {
        return;
    }
    // "How long is the longest trip" is one row's, and so is "how many days did she stay".
    if !averaged && (op.is_some() || !matches!(verb, "do" | "does" | "did")) {
        return;
    }
    let mut end = parser.skip_determiners(start + 1);
    end += match (parser.word(end), parser.word(end + 1)) {
        ("it", "take" | "takes" | "took") => 2,
        (word, _) => usize::from(is_average(word)),
    };
    for interval in &parser.index.intervals {
        let target = elapsed(parser, *interval, op);
        let next = draft.with(|next| {
            next.heads.push(Head { agg: Some(Agg::Avg), ..Head::plain(target) });
            next.features.extend((!averaged).then_some(Feature::ImpliedAggregate));
        });
        steps.push((end, Draft { ask: Some(Ask::What), connected: true, ..next }));
    }
}

/// The token after `on average,` where a length of time is asked for next.
fn after_average(parser: &Parser, at: usize) -> usize {
    if at > 0 || !is_usual(parser, at) {
        return at;
    }
    let end = at + if parser.word(at) == "on" { 2 } else { 1 };
    end + usize::from(parser.comma(end))
}

/// `pass between A and B`, `does it take until B`, `before A do people B`: the two dates that a length is asked of.
fn asked_between(parser: &Parser, at: usize) -> Vec<Spanned> {
    const FILLERS: &[&str] = &[
        "pass",
        "passes",
        "passed",
        "elapse",
        "elapses",
        "elapsed",
        "lie",
        "lies",
        "go",
        "goes",
        "went",
        "by",
        "is",
        "are",
        "was",
        "were",
        "there",
        "do",
        "does",
        "did",
        "it",
        "take",
        "takes",
        "took",
        "we",
        "need",
        "typically",
        "usually",
        "normally",
        "on",
        "average",
        "from",
        "the",
        "time",
    ];
    let mut start = at;
    loop {
        let found = dates::between(parser, start);
        let found = if found.is_empty() { dates::until(parser, start) } else { found };
        if !found.is_empty() {
            return found;
        }
        let found = told_before(parser, start);
        if !found.is_empty() {
            return found;
        }
        if !FILLERS.contains(&parser.word(start)) {
            return Vec::new();
        }
        start += 1;
    }
}

/// `before the start do people enrol`, `after the order is it delivered`: one date by a noun, the other by the verb.
fn told_before(parser: &Parser, at: usize) -> Vec<Spanned> {
    let before = match parser.word(at) {
        "before" => true,
        "after" => false,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for noun in dates::named(parser, at + 1) {
        if !matches!(parser.word(noun.end), "do" | "does" | "did" | "is" | "are" | "was" | "were") {
            continue;
        }
        // Whoever does it: a row's noun, a pronoun, people.
        let whom = parser.skip_determiners(noun.end + 1);
        let nouns = parser.targets_named(whom).into_iter().map(|(end, _)| end);
        let somebody = matches!(parser.word(whom), "people" | "they" | "we" | "it" | "customers" | "you");
        for subject in nouns.chain(somebody.then_some(whom + 1)) {
            for verb in dates::named(parser, subject) {
                let (start, stop) = if before { (verb.date, noun.date) } else { (noun.date, verb.date) };
                let interval = dates::pair(parser, start, stop);
                found.extend(interval.map(|interval| Spanned { end: verb.end, interval, open: true }));
            }
        }
    }
    found
}

/// The token after "how long" or "how many days", and the unit where one is said.
pub(super) fn asked_length(parser: &Parser, at: usize) -> Option<(usize, Option<Op>)> {
    let at = at + usize::from(parser.word(at) == "for");
    match (parser.word(at), parser.word(at + 1)) {
        ("how", "long") => Some((at + 2, None)),
        ("how", "many") => unit_op(parser.word(at + 2)).map(|op| (at + 3, Some(op))),
        _ => None,
    }
}

fn is_average(word: &str) -> bool {
    matches!(word, "average" | "avg" | "mean" | "typical")
}

/// `on average`, `usually` at a position.
fn is_usual(parser: &Parser, at: usize) -> bool {
    let on_average = parser.word(at) == "on" && is_average(parser.word(at + 1));
    on_average || matches!(parser.word(at), "usually" | "typically" | "normally")
}

pub(super) fn elapsed(parser: &Parser, interval: Interval, op: Option<Op>) -> Target {
    let own = if interval.is_timed(parser.index) { Op::ElapsedHours } else { Op::ElapsedDays };
    Target::Elapsed(interval, op.unwrap_or(own))
}

/// `on average`, `usually`: after a number that is averaged anyway.
pub fn averaged(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let average = |head: &Head| head.agg == Some(Agg::Avg) && matches!(head.target, Target::Elapsed(..));
    if is_usual(parser, at) && !draft.is_open() && draft.heads.last().is_some_and(average) {
        steps.push((at + if parser.word(at) == "on" { 2 } else { 1 }, draft.clone()));
    }
}

/// `trips last`, `patients stay`: the verb of what took its time.
pub fn lasting(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const VERBS: &[&str] = &[
        "stay", "stays", "stayed", "staying", "last", "lasts", "lasted", "remain", "remained", "wait", "waited", "run",
        "keep", "keeps", "kept", "hold", "holds", "held", "took", "take", "takes", "taken",
    ];
    if !VERBS.contains(&parser.word(at)) || draft.heads.is_empty() || draft.pending.is_some() {
        return;
    }
    let asked = asked_length(parser, after_average(parser, 0)).is_some() && at > 0 && parser.mentions.is_data(at - 1);
    let start = at + 1 + usize::from(parser.word(at + 1) == "for");
    let compared = parser.comparisons(start, false).iter().any(|(_, _, amounts)| is_time(amounts));
    let period = parser.tokens.get(at + 1).is_some_and(|next| next.number().is_some() || is_period(parser, at + 1));
    let ranked = matches!(parser.word(parser.skip_determiners(at + 1)), "longest" | "shortest");
    if compared || ranked {
        let end = if ranked { at + 1 } else { start };
        steps.push((end, Draft { predicate: true, ..draft.clone() }));
    } else if asked && !period {
        steps.push((at + 1, Draft { connected: true, ..draft.clone() }));
    }
}

fn is_period(parser: &Parser, at: usize) -> bool {
    parser.word(at) != "last" && parser.roles(at).any(|(_, role)| matches!(role, Role::Grain(_)))
}

fn is_time(amounts: &[Amount]) -> bool {
    amounts.iter().all(|amount| amount.unit.as_ref().is_some_and(|unit| unit.family == "time"))
}

/// `more than 3 days` of a row that began and ended, `length of stay over 5 days`.
pub fn compared(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let condition = |interval: Interval, test: Test, amounts: &[Amount]| Condition::Elapsed {
        interval,
        test,
        amounts: amounts.to_vec(),
    };
    if draft.heads.is_empty() || draft.pending.is_some() {
        return;
    }
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        if !is_time(&amounts) {
            continue;
        }
        for found in dates::between(parser, end).into_iter().chain(dates::until(parser, end)) {
            steps.push((found.end, add(draft, condition(found.interval, test, &amounts), &found.features())));
        }
        // "More than 40 days of leave" are days of what comes next.
        let of_something = parser.word(end) == "of";
        for interval in parser.index.intervals.iter().filter(|_| !of_something) {
            let next = add(draft, condition(*interval, test, &amounts), &[Feature::ImpliedColumn]);
            // "More than 24 hours to clear" is said of the end of what was named.
            if let Some(verb) = dates::ending_verb(parser, end).filter(|_| is_of(parser, draft, *interval)) {
                steps.push((verb, next.with(|next| next.features.push(Feature::OpenChoice))));
            }
            steps.push((end, next));
        }
    }
    for (middle, target, _) in nouns(parser, at) {
        let Target::Elapsed(interval, _) = target else { continue };
        for (end, test, amounts) in parser.comparisons(middle, true).iter().cloned() {
            if is_time(&amounts) {
                steps.push((end, add(draft, condition(interval, test, &amounts), &[])));
            }
        }
    }
}

/// Whether what is asked for are the rows of an interval.
fn is_of(parser: &Parser, draft: &Draft, interval: Interval) -> bool {
    draft.heads.iter().all(|head| {
        matches!(head.target, Target::Thing(thing) if parser.index.things[thing].table == Some(interval.start.table))
    })
}

/// `which job took the longest`, `the 5 longest loans`: ranked by how long each took.
pub fn longest(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let dir = match parser.word(at) {
        "longest" => Dir::Desc,
        "shortest" => Dir::Asc,
        _ => return,
    };
    if draft.rank.is_some() || draft.is_open() {
        return;
    }
    let took =
        matches!(parser.word_before_determiners(at), "took" | "lasted" | "stayed" | "ran" | "take" | "last" | "stay");
    let number = parser.tokens.get(at + 1).and_then(|token| token.number()).filter(|n| n.fract() == 0.0 && *n >= 1.0);
    let named = at + 1 + usize::from(number.is_some());
    let thing = |interval: &Interval| {
        let rows = |target: &Target| matches!(target, Target::Thing(thing) if parser.index.things[*thing].table == Some(interval.start.table));
        parser.targets_named(named).iter().any(|(_, target)| rows(target))
    };
    // The only number of a table that is measured in time.
    let own = draft.heads.first().and_then(|head| match head.target {
        Target::Thing(thing) => parser.index.things[thing].table,
        _ => None,
    });
    let mut timed = parser.index.columns_called("duration");
    timed.retain(|id| Some(id.table) == own);
    // What the rows themselves say is nearer than how long something of another table took.
    let said = took && !draft.heads.is_empty() && !timed.is_empty();
    if said {
        let by = Some(Head::plain(Target::Columns(timed)));
        let rank = Rank { kind: RankKind::Adjective, dir, number: None, by, open: false };
        let next = draft.with(|next| {
            next.features.push(Feature::ImpliedColumn);
            next.rank = Some(rank);
        });
        steps.push((at + 1, next));
    }
    for interval in parser.index.intervals.iter().filter(|interval| !said || Some(interval.start.table) == own) {
        let by = Some(Head::plain(elapsed(parser, *interval, None)));
        let number = number.map(|number| number as u32);
        if took && !draft.heads.is_empty() && number.is_none() {
            let rank = Rank { kind: RankKind::Adjective, dir, number, by, open: false };
            steps.push((at + 1, draft.with(|next| next.rank = Some(rank))));
        } else if number.is_none() && is_told_in(parser, named) && draft.heads.is_empty() && thing(interval) {
            // "The longest hire, in days" is how long it was.
            let agg = if dir == Dir::Desc { Agg::Max } else { Agg::Min };
            let end = parser.targets_named(named).iter().map(|(end, _)| *end).max().unwrap_or(named);
            let head = Head { agg: Some(agg), ..Head::plain(elapsed(parser, *interval, None)) };
            steps.push((end, Draft { connected: true, ..draft.with(|next| next.heads.push(head)) }));
        } else if draft.heads.is_empty() && thing(interval) {
            let rank = Rank { kind: RankKind::Adjective, dir, number, by, open: false };
            steps.push((named, draft.with(|next| next.rank = Some(rank))));
        }
    }
}

/// Whether the unit of a length of time is said after a position.
fn is_told_in(parser: &Parser, at: usize) -> bool {
    let asks_which = parser.roles(0).any(|(_, role)| matches!(role, Role::Ask(Ask::Which | Ask::Who | Ask::List)));
    let said = |at: usize| parser.word(at) == "in" && unit_op(parser.word(at + 1)).is_some();
    !asks_which && (at..parser.tokens.len()).any(said)
}

/// `in days`: the unit in which a length of time is told.
pub fn told_in(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let op = unit_op(parser.word(at + 1)).filter(|_| parser.word(at) == "in");
    let (Some(op), Some(Head { target: Target::Elapsed(interval, _), .. })) = (op, draft.heads.last()) else { return };
    let target = Target::Elapsed(*interval, op);
    let mut next = draft.with(|_| {});
    if let Some(head) = next.heads.last_mut() {
        head.target = target;
    }
    steps.push((at + 2, next));
}

fn unit_op(word: &str) -> Option<Op> {
    match word {
        "days" | "day" => Some(Op::ElapsedDays),
        "hours" | "hour" => Some(Op::ElapsedHours),
        "minutes" | "minute" => Some(Op::ElapsedMinutes),
        _ => None,
    }
}

/// `length of stay`, `stay duration`, `time from admission to discharge`, `days to delivery`.
pub fn nouns(parser: &Parser, at: usize) -> Vec<(usize, Target, Vec<Feature>)> {
    let index = parser.index;
    let word = |at: usize| parser.word(at);
    let is_length = |at: usize| matches!(parser.word(at), "length" | "duration") && !names_quantity(parser, at);
    let mut found = Vec::new();
    for interval in &index.intervals {
        let plain = elapsed(parser, *interval, None);
        if is_length(at) {
            let of = parser.skip(at + 1, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
            let named = word(at + 1) == "of" && matches!(word(of), "stay" | "stays" | "service" | "employment");
            found.push((if named { of + 1 } else { at + 1 }, plain.clone(), Vec::new()));
        }
        let before = parser.word_before_determiners(at);
        let graded = is_average(before) || matches!(before, "median" | "longest" | "shortest" | "maximum" | "minimum");
        if matches!(word(at), "stay" | "stays") && graded && !names_quantity(parser, at) {
            found.push((at + 1, plain.clone(), Vec::new()));
        }
        if word(at) == "stay" && (is_length(at + 1) || word(at + 1) == "time") {
            found.push((at + 2, plain.clone(), Vec::new()));
        }
        if is_row_of_interval(parser, at) && (is_length(at + 1) || word(at + 1) == "time") {
            found.push((at + 2, plain.clone(), Vec::new()));
        }
    }
    // "Delivery time": until then, where the date itself has no time of day.
    for named in dates::named(parser, at).iter().filter(|named| named.end == at + 2 && word(at + 1) == "time") {
        let ends = |interval: &&Interval| interval.end == named.date && !interval.is_timed(index);
        let own = index.intervals.iter().find(ends);
        found.extend(own.map(|one| (named.end, elapsed(parser, *one, None), vec![Feature::OpenChoice])));
    }
    let op = unit_op(word(at));
    if word(at) == "time" || op.is_some() && word(at).ends_with('s') {
        let start = at + 1 + usize::from(matches!(word(at + 1), "passed" | "elapsed" | "needed" | "taken"));
        let told = dates::between(parser, start).into_iter().chain(dates::until(parser, start));
        found.extend(told.map(|one| (one.end, elapsed(parser, one.interval, op), one.features())));
    }
    found
}

/// Whether a number of the dataset is called so; another word for a part of a text's name is none.
fn names_quantity(parser: &Parser, at: usize) -> bool {
    let number = |id: &ColId| parser.index.column(*id).ty.is_number() && parser.index.facts(*id).yes.is_none();
    parser.mentions.covering(at).any(|mention| match &mention.what {
        What::Columns(columns) => columns.iter().any(number),
        What::Measure(_) | What::Value(_) | What::Thing(_) => true,
        _ => false,
    })
}

/// Whether the singular noun at a position stands for a row that began and ended.
fn is_row_of_interval(parser: &Parser, at: usize) -> bool {
    let tables: Vec<usize> = parser.index.intervals.iter().map(|interval| interval.start.table).collect();
    parser.targets_named(at).iter().any(|(end, target)| match target {
        Target::Thing(thing) => {
            let singular = parser.tokens[at].fold == parser.tokens[at].singular;
            let table = parser.index.things[*thing].table;
            *end == at + 1 && singular && table.is_some_and(|table| tables.contains(&table))
        }
        _ => false,
    })
}
