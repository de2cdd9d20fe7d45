//! How tables hang together: which table can be joined from which, many-to-one only.
//!
//! A join that could be made along two different paths counts as no join: choosing one would be a guess. Only where two
//! columns of one table lead to the same other one, as the start and the end of a trip do, the one that began it is
//! meant unless the other is said; and where a table names the other one itself, the way around over a third is not
//! meant: a visit's club is the one visited, not the home club of who came.

use data::Dataset;

use crate::lexicon::Lexicon;
use crate::words::split_name;

/// Position of a table in its dataset.
pub type TableId = usize;

/// How many links a join may follow.
const HOPS_MAX: usize = 4;

/// Distances between tables along many-to-one links.
#[derive(Clone, Debug)]
pub struct Schema {
    hops: Vec<Vec<Option<usize>>>,
    ambiguous: Vec<Vec<bool>>,
    /// Several links between two tables.
    pub forks: Vec<Fork>,
    /// Direct links where longer ways lead to the same table, as positions in the dataset's relations.
    pub shortcuts: Vec<usize>,
}

/// Several links between the same two tables.
#[derive(Clone, Debug)]
pub struct Fork {
    pub from: TableId,
    pub to: TableId,
    /// Positions in the dataset's relations, the one that is meant without a word first.
    pub relations: Vec<usize>,
}

impl Schema {
    /// Follows every link of the dataset.
    pub fn new(dataset: &Dataset, lexicon: &Lexicon) -> Schema {
        let count = dataset.tables.len();
        let forks = forks(dataset, lexicon);
        let mut links = vec![Vec::new(); count];
        for (relation, (from, to)) in ends(dataset).into_iter().enumerate() {
            let other = |fork: &Fork| fork.relations[1..].contains(&relation);
            if !forks.iter().any(other) {
                links[from].push(to);
            }
        }
        let (hops, ambiguous) = (vec![vec![None; count]; count], vec![vec![false; count]; count]);
        let mut schema = Schema { hops, ambiguous, forks, shortcuts: Vec::new() };
        for from in 0..count {
            schema.walk(&links, &mut vec![from]);
        }
        schema.cut_short(dataset);
        schema
    }

    /// The only direct link between two tables is the one that is meant.
    fn cut_short(&mut self, dataset: &Dataset) {
        let ends = ends(dataset);
        for (relation, (from, to)) in ends.iter().enumerate() {
            let alone = ends.iter().filter(|other| **other == (*from, *to)).count() == 1;
            if alone && from != to && self.ambiguous[*from][*to] {
                self.ambiguous[*from][*to] = false;
                self.hops[*from][*to] = Some(1);
                self.shortcuts.push(relation);
            }
        }
    }

    fn walk(&mut self, links: &[Vec<TableId>], path: &mut Vec<TableId>) {
        let (from, here) = (path[0], path[path.len() - 1]);
        if self.hops[from][here].is_some() {
            self.ambiguous[from][here] = true;
        } else {
            self.hops[from][here] = Some(path.len() - 1);
        }
        if path.len() > HOPS_MAX {
            return;
        }
        for &next in &links[here] {
            if !path.contains(&next) {
                path.push(next);
                self.walk(links, path);
                path.pop();
            }
        }
    }

    /// How many links lead from `from` to `to`; `None` when none or more than one way does.
    pub fn hops(&self, from: TableId, to: TableId) -> Option<usize> {
        if self.ambiguous[from][to] { None } else { self.hops[from][to] }
    }
}

/// The tables that every relation links.
fn ends(dataset: &Dataset) -> Vec<(TableId, TableId)> {
    let position = |name: &str| dataset.tables.iter().position(|table| table.name == name).unwrap_or_default();
    dataset.relations.iter().map(|relation| (position(&relation.from_table), position(&relation.to_table))).collect()
}

/// Pairs of tables with several links of which exactly one began it.
fn forks(dataset: &Dataset, lexicon: &Lexicon) -> Vec<Fork> {
    let ends = ends(dataset);
    let begins = |relation: &usize| {
        let words = split_name(&dataset.relations[*relation].from_column);
        words.iter().any(|word| lexicon.is_beginning(word))
    };
    let mut forks: Vec<Fork> = Vec::new();
    for &(from, to) in &ends {
        let relations: Vec<usize> = (0..ends.len()).filter(|at| ends[*at] == (from, to)).collect();
        let (begun, others): (Vec<usize>, Vec<usize>) = relations.into_iter().partition(begins);
        let known = forks.iter().any(|fork| (fork.from, fork.to) == (from, to));
        if begun.len() == 1 && !others.is_empty() && !known {
            forks.push(Fork { from, to, relations: [begun, others].concat() });
        }
    }
    forks
}
