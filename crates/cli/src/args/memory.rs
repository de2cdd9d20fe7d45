//! Arguments of `memory`: what was learned from runs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const MEMORY_EXAMPLES: &str = "\
Examples:
  assay memory list
  assay memory search \"KeyError in groupby\"
  assay memory add \"dates of our exports are day first\" --error \"ValueError: month must be in 1..12\"
  assay memory forget 3f2a9c01
  assay memory export lessons.jsonl";

/// `assay memory …`
#[derive(Debug, Args)]
#[command(after_help = MEMORY_EXAMPLES)]
pub struct Memory {
    #[command(subcommand)]
    pub action: MemoryAction,
}

/// What to do with lessons.
#[derive(Debug, Subcommand)]
pub enum MemoryAction {
    /// Newest first
    List,
    /// One lesson with all it says
    Show {
        /// The lesson's id, or at least four digits of its beginning
        id: String,
    },
    /// Lessons about a task, an error or some words, the best first
    Search {
        /// What to look for
        text: String,
        /// At most this many
        #[arg(long, default_value_t = 10, value_name = "N")]
        limit: usize,
    },
    /// Remember something yourself
    Add {
        /// What to remember
        text: String,
        /// The task it is about; itself unless said
        #[arg(long, value_name = "TASK")]
        task: Option<String>,
        /// The error it is about, as Python prints it: a model that meets it is told
        #[arg(long, value_name = "LINE")]
        error: Option<String>,
    },
    /// Change what a lesson says
    Edit(MemoryEdit),
    /// Forget lessons
    Forget {
        /// Their ids, or at least four digits of their beginnings
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Write all lessons to a file, one a line
    Export {
        /// The file to write
        file: PathBuf,
    },
    /// Take lessons in from a file; they are marked and trusted less
    Import {
        /// The file
        file: PathBuf,
    },
}

/// What to change.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct MemoryEdit {
    /// The lesson's id, or at least four digits of its beginning
    pub id: String,
    /// What to do instead
    #[arg(long, value_name = "TEXT", group = "change")]
    pub fix: Option<String>,
    /// The task it is about
    #[arg(long, value_name = "TASK", group = "change")]
    pub task: Option<String>,
    /// The error it is about, as Python prints it
    #[arg(long, value_name = "LINE", group = "change")]
    pub error: Option<String>,
    /// Find it no more
    #[arg(long, group = "change", conflicts_with = "unhide")]
    pub hide: bool,
    /// Find it again
    #[arg(long, group = "change")]
    pub unhide: bool,
}
