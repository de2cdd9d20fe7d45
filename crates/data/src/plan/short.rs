//! The short form: what people and models write. It is read into the canonical form and never compiled directly.

use serde_json::Value;

use super::check::{Check, TestPlaces, Typed};
use super::name::{self, folded};
use super::node::Node;
use super::output::Role;
use super::read::vocabulary;
use super::*;

const ONLY_SHORT: &[&str] = &["dataset_id", "table", "filters", "group_by", "order_by", "notes"];
const ONLY_CANONICAL: &[&str] =
    &["v", "from", "via", "where", "distinct", "group", "measures", "compute", "having", "top", "over", "order"];

/// Whether a plan is written in the short form, by the fields it has.
pub(super) fn is_short(value: &Value) -> bool {
    let count = |fields: &[&str]| fields.iter().filter(|field| value.get(field).is_some()).count();
    count(ONLY_SHORT) > count(ONLY_CANONICAL)
}

/// A filter's operator: a test, or the absence of null.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    Test(Test),
    IsNotNull,
}

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("=", Operator::Test(Test::Eq)),
    ("!=", Operator::Test(Test::Ne)),
    ("<", Operator::Test(Test::Lt)),
    ("<=", Operator::Test(Test::Le)),
    (">", Operator::Test(Test::Gt)),
    (">=", Operator::Test(Test::Ge)),
    ("in", Operator::Test(Test::In)),
    ("between", Operator::Test(Test::Between)),
    ("contains", Operator::Test(Test::Contains)),
    ("startswith", Operator::Test(Test::StartsWith)),
    ("endswith", Operator::Test(Test::EndsWith)),
    ("is_null", Operator::Test(Test::IsNull)),
    ("is_not_null", Operator::IsNotNull),
];

/// One item of `select` before it is known whether the plan groups.
struct Item {
    path: String,
    agg: Option<Agg>,
    q: Option<f64>,
    /// Absent where an aggregate counts rows.
    over: Option<Typed>,
    /// The other number of a correlation.
    with: Option<Expr>,
    name: Option<(String, String)>,
    default_name: String,
    /// Whether it could be read.
    whole: bool,
}

impl<'d> Check<'d> {
    pub(super) fn short(&mut self, root: &Node<'_>) -> Option<Plan> {
        self.problems.object(root, "a plan", fields::SHORT_PLAN)?;
        let dataset = if root.field("dataset").is_some() { "dataset" } else { "dataset_id" };
        self.dataset_field(root, dataset);
        self.from = self.problems.required(root, "a plan", "table").and_then(|node| self.table(&node));
        let mut plan = Plan::new(&self.dataset.id, self.from.map_or("", |table| &table.name));
        let items = root.field("select").map(|node| self.items(&node));
        let filters = self.problems.optional_list(root, "filters", PREDS_MAX);
        let filters: Vec<Pred> = filters.iter().filter_map(|node| self.filter(node)).collect();
        plan.filter = (!filters.is_empty()).then_some(Pred::And { and: filters });
        let groups = self.problems.optional_list(root, "group_by", GROUPS_MAX);
        let aggregated = items.iter().flatten().any(|item| item.agg.is_some());
        match items {
            None if groups.is_empty() => plan.select = self.all_columns(),
            Some(items) if groups.is_empty() && !aggregated => plan.select = self.listed(items),
            items => {
                let (plain, aggregates): (Vec<Item>, Vec<Item>) =
                    items.into_iter().flatten().partition(|item| item.agg.is_none());
                plan.group = self.groups(&groups, &plain);
                plan.measures = aggregates.into_iter().filter_map(|item| self.aggregate_item(item)).collect();
            }
        }
        let order = self.problems.optional_list(root, "order_by", COLUMNS_MAX);
        plan.order = order.iter().filter_map(|node| self.short_order(node, &plan)).collect();
        plan.limit = self.limit(root);
        if let Some(notes) = root.field("notes") {
            self.problems.text(&notes, "`notes`");
        }
        Some(plan)
    }

    fn items(&mut self, node: &Node<'_>) -> Vec<Item> {
        let nodes = self.problems.list(node, "`select`", COLUMNS_MAX);
        if node.value.as_array().is_some_and(Vec::is_empty) {
            self.problems.invalid(&node.path, "`select` is empty; leave it out for all columns");
        }
        nodes.iter().filter_map(|node| self.item(node)).collect()
    }

    fn item(&mut self, node: &Node<'_>) -> Option<Item> {
        let column = if node.value.is_string() { Some(node.clone()) } else { node.field("column") };
        if !node.value.is_string() {
            self.problems.object(node, "a column", fields::SHORT_ITEM)?;
        }
        let word = node.either(&["agg", "func"]);
        let agg = word.as_ref().and_then(|node| self.problems.word(node, "an aggregate", vocabulary!(Agg)));
        let q = self.quantile(agg, node.field("q").as_ref(), &node.path);
        let name = node.either(&["as", "alias"]);
        let name = name.and_then(|node| Some((self.problems.text(&node, "a name")?.to_string(), node.path)));
        let with = node.field("with").map(|other| {
            let text = self.problems.text(&other, "a column's name");
            let typed = text.and_then(|text| self.column(text, &other.path, self.from));
            (other.path, typed)
        });
        self.with(agg, with.as_ref(), &node.path);
        let with = with.and_then(|(_, typed)| typed).map(|typed| typed.0);
        let mut item =
            Item { path: node.path.clone(), agg, q, over: None, with, name, default_name: String::new(), whole: true };
        let text = match (&column, node.field("expr")) {
            (Some(column), None) => self.item_column(&mut item, column),
            (None, Some(expr)) => self.item_expr(&mut item, &expr),
            (None, None) if agg == Some(Agg::Count) => "*".to_string(),
            (None, None) => {
                self.problems.invalid(&node.path, "a column needs the field `column` or `expr`");
                return None;
            }
            (Some(_), Some(expr)) => {
                self.problems.invalid(&expr.path, "a column has `column` or `expr`, not both");
                return None;
            }
        };
        item.whole = item.whole && (word.is_none() || agg.is_some());
        item.default_name = match (agg, text.as_str()) {
            (Some(agg), "*") => agg.as_str().to_string(),
            (Some(agg), text) => format!("{}_{text}", agg.as_str()),
            (None, text) => text.to_string(),
        };
        Some(item)
    }

    /// Reads a column into the item, and returns its name.
    fn item_column(&mut self, item: &mut Item, node: &Node<'_>) -> String {
        let Some(text) = self.problems.text(node, "a column's name") else {
            item.whole = false;
            return String::new();
        };
        if text == "*" {
            if item.agg != Some(Agg::Count) {
                item.whole = false;
                self.problems.invalid(&node.path, "`*` is for `count` only; leave `select` out for all columns");
            }
            return text.to_string();
        }
        item.over = self.column(text, &node.path, self.from);
        item.whole = item.over.is_some();
        match &item.over {
            Some((Expr::Col { col }, _)) => col.split_once('.').map_or(text, |(_, name)| name).to_string(),
            _ => text.to_string(),
        }
    }

    /// Reads arithmetic into the item, and returns its text.
    fn item_expr(&mut self, item: &mut Item, node: &Node<'_>) -> String {
        let text = self.problems.text(node, "arithmetic");
        if let (Some(text), Some(from)) = (text, self.from) {
            let parsed = arithmetic::parse(text, self.dataset, from, &self.via);
            item.over = self.keep(parsed, &node.path);
        }
        item.whole = item.over.is_some();
        text.unwrap_or_default().trim().to_string()
    }

    /// The name that was given, or one made from the column's that is not taken.
    fn item_name(&mut self, item: &Item) -> Option<String> {
        if let Some((name, path)) = &item.name {
            return self.output_name(name, path);
        }
        let numbered = (2..).map(|number| format!("{}_{number}", item.default_name));
        let mut names = std::iter::once(item.default_name.clone()).chain(numbered);
        let free = names.find(|name| !self.is_taken(name));
        self.output_name(&free.expect("numbers do not end"), &item.path)
    }

    fn all_columns(&mut self) -> Vec<Select> {
        let Some(from) = self.from else { return Vec::new() };
        let mut listed = Vec::new();
        for column in &from.columns {
            self.declare(Some(column.name.clone()), Some(column.ty.into()), Role::Column);
            listed.push(Select { name: column.name.clone(), expr: Expr::col(name::qualified(from, column)) });
        }
        listed
    }

    fn listed(&mut self, items: Vec<Item>) -> Vec<Select> {
        let mut listed = Vec::new();
        for item in items {
            let name = self.item_name(&item);
            let name = self.declare(name, item.over.as_ref().map(|typed| typed.1), Role::Column);
            listed.extend(item.over.map(|(expr, _)| Select { name, expr }));
        }
        listed
    }

    /// The groups in the order of `group_by`; every plain item of `select` must be one of them.
    fn groups(&mut self, nodes: &[Node<'_>], plain: &[Item]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for node in nodes {
            let Some(text) = self.problems.text(node, "a column's name") else { continue };
            let named = plain.iter().find(|item| item.name.as_ref().is_some_and(|(name, _)| name == text));
            let Some((expr, kind)) = (match named {
                Some(item) => item.over.clone(),
                None => self.column(text, &node.path, self.from),
            }) else {
                continue;
            };
            let shown = plain.iter().find(|item| item.over.as_ref().is_some_and(|over| over.0 == expr));
            let column = match &expr {
                Expr::Col { col } => col.split_once('.').map_or(text, |(_, name)| name),
                _ => text,
            };
            let unnamed = Item {
                path: node.path.clone(),
                agg: None,
                q: None,
                over: None,
                with: None,
                name: None,
                default_name: column.to_string(),
                whole: true,
            };
            let name = self.item_name(shown.unwrap_or(&unnamed));
            let name = self.declare(name, Some(kind), Role::Group(None));
            groups.push(Group { name, expr, grain: None });
        }
        for item in plain.iter().filter(|item| item.whole) {
            if groups.iter().all(|group| item.over.as_ref().is_none_or(|over| over.0 != group.expr)) {
                let message = format!(
                    "`{}` stands beside an aggregate or a group, so `group_by` must name it",
                    item.default_name
                );
                self.problems.invalid(&item.path, message);
            }
        }
        groups
    }

    fn aggregate_item(&mut self, item: Item) -> Option<Measure> {
        let name = self.item_name(&item);
        let agg = item.agg?;
        let kind = match item.whole {
            true => self.aggregate(agg, item.over.as_ref().map(|typed| typed.1), &item.path),
            false => None,
        };
        if let Some(over) = &item.over {
            self.addable(agg, over, &item.path);
        }
        let name = self.declare(name, kind, Role::Measure);
        Some(Measure { name, agg, expr: item.over.map(|typed| typed.0), with: item.with, q: item.q, filter: None })
    }

    fn filter(&mut self, node: &Node<'_>) -> Option<Pred> {
        self.problems.object(node, "a filter", fields::SHORT_FILTER)?;
        let column = self.problems.required(node, "a filter", "column");
        let subject = column.and_then(|node| {
            let text = self.problems.text(&node, "a column's name")?;
            self.column(text, &node.path, self.from)
        });
        let op = self.problems.required(node, "a filter", "op")?;
        let operator = self.problems.word(&op, "an operator", OPERATORS)?;
        let value = node.field("value");
        let place = value.as_ref().map_or(node.path.clone(), |value| value.path.clone());
        let places = TestPlaces { test: &op.path, values: &place };
        let values = match (operator, value) {
            (Operator::Test(Test::IsNull) | Operator::IsNotNull, Some(value)) => {
                self.problems.invalid(&value.path, "this operator takes no value");
                return None;
            }
            (Operator::Test(Test::IsNull) | Operator::IsNotNull, None) => Vec::new(),
            (Operator::Test(Test::In | Test::Between), Some(list)) => {
                let values = self.problems.list(&list, "`value`", VALUES_MAX);
                list.value.is_array().then_some(values)?
            }
            (Operator::Test(_), Some(value)) => vec![value],
            (Operator::Test(_), None) => {
                self.problems.invalid(&node.path, "a filter needs the field `value`; `is_null` finds null");
                return None;
            }
        };
        match operator {
            Operator::Test(test) => self.test(test, subject, &values, places),
            Operator::IsNotNull => {
                let not = self.test(Test::IsNull, subject, &[], places)?;
                Some(Pred::Not { not: Box::new(not) })
            }
        }
    }

    /// An order by an output's name, or by the column an output shows under another name.
    fn short_order(&mut self, node: &Node<'_>, plan: &Plan) -> Option<Order> {
        let by = match node.value.is_string() {
            true => Some(node.clone()),
            false => {
                self.problems.object(node, "an order", fields::SHORT_ORDER)?;
                node.either(&["expr", "column"])
            }
        };
        let dir = self.dir(node.either(&["dir", "direction"]), Dir::Asc);
        let Some(by) = by else {
            self.problems.invalid(&node.path, "an order needs the field `expr`");
            return None;
        };
        let text = self.problems.text(&by, "an output's name")?;
        let shown = self.shown_as(text, plan).unwrap_or_else(|| text.to_string());
        self.reference(&shown, &by.path).map(|output| Order { by: output.name, dir })
    }

    fn shown_as(&self, text: &str, plan: &Plan) -> Option<String> {
        if self.outputs.iter().any(|output| folded(&output.name) == folded(text)) {
            return None;
        }
        let (table, column) = name::column(self.dataset, self.from?, &self.via, text).ok()?;
        let wanted = Expr::col(name::qualified(table, column));
        let listed = plan.select.iter().map(|item| (&item.name, &item.expr));
        let grouped = plan.group.iter().map(|item| (&item.name, &item.expr));
        listed.chain(grouped).find(|(_, expr)| **expr == wanted).map(|(name, _)| name.clone())
    }
}
