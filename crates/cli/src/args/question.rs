//! Arguments of what asks: `ask`, `eval`, `sql`, and what is kept of questions: `threads`, `cache`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::Begin;
use crate::when;

const ASK_EXAMPLES: &str = "\
Examples:
  assay ask ecommerce \"What are the top 10 products by revenue?\"
  assay ask sales.csv \"average price by region\" --show sql,plan,steps
  assay ask sales.csv \"average price by region\" --csv > prices.csv
  assay ask sales.csv \"best region\" --reading 2       one of the readings that a refusal numbers";

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
    #[arg(long, value_delimiter = ',', value_name = "WHAT", conflicts_with = "queue")]
    pub show: Vec<Show>,
    /// Print every row as CSV on stdout, cells as they are, and everything else on stderr
    #[arg(long, conflicts_with_all = ["markdown", "json", "jsonl", "queue"])]
    pub csv: bool,
    /// Print the table as Markdown on stdout, cells as they are, and everything else on stderr
    #[arg(long, conflicts_with_all = ["json", "jsonl", "queue"])]
    pub markdown: bool,
    /// Also write every row to a file: .csv or .parquet
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub out: Option<std::path::PathBuf>,
    /// Also write the chart to a file: .svg, .png, or .json for Vega-Lite
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
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
    #[command(flatten)]
    pub model: ModelArgs,
}

/// `assay chat DATA…`
#[derive(Debug, Args)]
pub struct Chat {
    /// A dataset's name, files or folders
    #[arg(required = true, value_name = "DATA")]
    pub data: Vec<String>,
    /// Go on with this thread; one of its own if not given
    #[arg(long, value_name = "NAME", value_parser = thread_name)]
    pub thread: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

/// Who reads what the planner does not, and what that may cost.
#[derive(Debug, Args)]
pub struct ModelArgs {
    #[command(flatten)]
    pub choice: ModelChoice,
    /// Whether the planner reads the question first
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub planner: Planner,
    /// How often a model's answer is computed, apart, to be compared
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub derivations: u8,
}

/// Which model is asked, and what that may cost.
#[derive(Clone, Debug, Args)]
pub struct ModelChoice {
    /// The model that is asked: anthropic:MODEL, openai:MODEL, chat:MODEL, ollama:MODEL,
    /// command:PROGRAM, recorded:FILE (an exported run), a name of your settings, or off
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Tokens that a model may use for this at most
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Dollars that a model may cost for this at most, where its prices are known
    #[arg(long, value_name = "X")]
    pub max_usd: Option<f64>,
    /// Seconds that a model may take for this at most
    #[arg(long, value_name = "S")]
    pub max_seconds: Option<u64>,
}

impl ModelChoice {
    /// The model's name and what it may cost, if one is to be asked: what was asked for, else what the settings say.
    pub fn chosen(&self, settings: &app::Settings) -> Option<(String, tasks::Budget)> {
        let usual = app::requests::model(settings, self.model.as_deref(), &self.budget())?;
        Some((usual.name, usual.budget))
    }

    fn budget(&self) -> tasks::Budget {
        tasks::Budget { tokens_max: self.max_tokens, usd_max: self.max_usd, seconds_max: self.max_seconds }
    }
}

/// Whether the planner reads first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Planner {
    On,
    Off,
}

impl ModelArgs {
    /// The model to use, if one is: what was asked for, else what the settings say.
    pub fn chosen(&self, settings: &app::Settings) -> Option<tasks::ModelUse> {
        let usual = app::requests::model(settings, self.choice.model.as_deref(), &self.choice.budget())?;
        let planner_off = self.planner == Planner::Off;
        Some(tasks::ModelUse { planner_off, derivations: self.derivations, ..usual })
    }
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

pub(super) const EVAL_HELP: &str = "\
A line of CASES is one question, asked of a dataset, of files or of tables of the tables file:
  {\"id\":\"a\",\"dataset\":\"support\",\"question\":\"How many tickets are there?\",\"expect\":{\"rows\":[[6417]]}}
  {\"id\":\"b\",\"dataset\":[\"sales.csv\"],\"question\":\"profit by moon phase\",\"expect\":{\"refused\":true}}
  {\"id\":\"c\",\"tables\":[\"t1\"],\"question\":\"Which city is largest?\"}
  {\"id\":\"d\",\"dataset\":[\"fares.csv\"],\"question\":\"Mean fare?\",\"expect\":{\"values\":{\"mean_fare\":34.65}}}
A line of the tables file is one table:
  {\"id\":\"t1\",\"columns\":[{\"name\":\"City\",\"type\":null}],\"rows\":[[\"Bonn\"]]}
A line that is no case is a result of its own; the exit code is 0 whatever the score.";

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
    #[command(flatten)]
    pub model: ModelArgs,
    /// Write the results here, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub out: Option<PathBuf>,
    /// Write a page with the figures and the failures here
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub html: Option<PathBuf>,
}

/// `assay sql DATA "SELECT …"`
#[derive(Debug, Args)]
pub struct Sql {
    #[command(flatten)]
    pub begin: Begin,
    /// A dataset's name, files or folders, and last the statement; `-` reads it from stdin
    #[arg(required = true, num_args = 1.., value_name = "DATA… SELECT")]
    pub words: Vec<String>,
    /// Print every row as CSV on stdout, cells as they are
    #[arg(long, conflicts_with_all = ["markdown", "json", "jsonl", "queue"])]
    pub csv: bool,
    /// Print the table as Markdown on stdout, cells as they are
    #[arg(long, conflicts_with_all = ["json", "jsonl", "queue"])]
    pub markdown: bool,
    /// Also write every row to a file: .csv or .parquet
    #[arg(long, value_name = "FILE", conflicts_with = "queue")]
    pub out: Option<std::path::PathBuf>,
    /// Also draw the result, where a chart helps to read it; into a file where one is named: .svg, .png, or .json for Vega-Lite
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    #[arg(conflicts_with_all = ["json", "jsonl", "queue"])]
    pub chart: Option<std::path::PathBuf>,
    /// The chart's colours; by default light, and in .svg as the screen of whoever looks at it is set
    #[arg(long, value_name = "THEME", requires = "chart")]
    pub chart_theme: Option<ChartTheme>,
}

const THREADS_EXAMPLES: &str = "\
Examples:
  assay ask ecommerce \"revenue by category\" --thread sales
  assay ask ecommerce \"only for May 2026\" --thread sales
  assay ask ecommerce \"and by month instead?\" --thread sales
  assay threads show sales";

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

fn thread_name(text: &str) -> Result<String, String> {
    const BYTES_MAX: usize = 64;
    let fits = !text.trim().is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control);
    fits.then(|| text.to_string())
        .ok_or_else(|| format!("a thread's name has 1 to {BYTES_MAX} bytes and no line break"))
}

const CACHE_EXAMPLES: &str = "\
Examples:
  assay cache list
  assay cache list ecommerce
  assay cache clear --older-than 30d
  assay ask ecommerce \"how many orders\" --no-cache   computes it again";

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
