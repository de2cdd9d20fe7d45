//! Reading a plan from JSON: the canonical form here, the short form in `short`; both end as one checked [`Plan`].

use serde_json::Value;

use super::check::{Check, ComputeParts, TestPlaces, Typed};
use super::node::{Node, pointer};
use super::output::Role;
use super::*;
use crate::dataset::{Dataset, TableInfo};

/// The dataset a plan is about, in either form.
pub fn dataset_name(value: &Value) -> Option<&str> {
    value.get("dataset").or_else(|| value.get("dataset_id"))?.as_str()
}

/// Reads a plan in either form, checks it against the dataset, and returns it in canonical form; or everything that is
/// wrong with it.
///
/// The caller found the dataset by the plan's [`dataset_name`]; the result carries the dataset's own id.
pub fn read(value: &Value, dataset: &Dataset) -> Result<Plan, Vec<PlanProblem>> {
    let mut check = Check::new(dataset);
    let root = Node::root(value);
    let plan = match short::is_short(value) {
        true => check.short(&root),
        false => check.plan(&root),
    };
    match plan {
        Some(plan) if check.problems.0.is_empty() => Ok(plan.normal()),
        _ => Err(check.problems.0),
    }
}

/// What an expression may refer to.
#[derive(Clone, Copy)]
enum Scope<'d> {
    /// Columns seen from the rows of this table.
    Rows(Option<&'d TableInfo>),
    /// Names of the result.
    Outputs,
}

/// One list of words with their values, for reading and for suggestions.
macro_rules! vocabulary {
    ($type:ident) => {
        &$type::ALL.iter().map(|word| (word.as_str(), *word)).collect::<Vec<_>>()
    };
}
pub(super) use vocabulary;

impl<'d> Check<'d> {
    fn plan(&mut self, root: &Node<'_>) -> Option<Plan> {
        self.problems.object(root, "a plan", fields::PLAN)?;
        if let Some(version) = root.field("v")
            && version.value.as_u64() != Some(u64::from(VERSION))
        {
            self.problems.invalid(&version.path, format!("`v` is {VERSION}, the language's version"));
        }
        self.dataset_field(root, "dataset");
        self.from = self.problems.required(root, "a plan", "from").and_then(|node| self.table(&node));
        let mut plan = Plan::new(&self.dataset.id, self.from.map_or("", |table| &table.name));
        let links = self.problems.optional_list(root, "via", LINKS_MAX);
        self.via = links.iter().filter_map(|node| self.link(node)).collect();
        plan.via = self.via.clone();
        let rows = Scope::Rows(self.from);
        plan.filter = root.field("where").and_then(|node| self.pred(&node, rows, 0));
        self.shape(root);
        plan.select = self.each(root, "select", COLUMNS_MAX, Check::select_item);
        plan.distinct =
            root.field("distinct").and_then(|node| self.problems.truth(&node, "`distinct`")).unwrap_or(false);
        plan.group = self.each(root, "group", GROUPS_MAX, Check::group_item);
        plan.measures = self.each(root, "measures", MEASURES_MAX, Check::measure);
        plan.compute = self.each(root, "compute", MEASURES_MAX, Check::compute_item);
        plan.having = root.field("having").and_then(|node| self.pred(&node, Scope::Outputs, 0));
        plan.top = root.field("top").and_then(|node| self.top(&node));
        plan.over = self.each(root, "over", MEASURES_MAX, Check::over_item);
        plan.order = self.each(root, "order", COLUMNS_MAX, Check::order_item);
        plan.limit = self.limit(root);
        Some(plan)
    }

    pub(super) fn dataset_field(&mut self, root: &Node<'_>, field: &str) {
        let name = self.problems.required(root, "a plan", field);
        if let Some(node) = name {
            self.problems.text(&node, "a dataset's name");
        }
    }

    pub(super) fn limit(&mut self, root: &Node<'_>) -> u32 {
        let limit = root.field("limit").and_then(|node| self.problems.count(&node, "`limit`", LIMIT_MAX));
        limit.unwrap_or(LIMIT_DEFAULT)
    }

    /// A plan lists columns, or it groups and measures.
    fn shape(&mut self, root: &Node<'_>) {
        let has = |field: &str| root.field(field).is_some_and(|node| node.value.as_array() != Some(&Vec::new()));
        let grouped = has("group") || has("measures");
        match (has("select"), grouped) {
            (true, true) => self.problems.invalid("/select", "`select` excludes `group` and `measures`"),
            (false, false) => self.problems.invalid("", "a plan needs `select`, or `group` and `measures`"),
            _ => {}
        }
        for field in ["compute", "having", "over"].into_iter().filter(|field| has(field) && !grouped) {
            self.problems.invalid(&pointer("", field), format!("`{field}` needs `group` or `measures`"));
        }
        if root.value.get("distinct") == Some(&Value::Bool(true)) && grouped {
            self.problems.invalid("/distinct", "`distinct` belongs to `select`; groups are distinct");
        }
        if has("over") && has("order") {
            self.problems.invalid("/order", "`over` gives one row: there is nothing to order");
        }
    }

    fn each<T>(
        &mut self,
        root: &Node<'_>,
        field: &str,
        items_max: usize,
        read: fn(&mut Check<'d>, &Node<'_>) -> Option<T>,
    ) -> Vec<T> {
        let nodes = self.problems.optional_list(root, field, items_max);
        nodes.iter().filter_map(|node| read(self, node)).collect()
    }

    fn name(&mut self, node: &Node<'_>, what: &str) -> Option<String> {
        let name = self.problems.required(node, what, "as")?;
        let text = self.problems.text(&name, "a name")?;
        self.output_name(text, &name.path)
    }

    fn expr_field(&mut self, node: &Node<'_>, what: &str) -> Option<Typed> {
        let expr = self.problems.required(node, what, "expr")?;
        self.expr(&expr, Scope::Rows(self.from), 0)
    }

    fn select_item(&mut self, node: &Node<'_>) -> Option<Select> {
        self.problems.object(node, "a column", fields::SELECT)?;
        let name = self.name(node, "a column");
        let typed = self.expr_field(node, "a column");
        let name = self.declare(name, typed.as_ref().map(|typed| typed.1), Role::Column);
        Some(Select { name, expr: typed?.0 })
    }

    fn group_item(&mut self, node: &Node<'_>) -> Option<Group> {
        self.problems.object(node, "a group", fields::GROUP)?;
        let name = self.name(node, "a group");
        let typed = self.expr_field(node, "a group");
        let grain = node.field("grain");
        let place = grain.as_ref().map_or(node.path.clone(), |grain| grain.path.clone());
        let grain = grain.and_then(|node| self.problems.word(&node, "a grain", vocabulary!(Grain)));
        let kind = self.grain(grain, typed.as_ref().map(|typed| typed.1), &place);
        let name = self.declare(name, kind, Role::Group(grain));
        Some(Group { name, expr: typed?.0, grain })
    }

    fn measure(&mut self, node: &Node<'_>) -> Option<Measure> {
        self.problems.object(node, "a measure", fields::MEASURE)?;
        let name = self.name(node, "a measure");
        let agg = self.problems.required(node, "a measure", "agg");
        let agg = agg.and_then(|node| self.problems.word(&node, "an aggregate", vocabulary!(Agg)));
        let expr = node.field("expr");
        let typed = expr.as_ref().map(|node| self.expr(node, Scope::Rows(self.from), 0));
        let kind = match (agg, &typed) {
            (Some(agg), None) => self.aggregate(agg, None, &node.path),
            (Some(agg), Some(Some(over))) => {
                let path = pointer(&node.path, "expr");
                self.addable(agg, over, &path);
                self.aggregate(agg, Some(over.1), &path)
            }
            _ => None,
        };
        let with = node.field("with").map(|other| {
            let typed = self.expr(&other, Scope::Rows(self.from), 0);
            (other.path, typed)
        });
        self.with(agg, with.as_ref(), &node.path);
        let with = with.and_then(|(_, typed)| typed).map(|typed| typed.0);
        let q = self.quantile(agg, node.field("q").as_ref(), &node.path);
        let filter = node.field("where").and_then(|node| self.pred(&node, Scope::Rows(self.from), 0));
        let name = self.declare(name, kind, Role::Measure);
        Some(Measure { name, agg: agg?, expr: typed.flatten().map(|typed| typed.0), with, q, filter })
    }

    fn compute_item(&mut self, node: &Node<'_>) -> Option<Compute> {
        self.problems.object(node, "a computed value", fields::COMPUTE)?;
        let name = self.name(node, "a computed value");
        let op = self.problems.required(node, "a computed value", "op");
        let op = op.and_then(|node| self.problems.word(&node, "an operation on measures", vocabulary!(ComputeOp)));
        let args = self.problems.required(node, "a computed value", "args");
        let args = args.map(|node| self.problems.list(&node, "`args`", ARGS_MAX));
        let per = self.problems.optional_list(node, "per", GROUPS_MAX);
        let (compute, kind) = match (op, args) {
            (Some(op), Some(args)) => {
                self.compute(op, ComputeParts { path: node.path.clone(), args, per, along: node.field("along") })
            }
            _ => (None, None),
        };
        let name = self.declare(name, kind, Role::Compute);
        compute.map(|compute| Compute { name, ..compute })
    }

    fn top(&mut self, node: &Node<'_>) -> Option<Top> {
        self.problems.object(node, "`top`", fields::TOP)?;
        let n = self.problems.required(node, "`top`", "n");
        let n = n.and_then(|node| self.problems.count(&node, "`n`", LIMIT_MAX));
        let by = self.problems.required(node, "`top`", "by").and_then(|node| self.output_text(&node));
        let dir = self.dir(node.field("dir"), Dir::Desc);
        let nodes = self.problems.optional_list(node, "per", GROUPS_MAX);
        let per = nodes.iter().filter_map(|node| self.output_text(node)).collect();
        let ties = node.field("ties").and_then(|node| self.problems.truth(&node, "`ties`")).unwrap_or(false);
        Some(Top { n: n?, by: by?, dir, per, ties })
    }

    /// Its name may be none of those it is computed from: people could not tell which is meant.
    fn over_item(&mut self, node: &Node<'_>) -> Option<Over> {
        self.problems.object(node, "an aggregate over groups", fields::OVER)?;
        let name = self.name(node, "an aggregate over groups");
        let agg = self.problems.required(node, "an aggregate over groups", "agg");
        let agg = agg.and_then(|node| self.problems.word(&node, "an aggregate over groups", vocabulary!(OverAgg)));
        let of = node.field("of");
        let output = of.as_ref().and_then(|node| self.argument(node));
        let kind = match (agg, &of, &output) {
            (Some(agg), None, _) => self.over(agg, None, &node.path),
            (Some(agg), Some(of), Some(output)) => output.kind.and_then(|kind| self.over(agg, Some(kind), &of.path)),
            _ => None,
        };
        let name = self.declare(name, kind, Role::Over);
        Some(Over { name, agg: agg?, of: output.map(|output| output.name) })
    }

    fn order_item(&mut self, node: &Node<'_>) -> Option<Order> {
        self.problems.object(node, "an order", fields::ORDER)?;
        let by = self.problems.required(node, "an order", "by").and_then(|node| self.output_text(&node));
        let dir = self.dir(node.field("dir"), Dir::Asc);
        Some(Order { by: by?, dir })
    }

    pub(super) fn dir(&mut self, node: Option<Node<'_>>, default: Dir) -> Dir {
        let given = node.and_then(|node| self.problems.word(&node, "a direction", vocabulary!(Dir)));
        given.unwrap_or(default)
    }

    fn output_text(&mut self, node: &Node<'_>) -> Option<String> {
        let text = self.problems.text(node, "an output's name")?;
        self.reference(text, &node.path).map(|output| output.name)
    }

    fn expr(&mut self, node: &Node<'_>, scope: Scope<'d>, depth: usize) -> Option<Typed> {
        if depth == EXPR_DEPTH_MAX {
            self.problems.invalid(&node.path, format!("expressions are nested deeper than {EXPR_DEPTH_MAX}"));
            return None;
        }
        match self.form(node, "an expression", &fields::EXPR_FORMS)? {
            "col" => {
                self.problems.object(node, "a column", fields::COL)?;
                let column = self.problems.required(node, "a column", "col")?;
                let text = self.problems.text(&column, "a column's name")?;
                match scope {
                    Scope::Rows(table) => self.column(text, &column.path, table),
                    Scope::Outputs => {
                        self.problems
                            .invalid(&column.path, "`having` sees the result: write `ref` and an output's name");
                        None
                    }
                }
            }
            "lit" => {
                self.problems.object(node, "a literal", fields::LIT)?;
                let value = node.value.get("lit")?;
                self.literal(&Node { value, path: pointer(&node.path, "lit") })
            }
            "op" => self.op(node, scope, depth),
            "part" => {
                self.problems.object(node, "a part", fields::PART)?;
                let part = self.problems.required(node, "a part", "part")?;
                let word = self.problems.word(&part, "a part of a date", vocabulary!(Part));
                let of = self.problems.required(node, "a part", "of");
                let of = of.and_then(|of| self.expr(&of, scope, depth + 1));
                self.part(word?, of, &part.path)
            }
            _ => self.ref_expr(node, scope),
        }
    }

    fn op(&mut self, node: &Node<'_>, scope: Scope<'d>, depth: usize) -> Option<Typed> {
        self.problems.object(node, "an operation", fields::OP)?;
        let op = self.problems.required(node, "an operation", "op");
        let op = op.and_then(|op| self.problems.word(&op, "an operation", vocabulary!(Op)));
        let args = self.problems.required(node, "an operation", "args")?;
        let args = self.problems.list(&args, "`args`", ARGS_MAX);
        let args = args.iter().map(|arg| self.expr(arg, scope, depth + 1)).collect();
        self.operation(op?, args, &node.path)
    }

    fn ref_expr(&mut self, node: &Node<'_>, scope: Scope<'d>) -> Option<Typed> {
        self.problems.object(node, "a reference", fields::REF)?;
        let name = self.problems.required(node, "a reference", "ref")?;
        if let Scope::Rows(_) = scope {
            self.problems.invalid(&name.path, "`ref` is for `having` only; rows have columns: write `col`");
            return None;
        }
        let text = self.problems.text(&name, "an output's name")?;
        let output = self.reference(text, &name.path)?;
        Some((Expr::Ref { name: output.name }, output.kind?))
    }

    fn pred(&mut self, node: &Node<'_>, scope: Scope<'d>, depth: usize) -> Option<Pred> {
        if depth == PRED_DEPTH_MAX {
            self.problems.invalid(&node.path, format!("conditions are nested deeper than {PRED_DEPTH_MAX}"));
            return None;
        }
        match self.form(node, "a condition", &fields::PRED_FORMS)? {
            "and" => self.preds(node, fields::AND, scope, depth).map(|and| Pred::And { and }),
            "or" => self.preds(node, fields::OR, scope, depth).map(|or| Pred::Or { or }),
            "not" => {
                self.problems.object(node, "`not`", fields::NOT)?;
                let inner = self.problems.required(node, "a condition", "not")?;
                self.pred(&inner, scope, depth + 1).map(|not| Pred::Not { not: Box::new(not) })
            }
            "test" => self.test_pred(node, scope),
            _ => self.exists(node, scope, depth),
        }
    }

    fn preds(&mut self, node: &Node<'_>, fields: &[&str], scope: Scope<'d>, depth: usize) -> Option<Vec<Pred>> {
        let field = fields[0];
        self.problems.object(node, &format!("`{field}`"), fields)?;
        let list = self.problems.required(node, "a condition", field)?;
        let items = self.problems.list(&list, &format!("`{field}`"), PREDS_MAX);
        if items.is_empty() && list.value.is_array() {
            self.problems.invalid(&list.path, format!("`{field}` needs at least one condition"));
        }
        let preds: Vec<Option<Pred>> = items.iter().map(|item| self.pred(item, scope, depth + 1)).collect();
        preds.into_iter().collect()
    }

    fn test_pred(&mut self, node: &Node<'_>, scope: Scope<'d>) -> Option<Pred> {
        self.problems.object(node, "a test", fields::TEST)?;
        let word = self.problems.required(node, "a test", "test")?;
        let test = self.problems.word(&word, "a test", vocabulary!(Test));
        let expr = self.problems.required(node, "a test", "expr");
        let subject = expr.and_then(|node| self.expr(&node, scope, 0));
        let list = node.field("values");
        let values = self.problems.optional_list(node, "values", VALUES_MAX);
        if list.as_ref().is_some_and(|list| !list.value.is_array()) {
            return None;
        }
        let place = list.map_or(node.path.clone(), |list| list.path);
        self.test(test?, subject, &values, TestPlaces { test: &word.path, values: &place })
    }

    fn exists(&mut self, node: &Node<'_>, scope: Scope<'d>, depth: usize) -> Option<Pred> {
        self.problems.object(node, "a condition", fields::EXISTS)?;
        let exists = self.problems.required(node, "a condition", "exists")?;
        let Scope::Rows(one) = scope else {
            self.problems.invalid(&exists.path, "`exists` asks about rows; `having` sees the result");
            return None;
        };
        self.problems.object(&exists, "`exists`", fields::EXISTS_OF)?;
        let table = self.problems.required(&exists, "`exists`", "table");
        let many = table.and_then(|node| self.many_side(&node, one));
        let filter = exists.field("where").map(|node| self.pred(&node, Scope::Rows(many), depth + 1));
        let filter = filter.map(|pred| pred.map(Box::new));
        Some(Pred::Exists { exists: Exists { table: many?.name.clone(), filter: filter.flatten() } })
    }

    /// Which of these fields an object has: what it is.
    fn form<'f>(&mut self, node: &Node<'_>, what: &str, forms: &[&'f str]) -> Option<&'f str> {
        let Some(map) = node.value.as_object() else {
            self.problems.object(node, what, forms);
            return None;
        };
        let found = forms.iter().find(|form| map.contains_key(**form)).copied();
        if found.is_none() {
            let near = map.keys().flat_map(|name| base::nearest(name, forms.iter().copied())).collect();
            let message = format!("{what} has one of the fields {}", forms.join(", "));
            self.problems.add(PlanProblem::invalid(&node.path, message).suggest(near));
        }
        found
    }
}
