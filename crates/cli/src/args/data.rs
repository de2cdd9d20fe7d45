//! Arguments of `data`, the notes on datasets included.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const DATA_EXAMPLES: &str = "\
Examples:
  assay data add sales/ customers.csv --name shop
  assay ask shop \"total amount by city\"        from any directory
  assay data show sales.parquet
  assay data profile shop
  assay data refresh shop                       when the files have changed
  assay data export shop --to backup/
  assay data init sales/                        writes sales/dataset.toml: what your words mean";

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

const NOTES_EXAMPLES: &str = "\
A note is shown with answers whose plan it shares something with: a column, a measure, a table, a
value or a period.

Examples:
  assay data remember ecommerce \"returns spike in January because of gifts\"
  assay data notes ecommerce list
  assay data notes ecommerce edit 1 \"returns spike in January and July\"
  assay data notes ecommerce forget 1
  assay data notes ecommerce accept 2           what a model proposed with an answer";

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
    /// Remember what a model proposed, as if it were yours
    Accept {
        /// Its number
        number: u32,
    },
    /// Drop what a model proposed; the same is not proposed again
    Reject {
        /// Its number
        number: u32,
    },
}
