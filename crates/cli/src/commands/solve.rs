//! `assay solve`: a task and the program that does it.
//!
//! The program goes to stdout and everything about it to stderr, so that stdout can be a file.

mod live;

use std::io::IsTerminal;
use std::path::Path;

use base::{Code, Problem, RunId};
use flow::Start;
use serde_json::Value;
use tasks::{Consent, SOLVE, SolutionFile, SolveInput, Solver, TestsFile};

pub use self::live::Live;
use crate::args::Solve;
use crate::commands::document;
use crate::printer::Printer;
use crate::terminal::Terminal;

const FILE_BYTES_MAX: u64 = 1 << 20;

/// Solves and prints; 1 when it is not verified.
pub async fn run(terminal: &Terminal, solve: &Solve) -> Result<u8, Problem> {
    let input = SolveInput {
        task: solve.task.clone(),
        tests: solve.tests.as_deref().map(read_tests).transpose()?,
        beside: solve.with.iter().map(|path| read_beside(path)).collect::<Result<_, _>>()?,
        file: solve.file.as_deref().map(solution_file).transpose()?,
        max_iterations: solve.max_iterations,
        candidates: solve.candidates,
        model: solve.model.chosen(&terminal.app.settings).map(|(name, budget)| Solver { name, budget }),
        consent: match (solve.ask, solve.yes) {
            (true, _) => Consent::Ask,
            (_, true) => Consent::Yes,
            _ => Consent::None,
        },
        tools: terminal.app.settings.searches.tools(),
        no_memory: solve.no_memory,
    };
    input.check()?;
    let mut ran = terminal.run_or_queue(&solve.begin, SOLVE, &input, &solve.task).await;
    loop {
        let problem = match ran {
            Ok(Some((made, _))) => return Ok(document::show(terminal, &made)),
            Ok(None) => return Ok(0),
            Err(problem) => problem,
        };
        let Some(run) = problem.run.clone().filter(|_| problem.code == Code::ApprovalNeeded && is_dialogue(terminal))
        else {
            return Err(problem);
        };
        if !ask_person(terminal, &run).await? {
            return Err(problem);
        }
        let runs = terminal.app.engine().await?.runs().clone();
        ran = terminal.follow(Start::Resume(run)).await.and_then(|ended| Ok(Some((ended.result?.output, runs))));
    }
}

/// Whether somebody can be asked: both ends are a terminal.
fn is_dialogue(terminal: &Terminal) -> bool {
    terminal.printer.is_read_by_people() && std::io::stdin().is_terminal()
}

/// Shows what a waiting run asks and takes the answer; whether there was one.
async fn ask_person(terminal: &Terminal, run: &RunId) -> Result<bool, Problem> {
    let runs = terminal.app.engine().await?.runs().clone();
    let Some(question) = runs.show(run).await?.questions.into_iter().next() else { return Ok(false) };
    question.detail.lines().for_each(|line| terminal.printer.aside(line));
    terminal.printer.aside(&format!("{}: allow it? y or n, anything else leaves the run waiting", question.action));
    let read = || {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    };
    let line = tokio::task::spawn_blocking(read).await.ok().and_then(Result::ok).unwrap_or_default();
    let allowed = match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => true,
        "n" | "no" => false,
        _ => return Ok(false),
    };
    runs.decide(run, Some(&question.id), allowed).await?;
    Ok(true)
}

fn read_tests(path: &Path) -> Result<TestsFile, Problem> {
    let hint = "name a Python file with asserts, unittest cases or functions whose names begin with `test`";
    read_file(path, "the tests in ", hint)
}

fn read_beside(path: &Path) -> Result<TestsFile, Problem> {
    read_file(
        path,
        "",
        "name a text file of at most 1 MB; a program that computes over large data is one for `sandbox run`",
    )
}

fn read_file(path: &Path, what: &str, hint: &str) -> Result<TestsFile, Problem> {
    let unreadable = |why: &dyn std::fmt::Display| {
        Problem::new(Code::FileUnreadable, format!("cannot read {what}`{}`: {why}", path.display())).hint(hint)
    };
    let about = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if about.len() > FILE_BYTES_MAX {
        return Err(unreadable(&format!("it has more than {FILE_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(TestsFile { name, text })
}

fn solution_file(named: &Path) -> Result<SolutionFile, Problem> {
    let wrong = |why: String| {
        Problem::new(Code::Usage, format!("the program cannot go to `{}`: {why}", named.display()))
            .hint("name a Python file in a folder that is there, such as out.py")
    };
    let path = std::path::absolute(named).map_err(|error| wrong(error.to_string()))?;
    if path.is_dir() {
        return Err(wrong("it is a folder".into()));
    }
    if path.extension().is_none_or(|extension| extension != "py") {
        return Err(wrong("its name does not end with .py".into()));
    }
    if !path.parent().is_some_and(Path::is_dir) {
        return Err(wrong("its folder is not there".into()));
    }
    Ok(SolutionFile { path, named: named.display().to_string() })
}

/// 0 where it is verified.
pub fn exit_code(solution: &Value) -> u8 {
    u8::from(solution["verdict"] != "verified")
}

/// How far a solve is, in a line; nothing where that is not worth one.
pub fn progress(state: &Value) -> Option<String> {
    let is_running = state["status"] == "executing";
    is_running.then(|| format!("try {} of {}: running it", state["iteration"], state["max_iterations"]))
}

/// Draws a solution.
pub fn print(printer: &Printer, solution: &Value) {
    let say = |label: &str, text: &str| printer.aside(&format!("{} {text}", printer.dim(&format!("{label:<8}"))));
    for (at, line) in list(&solution["plan"]).enumerate() {
        say(if at == 0 { "plan" } else { "" }, text(line));
    }
    for (at, tried) in list(&solution["history"]).enumerate() {
        let label = format!("try {}", at + 1);
        match tried["error"].as_str() {
            Some(_) => {
                say(&label, first_line(&tried["error"]));
                if let Some(reflection) = tried["reflection"].as_str() {
                    say("", reflection.lines().next().unwrap_or_default());
                }
            }
            None if solution["verdict"] == "verified" => say(&label, "every check holds"),
            None => say(&label, "ran to its end"),
        }
        for finding in list(&tried["findings"]) {
            say("", &format!("{}: {}", text(&finding["severity"]), text(&finding["message"])));
        }
    }
    if let Some(code) = solution["code"].as_str() {
        printer.aside("");
        printer.lines(&format!("{}\n", code.trim_end()));
        printer.aside("");
    }
    print_verdict(printer, solution, &say);
    say("model", &cost(&solution["model"]));
}

fn print_verdict(printer: &Printer, solution: &Value, say: &dyn Fn(&str, &str)) {
    let run = text(&solution["run"]);
    // That names fit together is worth no word where there is more to say.
    let is_told = |one: &&Value| text(&one["by"]) != "types" || one["failed"].as_u64() != Some(0);
    let evidence: Vec<&str> = list(&solution["evidence"]).filter(is_told).map(|one| text(&one["detail"])).collect();
    let evidence = evidence.join("; ");
    match text(&solution["verdict"]) {
        "verified" => say("verified", &printer.strong(&evidence)),
        "no_evidence" => {
            let seen = if evidence.is_empty() {
                "it was run as solution.py and came to its end; nothing says that it is right".into()
            } else {
                evidence
            };
            say("unproven", &seen);
            if let Some(output) = list(&solution["history"]).last().and_then(|tried| tried["output"].as_str()) {
                output.lines().take(10).for_each(|line| say("printed", line));
            }
            let to = solution["file_path"].as_str().unwrap_or("solution.py");
            printer.remark("next", &format!("read it, and keep it with: assay runs artifact {run} solution.py > {to}"));
            printer.remark("next", "or give --tests FILE, or an example in the task such as f(2) == 4");
        }
        _ => {
            say("failed", &evidence);
            if let Some(message) = solution["problem"]["message"].as_str() {
                printer.remark("error", message);
            }
            if list(&solution["history"]).any(|tried| text(&tried["error"]).contains("package set `ml`")) {
                printer.remark("next", "to allow the packages that it tried to import: assay sandbox install ml");
            }
            printer.remark("next", &format!("what was said and tried: assay runs show {run}"));
        }
    }
    match (solution["file_path"].as_str(), &solution["written"]) {
        (Some(path), Value::Bool(true)) => say("file", path),
        (Some(path), _) => say("file", &format!("{path} was not touched")),
        (None, _) => {}
    }
}

/// `chat:x, 2 replies, 1,234 tokens`.
fn cost(model: &Value) -> String {
    let (cost, tokens) = (&model["cost"], &model["cost"]["tokens"]);
    let sum: u64 = tokens.as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
    let usd = cost["usd"].as_f64().map(|usd| format!(", ${usd:.4}")).unwrap_or_default();
    match cost["calls"].as_u64().unwrap_or_default() {
        0 => "none was asked".to_string(),
        1 => format!("{}, 1 reply, {sum} tokens{usd}", text(&model["name"])),
        calls => format!("{}, {calls} replies, {sum} tokens{usd}", text(&model["name"])),
    }
}

fn first_line(value: &Value) -> &str {
    text(value).lines().next().unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
