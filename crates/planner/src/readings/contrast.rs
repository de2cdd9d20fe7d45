//! Two sides against each other: `do women earn more than men`, `is it warmer in the north or in the south`,
//! `this month compared with last month`.
//!
//! Only the words that set the sides against each other are read here; each side is a condition like any other.

use data::plan::{Agg, Dir, Test};

use super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft, Filter, Head, Target};
use crate::index::ColId;
use crate::lexicon::{Glue, Role, Unit};
use crate::mentions::{Mention, What};
use crate::period::When;
use crate::score::Feature;

/// `compare`: two periods that follow are its sides.
pub fn compare_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if matches!(parser.word(at), "compare" | "comparison") && draft.contrast.is_none() && draft.heads.is_empty() {
        let end = at + 1 + usize::from(parser.word(at + 1) == "of");
        steps.push((end, Draft { contrast: Some(0), ..draft.clone() }));
    }
}

/// `difference in … between`, `how much higher`: the number that is left between two sides.
pub fn difference(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let awaits = draft.difference.is_some() && draft.contrast == Some(0) && !draft.is_open();
    if awaits && parser.word(at) == "between" && draft.filters.is_empty() {
        steps.push((at + 1, Draft { connected: true, ..draft.clone() }));
    }
    if draft.contrast.is_some() || draft.difference.is_some() || !draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let degree = parser.word(at) == "how" && parser.word(at + 1) == "much" && is_degree(parser.word(at + 2));
    let end = match parser.word(at) {
        "difference" => at + 1 + usize::from(matches!(parser.word(at + 1), "in" | "of" | "between")),
        _ if degree => at + 3,
        _ => return,
    };
    let lower = degree && matches!(parser.word(at + 2), "less" | "fewer" | "lower" | "smaller" | "worse");
    let difference = Some(if lower { Dir::Asc } else { Dir::Desc });
    let contrast = (!degree).then_some(0);
    steps.push((end, Draft { difference, contrast, ..draft.with(|_| {}) }));
}

/// `than`, `compared with`, `vs`, and `or` after a comparative: the other side follows.
pub fn versus(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.filters.is_empty() || draft.is_open() || draft.contrast.is_some_and(|sides| sides > 0) {
        return;
    }
    let than = (parser.word(at) == "than").then_some(at + 1);
    let or = (parser.word(at) == "or" && compares(parser, 0, at)).then_some(at + 1);
    // "Compare the score of winners with that of losers".
    let with = (draft.contrast == Some(0) && matches!(parser.word(at), "with" | "to" | "against")).then_some(at + 1);
    if let Some(end) = and_each(parser, at, draft) {
        let next = against(draft);
        steps.push((end, next.with(|next| next.features.push(Feature::OpenChoice))));
    }
    if parser.role(at, Role::And).is_some() && denied_end(parser, at + 1).is_some() {
        steps.push((at + 1, against(draft)));
    }
    let between = draft.difference.is_some() && draft.contrast == Some(0);
    let and = between.then(|| parser.role(at, Role::And)).flatten();
    let Some(end) = than.or_else(|| parser.role(at, Role::Versus)).or(or).or(with).or(and) else { return };
    if is_side(parser, end) {
        steps.push((end, against(draft)));
    }
}

/// "For this month and for last month" asks for each of them.
fn and_each(parser: &Parser, at: usize, draft: &Draft) -> Option<usize> {
    let end = parser.role(at, Role::And)?;
    let last = matches!(draft.filters.last()?.condition, Condition::Time { when: When::In(_), .. });
    let preposition = parser.word(end);
    let repeated = matches!(preposition, "for" | "in") && (0..at).any(|before| parser.word(before) == preposition);
    let period =
        |at: usize| parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::When(When::In(_))));
    (last && repeated && (period(end) || period(parser.skip_determiners(end + 1)))).then_some(end)
}

fn against(draft: &Draft) -> Draft {
    Draft { contrast: Some(draft.filters.len()), predicate: true, connected: true, ..draft.clone() }
}

/// Whether a condition without a number starts at a position, joining words and "those" apart.
fn is_side(parser: &Parser, at: usize) -> bool {
    let start = parser.skip(at, |glue| glue != Glue::Other);
    let side = |what: &What| {
        let state = matches!(what, What::Value(_) | What::Flag(_) | What::Opposite { .. });
        state || matches!(what, What::When(_) | What::Thing(_) | What::Role(Role::Not))
    };
    let named = |at: usize| parser.mentions.at(at).iter().any(|mention| side(&mention.what));
    named(at) || named(start) || others_end(parser, at).is_some()
}

/// The position after `the others`, `everyone else`: all that the first side is not.
fn others_end(parser: &Parser, at: usize) -> Option<usize> {
    let start = parser.skip(at, |glue| matches!(glue, Glue::Determiner | Glue::Preposition | Glue::Relative));
    if let Some(end) = denied_end(parser, at) {
        return Some(end);
    }
    match (parser.word(start), parser.word(start + 1)) {
        ("others" | "rest", _) => Some(start + 1),
        ("other", "ones") | ("everyone" | "everybody" | "everything" | "anyone", "else") => Some(start + 2),
        ("other", _) => {
            let thing = |mention: &&Mention| matches!(mention.what, What::Thing(_) | What::Role(Role::Rows));
            parser.mentions.at(start + 1).iter().find(thing).map(|mention| mention.end)
        }
        _ => None,
    }
}

/// The position after `without`, `those that don't`, where nothing more is said of what they lack.
fn denied_end(parser: &Parser, at: usize) -> Option<usize> {
    let mut end = at;
    while matches!(parser.word(end), "those" | "ones" | "the" | "that" | "who" | "which" | "do" | "does" | "are" | "is")
    {
        end += 1;
    }
    let alone = match parser.word(end) {
        "without" => true,
        word => {
            end > at
                && matches!(
                    word,
                    "don't"
                        | "dont"
                        | "doesn't"
                        | "doesnt"
                        | "didn't"
                        | "didnt"
                        | "not"
                        | "aren't"
                        | "isn't"
                        | "haven't"
                        | "hasn't"
                )
        }
    };
    let closed = |at: usize| {
        let groups = parser.roles(at).any(|(_, role)| matches!(role, Role::GroupBy | Role::GroupPer));
        at >= parser.tokens.len() || parser.comma(at) || groups
    };
    (alone && closed(end + 1)).then_some(end + 1)
}

/// `with vs without solar panels`, `with and without damage`: both sides of what rows can have.
pub fn with_and_without(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let joint = parser.role(at + 1, Role::Versus).or_else(|| {
        let and = parser.role(at + 1, Role::And);
        and.or_else(|| (parser.word(at + 1) == "or").then_some(at + 2))
    });
    let Some(joint) = joint.filter(|_| parser.word(at) == "with" && !draft.heads.is_empty()) else { return };
    if parser.word(joint) != "without" || draft.is_open() || draft.contrast.is_some() {
        return;
    }
    let start = parser.skip_determiners(joint + 1);
    for mention in parser.mentions.at(start) {
        let (What::Columns(columns) | What::Flag(columns)) = &mention.what else { continue };
        let group = Target::Columns(columns.clone());
        if columns.iter().all(|id| parser.index.facts(*id).yes.is_some()) && !draft.groups.contains(&group) {
            let next = draft.with(|next| {
                next.features.extend(features(mention));
                next.features.push(Feature::OpenChoice);
                next.groups.push(group);
                next.filters.extend(crate::build::known(parser.index, columns));
            });
            steps.push((mention.end, next));
        }
    }
}

/// `versus the others`: the opposite of the condition on the first side.
pub fn the_others(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(sides) = draft.contrast.filter(|sides| *sides > 0 && *sides == draft.filters.len()) else { return };
    let Some(end) = others_end(parser, at) else { return };
    let first = draft.filters[sides - 1].clone();
    if !matches!(first.condition, Condition::Time { .. }) && !first.negated {
        steps.push((end, draft.with(|next| next.filters.push(Filter { negated: true, ..first }))));
    }
}

/// Whether a comparative stands between two positions.
fn compares(parser: &Parser, from: usize, to: usize) -> bool {
    (from..to).any(|at| quantity_of(parser, at).is_some() || is_degree(parser.word(at)))
}

fn is_degree(word: &str) -> bool {
    matches!(
        word,
        "more" | "less" | "fewer" | "higher" | "lower" | "bigger" | "larger" | "smaller" | "better" | "worse"
    )
}

/// The columns that a comparative such as `warmer` or `more expensive` names, with the token after it.
fn quantity_of(parser: &Parser, at: usize) -> Option<(usize, Columns)> {
    let index = parser.index;
    let single = index.lexicon.comparative(&format!("{} than", parser.word(at))).map(|found| (at + 1, found));
    let pair = || {
        let phrase = format!("{} {} than", parser.word(at), parser.word(at + 1));
        index.lexicon.comparative(&phrase).map(|found| (at + 2, found))
    };
    let (end, (_, words)) = single.or_else(pair)?;
    let named = |id: &ColId| index.facts(*id).has_any(words);
    let columns: Columns = index.columns().filter(|id| index.column(*id).ty.is_number() && named(id)).collect();
    (!columns.is_empty()).then_some((end, columns))
}

/// Whether the other side of a comparison follows.
fn is_contrasted(parser: &Parser, at: usize) -> bool {
    let joint = |at: usize| {
        matches!(parser.word(at), "than" | "or") && is_side(parser, at + 1)
            || parser.role(at, Role::Versus).is_some_and(|end| is_side(parser, end))
    };
    (at..parser.tokens.len()).any(joint)
}

/// `warmer`, `more expensive`: what the sides are compared by, where no number is asked for yet.
pub fn comparative(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() || draft.contrast.is_some() || !is_contrasted(parser, at + 1) {
        return;
    }
    // "Is it warmer": what it is has no other name.
    let it = parser.word(at) == "it" && matches!(parser.before(at), "is" | "was");
    let start = at + usize::from(it);
    if let Some((end, columns)) = quantity_of(parser, start).filter(|_| draft.heads.is_empty()) {
        let next = draft.with(|next| {
            next.heads.push(Head { agg: Some(Agg::Avg), ..Head::plain(Target::Columns(columns)) });
            next.features.push(Feature::ImpliedAggregate);
        });
        steps.push((end, next));
    }
    // "Higher" and "longer" of a number that is said.
    let degree =
        is_degree(parser.word(at)) || matches!(parser.word(at), "longer" | "shorter") && is_timed(parser, draft);
    if degree && draft.heads.last().is_some_and(is_number) && parser.word(at + 1) != "than" {
        steps.push((at + 1, draft.clone()));
    }
    // "More orders than", "a higher salary than": the number itself.
    let owner = match &draft.heads[..] {
        [Head { target: Target::Thing(thing), agg: None, .. }] if draft.rank.is_none() => Some(*thing),
        _ => None,
    };
    if is_degree(parser.word(at)) && (draft.heads.is_empty() || owner.is_some()) {
        let many = matches!(parser.word(at), "more" | "less" | "fewer") && owner.is_none();
        let average = at + 1 + usize::from(parser.role(at + 1, Role::Agg(Agg::Avg)).is_some());
        for (end, target, found) in parser.targets(average).iter().cloned() {
            let number = matches!(target, Target::Measure(_) | Target::Columns(_));
            if number || many && matches!(target, Target::Thing(_) | Target::Flag(_)) {
                let next = draft.with(|next| {
                    next.features.extend(found);
                    let agg = (average > at + 1).then_some(Agg::Avg);
                    next.heads = vec![Head { agg, ..Head::plain(target) }];
                    next.scopes.extend(owner);
                });
                steps.push((end, next));
            }
        }
    }
}

/// Whether the number asked for is a length of time.
fn is_timed(parser: &Parser, draft: &Draft) -> bool {
    let timed = |unit: Option<&str>| unit.is_some_and(|unit| parser.index.lexicon.unit(unit).is_some_and(is_time));
    draft.heads.iter().all(|head| match &head.target {
        Target::Elapsed(..) => true,
        Target::Columns(columns) => columns.iter().all(|id| parser.index.facts(*id).unit.as_ref().is_some_and(is_time)),
        Target::Measure(measure) => timed(parser.index.measure(*measure).unit.as_deref()),
        _ => false,
    })
}

fn is_time(unit: &Unit) -> bool {
    unit.family == "time"
}

/// Whether a head is a number that can be more or less; of things alone a verb would have to say it.
fn is_number(head: &Head) -> bool {
    let number = |target: &Target| {
        matches!(target, Target::Columns(_) | Target::Measure(_) | Target::Elapsed(..) | Target::Formula(_))
    };
    head.agg.is_some() || number(&head.target)
}

/// `people in Boston earn more than`, `smokers stay longer than`: the verb says what is compared.
pub fn does_more_than(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let subject = match &draft.heads[..] {
        [] => None,
        [Head { target: Target::Thing(thing), agg: None, .. }] => Some(*thing),
        _ => return,
    };
    if draft.filters.is_empty() || draft.is_open() || draft.contrast.is_some() || draft.rank.is_some() {
        return;
    }
    let than = |at: usize| {
        // "How much more do men earn than women".
        let average = parser.role(at, Role::Agg(Agg::Avg)).unwrap_or(at);
        if draft.difference.is_some() && parser.word(average) == "than" && is_side(parser, average + 1) {
            return Some(average + 1);
        }
        let compared = parser.roles(at).find_map(|(end, role)| match role {
            Role::Compare(Test::Gt | Test::Lt) => Some(end),
            _ => None,
        });
        compared.filter(|end| parser.word(end - 1) == "than" && is_side(parser, *end))
    };
    let mut found: Vec<(usize, Target, Vec<Feature>)> = Vec::new();
    for mention in parser.mentions.at(at).iter().filter(|mention| mention.synonym || mention.stemmed) {
        let What::Columns(columns) = &mention.what else { continue };
        let number = |id: &ColId| parser.index.is_quantity(*id);
        if columns.iter().all(number) {
            found.push((mention.end, Target::Columns(columns.clone()), features(mention)));
        }
    }
    let lasts = matches!(parser.word(at), "stay" | "stayed" | "last" | "lasted" | "take" | "took" | "run" | "ran");
    if lasts && matches!(parser.word(at + 1), "longer" | "shorter") {
        let intervals = parser.index.intervals.iter();
        found.extend(intervals.map(|interval| (at + 1, super::spans::elapsed(parser, *interval, None), Vec::new())));
    }
    for (verb, target, features) in found {
        let Some(end) = than(verb) else { continue };
        let next = draft.with(|next| {
            next.features.extend(features);
            next.features.push(Feature::ImpliedAggregate);
            next.heads = vec![Head { agg: Some(Agg::Avg), ..Head::plain(target) }];
            next.scopes.extend(subject);
        });
        steps.push((end, against(&next)));
    }
}

/// `earn more than men`, `higher than on weekdays`, `older than men`: a comparison with a side instead of a number.
pub fn more_than(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.filters.is_empty() || draft.is_open() || draft.contrast.is_some() {
        return;
    }
    let phrase = |mention: &&Mention| match &mention.what {
        What::Role(Role::Compare(Test::Gt | Test::Lt)) => parser.word(mention.end - 1) == "than",
        _ => false,
    };
    for mention in parser.mentions.at(at).iter().filter(phrase) {
        if is_side(parser, mention.end) && draft.heads.last().is_some_and(is_number) {
            steps.push((mention.end, against(draft)));
        }
    }
    // "Use more on average than".
    let average = parser.role(at + 1, Role::Agg(Agg::Avg)).filter(|_| is_degree(parser.word(at)));
    if let (Some(end), [Head { agg: None | Some(Agg::Avg), target: Target::Columns(_), .. }]) =
        (average, &draft.heads[..])
        && parser.word(end) == "than"
        && is_side(parser, end + 1)
    {
        let mut next = against(draft);
        next.heads[0].agg = Some(Agg::Avg);
        steps.push((end + 1, next));
    }
    let than = parser.mentions.at(at).iter().find(|mention| matches!(mention.what, What::Comparative(_)));
    if let (Some(mention), Some((_, columns))) = (than, quantity_of(parser, at))
        && draft.heads.is_empty()
        && is_side(parser, mention.end)
    {
        let next = draft.with(|next| {
            next.features.extend(features(mention));
            next.features.push(Feature::ImpliedAggregate);
            next.heads.push(Head { agg: Some(Agg::Avg), ..Head::plain(Target::Columns(columns)) });
        });
        steps.push((mention.end, against(&next)));
    }
}
