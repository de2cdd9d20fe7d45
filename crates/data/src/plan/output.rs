//! What a plan's result looks like: names and types of its columns, known before anything runs.

use base::{Column, Type};

use super::kind::{self, Kind, Name, Wrong};
use super::{Expr, Grain, Plan, PlanProblem};
use crate::dataset::Dataset;

/// One column of a result. The kind is unknown where the plan is wrong about it.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) name: String,
    pub(crate) kind: Option<Kind>,
    pub(crate) role: Role,
    /// Whether infinity can be among its values, or among what it was computed from.
    pub(crate) unbounded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Column,
    Group(Option<Grain>),
    Measure,
    Compute,
    Over,
}

impl Output {
    pub(crate) fn is_weekday(&self) -> bool {
        self.kind.is_some_and(|kind| kind.weekday)
    }

    /// The periods this column counts, if it can be walked along.
    pub(crate) fn periods(&self) -> Option<Grain> {
        match (self.role, self.kind) {
            (Role::Group(Some(grain)), _) => Some(grain),
            (Role::Group(None), Some(Kind { ty: Type::Date, .. })) => Some(Grain::Day),
            _ => None,
        }
    }
}

/// Names and types of the result's columns: the listed ones, or groups, measures and computed values, or what was
/// aggregated over these.
///
/// An expression without a type is shown as text; a plan that [`super::read`] returned has none.
pub fn output(plan: &Plan, dataset: &Dataset) -> Vec<Column> {
    let ty = |output: &Output| output.kind.map_or(Type::Text, |kind| kind.ty);
    let shown = |output: &&Output| plan.over.is_empty() || output.role == Role::Over;
    outputs(plan, dataset)
        .0
        .iter()
        .filter(shown)
        .map(|output| Column { name: output.name.clone(), ty: ty(output) })
        .collect()
}

/// Every output that the plan names, and the first rule that it breaks. Where there are aggregates over groups, the others
/// are on the way to them.
pub(crate) fn outputs(plan: &Plan, dataset: &Dataset) -> (Vec<Output>, Option<PlanProblem>) {
    let mut found = Outputs { dataset, all: Vec::new(), problem: None };
    for (index, column) in plan.select.iter().enumerate() {
        let kind = found.of(&column.expr);
        let unbounded = found.is_unbounded(&column.expr);
        found.add(&column.name, Role::Column, kind, unbounded, format!("/select/{index}"));
    }
    for (index, group) in plan.group.iter().enumerate() {
        let kind = found.of(&group.expr).and_then(|kind| match group.grain {
            Some(grain) => kind::grain(grain, kind),
            None => Ok(kind),
        });
        let unbounded = found.is_unbounded(&group.expr);
        found.add(&group.name, Role::Group(group.grain), kind, unbounded, format!("/group/{index}"));
    }
    for (index, measure) in plan.measures.iter().enumerate() {
        let of: Result<Vec<Kind>, Wrong> = measure.exprs().map(|expr| found.of(expr)).collect();
        let kind = of.and_then(|of| kind::measure(measure.agg, &of));
        let unbounded = measure.exprs().any(|expr| found.is_unbounded(expr));
        found.add(&measure.name, Role::Measure, kind, unbounded, format!("/measures/{index}"));
    }
    for (index, compute) in plan.compute.iter().enumerate() {
        let args: Result<Vec<Kind>, Wrong> =
            compute.args.iter().map(|name| found.of(&Expr::Ref { name: name.clone() })).collect();
        let kind = args.and_then(|args| kind::compute(compute.op, &args));
        let unbounded = compute.args.iter().any(|name| found.is_unbounded(&Expr::Ref { name: name.clone() }));
        found.add(&compute.name, Role::Compute, kind, unbounded, format!("/compute/{index}"));
    }
    for (index, over) in plan.over.iter().enumerate() {
        let of = over.of.as_ref().map(|name| Expr::Ref { name: name.clone() });
        let kind = of.as_ref().map(|expr| found.of(expr)).transpose().and_then(|of| kind::over(over.agg, of));
        let unbounded = of.as_ref().is_some_and(|expr| found.is_unbounded(expr));
        found.add(&over.name, Role::Over, kind, unbounded, format!("/over/{index}"));
    }
    (found.all, found.problem)
}

struct Outputs<'d> {
    dataset: &'d Dataset,
    all: Vec<Output>,
    problem: Option<PlanProblem>,
}

impl Outputs<'_> {
    fn of(&self, expr: &Expr) -> Result<Kind, Wrong> {
        kind::of(expr, &|name| match name {
            Name::Column(column) => self.dataset.column(column).map(|column| column.ty.into()),
            Name::Output(name) => self.all.iter().find(|output| output.name == name).and_then(|output| output.kind),
        })
    }

    /// Columns of floats may hold infinity; nothing else in the language comes near it.
    fn is_unbounded(&self, expr: &Expr) -> bool {
        const NEAR: f64 = 1e100;
        match expr {
            Expr::Col { col } => self.dataset.column(col).is_some_and(|column| column.ty == Type::Float),
            Expr::Ref { name } => self.all.iter().any(|output| output.name == *name && output.unbounded),
            Expr::Lit { lit } => lit.as_f64().is_some_and(|number| number.abs() > NEAR),
            Expr::Op { args, .. } => args.iter().any(|arg| self.is_unbounded(arg)),
            Expr::Part { .. } => false,
        }
    }

    fn add(&mut self, name: &str, role: Role, kind: Result<Kind, Wrong>, unbounded: bool, path: String) {
        let kind = kind.map_err(|wrong| {
            self.problem.get_or_insert_with(|| PlanProblem::invalid(path, wrong.message));
        });
        self.all.push(Output { name: name.to_string(), kind: kind.ok(), role, unbounded });
    }
}
