//! One attempt to bind a draft to a table: every name to one column, choices recorded so that the next attempt can take
//! the other way.

use base::Type;
use data::plan::{Expr, Grain, Group, Part};

use super::Why;
use crate::draft::{Columns, Draft, Target};
use crate::index::{ColId, Index, ThingId};
use crate::names::Names;
use crate::schema::TableId;
use crate::score::Feature;
use crate::words::{snake, split_name};
use crate::{Assumption, words};

/// Grouping by a number with more different values than this makes no readable groups.
const NUMBER_GROUPS_MAX: u64 = 50;

/// A draft bound to a table, as far as it got.
pub struct Ground<'a> {
    pub index: &'a Index,
    pub draft: &'a Draft,
    pub base: TableId,
    pub features: Vec<Feature>,
    pub assumptions: Vec<Assumption>,
    pub names: Names,
    /// The date column in use.
    pub date: Option<ColId>,
    /// Columns that conditions name, for lists.
    pub named: Vec<ColId>,
    script: Vec<usize>,
    taken: Vec<(usize, usize)>,
}

impl<'a> Ground<'a> {
    pub fn new(index: &'a Index, draft: &'a Draft, base: TableId, script: Vec<usize>) -> Ground<'a> {
        Ground {
            index,
            draft,
            base,
            features: Vec::new(),
            assumptions: Vec::new(),
            names: Names::default(),
            date: None,
            named: Vec::new(),
            script,
            taken: Vec::new(),
        }
    }

    /// The choices of the next attempt, counting up like digits; `None` when all were made.
    pub fn next_script(&self) -> Option<Vec<usize>> {
        let last = self.taken.iter().rposition(|(pick, of)| pick + 1 < *of)?;
        let mut script: Vec<usize> = self.taken[..last].iter().map(|(pick, _)| *pick).collect();
        script.push(self.taken[last].0 + 1);
        Some(script)
    }

    /// One of several equally good options.
    pub fn pick<T>(&mut self, mut options: Vec<T>) -> T {
        if options.len() == 1 {
            return options.swap_remove(0);
        }
        let pick = self.script.get(self.taken.len()).copied().unwrap_or(0).min(options.len() - 1);
        self.taken.push((pick, options.len()));
        options.swap_remove(pick)
    }

    pub fn assume(&mut self, code: &str, text: String) {
        self.assumptions.push(Assumption { code: code.to_string(), text });
    }

    pub fn table_name(&self) -> &'a str {
        &self.index.table(self.base).name
    }

    /// The nearest of some columns that can be joined, with the number of links.
    pub fn nearest(&mut self, columns: &[ColId]) -> Result<ColId, Why> {
        let hops = |id: &ColId| self.index.schema.hops(self.base, id.table);
        let Some(least) = columns.iter().filter_map(hops).min() else {
            let column = columns.first().map_or(String::new(), |id| self.index.qualified(*id));
            return Err(self.unreachable(&column));
        };
        let options: Vec<ColId> = columns.iter().copied().filter(|id| hops(id) == Some(least)).collect();
        self.features.extend(std::iter::repeat_n(Feature::Hop, least));
        // The country of somebody else, by a part of its name.
        if least > 0 && self.draft.features.contains(&Feature::PartialName) {
            self.features.push(Feature::VaguePart);
        }
        Ok(self.pick(options))
    }

    pub fn unreachable(&self, what: &str) -> Why {
        Why::unsupported(format!(
            "one row of {} may belong to several of {what}, so numbers would be counted twice",
            self.table_name()
        ))
    }

    pub fn expr(&self, column: ColId) -> Expr {
        Expr::col(self.index.qualified(column))
    }

    /// The column that identifies a thing from here.
    pub fn key(&mut self, thing: ThingId) -> Result<ColId, Why> {
        let mut keys = self.index.things[thing].keys.clone();
        keys.retain(|key| !self.is_other_link(*key));
        if keys.is_empty() {
            let noun = &self.index.things[thing].noun;
            return Err(Why::unsupported(format!("nothing identifies one {noun}")));
        }
        self.nearest(&keys)
    }

    /// Whether a column is one of several links to a table, and not the one that is meant.
    fn is_other_link(&self, column: ColId) -> bool {
        let name = self.index.qualified(column);
        let is_from = |relation: &usize| {
            let relation = &self.index.dataset.relations[*relation];
            format!("{}.{}", relation.from_table, relation.from_column) == name
        };
        self.index.schema.forks.iter().any(|fork| {
            let meant = self.draft.link.filter(|link| fork.relations.contains(link)).unwrap_or(fork.relations[0]);
            fork.relations.iter().any(|relation| is_from(relation) && *relation != meant)
        })
    }

    /// The groups a target stands for; the last of them is what people read.
    pub fn group(&mut self, target: &Target) -> Result<Vec<Group>, Why> {
        match target {
            Target::Thing(thing) => self.thing_group(*thing),
            Target::Columns(columns) | Target::Flag(columns) => self.column_group(columns),
            Target::Grain(Grain::Hour) if self.draft.rank.is_some() => {
                Err(Why::ambiguous("an hour of the day, or one hour of one day"))
            }
            Target::Grain(grain) => {
                let column = self.date_column(None)?;
                self.check_hours(column, *grain == Grain::Hour)?;
                let name = self.names.fresh(grain.as_str());
                Ok(vec![Group { name, expr: self.expr(column), grain: Some(*grain) }])
            }
            Target::Part(part) => {
                let column = self.date_column(None)?;
                self.check_hours(column, *part == Part::Hour)?;
                let name = self.names.fresh(part.as_str());
                let expr = Expr::Part { part: *part, of: Box::new(self.expr(column)) };
                Ok(vec![Group { name, expr, grain: None }])
            }
            Target::OverTime => {
                let column = self.date_column(None)?;
                let grain = self.fitting_grain(column);
                let text = format!("over time = by {}", grain.as_str());
                self.assume("grain", text);
                self.features.push(Feature::OpenChoice);
                let name = self.names.fresh(grain.as_str());
                Ok(vec![Group { name, expr: self.expr(column), grain: Some(grain) }])
            }
            Target::Bins(columns, width) => self.bins(columns, *width),
            Target::Decades(columns) => self.decades(columns),
            Target::Measure(_)
            | Target::Rows
            | Target::Elapsed(..)
            | Target::Ratio(_)
            | Target::Formula(_)
            | Target::Correlation(_) => Err(Why::unsupported("a measure is nothing to group by")),
        }
    }

    /// A day has no hour.
    fn check_hours(&self, column: ColId, by_hour: bool) -> Result<(), Why> {
        match by_hour && self.index.column(column).ty != Type::Timestamp {
            true => Err(Why::unsupported(format!("{} has no hours", self.index.qualified(column)))),
            false => Ok(()),
        }
    }

    fn thing_group(&mut self, thing: ThingId) -> Result<Vec<Group>, Why> {
        let key = self.key(thing)?;
        self.keyed_group(thing, key)
    }

    /// The groups of a thing by one of the columns that identify it.
    fn keyed_group(&mut self, thing: ThingId, key: ColId) -> Result<Vec<Group>, Why> {
        let name = self.names.fresh(&snake(&self.index.column(key).name));
        let mut groups = vec![Group { name, expr: self.expr(key), grain: None }];
        let hops = |table: TableId| self.index.schema.hops(self.base, table);
        // A name that is found another way than the key belongs to another one.
        let beside = |label: &ColId| {
            let along = hops(key.table).is_some_and(|first| hops(label.table) == Some(first + 1));
            key.table == label.table || along || key.table == self.base
        };
        let label = self.index.things[thing]
            .label
            .filter(|label| *label != key && hops(label.table).is_some() && beside(label))
            // Both ends of a link hold the same.
            .filter(|label| !self.index.is_link(key, *label));
        if let Some(label) = label {
            let generic = split_name(&self.index.column(label).name).len() == 1;
            let noun =
                if generic { self.index.things[thing].noun.clone() } else { self.index.column(label).name.clone() };
            let name = self.names.fresh(&snake(&noun));
            groups.push(Group { name, expr: self.expr(label), grain: None });
        }
        Ok(groups)
    }

    fn column_group(&mut self, columns: &Columns) -> Result<Vec<Group>, Why> {
        let column = self.nearest(columns)?;
        let info = self.index.column(column);
        if info.ty.is_temporal() {
            self.date = Some(column);
            let name = self.names.fresh("day");
            return Ok(vec![Group { name, expr: self.expr(column), grain: Some(Grain::Day) }]);
        }
        let facts = self.index.facts(column);
        let year = facts.years || facts.words.last().is_some_and(|word| word == "year");
        let measured = info.ty.is_number() && !facts.identifier && !year && info.distinct > NUMBER_GROUPS_MAX;
        if measured && !super::charts::counts_values(self.index, self.draft) {
            return Err(Why::unsupported(format!(
                "{} has too many different values to group by",
                words::snake(&info.name)
            )));
        }
        if let Some(thing) = self.index.rows_called_like(column).filter(|_| !self.draft.numbered) {
            let (rows, name) = (&self.index.things[thing].noun, self.index.qualified(column));
            return Err(Why::ambiguous(format!("whether each {rows} is meant or the number in {name}")));
        }
        if let Some(thing) = self.index.namesakes(&[column]) {
            return self.thing_group(thing);
        }
        // An identifier is shown with the name people know it by.
        let thing = self.index.things.iter().position(|thing| thing.keys.contains(&column));
        if let Some(thing) = thing.filter(|thing| self.index.things[*thing].label.is_some()) {
            return self.keyed_group(thing, column);
        }
        let name = self.names.fresh(&snake(&info.name));
        Ok(vec![Group { name, expr: self.expr(column), grain: None }])
    }

    /// Whether a number that is asked for by a part of its name has the unit of another one, of a table that is named.
    fn has_its_own(&self, table: TableId) -> bool {
        let unit = |id: &ColId| self.index.facts(*id).unit.as_ref().map(|unit| unit.family);
        let units = |columns: &Columns| columns.iter().filter_map(unit).collect::<Vec<_>>();
        let asked = self.draft.heads.iter().filter_map(|head| match &head.target {
            Target::Columns(columns) if columns.iter().all(|id| id.table != table) => Some(units(columns)),
            _ => None,
        });
        let asked: Vec<&str> = asked.flatten().collect();
        let own = |id: ColId| id.table == table && unit(&id).is_some_and(|unit| asked.contains(&unit));
        self.draft.features.contains(&Feature::VaguePart) && self.index.columns().any(own)
    }

    /// Whether a thing that the words are about fits the table and what is computed.
    pub fn check_scopes(&self, adds_up: bool) -> Result<(), Why> {
        for &thing in &self.draft.scopes {
            let thing = &self.index.things[thing];
            let own = thing.table.unwrap_or_else(|| thing.keys.first().map_or(self.base, |key| key.table));
            let joined = self.index.schema.hops(self.base, own).is_some();
            // "How long do patients stay": over their stays.
            let of_events = self.draft.heads.iter().all(|head| matches!(head.target, Target::Elapsed(..)));
            if own != self.base && joined && of_events && !self.draft.heads.is_empty() {
                continue;
            }
            if own != self.base && self.has_its_own(own) {
                return Err(Why::ambiguous(format!("of which table a number of the {} is", thing.noun)));
            }
            if own != self.base && !(joined && adds_up) {
                let table = self.table_name();
                return Err(Why::unsupported(format!("it is known per row of {table}, not per {}", thing.noun)));
            }
        }
        Ok(())
    }
}
