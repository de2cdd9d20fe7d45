//! One sum for each unit of another: fare per kilometre, cost per reading, sales relative to a budget.

use base::Type;
use data::plan::{Agg, Compute, ComputeOp, Expr, Grain, Measure, Pred, Test};

use super::Why;
use super::condition::{all_of, not};
use super::ground::Ground;
use super::settle::{Number, Settled};
use crate::Assumption;
use crate::draft::{Head, Target};
use crate::index::{ColId, Index, ThingId};
use crate::score::Feature;

/// Both sums, where both sides add up.
pub fn settle(index: &Index, first: &Head, second: &Head) -> Result<Settled, Why> {
    let numbers = (side(index, first)?, side(index, second)?);
    let counted = matches!(numbers.1, Number::Count(_) | Number::Days);
    let text = if counted {
        "the total divided by how many there are"
    } else {
        "the total of the one divided by the total of the other, not the average of each row's own ratio"
    };
    let assumption = Some(Assumption { code: "ratio".to_string(), text: text.to_string() });
    Ok(Settled { what: Number::Ratio(Box::new(numbers)), features: vec![Feature::OpenChoice], assumption })
}

fn side(index: &Index, head: &Head) -> Result<Number, Why> {
    match &head.target {
        Target::Columns(columns) if columns.iter().all(|id| is_summable(index, *id)) => {
            Ok(Number::Column { columns: columns.clone(), agg: Agg::Sum, quantile: None })
        }
        Target::Grain(Grain::Day) => Ok(Number::Days),
        Target::Flag(columns) => Ok(Number::Flag { columns: columns.clone(), share: false }),
        Target::Thing(_) | Target::Rows => Ok(Number::Count(head.target.clone())),
        Target::Measure(measure) if matches!(index.measure(*measure).agg, Agg::Sum | Agg::Count) => {
            Ok(Number::Declared(*measure))
        }
        _ => Err(Why::unsupported("a ratio of something that does not add up")),
    }
}

/// Whether totals of a number mean something: of amounts they do, of shares, grades and states they do not.
pub fn is_summable(index: &Index, id: ColId) -> bool {
    const STATES: &[&str] = &[
        "rate",
        "rating",
        "score",
        "percent",
        "pct",
        "percentage",
        "age",
        "temperature",
        "temp",
        "index",
        "rank",
        "level",
        "avg",
        "average",
        "mean",
        "median",
        "year",
        "grade",
        "pressure",
        "speed",
        "humidity",
    ];
    let facts = index.facts(id);
    let rate = facts.per.is_some() || facts.has("per");
    let state = rate || facts.has_any(STATES);
    let unit = facts.unit.as_ref().map(|unit| unit.family);
    let graded =
        matches!(unit, Some("percent" | "celsius" | "fahrenheit" | "pressure" | "speed" | "mph" | "points" | "years"));
    index.column(id).ty.is_number() && !facts.identifier && !facts.years && facts.yes.is_none() && !state && !graded
}

/// The two measures and their ratio.
pub fn measures(
    ground: &mut Ground,
    first: &Number,
    second: &Number,
    groups: &[Target],
) -> Result<(Vec<Measure>, Compute), Why> {
    if let Number::Count(Target::Thing(thing)) = first
        && ground.index.things[*thing].table.is_some_and(|table| table != ground.base)
    {
        return Err(Why::unsupported("things are counted where they are rows"));
    }
    let mut parts = vec![part(ground, first, groups)?, part(ground, second, groups)?];
    only_both(ground, &mut parts);
    if let Number::Count(Target::Thing(thing)) = second {
        check_all_counted(ground, *thing)?;
    }
    let bare = |name: &str| name.trim_start_matches("total_").trim_start_matches("max_").to_string();
    let singular = |name: &str| ground.index.forms.singular(name);
    let name = format!("{}_per_{}", bare(&parts[0].name), singular(&bare(&parts[1].name)));
    let name = ground.names.fresh(&name);
    let args = parts.iter().map(|measure| measure.name.clone()).collect();
    Ok((parts, Compute { name, op: ComputeOp::Ratio, args, per: Vec::new(), along: None }))
}

/// Where one of two sums lacks a row, the other leaves it out as well.
fn only_both(ground: &mut Ground, parts: &mut [Measure]) {
    let there = |measure: &Measure| match (&measure.agg, &measure.expr) {
        (Agg::Sum, Some(expr @ Expr::Col { col })) => {
            let missing = ground.index.find(col).is_some_and(|id| ground.index.column(id).nulls > 0);
            let null = Pred::Test { test: Test::IsNull, expr: expr.clone(), values: Vec::new() };
            missing.then(|| not(null))
        }
        _ => None,
    };
    let known: Vec<Option<Pred>> = parts.iter().map(there).collect();
    let mut limited = false;
    let rows = |measure: &Measure| matches!(measure.agg, Agg::Sum | Agg::Count);
    for (at, measure) in parts.iter_mut().enumerate().filter(|(_, measure)| rows(measure)) {
        let others = known.iter().enumerate().filter(|(other, _)| *other != at).filter_map(|(_, pred)| pred.clone());
        let others: Vec<Pred> = others.collect();
        limited |= !others.is_empty();
        measure.filter = all_of(measure.filter.take().into_iter().chain(others).collect());
    }
    if limited {
        ground.assume("both", "only rows with both numbers count".to_string());
    }
}

/// A number of a row that many rows belong to counts once where the answer has one group for each such row.
fn part(ground: &mut Ground, number: &Number, groups: &[Target]) -> Result<Measure, Why> {
    let Number::Column { columns, agg: Agg::Sum, .. } = number else { return ground.measure(number) };
    if columns.iter().any(|id| id.table == ground.base) {
        return ground.measure(number);
    }
    let grouped = |id: &ColId| {
        let own = |target: &Target| match target {
            Target::Thing(thing) => ground.index.things[*thing].table == Some(id.table),
            Target::Columns(columns) => columns.iter().any(|c| c.table == id.table && ground.index.column(*c).unique),
            _ => false,
        };
        groups.iter().any(own)
    };
    if !columns.iter().all(grouped) {
        return ground.measure(number);
    }
    ground.measure(&Number::Column { columns: columns.clone(), agg: Agg::Max, quantile: None })
}

/// Things without any row here would have to count as well; whether they should is not said.
fn check_all_counted(ground: &Ground, thing: ThingId) -> Result<(), Why> {
    let info = &ground.index.things[thing];
    let Some(table) = info.table.filter(|table| *table != ground.base) else { return Ok(()) };
    let linked = info.keys.iter().find(|key| key.table == ground.base);
    if linked.is_some_and(|key| ground.index.column(*key).distinct < ground.index.table(table).rows) {
        let noun = &info.noun;
        return Err(Why::ambiguous(format!("whether a {noun} without any row of {} counts", ground.table_name())));
    }
    Ok(())
}

impl Ground<'_> {
    /// How many different days the rows have.
    pub fn days(&mut self) -> Result<Measure, Why> {
        let column = self.date_column(None)?;
        if self.index.column(column).ty != Type::Date {
            return Err(Why::unsupported("counting the days of moments takes two steps"));
        }
        self.assume("days", "only days with a row count".to_string());
        let expr = self.expr(column);
        Ok(self.named("days", Agg::CountDistinct, Some(expr)))
    }
}
