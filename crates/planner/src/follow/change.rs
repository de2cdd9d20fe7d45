//! Changes to a plan: what a continuation replaces, adds and takes away. Each leaves a plan whose parts fit together.

use std::collections::BTreeSet;

use data::describe::describe_output;
use data::plan::{Agg, Dir, Expr, Order, Plan, Pred, Test, Top};

use super::words::Join;
use crate::Reading;
use crate::index::Index;
use crate::names;
use crate::words::snake;

/// Another aggregate of the same values.
pub fn aggregate(index: &Index, reading: &mut Reading, agg: Agg) -> Result<(), String> {
    let plan = &mut reading.plan;
    let [measure] = plan.measures.as_mut_slice() else {
        return Err("it computes more than one number, or none".to_string());
    };
    if !plan.compute.is_empty() {
        return Err("what is computed from another number has no aggregate of its own".to_string());
    }
    if measure.agg == Agg::Corr {
        return Err("a correlation has no other aggregate".to_string());
    }
    let Some(expr) = measure.expr.clone().filter(|_| measure.agg != Agg::CountDistinct) else {
        return Err(format!("a count has no {}", agg.as_str()));
    };
    let column = match &expr {
        Expr::Col { col } => snake(col.rsplit('.').next().unwrap_or(col)),
        // What the owner gave one meaning has no declared other one.
        _ => {
            reading.ambiguous = true;
            let known = index.dataset.measures.iter().find(|known| known.expr.as_ref() == Some(&expr));
            known.map_or_else(|| "value".to_string(), |known| snake(&known.name))
        }
    };
    let (before, after) = (measure.name.clone(), names::aggregate(agg, None, &column));
    measure.agg = agg;
    measure.q = None;
    measure.name.clone_from(&after);
    let renamed = |name: &mut String| {
        if *name == before {
            name.clone_from(&after);
        }
    };
    plan.order.iter_mut().map(|order| &mut order.by).for_each(renamed);
    plan.top.iter_mut().map(|top| &mut top.by).for_each(renamed);
    reading.focus.iter_mut().for_each(renamed);
    if plan.having.take().is_some() {
        return Err("which groups count was said of the number before".to_string());
    }
    Ok(())
}

/// Conditions on the same columns take the place of those before; others are added.
pub fn conditions(reading: &mut Reading, asked: &Reading) {
    let Some(new) = &asked.plan.filter else { return };
    let new = parts(new);
    let named: Vec<BTreeSet<String>> = new.iter().map(columns).collect();
    let mut kept: Vec<Pred> = reading.plan.filter.iter().flat_map(parts).collect();
    let before = kept.len();
    kept.retain(|pred| !named.contains(&columns(pred)));
    if kept.len() < before {
        reading.assumptions.retain(|assumption| assumption.code != "time_anchor");
    }
    // One value of what was grouped by leaves one group, which says nothing more.
    let single: Vec<Expr> = new.iter().filter_map(single_value).collect();
    if asked.plan.group.is_empty() {
        let gone: Vec<String> = reading
            .plan
            .group
            .iter()
            .filter(|group| single.contains(&group.expr))
            .map(|group| group.name.clone())
            .collect();
        let fits = reading.plan.compute.is_empty() && reading.plan.having.is_none();
        if fits && !gone.is_empty() {
            drop_groups(reading, &gone);
        }
    }
    kept.extend(new);
    reading.plan.filter = match kept.len() {
        1 => kept.pop(),
        _ => Some(Pred::And { and: kept }),
    };
    for assumption in &asked.assumptions {
        if !reading.assumptions.contains(assumption) {
            reading.assumptions.push(assumption.clone());
        }
    }
}

/// New groups take the place of those before, unless the words add them.
pub fn groups(reading: &mut Reading, asked: &Reading, join: Join) -> Result<(), String> {
    let new = &asked.plan.group;
    if new.is_empty() {
        return Ok(());
    }
    if reading.plan.measures.is_empty() {
        return Err("a list has no number to give for each group".to_string());
    }
    if !reading.plan.compute.is_empty() {
        return Err("what is computed along its groups cannot be given by others".to_string());
    }
    let same = |a: &data::plan::Group, b: &data::plan::Group| a.expr == b.expr && a.grain == b.grain;
    if join == Join::Add {
        let fresh = new.iter().filter(|group| !reading.plan.group.iter().any(|known| same(known, group)));
        let fresh: Vec<_> = fresh.cloned().collect();
        reading.plan.group.extend(fresh);
    } else {
        reading.ambiguous |= join == Join::Open && !reading.plan.group.is_empty();
        let gone: Vec<String> = reading.plan.group.iter().map(|group| group.name.clone()).collect();
        drop_groups(reading, &gone);
        reading.plan.group.clone_from(new);
    }
    let plan = &mut reading.plan;
    let measures = plan.measures.iter().map(|measure| measure.name.clone());
    reading.focus = plan.group.iter().map(|group| group.name.clone()).chain(measures).collect();
    if plan.top.is_none() {
        plan.order = usual_order(plan);
    }
    Ok(())
}

/// Time runs forward; everything else is ranked by its number.
fn usual_order(plan: &Plan) -> Vec<Order> {
    let by_time = plan.group.iter().find(|group| group.grain.is_some());
    match (by_time, plan.measures.first()) {
        (Some(group), _) => vec![Order { by: group.name.clone(), dir: Dir::Asc }],
        (None, Some(measure)) => vec![Order { by: measure.name.clone(), dir: Dir::Desc }],
        (None, None) => Vec::new(),
    }
}

fn drop_groups(reading: &mut Reading, gone: &[String]) {
    let plan = &mut reading.plan;
    plan.group.retain(|group| !gone.contains(&group.name));
    plan.order.retain(|order| !gone.contains(&order.by));
    if let Some(top) = &mut plan.top {
        top.per.retain(|name| !gone.contains(name));
    }
    if plan.group.is_empty() {
        plan.top = None;
        plan.order.clear();
    }
    reading.focus.retain(|name| !gone.contains(name));
    if reading.focus.is_empty() {
        reading.focus = plan.measures.iter().map(|measure| measure.name.clone()).collect();
    }
}

/// The first so many, by the number that is computed.
pub fn top(reading: &mut Reading, number: u32, dir: Dir) -> Result<(), String> {
    let plan = &mut reading.plan;
    if let Some(top) = &mut plan.top {
        top.n = number;
        top.dir = dir;
    } else {
        let values = plan.compute.iter().map(|compute| &compute.name).chain(plan.measures.iter().map(|one| &one.name));
        let asked = values.clone().find(|name| reading.focus.contains(name)).or_else(|| values.clone().next()).cloned();
        let by = asked.filter(|_| !plan.group.is_empty());
        let by = by.ok_or_else(|| "there are no groups of which some could be first".to_string())?;
        plan.top = Some(Top { n: number, by, dir, per: Vec::new(), ties: false });
    }
    if let Some(top) = &plan.top {
        plan.order = vec![Order { by: top.by.clone(), dir }];
    }
    Ok(())
}

/// Sorted by an output column: its name, a word of it, or what it is called in the reading.
pub fn sort(index: &Index, reading: &mut Reading, by: &str, dir: Option<Dir>) -> Result<(), String> {
    let outputs = data::plan::output(&reading.plan, &index.dataset);
    let wanted: Vec<String> = by.split(' ').map(|word| index.forms.singular(word)).collect();
    let called = |name: &str| {
        let said = format!("{name} {}", describe_output(&reading.plan, &index.dataset, name));
        let said: Vec<String> = crate::words::split_name(&said).iter().map(|word| index.forms.singular(word)).collect();
        wanted.iter().all(|word| said.contains(word))
    };
    let mut found: Vec<_> = outputs.iter().filter(|column| called(&column.name)).collect();
    // A group of names is sorted "by name", whatever its column is called.
    if found.is_empty() && wanted == ["name"] {
        found = outputs.iter().filter(|column| column.ty == base::Type::Text).collect();
    }
    let [column] = found.as_slice() else {
        return Err(format!("`{by}` names {} of its columns", if found.is_empty() { "none" } else { "several" }));
    };
    let usual = if column.ty.is_number() { Dir::Desc } else { Dir::Asc };
    reading.plan.order = vec![Order { by: column.name.clone(), dir: dir.unwrap_or(usual) }];
    Ok(())
}

/// The conditions that must all hold.
fn parts(pred: &Pred) -> Vec<Pred> {
    match pred {
        Pred::And { and } => and.iter().flat_map(parts).collect(),
        other => vec![other.clone()],
    }
}

/// What a condition compares, if it asks for one value of it.
fn single_value(pred: &Pred) -> Option<Expr> {
    match pred {
        Pred::Test { test: Test::Eq, expr, .. } => Some(expr.clone()),
        _ => None,
    }
}

/// The columns that a condition is about, and the tables whose rows it asks for.
fn columns(pred: &Pred) -> BTreeSet<String> {
    fn of_pred(pred: &Pred, found: &mut BTreeSet<String>) {
        match pred {
            Pred::And { and: list } | Pred::Or { or: list } => list.iter().for_each(|pred| of_pred(pred, found)),
            Pred::Not { not } => of_pred(not, found),
            Pred::Exists { exists } => {
                found.insert(exists.table.clone());
                exists.filter.iter().for_each(|pred| of_pred(pred, found));
            }
            Pred::Test { expr, .. } => found.extend(expr.columns().into_iter().map(str::to_string)),
        }
    }
    let mut found = BTreeSet::new();
    of_pred(pred, &mut found);
    found
}
