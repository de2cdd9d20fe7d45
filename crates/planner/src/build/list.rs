//! Plans of lists: rows of a thing with its key, name and the columns the question names, or distinct values.

use base::{Cell, Type};
use data::plan::{Dir, Expr, LIMIT_MAX, Order, Plan, Pred, Select, Test, Top};

use super::condition::all_of;
use super::ground::Ground;
use super::shape::List;
use super::{Why, charts};
use crate::draft::{Condition, Filter, RankKind, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::Ask;
use crate::period::{Period, When};
use crate::words::snake;

/// Builds the plan and its focus.
pub fn plan(ground: &mut Ground, list: &List) -> Result<(Plan, Vec<String>), Why> {
    let index = ground.index;
    let own_table = list.thing.and_then(|thing| index.things[thing].table);
    let rows_of = list.thing.and_then(|thing| index.things[thing].keys.first()).map(|key| key.table);
    let asked_table = list.columns.first().map(|columns| columns.iter().map(|id| id.table).collect::<Vec<_>>());
    let fits = match (own_table.or(rows_of), asked_table) {
        (Some(table), _) => table == ground.base,
        (None, Some(tables)) => tables.contains(&ground.base),
        (None, None) => false,
    };
    if !fits {
        return Err(Why::unsupported("what to list is not clear"));
    }
    let mut plan = Plan::new(index.dataset.id.clone(), ground.table_name());
    plan.filter = ground.where_all(&ground.draft.filters)?;
    add_flag_filter(ground, list, &mut plan);
    let mut asked = Vec::new();
    for columns in &list.columns {
        asked.push(ground.nearest(columns)?);
    }
    let ranked = match &list.rank {
        Some((columns, dir, number)) => Some((ground.nearest(columns)?, *dir, *number)),
        None => None,
    };
    check_single(ground, &asked, list)?;
    ground.check_scopes(false)?;
    let identity = identity(ground, list.thing);
    let tableless = list.thing.is_some() && own_table.is_none();
    let shown = shown(ground, list, &identity, &asked, ranked.map(|(column, _, _)| column), tableless);
    for column in &shown {
        let name = ground.names.fresh(&snake(&index.column(*column).name));
        plan.select.push(Select { name, expr: ground.expr(*column) });
    }
    let name_of =
        |column: ColId| shown.iter().position(|known| *known == column).map(|at| plan.select[at].name.clone());
    let mut focus: Vec<String> = focus(ground, &identity, &asked, list).into_iter().filter_map(name_of).collect();
    let top_list = ground.draft.rank.as_ref().is_some_and(|rank| rank.kind == RankKind::Top);
    let asks_who = matches!(ground.draft.ask, Some(Ask::Which | Ask::Who));
    if let Some((column, _, _)) = ranked
        && (top_list && !asks_who || ground.draft.with_number)
    {
        focus.extend(name_of(column).filter(|name| !focus.contains(name)));
    }
    // "When was it coldest": several rows may have that moment.
    let repeated = |id: &ColId| index.column(*id).ty.is_temporal() && !index.column(*id).unique;
    let moment = ranked.is_some() && !asked.is_empty() && asked.iter().all(repeated);
    plan.distinct =
        ground.draft.distinct || tableless || moment || asked_categories(ground, &asked, &identity, ranked.is_some());
    if let Some((column, dir, number)) = ranked
        && let Some(by) = name_of(column)
    {
        plan.top = Some(Top { n: number, by: by.clone(), dir, per: Vec::new(), ties: number == 1 });
        plan.order = vec![Order { by, dir }];
    }
    if let Some((interval, op, dir, number)) = list.elapsed {
        let (name, expr) = ground.elapsed_shown(interval, op)?;
        plan.select.push(Select { name: name.clone(), expr });
        plan.top = Some(Top { n: number, by: name.clone(), dir, per: Vec::new(), ties: number == 1 });
        plan.order = vec![Order { by: name, dir }];
    }
    sort(ground, &mut plan, &shown)?;
    plan.limit = ground.draft.limit.filter(|_| plan.top.is_none()).unwrap_or(LIMIT_MAX);
    Ok((plan, focus))
}

/// "Anomalies" as a head lists the rows where the column says yes.
fn add_flag_filter(ground: &mut Ground, list: &List, plan: &mut Plan) {
    let Some(Target::Flag(columns)) = ground.draft.heads.first().map(|head| head.target.clone()) else { return };
    let Some(column) = columns.iter().copied().find(|column| column.table == ground.base) else { return };
    let yes = ground.index.facts(column).yes.clone().unwrap_or(Cell::Bool(true));
    let pred = Pred::Test { test: Test::Eq, expr: ground.expr(column), values: vec![yes] };
    plan.filter = all_of(plan.filter.take().into_iter().chain([pred]).collect());
    debug_assert!(list.thing.is_some());
}

/// A single measured number without anything that pins one row leaves open which one.
fn check_single(ground: &Ground, asked: &[ColId], list: &List) -> Result<(), Why> {
    let index = ground.index;
    let measured = |id: &ColId| {
        let facts = index.facts(*id);
        (index.column(*id).ty.is_number() || facts.digits || facts.counted) && !facts.identifier
    };
    let pinned = ground.draft.filters.iter().any(|filter| pins(ground, filter)) || pin_together(ground);
    let listing = ground.draft.ask == Some(Ask::List) || ground.draft.limit.is_some() || list.rank.is_some();
    let described =
        list.thing.is_some() && ground.draft.heads.first().is_some_and(|head| matches!(head.target, Target::Thing(_)));
    let drawn = charts::pairs_columns(ground.draft) || charts::counts_values(index, ground.draft);
    if asked.iter().any(measured) && !pinned && !listing && !described && !drawn {
        let name = index.column(asked[0]).name.replace('_', " ");
        return Err(Why::ambiguous(format!("{name} of many rows: average, total, highest or lowest")));
    }
    Ok(())
}

/// Whether single values of several columns are given that have a row for each of their combinations: country and year.
fn pin_together(ground: &Ground) -> bool {
    let single = |filter: &Filter| match &filter.condition {
        Condition::Values { cells, .. } => match &cells[..] {
            [(column, texts)] if texts.len() == 1 && !filter.negated => Some(*column),
            _ => None,
        },
        Condition::Compare { columns, test: Test::Eq, .. } if columns.len() == 1 && !filter.negated => Some(columns[0]),
        _ => None,
    };
    let columns: Vec<ColId> = ground.draft.filters.iter().filter_map(single).collect();
    let combinations: u64 = columns.iter().map(|column| ground.index.column(*column).distinct).product();
    let own = columns.iter().all(|column| column.table == ground.base && ground.index.column(*column).nulls == 0);
    own && columns.len() > 1 && combinations == ground.index.table(ground.base).rows
}

/// Whether a condition can hold for one row at most.
fn pins(ground: &Ground, filter: &Filter) -> bool {
    match &filter.condition {
        Condition::Key { thing, .. } => ground.index.things[*thing].table == Some(ground.base),
        Condition::Values { cells, .. } => cells.iter().any(|(column, texts)| {
            column.table == ground.base && ground.index.column(*column).unique && texts.len() == 1 && !filter.negated
        }),
        Condition::Time { when: When::In(Period::Span(first, end)), .. } => {
            ground.index.row_words.days && !filter.negated && first.tomorrow().is_ok_and(|next| next == *end)
        }
        Condition::Compare { columns, test: Test::Eq, .. } => {
            columns.iter().any(|column| column.table == ground.base && ground.index.column(*column).unique)
        }
        _ => false,
    }
}

/// The key and the name of what is listed; rows without either are known by what they are of and their date.
fn identity(ground: &Ground, thing: Option<ThingId>) -> Vec<ColId> {
    let Some(thing) = thing.map(|thing| &ground.index.things[thing]) else { return Vec::new() };
    let here = |column: &ColId| column.table == ground.base;
    let key = thing.keys.iter().copied().find(here);
    let mut identity: Vec<ColId> = key.into_iter().collect();
    identity.extend(thing.label.filter(|label| here(label) && Some(*label) != key));
    if identity.is_empty() {
        let others = ground.index.things.iter().filter(|other| other.table.is_none());
        identity.extend(others.flat_map(|other| other.keys.iter().copied()).filter(here));
        if !identity.is_empty() {
            identity.extend(super::date::dates_of(ground.index, ground.base).first());
        }
    }
    identity
}

fn shown(
    ground: &Ground,
    list: &List,
    identity: &[ColId],
    asked: &[ColId],
    ranked: Option<ColId>,
    tableless: bool,
) -> Vec<ColId> {
    let only_asked = ground.draft.heads.first().is_some_and(|head| matches!(head.target, Target::Columns(_)));
    let mut shown: Vec<ColId> = if only_asked { Vec::new() } else { identity.to_vec() };
    shown.extend(asked);
    shown.extend(ranked);
    if !only_asked && !tableless {
        let named = ground.named.iter().copied();
        shown.extend(named.filter(|column| ground.index.schema.hops(ground.base, column.table).is_some()));
    }
    let mut unique: Vec<ColId> = Vec::new();
    for column in shown {
        if !unique.contains(&column) {
            unique.push(column);
        }
    }
    // Rows without key and name can only be shown whole.
    if identity.is_empty() && !only_asked && list.thing.is_some() {
        unique = ground.index.columns_of(ground.base).collect();
    }
    unique
}

fn focus(ground: &Ground, identity: &[ColId], asked: &[ColId], list: &List) -> Vec<ColId> {
    let first_is_column = ground.draft.heads.first().is_some_and(|head| matches!(head.target, Target::Columns(_)));
    if first_is_column {
        return asked.to_vec();
    }
    let own = list.thing.is_none_or(|thing| {
        let thing = &ground.index.things[thing];
        thing.keys.iter().chain(&thing.label).any(|column| identity.contains(column))
    });
    // Of those that share a name which was said, or have none, only the key tells which they are.
    let said = |name: &ColId| {
        let single = |filter: &Filter| match &filter.condition {
            Condition::Values { cells, .. } => {
                !filter.negated && matches!(&cells[..], [(id, texts)] if id == name && texts.len() == 1)
            }
            Condition::Missing(columns) | Condition::Empty(columns) => !filter.negated && columns.contains(name),
            _ => false,
        };
        !ground.index.column(*name).unique && ground.draft.filters.iter().any(single)
    };
    if let [key, name] = identity
        && own
        && said(name)
    {
        return std::iter::once(*key).chain(asked.iter().copied()).collect();
    }
    match identity.last() {
        Some(name) if own => std::iter::once(*name).chain(asked.iter().copied()).collect(),
        Some(_) => identity.iter().chain(asked).copied().collect(),
        None if list.thing.is_some() => ground.index.columns_of(ground.base).collect(),
        None => asked.to_vec(),
    }
}

/// Categories are listed once each; names and numbers are listed row by row.
fn asked_categories(ground: &Ground, asked: &[ColId], identity: &[ColId], ranked: bool) -> bool {
    let index = ground.index;
    let only_asked = ground.draft.heads.first().is_some_and(|head| matches!(head.target, Target::Columns(_)));
    let label = |id: &ColId| identity.contains(id) || index.things.iter().any(|thing| thing.label == Some(*id));
    let category = |id: &ColId| {
        let info = index.column(*id);
        matches!(info.ty, Type::Text | Type::Bool) && !info.unique && !label(id)
    };
    only_asked && !ranked && !asked.is_empty() && asked.iter().all(category)
}

fn sort(ground: &Ground, plan: &mut Plan, shown: &[ColId]) -> Result<(), Why> {
    let Some((head, dir)) = &ground.draft.sort else { return direction(ground, plan) };
    let Target::Columns(columns) = &head.target else {
        return Err(Why::unsupported("rows can only be sorted by a column"));
    };
    let shown_at = shown.iter().position(|column| columns.contains(column));
    let by = match shown_at {
        Some(at) => plan.select[at].name.clone(),
        None => {
            let Some(column) = columns.iter().find(|column| column.table == ground.base && !plan.distinct) else {
                return Err(Why::unsupported("sorting by something that is not shown"));
            };
            let name = snake(&ground.index.column(*column).name);
            plan.select.push(Select { name: name.clone(), expr: Expr::col(ground.index.qualified(*column)) });
            name
        }
    };
    plan.order = vec![Order { by, dir: *dir }];
    Ok(())
}

/// "In descending order" without a column means the only one shown.
fn direction(ground: &Ground, plan: &mut Plan) -> Result<(), Why> {
    let Some(dir) = ground.draft.direction else { return Ok(()) };
    match &plan.select[..] {
        [only] => {
            plan.order = vec![Order { by: only.name.clone(), dir: if dir == Dir::Asc { Dir::Asc } else { Dir::Desc } }];
            Ok(())
        }
        _ => Err(Why::ambiguous("by which column to sort is not said")),
    }
}
