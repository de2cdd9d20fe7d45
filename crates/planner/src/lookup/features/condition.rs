//! Which words are conditions, and on which columns.

use super::super::candidates::Conditions;
use super::super::scene::{How, Link, Mention, Operand, Relation, Scene, Span};
use super::{Sink, after, before, cover, distance, few};

/// Features of a set of conditions alone.
pub fn conditions(scene: &Scene, set: &Conditions, sink: &mut impl Sink) {
    for &link in &set.links {
        condition(scene, &scene.links[link], sink);
    }
    sink.add(&["count", "conditions", few(set.links.len())]);
    if scene.table.known {
        let all = set.rows.len() == scene.table.rows;
        let left = if set.rows.is_empty() {
            "none"
        } else if set.rows.len() == 1 {
            "one"
        } else if all {
            "all"
        } else {
            "some"
        };
        let bounded = set.links.iter().any(|link| scene.links[*link].relation != Relation::Equal);
        let bounded = if bounded { "bounded" } else { "equal" };
        sink.add(&["rows", left, bounded]);
        sink.add(&["rows", left, few(set.links.len())]);
        let redundant = set.links.len() > 1 && set.links.iter().any(|link| is_redundant(scene, *link));
        if redundant {
            sink.add(&["rows", "redundant condition"]);
        }
    }
    left_out(scene, set, sink);
}

/// Whether every row satisfies a condition.
fn is_redundant(scene: &Scene, link: usize) -> bool {
    let Operand::Values(ids) = &scene.links[link].operand else { return false };
    let column = &scene.table.columns[scene.links[link].column];
    let frequency = column.rows.iter().flatten().filter(|id| ids.contains(id)).count();
    frequency == scene.table.rows
}

fn condition(scene: &Scene, link: &Link, sink: &mut impl Sink) {
    let column = &scene.table.columns[link.column];
    let (kind, how, relation) = (column.kind.as_str(), link.how.as_str(), link.relation.as_str());
    let words = &scene.words[link.span.start..link.span.end];
    let proper = words.iter().any(|word| word.proper && word.number.is_none());
    sink.add(&["value", how, relation, kind]);
    sink.add(&["value", how, "words", few(words.len()), if proper { "proper" } else { "plain" }]);
    sink.add(&["value", how, "columns", few(link.columns)]);
    if link.nested {
        sink.add(&["value", "nested", how]);
    }
    if words.len() == 1 && words[0].closed.is_some() {
        sink.add(&["value", "function word"]);
    }
    let inside = scene.mentions.iter().enumerate().any(|(other, mentions)| {
        let within = |m: &Mention| m.coverage > 0.7 && m.span.start <= link.span.start && link.span.end <= m.span.end;
        other != link.column && mentions.iter().any(within)
    });
    if inside {
        sink.add(&["value", "is a name of another column", how]);
    }
    let own = scene.mentions[link.column].iter().any(|m| m.span.overlaps(link.span));
    if own {
        sink.add(&["value", "has its own column's name", how]);
    }
    let near = scene.nearest(link.column, link.span);
    let coverage = near.map_or(0.0, |mention| mention.coverage);
    sink.add(&["near", "own name", cover(coverage), how]);
    sink.add_times(&["near", "own name", relation], coverage);
    if let Some(mention) = near {
        let side = if mention.span.start < link.span.start { "before" } else { "after" };
        sink.add(&["near", "own name", side, distance(mention.span.gap(link.span)), cover(coverage)]);
        sink.add(&["near", "own name", side, distance(mention.span.gap(link.span)), relation]);
    }
    let rival = rival(scene, link);
    sink.add_times(&["near", "rival", relation], rival.max(0.0));
    sink.add_times(&["near", "rival less own", how], rival - closeness(scene, link.column, link.span));
    sink.add(&["value", "preceded by", before(scene, link.span), kind]);
    sink.add(&["value", "followed by", after(scene, link.span), kind]);
    if link.relation != Relation::Equal {
        sink.add(&["compare", link.comparator, relation, kind]);
        if let (Operand::Number(bound), Some((least, greatest))) = (&link.operand, column.range) {
            let within = if *bound < least {
                "low"
            } else if *bound > greatest {
                "high"
            } else {
                "within"
            };
            sink.add(&["compare", "bound", within, relation, kind]);
        }
    } else if words.len() == 1 && words[0].number.is_some() {
        let calendar = words[0].number.is_some_and(|number| (1800.0..2100.0).contains(&number));
        sink.add(&["value", if calendar { "calendar" } else { "number" }, kind]);
        let compared =
            scene.links.iter().any(|other| other.relation != Relation::Equal && other.span.end == link.span.end);
        if compared {
            sink.add(&["compare", "ignored"]);
        }
    }
    if let (Operand::Values(ids), true) = (&link.operand, link.relation == Relation::Equal) {
        let rows = column.rows.iter().flatten().filter(|id| ids.contains(id)).count();
        sink.add(&["rows", "of value", few(rows), kind]);
    }
    sink.add(&["place", "condition on", if link.column == 0 { "first" } else { "later" }, how]);
}

/// How near the name of a column stands to a value, weighed by how much of it is said.
fn closeness(scene: &Scene, column: usize, span: Span) -> f64 {
    let near = |mention: &Mention| match mention.span.overlaps(span) {
        true => 0.0,
        false => mention.coverage / (1.0 + mention.span.gap(span) as f64 / 2.0),
    };
    scene.mentions[column].iter().map(near).fold(0.0, f64::max)
}

/// How near the best other column's name stands that could be meant.
fn rival(scene: &Scene, link: &Link) -> f64 {
    let same = scene.links.iter().filter(|other| {
        let stretch = other.span.end == link.span.end && other.relation == link.relation;
        stretch && other.column != link.column && other.how != How::Part
    });
    same.map(|other| closeness(scene, other.column, link.span)).fold(0.0, f64::max)
}

/// Links that no condition uses, though nothing else does with their words.
fn left_out(scene: &Scene, set: &Conditions, sink: &mut impl Sink) {
    let used = |span: Span| set.links.iter().any(|link| scene.links[*link].span.overlaps(span));
    let mut last: Option<Span> = None;
    for link in &scene.links {
        if link.nested || used(link.span) || last.is_some_and(|span| span.overlaps(link.span)) {
            continue;
        }
        last = Some(link.span);
        let words = &scene.words[link.span.start..link.span.end];
        let proper = words.iter().any(|word| word.proper && word.number.is_none());
        let said = scene.mentions.iter().flatten().any(|m| m.coverage > 0.7 && m.span.overlaps(link.span));
        let what = match (proper, said) {
            (_, true) => "said",
            (true, false) => "proper",
            (false, false) => "plain",
        };
        sink.add(&["unused", "link", link.how.as_str(), few(words.len()), what]);
        if link.relation != Relation::Equal {
            sink.add(&["unused", "comparison"]);
        }
    }
}
