//! `assay sandbox run`: a program of the user's own, isolated.

use std::path::PathBuf;

use agent::{PROGRAM, ProgramInput};
use base::{Code, Hash, Problem};
use sandbox::{MEMORY_BYTES_MAX, Policy, Profile, WALL_MS_MAX};
use serde_json::Value;

use crate::app::App;
use crate::args::{ProfileName, Sandbox, SandboxAction, SandboxRun};
use crate::commands::document;
use crate::commands::plan::read_text;
use crate::commands::sql::print_error;
use crate::printer::Printer;

const PROGRAM_BYTES_MAX: usize = 4 << 20;

/// Runs the program and prints what it printed.
pub async fn run(app: &App, sandbox: &Sandbox) -> Result<u8, Problem> {
    let SandboxAction::Run(run) = &sandbox.action;
    let code = read_text(&run.file, PROGRAM_BYTES_MAX)?;
    let name = match run.file.as_str() {
        "-" => "stdin.py".to_string(),
        path => {
            std::path::Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        }
    };
    let input = ProgramInput { policy: policy(run)?, inputs: inputs(&run.input)?, out: out(run)?, name, code };
    let title = format!("run {}", input.name);
    app.perform(&run.begin, PROGRAM, &input, &title, |made| document::show(app, made, &[])).await
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
        let (hash, _) = agent::hash_file(&path)?;
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

/// Passes on what the program printed, and says how it ended.
pub fn print(printer: &Printer, execution: &Value) {
    let text = |field: &str| execution[field].as_str().unwrap_or_default();
    printer.data(text("stdout"));
    printer.pass_on(text("stderr"));
    for stream in ["stdout", "stderr"] {
        if execution[format!("{stream}_truncated")] == true {
            printer.remark("note", &format!("{stream} was cut after its first MiB"));
        }
    }
    if let Some(count @ 1..) = execution["files_left_out"].as_u64() {
        printer.remark("note", &format!("{count} entries of out/ did not come back: links, devices or too many"));
    }
    match text("outcome") {
        "ok" => {}
        "killed" => printer.remark("killed", &format!("limit reached: {}", text("killed_by"))),
        outcome => print_error(printer, outcome, &execution["error"]),
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
