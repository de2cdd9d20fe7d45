//! What is done with the column that is asked for.

use data::plan::Agg;

use super::super::candidates::Conditions;
use super::super::scene::{Relation, Scene, Span};
use super::super::table::Kind;
use super::{Sink, before, class, distance, few};

/// Words that speak for an aggregate.
const TRIGGERS: &[&str] = &[
    "amount",
    "average",
    "best",
    "biggest",
    "combined",
    "count",
    "different",
    "earliest",
    "entire",
    "fewest",
    "first",
    "greatest",
    "high",
    "higher",
    "highest",
    "largest",
    "last",
    "latest",
    "least",
    "less",
    "long",
    "longest",
    "low",
    "lower",
    "lowest",
    "many",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "more",
    "most",
    "much",
    "number",
    "overall",
    "shortest",
    "smallest",
    "sum",
    "times",
    "top",
    "total",
    "all",
    "each",
    "every",
    "only",
    "full",
    "any",
];

fn name(aggregate: Option<Agg>) -> &'static str {
    aggregate.map_or("plain", Agg::as_str)
}

/// Whether a word is a part of one of the candidate's values.
fn is_value(scene: &Scene, at: usize) -> bool {
    let within = |span: Span| span.start <= at && at < span.end;
    scene.links.iter().any(|link| within(link.span) && link.span.len() > 1)
}

fn triggers<'s>(scene: &'s Scene) -> impl Iterator<Item = (usize, &'static str)> + 's {
    scene.words.iter().enumerate().filter_map(|(at, word)| {
        let closed = word.closed?;
        (TRIGGERS.contains(&closed) && !is_value(scene, at)).then_some((at, closed))
    })
}

/// Features of an aggregate alone.
pub fn aggregate(scene: &Scene, aggregate: Option<Agg>, sink: &mut impl Sink) {
    let name = name(aggregate);
    sink.add(&["trigger", name]);
    sink.add(&["trigger", name, "asks", scene.asks]);
    let follows = class(scene, Some(scene.asks_at + 1));
    sink.add(&["trigger", name, "asks", scene.asks, follows]);
    let mut some = false;
    for (at, word) in triggers(scene) {
        some = true;
        sink.add(&["trigger", name, word]);
        sink.add(&["trigger", name, word, "then", class(scene, Some(at + 1))]);
        sink.add(&["trigger", name, word, "after", class(scene, at.checked_sub(1))]);
        let compared = class(scene, Some(at + 1)) == "than";
        if !compared {
            sink.add(&["trigger", name, word, "asks", scene.asks]);
        }
    }
    if !some {
        sink.add(&["trigger", name, "without a word"]);
    }
}

/// Features of an aggregate of a column.
pub fn column_and_aggregate(scene: &Scene, at: usize, aggregate: Option<Agg>, sink: &mut impl Sink) {
    let name = name(aggregate);
    let column = &scene.table.columns[at];
    let kind = column.kind.as_str();
    sink.add(&["kind", name, kind]);
    sink.add(&["kind", name, kind, scene.asks]);
    let mention = scene.mentions[at].first().filter(|mention| mention.coverage >= 0.3);
    let named = if mention.is_some() { "named" } else { "silent" };
    sink.add(&["kind", name, named, scene.asks]);
    let mut nearest: Option<(usize, &'static str)> = None;
    for (place, word) in triggers(scene) {
        sink.add(&["trigger", name, word, kind]);
        if column.header.iter().any(|header| header.fold == word) {
            sink.add(&["trigger", name, word, "in the header"]);
        }
        let Some(mention) = mention else { continue };
        let side = if place < mention.span.start {
            "before"
        } else if place < mention.span.end {
            "within"
        } else {
            "after"
        };
        let gap = distance(mention.span.gap(Span { start: place, end: place + 1 }));
        sink.add(&["trigger", name, word, side, gap]);
        let ahead = place < mention.span.start;
        if ahead && nearest.is_none_or(|(other, _)| other < place) {
            nearest = Some((place, word));
        }
    }
    if let Some((place, word)) = nearest {
        let second = class(scene, place.checked_sub(1));
        sink.add(&["trigger", name, "nearest", word, kind]);
        sink.add(&["trigger", name, "nearest", second, word, kind]);
    } else {
        sink.add(&["trigger", name, "nearest", "none", kind, scene.asks]);
    }
    if let Some(mention) = mention {
        sink.add(&["trigger", name, "preceded by", before(scene, mention.span), kind]);
        let second = class(scene, mention.span.start.checked_sub(2));
        sink.add(&["trigger", name, "preceded by", second, before(scene, mention.span)]);
        let plural = scene.words[mention.span.end - 1].fold.ends_with('s');
        sink.add(&["trigger", name, if plural { "plural" } else { "singular" }, kind, scene.asks]);
    }
}

/// Features of an aggregate beside conditions.
pub fn aggregate_and_conditions(scene: &Scene, aggregate: Option<Agg>, set: &Conditions, sink: &mut impl Sink) {
    let name = name(aggregate);
    let bounds = set.links.iter().filter(|link| scene.links[**link].relation != Relation::Equal).count();
    sink.add(&["count", name, "conditions", few(set.links.len())]);
    sink.add(&["count", name, "bounds", few(bounds)]);
    sink.add(&["count", name, "bounds", few(bounds), scene.asks]);
}

/// How many rows an aggregate is taken of.
pub fn left(scene: &Scene, set: &Conditions) -> &'static str {
    match set.rows.len() {
        _ if !scene.table.known => "unknown",
        0 => "none",
        1 => "one",
        2..=4 => "few",
        _ => "many",
    }
}

/// Features of an aggregate by the kind of its column and the rows that are left.
pub fn outcome(scene: &Scene, aggregate: Option<Agg>, kind: Kind, left: &str, sink: &mut impl Sink) {
    let (name, kind) = (name(aggregate), kind.as_str());
    sink.add(&["rows", name, left]);
    sink.add(&["rows", name, left, kind]);
    sink.add(&["rows", name, left, kind, scene.asks]);
    for (_, word) in triggers(scene) {
        sink.add(&["rows", name, left, word]);
        sink.add(&["rows", name, left, word, kind]);
    }
}
