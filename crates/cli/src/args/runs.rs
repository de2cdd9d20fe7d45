//! Arguments of `runs`, of who works on them, and of the demonstration of it: `worker`, `demo`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use flow::RunState;

use super::Begin;
use crate::when::{self, When};

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
    /// Allow what a waiting run asks; `runs resume` or a worker then goes on with it
    Approve(RunsDecide),
    /// Do not allow what a waiting run asks; `runs resume` or a worker then goes on without it
    Deny(RunsDecide),
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
    /// Delete runs that ended long ago, with their places in threads, their kept answers and files that no run needs;
    /// unfinished runs stay
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

/// What is decided about.
#[derive(Debug, Args)]
pub struct RunsDecide {
    /// The run's id, or at least four digits of its beginning or its end
    pub id: String,
    /// Which of its questions; the oldest unless said
    pub question: Option<String>,
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
    let words = ["pending", "running", "succeeded", "failed", "rejected", "cancelled", "interrupted", "waiting"];
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
    /// Write the small files that the README's examples name
    Files {
        /// A folder, made where it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
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
