//! What a plan may say about a dataset, whichever form it was written in: names exist, types fit, outputs are unique.
//!
//! Both readers call these with the paths of what they read. A value that could not be made sense of is `None` and is
//! passed on silently, so that one mistake is reported once.

use std::ops::RangeInclusive;

use base::{Type, nearest};

use super::addable;
use super::kind::{self, Kind, Wrong};
use super::name::{self, Found};
use super::node::{Node, Problems, pointer};
use super::output::{Output, Role};
use super::{
    Agg, Compute, ComputeOp, Expr, Grain, NAME_CHARS_MAX, Op, OverAgg, Part, PlanProblem, Pred, Test, literal,
};
use crate::dataset::{Dataset, TableInfo};

/// An expression and its type.
pub(super) type Typed = (Expr, Kind);

/// The reading of one plan: what is known so far, and what was found wrong.
pub(super) struct Check<'d> {
    pub(super) dataset: &'d Dataset,
    pub(super) from: Option<&'d TableInfo>,
    pub(super) via: Vec<String>,
    pub(super) outputs: Vec<Output>,
    pub(super) problems: Problems,
}

impl<'d> Check<'d> {
    pub(super) fn new(dataset: &'d Dataset) -> Check<'d> {
        Check { dataset, from: None, via: Vec::new(), outputs: Vec::new(), problems: Problems::default() }
    }

    /// Keeps a value, or the problem at its place.
    pub(super) fn keep<T>(&mut self, result: Result<T, PlanProblem>, path: &str) -> Option<T> {
        result.map_err(|problem| self.problems.add(problem.at(path))).ok()
    }

    fn keep_typed<T>(&mut self, result: Result<T, Wrong>, path: &str, args: &str) -> Option<T> {
        result
            .map_err(|wrong| {
                let place = wrong.arg.map_or(path.to_string(), |arg| pointer(args, &arg.to_string()));
                self.problems.invalid(&place, wrong.message);
            })
            .ok()
    }

    pub(super) fn table(&mut self, node: &Node<'_>) -> Option<&'d TableInfo> {
        let text = self.problems.text(node, "a table's name")?;
        self.keep(name::table(self.dataset, text), &node.path)
    }

    /// A column seen from the rows of `grain`.
    pub(super) fn column(&mut self, text: &str, path: &str, grain: Option<&'d TableInfo>) -> Option<Typed> {
        let found = name::column(self.dataset, grain?, &self.via, text);
        let (table, column) = self.keep(found, path)?;
        Some((Expr::col(name::qualified(table, column)), column.ty.into()))
    }

    pub(super) fn literal(&mut self, node: &Node<'_>) -> Option<Typed> {
        let lit = literal::scalar(node.value).map_err(|message| self.problems.invalid(&node.path, message)).ok()?;
        let kind = kind::literal(&lit)?;
        Some((Expr::Lit { lit }, kind))
    }

    pub(super) fn operation(&mut self, op: Op, args: Vec<Option<Typed>>, path: &str) -> Option<Typed> {
        let count = args.len();
        let args: Vec<Typed> = args.into_iter().flatten().collect();
        if args.len() < count && kind::arity(op).contains(&count) {
            return None;
        }
        let kinds: Vec<(&Expr, Kind)> = args.iter().map(|(expr, kind)| (expr, *kind)).collect();
        let kind = self.keep_typed(kind::operation(op, &kinds), path, &pointer(path, "args"))?;
        let elapsed = matches!(op, Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays);
        let spelled = |expr: Expr| match expr {
            Expr::Lit { lit } if elapsed => {
                Expr::Lit { lit: literal::fit(&lit, Type::Timestamp.into()).unwrap_or(lit) }
            }
            other => other,
        };
        Some((Expr::Op { op, args: args.into_iter().map(|(expr, _)| spelled(expr)).collect() }, kind))
    }

    pub(super) fn part(&mut self, part: Part, of: Option<Typed>, path: &str) -> Option<Typed> {
        let (expr, kind) = of?;
        let kind = self.keep_typed(kind::part(part, kind), path, path)?;
        Some((Expr::Part { part, of: Box::new(expr) }, kind))
    }

    pub(super) fn grain(&mut self, grain: Option<Grain>, kind: Option<Kind>, path: &str) -> Option<Kind> {
        match grain {
            Some(grain) => self.keep_typed(kind::grain(grain, kind?), path, path),
            None => kind,
        }
    }

    /// A test of one value.
    pub(super) fn test(
        &mut self,
        test: Test,
        subject: Option<Typed>,
        values: &[Node<'_>],
        places: TestPlaces<'_>,
    ) -> Option<Pred> {
        let allowed = kind::values(test);
        if !allowed.contains(&values.len()) {
            let message = format!("`{}` takes {}, not {}", test.as_str(), how_many(allowed), values.len());
            self.problems.invalid(places.values, message);
            return None;
        }
        let (expr, kind) = subject?;
        self.keep_typed(kind::test(test, kind), places.test, places.test)?;
        let mut fitting = Vec::with_capacity(values.len());
        for value in values {
            match literal::fit(value.value, kind) {
                Ok(value) => fitting.push(value),
                Err(message) => self.problems.invalid(&value.path, message),
            }
        }
        (fitting.len() == values.len()).then_some(Pred::Test { test, expr, values: fitting })
    }

    /// The type of an aggregate; `path` is the measure's.
    pub(super) fn aggregate(&mut self, agg: Agg, over: Option<Kind>, path: &str) -> Option<Kind> {
        self.keep_typed(kind::aggregate(agg, over), path, path)
    }

    /// The other number that a correlation needs and nothing else has; `path` is the measure's.
    pub(super) fn with(&mut self, agg: Option<Agg>, with: Option<&(String, Option<Typed>)>, path: &str) {
        let (Some(agg), None | Some((_, Some(_)))) = (agg, with) else { return };
        let kind = with.and_then(|(_, typed)| typed.as_ref()).map(|typed| typed.1);
        let place = with.map_or(path, |(place, _)| place);
        self.keep_typed(kind::with(agg, kind), place, place);
    }

    /// The type of an aggregate over groups; `path` is what is aggregated.
    pub(super) fn over(&mut self, agg: OverAgg, of: Option<Kind>, path: &str) -> Option<Kind> {
        self.keep_typed(kind::over(agg, of), path, path)
    }

    /// Refuses a sum that would count a joined row once for each row of `from`. A sum of bools counts rows of `from`.
    pub(super) fn addable(&mut self, agg: Agg, over: &Typed, path: &str) {
        let (expr, kind) = over;
        let Some(from) = self.from.filter(|_| agg == Agg::Sum && *kind != Type::Bool.into()) else { return };
        if let Some(column) = addable::repeated(expr, self.dataset, from, &self.via) {
            let table = column.split_once('.').map_or(column, |(table, _)| table);
            let message = format!(
                "one row of `{table}` has many of `{}`: the sum would add `{column}` once for each; sum it from `{table}`",
                from.name
            );
            self.problems.invalid(path, message);
        }
    }

    /// The quantile, which `quantile` needs and nothing else has.
    pub(super) fn quantile(&mut self, agg: Option<Agg>, q: Option<&Node<'_>>, path: &str) -> Option<f64> {
        match (agg?, q) {
            (Agg::Quantile, Some(node)) => {
                let q = node.value.as_f64().filter(|q| (0.0..=1.0).contains(q));
                if q.is_none() {
                    self.problems.invalid(&node.path, "`q` is a number from 0 to 1");
                }
                q
            }
            (Agg::Quantile, None) => {
                self.problems.invalid(path, "`quantile` needs the field `q`");
                None
            }
            (_, Some(node)) => {
                self.problems.invalid(&node.path, "`q` belongs to `quantile` only");
                None
            }
            (_, None) => None,
        }
    }

    /// An output's name: short, printable, and not taken. Engines do not tell names apart by case, so neither do we.
    pub(super) fn output_name(&mut self, text: &str, path: &str) -> Option<String> {
        let length = text.chars().count();
        if text.trim().is_empty() || length > NAME_CHARS_MAX || text.chars().any(char::is_control) {
            let message = format!("a name is 1 to {NAME_CHARS_MAX} characters long and has no control characters");
            self.problems.invalid(path, message);
            return None;
        }
        if self.is_taken(text) {
            self.problems.invalid(path, format!("the name `{text}` is used twice"));
            return None;
        }
        Some(text.to_string())
    }

    pub(super) fn is_taken(&self, name: &str) -> bool {
        let wanted = name.to_lowercase();
        self.outputs.iter().any(|output| output.name.to_lowercase() == wanted)
    }

    /// Makes an output known to what follows, also when something about it is wrong.
    pub(super) fn declare(&mut self, name: Option<String>, kind: Option<Kind>, role: Role) -> String {
        let name = name.unwrap_or_default();
        self.outputs.push(Output { name: name.clone(), kind, role, unbounded: false });
        name
    }

    /// The output of that name.
    pub(super) fn reference(&mut self, text: &str, path: &str) -> Option<Output> {
        let named = || self.outputs.iter().filter(|output| !output.name.is_empty());
        let problem = match name::lookup(text, named().map(|output| (output, output.name.as_str()))) {
            Found::One(output) => return Some(output.clone()),
            Found::Several(outputs) => PlanProblem::invalid(path, format!("`{text}` may be several outputs"))
                .suggest(outputs.iter().map(|output| output.name.clone()).collect()),
            Found::None => PlanProblem::invalid(path, format!("the plan has no output `{text}`"))
                .suggest(nearest(text, named().map(|output| output.name.as_str()))),
        };
        self.problems.add(problem);
        None
    }

    /// The names of some of the outputs known so far.
    fn names_of(&self, wanted: impl Fn(&Output) -> bool) -> Vec<String> {
        let named = self.outputs.iter().filter(|output| !output.name.is_empty() && wanted(output));
        named.map(|output| output.name.clone()).collect()
    }

    /// An output of that name which rows are grouped by.
    pub(super) fn group(&mut self, text: &str, path: &str) -> Option<Output> {
        let output = self.reference(text, path)?;
        if !matches!(output.role, Role::Group(_)) {
            let groups = self.names_of(|output| matches!(output.role, Role::Group(_)));
            let problem = PlanProblem::invalid(path, format!("`{}` is not one of the groups", output.name));
            self.problems.add(problem.suggest(groups));
            return None;
        }
        Some(output)
    }

    /// A value computed from measures. `per` and `along` are completed where only one completion makes sense.
    pub(super) fn compute(&mut self, op: ComputeOp, parts: ComputeParts<'_>) -> (Option<Compute>, Option<Kind>) {
        let mut outputs = Vec::new();
        for node in &parts.args {
            outputs.push(self.argument(node));
        }
        let kinds: Option<Vec<Kind>> =
            outputs.iter().map(|output| output.as_ref().and_then(|found| found.kind)).collect();
        let kind = kinds
            .and_then(|kinds| self.keep_typed(kind::compute(op, &kinds), &parts.path, &pointer(&parts.path, "args")));
        let along = self.along(op, &parts);
        let per = self.per(op, &parts, along.as_ref());
        let args = outputs.into_iter().flatten().map(|output| output.name).collect();
        let compute = Compute { name: String::new(), op, args, per, along };
        (Some(compute), kind)
    }

    /// Measures and values computed before can be computed with, and aggregated over groups.
    pub(super) fn argument(&mut self, node: &Node<'_>) -> Option<Output> {
        let text = self.problems.text(node, "an argument")?;
        let output = self.reference(text, &node.path)?;
        let what = match output.role {
            Role::Group(_) => "a group",
            Role::Over => "an aggregate over groups",
            Role::Column | Role::Measure | Role::Compute => return Some(output),
        };
        let message = format!("`{}` is {what}, not a measure", output.name);
        let others = self.names_of(|output| matches!(output.role, Role::Measure | Role::Compute));
        self.problems.add(PlanProblem::invalid(&node.path, message).suggest(others));
        None
    }

    fn along(&mut self, op: ComputeOp, parts: &ComputeParts<'_>) -> Option<String> {
        if !walks(op) {
            if let Some(node) = &parts.along {
                self.problems.invalid(&node.path, format!("`{}` has no `along`", op.as_str()));
            }
            return None;
        }
        let Some(node) = &parts.along else {
            let names = self.names_of(|output| output.periods().is_some());
            if let [only] = &names[..] {
                return Some(only.clone());
            }
            let message = format!("`{}` needs the field `along`: a group that is a period", op.as_str());
            self.problems.add(PlanProblem::invalid(&parts.path, message).suggest(names));
            return None;
        };
        let text = self.problems.text(node, "`along`")?;
        let output = self.group(text, &node.path)?;
        if output.periods().is_none() && output.kind.is_some() {
            let message = format!("`{}` is not a period: `along` needs a group with a grain, or of dates", output.name);
            let periods = self.names_of(|output| output.periods().is_some());
            self.problems.add(PlanProblem::invalid(&node.path, message).suggest(periods));
            return None;
        }
        Some(output.name)
    }

    fn per(&mut self, op: ComputeOp, parts: &ComputeParts<'_>, along: Option<&String>) -> Vec<String> {
        let mut per: Vec<String> = Vec::new();
        for node in &parts.per {
            let Some(text) = self.problems.text(node, "an item of `per`") else { continue };
            let Some(output) = self.group(text, &node.path) else { continue };
            if !per.contains(&output.name) {
                per.push(output.name);
            }
        }
        let path = pointer(&parts.path, "per");
        if matches!(op, ComputeOp::Ratio | ComputeOp::Diff) && !parts.per.is_empty() {
            self.problems.invalid(&path, format!("`{}` has no `per`", op.as_str()));
        }
        let Some(along) = along else { return per };
        let is_group = |output: &&Output| matches!(output.role, Role::Group(_)) && output.name != *along;
        let others: Vec<String> = self.outputs.iter().filter(is_group).map(|output| output.name.clone()).collect();
        if parts.per.is_empty() {
            return others;
        }
        if per.contains(along) || others.iter().any(|name| !per.contains(name)) {
            let message = format!("`per` of `{}` names every group but `{along}`, or is left out", op.as_str());
            self.problems.add(PlanProblem::invalid(path, message).suggest(others));
        }
        per
    }

    /// A link of `via` in its canonical spelling.
    pub(super) fn link(&mut self, node: &Node<'_>) -> Option<String> {
        let text = self.problems.text(node, "a link")?;
        let links: Vec<String> = self.dataset.relations.iter().map(crate::join::link).collect();
        let wanted: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        match name::lookup(&wanted, links.iter().map(|link| (link, link.as_str()))) {
            Found::One(link) => Some(link.clone()),
            Found::Several(_) | Found::None => {
                let problem = PlanProblem::invalid(&node.path, format!("`{text}` is not a link of the dataset"));
                self.problems.add(problem.suggest(nearest(text, links.iter().map(String::as_str))));
                None
            }
        }
    }

    /// The table whose rows `exists` asks about: the many side of a path to the rows at hand.
    pub(super) fn many_side(&mut self, node: &Node<'_>, one: Option<&'d TableInfo>) -> Option<&'d TableInfo> {
        let many = self.table(node)?;
        let one = one?;
        let leads = |table: &TableInfo| {
            let reached = crate::join::reachable(self.dataset, &table.name);
            table.name != one.name && reached.iter().flatten().any(|reached| reached.name == one.name)
        };
        if !leads(many) {
            let message =
                format!("`exists` asks about many rows per row of `{}`; `{}` has no such link", one.name, many.name);
            let tables = self.dataset.tables.iter().filter(|table| leads(table)).map(|table| table.name.clone());
            let problem = PlanProblem::invalid(&node.path, message).suggest(tables.collect());
            self.problems.add(problem);
            return None;
        }
        self.keep(crate::join::path(self.dataset, &many.name, &one.name, &self.via), &node.path)?;
        Some(many)
    }
}

/// Where a test's word and its values stand.
#[derive(Clone, Copy)]
pub(super) struct TestPlaces<'p> {
    pub(super) test: &'p str,
    pub(super) values: &'p str,
}

/// What a computed value was written with.
pub(super) struct ComputeParts<'v> {
    pub(super) path: String,
    pub(super) args: Vec<Node<'v>>,
    pub(super) per: Vec<Node<'v>>,
    pub(super) along: Option<Node<'v>>,
}

fn walks(op: ComputeOp) -> bool {
    match op {
        ComputeOp::Change | ComputeOp::ChangePct | ComputeOp::Cumulative => true,
        ComputeOp::Ratio | ComputeOp::Diff | ComputeOp::Share => false,
    }
}

fn how_many(allowed: RangeInclusive<usize>) -> String {
    match (*allowed.start(), *allowed.end()) {
        (0, 0) => "no values".to_string(),
        (1, 1) => "one value".to_string(),
        (2, 2) => "two values".to_string(),
        (least, most) => format!("{least} to {most} values"),
    }
}
