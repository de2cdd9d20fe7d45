//! Arguments of `plan`.

use clap::{Args, Subcommand, ValueEnum};

use super::Begin;

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
