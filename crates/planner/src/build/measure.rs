//! Numbers become measures, only at a grain where no row is counted twice.

use data::plan::{Agg, Expr, Measure, Pred, Test};

use super::Why;
use super::ground::Ground;
use super::settle::Number;
use crate::draft::{Condition, Target};
use crate::index::{ColId, MeasureId, ThingId};
use crate::names;
use crate::score::Feature;
use crate::words::{plural, snake};

impl Ground<'_> {
    /// The measure of a number at this table's grain.
    pub fn measure(&mut self, number: &Number) -> Result<Measure, Why> {
        match number {
            Number::Count(Target::Thing(thing)) => self.count(*thing),
            Number::Count(_) => self.count_rows(),
            Number::Flag { columns, share } => self.flag_measure(columns, *share),
            Number::Column { columns, agg, quantile } => self.column_measure(columns, *agg, *quantile),
            Number::Declared(measure) => self.declared(*measure),
            Number::Elapsed { interval, op, agg, quantile } => self.elapsed(*interval, *op, *agg, *quantile),
            Number::Formula { formula, agg, quantile } => self.formula(formula, *agg, *quantile),
            Number::Correlation(pair) => self.correlation(&pair.0, &pair.1),
            Number::Days => self.days(),
            Number::Ratio(_) => Err(Why::unsupported("a ratio inside another number")),
        }
    }

    pub(super) fn named(&mut self, name: &str, agg: Agg, expr: Option<Expr>) -> Measure {
        Measure { name: self.names.fresh(name), agg, expr, with: None, q: None, filter: None }
    }

    fn count_rows(&mut self) -> Result<Measure, Why> {
        let scoped = |thing: &ThingId| self.index.things[*thing].table == Some(self.base);
        let clear =
            self.index.dataset.tables.len() == 1 || self.draft.scopes.iter().any(scoped) || self.draft.distribution;
        let own = self.own_rows() || self.is_said_first();
        if !clear && !own {
            return Err(Why::ambiguous("rows of which table is not said"));
        }
        let said = self.draft.heads.iter().chain(self.draft.rank.iter().filter_map(|rank| rank.by.as_ref()));
        let thing = self.index.rows_of(self.base);
        if let Some(thing) = thing.filter(|thing| self.tally(*thing).is_some())
            && !said.into_iter().any(|head| head.target == Target::Rows)
        {
            return self.count(thing);
        }
        let noun = thing
            .filter(|thing| self.speaks(*thing) && self.tally(*thing).is_none())
            .map(|thing| plural(&self.index.things[thing].noun));
        Ok(self.named(&snake(&noun.unwrap_or_else(|| "rows".to_string())), Agg::Count, None))
    }

    /// Whether a thing's noun is one: a file's name is a noun for its rows only where it is a plural or a known one.
    fn speaks(&self, thing: ThingId) -> bool {
        let info = &self.index.things[thing];
        let Some(table) = info.table.map(|table| self.index.table(table)) else { return true };
        let plural = table.name.ends_with(plural(&info.noun).as_str());
        let known = self.index.lexicon.is_entity(&info.noun) || self.index.row_words.days;
        table.noun.is_some() || !info.keys.is_empty() || plural || known
    }

    /// Whether every condition is about this table's own columns, so that its rows are meant.
    fn own_rows(&self) -> bool {
        !self.named.is_empty() && self.named.iter().all(|column| column.table == self.base)
    }

    /// Whether what is said first is about this table's columns: clerks in Sales are rows of the table that has clerks.
    fn is_said_first(&self) -> bool {
        self.draft.filters.first().is_some_and(|filter| match &filter.condition {
            Condition::Values { cells, .. } => cells.iter().all(|(column, _)| column.table == self.base),
            Condition::Flag(columns) => columns.iter().all(|column| column.table == self.base),
            _ => false,
        })
    }

    /// How many things: rows of their own table, or distinct keys where only those are at hand.
    fn count(&mut self, thing: ThingId) -> Result<Measure, Why> {
        let info = &self.index.things[thing];
        let name = if self.speaks(thing) { snake(&plural(&info.noun)) } else { "rows".to_string() };
        if info.table == Some(self.base)
            && let Some(tally) = self.tally(thing)
        {
            let column = self.index.qualified(tally);
            if self.index.lexicon.is_of("trade", &info.noun) {
                return Err(Why::ambiguous(format!("how many {name}: the rows, or the sum of {column}")));
            }
            self.features.push(Feature::OpenChoice);
            self.assume("tally", format!("{name} are counted by the sum of {column}"));
            return self.column_measure(&[tally], Agg::Sum, None);
        }
        if info.table == Some(self.base) {
            return Ok(self.named(&name, Agg::Count, None));
        }
        if info.table.is_some() {
            self.features.push(Feature::CountedElsewhere);
        }
        let key = self.key(thing)?;
        let expr = self.expr(key);
        Ok(self.named(&name, Agg::CountDistinct, Some(expr)))
    }

    /// The column that says how many things a row stands for, where rows are not the things themselves.
    fn tally(&self, thing: ThingId) -> Option<ColId> {
        let info = &self.index.things[thing];
        let declared = self.index.table(self.base).noun.is_some();
        let tallies: Vec<ColId> = self.index.columns_of(self.base).filter(|id| self.index.facts(*id).tally).collect();
        match tallies[..] {
            [tally] if info.keys.is_empty() && !declared => Some(tally),
            _ => None,
        }
    }

    fn flag_measure(&mut self, columns: &[ColId], share: bool) -> Result<Measure, Why> {
        let column = self.nearest(columns)?;
        let facts = self.index.facts(column).clone();
        let yes = facts.yes.clone().unwrap_or(true.into());
        let core = snake(&facts.core.join(" "));
        if share {
            if column.table != self.base || !yes.is_boolean() {
                return Err(Why::unsupported(format!("the share of {core} here")));
            }
            let declared = self.declared_average(column);
            let name = declared.unwrap_or_else(|| format!("{core}_rate"));
            let expr = self.expr(column);
            return Ok(self.named(&name, Agg::Avg, Some(expr)));
        }
        let filter = Some(Pred::Test { test: Test::Eq, expr: self.expr(column), values: vec![yes] });
        // "Anomalies" is a noun, "paid" is not: then the rows keep their own.
        let noun = !core.ends_with(['d', 't']);
        let owner = self.index.rows_of(column.table);
        let tallied = owner.is_some_and(|owner| self.tally(owner).is_some());
        if column.table == self.base && noun && !tallied {
            let measure = self.named(&plural(&core), Agg::Count, None);
            return Ok(Measure { filter, ..measure });
        }
        let Some(owner) = owner else { return Err(self.unreachable(&core)) };
        let counted = self.count(owner)?;
        Ok(Measure { filter, ..counted })
    }

    /// The name under which the average of a column was declared.
    pub fn declared_average(&self, column: ColId) -> Option<String> {
        let expr = self.expr(column);
        let same =
            |measure: &&data::dataset::DeclaredMeasure| measure.agg == Agg::Avg && measure.expr.as_ref() == Some(&expr);
        self.index.dataset.measures.iter().find(same).map(|measure| snake(&measure.name))
    }

    fn column_measure(&mut self, columns: &[ColId], agg: Agg, quantile: Option<f64>) -> Result<Measure, Why> {
        let column = self.nearest(columns)?;
        let info = self.index.column(column);
        // Each row has its own: counting the different ones counts the rows.
        if agg == Agg::CountDistinct && column.table == self.base && info.unique && info.nulls == 0 {
            let name = names::aggregate(agg, quantile, &snake(&info.name));
            return Ok(self.named(&name, Agg::Count, None));
        }
        let insensitive = matches!(agg, Agg::Min | Agg::Max | Agg::CountDistinct);
        if column.table != self.base && !insensitive {
            return Err(self.unreachable(&self.index.qualified(column)));
        }
        let name = names::aggregate(agg, quantile, &snake(&info.name));
        let expr = self.expr(column);
        let measure = self.named(&name, agg, Some(expr));
        Ok(Measure { q: quantile, ..measure })
    }

    fn declared(&mut self, measure: MeasureId) -> Result<Measure, Why> {
        let info = self.index.measure(measure);
        let table = self.table_name();
        let Some(position) = info.tables.iter().position(|name| name == table) else {
            return Err(Why::unsupported(format!("{} may not be computed per row of {table}", info.name)));
        };
        if position > 0 {
            self.features.push(Feature::OtherGrain);
        }
        Ok(self.named(&snake(&info.name), info.agg, info.expr.clone()))
    }
}
