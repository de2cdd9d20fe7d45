//! The machine interface as assertions: what must hold of every document, whatever command printed it. Names, types and
//! closed sets of words are what the published schemas say; the rest is what no schema can say.

use std::sync::OnceLock;

use app::documents::Schemas;
use serde_json::Value;

use super::schema;

/// Panics with the first thing about a document that the interface does not allow.
#[track_caller]
pub fn holds(document: &Value) {
    fits(document).unwrap_or_else(|error| panic!("{error}\nin {document}"));
    match document["kind"].as_str().unwrap_or_default() {
        "answer" => answer(document),
        "execution" => execution(document),
        "sql" | "plan" => outcome(document),
        "plan_check" => plan_check(document),
        "run" => run(document),
        "solution" => solution(document),
        "runs" => runs(document),
        "doctor" => doctor(document),
        "problem" => problem(document),
        "guard" => guard(document),
        "prune" => prune(document),
        "datasets" => datasets(document),
        _ => {}
    }
}

/// Whether a document is what the schema of its kind says; a kind without a schema is none.
pub fn fits(document: &Value) -> Result<(), String> {
    let kind = document["kind"].as_str().ok_or("a document says its kind")?;
    let schema = schemas().schemas.get(kind).ok_or_else(|| format!("no such kind of document: {kind}"))?;
    schema::check(document, schema)
}

/// Holds of every line of `--jsonl`.
#[track_caller]
pub fn event(event: &Value) {
    schema::check(event, &schemas().schemas["event"]).unwrap_or_else(|error| panic!("{error}\nin {event}"));
}

fn schemas() -> &'static Schemas {
    static ALL: OnceLock<Schemas> = OnceLock::new();
    ALL.get_or_init(Schemas::all)
}

/// Whether a text begins as the pattern says, where `#` is a digit.
fn shaped(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
            b'#' => byte.is_ascii_digit(),
            exact => byte == exact,
        })
}

#[track_caller]
fn guard(document: &Value) {
    let is_refused = list(document, "findings").iter().any(|finding| finding["severity"] == "error");
    assert_eq!(document["ok"], !is_refused, "{document}");
}

#[track_caller]
fn answer(document: &Value) {
    if document["status"] == "refused" {
        for field in "sentence table focus chart plan plan_hash sql known reading".split(' ') {
            assert!(document[field].is_null(), "a refused answer has `{field}`: {document}");
        }
        assert!(document["refusal"].is_object(), "refused without a reason: {document}");
        return;
    }
    table(&document["table"]);
    let by_model = document["source"] == "model";
    assert_eq!(document["code"].is_object() && document["model"].is_object(), by_model, "whose code is it: {document}");
    assert!(!by_model || document["known"]["level"] != "verified", "a model's answer is never verified: {document}");
    // What is told of the data itself is no plan's result, and is not called more than it is.
    let of_the_data = !by_model && document["plan"].is_null();
    assert!(!of_the_data || document["known"]["by"] == "none" && document["plan_hash"].is_null(), "{document}");
    let computed: &[&str] = if by_model || of_the_data { &[] } else { &["sql", "plan_hash"] };
    for field in ["sentence", "reading"].iter().chain(computed) {
        assert!(document[field].as_str().is_some_and(|text| !text.is_empty()), "no `{field}`: {document}");
    }
    let has_plan = !by_model && !of_the_data || document["code"]["language"] == "plan";
    assert!(document["known"].is_object() && document["plan"].is_object() == has_plan, "{document}");
    let names: Vec<&Value> = list(&document["table"], "columns").iter().map(|column| &column["name"]).collect();
    let focus = list(document, "focus");
    assert!(!focus.is_empty() && focus.iter().all(|name| names.contains(&name)), "focus {focus:?} of {names:?}");
}

#[track_caller]
fn solution(document: &Value) {
    let verifies = |one: &&Value| one["by"] == "tests" || one["by"] == "examples";
    let evidence: Vec<&Value> = list(document, "evidence").iter().filter(verifies).collect();
    let holds = !evidence.is_empty() && evidence.iter().all(|one| one["failed"] == 0 && one["passed"] != 0);
    assert_eq!(document["verdict"] == "verified", holds, "checks decide, and they alone: {document}");
    assert_eq!(document["status"] == "failed", document["verdict"] == "failed", "{document}");
    assert!(document["written"] == false || document["file_path"].is_string(), "written to nowhere: {document}");
    assert_eq!(list(document, "history").len() as u64, document["iteration"].as_u64().unwrap(), "{document}");
}

#[track_caller]
fn execution(document: &Value) {
    outcome(document);
    assert!(
        document["outcome"] == "ok" || document["result"]["kind"] == "none",
        "a result belongs to `ok`: {document}"
    );
    if document["result"]["kind"] == "table" {
        table(&document["result"]["table"]);
    }
}

/// What `execution`, `sql` and `plan` share.
#[track_caller]
fn outcome(document: &Value) {
    let is = |word: &str| document["outcome"] == word;
    assert_eq!(document["killed_by"].is_string(), is("killed"), "`killed_by` belongs to `killed`: {document}");
    assert_eq!(document["error"].is_object(), is("failed"), "`error` belongs to `failed`: {document}");
    assert!(!is("refused") || !list(document, "findings").is_empty(), "refused without a finding: {document}");
    let never_ran = document["kind"] == "execution" && is("refused");
    assert!(document["isolation"].is_object() || is("lost") || never_ran, "not isolated: {document}");
    if document["kind"] != "execution" {
        assert_eq!(document["table"].is_object(), is("ok"), "a table belongs to `ok`: {document}");
    }
    if document["table"].is_object() {
        table(&document["table"]);
    }
}

#[track_caller]
pub fn table(table: &Value) {
    let columns = table["columns"].as_array().expect("columns are a list");
    let rows = table["rows"].as_array().expect("rows are a list");
    let count = table["row_count"].as_u64().expect("row_count is a number");
    let truncated = table["truncated"].as_bool().expect("truncated is a bool");
    assert!(if truncated { count > rows.len() as u64 } else { count == rows.len() as u64 }, "row_count of {table}");
    for row in rows {
        let cells = row.as_array().expect("a row is a list");
        assert_eq!(cells.len(), columns.len(), "a row has a cell per column: {row}");
        for (cell, column) in cells.iter().zip(columns) {
            assert!(is_cell(cell, column["type"].as_str().unwrap_or_default()), "{cell} in {column}");
        }
    }
}

fn is_cell(cell: &Value, ty: &str) -> bool {
    let text = cell.as_str();
    match ty {
        _ if cell.is_null() => true,
        "bool" => cell.is_boolean(),
        "int" => cell.is_i64() || cell.is_u64(),
        "float" => cell.is_number() || text.is_some_and(|text| ["NaN", "Infinity", "-Infinity"].contains(&text)),
        "decimal" => text.is_some_and(|text| text.parse::<f64>().is_ok()),
        "date" => text.is_some_and(|text| text.len() == 10 && shaped(text, "####-##-##")),
        "time" => text.is_some_and(|text| shaped(text, "##:##:##")),
        "timestamp" => text.is_some_and(|text| shaped(text, "####-##-##T##:##:##")),
        _ => text.is_some(),
    }
}

#[track_caller]
fn plan_check(document: &Value) {
    let valid = document["valid"] == true;
    let problems = list(document, "problems");
    assert_eq!(valid, problems.is_empty(), "{document}");
    assert_eq!((valid, valid), (document["plan"].is_object(), document["plan_hash"].is_string()), "{document}");
    for problem in problems {
        assert!(problem["path"].as_str().is_some_and(|path| path.is_empty() || path.starts_with('/')), "{problem}");
    }
}

#[track_caller]
fn run(document: &Value) {
    for (index, step) in list(document, "steps").iter().enumerate() {
        assert_eq!(step["index"], index, "{step}");
    }
}

#[track_caller]
fn datasets(document: &Value) {
    for dataset in list(document, "datasets") {
        for field in ["files", "added_at", "read_at", "paths", "files_bytes"] {
            assert_eq!(dataset[field].is_null(), dataset["origin"] == "built-in", "{field} of {dataset}");
        }
    }
}

#[track_caller]
fn prune(document: &Value) {
    for run in list(document, "runs") {
        let ended = ["succeeded", "failed", "rejected", "cancelled"].iter().any(|state| run["state"] == *state);
        assert!(ended && run["finished_at"].is_string(), "{run}");
    }
}

#[track_caller]
fn runs(document: &Value) {
    let times: Vec<&str> = list(document, "runs").iter().filter_map(|run| run["created_at"].as_str()).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "newest first: {times:?}");
}

#[track_caller]
fn doctor(document: &Value) {
    let checks = list(document, "checks");
    let ids =
        "data_dir store python environment sandbox.namespaces sandbox.landlock sandbox.seccomp sandbox.memory broker";
    for id in ids.split(' ') {
        assert!(checks.iter().any(|check| check["id"] == id), "no check `{id}`");
    }
    let missing = checks.iter().any(|check| check["status"] == "missing" && check["required"] == true);
    assert_eq!(document["ok"], !missing, "{document}");
}

#[track_caller]
fn problem(document: &Value) {
    assert!(document["message"] != "", "a problem says what it is: {document}");
}

#[track_caller]
fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().unwrap_or_else(|| panic!("`{field}` is no list in {value}"))
}
