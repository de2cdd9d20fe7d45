//! An outcome in one line, short enough to read hundreds of them critically.

use data::plan::{Expr, Group, Measure, Plan, Pred};
use planner::{Outcome, Reading};

/// `refused reason: words`, or the plan, its focus and its assumptions.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answer(answer) => reading(&answer.reading),
        Outcome::Refusal(refusal) => {
            let words = if refusal.words.is_empty() { String::new() } else { format!(": {}", refusal.words.join(" ")) };
            format!("refused {}{words}", refusal.reason.as_str())
        }
    }
}

fn reading(reading: &Reading) -> String {
    let mut text = plan(&reading.plan);
    text.push_str(&format!(" => {}", reading.focus.join(", ")));
    let codes: Vec<&str> = reading.assumptions.iter().map(|assumption| assumption.code.as_str()).collect();
    if !codes.is_empty() {
        text.push_str(&format!(" [{}]", codes.join(", ")));
    }
    if reading.ambiguous {
        text.push_str(" open");
    }
    text
}

fn plan(plan: &Plan) -> String {
    let from = plan.from.as_str();
    let mut parts = vec![format!("{from}:")];
    let mut part = |word: &str, items: Vec<String>| {
        if !items.is_empty() {
            parts.push(format!("{word} {}", items.join(", ")));
        }
    };
    let select = plan.select.iter().map(|item| aliased(&item.name, &expr(&item.expr, from))).collect();
    part(if plan.distinct { "distinct" } else { "list" }, select);
    part("per", plan.group.iter().map(|item| group(item, from)).collect());
    part("get", plan.measures.iter().map(|item| measure(item, from)).collect());
    let compute = plan.compute.iter().map(|item| {
        let along = item.along.as_ref().map(|name| format!(" along {name}")).unwrap_or_default();
        let per = if item.per.is_empty() { String::new() } else { format!(" per {}", item.per.join(", ")) };
        format!("{} = {}({}){along}{per}", item.name, item.op.as_str(), item.args.join(", "))
    });
    part("then", compute.collect());
    part("where", plan.filter.iter().map(|item| pred(item, from)).collect());
    part("having", plan.having.iter().map(|item| pred(item, from)).collect());
    if let Some(top) = &plan.top {
        let per = if top.per.is_empty() { String::new() } else { format!(" per {}", top.per.join(", ")) };
        let ties = if top.ties { " ties" } else { "" };
        part("top", vec![format!("{} {} {}{per}{ties}", top.n, top.by, top.dir.as_str())]);
    }
    let over = plan
        .over
        .iter()
        .map(|item| format!("{} = {}({})", item.name, item.agg.as_str(), item.of.as_deref().unwrap_or_default()));
    part("over", over.collect());
    part("order", plan.order.iter().map(|item| format!("{} {}", item.by, item.dir.as_str())).collect());
    if !matches!(plan.limit, 200 | 1000) {
        part("limit", vec![plan.limit.to_string()]);
    }
    parts.join(" ")
}

fn aliased(name: &str, text: &str) -> String {
    if name == text { text.to_string() } else { format!("{name} = {text}") }
}

fn group(group: &Group, from: &str) -> String {
    let inner = expr(&group.expr, from);
    aliased(&group.name, &group.grain.map_or(inner.clone(), |grain| format!("{}({inner})", grain.as_str())))
}

fn measure(measure: &Measure, from: &str) -> String {
    let inner = measure.exprs().map(|item| expr(item, from)).collect::<Vec<_>>().join(", ");
    let quantile = measure.q.map(|q| format!(", {q}")).unwrap_or_default();
    let filter = measure.filter.as_ref().map(|item| format!(" if {}", pred(item, from))).unwrap_or_default();
    format!("{} = {}({inner}{quantile}{filter})", measure.name, measure.agg.as_str())
}

fn expr(value: &Expr, from: &str) -> String {
    match value {
        Expr::Col { col } => col.strip_prefix(from).and_then(|rest| rest.strip_prefix('.')).unwrap_or(col).to_string(),
        Expr::Lit { lit } => lit.to_string(),
        Expr::Op { op, args } => {
            let args: Vec<String> = args.iter().map(|arg| expr(arg, from)).collect();
            format!("{}({})", op.as_str(), args.join(", "))
        }
        Expr::Part { part, of } => format!("{}_of({})", part.as_str(), expr(of, from)),
        Expr::Ref { name } => format!("#{name}"),
    }
}

fn pred(value: &Pred, from: &str) -> String {
    let list = |items: &[Pred], word: &str| {
        let items: Vec<String> = items.iter().map(|item| pred(item, from)).collect();
        items.join(word)
    };
    match value {
        Pred::And { and } => list(and, " and "),
        Pred::Or { or } => format!("({})", list(or, " or ")),
        Pred::Not { not } => format!("not ({})", pred(not, from)),
        Pred::Exists { exists } => {
            let inner =
                exists.filter.as_ref().map(|item| format!(" with {}", pred(item, &exists.table))).unwrap_or_default();
            format!("exists {}{inner}", exists.table)
        }
        Pred::Test { test, expr: left, values } => {
            let values: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "")).collect();
            format!("{} {} {}", expr(left, from), test.as_str(), values.join("..")).trim_end().to_string()
        }
    }
}
