//! Phrases that say a whole condition or a whole way of telling at once: `came back late`, `of each`, `in percent`.

use data::plan::{Agg, Op, Test};

use super::super::Parser;
use super::super::lateness::done_and_due;
use super::frame::{Frame, Last};
use super::named;
use super::steps::{Found, names};
use crate::draft::{Amount, Columns, Condition, Filter, Formula, Head, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// Every step that such a phrase takes.
pub fn from(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if !frame.is_free() {
        return;
    }
    of_each(parser, at, frame, found);
    in_percent(parser, at, frame, found);
    late(parser, at, frame, found);
    elsewhere(parser, at, frame, found);
    some_of_it(parser, at, frame, found);
    in_stock(parser, at, frame, found);
    where_and_when(parser, at, frame, found);
    worth(parser, at, frame, found);
    pronoun(parser, at, frame, found);
}

/// `… and how often does each occur`, `how many of each`: kinds with their numbers; `of both`: after two sides.
fn of_each(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const COUNTS: &[&[&str]] = &[
        &["how", "often", "does", "each"],
        &["how", "often", "do", "they"],
        &["how", "often", "did", "each"],
        &["how", "often", "is", "each"],
        &["how", "often", "each"],
        &["how", "many", "of", "each"],
        &["how", "many", "are", "there", "of", "each"],
        &["how", "many", "times", "each"],
    ];
    const BOTH: &[&[&str]] = &[
        &["of", "each"],
        &["of", "both"],
        &["for", "each"],
        &["for", "both"],
        &["of", "each", "of", "them"],
        &["of", "the", "two"],
    ];
    let length = parser.tokens.len();
    let index = parser.index;
    if let (Some(end), [Head { target: Target::Columns(columns), agg: None, amount: false, .. }]) =
        (parser.after_phrase(at, COUNTS), &frame.draft.heads[..])
    {
        let verb = (end..length)
            .take_while(|at| {
                matches!(
                    parser.word(*at),
                    "occur" | "occurs" | "happen" | "happens" | "appear" | "turn" | "come" | "up" | "used"
                )
            })
            .count();
        let kinds = columns.iter().all(|id| !index.column(*id).ty.is_number());
        let rows = columns.first().and_then(|id| index.rows_of(id.table));
        if let (true, Some(rows), true) = (kinds, rows, end + verb == length) {
            let columns = columns.clone();
            let gaps = columns.iter().any(|id| index.column(*id).nulls > 0);
            let mut next = frame.with(Last::Head, |next| {
                next.draft.heads = vec![Head::counted(rows)];
                next.draft.groups.push(Target::Columns(columns.clone()));
            });
            if gaps {
                let zone = next.draft.zone();
                let condition = Condition::Missing(columns);
                next.draft.filters.push(Filter { condition, negated: true, zone });
            }
            found.push((length, next));
        }
    }
    let sided = frame.draft.contrast.is_some() || !frame.draft.groups.is_empty();
    let ends = BOTH.iter().filter(|phrase| parser.after_phrase(at, &[phrase]) == Some(length));
    if sided && ends.count() > 0 {
        found.push((length, frame.clone()));
    }
}

/// `in percent`: each group as a share of all.
fn in_percent(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const PHRASES: &[&[&str]] = &[
        &["in", "percent"],
        &["in", "%"],
        &["as", "a", "percentage"],
        &["as", "percentages"],
        &["in", "percentages"],
        &["as", "a", "share"],
    ];
    let Some(end) = parser.after_phrase(at, PHRASES) else { return };
    let end = end + usize::from(parser.word(end) == "please");
    let counts = frame.draft.heads.iter().all(|head| head.target.is_rows());
    let mut next = frame.clone();
    if frame.draft.share {
        found.push((end, next));
    } else if counts && !frame.draft.groups.is_empty() {
        next.draft.percent = true;
        found.push((end, next));
    }
}

/// `late`: after the day by which it was due.
fn late(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let (test, end) = match (parser.word(at), parser.word(at + 1)) {
        ("late", _) => (Test::Gt, at + 1),
        ("too", "late") => (Test::Gt, at + 2),
        ("on", "time") => (Test::Le, at + 2),
        _ => return,
    };
    let index = parser.index;
    let table = frame.draft.heads.first().and_then(|head| match &head.target {
        Target::Thing(thing) => index.things[*thing].table,
        _ => None,
    });
    let tables: Vec<usize> = table.map_or_else(|| (0..index.dataset.tables.len()).collect(), |table| vec![table]);
    let pairs: Vec<(ColId, ColId)> = tables.into_iter().filter_map(|table| done_and_due(parser, table)).collect();
    let [(done, due)] = pairs[..] else { return };
    if parser.mentions.is_data(at) && !matches!(parser.word(at), "late" | "on") {
        return;
    }
    let condition = Condition::Columns { left: vec![done], test, right: vec![due] };
    let mut next = frame.conditioned(condition, &[Feature::ImpliedColumn]);
    next.event = None;
    let (done, due) = (&index.column(done).name, &index.column(due).name);
    next.draft.assume("late", format!("late = {done} after {due}; what is not done yet does not count"));
    found.push((end, next));
}

/// `at a different branch from where they started`: the two ends of a row are not the same.
fn elsewhere(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if !matches!(parser.word(at), "different" | "another") {
        return;
    }
    let index = parser.index;
    let length = parser.tokens.len();
    for mention in parser.mentions.at(at + 1) {
        let What::Thing(thing) = mention.what else { continue };
        let Some(place) = index.things[thing].table else { continue };
        let fork = index.schema.forks.iter().find(|fork| fork.to == place && fork.relations.len() == 2);
        let Some(fork) = fork else { continue };
        let column = |relation: usize| {
            let relation = &index.dataset.relations[relation];
            index.find(&format!("{}.{}", relation.from_table, relation.from_column))
        };
        let (Some(left), Some(right)) = (column(fork.relations[0]), column(fork.relations[1])) else { continue };
        // What follows only says from where.
        let chooses = |at: usize| {
            let value = |mention: &Mention| matches!(mention.what, What::Value(_) | What::When(_));
            parser.mentions.at(at).iter().any(value) || parser.tokens[at].number().is_some()
        };
        let comma = (mention.end..length).find(|at| parser.comma(*at)).unwrap_or(length);
        if !(mention.end..comma).any(chooses) && comma == length {
            let condition = Condition::Columns { left: vec![left], test: Test::Ne, right: vec![right] };
            let mut next = frame.conditioned(condition, &[Feature::ImpliedColumn]);
            next.event = None;
            found.push((comma, next));
        }
    }
}

/// `at a discount`, `with a tip`: more than none, where most rows have none.
fn some_of_it(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    // "With or without a tip" are both.
    if parser.word(at + 1) == "or" || parser.before(at) == "or" {
        return;
    }
    let (negated, start) = match parser.word(at) {
        "at" | "with" | "had" | "have" | "has" | "got" => (false, at + 1),
        "without" | "no" => (true, at + 1),
        _ => return,
    };
    let index = parser.index;
    let start = parser.skip_determiners(start);
    let zero = |id: &ColId| {
        let info = index.column(*id);
        let low = info.min.as_ref().and_then(crate::build::number_of) == Some(0.0);
        info.ty.is_number() && info.nulls == 0 && low && !index.facts(*id).identifier && index.facts(*id).yes.is_none()
    };
    for (end, target, said) in names(parser, start).iter().cloned() {
        let Target::Columns(columns) = &target else { continue };
        let token = &parser.tokens[end - 1];
        let own = |id: &ColId| match frame.draft.heads.first().map(|head| &head.target) {
            Some(Target::Thing(thing)) => index.things[*thing].table == Some(id.table),
            _ => true,
        };
        let compared = !parser.comparisons(end, true).is_empty();
        if negated && !columns.iter().all(own) || compared || frame.denied {
            continue;
        }
        if columns.iter().all(zero) && (token.fold == token.singular || !frame.draft.heads.is_empty()) {
            let amounts = vec![Amount::bare(0.0)];
            let test = if negated { Test::Eq } else { Test::Gt };
            let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
            found.push((end, frame.conditioned(condition, &[&said[..], &[Feature::OpenChoice]].concat())));
        }
    }
}

/// `units in stock`, `in the warehouse`: what is left, not what was sold.
fn in_stock(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let Some(end) = parser.role(at, Role::Available(true)) else { return };
    let index = parser.index;
    let kept = |id: &ColId| {
        let words = &index.facts(*id).words;
        index.column(*id).ty.is_number()
            && words.iter().any(|word| matches!(word.as_str(), "stock" | "inventory" | "onhand"))
    };
    let columns: Columns = index.columns().filter(kept).collect();
    let counted = |head: &Head| head.agg == Some(Agg::Count) || head.amount;
    let said = (0..at).any(|at| matches!(parser.tokens[at].singular.as_str(), "unit" | "piece"));
    let units =
        said && matches!(&frame.draft.heads[..], [head] if counted(head) && !matches!(head.target, Target::Thing(_)));
    if let ([column], true) = (&columns[..], units) {
        let column = *column;
        found.push((
            end,
            frame.with(Last::Head, |next| {
                next.draft.heads = vec![Head { agg: Some(Agg::Sum), ..Head::plain(Target::Columns(vec![column])) }];
                next.draft.features.push(Feature::OpenChoice);
            }),
        ));
    }
}

/// `where was the highest`, `where and when did we measure`: the place and the time of a row.
fn where_and_when(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const PLACES: &[&str] =
        &["location", "place", "site", "station", "city", "town", "room", "venue", "area", "district", "position"];
    let phrases: [(&[&str], bool, bool); 4] = [
        (&["where", "and", "when"], true, true),
        (&["when", "and", "where"], true, true),
        (&["where"], true, false),
        (&["when"], false, true),
    ];
    let here = |(words, _, _): &&(&[&str], bool, bool)| parser.after_phrase(at, &[words]).is_some();
    let Some((words, place, time)) = phrases.iter().find(here).filter(|_| at == 0 && frame.draft.heads.is_empty())
    else {
        return;
    };
    let index = parser.index;
    let named = |id: &ColId| {
        index.column(*id).ty == base::Type::Text
            && index.facts(*id).core.iter().any(|word| PLACES.contains(&word.as_str()))
    };
    let places: Columns = index.columns().filter(named).collect();
    let dates: Columns = index.columns().filter(|id| index.column(*id).ty.is_temporal()).collect();
    let ranked = (0..parser.tokens.len()).any(|at| {
        let extreme = |mention: &Mention| matches!(mention.what, What::Role(Role::Extreme(_)) | What::Adjective(_));
        parser.mentions.at(at).iter().any(extreme)
    });
    if !ranked || *place && places.len() != 1 || *time && dates.len() != 1 {
        return;
    }
    let next = frame.with(Last::Head, |next| {
        next.draft.ask = Some(Ask::Which);
        next.row_of = if *place { Some(places.clone()) } else { None };
        next.date_of = time.then(|| dates.clone());
        next.draft.features.push(Feature::OpenChoice);
    });
    found.push((at + words.len(), next));
}

/// `spent on drugs`, `turnover`: the quantity of a row times what one costs, where no column says what it comes to.
fn worth(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const WORDS: &[&str] =
        &["spend", "spending", "spent", "revenue", "sales", "turnover", "takings", "money", "income", "worth"];
    let index = parser.index;
    if !WORDS.contains(&parser.word(at)) {
        return;
    }
    let says = |id: ColId, words: &[&str]| index.facts(id).has_any(words);
    let formulas: Vec<Formula> = (0..index.dataset.tables.len())
        .filter_map(|table| {
            let numbers = || index.columns().filter(move |id| id.table == table && index.column(*id).ty.is_number());
            let priced: Columns =
                numbers().filter(|id| says(*id, &["price", "cost"]) && says(*id, &["unit", "each", "piece"])).collect();
            let counted: Columns = numbers()
                .filter(|id| says(*id, &["quantity", "qty", "units"]) && !says(*id, &["price", "cost"]))
                .collect();
            let whole =
                numbers().any(|id| says(id, &["total", "amount", "revenue", "discount"]) && !says(id, &["quantity"]));
            let ([price], [count]) = (&priced[..], &counted[..]) else { return None };
            (!whole).then(|| Formula { op: Op::Mul, left: vec![*count], right: vec![*price], factor: 1.0 })
        })
        .collect();
    let [formula] = &formulas[..] else { return };
    if !index.dataset.measures.is_empty() {
        return;
    }
    // "Spent on drugs", "money spent".
    let end = at + 1 + usize::from(WORDS.contains(&parser.word(at + 1)));
    let end = end + usize::from(matches!(parser.word(end), "on" | "from"));
    let target = Target::Formula(formula.clone());
    for mut next in named::added(parser, at, at + 1, frame, &target, &[Feature::Synonym]) {
        let sum = |head: &mut Head| {
            if matches!(head.target, Target::Formula(_)) && head.agg.is_none() {
                (head.agg, head.amount) = (Some(Agg::Sum), false);
            }
        };
        next.draft.heads.iter_mut().for_each(sum);
        if let Some(by) = next.draft.rank.as_mut().and_then(|rank| rank.by.as_mut()) {
            sum(by);
        }
        next.draft.assume("worth", "what a row comes to is its quantity times the price of one");
        found.push((end, next));
    }
}

/// `it takes`, `they gave`: what was named before.
fn pronoun(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let said = matches!(parser.word(at), "it" | "they" | "them" | "ones" | "one");
    let known = !frame.draft.heads.is_empty() || !frame.aggs.is_empty() || !frame.draft.filters.is_empty();
    if said && known && !parser.mentions.is_data(at) {
        found.push((at + 1, frame.clone()));
    }
}
