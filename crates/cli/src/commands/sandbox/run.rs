//! `assay sandbox run`: a program of the user's own, isolated, with what it is given and what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base::{Code, Hash, Problem, Table};
use data::figures::Form;
use sandbox::{MEMORY_BYTES_MAX, Policy, Profile, WALL_MS_MAX};
use serde_json::Value;
use tasks::{DATABASE_NAME, PROGRAM, ProgramData, ProgramInput};

use super::values;
use crate::args::{ProfileName, SandboxRun};
use crate::commands::document;
use crate::commands::plan::read_text;
use crate::commands::sql::print_error;
use crate::grid;
use crate::printer::{Printer, clean_lines};
use crate::terminal::Terminal;

const PROGRAM_BYTES_MAX: usize = 4 << 20;

/// Runs the program and prints what it printed.
pub async fn run(terminal: &Terminal, run: &SandboxRun) -> Result<u8, Problem> {
    let code = read_text(&run.file, PROGRAM_BYTES_MAX)?;
    let name = match run.file.as_str() {
        "-" => "stdin.py".to_string(),
        path => {
            std::path::Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
    };
    let values = values::read(&run.value)?;
    let input = ProgramInput {
        policy: policy(run)?,
        inputs: inputs(&run.input)?,
        out: out(run)?,
        data: data(terminal, run, &values).await?,
        guard: run.guard,
        values,
        name,
        code,
    };
    let title = format!("run {}", input.name);
    terminal.run_and_show(&run.begin, PROGRAM, &input, &title, |made| document::show(terminal, made)).await
}

/// The dataset whose tables the program gets under their names, which values must not take.
async fn data(
    terminal: &Terminal,
    run: &SandboxRun,
    values: &BTreeMap<String, Value>,
) -> Result<Option<ProgramData>, Problem> {
    if run.data.is_empty() {
        return Ok(None);
    }
    let is_taken = |table: &str| values.contains_key(table);
    let tables = app::requests::tables(&terminal.app, &terminal.data_names(), &run.data, is_taken).await?;
    if run.input.iter().any(|file| file.file_name().is_some_and(|name| name == DATABASE_NAME)) {
        return Err(Problem::new(
            Code::Usage,
            format!("an input is called `{DATABASE_NAME}`, as the dataset's file is"),
        )
        .hint("rename it, or leave out --data and open it yourself"));
    }
    Ok(Some(tables))
}

fn policy(run: &SandboxRun) -> Result<Policy, Problem> {
    let mut policy = match run.profile {
        ProfileName::Analysis => Policy::analysis(),
        ProfileName::Task => Policy::task(),
    };
    if let Some(text) = &run.time {
        let time_ms = time_ms(text).filter(|time| (1..=WALL_MS_MAX).contains(time));
        let time_ms = time_ms.ok_or_else(|| invalid("--time", text, "between 1ms and 10min, such as 10s or 500ms"))?;
        (policy.wall_ms, policy.cpu_ms) = (time_ms, time_ms);
    }
    if let Some(text) = &run.memory {
        const MEMORY_BYTES_MIN: u64 = 16 << 20;
        let bytes = bytes(text).filter(|bytes| (MEMORY_BYTES_MIN..=MEMORY_BYTES_MAX).contains(bytes));
        policy.memory_bytes = bytes.ok_or_else(|| invalid("--memory", text, "between 16M and 4G, such as 512M"))?;
    }
    debug_assert!(policy.profile != Profile::Ingest, "users cannot choose it");
    Ok(policy)
}

fn invalid(flag: &str, text: &str, wanted: &str) -> Problem {
    let shown: String = text.chars().take(40).collect();
    Problem::new(Code::Usage, format!("{flag} cannot be `{}`", shown.escape_debug()))
        .hint(format!("give a value {wanted}"))
}

fn time_ms(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" | "min" => 60_000,
        _ => return None,
    };
    number.checked_mul(unit)
}

fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let unit = match text[digits.len()..].to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit)
}

fn inputs(files: &[PathBuf]) -> Result<Vec<(PathBuf, Hash)>, Problem> {
    let mut inputs: Vec<(PathBuf, Hash)> = Vec::new();
    for file in files {
        let unreadable = |error: std::io::Error| {
            Problem::new(Code::FileUnreadable, format!("cannot read the input `{}`: {error}", file.display()))
                .hint("check the path")
        };
        let path = std::path::absolute(file).map_err(unreadable)?;
        let hash = warehouse::hash_file(&path)?;
        if inputs.iter().any(|(other, _)| other.file_name() == path.file_name()) {
            return Err(Problem::new(Code::Usage, format!("two inputs are called `{}`", file.display()))
                .hint("rename one: inputs appear side by side in input/"));
        }
        inputs.push((path, hash));
    }
    Ok(inputs)
}

fn out(run: &SandboxRun) -> Result<Option<PathBuf>, Problem> {
    let Some(out) = &run.out else { return Ok(None) };
    let unwritable = |error: std::io::Error| {
        Problem::new(Code::FileUnreadable, format!("cannot write to `{}`: {error}", out.display()))
            .hint("give another --out")
    };
    std::fs::create_dir_all(out).map_err(unwritable)?;
    std::path::absolute(out).map(Some).map_err(unwritable)
}

/// Says what became of a program; what it printed is passed on unless that was done while it ran.
pub fn print(printer: &Printer, execution: &Value, was_streamed: bool) {
    let text = |field: &str| execution[field].as_str().unwrap_or_default();
    if !was_streamed {
        printer.data(text("stdout"));
        printer.pass_on(text("stderr"));
    }
    for stream in ["stdout", "stderr"] {
        if execution[format!("{stream}_truncated")] == true {
            printer.remark("note", &format!("{stream} was cut after its first MiB"));
        }
    }
    if let Some(count @ 1..) = execution["files_left_out"].as_u64() {
        printer.remark("note", &format!("{count} entries of out/ did not come back: links, devices or too many"));
    }
    let beside: Vec<String> = execution["files_beside"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| format!("`{name}`"))
        .collect();
    if !beside.is_empty() {
        let left = beside.join(", ");
        printer.remark(
            "note",
            &format!("{left} did not come back: only what a program writes to out/ does, with --out DIR"),
        );
    }
    for finding in execution["findings"].as_array().into_iter().flatten() {
        let label = if finding["severity"] == "error" { "refused" } else { "warning" };
        let line = finding["line"].as_u64().map_or(String::new(), |line| format!("line {line}: "));
        printer.remark(label, &format!("{line}{}", finding["message"].as_str().unwrap_or_default()));
    }
    match text("outcome") {
        "ok" => print_result(printer, &execution["result"]),
        "refused" => {}
        "killed" => printer
            .remark("killed", &format!("{}; `assay sandbox run --help` has the options", limit(text("killed_by")))),
        outcome => {
            print_error(printer, outcome, &execution["error"]);
            if let Some(hint) = execution["error"]["hint"].as_str() {
                let is_missing = execution["error"]["type"] == "ModuleNotFoundError";
                let how = if is_missing { "; `assay sandbox install ml` installs them" } else { "" };
                printer.remark("hint", &format!("{hint}{how}"));
            }
        }
    }
}

/// Which limit ended a program or a statement, in words.
pub fn limit(name: &str) -> String {
    let more = match name {
        "time" => "it took more processor or wall time than it may",
        "memory" => "it used more memory than it may",
        "output" => "it wrote more than it may",
        "processes" => "it started more processes than it may",
        _ => "it used more than it may",
    };
    format!("limit reached: {name} ({more})")
}

/// What the last expression came to, apart from what the program printed: stdout is the program's own.
fn print_result(printer: &Printer, result: &Value) {
    const CHARACTERS_MAX: usize = 2_000;
    let text = |field: &str| result[field].as_str().unwrap_or_default();
    match text("kind") {
        "scalar" => {
            let value = result["value"].as_str().map_or_else(|| result["value"].to_string(), str::to_string);
            let shown: String = value.chars().take(CHARACTERS_MAX).collect();
            let cut = if shown.len() < value.len() || result["truncated"] == true { "…" } else { "" };
            printer.remark("result", &format!("{shown}{cut}"));
        }
        "table" => {
            if let Ok(table) = serde_json::from_value::<Table>(result["table"].clone()) {
                printer.remark("result", &format!("{} rows", table.row_count));
                printer.pass_on(&clean_lines(&grid::draw(&table, &Form::of_each(&table), printer.width)));
            }
        }
        kind @ ("figure" | "file") => printer.remark("result", &format!("{kind} {}", text("path"))),
        _ => {
            if let Some(problem) = result["problem"].as_str() {
                printer.remark("note", problem);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_strictly() {
        assert_eq!(
            [time_ms("10s"), time_ms("500ms"), time_ms("2min"), time_ms("-1s")],
            [Some(10_000), Some(500), Some(120_000), None]
        );
        assert_eq!(
            [bytes("512M"), bytes("1GiB"), bytes("12"), bytes("x")],
            [Some(512 << 20), Some(1 << 30), Some(12), None]
        );
        assert_eq!(time_ms("99999999999999999999s"), None);
        assert_eq!(bytes("99999999999G"), None);
    }
}
