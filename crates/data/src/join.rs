//! Joins are implicit: from the grain's table along many-to-one links, each table reached in one way.
//!
//! A link enters its table by a key proven unique, so a join never multiplies rows. Where several paths lead to a table,
//! a `via` link decides: it excludes every path that enters the link's table otherwise.

use crate::dataset::{Dataset, Relation, TableInfo};
use crate::plan::PlanProblem;

/// The most links between two tables.
const LINKS_MAX: usize = 8;
/// How many paths are looked at before a join counts as ambiguous.
const PATHS_MAX: usize = 8;

/// How a link is written in `via`.
pub fn link(relation: &Relation) -> String {
    format!("{}.{}->{}.{}", relation.from_table, relation.from_column, relation.to_table, relation.to_column)
}

/// The one many-to-one path between two tables; empty where they are the same.
pub fn path<'d>(dataset: &'d Dataset, from: &str, to: &str, via: &[String]) -> Result<Vec<&'d Relation>, PlanProblem> {
    if from == to {
        return Ok(Vec::new());
    }
    let decided = paths(dataset, from, to, via);
    if let [one] = &decided[..] {
        return Ok(one.clone());
    }
    let paths = paths(dataset, from, to, &[]);
    match decided[..] {
        [] if paths.is_empty() => {
            let message = match reaches(dataset, to, from) {
                true => format!("one row of `{from}` has many of `{to}`: only `exists` may ask about them"),
                false => format!("no many-to-one path leads from `{from}` to `{to}`"),
            };
            Err(PlanProblem::invalid("", message))
        }
        [] => Err(ambiguous(from, to, "`via` excludes every path", &paths)),
        _ => Err(ambiguous(from, to, "several paths lead", &paths)),
    }
}

/// Whether any many-to-one path leads from one table to the other.
fn reaches(dataset: &Dataset, from: &str, to: &str) -> bool {
    !paths(dataset, from, to, &[]).is_empty()
}

/// The paths that `via` leaves, or the first of too many.
fn paths<'d>(dataset: &'d Dataset, from: &str, to: &str, via: &[String]) -> Vec<Vec<&'d Relation>> {
    let mut paths = Vec::new();
    search(dataset, from, (to, via), &mut Vec::new(), &mut paths);
    paths
}

fn search<'d>(
    dataset: &'d Dataset,
    from: &str,
    (to, via): (&str, &[String]),
    taken: &mut Vec<&'d Relation>,
    paths: &mut Vec<Vec<&'d Relation>>,
) {
    for relation in dataset.relations.iter().filter(|link| link.from_table == from && allowed(link, via)) {
        let table = relation.to_table.as_str();
        let visited = table == from || taken.iter().any(|link| link.from_table == table);
        if visited || taken.len() == LINKS_MAX || paths.len() == PATHS_MAX {
            continue;
        }
        taken.push(relation);
        match table == to {
            true => paths.push(taken.clone()),
            false => search(dataset, table, (to, via), taken, paths),
        }
        taken.pop();
    }
}

fn allowed(relation: &Relation, via: &[String]) -> bool {
    let enters = |text: &String| {
        text.split_once("->").and_then(|(_, to)| to.split_once('.')).map(|(table, _)| table == relation.to_table)
    };
    let mut deciding = via.iter().filter(|text| enters(text) == Some(true)).peekable();
    deciding.peek().is_none() || deciding.any(|text| *text == link(relation))
}

/// The links by which the paths enter their tables differently are what `via` may name.
fn ambiguous(from: &str, to: &str, what: &str, paths: &[Vec<&Relation>]) -> PlanProblem {
    let common = |relation: &&Relation| paths.iter().all(|path| path.contains(relation));
    let mut links: Vec<String> = Vec::new();
    for relation in paths.iter().flatten().filter(|relation| !common(relation)) {
        let text = link(relation);
        if !links.contains(&text) {
            links.push(text);
        }
    }
    PlanProblem::invalid("", format!("{what} from `{from}` to `{to}`; name a link in `via`")).suggest(links)
}

/// The tables that many-to-one links lead to, nearest first, those of one distance together.
pub fn reachable<'d>(dataset: &'d Dataset, from: &str) -> Vec<Vec<&'d TableInfo>> {
    let mut seen: Vec<&str> = vec![from];
    let mut rings: Vec<Vec<&'d TableInfo>> = Vec::new();
    let mut ring: Vec<&str> = vec![from];
    while !ring.is_empty() && rings.len() < LINKS_MAX {
        let mut next: Vec<&'d TableInfo> = Vec::new();
        for relation in dataset.relations.iter().filter(|relation| ring.contains(&relation.from_table.as_str())) {
            if let Some(table) = dataset.table(&relation.to_table).filter(|table| !seen.contains(&table.name.as_str()))
            {
                seen.push(&table.name);
                next.push(table);
            }
        }
        ring = next.iter().map(|table| table.name.as_str()).collect();
        if !next.is_empty() {
            rings.push(next);
        }
    }
    rings
}
