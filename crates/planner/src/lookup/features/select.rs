//! Which column is asked for.

use super::super::candidates::Conditions;
use super::super::scene::{Mention, Scene, Span};
use super::{Sink, after, before, class, cover, distance, few};

/// A mention that says this much counts as naming the column.
const NAMED: f64 = 0.5;

/// Features of a column alone.
pub fn column(scene: &Scene, at: usize, sink: &mut impl Sink) {
    let column = &scene.table.columns[at];
    let kind = column.kind.as_str();
    let best = scene.mentions[at].first();
    let coverage = best.map_or(0.0, |mention| mention.coverage);
    let top = |except: Option<usize>| {
        let others = scene.mentions.iter().enumerate().filter(|(other, _)| Some(*other) != except);
        others.filter_map(|(_, mentions)| mentions.first()).map(|mention| mention.coverage).fold(0.0, f64::max)
    };
    sink.add(&["cover", "column", cover(coverage)]);
    sink.add_times(&["cover", "column"], coverage);
    sink.add(&["cover", "column", cover(coverage), "best other", cover(top(Some(at)))]);
    sink.add_times(&["cover", "below the best"], top(None) - coverage);
    if let Some(mention) = best {
        sink.add(&["cover", "said", few(mention.said), if mention.literal { "literally" } else { "loosely" }]);
        let missing = column.header.iter().filter(|word| word.weight > 0.1).count().saturating_sub(mention.said);
        sink.add(&["cover", "missing", few(missing)]);
    }
    let named = if coverage > 0.7 {
        "named"
    } else if coverage > 0.0 {
        "hinted"
    } else {
        "silent"
    };
    sink.add(&["asks", scene.asks, kind, named]);
    sink.add(&["asks", scene.asks, kind]);
    if scene.asked[at] {
        sink.add(&["asks", "fits", scene.asks, named]);
        sink.add(&["asks", "fits", scene.asks, "best", cover(top(None))]);
    }
    let place = if at == 0 {
        "first"
    } else if at + 1 == scene.table.columns.len() {
        "last"
    } else {
        "inner"
    };
    sink.add(&["place", "column", place, named]);
    sink.add(&["place", "column", place, scene.asks]);
    let varied = if column.unique { "unique" } else { "repeated" };
    sink.add(&["kind", varied, scene.asks, named]);
    sink.add(&["kind", varied, kind, named]);
    if let Some(mention) = best.filter(|mention| mention.coverage >= 0.3) {
        position(scene, at, mention, sink);
    }
}

/// Where the name stands.
fn position(scene: &Scene, at: usize, mention: &Mention, sink: &mut impl Sink) {
    let span = mention.span;
    let strong = if mention.coverage > 0.7 { "strong" } else { "weak" };
    let side = if span.start > scene.asks_at { "after" } else { "before" };
    let telling = content_between(scene, scene.asks_at + 1, span.start);
    sink.add(&["place", "asks", scene.asks, side, few(telling), strong]);
    sink.add(&["place", "asks", side, distance(span.start.abs_diff(scene.asks_at)), strong]);
    sink.add(&["place", "preceded by", before(scene, span)]);
    let second = span.start.checked_sub(2);
    sink.add(&["place", "preceded by", class(scene, second), before(scene, span)]);
    sink.add(&["place", "followed by", after(scene, span)]);
    if span.end == scene.words.len() {
        sink.add(&["place", "at the end", strong]);
    }
    let earlier = scene.mentions.iter().enumerate().filter(|(other, mentions)| {
        let before = mentions.first().is_some_and(|m| m.coverage >= NAMED && m.span.start < span.start);
        *other != at && before
    });
    sink.add(&["place", "names before", few(earlier.count()), strong]);
    let covering = scene.mentions.iter().enumerate().any(|(other, mentions)| {
        let wider = |m: &Mention| m.said > mention.said && m.span.overlaps(span);
        other != at && mentions.iter().any(wider)
    });
    if covering {
        sink.add(&["cover", "inside another name", strong]);
    }
    let sharing = scene.mentions.iter().enumerate().any(|(other, mentions)| {
        let same = |m: &Mention| m.span == span && m.coverage >= mention.coverage;
        other != at && mentions.iter().any(same)
    });
    if sharing {
        sink.add(&["cover", "shared with another", strong]);
    }
}

fn content_between(scene: &Scene, from: usize, to: usize) -> usize {
    scene.words.get(from..to).map_or(0, |words| words.iter().filter(|word| word.closed.is_none()).count())
}

/// Features of a column beside conditions.
pub fn column_and_conditions(scene: &Scene, at: usize, set: &Conditions, sink: &mut impl Sink) {
    let links = || set.links.iter().map(|link| &scene.links[*link]);
    if let Some(link) = links().find(|link| link.column == at) {
        sink.add(&["place", "conditioned too", link.relation.as_str()]);
    }
    let free = scene.mentions[at].iter().find(|mention| links().all(|link| !link.span.overlaps(mention.span)));
    let coverage = free.map_or(0.0, |mention| mention.coverage);
    let lost = scene.mentions[at].first().map_or(0.0, |mention| mention.coverage) - coverage;
    sink.add(&["cover", "free of values", cover(coverage)]);
    sink.add_times(&["cover", "lost to values"], lost);
    let owned = owned(scene, set);
    if let Some(mention) = free.filter(|mention| mention.coverage >= 0.3) {
        let span = mention.span;
        if let Some(link) = links().min_by_key(|link| link.span.gap(span)) {
            let side = if link.span.start > span.start { "value after" } else { "value before" };
            let named = scene.nearest(link.column, link.span).is_some_and(|mention| mention.coverage >= NAMED);
            let own = if named { "named" } else { "bare" };
            sink.add(&["near", side, distance(link.span.gap(span)), own]);
            let numeric = if scene.words[link.span.end - 1].number.is_some() { "number" } else { "text" };
            sink.add(&["near", side, distance(link.span.gap(span)), numeric]);
        }
        if owned.iter().any(|other| other.overlaps(span)) {
            sink.add(&["near", "takes a condition's name"]);
        }
        let order = links().filter(|link| link.span.start < span.start).count();
        sink.add(&["near", "values before", few(order), "of", few(set.links.len())]);
    }
    unused(scene, at, set, sink);
}

/// Words that a candidate says nothing about.
fn unused(scene: &Scene, at: usize, set: &Conditions, sink: &mut impl Sink) {
    let left = Leftover::of(scene, at, set);
    sink.add_times(&["unused", "words"], (left.words.len() as f64).min(6.0));
    sink.add(&["unused", "names", few(left.names)]);
    sink.add(&["unused", "numbers", few(left.numbers)]);
    sink.add(&["unused", "columns", few(left.columns)]);
    if left.compared {
        sink.add(&["unused", "than"]);
    }
}

/// What of a question a column and conditions leave over.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// Positions of telling words.
    pub words: Vec<usize>,
    /// How many of these are proper names.
    pub names: usize,
    pub numbers: usize,
    /// How many other columns are named.
    pub columns: usize,
    /// Whether something is compared.
    pub compared: bool,
    /// For each word of the question, whether it is a part of a value or of a column's name.
    pub covered: Vec<bool>,
}

impl Leftover {
    pub fn of(scene: &Scene, at: usize, set: &Conditions) -> Leftover {
        let links = || set.links.iter().map(|link| &scene.links[*link]);
        let mut covered = vec![false; scene.words.len()];
        let free = scene.mentions[at].iter().find(|mention| links().all(|link| !link.span.overlaps(mention.span)));
        let names = owned(scene, set).into_iter().chain(free.map(|mention| mention.span));
        for span in links().map(|link| link.span).chain(names) {
            covered[span.start..span.end].fill(true);
        }
        let left = || scene.words.iter().enumerate().filter(|(place, _)| !covered[*place]);
        let words: Vec<usize> =
            left().filter(|(_, word)| word.closed.is_none() && word.number.is_none()).map(|(place, _)| place).collect();
        let unsaid = |mention: &Mention| {
            mention.coverage > 0.7 && !covered[mention.span.start..mention.span.end].contains(&true)
        };
        let others = scene.mentions.iter().enumerate().filter(|(other, _)| *other != at);
        Leftover {
            names: words.iter().filter(|place| **place > 0 && scene.words[**place].proper).count(),
            numbers: left().filter(|(_, word)| word.number.is_some()).count(),
            columns: others.filter(|(_, mentions)| mentions.iter().any(unsaid)).count(),
            compared: left().any(|(_, word)| word.fold == "than"),
            words,
            covered,
        }
    }
}

/// The words that each condition takes for the name of its own column.
fn owned(scene: &Scene, set: &Conditions) -> Vec<Span> {
    let links = set.links.iter().map(|link| &scene.links[*link]);
    let named = links.filter_map(|link| scene.nearest(link.column, link.span));
    named.filter(|mention| mention.coverage >= NAMED).map(|mention| mention.span).collect()
}
