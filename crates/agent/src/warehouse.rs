//! Files become a private, prepared database once per content version.
//!
//! ```text
//! <data dir>/datasets/<version>-<ingest>/data.duckdb      made by the ingest kernel
//!                                        dataset.json     what is known about it
//! <data dir>/datasets/<version>-<ingest>.<try>.part       one that is being made
//! ```
//! `<ingest>` stands for the code that prepared it: a program that reads files differently prepares them again.
//! A stranger's file is only ever parsed inside a cell. What is parsed is a copy whose hash is checked, so a file that
//! changes meanwhile cannot end up under another version's name.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Code, Digest, Hash, Problem};
use data::dataset::VALUES_MAX;
use data::metadata::Metadata;
use data::profile::{Profile, Remark};
use data::{Dataset, builtin};
use sandbox::{CallError, CellOptions, End, Finished, HarvestFailure, Input, KilledBy, Policy, Stop};
use serde_json::json;

use crate::context::Context;
use crate::files::{hash_file, private_folder, unreadable, unwritable};
use crate::source::Source;

/// Raised when the same files mean another dataset.
const VERSION_SCHEME: u32 = 1;
/// Raised when `dataset.json` changes.
const PREPARED_FORMAT: u32 = 2;

/// A source whose version is known.
#[derive(Debug)]
pub struct Resolved {
    /// The dataset's name.
    pub id: String,
    /// Hash of contents and metadata.
    pub version: Hash,
    source: Source,
    metadata: Metadata,
    bytes: u64,
}

/// A dataset that can be queried.
#[derive(Debug)]
pub struct Prepared {
    /// What is known about it.
    pub dataset: Dataset,
    /// What was done to its files so that they could be read.
    pub remarks: Vec<Remark>,
    /// The prepared database.
    pub(crate) file: PathBuf,
}

impl Resolved {
    /// Reads the files' contents to know their version; parses nothing.
    pub fn of(source: Source) -> Result<Resolved, Problem> {
        let mut digest = Digest::new();
        digest.part(&VERSION_SCHEME.to_be_bytes());
        let mut bytes = 0;
        let (id, metadata_text) = match &source {
            Source::Builtin(name) => {
                for (table, hash) in builtin::hashes(name) {
                    digest.part(table.as_bytes());
                    digest.part(hash.as_bytes());
                }
                (name.to_string(), builtin::metadata(name).unwrap_or_default().to_string())
            }
            Source::Files { id, tables, metadata } => {
                for (table, path) in tables {
                    let (hash, size) = hash_file(path)?;
                    bytes += size;
                    digest.part(table.as_bytes());
                    digest.part(hash.as_str().as_bytes());
                }
                (id.clone(), metadata.as_deref().map(read_text).transpose()?.unwrap_or_default())
            }
        };
        digest.part(metadata_text.as_bytes());
        let metadata = Metadata::parse(&metadata_text).map_err(|message| {
            Problem::new(Code::FileFormat, format!("dataset.toml of `{id}`: {message}")).hint("mend the file")
        })?;
        Ok(Resolved { id, version: digest.finish(), source, metadata, bytes })
    }

    /// What its owner declared.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The prepared dataset, made on first need.
    pub async fn prepare(&self, context: &Context) -> Result<Prepared, Problem> {
        let home = context.data_dir.join("datasets").join(format!("{}-{}", self.version, ingest_code().short()));
        if let Some(prepared) = load(&home)? {
            return Ok(self.renamed(prepared));
        }
        let failed = |error: io::Error| unwritable(&home, &error);
        let folder = context.data_dir.join("datasets");
        private_folder(&folder)?;
        let _preparing = context.preparing.lock().await;
        // One for all and never removed: who waits for a lock must not be left with a file that has no name any more.
        let _lock = lock(&context.data_dir.join("datasets.lock")).await.map_err(failed)?;
        if let Some(prepared) = load(&home)? {
            return Ok(self.renamed(prepared));
        }
        remove_parts(&folder).map_err(failed)?;
        // A name of its own: the supervisor of a try that was given up may still be writing to that try's folder.
        let part = home.with_extension(format!("{}.part", base::RunId::fresh()));
        if let Err(problem) = self.make(context, &part).await {
            let _ = fs::remove_dir_all(&part);
            return Err(problem);
        }
        place(&part, &home).map_err(failed)?;
        load(&home)?.map(|prepared| self.renamed(prepared)).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Equal contents under another name are one prepared database.
    fn renamed(&self, mut prepared: Prepared) -> Prepared {
        prepared.dataset.id = self.id.clone();
        prepared
    }

    async fn make(&self, context: &Context, part: &Path) -> Result<(), Problem> {
        let failed = |error: io::Error| unwritable(part, &error);
        (context.progress)(&format!("reading {} (once)", self.id));
        let input = part.join("input");
        fs::create_dir_all(&input).map_err(failed)?;
        let names = self.copy_inputs(&input)?;
        let profile = self.ingest(context, part, &input, &names).await?;
        let dataset =
            Dataset::assemble(&self.id, self.version.clone(), &profile, &self.metadata).map_err(|message| {
                Problem::new(Code::FileFormat, format!("dataset.toml of `{}`: {message}", self.id))
                    .hint("mend the file")
            })?;
        let document = json!({ "dataset": dataset, "remarks": profile.remarks });
        fs::write(part.join("dataset.json"), document.to_string()).map_err(failed)?;
        fs::set_permissions(part.join("data.duckdb"), Permissions::from_mode(0o644)).map_err(failed)?;
        fs::remove_dir_all(&input).map_err(failed)
    }

    /// Copies or generates the files below `folder`, readable for the inner user, and checks that they are the version
    /// that was resolved.
    fn copy_inputs(&self, folder: &Path) -> Result<Vec<(String, String)>, Problem> {
        let failed = |error: io::Error| unwritable(folder, &error);
        let mut names = Vec::new();
        match &self.source {
            Source::Builtin(name) => {
                let files = builtin::files(name).ok_or_else(|| Problem::new(Code::Internal, "a dataset is gone"))?;
                for (table, contents) in files.tables {
                    fs::write(folder.join(format!("{table}.csv")), contents).map_err(failed)?;
                    names.push((table.clone(), format!("{table}.csv")));
                }
            }
            Source::Files { tables, .. } => {
                for (table, path) in tables {
                    fs::copy(path, folder.join(format!("{table}.csv"))).map_err(|error| unreadable(path, &error))?;
                    names.push((table.clone(), format!("{table}.csv")));
                }
                let copied = tables.iter().map(|(table, _)| (table.clone(), folder.join(format!("{table}.csv"))));
                let copied = Source::Files { id: self.id.clone(), tables: copied.collect(), metadata: self.toml() };
                if Resolved::of(copied)?.version != self.version {
                    return Err(Problem::new(Code::InputChanged, format!("`{}` changed while it was read", self.id))
                        .hint("run the command again when nobody writes the file"));
                }
            }
        }
        for (_, file) in &names {
            fs::set_permissions(folder.join(file), Permissions::from_mode(0o644)).map_err(failed)?;
        }
        Ok(names)
    }

    /// The file as its owner calls it, for messages.
    fn label(&self, table: &str) -> Option<String> {
        let Source::Files { tables, .. } = &self.source else { return None };
        let (_, path) = tables.iter().find(|(name, _)| name == table)?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }

    fn toml(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Files { metadata, .. } => metadata.clone(),
            Source::Builtin(_) => None,
        }
    }

    async fn ingest(
        &self,
        context: &Context,
        part: &Path,
        input: &Path,
        names: &[(String, String)],
    ) -> Result<Profile, Problem> {
        let sandbox = context.sandbox().await?;
        let inputs = names.iter().map(|(_, file)| Input { name: file.clone(), path: input.join(file) }).collect();
        let options =
            CellOptions { inputs, out: Some(part.to_path_buf()), ..CellOptions::of(Policy::ingest(self.bytes)) };
        let mut cell = sandbox.cell(options).await?;
        let mut types: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for (table, column, ty) in self.metadata.types() {
            types.entry(table).or_default().insert(column, ty.as_str());
        }
        let files: Vec<_> = names
            .iter()
            .map(|(table, file)| {
                json!({ "table": table, "path": format!("/work/input/{file}"), "label": self.label(table) })
            })
            .collect();
        let arguments =
            json!({ "files": files, "types": types, "out": "/work/out/data.duckdb", "values_max": VALUES_MAX });
        let said = cell.call("ingest.read", &arguments).await;
        let raised = matches!(said, Err(CallError::Raised(_)));
        let finished = cell.finish(if raised { Stop::Now } else { Stop::WhenDone }).await;
        match said {
            Ok(profile) => {
                came_back(&self.id, finished)?;
                serde_json::from_value(profile)
                    .map_err(|error| Problem::new(Code::Internal, format!("the ingest kernel's answer: {error}")))
            }
            Err(CallError::Raised(raised)) if raised.kind == "InputError" => {
                let hint = raised.hint.unwrap_or_else(|| "check that the file is a CSV table with a header".into());
                Err(Problem::new(Code::FileFormat, raised.message).hint(hint))
            }
            Err(CallError::Raised(raised)) => {
                let message = format!("reading `{}` failed: {}: {}", self.id, raised.kind, raised.message);
                Err(Problem::new(Code::Internal, message).hint("give a smaller or simpler file, and report this one"))
            }
            Err(CallError::Ended) => Err(ended(&self.id, finished.report.map(|report| report.end))),
        }
    }
}

/// A prepared file counts only when its kernel came to a good end and the whole of it was copied.
fn came_back(id: &str, finished: Finished) -> Result<(), Problem> {
    let report = finished.report.ok_or_else(|| ended(id, None))?;
    if let Some(HarvestFailure { cause, disk_full }) = finished.harvest.failed {
        let code = if disk_full { Code::DiskFull } else { Code::StoreReadonly };
        return Err(Problem::new(code, format!("the prepared form of `{id}` could not be kept: {cause}"))
            .hint("make room below the data directory, or name another with --data-dir"));
    }
    let whole = finished.harvest.files.iter().any(|file| file == "data.duckdb");
    match report.end {
        End::Exited { exit_code: Some(0), .. } if whole => Ok(()),
        end => Err(ended(id, Some(end))),
    }
}

/// The identity of the code that turns files into a prepared dataset.
fn ingest_code() -> Hash {
    let mut digest = Digest::new();
    digest.part(&PREPARED_FORMAT.to_be_bytes());
    for (name, text) in data::kernel::MODULES.iter().filter(|(name, _)| data::kernel::decides_what_files_become(name)) {
        digest.part(name.as_bytes());
        digest.part(text.as_bytes());
    }
    digest.finish()
}

fn ended(id: &str, end: Option<End>) -> Problem {
    match end {
        Some(End::Unavailable { cause, fix }) => Problem::new(Code::SandboxUnavailable, cause).hint(fix),
        Some(End::Killed { by: KilledBy::Time }) => {
            Problem::new(Code::FileFormat, format!("reading `{id}` took too long")).hint("give a smaller file")
        }
        Some(End::Killed { by: KilledBy::Memory }) => {
            Problem::new(Code::FileFormat, format!("reading `{id}` took too much memory")).hint("give a smaller file")
        }
        _ => Problem::new(Code::SandboxLost, format!("the cell that read `{id}` was lost")).hint("run it again"),
    }
}

/// Waits for a lock without blocking the thread, on which other runs may go on and leases are renewed.
async fn lock(path: &Path) -> io::Result<File> {
    const PAUSE: Duration = Duration::from_millis(20);
    let file = File::create(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Removes what was begun and given up. Only for who holds the lock: then nobody is making one.
fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "part") {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

/// Gives a complete folder its name. [`load`] trusts that name, so everything below is on the disk before it is there.
fn place(part: &Path, home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(part)? {
        File::open(entry?.path())?.sync_all()?;
    }
    File::open(part)?.sync_all()?;
    fs::rename(part, home)?;
    home.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn load(home: &Path) -> Result<Option<Prepared>, Problem> {
    #[derive(serde::Deserialize)]
    struct Stored {
        dataset: Dataset,
        remarks: Vec<Remark>,
    }
    let text = match fs::read(home.join("dataset.json")) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(home, &error)),
    };
    let stored: Stored = serde_json::from_slice(&text).map_err(|error| {
        Problem::new(Code::FileFormat, format!("the prepared dataset `{}` is damaged: {error}", home.display()))
            .hint("remove that folder; it is made again from the files")
    })?;
    Ok(Some(Prepared { dataset: stored.dataset, remarks: stored.remarks, file: home.join("data.duckdb") }))
}

fn read_text(path: &Path) -> Result<String, Problem> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}
