//! From files to prepared datasets: what a user names as data becomes, once for each version of its contents, a private
//! database with everything that was measured and remarked when it was read.
//!
//! Invariants
//! - No stranger's file is parsed outside a cell.
//! - No prepared form has its name before it is whole and on the disk.
//! - This crate knows no run, no task and no question; it prints nothing and reads no environment.

mod add;
mod added_datasets;
mod cache;
mod data_names;
mod early_read;
mod export;
mod file_state;
mod files;
mod folder;
mod hashes;
mod indexes;
mod ingest;
mod kept;
mod notes;
mod source;
mod table_set;
mod versions;
mod warehouse;

pub use add::{Refreshed, TableChange, add, refresh, remove};
pub use added_datasets::{Added, AddedFile, Datasets, FilesNow};
pub use cache::Cache;
pub use data_names::DataNames;
pub use early_read::blocking;
pub use export::{export, init};
pub use file_state::FileState;
pub use files::{hash_file, open_regular, private_folder, unreadable, unwritable, write_whole};
pub use hashes::{Hashes, changed};
pub use indexes::Indexes;
pub use kept::{Kept, KeptCells};
pub use notes::{NOTE_CHARACTERS_MAX, Note, Notes, Proposed};
pub use source::{Files, Source};
pub use table_set::TableSet;
pub use versions::{Doubts, Prepared, Resolved};
pub use warehouse::{CACHE_BYTES_DEFAULT, Progress, Warehouse, Warmth};
