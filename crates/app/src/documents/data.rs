//! Documents about datasets: which there are, what is known of one, and what became of one.

use std::path::{Path, PathBuf};

use base::{Cell, Document, Hash, Problem, Timestamp, Type};
use data::builtin;
use data::dataset::{ColumnInfo, Identity, Relation, TableInfo};
use data::profile::{ColumnProfile, Remark, TableProfile};
use schemars::JsonSchema;
use serde::Serialize;
use warehouse::{FilesNow, Note, Prepared, Resolved, Source, TableChange, Warehouse};

/// Every dataset that has a name, and what prepared ones take.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Datasets {
    /// Built-in ones first.
    pub datasets: Vec<Listed>,
    /// What prepared forms take together.
    pub cache: CacheSize,
}

impl Document for Datasets {
    const KIND: &'static str = "datasets";
}

/// What prepared datasets take, and may take.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CacheSize {
    /// Now.
    pub bytes: u64,
    /// At most.
    pub bytes_max: u64,
}

/// Where a dataset comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Origin {
    /// Made by our own code.
    #[serde(rename = "built-in")]
    BuiltIn,
    /// Of the user's files.
    #[serde(rename = "added")]
    Added,
}

impl Origin {
    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built-in",
            Origin::Added => "added",
        }
    }
}

/// What a list shows of a dataset; what is about files is null for a built-in one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The name it is asked by.
    pub id: String,
    /// Hash of contents and metadata.
    pub version: Hash,
    /// One sentence for people.
    pub description: String,
    /// Their names.
    pub tables: Vec<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// Of all tables; null if it was not read yet.
    pub rows: Option<u64>,
    /// What its prepared form takes; null if there is none.
    pub bytes: Option<u64>,
    /// What its files take.
    pub files_bytes: Option<u64>,
    /// What its owner named.
    pub paths: Option<Vec<String>>,
    /// When it was added.
    pub added_at: Option<Timestamp>,
    /// When its files were last read.
    pub read_at: Option<Timestamp>,
    /// How they are now.
    pub files: Option<FilesNow>,
}

impl Datasets {
    /// The datasets of a warehouse, and why some of them cannot be told about.
    pub async fn of(warehouse: &Warehouse) -> Result<(Datasets, Vec<Problem>), Problem> {
        let mut datasets = Vec::new();
        for name in builtin::names() {
            datasets.push(Listed::of(warehouse, Source::Builtin(name)).await?);
        }
        let mut unreadable = Vec::new();
        let added = warehouse.datasets();
        for name in added.names()? {
            match added.find(&name) {
                Ok(Some(one)) => datasets.push(Listed::of(warehouse, Source::Added(Box::new(one))).await?),
                Ok(None) => {}
                Err(problem) => unreadable.push(problem),
            }
        }
        let cache = CacheSize { bytes: warehouse.cache().bytes(), bytes_max: warehouse.cache_bytes };
        Ok((Datasets { datasets, cache }, unreadable))
    }
}

impl Listed {
    async fn of(warehouse: &Warehouse, source: Source) -> Result<Listed, Problem> {
        let resolved = Resolved::of(warehouse, source).await?;
        let added = resolved.added();
        let prepared = resolved.prepared_form(warehouse);
        let rows = match (added, &prepared) {
            (Some(added), _) => Some(added.tables.iter().map(|(_, rows)| rows).sum::<u64>()),
            (None, Some(prepared)) => Some(prepared.dataset.tables.iter().map(|table| table.rows).sum()),
            (None, None) => None,
        };
        Ok(Listed {
            description: resolved.metadata().description.clone(),
            tables: match added {
                Some(added) => added.tables.iter().map(|(table, _)| table.clone()).collect(),
                None => builtin::hashes(&resolved.id).map(|(table, _)| table.to_string()).collect(),
            },
            origin: if added.is_some() { Origin::Added } else { Origin::BuiltIn },
            rows,
            bytes: prepared.as_ref().map(Prepared::bytes),
            files_bytes: added.map(warehouse::Added::bytes),
            paths: added.map(|added| texts(&added.paths)),
            added_at: added.map(|added| added.added_at),
            read_at: added.map(|added| added.read_at),
            files: added.map(|added| warehouse.files_now(added)),
            id: resolved.id.clone(),
            version: resolved.version.clone(),
        })
    }
}

/// What is known about one dataset: tables, columns, links, measures, and what was done to its files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Dataset {
    /// What planning goes by.
    #[serde(flatten)]
    pub dataset: data::Dataset,
    /// The remarks in words.
    pub notes: Vec<String>,
    /// What was done to the files so that they could be read.
    pub remarks: Vec<Remark>,
    /// What people remember about it.
    pub remembered: Vec<Note>,
}

impl Document for Dataset {
    const KIND: &'static str = "dataset";
}

impl Dataset {
    /// Of a prepared dataset and the notes about it.
    pub fn of(prepared: &Prepared, remembered: Vec<Note>) -> Dataset {
        Dataset {
            dataset: prepared.dataset.clone(),
            notes: prepared.remarks.iter().map(|remark| remark.message.clone()).collect(),
            remarks: prepared.remarks.clone(),
            remembered,
        }
    }
}

/// The shape of a dataset: what can be asked about, and what to ask first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DatasetSchema {
    /// Its name and its version.
    pub dataset: Identity,
    /// In declared order.
    pub tables: Vec<TableSchema>,
    /// Many-to-one links between tables.
    pub relations: Vec<Relation>,
    /// Questions to begin with, each of which has an answer.
    pub questions: Vec<String>,
}

impl Document for DatasetSchema {
    const KIND: &'static str = "dataset_schema";
}

/// One table.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TableSchema {
    /// Its name in SQL and plans.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// In order.
    pub columns: Vec<ColumnSchema>,
}

/// One column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ColumnSchema {
    /// As its owner spells it.
    pub name: String,
    /// What its cells are.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Whether some of its cells are null.
    pub nullable: bool,
    /// The most frequent values of a text column, or the least and the greatest.
    pub examples: Vec<Cell>,
}

impl DatasetSchema {
    /// Of a prepared dataset.
    pub fn of(prepared: &Prepared) -> DatasetSchema {
        let dataset = &prepared.dataset;
        let table = |table: &TableInfo| TableSchema {
            name: table.name.clone(),
            rows: table.rows,
            columns: table.columns.iter().map(ColumnSchema::of).collect(),
        };
        DatasetSchema {
            dataset: dataset.identity(),
            tables: dataset.tables.iter().map(table).collect(),
            relations: dataset.relations.clone(),
            questions: prepared.first_questions(),
        }
    }
}

impl ColumnSchema {
    fn of(column: &ColumnInfo) -> ColumnSchema {
        const EXAMPLES_MAX: usize = 5;
        let frequent = column.values.iter().take(EXAMPLES_MAX).map(|value| Cell::from(value.as_str()));
        let mut examples: Vec<Cell> = frequent.collect();
        if examples.is_empty() {
            examples.extend(column.min.iter().chain(&column.max).cloned());
            examples.dedup();
        }
        ColumnSchema { name: column.name.clone(), ty: column.ty, nullable: column.nulls > 0, examples }
    }
}

/// Everything that was measured of a dataset, with the keys, links and times that follow from it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Profile {
    /// Which one.
    pub dataset: Identity,
    /// In declared order.
    pub tables: Vec<ProfiledTable>,
    /// Many-to-one links between tables.
    pub relations: Vec<Relation>,
    /// What was done to the files so that they could be read.
    pub remarks: Vec<Remark>,
}

impl Document for Profile {
    const KIND: &'static str = "profile";
}

/// One table and what was measured of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProfiledTable {
    /// Its name in SQL and plans.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// What one row is, in the singular.
    pub noun: Option<String>,
    /// How many rows.
    pub rows: u64,
    /// Of how many of its rows quantiles, histograms and patterns were taken, where that is not all.
    pub sampled_rows: Option<u64>,
    /// The columns that tell its rows apart, the likeliest key first.
    pub keys: Vec<String>,
    /// The columns that say when something was.
    pub times: Vec<String>,
    /// In order.
    pub columns: Vec<ProfiledColumn>,
}

/// One column and what was measured of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProfiledColumn {
    /// With the type and the unit that count.
    #[serde(flatten)]
    pub measured: ColumnProfile,
    /// One sentence for people.
    pub description: String,
    /// Whether it may tell rows apart.
    pub key: bool,
    /// Whether it says when something was.
    pub time: bool,
    /// The columns it leads to, as `table.column`.
    pub references: Vec<String>,
}

impl Profile {
    /// Of a dataset and what ingest measured of it.
    pub fn of(dataset: &data::Dataset, profile: &data::profile::Profile) -> Profile {
        let tables = dataset.tables.iter().filter_map(|table| {
            let measured = profile.table(&table.name)?;
            Some(ProfiledTable::of(dataset, table, measured))
        });
        Profile {
            dataset: dataset.identity(),
            tables: tables.collect(),
            relations: dataset.relations.clone(),
            remarks: profile.remarks.clone(),
        }
    }
}

impl ProfiledTable {
    fn of(dataset: &data::Dataset, table: &TableInfo, measured: &TableProfile) -> ProfiledTable {
        let columns = table.columns.iter().filter_map(|column| {
            let measured = measured.column(&column.name)?;
            Some(ProfiledColumn::of(dataset, table, column, measured))
        });
        ProfiledTable {
            name: table.name.clone(),
            description: table.description.clone(),
            noun: table.noun.clone(),
            rows: table.rows,
            sampled_rows: measured.sampled_rows,
            keys: measured.keys().into_iter().map(|column| column.name.clone()).collect(),
            times: measured.times().map(|column| column.name.clone()).collect(),
            columns: columns.collect(),
        }
    }
}

impl ProfiledColumn {
    fn of(dataset: &data::Dataset, table: &TableInfo, column: &ColumnInfo, measured: &ColumnProfile) -> ProfiledColumn {
        ProfiledColumn {
            measured: ColumnProfile { ty: column.ty, unit: column.unit.clone(), ..measured.clone() },
            description: column.description.clone(),
            key: measured.may_be_key(),
            time: measured.tells_time(),
            references: dataset.references(&table.name, &column.name).map(Relation::target).collect(),
        }
    }
}

/// A dataset that has a name now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Added {
    /// Its name and its version.
    pub dataset: Identity,
    /// What its owner named.
    pub paths: Vec<String>,
    /// What its files became.
    pub tables: Vec<AddedTable>,
    /// What its files take.
    pub files_bytes: u64,
    /// What its prepared form takes.
    pub bytes: u64,
    /// What was done to the files so that they could be read.
    pub remarks: Vec<Remark>,
}

impl Document for Added {
    const KIND: &'static str = "added";
}

/// A table of files that were just read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AddedTable {
    /// Its name in SQL and plans.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// How many columns.
    pub columns: usize,
}

impl Added {
    /// Of what was recorded and read.
    pub fn of(added: &warehouse::Added, prepared: &Prepared) -> Added {
        let table =
            |table: &TableInfo| AddedTable { name: table.name.clone(), rows: table.rows, columns: table.columns.len() };
        Added {
            dataset: Identity { id: added.name.clone(), version: added.version.clone() },
            paths: texts(&added.paths),
            tables: prepared.dataset.tables.iter().map(table).collect(),
            files_bytes: added.bytes(),
            bytes: prepared.bytes(),
            remarks: prepared.remarks.clone(),
        }
    }
}

/// What reading a dataset's files again gave.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Refreshed {
    /// Its name and its version now.
    pub dataset: Identity,
    /// The version before.
    pub was: Hash,
    /// Whether they differ.
    pub changed: bool,
    /// What became of which table.
    pub tables: Vec<TableChange>,
    /// What was done to the files so that they could be read.
    pub remarks: Vec<Remark>,
}

impl Document for Refreshed {
    const KIND: &'static str = "refreshed";
}

impl Refreshed {
    /// Of what was read.
    pub fn of(refreshed: &warehouse::Refreshed) -> Refreshed {
        let warehouse::Refreshed { added, was, changes, prepared } = refreshed;
        Refreshed {
            dataset: Identity { id: added.name.clone(), version: added.version.clone() },
            was: was.version.clone(),
            changed: was.version != added.version,
            tables: changes.clone(),
            remarks: prepared.remarks.clone(),
        }
    }
}

/// A dataset that has no name any more; its files are as they were.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Removed {
    /// Its name.
    pub dataset: String,
}

impl Document for Removed {
    const KIND: &'static str = "removed";
}

/// The files that a dataset was written to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Export {
    /// Its name.
    pub dataset: String,
    /// Each table, and the dataset's words.
    pub files: Vec<String>,
}

impl Document for Export {
    const KIND: &'static str = "export";
}

impl Export {
    /// Writes a dataset's tables and its words to a folder.
    pub async fn write(warehouse: &Warehouse, source: Source, to: &Path) -> Result<Export, Problem> {
        let id = match &source {
            Source::Builtin(name) => name.to_string(),
            Source::Added(added) => added.name.clone(),
            Source::Files(files) => files.id.clone(),
        };
        let written = warehouse::export(warehouse, source, to).await?;
        Ok(Export { dataset: id, files: texts(&written) })
    }
}

/// The small files that examples name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DemoFiles {
    /// Where they lie.
    pub folder: String,
    /// Each by its path below it.
    pub files: Vec<String>,
}

impl Document for DemoFiles {
    const KIND: &'static str = "demo_files";
}

/// A first `dataset.toml`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Metadata {
    /// Where it was written.
    pub file: String,
    /// What is in it.
    pub text: String,
}

impl Document for Metadata {
    const KIND: &'static str = "metadata";
}

/// What people remember about a dataset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Notes {
    /// As the user named it.
    pub dataset: String,
    /// In the order they were written.
    pub notes: Vec<Note>,
    /// What models propose, and nobody has accepted or rejected.
    pub proposed: Vec<Note>,
}

impl Document for Notes {
    const KIND: &'static str = "notes";
}

/// A note that was written, changed, forgotten, accepted or rejected.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Remembered {
    /// As the user named it.
    pub dataset: String,
    /// As it is now, or was.
    pub note: Note,
    /// What became of it.
    pub done: Done,
}

impl Document for Remembered {
    const KIND: &'static str = "remembered";
}

/// What became of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Done {
    Remembered,
    Changed,
    Forgot,
    Accepted,
    Rejected,
}

impl Done {
    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Done::Remembered => "remembered",
            Done::Changed => "changed",
            Done::Forgot => "forgot",
            Done::Accepted => "accepted",
            Done::Rejected => "rejected",
        }
    }
}

/// Paths as a document has them: JSON has no other text than Unicode.
fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}
