//! How tables hang together: which table can be joined from which, many-to-one only.
//!
//! A join that could be made along two different paths counts as no join: choosing one would be a guess.

use data::Dataset;

/// Position of a table in its dataset.
pub type TableId = usize;

/// How many links a join may follow.
const HOPS_MAX: usize = 4;

/// Distances between tables along many-to-one links.
#[derive(Clone, Debug)]
pub struct Schema {
    hops: Vec<Vec<Option<usize>>>,
    ambiguous: Vec<Vec<bool>>,
}

impl Schema {
    /// Follows every link of the dataset.
    pub fn new(dataset: &Dataset) -> Schema {
        let count = dataset.tables.len();
        let position = |name: &str| dataset.tables.iter().position(|table| table.name == name);
        let mut links = vec![Vec::new(); count];
        for relation in &dataset.relations {
            if let (Some(from), Some(to)) = (position(&relation.from_table), position(&relation.to_table)) {
                links[from].push(to);
            }
        }
        let mut schema = Schema { hops: vec![vec![None; count]; count], ambiguous: vec![vec![false; count]; count] };
        for from in 0..count {
            schema.walk(&links, &mut vec![from]);
        }
        schema
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
