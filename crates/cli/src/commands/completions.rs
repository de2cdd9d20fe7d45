//! `assay completions SHELL`: words completed while somebody types, runs' ids and datasets' names among them.
//!
//! The shell sources a script; at each TAB the script starts the program again with a variable set, and the program
//! answers with candidates. Answering makes, changes and waits for nothing: where runs cannot be read at once, none are
//! offered.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;

use app::{Overrides, Settings};
use base::{Code, Problem};
use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{Bash, CompleteEnv, Fish, Shells, Zsh};
use flow::{Filter, RunState, RunSummary};

use crate::args::{Cli, Completions, Shell};
use crate::terminal::Terminal;

/// Set by the scripts to the shell's name.
const VARIABLE: &str = "ASSAY_COMPLETE";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Fish, &Zsh]);
/// How many runs are offered when nothing is typed yet.
const OFFERED_MAX: usize = 50;
/// How many runs are looked at for what is typed.
const SEEN_MAX: usize = 1000;
/// How many digits at its end a run is called by.
const SHORT_DIGITS: usize = 8;

/// Prints the script for a shell.
pub fn run(terminal: &Terminal, completions: &Completions) -> Result<u8, Problem> {
    let name = match completions.shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
    };
    let failed = |message: String| Problem::new(Code::Internal, format!("cannot write the script: {message}"));
    let shell = SHELLS.completer(name).ok_or_else(|| failed(format!("no shell `{name}`")))?;
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, "assay", "assay", &program(), &mut script);
    written.map_err(|error| failed(error.to_string()))?;
    terminal.printer.data(&String::from_utf8_lossy(&script));
    Ok(0)
}

/// The program as it was called, so that a script asks the one it came from.
fn program() -> String {
    let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_else(|| "assay".into());
    let by_path = called.components().count() > 1;
    let called = if by_path { std::path::absolute(&called).unwrap_or(called) } else { called };
    called.to_string_lossy().into_owned()
}

/// Answers a shell's script; `None` if none asked.
pub fn answered() -> Option<ExitCode> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let data_dir = data_dir_in(&words);
    let asked = CompleteEnv::with_factory(|| command(data_dir.clone())).var(VARIABLE).shells(SHELLS);
    match asked.try_complete(words, std::env::current_dir().ok().as_deref()) {
        Ok(answered) => answered.then_some(ExitCode::SUCCESS),
        // A message would stand in the middle of what somebody types.
        Err(_) => Some(ExitCode::from(Code::Usage.exit_code())),
    }
}

/// The command line with what runs and datasets are called wherever it takes one.
fn command(data_dir: Option<PathBuf>) -> Command {
    let with_names = |command: Command| {
        let data_dir = data_dir.clone();
        command.mut_args(move |argument| with_datasets(argument, data_dir.clone()))
    };
    let command = Cli::command().mut_subcommand("runs", |runs| {
        runs.mut_subcommands(|action| {
            let states = states_for(action.get_name());
            let data_dir = data_dir.clone();
            action.mut_args(move |argument| with_runs(argument, states, data_dir.clone()))
        })
    });
    command
        .mut_subcommand("ask", with_names)
        .mut_subcommand("sql", with_names)
        .mut_subcommand("cache", |cache| cache.mut_subcommands(with_names))
        .mut_subcommand("data", |data| data.mut_subcommands(with_names))
}

/// Where data is named: datasets, and files unless only an added dataset makes sense.
fn with_datasets(argument: Arg, data_dir: Option<PathBuf>) -> Arg {
    let id = argument.get_id().as_str();
    let (is_data, takes_files) = (matches!(id, "words" | "name"), argument.get_num_args().is_some() || id == "words");
    if !is_data || !argument.is_positional() {
        return argument;
    }
    argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let begun = typed.to_str().unwrap_or_default();
        let names = dataset_names(data_dir.clone(), takes_files);
        let names = names.into_iter().filter(|name| name.starts_with(begun)).map(CompletionCandidate::new);
        let files = takes_files.then(|| PathCompleter::any().complete(typed)).into_iter().flatten();
        names.chain(files).collect()
    }))
}

fn dataset_names(data_dir: Option<PathBuf>, all: bool) -> Vec<String> {
    let flags = Overrides { data_dir, ..Overrides::default() };
    let datasets = Settings::read(&flags).map(|settings| warehouse::Datasets::of(&settings.data_dir));
    datasets
        .map(|datasets| if all { datasets.all_names() } else { datasets.names().unwrap_or_default() })
        .unwrap_or_default()
}

fn with_runs(argument: Arg, states: &'static [RunState], data_dir: Option<PathBuf>) -> Arg {
    match argument.get_id().as_str() {
        "id" | "before" => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
            let typed = typed.to_str().unwrap_or_default().replace('-', "").to_ascii_lowercase();
            let seen = if typed.is_empty() { OFFERED_MAX } else { SEEN_MAX };
            let runs = glance(data_dir.clone(), states, seen);
            runs.iter().filter_map(|run| candidate(run, &typed)).collect()
        })),
        _ => argument,
    }
}

/// The runs an action makes sense for; none named means all.
fn states_for(action: &str) -> &'static [RunState] {
    use RunState::{Cancelled, Failed, Interrupted, Pending, Running};
    match action {
        "resume" => &[Interrupted, Pending, Failed, Cancelled],
        "cancel" => &[Interrupted, Pending, Running],
        _ => &[],
    }
}

fn glance(data_dir: Option<PathBuf>, states: &[RunState], limit: usize) -> Vec<RunSummary> {
    let flags = Overrides { data_dir, ..Overrides::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Ok(settings), Ok(runtime)) = (Settings::read(&flags), runtime) else { return Vec::new() };
    let filter = Filter { states: states.to_vec(), ..Filter::default() };
    let runs = runtime.block_on(flow::glance(&settings.data_dir, &filter, limit));
    // What still waits for a file must not keep the shell waiting.
    runtime.shutdown_background();
    runs
}

/// A run is offered by the end of its id, as lists show it; by the whole of it to who types its beginning.
fn candidate(run: &RunSummary, typed: &str) -> Option<CompletionCandidate> {
    let whole = run.id.as_str();
    let short = &whole[whole.len() - SHORT_DIGITS..];
    let value = [short, whole].into_iter().find(|value| value.starts_with(typed))?;
    let title: String =
        run.title.iter().flat_map(|title| title.chars()).filter(|letter| !letter.is_control()).collect();
    let about = format!("{} {} {title}", run.state.as_str(), run.task);
    Some(CompletionCandidate::new(value).help(Some(about.trim_end().to_string().into())))
}

/// The data directory that the words typed so far name. They follow the first `--`.
fn data_dir_in(words: &[OsString]) -> Option<PathBuf> {
    let typed = words.iter().skip_while(|word| *word != "--");
    let mut last = None;
    for (word, next) in typed.clone().zip(typed.skip(1).map(Some).chain([None])) {
        let text = word.to_string_lossy();
        if text == "--data-dir" {
            last = next.map(PathBuf::from).or(last);
        } else if let Some(value) = text.strip_prefix("--data-dir=") {
            last = Some(value.into());
        }
    }
    last.filter(|path| !path.as_os_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_typed_so_far_name_the_data_directory() {
        let named = |words: &[&str]| data_dir_in(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(named(&["assay", "--", "assay", "runs", "--data-dir", "/d", "show", ""]), Some("/d".into()));
        assert_eq!(named(&["assay", "--", "assay", "--data-dir=/d", "runs"]), Some("/d".into()));
        assert_eq!(named(&["assay", "--", "assay", "runs", "--data-dir"]), None);
        assert_eq!(named(&["assay", "--data-dir", "/d", "--", "assay", "runs"]), None);
    }
}
