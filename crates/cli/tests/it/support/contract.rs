//! The machine interface as assertions: what must hold of every document, whatever command printed it.

use serde_json::Value;

const CODES: &str = "usage setting_invalid dataset_unknown table_unknown column_unknown plan_invalid file_unreadable \
    file_format input_changed run_unknown run_busy run_exists task_unknown key_conflict journal_mismatch journal_damaged capsule_damaged \
    session_diverged store_locked store_readonly store_newer disk_full disk_failed environment_missing sandbox_unavailable sandbox_busy \
    sandbox_lost key_missing worker_lost timed_out cancelled internal";

const ANSWER: &str = "run question dataset source confidence reading known assumptions sentence table focus chart plan \
    plan_hash sql refusal cached timing_ms";
const RUN: &str = "id task state mode key input output problem forked_from attempts program created_at finished_at \
    last_seq steps artifacts";

/// Panics with the first thing about a document that the interface does not allow.
#[track_caller]
pub fn holds(document: &Value) {
    assert_eq!(document["v"], 1, "{document}");
    match document["kind"].as_str() {
        Some("answer") => answer(document),
        Some("execution") => execution(document),
        Some("sql") => {
            has(document, "run outcome killed_by sql table error findings usage isolation");
            outcome(document);
        }
        Some("plan") => {
            has(document, "run outcome killed_by sql table error findings usage isolation plan plan_hash known");
            outcome(document);
            hash(&document["plan_hash"]);
        }
        Some("plan_check") => plan_check(document),
        Some("plan_sql") => {
            has(document, "dialect sql plan_hash");
            hash(&document["plan_hash"]);
        }
        Some("plan_schema") => has(document, "schema"),
        Some("demo_plan") => has(document, "dataset stages"),
        Some("run") => run(document),
        Some("runs") => runs(document),
        Some("doctor") => doctor(document),
        Some("problem") => problem(document),
        Some("guard") => guard(document),
        Some("eval") => has(
            document,
            "run cases answered right wrong refused refused_right problems accuracy precision coverage curve plan_ms total_ms",
        ),
        Some("demo") => has(document, "run steps value"),
        Some("worker") => has(document, "runs"),
        Some("queued") => has(document, "task runs"),
        Some("prune") => prune(document),
        Some("installed") => has(document, "set packages"),
        Some("capsule") => has(document, "valid file run task program parts"),
        Some("import") => has(document, "run was_here"),
        Some("cancel") => has(document, "run state cancelled"),
        Some("replay") => has(document, "run steps same difference"),
        Some("added") => has(document, "dataset paths tables files_bytes bytes remarks"),
        Some("refreshed") => has(document, "dataset was changed tables remarks"),
        Some("removed") => has(document, "dataset"),
        Some("metadata") => has(document, "file text"),
        Some("profile") => has(document, "dataset tables relations remarks"),
        Some("datasets") => datasets(document),
        Some("caches") => has(document, "entries bytes bytes_max answers_max"),
        Some("threads") => has(document, "threads"),
        Some("thread") => has(document, "thread runs"),
        Some("thread_forgotten") => has(document, "thread runs"),
        Some("remembered") => has(document, "dataset note"),
        Some("notes") => has(document, "dataset notes"),
        Some("cleared") => has(document, "answers bytes"),
        Some("dataset" | "export" | "config") => {}
        _ => panic!("no such kind of document: {document}"),
    }
}

/// Holds of every line of `--jsonl`.
#[track_caller]
pub fn event(event: &Value) {
    has(event, "v run seq at type data");
    time(&event["at"]);
    let data = &event["data"];
    match event["type"].as_str().expect("a type") {
        "run.created" => has(data, "task input"),
        "run.started" => has(data, "attempt"),
        "step.finished" => has(data, "index name state attempts duration_ms output_hash"),
        "artifact.added" => has(data, "name media_type bytes sha256"),
        "run.finished" => has(data, "state output problem"),
        "output.chunk" => {
            has(data, "stream text");
            one_of(&data["stream"], "stdout stderr");
            assert!(event["seq"].is_null(), "passing: {event}");
        }
        "step.started" | "step.progress" | "text.delta" => assert!(event["seq"].is_null(), "passing: {event}"),
        other => panic!("no such event: {other}"),
    }
}

#[track_caller]
fn has(value: &Value, fields: &str) {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    for field in fields.split_whitespace() {
        assert!(object.contains_key(field), "`{field}` is missing in {value}");
    }
}

#[track_caller]
fn one_of(value: &Value, words: &str) {
    let word = value.as_str().unwrap_or_else(|| panic!("{value} should be one of {words}"));
    assert!(words.split_whitespace().any(|one| one == word), "{word} should be one of {words}");
}

#[track_caller]
fn hash(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("not a hash: {value}"));
    let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    assert!(text.len() == 64 && hex, "not a hash: {text}");
}

/// RFC 3339 in UTC.
#[track_caller]
fn time(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("not a time: {value}"));
    assert!(shaped(text, "####-##-##T##:##:##") && text.ends_with('Z'), "not a time: {text}");
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
    has(document, "file profile ok findings");
    one_of(&document["profile"], "analysis task");
    let findings = document["findings"].as_array().expect("findings are a list");
    for finding in findings {
        has(finding, "rule severity message span line column");
        one_of(&finding["severity"], "error warning");
    }
    let is_refused = findings.iter().any(|finding| finding["severity"] == "error");
    assert_eq!(document["ok"], !is_refused, "{document}");
}

#[track_caller]
fn answer(document: &Value) {
    has(document, ANSWER);
    one_of(&document["status"], "answered refused");
    one_of(&document["source"], "offline model");
    has(&document["dataset"], "id version");
    hash(&document["dataset"]["version"]);
    assert!(document["confidence"].is_number() && document["cached"].is_boolean(), "{document}");
    has(&document["timing_ms"], "plan execute verify total");
    for assumption in document["assumptions"].as_array().expect("assumptions are a list") {
        has(assumption, "code text");
    }
    if let Some(refusal) = document["refusal"].as_object().map(|_| &document["refusal"]) {
        has(refusal, "reason message words suggestions");
        let reasons = "unknown_word ambiguous unsupported not_about_data no_data write_requested low_confidence \
            disagreement limit";
        one_of(&refusal["reason"], reasons);
    }
    if document["status"] == "refused" {
        for field in "sentence table focus chart plan plan_hash sql known reading".split(' ') {
            assert!(document[field].is_null(), "a refused answer has `{field}`: {document}");
        }
        assert!(document["refusal"].is_object(), "refused without a reason: {document}");
        return;
    }
    known(&document["known"]);
    table(&document["table"]);
    hash(&document["plan_hash"]);
    for field in ["sentence", "reading", "sql"] {
        assert!(document[field].as_str().is_some_and(|text| !text.is_empty()), "no `{field}`: {document}");
    }
    let names: Vec<&Value> =
        document["table"]["columns"].as_array().into_iter().flatten().map(|c| &c["name"]).collect();
    let focus = document["focus"].as_array().expect("an answer has a focus");
    assert!(!focus.is_empty() && focus.iter().all(|name| names.contains(&name)), "focus {focus:?} of {names:?}");
    if document["chart"].is_object() {
        one_of(&document["chart"]["kind"], "bar line area scatter histogram stacked");
    }
}

#[track_caller]
fn known(known: &Value) {
    has(known, "level by note");
    one_of(&known["level"], "verified checked unverified");
    one_of(&known["by"], "oracle invariants none");
}

#[track_caller]
fn execution(document: &Value) {
    has(document, "run outcome killed_by exit_code signal stdout stderr stdout_truncated stderr_truncated");
    has(document, "error result findings files usage isolation");
    outcome(document);
    one_of(&document["result"]["kind"], "none scalar table figure file");
    assert!(
        document["outcome"] == "ok" || document["result"]["kind"] == "none",
        "a result belongs to `ok`: {document}"
    );
    if document["result"]["kind"] == "table" {
        table(&document["result"]["table"]);
    }
    assert!(document["stdout"].is_string() && document["stderr"].is_string(), "{document}");
    for file in document["files"].as_array().expect("files are a list") {
        has(file, "path bytes sha256");
        hash(&file["sha256"]);
    }
}

/// What `execution`, `sql` and `plan` share.
#[track_caller]
fn outcome(document: &Value) {
    one_of(&document["outcome"], "ok failed killed refused lost");
    let is = |word: &str| document["outcome"] == word;
    match is("killed") {
        true => one_of(&document["killed_by"], "time memory output processes"),
        false => assert!(document["killed_by"].is_null(), "killed_by without being killed: {document}"),
    }
    assert_eq!(document["error"].is_object(), is("failed"), "`error` belongs to `failed`: {document}");
    if is("failed") {
        has(&document["error"], "type message line traceback");
    }
    let findings = document["findings"].as_array().expect("findings are a list");
    assert!(!is("refused") || !findings.is_empty(), "refused without a finding: {document}");
    for finding in findings {
        has(finding, "rule severity message span");
        one_of(&finding["severity"], "error warning");
        assert!(finding["span"].is_null() || finding["span"]["start"].is_u64(), "{finding}");
    }
    has(&document["usage"], "wall_ms cpu_ms memory_peak_bytes");
    let never_ran = document["kind"] == "execution" && is("refused");
    if !is("lost") && !never_ran {
        has(&document["isolation"], "tier memory warm");
        one_of(&document["isolation"]["tier"], "namespaces landlock docker kubernetes");
        one_of(&document["isolation"]["memory"], "cgroup2 cgroup1 watchdog");
    }
    if document["kind"] != "execution" {
        assert_eq!(document["table"].is_object(), is("ok"), "a table belongs to `ok`: {document}");
    }
    if document["table"].is_object() {
        table(&document["table"]);
    }
}

#[track_caller]
pub fn table(table: &Value) {
    has(table, "columns rows row_count truncated");
    let columns = table["columns"].as_array().expect("columns are a list");
    let rows = table["rows"].as_array().expect("rows are a list");
    let count = table["row_count"].as_u64().expect("row_count is a number");
    let truncated = table["truncated"].as_bool().expect("truncated is a bool");
    assert!(if truncated { count > rows.len() as u64 } else { count == rows.len() as u64 }, "row_count of {table}");
    for column in columns {
        one_of(&column["type"], "bool int float decimal text date time timestamp json");
    }
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
    has(document, "valid problems plan plan_hash");
    let valid = document["valid"].as_bool().expect("valid is a bool");
    let problems = document["problems"].as_array().expect("problems are a list");
    assert_eq!(valid, problems.is_empty(), "{document}");
    assert_eq!((valid, valid), (document["plan"].is_object(), document["plan_hash"].is_string()), "{document}");
    for problem in problems {
        has(problem, "path code message suggestions");
        one_of(&problem["code"], CODES);
        assert!(problem["path"].as_str().is_some_and(|path| path.is_empty() || path.starts_with('/')), "{problem}");
    }
}

#[track_caller]
fn run(document: &Value) {
    has(document, RUN);
    let states = "pending running succeeded failed rejected cancelled interrupted";
    one_of(&document["state"], states);
    one_of(&document["mode"], "attached queued");
    time(&document["created_at"]);
    if !document["finished_at"].is_null() {
        time(&document["finished_at"]);
    }
    for (index, step) in document["steps"].as_array().expect("steps are a list").iter().enumerate() {
        has(step, "index name state attempts finished_at duration_ms input_hash output_hash output");
        assert_eq!(step["index"], index, "{step}");
        one_of(&step["state"], "ok failed");
        time(&step["finished_at"]);
        hash(&step["input_hash"]);
        hash(&step["output_hash"]);
    }
    for artifact in document["artifacts"].as_array().expect("artifacts are a list") {
        has(artifact, "name media_type bytes sha256");
    }
}

#[track_caller]
fn datasets(document: &Value) {
    has(&document["cache"], "bytes bytes_max");
    for dataset in document["datasets"].as_array().expect("datasets are a list") {
        has(dataset, "id version description tables origin rows bytes files_bytes paths added_at read_at files");
        hash(&dataset["version"]);
        one_of(&dataset["origin"], "built-in added");
        if dataset["origin"] == "added" {
            one_of(&dataset["files"], "unchanged changed missing");
            time(&dataset["added_at"]);
            time(&dataset["read_at"]);
        }
    }
}

#[track_caller]
fn prune(document: &Value) {
    has(document, "dry_run runs deleted artifacts bytes");
    assert!(document["dry_run"].is_boolean(), "{document}");
    for field in ["deleted", "artifacts", "bytes"] {
        assert!(document[field].is_u64(), "{field} of {document}");
    }
    for run in document["runs"].as_array().expect("runs are a list") {
        has(run, "id task state finished_at title");
        one_of(&run["state"], "succeeded failed rejected cancelled");
        time(&run["finished_at"]);
    }
}

#[track_caller]
fn runs(document: &Value) {
    has(document, "runs next damaged");
    let runs = document["runs"].as_array().expect("runs are a list");
    for run in runs {
        has(run, "id task state key created_at finished_at title");
        time(&run["created_at"]);
    }
    let times: Vec<&str> = runs.iter().filter_map(|run| run["created_at"].as_str()).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "newest first: {times:?}");
}

#[track_caller]
fn doctor(document: &Value) {
    has(document, "ok checks");
    let checks = document["checks"].as_array().expect("checks are a list");
    for check in checks {
        has(check, "id status required found message fix");
        one_of(&check["status"], "ok degraded missing");
    }
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
    has(document, "code message hint path run");
    one_of(&document["code"], CODES);
    let message = document["message"].as_str().expect("a message");
    assert!(!message.is_empty(), "a problem says what it is: {document}");
}
