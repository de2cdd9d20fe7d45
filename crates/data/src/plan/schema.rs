//! The language as JSON Schema (draft 2020-12), made from the definitions that the readers use: the same lists of fields,
//! the same words, the same limits. What depends on a dataset (names, types, joins) only a reader can tell.

use serde_json::{Map, Value, json};

use super::kind;
use super::short::{OPERATORS, Operator};
use super::*;

/// The schema of a plan in either form; `$defs/Plan` is the canonical one.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for (name, definition) in [
        ("Plan", plan()),
        ("Select", object(fields::SELECT, &["as", "expr"], select)),
        ("Group", object(fields::GROUP, &["as", "expr"], group)),
        ("Measure", measure()),
        ("Compute", compute()),
        ("Top", object(fields::TOP, &["n", "by"], top)),
        ("Over", over()),
        ("Order", object(fields::ORDER, &["by"], order)),
        ("Expr", expr("Expr", false)),
        ("ResultExpr", expr("ResultExpr", true)),
        ("Pred", pred("Pred", "Expr", true)),
        ("ResultPred", pred("ResultPred", "ResultExpr", false)),
        ("Name", json!({"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX})),
        ("Scalar", json!({"type": ["string", "number", "boolean"]})),
        ("ShortPlan", short_plan()),
        ("ShortItem", short_item()),
        ("ShortFilter", short_filter()),
        ("ShortOrder", short_order()),
    ] {
        definitions.insert(name.to_string(), definition);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "QueryPlan",
        "description": "A query over one dataset: the canonical form, or the short form that is read into it. \
            A check of a plan also knows the dataset's tables, columns and types.",
        "anyOf": [reference("Plan"), reference("ShortPlan")],
        "$defs": definitions,
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// An object with the fields of a reader's list and no others.
fn object(fields: &[&str], required: &[&str], of: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.to_string(), of(field))).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn list(items: Value, least: usize, most: usize) -> Value {
    match least {
        0 => json!({ "type": "array", "items": items, "maxItems": most }),
        _ => json!({ "type": "array", "items": items, "minItems": least, "maxItems": most }),
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn truth() -> Value {
    json!({ "type": "boolean", "default": false })
}

fn count(most: u32) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most })
}

fn limit() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT_DEFAULT })
}

/// One of the words of a closed set.
macro_rules! words {
    ($type:ident) => {
        json!({ "enum": $type::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>() })
    };
}

/// A field that was added to a reader's list and not here.
fn unknown(field: &str) -> Value {
    unreachable!("the schema does not know the field `{field}`")
}

fn plan() -> Value {
    let mut plan = object(fields::PLAN, &["dataset", "from"], |field| match field {
        "v" => json!({ "const": VERSION }),
        "dataset" | "from" => text(),
        "via" => list(json!({ "type": "string", "pattern": "->" }), 0, LINKS_MAX),
        "where" => reference("Pred"),
        "select" => list(reference("Select"), 0, COLUMNS_MAX),
        "distinct" => truth(),
        "group" => list(reference("Group"), 0, GROUPS_MAX),
        "measures" => list(reference("Measure"), 0, MEASURES_MAX),
        "compute" => list(reference("Compute"), 0, MEASURES_MAX),
        "having" => reference("ResultPred"),
        "top" => reference("Top"),
        "over" => list(reference("Over"), 0, MEASURES_MAX),
        "order" => list(reference("Order"), 0, COLUMNS_MAX),
        "limit" => limit(),
        other => unknown(other),
    });
    let some = |field: &str| json!({ "required": [field], "properties": { field: { "minItems": 1 } } });
    let grouped = json!({ "anyOf": [some("group"), some("measures")] });
    let over_groups = |field: &str| json!({ "required": [field] });
    plan["oneOf"] = json!([
        { "allOf": [some("select"), { "not": { "anyOf": [over_groups("having"), some("compute"), some("over")] } }] },
        { "allOf": [grouped, { "not": { "allOf": [some("over"), some("order")] } }] },
    ]);
    plan
}

fn select(field: &str) -> Value {
    match field {
        "as" => reference("Name"),
        "expr" => reference("Expr"),
        other => unknown(other),
    }
}

fn group(field: &str) -> Value {
    match field {
        "grain" => words!(Grain),
        other => select(other),
    }
}

/// Only a count does without an expression, only a quantile has `q`, and only a correlation `with`.
fn measure() -> Value {
    let mut measure = object(fields::MEASURE, &["as", "agg"], |field| match field {
        "agg" => words!(Agg),
        "q" => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        "with" => reference("Expr"),
        "where" => reference("Pred"),
        other => select(other),
    });
    let is = |agg: Agg| json!({ "properties": { "agg": { "const": agg.as_str() } } });
    measure["allOf"] = json!([
        { "if": is(Agg::Quantile), "then": { "required": ["q"] }, "else": { "not": { "required": ["q"] } } },
        { "if": is(Agg::Corr), "then": { "required": ["with"] }, "else": { "not": { "required": ["with"] } } },
        { "if": { "not": is(Agg::Count) }, "then": { "required": ["expr"] } },
    ]);
    measure
}

/// One form for each number of arguments; `along` belongs to what walks along periods.
fn compute() -> Value {
    let forms: Vec<Value> = ComputeOp::ALL
        .iter()
        .map(|op| {
            let args = kind::compute_arity(*op);
            let all = fields::COMPUTE.iter().copied();
            let fields: Vec<&str> = match op {
                ComputeOp::Ratio | ComputeOp::Diff => all.filter(|field| !matches!(*field, "per" | "along")).collect(),
                ComputeOp::Share => all.filter(|field| *field != "along").collect(),
                ComputeOp::Change | ComputeOp::ChangePct | ComputeOp::Cumulative => all.collect(),
            };
            object(&fields, &["as", "op", "args"], |field| match field {
                "as" => reference("Name"),
                "op" => json!({ "const": op.as_str() }),
                "args" => list(text(), args, args),
                "per" => list(text(), 0, GROUPS_MAX),
                "along" => text(),
                other => unknown(other),
            })
        })
        .collect();
    json!({ "oneOf": forms })
}

fn top(field: &str) -> Value {
    match field {
        "n" => count(LIMIT_MAX),
        "by" => text(),
        "dir" => words!(Dir),
        "per" => list(text(), 0, GROUPS_MAX),
        "ties" => truth(),
        other => unknown(other),
    }
}

/// A count is of the groups; everything else is of one of their values.
fn over() -> Value {
    let mut over = object(fields::OVER, &["as", "agg"], |field| match field {
        "as" => reference("Name"),
        "agg" => words!(OverAgg),
        "of" => text(),
        other => unknown(other),
    });
    over["if"] = json!({ "properties": { "agg": { "const": OverAgg::Count.as_str() } } });
    over["then"] = json!({ "not": { "required": ["of"] } });
    over["else"] = json!({ "required": ["of"] });
    over
}

fn order(field: &str) -> Value {
    match field {
        "by" => text(),
        "dir" => words!(Dir),
        other => unknown(other),
    }
}

/// Rows have columns, results have outputs; the inner expressions are of the same kind.
fn expr(own: &str, of_results: bool) -> Value {
    let value = |field: &str| match field {
        "col" | "ref" => text(),
        "lit" => reference("Scalar"),
        "part" => words!(Part),
        "of" => reference(own),
        other => unknown(other),
    };
    let named = if of_results { fields::REF } else { fields::COL };
    let mut forms: Vec<Value> =
        [named, fields::LIT, fields::PART].into_iter().map(|fields| object(fields, fields, value)).collect();
    for op in Op::ALL {
        let arity = kind::arity(*op);
        forms.push(object(fields::OP, fields::OP, |field| match field {
            "op" => json!({ "const": op.as_str() }),
            "args" => list(reference(own), *arity.start(), *arity.end()),
            other => unknown(other),
        }));
    }
    json!({ "oneOf": forms })
}

fn pred(own: &str, expr: &str, about_rows: bool) -> Value {
    let mut forms = vec![
        object(fields::AND, fields::AND, |_| list(reference(own), 1, PREDS_MAX)),
        object(fields::OR, fields::OR, |_| list(reference(own), 1, PREDS_MAX)),
        object(fields::NOT, fields::NOT, |_| reference(own)),
    ];
    for test in Test::ALL {
        let values = kind::values(*test);
        let required: &[&str] = if *values.end() == 0 { &["test", "expr"] } else { fields::TEST };
        forms.push(object(fields::TEST, required, |field| match field {
            "test" => json!({ "const": test.as_str() }),
            "expr" => reference(expr),
            "values" => list(reference("Scalar"), *values.start(), *values.end()),
            other => unknown(other),
        }));
    }
    if about_rows {
        let of = object(fields::EXISTS_OF, &["table"], |field| match field {
            "table" => text(),
            "where" => reference(own),
            other => unknown(other),
        });
        forms.push(object(fields::EXISTS, fields::EXISTS, |_| of.clone()));
    }
    json!({ "oneOf": forms })
}

fn short_plan() -> Value {
    let mut plan = object(fields::SHORT_PLAN, &["table"], |field| match field {
        "dataset_id" | "dataset" | "table" | "notes" => text(),
        "select" => list(reference("ShortItem"), 1, COLUMNS_MAX),
        "filters" => list(reference("ShortFilter"), 0, PREDS_MAX),
        "group_by" => list(text(), 0, GROUPS_MAX),
        "order_by" => list(reference("ShortOrder"), 0, COLUMNS_MAX),
        "limit" => limit(),
        other => unknown(other),
    });
    plan["anyOf"] = json!([{ "required": ["dataset_id"] }, { "required": ["dataset"] }]);
    plan
}

fn short_item() -> Value {
    let item = object(fields::SHORT_ITEM, &[], |field| match field {
        "column" | "expr" | "with" => text(),
        "agg" | "func" => words!(Agg),
        "as" | "alias" => reference("Name"),
        "q" => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        other => unknown(other),
    });
    json!({ "anyOf": [text(), item] })
}

/// One form for no value, one for a list, one for a single value.
fn short_filter() -> Value {
    let form = |words: Vec<&str>, value: Option<Value>| {
        let fields: Vec<&str> =
            fields::SHORT_FILTER.iter().copied().filter(|field| *field != "value" || value.is_some()).collect();
        object(&fields, &fields, |field| match field {
            "column" => text(),
            "op" => json!({ "enum": words }),
            "value" => value.clone().expect("only listed where there is one"),
            other => unknown(other),
        })
    };
    let most = |operator: Operator| match operator {
        Operator::Test(test) => *kind::values(test).end(),
        Operator::IsNotNull => 0,
    };
    let words = |wanted: &dyn Fn(usize) -> bool| -> Vec<&str> {
        OPERATORS.iter().filter(|(_, operator)| wanted(most(*operator))).map(|(word, _)| *word).collect()
    };
    json!({ "oneOf": [
        form(words(&|most| most == 0), None),
        form(words(&|most| most == 1), Some(reference("Scalar"))),
        form(words(&|most| most > 1), Some(list(reference("Scalar"), 1, VALUES_MAX))),
    ] })
}

fn short_order() -> Value {
    let order = object(fields::SHORT_ORDER, &[], |field| match field {
        "expr" | "column" => text(),
        "dir" | "direction" => words!(Dir),
        other => unknown(other),
    });
    json!({ "anyOf": [text(), order] })
}
