//! A plan in people's words: what was computed, so that a reader can tell whether it is what was asked.
//!
//! The text follows the plan, never the names its author gave to outputs: an alias may promise anything. A measure that
//! the dataset's owner declared is called by its name, and everything else is spelled out. Same plan, same text.

mod words;

use serde_json::Value;

use crate::dataset::Dataset;
use crate::plan::{
    Agg, Compute, ComputeOp, Dir, Expr, Group, LIMIT_DEFAULT, LIMIT_MAX, Measure, Order, Over, OverAgg, Plan, Top,
};
use words::{joined, plural, value};

/// The plan as one line, such as `sum of revenue by product, highest 10`.
pub fn describe(plan: &Plan, dataset: &Dataset) -> String {
    Telling { plan, dataset }.sentence()
}

/// One output column of a plan in people's words: `average of price`, `revenue`, `product`.
pub fn describe_output(plan: &Plan, dataset: &Dataset, name: &str) -> String {
    let telling = Telling { plan, dataset };
    if let Some(over) = plan.over.iter().find(|over| over.name == name) {
        return telling.over(over);
    }
    match plan.compute.iter().position(|compute| compute.name == name) {
        Some(index) => telling.compute(index),
        None => telling.output(name),
    }
}

/// One plan being told. `words` has the part that speaks of values and conditions.
struct Telling<'a> {
    plan: &'a Plan,
    dataset: &'a Dataset,
}

/// What the values of an output are, as far as sorting words depend on it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Time,
    Text,
    Truth,
}

impl Telling<'_> {
    fn sentence(&self) -> String {
        let plan = self.plan;
        if !plan.over.is_empty() {
            return self.sentence_over_groups();
        }
        let mut text = self.subject();
        if let Some(filter) = &plan.filter {
            text += &format!(" where {}", self.condition(filter));
        }
        if let Some(having) = &plan.having {
            text += &format!(", only where {}", self.condition(having));
        }
        if let Some(top) = &plan.top {
            text += &format!(", {}", self.top(top));
        }
        let order: Vec<String> = plan.order.iter().map(|order| self.order(order)).collect();
        if !order.is_empty() && !self.order_follows_from_top() {
            text += &format!(", sorted by {}", order.join(", then "));
        }
        // The default and the most there can be are bounds of the program, not of the question.
        if plan.limit != LIMIT_DEFAULT && plan.limit != LIMIT_MAX {
            text += &format!(", at most {} {}", plan.limit, if plan.limit == 1 { "row" } else { "rows" });
        }
        text + &self.links()
    }

    /// What is said of the groups first, then which rows they are made from.
    fn sentence_over_groups(&self) -> String {
        let plan = self.plan;
        let values: Vec<String> = plan.over.iter().map(|over| self.over(over)).collect();
        let mut text = joined(&values, "and");
        if let Some(having) = &plan.having {
            text += &format!(" where {}", self.condition(having));
        }
        if let Some(top) = &plan.top {
            text += &format!(", of the {}", self.top(top));
        }
        if let Some(filter) = &plan.filter {
            text += &format!(", from {} where {}", self.rows_of(&plan.from), self.condition(filter));
        }
        text + &self.links()
    }

    fn links(&self) -> String {
        let via = &self.plan.via;
        if via.is_empty() { String::new() } else { format!(", linked by {}", joined(via, "and")) }
    }

    /// What is listed or computed, and by what.
    fn subject(&self) -> String {
        let plan = self.plan;
        let groups = self.groups();
        let mut values: Vec<String> = plan.measures.iter().map(|measure| self.measure(measure)).collect();
        values.extend((0..plan.compute.len()).map(|index| self.compute(index)));
        if !values.is_empty() {
            let by = if groups.is_empty() { String::new() } else { format!(" by {}", joined(&groups, "and")) };
            return joined(&values, "and") + &by;
        }
        let rows = self.rows_of(&plan.from);
        if !groups.is_empty() {
            return format!("distinct {} of {rows}", joined(&groups, "and"));
        }
        let columns: Vec<String> = plan.select.iter().map(|select| self.expression(&select.expr)).collect();
        let columns = if columns.is_empty() { "all columns".to_string() } else { joined(&columns, "and") };
        format!("{}{columns} of {rows}", if plan.distinct { "distinct " } else { "" })
    }

    fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = self.plan.group.iter().map(|group| self.group(group)).collect();
        // A thing's key and its name are one thing to people.
        groups.dedup();
        groups
    }

    /// An aggregate over groups: `number of customers`, `average of the count of orders per customer`.
    fn over(&self, over: &Over) -> String {
        let groups = self.groups();
        let of = || over.of.as_ref().map_or("?".to_string(), |name| self.output(name));
        let aggregate = match over.agg {
            OverAgg::Count => return format!("number of {}", several(&groups)),
            OverAgg::Sum => "sum",
            OverAgg::Avg => "average",
            OverAgg::Min => "minimum",
            OverAgg::Max => "maximum",
            OverAgg::Median => "median",
        };
        let per = if groups.is_empty() { String::new() } else { format!(" per {}", joined(&groups, "and")) };
        format!("{aggregate} of the {}{per}", of())
    }

    fn group(&self, group: &Group) -> String {
        let of = match &group.expr {
            Expr::Col { col } => match self.dataset.column(col).and_then(|column| column.noun.clone()) {
                Some(noun) if group.grain.is_none() => noun,
                _ => self.expression(&group.expr),
            },
            other => self.expression(other),
        };
        match group.grain {
            Some(grain) => format!("{} of {of}", grain.as_str()),
            None => of,
        }
    }

    fn measure(&self, measure: &Measure) -> String {
        let (name, meaning) = (self.declared_name(measure), self.aggregate(measure));
        let text = match (&name, measure.agg, &measure.expr) {
            (Some(name), Agg::Sum, _) => format!("sum of {name}"),
            (Some(name), _, Some(Expr::Col { .. })) => format!("{name} ({meaning})"),
            (Some(name), _, _) => name.to_string(),
            (None, _, _) => meaning,
        };
        match &measure.filter {
            Some(filter) => format!("{text} (only where {})", self.condition(filter)),
            None => text,
        }
    }

    /// A measure as other parts of the sentence refer to it.
    fn measure_briefly(&self, measure: &Measure) -> String {
        let text = self.declared_name(measure).map_or_else(|| self.aggregate(measure), str::to_string);
        match &measure.filter {
            Some(filter) => format!("{text} (only where {})", self.condition(filter)),
            None => text,
        }
    }

    fn declared_name(&self, measure: &Measure) -> Option<&str> {
        let same = self.dataset.measures.iter().find(|declared| {
            declared.agg == measure.agg && declared.expr == measure.expr && declared.tables.contains(&self.plan.from)
        });
        same.map(|declared| declared.name.as_str())
    }

    fn aggregate(&self, measure: &Measure) -> String {
        let Some(expr) = &measure.expr else {
            return format!("count of {}", self.rows_of(&self.plan.from));
        };
        let of = match measure.agg {
            Agg::Count | Agg::CountDistinct => self.expression(expr),
            _ => self.number(expr),
        };
        match measure.agg {
            Agg::Count => format!("count of {} with a value of {of}", self.rows_of(&self.plan.from)),
            Agg::CountDistinct => {
                let column = if let Expr::Col { col } = expr { self.dataset.column(col) } else { None };
                match column.and_then(|column| column.noun.as_ref()) {
                    Some(noun) => format!("count of distinct {}", plural(noun)),
                    None => format!("count of distinct {of}"),
                }
            }
            Agg::Sum => format!("sum of {of}"),
            Agg::Avg if self.kind(expr) == Kind::Truth => format!("share of {of}"),
            Agg::Avg => format!("average of {of}"),
            Agg::Min if self.kind(expr) == Kind::Time => format!("earliest {of}"),
            Agg::Max if self.kind(expr) == Kind::Time => format!("latest {of}"),
            Agg::Min => format!("minimum of {of}"),
            Agg::Max => format!("maximum of {of}"),
            Agg::Median => format!("median of {of}"),
            Agg::Stddev => format!("standard deviation of {of}"),
            Agg::Quantile => format!("{} of {of}", quantile(measure.q)),
            Agg::Corr => {
                let with = measure.with.as_ref().map_or("?".to_string(), |with| self.number(with));
                format!("correlation of {of} with {with}")
            }
        }
    }

    /// What is aggregated: an aggregate does not say of which rows it is, so a number's name must.
    fn number(&self, expr: &Expr) -> String {
        match expr {
            Expr::Col { col } if self.is_shared_name(col) => col.clone(),
            _ => self.expression(expr),
        }
    }

    fn compute(&self, index: usize) -> String {
        let compute: &Compute = &self.plan.compute[index];
        // Only what stands before it, so that a plan nobody has checked cannot send us round in circles.
        let argument = |position: usize| {
            compute.args.get(position).map_or("?".to_string(), |name| self.output_before(name, index))
        };
        let along = || match &compute.along {
            Some(name) => format!(" from one {} to the next", self.period(name)),
            None => String::new(),
        };
        let text = match compute.op {
            ComputeOp::Ratio => format!("ratio of {} to {}", argument(0), argument(1)),
            ComputeOp::Diff => {
                self.two_sides(compute).unwrap_or_else(|| format!("{} minus {}", argument(0), argument(1)))
            }
            ComputeOp::Share => format!("share of the total {}", argument(0)),
            ComputeOp::Change => format!("change of {}{}", argument(0), along()),
            ComputeOp::ChangePct => format!("relative change of {}{}", argument(0), along()),
            ComputeOp::Cumulative => match &compute.along {
                Some(name) => format!("running total of {} over {}", argument(0), self.period(name)),
                None => format!("running total of {}", argument(0)),
            },
        };
        text + &self.for_each(&compute.per)
    }

    /// One number of two kinds of rows, and what is left between them.
    fn two_sides(&self, compute: &Compute) -> Option<String> {
        let find = |name: &String| self.plan.measures.iter().find(|measure| measure.name == *name);
        let [one, other] = &compute.args[..] else { return None };
        let (one, other) = (find(one)?, find(other)?);
        let alike = one.agg == other.agg && one.expr == other.expr && one.with == other.with && one.q == other.q;
        let sides = one.filter.as_ref().zip(other.filter.as_ref()).filter(|_| alike)?;
        let of = self.measure_briefly(&Measure { filter: None, ..one.clone() });
        Some(format!("difference in {of} ({} minus {})", self.condition(sides.0), self.condition(sides.1)))
    }

    fn for_each(&self, names: &[String]) -> String {
        let names: Vec<String> = names.iter().map(|name| self.period(name)).collect();
        if names.is_empty() { String::new() } else { format!(" for each {}", joined(&names, "and")) }
    }

    /// An output column as the rest of the sentence calls it.
    fn output(&self, name: &str) -> String {
        self.output_before(name, self.plan.compute.len())
    }

    fn output_before(&self, name: &str, computes: usize) -> String {
        let plan = self.plan;
        let group = plan.group.iter().find(|group| group.name == name).map(|group| self.group(group));
        let measure = || plan.measures.iter().find(|measure| measure.name == name);
        let compute = || plan.compute[..computes].iter().position(|compute| compute.name == name);
        let select = || plan.select.iter().find(|select| select.name == name);
        group
            .or_else(|| measure().map(|measure| self.measure_briefly(measure)))
            .or_else(|| compute().map(|index| format!("({})", self.compute(index))))
            .or_else(|| select().map(|select| self.expression(&select.expr)))
            .unwrap_or_else(|| name.to_string())
    }

    /// A group as one step of it is called: `quarter` rather than `quarter of order_date`.
    fn period(&self, name: &str) -> String {
        let grain = self.plan.group.iter().find(|group| group.name == name).and_then(|group| group.grain);
        grain.map_or_else(|| self.output_before(name, 0), |grain| grain.as_str().to_string())
    }

    fn top(&self, top: &Top) -> String {
        let superlative = match (self.output_kind(&top.by), top.dir) {
            (Kind::Time, Dir::Desc) => "latest",
            (Kind::Time, Dir::Asc) => "earliest",
            (Kind::Text | Kind::Truth, Dir::Asc) => "first",
            (Kind::Text | Kind::Truth, Dir::Desc) => "last",
            (Kind::Number, Dir::Desc) => "highest",
            (Kind::Number, Dir::Asc) => "lowest",
        };
        let obvious = self.plan.measures.len() + self.plan.compute.len() == 1
            && !self.plan.group.iter().any(|group| group.name == top.by);
        let by = if obvious { String::new() } else { format!(" by {}", self.output(&top.by)) };
        let ties = if top.ties { ", ties included" } else { "" };
        format!("{superlative} {}{by}{}{ties}", top.n, self.for_each(&top.per))
    }

    fn order_follows_from_top(&self) -> bool {
        match (&self.plan.top, self.plan.order.as_slice()) {
            (Some(top), [order]) => top.per.is_empty() && order.by == top.by && order.dir == top.dir,
            _ => false,
        }
    }

    fn order(&self, order: &Order) -> String {
        let direction = match (self.output_kind(&order.by), order.dir) {
            (Kind::Number, Dir::Asc) => "lowest first",
            (Kind::Number, Dir::Desc) => "highest first",
            (Kind::Time, Dir::Asc) => "earliest first",
            (Kind::Time, Dir::Desc) => "latest first",
            (Kind::Text, Dir::Asc) => "A to Z",
            (Kind::Text, Dir::Desc) => "Z to A",
            (Kind::Truth, Dir::Asc) => "false first",
            (Kind::Truth, Dir::Desc) => "true first",
        };
        format!("{} ({direction})", self.output(&order.by))
    }

    fn output_kind(&self, name: &str) -> Kind {
        let plan = self.plan;
        let group = plan.group.iter().find(|group| group.name == name).map(|group| &group.expr);
        let select = || plan.select.iter().find(|select| select.name == name).map(|select| &select.expr);
        let extreme = || {
            let measure = plan.measures.iter().find(|measure| measure.name == name)?;
            measure.expr.as_ref().filter(|_| matches!(measure.agg, Agg::Min | Agg::Max))
        };
        group.or_else(select).or_else(extreme).map_or(Kind::Number, |expr| self.kind(expr))
    }
}

/// What groups are called together: `customers`, `months of order_date`, `pairs of region and category`.
fn several(groups: &[String]) -> String {
    match groups {
        [] => "results".to_string(),
        [one] => match one.split_once(" of ") {
            Some((period, of)) => format!("{} of {of}", plural(period)),
            None if one.contains(' ') => format!("different {one}"),
            None => plural(one),
        },
        [_, _] => format!("pairs of {}", joined(groups, "and")),
        _ => format!("combinations of {}", joined(groups, "and")),
    }
}

fn quantile(q: Option<f64>) -> String {
    let percent = q.unwrap_or(0.5) * 100.0;
    let whole = percent.round();
    if (percent - whole).abs() > 1e-9 {
        return format!("{} quantile", value(&Value::from(percent / 100.0)));
    }
    let suffix = match (whole as i64 % 10, whole as i64 % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{whole:.0}{suffix} percentile")
}
