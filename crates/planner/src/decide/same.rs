//! Readings that compute the same: of several the cheapest is kept, so that nobody is asked to choose between equal answers.

use data::plan::{Expr, Group, Plan, Pred, Test};
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::Reading;
use crate::index::Index;

/// The cheapest reading of each computation, in the order in which the computations were met.
#[derive(Default)]
pub struct Distinct {
    readings: Vec<Reading>,
    /// What each of them computes.
    computations: Vec<Value>,
}

impl Distinct {
    pub fn add(&mut self, reading: Reading) {
        let computation = answering(&reading).canonical();
        match self.computations.iter().position(|known| *known == computation) {
            Some(at) if self.readings[at].score < reading.score => self.readings[at] = reading,
            Some(_) => {}
            None => {
                self.readings.push(reading);
                self.computations.push(computation);
            }
        }
    }

    pub fn into_readings(self) -> Vec<Reading> {
        self.readings
    }
}

/// Whether two plans list the same rows, and one of them only shows more of each.
pub fn list_the_same_rows(first: &Plan, second: &Plan) -> bool {
    let lists =
        |plan: &Plan| !plan.select.is_empty() && plan.group.is_empty() && plan.measures.is_empty() && !plan.distinct;
    let ranked = |plan: &Plan| {
        let by = plan.top.as_ref().map(|top| &top.by);
        by.and_then(|by| plan.select.iter().find(|item| item.name == *by)).map(|item| item.expr.clone())
    };
    let rows = |plan: &Plan| {
        let mut bare = Plan { select: Vec::new(), ..plan.clone() };
        bare.top.iter_mut().for_each(|top| top.by.clear());
        bare.canonical()
    };
    let shows = |more: &Plan, less: &Plan| {
        less.select.iter().all(|item| more.select.iter().any(|other| other.expr == item.expr))
    };
    lists(first)
        && lists(second)
        && (shows(first, second) || shows(second, first))
        && ranked(first) == ranked(second)
        && rows(first) == rows(second)
}

/// Whether two plans compute the same for the same groups, and one of them only shows what identifies each, too.
pub fn tell_the_same_groups(index: &Index, first: &Plan, second: &Plan) -> bool {
    let identifies = |group: &Group, others: &[Group]| {
        let column = |group: &Group| if let Expr::Col { col } = &group.expr { index.find(col) } else { None };
        let Some(key) = column(group) else { return false };
        let labels = index.things.iter().filter(|thing| thing.keys.contains(&key)).filter_map(|thing| thing.label);
        labels.into_iter().any(|label| others.iter().any(|other| column(other) == Some(label)))
    };
    let (more, less) = if first.group.len() > second.group.len() { (first, second) } else { (second, first) };
    let known = |group: &Group| less.group.iter().any(|other| other.expr == group.expr && other.grain == group.grain);
    let bare = |plan: &Plan| Plan { group: Vec::new(), ..plan.clone() }.canonical();
    more.group.len() == less.group.len() + 1
        && more.group.iter().all(|group| known(group) || identifies(group, &less.group))
        && bare(more) == bare(less)
}

/// What a reading computes, but for columns that a list shows beside what was asked for.
fn answering(reading: &Reading) -> Plan {
    let mut plan = reading.plan.clone();
    let listed = !plan.select.is_empty() && !plan.distinct && plan.order.is_empty() && plan.top.is_none();
    if listed && !reading.focus.is_empty() {
        plan.select.retain(|item| reading.focus.contains(&item.name));
    }
    if let Some(Pred::And { and }) = &mut plan.filter {
        without_what_follows(and);
        if let [only] = &and[..] {
            plan.filter = Some(only.clone());
        }
    }
    bare(&plan)
}

/// Drops conditions that a cell is there where another one says what it is.
fn without_what_follows(conditions: &mut Vec<Pred>) {
    let told = |expr: &Expr, all: &[Pred]| {
        let says = |pred: &Pred| matches!(pred, Pred::Test { test, expr: other, .. } if *test != Test::IsNull && other == expr);
        all.iter().any(says)
    };
    let present = |pred: &Pred| match pred {
        Pred::Not { not } => match &**not {
            Pred::Test { test: Test::IsNull, expr, .. } => Some(expr.clone()),
            _ => None,
        },
        _ => None,
    };
    let all = conditions.clone();
    conditions.retain(|pred| present(pred).is_none_or(|expr| !told(&expr, &all)));
}

/// A plan with names replaced by positions, so that equal computations are equal.
fn bare(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let mut names = FxHashMap::default();
    let outputs = plan.select.iter_mut().map(|item| &mut item.name);
    let outputs = outputs.chain(plan.group.iter_mut().map(|item| &mut item.name));
    let outputs = outputs.chain(plan.measures.iter_mut().map(|item| &mut item.name));
    let outputs = outputs.chain(plan.compute.iter_mut().map(|item| &mut item.name));
    let outputs = outputs.chain(plan.over.iter_mut().map(|item| &mut item.name));
    for (position, name) in outputs.enumerate() {
        let bare = format!("#{position}");
        names.insert(std::mem::replace(name, bare.clone()), bare);
    }
    let renamed = |name: &mut String| {
        if let Some(bare) = names.get(name) {
            name.clone_from(bare);
        }
    };
    for compute in &mut plan.compute {
        compute.args.iter_mut().chain(&mut compute.per).chain(&mut compute.along).for_each(renamed);
    }
    if let Some(top) = &mut plan.top {
        std::iter::once(&mut top.by).chain(&mut top.per).for_each(renamed);
    }
    plan.order.iter_mut().map(|order| &mut order.by).for_each(renamed);
    plan.over.iter_mut().filter_map(|over| over.of.as_mut()).for_each(renamed);
    if let Some(having) = &mut plan.having {
        rename_refs(having, &renamed);
    }
    plan
}

fn rename_refs(pred: &mut Pred, renamed: &impl Fn(&mut String)) {
    match pred {
        Pred::And { and: list } | Pred::Or { or: list } => list.iter_mut().for_each(|pred| rename_refs(pred, renamed)),
        Pred::Not { not } => rename_refs(not, renamed),
        Pred::Test { expr: Expr::Ref { name }, .. } => renamed(name),
        Pred::Test { .. } | Pred::Exists { .. } => {}
    }
}
