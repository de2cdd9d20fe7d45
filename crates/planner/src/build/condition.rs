//! Conditions become predicates: at the row itself, at a row it belongs to, or through `exists` at rows that belong to it.

use base::{Cell, Type};
use data::plan::{Exists, Expr, Pred, Test};

use super::Why;
use super::ground::Ground;
use super::threshold::Reach;
use crate::draft::{Amount, Columns, Condition, Filter, Head, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::{Ask, Unit};
use crate::period::When;
use crate::schema::TableId;
use crate::score::Feature;

/// A predicate at the row, or one at rows of another table on the many side.
enum Placed {
    Here(Pred),
    There(TableId, Option<Pred>),
}

impl Ground<'_> {
    /// All conditions together; those on one table's many rows must hold for the same row.
    pub fn where_all(&mut self, filters: &[Filter]) -> Result<Option<Pred>, Why> {
        check_compatible(filters)?;
        let mut preds: Vec<Pred> = Vec::new();
        let mut there: Vec<(TableId, Vec<Pred>)> = Vec::new();
        let filters: Vec<Filter> = filters.iter().map(|filter| self.by_own_link(filter)).collect();
        let (filters, inner) = split_absent(&filters);
        if let Some((absent, inner)) = inner {
            preds.extend(self.absent(absent, inner)?);
        }
        for filter in filters {
            match self.placed(filter)? {
                Placed::Here(pred) => preds.push(pred),
                Placed::There(table, pred) if filter.negated => {
                    // "Never had training in 2025": the period is that of what did not happen.
                    let later = filters.iter().skip_while(|other| *other != filter).skip(1);
                    if later.into_iter().any(|other| matches!(other.condition, Condition::Time { columns: None, .. })) {
                        return Err(Why::ambiguous("whether the period is that of what did not happen"));
                    }
                    preds.push(not(self.exists(table, pred)));
                }
                Placed::There(table, pred) => match there.iter_mut().find(|(known, _)| *known == table) {
                    Some((_, list)) => list.extend(pred),
                    None => there.push((table, pred.into_iter().collect())),
                },
            }
        }
        for (table, list) in there {
            let inner = all_of(list);
            preds.push(self.exists(table, inner));
        }
        Ok(all_of(preds))
    }

    /// `courses without an instructor`: what a row here has one of at most is there or not by the cell that names it.
    fn by_own_link(&self, filter: &Filter) -> Filter {
        let Condition::Related(thing) = filter.condition else { return filter.clone() };
        let thing = &self.index.things[thing];
        let links: Columns = thing.keys.iter().copied().filter(|key| key.table == self.base).collect();
        if thing.table.is_none_or(|own| own == self.base) || links.is_empty() {
            return filter.clone();
        }
        Filter { condition: Condition::Missing(links), negated: !filter.negated, zone: filter.zone }
    }

    fn exists(&self, table: TableId, filter: Option<Pred>) -> Pred {
        let table = self.index.table(table).name.clone();
        Pred::Exists { exists: Exists { table, filter: filter.map(Box::new) } }
    }

    /// Whether things are asked about that may have several rows here, so that "all of" and "not" have no clear meaning.
    fn spans_rows(&self) -> bool {
        let draft = self.draft;
        let ranked = draft.rank.iter().filter_map(|rank| rank.by.as_ref());
        let compared = draft.having.iter().map(|having| &having.head);
        let counted: Vec<&Head> = if draft.rank.is_some() || !draft.having.is_empty() {
            ranked.chain(compared).collect()
        } else {
            draft.heads.iter().collect()
        };
        counted.into_iter().any(|head| match &head.target {
            Target::Thing(thing) => {
                let info = &self.index.things[*thing];
                info.table != Some(self.base) && info.keys.iter().any(|key| !self.index.column(*key).unique)
            }
            // "Which category is never returned": a category has many rows, too.
            Target::Columns(columns) => {
                let asked = matches!(draft.ask, Some(Ask::Which | Ask::Who)) && head.agg.is_none() && !head.amount;
                asked && draft.rank.is_none() && columns.iter().all(|id| self.is_label(*id))
            }
            _ => false,
        })
    }

    /// Whether a column sorts rows into kinds.
    fn is_label(&self, id: ColId) -> bool {
        let column = self.index.column(id);
        column.ty == Type::Text && !column.unique
    }

    fn placed(&mut self, filter: &Filter) -> Result<Placed, Why> {
        let lacks = matches!(filter.condition, Condition::Empty(_) | Condition::Missing(_));
        if (filter.negated || lacks) && self.spans_rows() {
            return Err(Why::ambiguous("whether none of its rows or only some of them"));
        }
        let timed = matches!(filter.condition, Condition::Time { .. } | Condition::AnyTime { .. });
        if !timed && !matches!(filter.condition, Condition::Key { .. }) && self.spans_rows() {
            let row =
                self.index.things.iter().find(|thing| thing.table == Some(self.base)).map(|thing| thing.noun.clone());
            let text = format!("a thing matches if any {} of it does", row.unwrap_or_else(|| "row".to_string()));
            self.assume("any_row", text);
            self.features.push(Feature::AnyRow);
        }
        match &filter.condition {
            Condition::Values { cells, all } => self.values(cells, *all, filter.negated),
            Condition::Flag(columns) => {
                let (column, there) = self.locate(columns)?;
                let yes = self.index.facts(column).yes.clone().unwrap_or(Cell::Bool(true));
                let negated = filter.negated && !there;
                let pred = match (yes, negated) {
                    (Cell::Bool(_), true) => self.test(column, Test::Eq, vec![Cell::Bool(false)]),
                    (yes, true) => self.test(column, Test::Ne, vec![yes]),
                    (yes, false) => self.test(column, Test::Eq, vec![yes]),
                };
                Ok(self.place(column, there, pred))
            }
            Condition::Compare { columns, test, amounts, implied } => {
                let (column, there) = self.locate(columns)?;
                if *implied {
                    let text = format!("the number is compared with {}", self.index.qualified(column));
                    self.assume("column", text);
                }
                let facts = self.index.facts(column);
                if there && (facts.adds_up()) && !self.mentions_table(column.table) {
                    let name = self.index.qualified(column);
                    return Err(Why::ambiguous(format!("whether {name} of one row or of all of them together")));
                }
                if column.table != self.base && !there && !self.mentions_table(column.table) {
                    let name = self.index.qualified(column);
                    return Err(Why::ambiguous(format!("{name} belongs to another thing than the one asked about")));
                }
                let values = self.thresholds(column, amounts, Reach::Row)?;
                if *implied && self.assumptions.iter().any(|known| known.code == "range") {
                    let name = self.index.qualified(column);
                    return Err(Why::ambiguous(format!("what is compared: {name} has no such numbers")));
                }
                if self.index.facts(column).years && *test == Test::Eq {
                    self.check_year(column, amounts)?;
                }
                let pred = self.test(column, *test, values);
                Ok(self.denied(column, there, pred, filter.negated))
            }
            Condition::Elapsed { interval, test, amounts } => {
                let pred = self.elapsed_pred(*interval, *test, amounts)?;
                Ok(Placed::Here(if filter.negated { not(pred) } else { pred }))
            }
            Condition::Columns { left, test, right } => {
                let pred = self.columns_pred(left, *test, right)?;
                Ok(Placed::Here(if filter.negated { not(pred) } else { pred }))
            }
            Condition::Contains { columns, text } => {
                let (column, there) = self.locate(columns)?;
                let pred = self.test(column, Test::Contains, vec![Cell::from(text.clone())]);
                Ok(self.denied(column, there, pred, filter.negated))
            }
            Condition::Empty(columns) => self.empty(columns, filter.negated, true),
            Condition::Missing(columns) => self.empty(columns, filter.negated, false),
            Condition::Time { columns, when, verb } => {
                if *verb {
                    self.check_event_date()?;
                }
                let pred = self.time_pred(columns.as_ref(), when)?;
                Ok(Placed::Here(if filter.negated { self.not_in_time(pred) } else { pred }))
            }
            Condition::AnyTime { columns, whens } => {
                let or =
                    whens.iter().map(|when| self.time_pred(columns.as_ref(), when)).collect::<Result<Vec<_>, _>>()?;
                Ok(Placed::Here(Pred::Or { or }))
            }
            Condition::Key { thing, number } => self.key_pred(*thing, *number, filter.negated),
            Condition::Related(thing) => self.related(*thing),
        }
    }

    /// `not resolved in June`: at another time, or never.
    fn not_in_time(&mut self, pred: Pred) -> Pred {
        let Pred::Test { expr: expr @ Expr::Col { col }, .. } = &pred else { return not(pred) };
        let never = self.index.find(col).is_some_and(|id| self.index.column(id).nulls > 0);
        if !never {
            return not(pred);
        }
        let missing = Pred::Test { test: Test::IsNull, expr: expr.clone(), values: Vec::new() };
        self.assume("nulls", format!("rows without {col} are among them"));
        Pred::Or { or: vec![not(pred), missing] }
    }

    /// A year that the column does not reach is not in the data.
    fn check_year(&self, column: ColId, amounts: &[Amount]) -> Result<(), Why> {
        let info = self.index.column(column);
        let bound = |cell: &Option<Cell>| cell.as_ref().and_then(number_of);
        let (Some(first), Some(last)) = (bound(&info.min), bound(&info.max)) else { return Ok(()) };
        if amounts.iter().all(|amount| (first..=last).contains(&amount.number)) {
            return Ok(());
        }
        Err(Why::no_data(format!("{} runs from {first} to {last}", self.index.qualified(column))))
    }

    /// Whether the words name the thing that a table has rows of.
    fn mentions_table(&self, table: TableId) -> bool {
        let own = |thing: &ThingId| self.index.things[*thing].table == Some(table);
        let targets = self.draft.heads.iter().map(|head| &head.target).chain(&self.draft.groups);
        let named = targets.filter_map(|target| if let Target::Thing(thing) = target { Some(thing) } else { None });
        named.chain(&self.draft.scopes).any(own)
    }

    fn test(&self, column: ColId, test: Test, values: Vec<Cell>) -> Pred {
        Pred::Test { test, expr: self.expr(column), values }
    }

    fn place(&mut self, column: ColId, there: bool, pred: Pred) -> Placed {
        if there { Placed::There(column.table, Some(pred)) } else { Placed::Here(pred) }
    }

    /// A negation at the row; on the many side `exists` itself is negated instead.
    fn denied(&mut self, column: ColId, there: bool, pred: Pred, negated: bool) -> Placed {
        let pred = if negated && !there { not(pred) } else { pred };
        self.place(column, there, pred)
    }

    /// The nearest column, and whether it is on the many side.
    fn locate(&mut self, columns: &[ColId]) -> Result<(ColId, bool), Why> {
        if columns.iter().any(|id| self.index.schema.hops(self.base, id.table).is_some()) {
            let column = self.nearest(columns)?;
            self.named.push(column);
            return Ok((column, false));
        }
        let hops = |id: &ColId| self.index.schema.hops(id.table, self.base);
        let Some(least) = columns.iter().filter_map(hops).min() else {
            let column = columns.first().map_or(String::new(), |id| self.index.qualified(*id));
            return Err(Why::unsupported(format!("{} and {column} are not linked", self.table_name())));
        };
        let options: Vec<ColId> = columns.iter().copied().filter(|id| hops(id) == Some(least)).collect();
        self.features.push(Feature::Exists);
        self.features.extend(std::iter::repeat_n(Feature::Hop, least));
        Ok((self.pick(options), true))
    }

    fn values(&mut self, cells: &[(ColId, Vec<String>)], all: bool, negated: bool) -> Result<Placed, Why> {
        let columns: Vec<ColId> = cells.iter().map(|(column, _)| *column).collect();
        let (column, there) = self.locate(&columns)?;
        self.say_other_columns(column, &columns);
        let texts = cells.iter().find(|(id, _)| *id == column).map(|(_, texts)| texts.clone()).unwrap_or_default();
        if all && texts.len() > 1 && (there || self.spans_rows()) {
            return Err(Why::ambiguous(format!("whether all of {} or any of them", texts.join(", "))));
        }
        let single = |text: &String| !text.contains([',', ';', '|']);
        if self.index.facts(column).lists && texts.iter().any(single) {
            let name = self.index.qualified(column);
            return Err(Why::ambiguous(format!("whether {name} is {0} alone or {0} among others", texts.join(", "))));
        }
        let several = texts.len() > 1;
        let values: Vec<Cell> = texts.into_iter().map(Cell::from).collect();
        let negated = negated && !there;
        if negated && self.index.column(column).nulls > 0 {
            self.features.push(Feature::OpenChoice);
            let text = format!("rows without {} are left out", self.index.qualified(column));
            self.assume("nulls", text);
        }
        let pred = match (several, negated) {
            (false, false) => self.test(column, Test::Eq, values),
            (false, true) => self.test(column, Test::Ne, values),
            (true, false) => self.test(column, Test::In, values),
            (true, true) => not(self.test(column, Test::In, values)),
        };
        Ok(self.place(column, there, pred))
    }

    /// The same cell may stand in another column that the rows lead to, and nobody has said which.
    fn say_other_columns(&mut self, taken: ColId, columns: &[ColId]) {
        let index = self.index;
        let leads = |id: &&ColId| **id != taken && index.schema.hops(self.base, id.table).is_some();
        let linked =
            |id: &&ColId| !index.things.iter().any(|thing| thing.keys.contains(id) && thing.keys.contains(&taken));
        let same = |id: &&ColId| index.facts(**id).core != index.facts(taken).core;
        if columns.iter().filter(leads).filter(linked).any(|id| same(&id)) {
            self.features.push(Feature::Rival);
            self.assume("column", format!("the value is one of {}", index.qualified(taken)));
        }
    }

    /// `zero_is_nothing`: "no stops" may be said of a 0, "the stops are missing" never.
    fn empty(&mut self, columns: &Columns, negated: bool, zero_is_nothing: bool) -> Result<Placed, Why> {
        let (column, there) = self.locate(columns)?;
        let info = self.index.column(column);
        let name = self.index.qualified(column);
        let zero = zero_is_nothing && info.min.as_ref().and_then(number_of) == Some(0.0);
        let written =
            zero_is_nothing && self.index.facts(column).digits && info.values.iter().any(|value| value == "0");
        if info.nulls > 0 && (written || zero) {
            return Err(Why::ambiguous(format!("whether {name} is 0 or missing")));
        }
        // "With the colour unknown" names the word itself.
        let said = if negated { Vec::new() } else { info.stand_ins() };
        let said: Vec<Cell> = said.into_iter().map(Cell::from).collect();
        if info.nulls > 0 || !said.is_empty() {
            let mut or: Vec<Pred> = Vec::new();
            if !said.is_empty() {
                let words: Vec<String> = said.iter().map(ToString::to_string).collect();
                self.assume("nulls", format!("{name} is missing where it is {}", words.join(" or ")));
                let test = if said.len() == 1 { Test::Eq } else { Test::In };
                or.push(self.test(column, test, said));
            }
            if info.nulls > 0 {
                or.push(self.test(column, Test::IsNull, Vec::new()));
            }
            let pred = if or.len() > 1 { Pred::Or { or } } else { or.remove(0) };
            if there {
                return Err(Why::ambiguous(format!("whether any or all {name} are missing")));
            }
            if info.ty.is_temporal() {
                let happened = if negated { "is there" } else { "is missing" };
                self.assume("moment", format!("{name} {happened}"));
            }
            return Ok(Placed::Here(if negated { not(pred) } else { pred }));
        }
        if !info.ty.is_number() || !zero || there {
            return Err(Why::no_data(format!("{name} is never missing")));
        }
        let words = info.name.replace('_', " ");
        self.assume("zero", format!("no {words} = {words} of 0"));
        let test = if negated { Test::Gt } else { Test::Eq };
        Ok(Placed::Here(self.test(column, test, vec![Cell::from(0)])))
    }

    fn key_pred(&mut self, thing: ThingId, number: f64, negated: bool) -> Result<Placed, Why> {
        let keys = self.index.things[thing].keys.clone();
        if keys.is_empty() {
            return Err(Why::unsupported(format!("nothing identifies one {}", self.index.things[thing].noun)));
        }
        let (column, there) = self.locate(&keys)?;
        let info = self.index.column(column);
        let bound = |cell: &Option<Cell>| cell.as_ref().and_then(number_of);
        let outside =
            bound(&info.min).is_some_and(|min| number < min) || bound(&info.max).is_some_and(|max| number > max);
        if info.ty != Type::Text && outside {
            return Err(Why::no_data(format!("there is no {} {number}", self.index.things[thing].noun)));
        }
        let value = match info.ty {
            Type::Text => Cell::from(format!("{number}")),
            _ => cell(number),
        };
        let pred = self.test(column, Test::Eq, vec![value]);
        Ok(self.denied(column, there, pred, negated))
    }

    /// The table with rows that belong to a row here and to one of the things.
    fn many_side(&self, thing: ThingId) -> Result<TableId, Why> {
        let info = &self.index.things[thing];
        let schema = &self.index.schema;
        let own = info.table.filter(|table| *table != self.base && schema.hops(*table, self.base).is_some());
        // A product has orders through their lines; what a row leads to itself it has none of its own.
        let leads = info.table.is_some_and(|own| schema.hops(self.base, own).is_some());
        let between: Vec<TableId> = (0..self.index.dataset.tables.len())
            .filter(|table| !leads && *table != self.base && schema.hops(*table, self.base).is_some())
            .filter(|table| info.table.is_some_and(|own| own != self.base && schema.hops(*table, own).is_some()))
            .collect();
        match (own, &between[..]) {
            (Some(own), _) => Ok(own),
            (None, [between]) => Ok(*between),
            _ => Err(Why::unsupported(format!("a row of {} has no {}s of its own", self.table_name(), info.noun))),
        }
    }

    /// Rows of the many side that must not exist, with the conditions said of them.
    fn absent(&mut self, absent: &Filter, inner: &[Filter]) -> Result<Vec<Pred>, Why> {
        let Condition::Related(thing) = absent.condition else { return Ok(Vec::new()) };
        if self.spans_rows() {
            return Err(Why::ambiguous("whether none of its rows or only some of them"));
        }
        let table = self.many_side(thing)?;
        self.features.push(Feature::Exists);
        let outer = (self.base, self.date.take());
        self.base = table;
        let mut there = Vec::new();
        let mut here = Vec::new();
        for filter in inner {
            let own = self.belongs_to(filter, outer.0);
            if own { here.push(filter.clone()) } else { there.push(filter.clone()) }
        }
        let said = self.assumptions.len();
        let filter = self.where_all(&there);
        // None of the rows may match: that one of them does is no question.
        self.features.retain(|feature| *feature != Feature::AnyRow);
        let mut position = 0;
        self.assumptions.retain(|assumption| {
            position += 1;
            position <= said || assumption.code != "any_row"
        });
        (self.base, self.date) = outer;
        let mut preds = vec![not(self.exists(table, filter?))];
        preds.extend(self.where_all(&here)?);
        Ok(preds)
    }

    /// Whether a condition is about a table's own columns, seen from the rows of the many side.
    fn belongs_to(&mut self, filter: &Filter, table: TableId) -> bool {
        match &filter.condition {
            Condition::Time { columns: None, .. } => {
                let known = self.date;
                let found = self.date_column(None).is_ok_and(|column| column.table == table);
                self.date = known;
                found
            }
            Condition::Time { columns: Some(columns), .. } | Condition::Compare { columns, .. } => {
                columns.iter().any(|column| column.table == table)
            }
            Condition::Values { cells, .. } => cells.iter().any(|(column, _)| column.table == table),
            Condition::Flag(columns) | Condition::Empty(columns) | Condition::Missing(columns) => {
                columns.iter().any(|column| column.table == table)
            }
            _ => true,
        }
    }

    fn related(&mut self, thing: ThingId) -> Result<Placed, Why> {
        let table = self.many_side(thing)?;
        self.features.push(Feature::Exists);
        Ok(Placed::There(table, None))
    }
}

/// An amount in another unit; a unit that does not fit is never dropped.
pub fn in_unit(amount: &Amount, own: Option<&Unit>, fraction: bool, name: &str) -> Result<Cell, Why> {
    if amount.percent {
        if own.is_some_and(|unit| unit.family != "percent") {
            return Err(Why::unsupported(format!("{name} is not a percentage")));
        }
        return Ok(cell(if own.is_none() && fraction { amount.number / 100.0 } else { amount.number }));
    }
    let Some(unit) = &amount.unit else { return Ok(cell(amount.number)) };
    let loose = matches!(unit.family, "count" | "points" | "years" | "pages" | "usd" | "eur" | "gbp");
    match own {
        Some(own) if own.family == unit.family => Ok(cell(rounded(amount.number * unit.factor / own.factor))),
        None if loose => Ok(cell(amount.number)),
        _ => Err(Why::unsupported(format!("{name} is not measured in {}s", unit.name))),
    }
}

/// The condition that something has no rows of a kind, and those that follow it.
fn split_absent(filters: &[Filter]) -> (&[Filter], Option<(&Filter, &[Filter])>) {
    let absent = |filter: &Filter| filter.negated && matches!(filter.condition, Condition::Related(_));
    match filters.iter().position(absent) {
        Some(at) => (&filters[..at], Some((&filters[at], &filters[at + 1..]))),
        None => (filters, None),
    }
}

/// Two cells of one column, or two periods, cannot both hold for a row: "May and June" was not meant as that.
fn check_compatible(filters: &[Filter]) -> Result<(), Why> {
    let bounded = |filter: &&Filter| {
        matches!(&filter.condition, Condition::Time { when: When::In(_) | When::Between(..), .. }) && !filter.negated
    };
    if filters.iter().filter(bounded).count() > 1 {
        return Err(Why::ambiguous("two periods are named: their comparison or both together"));
    }
    let cells = filters.iter().filter(|filter| !filter.negated).filter_map(|filter| match &filter.condition {
        Condition::Values { cells, .. } => Some(cells.iter().map(|(column, _)| *column).collect::<Vec<_>>()),
        _ => None,
    });
    let mut seen: Vec<Vec<ColId>> = Vec::new();
    for columns in cells {
        if seen.contains(&columns) {
            return Err(Why::ambiguous("two values of one column are named without saying how they belong together"));
        }
        seen.push(columns);
    }
    Ok(())
}

/// Conversion between units must not leave a trace of binary fractions.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

/// The number behind a profile's cell; decimals are kept as text.
pub fn number_of(cell: &Cell) -> Option<f64> {
    cell.as_f64().or_else(|| cell.as_str().and_then(|text| text.parse().ok()))
}

/// A number as a literal; whole numbers without a fraction.
pub fn cell(number: f64) -> Cell {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT_MAX { Cell::from(number as i64) } else { Cell::from(number) }
}

pub fn not(pred: Pred) -> Pred {
    Pred::Not { not: Box::new(pred) }
}

/// Predicates joined by `and`.
pub fn all_of(mut preds: Vec<Pred>) -> Option<Pred> {
    match preds.len() {
        0 => None,
        1 => preds.pop(),
        _ => Some(Pred::And { and: preds }),
    }
}

/// A test of an output column.
pub fn ref_test(name: &str, test: Test, values: Vec<Cell>) -> Pred {
    Pred::Test { test, expr: Expr::Ref { name: name.to_string() }, values }
}
