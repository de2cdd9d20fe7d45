//! The command line as types; nothing is looked up here.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use flow::RunState;

use crate::when::{self, When};

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

const ASK_EXAMPLES: &str = "\
Examples:
  assay ask ecommerce \"What are the top 10 products by revenue?\"
  assay ask sales.csv \"average price by region\" --show sql,plan,steps
  assay ask sales.csv \"average price by region\" --csv > prices.csv
  assay ask sales.csv \"best region\" --reading 2       one of the readings that a refusal numbers";

const THREADS_EXAMPLES: &str = "\
Examples:
  assay ask ecommerce \"revenue by category\" --thread sales
  assay ask ecommerce \"only for May 2026\" --thread sales
  assay ask ecommerce \"and by month instead?\" --thread sales
  assay threads show sales";

const CACHE_EXAMPLES: &str = "\
Examples:
  assay cache list
  assay cache list ecommerce
  assay cache clear --older-than 30d
  assay ask ecommerce \"how many orders\" --no-cache   computes it again";

const DATA_EXAMPLES: &str = "\
Examples:
  assay data add sales/ customers.csv --name shop
  assay ask shop \"total amount by city\"        from any directory
  assay data show sales.parquet
  assay data profile shop
  assay data refresh shop                       when the files have changed
  assay data export shop --to backup/
  assay data init sales/                        writes sales/dataset.toml: what your words mean";

const NOTES_EXAMPLES: &str = "\
A note is shown with answers whose plan it shares something with: a column, a measure, a table, a
value or a period.

Examples:
  assay data remember ecommerce \"returns spike in January because of gifts\"
  assay data notes ecommerce list
  assay data notes ecommerce edit 1 \"returns spike in January and July\"
  assay data notes ecommerce forget 1";

const DATA_ADD_EXAMPLES: &str = "\
Read are files that end in csv tsv psv txt, parquet pq, json jsonl ndjson, xlsx xls xlsb ods,
duckdb ddb, db sqlite sqlite3; also with .gz, and in .zip. In a folder only those are taken, links
are not followed and folders inside are not entered. A dataset.toml in the folder gives tables and
columns their meaning (see `assay data init`).

An added dataset answers from what was read when it was added, also when its files have changed
or are gone.

Examples:
  assay data add orders.csv
  assay data add warehouse.sqlite --name warehouse
  assay data add 2023.csv.gz 2024.csv.gz --name years";

const EVAL_HELP: &str = "\
A line of CASES is one question, asked of a dataset, of files or of tables of the tables file:
  {\"id\":\"a\",\"dataset\":\"support\",\"question\":\"How many tickets are there?\",\"expect\":{\"rows\":[[6417]]}}
  {\"id\":\"b\",\"dataset\":[\"sales.csv\"],\"question\":\"profit by moon phase\",\"expect\":{\"refused\":true}}
  {\"id\":\"c\",\"tables\":[\"t1\"],\"question\":\"Which city is largest?\"}
A line of the tables file is one table:
  {\"id\":\"t1\",\"columns\":[{\"name\":\"City\",\"type\":null}],\"rows\":[[\"Bonn\"]]}
A line that is no case is a result of its own; the exit code is 0 whatever the score.";

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
#[derive(Debug, Args)]
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
    /// Run one SELECT over a dataset
    Sql(Sql),
    /// Answer many questions and hold the answers against what was expected
    #[command(after_help = EVAL_HELP)]
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
    /// Look at runs, follow, stop, resume, replay, fork, export and delete them
    Runs(Runs),
    /// Work on queued runs until told to stop
    Worker(Worker),
    /// Show what the program can do
    Demo(Demo),
    /// Say what this machine gives and what is missing
    Doctor,
    /// Show settings
    Config(Config),
    /// Print a script that completes commands, flags, datasets' names and runs' ids in your shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(Completions),
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

/// `assay ask DATA… "question"`
#[derive(Debug, Args)]
#[command(after_help = ASK_EXAMPLES)]
pub struct Ask {
    #[command(flatten)]
    pub begin: Begin,
    /// A dataset's name, files or folders, and last the question
    #[arg(required = true, num_args = 1.., value_name = "DATA… QUESTION")]
    pub words: Vec<String>,
    /// Also show: sql, plan, steps, readings
    #[arg(long, value_delimiter = ',', value_name = "WHAT")]
    pub show: Vec<Show>,
    /// Print the table as CSV on stdout, cells as they are, and everything else on stderr
    #[arg(long, conflicts_with_all = ["markdown", "json", "jsonl"])]
    pub csv: bool,
    /// Print the table as Markdown on stdout, cells as they are, and everything else on stderr
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    pub markdown: bool,
    /// Also write the chart to a file: .svg, .png, or .json for Vega-Lite
    #[arg(long, value_name = "FILE")]
    pub chart: Option<std::path::PathBuf>,
    /// The chart's colours; by default light, and in .svg as the screen of whoever looks at it is set
    #[arg(long, value_name = "THEME", requires = "chart")]
    pub chart_theme: Option<ChartTheme>,
    /// Answer with the best reading also where it would be refused (for measuring)
    #[arg(long)]
    pub answer_all: bool,
    /// Which of several readings to answer, as numbered where the question was refused
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub reading: Option<u16>,
    /// Ask in a thread, in which a question may continue the one before: "and by category?", "only for 2025"
    #[arg(long, value_name = "NAME", value_parser = thread_name)]
    pub thread: Option<String>,
    /// Compute it also where the same question was answered before, on the same data
    #[arg(long)]
    pub no_cache: bool,
}

/// `assay eval CASES.jsonl`
#[derive(Debug, Args)]
pub struct Eval {
    #[command(flatten)]
    pub begin: Begin,
    /// One case a line, as JSON
    #[arg(value_name = "CASES.jsonl")]
    pub cases: PathBuf,
    /// The tables that cases name by id, one a line, as JSON
    #[arg(long, value_name = "FILE")]
    pub tables: Option<PathBuf>,
    /// Answer with the best reading also where it would be refused
    #[arg(long)]
    pub answer_all: bool,
    /// Weights for the planner's ranker: lines of name, tab, number
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Write the results here, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub out: Option<PathBuf>,
    /// Write a page with the figures and the failures here
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub html: Option<PathBuf>,
}

/// What else to show of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Show {
    Sql,
    Plan,
    Steps,
    Readings,
}

/// The colours of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ChartTheme {
    Light,
    Dark,
}

/// `assay sql DATA "SELECT …"`
#[derive(Debug, Args)]
pub struct Sql {
    #[command(flatten)]
    pub begin: Begin,
    /// A dataset's name, files or folders, and last the statement
    #[arg(required = true, num_args = 1.., value_name = "DATA… SELECT")]
    pub words: Vec<String>,
}

/// `assay plan run|check|compile FILE`, `assay plan schema`
#[derive(Debug, Args)]
pub struct Plan {
    #[command(subcommand)]
    pub action: PlanAction,
}

/// What to do with a plan.
#[derive(Debug, Subcommand)]
pub enum PlanAction {
    /// Compute it
    Run {
        #[command(flatten)]
        begin: Begin,
        #[command(flatten)]
        file: PlanFile,
    },
    /// Say what is wrong with it
    Check(PlanFile),
    /// Print the language as JSON Schema
    Schema,
    /// Print its SQL
    Compile {
        #[command(flatten)]
        file: PlanFile,
        /// The SQL dialect
        #[arg(long, default_value = "duckdb")]
        dialect: Dialect,
    },
}

/// The SQL dialects there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Dialect {
    Duckdb,
}

/// A plan and the data it is about.
#[derive(Debug, Args)]
pub struct PlanFile {
    /// The plan, as JSON in either form; `-` reads stdin
    pub file: String,
    /// Files or folders the plan's dataset is made from, if it is not built in and was not added
    #[arg(long, num_args = 1.., value_name = "PATH")]
    pub data: Vec<String>,
}

/// `assay sandbox run FILE`
#[derive(Debug, Args)]
pub struct Sandbox {
    #[command(subcommand)]
    pub action: SandboxAction,
}

/// What to do in the sandbox.
#[derive(Debug, Subcommand)]
pub enum SandboxAction {
    /// Run a Python file
    Run(Box<SandboxRun>),
    /// Show which isolation this machine gives, and what to mend
    Probe,
    /// Show the resident broker: its workers, hits and misses
    Status,
    /// End the resident broker, once what runs has ended
    Stop,
    /// Install packages that programs can import beyond those for data
    Install {
        /// `ml`: scikit-learn, SciPy and joblib
        set: PackageSet,
    },
}

/// The sets of packages that are made when somebody asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum PackageSet {
    Ml,
}

/// A program and its limits.
#[derive(Debug, Args)]
pub struct SandboxRun {
    #[command(flatten)]
    pub begin: Begin,
    /// The Python file; `-` reads stdin
    pub file: String,
    /// Processor and wall time, such as 10s or 500ms
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Memory, such as 512M or 2G
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// A value that the program finds under this name, such as limit=10 or 'region="North"'; may be given several times
    #[arg(long, value_name = "NAME=JSON")]
    pub value: Vec<String>,
    /// A dataset's name, files or folders, whose tables the program finds as pandas DataFrames under their names (decimals
    /// as float64; only tables that it mentions are loaded), and all together as input/data.duckdb
    #[arg(long, num_args = 1.., value_name = "DATA")]
    pub data: Vec<String>,
    /// Files that appear read-only in `input/`
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Where files left in `out/` are written
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which limits apply; `analysis` also has fewer built-ins and modules
    #[arg(long, default_value = "task")]
    pub profile: ProfileName,
    /// Look at the program first, and do not run it if the profile's rules refuse it
    #[arg(long)]
    pub guard: bool,
}

/// The sets of limits and rules a user can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ProfileName {
    Analysis,
    Task,
}

/// `assay guard check FILE`
#[derive(Debug, Args)]
pub struct Guard {
    #[command(subcommand)]
    pub action: GuardAction,
}

/// What to do with the guard.
#[derive(Debug, Subcommand)]
pub enum GuardAction {
    /// Say what a Python file would be refused or warned for
    Check(GuardCheck),
}

/// A program and what it is held against.
#[derive(Debug, Args)]
pub struct GuardCheck {
    /// The Python file; `-` reads stdin
    pub file: String,
    /// Which rules apply: an analyst's code over tables, or a whole program
    #[arg(long, default_value = "task")]
    pub profile: ProfileName,
}

/// `assay data …`
#[derive(Debug, Args)]
#[command(after_help = DATA_EXAMPLES)]
pub struct Data {
    #[command(subcommand)]
    pub action: DataAction,
}

/// What to do with datasets.
#[derive(Debug, Subcommand)]
pub enum DataAction {
    /// Give files and folders a name, read them, and remember both
    #[command(after_help = DATA_ADD_EXAMPLES)]
    Add {
        /// Files and folders; together they are one dataset
        #[arg(required = true, num_args = 1.., value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// What to call it; after the first file or folder if not given
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// The datasets there are, built in and added
    List,
    /// Tables, columns, measures and questions of a dataset, files or a folder, and what was done to read them
    Show {
        /// A dataset's name, files or folders
        #[arg(required = true, num_args = 1..)]
        name: Vec<String>,
    },
    /// What was measured of every column: types, empty cells, spread, frequent values, links
    Profile {
        /// A dataset's name, files or folders
        #[arg(required = true, num_args = 1..)]
        name: Vec<String>,
    },
    /// Read the files of an added dataset again, and say what changed
    Refresh {
        /// The name it was added by
        name: String,
    },
    /// Forget an added dataset; its files stay as they are
    Remove {
        /// The name it was added by
        name: String,
    },
    /// Write a dataset's tables as CSV, with its dataset.toml; nothing that is there is replaced
    Export {
        /// A dataset's name, files or folders
        #[arg(required = true, num_args = 1..)]
        name: Vec<String>,
        /// The folder to write to; made if it is not there
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Remember something about a dataset; later answers that it touches show it
    #[command(after_help = NOTES_EXAMPLES)]
    Remember {
        /// A dataset's name, a file or a folder
        name: String,
        /// What to remember
        text: String,
    },
    /// Show, change and forget what is remembered about a dataset
    #[command(after_help = NOTES_EXAMPLES)]
    Notes {
        /// A dataset's name, a file or a folder
        name: String,
        #[command(subcommand)]
        action: NotesAction,
    },
    /// Write a first dataset.toml beside files, to be corrected and completed by hand
    Init {
        /// A folder, or a file
        path: PathBuf,
    },
}

fn thread_name(text: &str) -> Result<String, String> {
    const BYTES_MAX: usize = 64;
    let fits = !text.trim().is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_string())
        .ok_or_else(|| format!("a thread's name has 1 to {BYTES_MAX} bytes and no line break"))
}

/// `assay threads list|show|forget`
#[derive(Debug, Args)]
#[command(after_help = THREADS_EXAMPLES)]
pub struct Threads {
    #[command(subcommand)]
    pub action: ThreadsAction,
}

/// What to do with threads.
#[derive(Debug, Subcommand)]
pub enum ThreadsAction {
    /// Latest used first
    List,
    /// The questions of a thread, oldest first
    Show {
        /// What it is called
        thread: String,
    },
    /// Forget what belongs together; the runs stay
    Forget {
        /// What it is called
        thread: String,
    },
}

/// `assay cache list|clear`
#[derive(Debug, Args)]
#[command(after_help = CACHE_EXAMPLES)]
pub struct Cache {
    #[command(subcommand)]
    pub action: CacheAction,
}

/// What to do with the answer cache.
#[derive(Debug, Subcommand)]
pub enum CacheAction {
    /// Latest used first
    List {
        /// Only answers about this dataset
        name: Option<String>,
    },
    /// Forget answers; their runs stay
    Clear {
        /// Only answers about this dataset
        name: Option<String>,
        /// Only answers that were last given longer ago than this, such as 30d or 12h
        #[arg(long, value_name = "TIME", value_parser = when::duration)]
        older_than: Option<Duration>,
    },
}

/// What to do with notes.
#[derive(Debug, Subcommand)]
pub enum NotesAction {
    /// All of them
    List,
    /// Say it otherwise
    Edit {
        /// Its number
        number: u32,
        /// What to remember
        text: String,
    },
    /// Remember it no more
    Forget {
        /// Its number
        number: u32,
    },
}

/// `assay runs …`
#[derive(Debug, Args)]
pub struct Runs {
    #[command(subcommand)]
    pub action: RunsAction,
}

/// What to do with runs.
#[derive(Debug, Subcommand)]
pub enum RunsAction {
    /// Newest first
    List(RunsList),
    /// One run with its steps
    Show {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
        /// Only events after this one
        #[arg(long, default_value_t = 0, value_name = "SEQ")]
        after: i64,
        /// Go on showing what happens until the run ends
        #[arg(long, short)]
        follow: bool,
    },
    /// Go on with a run that was interrupted, stopped or ended by a problem
    Resume {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
    },
    /// Stop a run
    Cancel {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
    },
    /// Hold a run's code against its journal and tell the first difference
    Replay {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
    },
    /// Begin a new run with the first steps of another
    Fork {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
        /// The first step that is done anew
        #[arg(long, value_name = "K")]
        from_step: usize,
    },
    /// Delete runs that ended long ago, and files that no run needs; unfinished runs stay
    Prune(RunsPrune),
    /// Write a run with everything recorded about it to one file, a capsule
    Export {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
        /// The file to write
        #[arg(long, value_name = "FILE.zip")]
        to: PathBuf,
        /// Replace a file of that name
        #[arg(long)]
        force: bool,
    },
    /// Write the contents of a file that a run produced to stdout
    Artifact {
        /// The run's id, or at least four digits of its beginning or its end
        id: String,
        /// The file's name, as `runs show` lists it
        name: String,
    },
    /// Check every byte of a capsule
    Verify {
        /// The capsule
        file: PathBuf,
    },
    /// Take a run in from a capsule
    Import {
        /// The capsule
        file: PathBuf,
    },
}

/// Which runs to list.
#[derive(Debug, Args)]
pub struct RunsList {
    /// Only runs of this task, such as ask or ask/1
    #[arg(long)]
    pub task: Option<String>,
    /// Only runs in one of these states
    #[arg(long, value_delimiter = ',', value_name = "STATE", value_parser = states())]
    pub state: Vec<RunState>,
    /// Only runs created since: an age (2d, 12h, 90m, 45s), a date (UTC) or an RFC 3339 time
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub since: Option<When>,
    /// Only runs created before: likewise
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub until: Option<When>,
    /// At most this many
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Only runs older than this one
    #[arg(long, value_name = "ID")]
    pub before: Option<String>,
}

fn states() -> impl TypedValueParser<Value = RunState> {
    let words = ["pending", "running", "succeeded", "failed", "rejected", "cancelled", "interrupted"];
    PossibleValuesParser::new(words).map(|word| RunState::parse(&word).expect("each of the words is a state"))
}

/// Which runs to delete.
#[derive(Debug, Args)]
pub struct RunsPrune {
    /// Only runs that ended longer ago than this, such as 30d or 12h [setting: retention_days]
    #[arg(long, value_name = "TIME", value_parser = when::duration)]
    pub older_than: Option<Duration>,
    /// Keep the latest N to end, however old they are [setting: retention_keep]
    #[arg(long, value_name = "N")]
    pub keep: Option<u32>,
    /// Only say what would be deleted
    #[arg(long)]
    pub dry_run: bool,
}

/// `assay worker`
#[derive(Debug, Args)]
pub struct Worker {
    /// How many runs at once; as many as there are processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub slots: Option<u16>,
    /// End when no run is left to work on
    #[arg(long)]
    pub until_idle: bool,
}

/// `assay demo flow|plan`
#[derive(Debug, Args)]
pub struct Demo {
    #[command(subcommand)]
    pub action: DemoAction,
}

/// What to show.
#[derive(Debug, Subcommand)]
pub enum DemoAction {
    /// A run of several steps, to be killed and resumed
    Flow(DemoFlow),
    /// The plan language from a short plan to a verified result, and what it refuses
    Plan,
}

/// `assay demo flow`
#[derive(Debug, Args)]
pub struct DemoFlow {
    /// How many steps
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub steps: u32,
    /// How long each step lasts
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub step_ms: u64,
    /// A file in which each effect leaves one line: run, step, attempt, process
    #[arg(long, value_name = "FILE")]
    pub effects: Option<PathBuf>,
    /// A step that fails twice before it succeeds
    #[arg(long, value_name = "STEP")]
    pub unlucky: Option<u32>,
    /// With --queue: how many such runs
    #[arg(long, default_value_t = 1, requires = "queue", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,
    #[command(flatten)]
    pub begin: Begin,
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
