//! The command line as types; nothing is looked up here.

mod data;
mod memory;
mod models;
mod plan;
mod question;
mod runs;
mod sandbox;
mod serve;
mod solve;

use std::path::PathBuf;

use app::{Color, Overrides};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use data::*;
pub use memory::*;
pub use models::*;
pub use plan::*;
pub use question::*;
pub use runs::*;
pub use sandbox::*;
pub use serve::*;
pub use solve::*;

const EXAMPLES: &str = "\
Examples:
  assay ask ecommerce \"What are the top 10 products by revenue?\"
  assay ask sales.csv \"average price by region\"
  assay sql support \"SELECT priority, count(*) FROM tickets GROUP BY 1\"
  assay plan run plan.json
  assay eval cases.jsonl --out results.jsonl
  assay sandbox run script.py
  assay demo flow          (kill it, then: assay runs list, assay runs resume ID)

Exit codes: 0 done, 1 finished but negative (refused, failed, killed, not valid), 2 error, 130 interrupted.";

/// What is said to who types the name alone.
pub const BEGIN: &str = "\
Assay answers questions about your data with code that was run in a sandbox, checked and recorded.

Begin here:
  assay ask ecommerce \"What are the top 10 products by revenue?\"   over data that comes with it
  assay ask sales.csv \"average price by region\"                   over files of your own
  assay chat sales.csv                                             one question after the other
  assay data list                                                  what there is to ask, and what to ask of it
  assay serve --open                                               the same as a page in your browser
  assay solve \"…\" --tests tests.py --model NAME                   a program, held against your tests
  assay model list                                                 ways to a model; none is needed to begin
  assay doctor                                                     what this machine gives, and what is missing

`assay demo files DIR` writes small files to try it with; `assay --help` lists every command.
";

const COMPLETIONS_HELP: &str = "\
To have it in every new shell:
  bash   echo 'source <(assay completions bash)' >> ~/.bashrc
  zsh    echo 'source <(assay completions zsh)' >> ~/.zshrc        (after compinit)
  fish   echo 'assay completions fish | source' >> ~/.config/fish/config.fish";

/// Ask questions of data; what answers them is code that was run in a sandbox, checked and recorded.
#[derive(Debug, Parser)]
#[command(name = "assay", version, after_help = EXAMPLES, max_term_width = 120)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that work everywhere.
#[derive(Debug, Default, Args)]
pub struct Global {
    /// Where datasets, runs and artifacts live [env: ASSAY_DATA_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Print exactly one JSON document on stdout
    #[arg(long, global = true)]
    pub json: bool,
    /// Print the run's events as JSON lines on stdout
    #[arg(long, global = true, conflicts_with = "json")]
    pub jsonl: bool,
    /// Print no progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN")]
    pub color: Option<ColorChoice>,
    /// Tell on stderr what the program does: error, warn, info, debug, trace, also by part (info,model=debug) [env: ASSAY_LOG]
    #[arg(long, global = true, value_name = "FILTER", num_args = 0..=1, default_missing_value = "info")]
    pub log: Option<String>,
}

impl Global {
    /// What of it is a setting.
    pub fn overrides(&self) -> Overrides {
        let color = self.color.map(|color| match color {
            ColorChoice::Auto => Color::Auto,
            ColorChoice::Always => Color::Always,
            ColorChoice::Never => Color::Never,
        });
        Overrides { data_dir: self.data_dir.clone(), color, log: self.log.clone() }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer a question about a dataset, files or a folder
    Ask(Ask),
    /// Ask one question after the other, in a session of its own
    Chat(Chat),
    /// Write a program with a model, run it against tests, and keep what holds
    Solve(Solve),
    /// The same as `solve`
    Run(Solve),
    /// Run one SELECT over a dataset
    Sql(Sql),
    /// Answer many questions and hold the answers against what was expected
    #[command(after_help = question::EVAL_HELP)]
    Eval(Eval),
    /// Run, check or compile a query plan
    Plan(Plan),
    /// Run a program of your own in the sandbox
    Sandbox(Sandbox),
    /// Check a program before anything runs
    Guard(Guard),
    /// Add, list, look at, export and forget datasets
    Data(Data),
    /// Show and forget questions that continue one another
    Threads(Threads),
    /// Show and forget which answers are given again without computing them
    Cache(Cache),
    /// Show, find, note and forget what was learned from runs
    Memory(Memory),
    /// Look at runs, follow, stop, resume, replay, fork, export and delete them
    Runs(Runs),
    /// Work on queued runs until told to stop
    Worker(Worker),
    /// Serve all of this over HTTP, with a web page
    Serve(Serve),
    /// Lend these tools to another assistant (MCP)
    Mcp(Mcp),
    /// Make, list and revoke the tokens by which callers of a server are known
    Token(Token),
    /// Show what the program can do
    Demo(Demo),
    /// Say what this machine gives and what is missing
    Doctor,
    /// List, look at and try the models that can be asked, and choose one
    Model(Model),
    /// Show settings
    Config(Config),
    /// Print what `--json` prints as JSON Schema: the documents there are, or one of them
    Schema(Schema),
    /// Print a script that completes commands, flags, datasets' names and runs' ids in your shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(Completions),
}

/// A command of ours as if these words had been typed.
pub fn typed(words: &[&str]) -> Command {
    let all = std::iter::once("assay").chain(words.iter().copied());
    Cli::try_parse_from(all).expect("the words are ours").command
}

/// How a run is begun.
#[derive(Debug, Args)]
pub struct Begin {
    /// Same key and input: the same run, however often it is asked for
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Only record the run; `assay worker` works on it
    #[arg(long, alias = "queued")]
    pub queue: bool,
}

/// `assay config show`
#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// What to do with settings.
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Each setting with its value and where it comes from
    Show,
}

/// `assay schema [NAME]`
#[derive(Debug, Args)]
pub struct Schema {
    /// The document's name, which is the `kind` it says; all are listed if not given
    pub name: Option<String>,
}

/// `assay completions SHELL`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to print it for
    pub shell: Shell,
}

/// The shells there are scripts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}
