//! Datasets as files that anybody can read: one CSV per table and the `dataset.toml` that makes them the dataset again.
//!
//! What was prepared from a stranger's files is opened inside a cell only. A file that is there already is never
//! replaced: everything is written beside its place first, and takes it only if that is free.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use base::{Code, Problem};
use data::dataset::{ColumnInfo, TableInfo};
use data::metadata::{ColumnMetadata, Metadata, TableMetadata};
use data::{Dataset, builtin};
use sandbox::{CallError, CellOptions, Input, Policy, Stop};
use serde_json::json;

use crate::cache::DATABASE_FILE;
use crate::ingest::{came_back, ended};
use crate::source::Source;
use crate::versions::{Prepared, Resolved};
use crate::warehouse::Warehouse;

/// The owner's words, beside the tables.
pub const METADATA_FILE: &str = "dataset.toml";

/// Writes a dataset to a folder, which is made if it is not there; gives the files.
pub async fn export(warehouse: &Warehouse, source: Source, to: &Path) -> Result<Vec<PathBuf>, Problem> {
    let target = Target::in_folder(to)?;
    if let Source::Builtin(name) = source {
        let files = builtin::files(name).ok_or_else(|| Problem::new(Code::Internal, "a dataset is gone"))?;
        let mut names: Vec<String> = files.tables.iter().map(|(table, _)| format!("{table}.csv")).collect();
        names.push(METADATA_FILE.into());
        target.is_free(&names)?;
        for ((_, contents), name) in files.tables.iter().zip(&names) {
            target.write(name, contents)?;
        }
        target.write(METADATA_FILE, files.metadata.as_bytes())?;
        return target.place(&names);
    }
    let resolved = Resolved::of(warehouse, source).await?;
    let prepared = resolved.prepare(warehouse).await?;
    let mut names: Vec<String> = prepared.dataset.tables.iter().map(|table| format!("{}.csv", table.name)).collect();
    names.push(METADATA_FILE.into());
    target.is_free(&names)?;
    for table in &prepared.dataset.tables {
        (warehouse.progress)(&format!("writing {}.csv", table.name));
        write_table(warehouse, &prepared, table, &target.part).await?;
    }
    target.write(METADATA_FILE, words(&prepared.dataset, resolved.metadata()).as_bytes())?;
    target.place(&names)
}

/// Everything that is known in words, and every column's type: CSV alone would not say that `007` is a text.
fn words(dataset: &Dataset, declared: &Metadata) -> String {
    let column = |column: &ColumnInfo| ColumnMetadata {
        ty: Some(column.ty),
        description: column.description.clone(),
        synonyms: column.synonyms.clone(),
        noun: column.noun.clone(),
        unit: column.unit.clone(),
    };
    let table = |table: &TableInfo| TableMetadata {
        name: table.name.clone(),
        description: table.description.clone(),
        noun: table.noun.clone(),
        synonyms: table.synonyms.clone(),
        columns: table.columns.iter().map(|one| (one.name.clone(), column(one))).collect(),
    };
    let mut metadata = Metadata {
        relations: dataset.relations.clone(),
        tables: dataset.tables.iter().map(table).collect(),
        ..declared.clone()
    };
    let reads_back = |metadata: &Metadata| Metadata::parse(&metadata.to_toml()).as_ref() == Ok(metadata);
    if !reads_back(&metadata) {
        // A link between columns of odd names cannot be spelled; it is found again in the data.
        metadata.relations.clear();
    }
    metadata.to_toml()
}

async fn write_table(warehouse: &Warehouse, prepared: &Prepared, table: &TableInfo, to: &Path) -> Result<(), Problem> {
    /// A database holds values in fewer bytes than their text has.
    const TEXT_PER_BYTE: u64 = 8;
    let id = &prepared.dataset.id;
    let name = format!("{}.csv", table.name);
    let options = CellOptions {
        inputs: vec![Input { name: DATABASE_FILE.into(), path: prepared.file.clone() }],
        out: Some(to.to_path_buf()),
        ..CellOptions::of(Policy::ingest(TEXT_PER_BYTE.saturating_mul(prepared.bytes())))
    };
    let mut cell = warehouse.sandbox().await?.cell(options).await?;
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let arguments = json!({
        "path": format!("/work/input/{DATABASE_FILE}"), "table": table.name, "columns": columns,
        "out": format!("/work/out/{name}"),
    });
    let said = cell.call("export.write", &arguments).await;
    let raised = matches!(said, Err(CallError::Raised(_)));
    let finished = cell.finish(if raised { Stop::Now } else { Stop::WhenDone }).await;
    match said {
        Ok(_) => came_back(id, &name, finished),
        Err(CallError::Raised(raised)) => {
            Err(Problem::new(Code::Internal, format!("writing `{name}` failed: {}", raised.message))
                .hint("select fewer rows by a query instead, and report this dataset"))
        }
        Err(CallError::Ended) => Err(ended(id, finished.report.map(|report| report.end))),
    }
}

/// Writes what can be said of a dataset from its data to `dataset.toml` beside its files; gives the file.
pub async fn init(warehouse: &Warehouse, path: &Path) -> Result<(PathBuf, String), Problem> {
    let folder = match path.is_dir() {
        true => path.to_path_buf(),
        false => path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).into(),
    };
    let target = Target::in_folder(&folder)?;
    target.is_free(&[METADATA_FILE.to_string()])?;
    let files = crate::source::Files::at(&[path.to_path_buf()])?;
    let resolved = Resolved::of(warehouse, Source::Files(files)).await?;
    let prepared = resolved.prepare(warehouse).await?;
    let text = data::metadata::first(&prepared.dataset, &prepared.profile()?);
    target.write(METADATA_FILE, text.as_bytes())?;
    target.place(&[METADATA_FILE.to_string()])?;
    Ok((folder.join(METADATA_FILE), text))
}

/// A folder of the user's, and one in it where files wait until all are written.
struct Target {
    folder: PathBuf,
    part: PathBuf,
}

impl Target {
    fn in_folder(folder: &Path) -> Result<Target, Problem> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let part = folder.join(format!(".assay-{}.part", base::RunId::fresh()));
        fs::create_dir(&part).map_err(|error| unwritable(folder, &error))?;
        Ok(Target { folder: folder.to_path_buf(), part })
    }

    fn is_free(&self, names: &[String]) -> Result<(), Problem> {
        match names.iter().find(|name| fs::symlink_metadata(self.folder.join(name)).is_ok()) {
            Some(name) => Err(there_already(&self.folder.join(name))),
            None => Ok(()),
        }
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), Problem> {
        fs::write(self.part.join(name), contents).map_err(|error| unwritable(&self.folder, &error))
    }

    /// Gives every file its place. A link is made only where there is nothing, also if that became so this moment.
    fn place(&self, names: &[String]) -> Result<Vec<PathBuf>, Problem> {
        let mut placed = Vec::new();
        for name in names {
            let (from, to) = (self.part.join(name), self.folder.join(name));
            let linked = File::open(&from).and_then(|file| file.sync_all()).and_then(|()| link(&from, &to));
            if let Err(error) = linked {
                placed.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err(match error.kind() {
                    io::ErrorKind::AlreadyExists => there_already(&to),
                    _ => unwritable(&self.folder, &error),
                });
            }
            placed.push(to);
        }
        Ok(placed)
    }
}

/// Some file systems have no links; there a new file is written.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut new = File::create_new(to)?;
            io::copy(&mut File::open(from)?, &mut new).map(drop)
        }
        linked => linked,
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.part);
    }
}

fn there_already(path: &Path) -> Problem {
    Problem::new(Code::Usage, format!("`{}` is there already", path.display()))
        .hint("nothing was written; give another folder, or move the file away")
}

fn unwritable(folder: &Path, error: &io::Error) -> Problem {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    let code = if full { Code::DiskFull } else { Code::FileUnreadable };
    Problem::new(code, format!("cannot write to `{}`: {error}", folder.display())).hint("give another folder")
}
