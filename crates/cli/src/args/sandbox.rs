//! Arguments of what runs and checks programs: `sandbox`, `guard`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Begin;

/// `assay sandbox run|probe|status|stop|install`
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
