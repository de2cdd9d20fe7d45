//! Arguments of `solve`, which `run` is another word for.

use std::path::PathBuf;

use clap::Args;

use super::{Begin, ModelChoice};

const SOLVE_EXAMPLES: &str = "\
Examples:
  assay solve \"a function add(a, b); add(2, 3) == 5\" --model ollama:qwen2.5-coder
  assay solve \"parse ISO 8601 durations\" --tests tests.py --file duration.py
  assay solve \"parse ISO 8601 durations\" > duration.py      the program on stdout, the rest on stderr

Tests are plain asserts, functions whose names begin with `test`, or unittest cases. They import the solution by the name of
--file, else as `solution`. Without tests, the examples in the task verify: doctests, f(x) == y, f(x) -> y.";

/// `assay solve "task"`
#[derive(Debug, Args)]
#[command(after_help = SOLVE_EXAMPLES)]
pub struct Solve {
    #[command(flatten)]
    pub begin: Begin,
    /// What the program is to do
    #[arg(value_name = "TASK")]
    pub task: String,
    /// Tests that the program has to pass
    #[arg(long, value_name = "FILE")]
    pub tests: Option<PathBuf>,
    /// A file that lies beside the program when it is run, such as a module that it needs or a table
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Where the program goes once it is verified
    #[arg(long, value_name = "OUT.py")]
    pub file: Option<PathBuf>,
    /// Pieces of code that are tried at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub max_iterations: u32,
    /// Samples that are taken before anything else is tried; as many as pay for the model unless said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub candidates: Option<u32>,
    /// Ask before code with an error is run, before packages are installed and before a file is written
    #[arg(long, conflicts_with = "yes")]
    pub ask: bool,
    /// Run code with an error too, install packages that it needs, and write the file also where nothing proves it
    #[arg(long)]
    pub yes: bool,
    /// Neither look for what was learned before nor learn from this
    #[arg(long)]
    pub no_memory: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}
