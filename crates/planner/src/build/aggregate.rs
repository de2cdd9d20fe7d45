//! Plans of numbers: measures per group, rankings, conditions on groups, shares and changes over time.

use data::plan::{Agg, Compute, ComputeOp, Dir, Expr, Group, LIMIT_MAX, Measure, Op, Order, Plan, Pred, Test, Top};

use base::{Cell, Type};

use super::condition::{all_of, in_unit, not, ref_test};
use super::ground::Ground;
use super::settle::{Number, Settled};
use super::shape::{Aggregate, Share};
use super::threshold::Reach;
use super::{Why, charts};
use crate::draft::{Amount, Condition, Filter, Head, Target};
use crate::index::MeasureId;
use crate::score::Feature;

/// The groups of a request in the plan, and the output columns people read.
struct Groups {
    plan: Vec<Group>,
    /// One per target.
    shown: Vec<String>,
    /// The plan's group names per target.
    names: Vec<Vec<String>>,
}

/// Builds the plan and its focus.
pub fn plan(ground: &mut Ground, shape: &Aggregate) -> Result<(Plan, Vec<String>), Why> {
    let mut plan = Plan::new(ground.index.dataset.id.clone(), ground.table_name());
    let filter = ground.where_all(&shape.filters)?;
    let mut groups = groups(ground, &shape.groups)?;
    for columns in &shape.beside {
        groups.add(ground.group(&Target::Columns(columns.clone()))?);
    }
    let mut measures = Vec::new();
    let mut asked = Vec::new();
    for settled in &shape.measures {
        if let Number::Ratio(pair) = &settled.what {
            let (parts, compute) = super::ratio::measures(ground, &pair.0, &pair.1, &shape.groups)?;
            asked.push(compute.name.clone());
            measures.extend(parts);
            plan.compute.push(compute);
            continue;
        }
        let measure = ground.measure(&settled.what)?;
        asked.push(measure.name.clone());
        measures.push(measure);
    }
    let mut havings = Vec::new();
    for (settled, condition) in &shape.having {
        let name = having_measure(ground, (settled, &condition.kind), &mut measures, (shape, &asked))?;
        havings.push(having_pred(ground, settled, &name, condition.test, &condition.amounts)?);
    }
    let filter = dated_filter(ground, flag_filter(shape, filter, &mut measures));
    ground.check_scopes(measures.iter().all(adds_up))?;
    check_own_rows(ground, shape)?;
    check_entities(ground, shape)?;
    plan.filter = filter;
    plan.group = groups.plan;
    plan.measures = measures;
    plan.having = all_of(havings);
    let mut focus: Vec<String> = groups.shown.clone();
    if !shape.sides.is_empty() {
        if shape.share.is_some() || shape.series.is_some() || shape.top.is_some() || !plan.compute.is_empty() {
            return Err(Why::unsupported("two sides of something that is compared already"));
        }
        asked = super::contrast::split(ground, &mut plan, &shape.sides)?;
    }
    match (&shape.share, shape.series) {
        (Some(share), None) => {
            let name = shares(ground, &mut plan, share)?;
            // "How many, and what share of all is that".
            let matching = plan.compute.iter().find(|made| made.name == name).and_then(|made| made.args.first());
            focus.extend(matching.filter(|_| ground.draft.with_number && shape.top.is_none()).cloned());
            focus.push(name.clone());
            asked = vec![name];
        }
        (None, Some(op)) => focus.push(series(ground, &mut plan, op)?),
        (Some(_), Some(_)) => return Err(Why::unsupported("a share and a change at once")),
        (None, None) => focus.extend(asked.clone()),
    }
    rank(shape, &groups.names, &mut plan, &mut focus, (&groups.shown, &asked));
    move_filter_into_count(shape, &mut plan);
    leave_out_unnamed(ground, shape, &mut plan);
    if shape.counted {
        return super::group_count::count(ground, shape, plan);
    }
    order(ground, &mut plan, &asked)?;
    if !plan.group.is_empty() {
        plan.limit = ground.draft.limit.filter(|_| shape.top.is_none()).unwrap_or(LIMIT_MAX);
    }
    Ok((plan, focus))
}

/// "Anomalies" alone counts rows that pass a condition: then it is a condition on rows like any other.
fn flag_filter(shape: &Aggregate, filter: Option<Pred>, measures: &mut [Measure]) -> Option<Pred> {
    match (&shape.measures[..], measures) {
        ([Settled { what: Number::Flag { share: false, .. }, .. }], [measure]) if shape.share.is_none() => {
            all_of(filter.into_iter().chain(measure.filter.take()).collect())
        }
        _ => filter,
    }
}

/// "Resolved by month": rows without that date are not meant.
fn dated_filter(ground: &Ground, filter: Option<Pred>) -> Option<Pred> {
    let nullable = ground.date.filter(|date| ground.draft.dated.is_some() && ground.index.column(*date).nulls > 0);
    let there =
        nullable.map(|date| not(Pred::Test { test: Test::IsNull, expr: ground.expr(date), values: Vec::new() }));
    all_of(filter.into_iter().chain(there).collect())
}

/// A condition on a group of one row is a condition on the row, and was meant as such.
fn check_own_rows(ground: &Ground, shape: &Aggregate) -> Result<(), Why> {
    let own = |target: &Target| matches!(target, Target::Thing(thing) if ground.index.things[*thing].table == Some(ground.base));
    if !shape.having.is_empty() && shape.groups.iter().any(own) {
        return Err(Why::unsupported("an aggregate of a single row"));
    }
    Ok(())
}

fn adds_up(measure: &Measure) -> bool {
    matches!(measure.agg, Agg::Sum | Agg::Count | Agg::CountDistinct | Agg::Min | Agg::Max)
}

fn groups(ground: &mut Ground, targets: &[Target]) -> Result<Groups, Why> {
    let mut groups = Groups { plan: Vec::new(), shown: Vec::new(), names: Vec::new() };
    for target in targets {
        let names = groups.add(ground.group(target)?);
        groups.names.push(names);
    }
    Ok(groups)
}

impl Groups {
    /// Adds the groups of a target that are not there yet, and gives the names of all of them.
    fn add(&mut self, made: Vec<Group>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for group in made {
            match self.plan.iter().find(|known| known.expr == group.expr && known.grain == group.grain) {
                Some(known) => names.push(known.name.clone()),
                None => {
                    names.push(group.name.clone());
                    self.plan.push(group);
                }
            }
        }
        self.shown.extend(names.last().filter(|name| !self.shown.contains(name)).cloned());
        names
    }
}

/// The measure a condition on groups is about: one that is asked for anyway, or one more.
fn having_measure(
    ground: &mut Ground,
    (settled, kind): (&Settled, &[Filter]),
    measures: &mut Vec<Measure>,
    (shape, asked): (&Aggregate, &[String]),
) -> Result<String, Why> {
    let known = shape.measures.iter().position(|known| known.what == settled.what);
    if let Some(position) = known.filter(|_| kind.is_empty()) {
        return Ok(asked[position].clone());
    }
    let mut measure = ground.measure(&settled.what)?;
    let own = ground.where_all(kind)?;
    measure.filter = all_of(measure.filter.take().into_iter().chain(own).collect());
    let name = measure.name.clone();
    measures.push(measure);
    Ok(name)
}

fn having_pred(
    ground: &mut Ground,
    settled: &Settled,
    name: &str,
    test: Test,
    amounts: &[Amount],
) -> Result<Pred, Why> {
    if let Number::Column { columns, agg, .. } = &settled.what {
        let reach = match agg {
            Agg::Sum => Reach::Total,
            Agg::Count | Agg::CountDistinct => Reach::Number,
            _ => Reach::Row,
        };
        let values = ground.thresholds(columns[0], amounts, reach)?;
        return Ok(ref_test(name, test, values));
    }
    let mut values = Vec::new();
    if matches!(settled.what, Number::Count(_)) && amounts.iter().any(|amount| amount.percent) {
        return Err(Why::unsupported("a number of rows is compared with a percentage"));
    }
    for amount in amounts {
        values.push(match &settled.what {
            Number::Declared(measure) => declared_amount(ground, *measure, amount)?,
            Number::Flag { share: true, .. } => in_unit(amount, None, true, name)?,
            Number::Elapsed { op, .. } => super::elapsed::amount(*op, amount)?,
            _ => in_unit(amount, None, false, name)?,
        });
    }
    Ok(ref_test(name, test, values))
}

fn declared_amount(ground: &Ground, measure: MeasureId, amount: &Amount) -> Result<Cell, Why> {
    let info = ground.index.measure(measure);
    let share = info.unit.as_deref() == Some("share");
    if share && !amount.percent && amount.number > 1.0 {
        return Err(Why::ambiguous("a share above 1; percent or not is not said"));
    }
    let unit = info.unit.as_ref().and_then(|unit| ground.index.lexicon.unit(&unit.to_lowercase()));
    if amount.percent && !share && unit.is_none_or(|unit| unit.family != "percent") {
        return Err(Why::unsupported(format!("{} is not a percentage", info.name)));
    }
    in_unit(amount, unit, share, &info.name)
}

/// Things with no row on the many side are missing from the groups; say so, or refuse where that would be the answer.
fn check_entities(ground: &mut Ground, shape: &Aggregate) -> Result<(), Why> {
    for target in &shape.groups {
        let Target::Thing(thing) = target else { continue };
        let thing = &ground.index.things[*thing];
        let Some(table) = thing.table.filter(|table| *table != ground.base) else { continue };
        let rows = ground.index.table(table).rows;
        let linked = thing.keys.iter().find(|key| key.table == ground.base);
        if linked.is_some_and(|key| ground.index.column(*key).distinct >= rows) {
            continue;
        }
        let low = |test: Test| matches!(test, Test::Lt | Test::Le | Test::Eq | Test::Ne);
        let noun = thing.noun.clone();
        if shape.having.iter().any(|(_, condition)| low(condition.test)) {
            return Err(Why::unsupported(format!("a {noun} without any row would have to be counted as zero")));
        }
        if shape.top.as_ref().is_some_and(|top| top.dir == Dir::Asc) {
            ground.features.push(Feature::OpenChoice);
            let text = format!("only a {noun} that occurs in {} is ranked", ground.table_name());
            ground.assume("present", text);
        } else if let (Some(key), None, [], []) = (linked, &shape.top, &shape.having[..], &ground.draft.filters[..]) {
            if !shape.measures.iter().any(|measure| matches!(measure.what, Number::Count(_))) {
                continue;
            }
            let missing = rows - ground.index.column(*key).distinct;
            ground.features.push(Feature::LeftOut);
            let text = format!(
                "{missing} of {} without a row in {} are left out",
                ground.index.table(table).name,
                ground.table_name()
            );
            ground.assume("left_out", text);
        }
    }
    Ok(())
}

fn rank(
    shape: &Aggregate,
    names: &[Vec<String>],
    plan: &mut Plan,
    focus: &mut Vec<String>,
    (shown, asked): (&[String], &[String]),
) {
    let Some(top) = &shape.top else {
        if shape.measures.is_empty() {
            focus.retain(|name| shown.contains(name));
        }
        return;
    };
    let by = asked[0].clone();
    let per: Vec<String> = names[..names.len() - 1].concat();
    if !top.measure_in_focus {
        focus.retain(|name| shown.contains(name));
    }
    plan.top = Some(Top { n: top.number, by: by.clone(), dir: top.dir, per: per.clone(), ties: top.number == 1 });
    plan.order = per.iter().map(|name| Order { by: name.clone(), dir: Dir::Asc }).collect();
    plan.order.push(Order { by, dir: top.dir });
}

/// What is ranked or picked out has a name: rows without one belong to none of them.
fn leave_out_unnamed(ground: &mut Ground, shape: &Aggregate, plan: &mut Plan) {
    let Some(Group { expr: expr @ Expr::Col { col }, grain: None, .. }) = plan.group.last() else { return };
    let index = ground.index;
    let Some(column) = index.find(col) else { return };
    // A permit without a firm belongs to none, whether the firm's name is in its row or in one that it leads to.
    let leads = |relation: &data::dataset::Relation| {
        let from = index.find(&format!("{}.{}", relation.from_table, relation.from_column));
        let there = relation.to_table == index.table(column.table).name;
        there && from.is_some_and(|from| from.table == ground.base && index.column(from).nulls > 0)
    };
    let open = if column.table == ground.base {
        index.column(column).nulls > 0
    } else {
        index.dataset.relations.iter().any(leads)
    };
    let picked = (shape.top.is_some() || !shape.having.is_empty() && !shape.counted) && shape.beside.is_empty();
    // `Unknown` is no name either, but where it is asked for.
    let said = index.column(column).stand_ins();
    let asked = plan.filter.as_ref().is_some_and(|pred| pred.columns().contains(&col.as_str()));
    if picked && !said.is_empty() && !asked {
        let words: Vec<String> = said.iter().map(|word| format!("`{word}`")).collect();
        ground.assume("nulls", format!("rows where {col} is {} are left out", words.join(" or ")));
        let values = said.into_iter().map(Cell::from).collect();
        let named = not(Pred::Test { test: Test::In, expr: expr.clone(), values });
        plan.filter = all_of(plan.filter.take().into_iter().chain([named]).collect());
    }
    if picked && open {
        let named = not(Pred::Test { test: Test::IsNull, expr: expr.clone(), values: Vec::new() });
        ground.assume("nulls", format!("rows without {col} are left out"));
        plan.filter = all_of(plan.filter.take().into_iter().chain([named]).collect());
    }
}

/// The fewest of something may be none: groups without a matching row must stay, so the condition moves into the count.
fn move_filter_into_count(shape: &Aggregate, plan: &mut Plan) {
    let fewest = shape.top.as_ref().is_some_and(|top| top.dir == Dir::Asc);
    // A month outside of the year that is asked about is no month with none.
    let in_time = plan.group.iter().any(|group| group.grain.is_some() || matches!(group.expr, Expr::Part { .. }));
    let [measure] = &mut plan.measures[..] else { return };
    if !fewest || in_time || !matches!(measure.agg, Agg::Count | Agg::CountDistinct) {
        return;
    }
    if let Some(filter) = plan.filter.take() {
        let both = [measure.filter.take(), Some(filter)].into_iter().flatten().collect();
        measure.filter = all_of(both);
    }
}

/// Adds what a share needs and names its column.
fn shares(ground: &mut Ground, plan: &mut Plan, share: &Share) -> Result<String, Why> {
    let conditions = match share {
        Share::PerGroup => {
            let name = ground.names.fresh("share");
            let args = vec![plan.measures[0].name.clone()];
            plan.compute.push(Compute { name: name.clone(), op: ComputeOp::Share, args, per: Vec::new(), along: None });
            return Ok(name);
        }
        Share::Where(conditions) => conditions,
    };
    if !ground.draft.with_number
        && let Some(name) = share_of_flag(ground, plan, conditions)?
    {
        return Ok(name);
    }
    let before = ground.assumptions.len();
    let filter = ground.where_all(conditions)?;
    if ground.assumptions[before..].iter().any(|assumption| assumption.code == "any_row") {
        ground.features.push(Feature::OpenChoice);
    }
    let whole = plan.measures.pop().ok_or_else(|| Why::unsupported("a share of nothing"))?;
    let both = [whole.filter.clone(), filter].into_iter().flatten().collect();
    let part = Measure { name: ground.names.fresh("matching"), filter: all_of(both), ..whole.clone() };
    let name = ground.names.fresh("share");
    let args = vec![part.name.clone(), whole.name.clone()];
    plan.measures.extend([part, whole]);
    plan.compute.push(Compute { name: name.clone(), op: ComputeOp::Ratio, args, per: Vec::new(), along: None });
    Ok(name)
}

/// The share of rows where a bool says yes is its average: one column, and known under its declared name.
fn share_of_flag(ground: &mut Ground, plan: &mut Plan, conditions: &[Filter]) -> Result<Option<String>, Why> {
    let [Filter { condition: Condition::Flag(columns), negated: false, .. }] = conditions else { return Ok(None) };
    let [Measure { agg: Agg::Count, filter: None, .. }] = &plan.measures[..] else { return Ok(None) };
    let Some(column) = columns.iter().copied().find(|column| column.table == ground.base) else { return Ok(None) };
    if ground.index.column(column).ty != Type::Bool {
        return Ok(None);
    }
    let core = crate::words::snake(&ground.index.facts(column).core.join(" "));
    let name = ground.declared_average(column).unwrap_or_else(|| format!("{core}_share"));
    let name = ground.names.fresh(&name);
    let expr = Some(ground.expr(column));
    plan.measures = vec![Measure { name: name.clone(), agg: Agg::Avg, expr, with: None, q: None, filter: None }];
    Ok(Some(name))
}

/// Adds a change or a running total along the one period the answer is split by.
fn series(ground: &mut Ground, plan: &mut Plan, op: ComputeOp) -> Result<String, Why> {
    let along: Vec<String> =
        plan.group.iter().filter(|group| group.grain.is_some()).map(|group| group.name.clone()).collect();
    let ([along], [measure]) = (&along[..], &plan.measures[..]) else {
        return Err(Why::ambiguous("a change over time needs one measure and one period, such as by month"));
    };
    let per = plan.group.iter().filter(|group| group.grain.is_none()).map(|group| group.name.clone()).collect();
    let word = match op {
        ComputeOp::ChangePct => "growth",
        ComputeOp::Cumulative => "cumulative",
        _ => "change",
    };
    let name = ground.names.fresh(&format!("{}_{word}", measure.name));
    let args = vec![measure.name.clone()];
    plan.compute.push(Compute { name: name.clone(), op, args, per, along: Some(along.clone()) });
    Ok(name)
}

/// Periods run forward, other groups start with the greatest number, and words about order win.
fn order(ground: &mut Ground, plan: &mut Plan, asked: &[String]) -> Result<(), Why> {
    if let Some((head, dir)) = &ground.draft.sort {
        let name = sort_name(ground, plan, head)?;
        plan.order = vec![Order { by: name, dir: *dir }];
        return Ok(());
    }
    if plan.top.is_some() || plan.group.is_empty() {
        return Ok(());
    }
    let counted = charts::counts_values(ground.index, ground.draft);
    let index = ground.index;
    let years = |expr: &Expr| match expr {
        Expr::Col { col } => index.find(col).is_some_and(|id| index.facts(id).years),
        expr => matches!(expr, Expr::Part { .. } | Expr::Op { op: Op::Bin, .. }),
    };
    let in_time = |group: &Group| counted || group.grain.is_some() || years(&group.expr);
    let first = plan.group.iter().find(|group| in_time(group)).map(|group| group.name.clone());
    let lowest = ground.draft.rank.as_ref().map(|rank| rank.dir).filter(|dir| *dir == Dir::Asc);
    let direction = ground.draft.direction;
    let shown = |name: &&String| {
        let computed = plan.compute.iter().any(|compute| compute.name == **name);
        computed || plan.measures.iter().any(|measure| measure.name == **name)
    };
    let by_number =
        asked.iter().find(shown).cloned().or_else(|| plan.measures.first().map(|measure| measure.name.clone()));
    plan.order = match (first, by_number, direction) {
        (Some(time), _, None) => vec![Order { by: time, dir: Dir::Asc }],
        (_, Some(number), direction) => vec![Order { by: number, dir: direction.or(lowest).unwrap_or(Dir::Desc) }],
        _ => Vec::new(),
    };
    Ok(())
}

fn sort_name(ground: &mut Ground, plan: &Plan, head: &Head) -> Result<String, Why> {
    if head.agg.is_none()
        && let Target::Columns(columns) = &head.target
    {
        let same = |expr: &Expr| columns.iter().any(|id| ground.expr(*id) == *expr);
        if let Some(group) = plan.group.iter().find(|group| same(&group.expr)) {
            return Ok(group.name.clone());
        }
        if let Some(measure) = plan.measures.iter().find(|measure| measure.expr.as_ref().is_some_and(same)) {
            return Ok(measure.name.clone());
        }
    }
    let settled = super::settle::settle(ground.index, head, super::settle::Use::Amount, false)?;
    let wanted = ground.measure(&settled.what)?;
    let found = plan.measures.iter().find(|known| known.agg == wanted.agg && known.expr == wanted.expr);
    found.map(|known| known.name.clone()).ok_or_else(|| Why::unsupported("sorting by something that is not shown"))
}
