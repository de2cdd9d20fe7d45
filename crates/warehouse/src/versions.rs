//! Data becomes a private, prepared database once per content version.
//!
//! A version is the digest of contents and of the owner's words; it is known without parsing anything. Preparing is
//! done by one process at a time per version, and nobody else waits for it. What is asked under an added name is the
//! version that was added, also when its files are gone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Action, Choice, Code, Digest, Hash, Problem};
use data::metadata::Metadata;
use data::profile::{Profile, Remark};
use data::{Dataset, builtin};
use planner::Index;
use serde_json::json;

use crate::added_datasets::{Added, AddedFile};
use crate::cache::{Cache, DATABASE_FILE, DATASET_FILE, Entry, Lock, PROFILE_FILE, VALUES_FILE};
use crate::early_read::{begin, blocking, give_up, look_at};
use crate::files::{read_small, unreadable, unwritable};
use crate::folder::format_of;
use crate::ingest::{Ingest, Reading, Wanted, declared_types};
use crate::source::{Files, Source};
use crate::warehouse::Warehouse;

/// Raised when the same files mean another dataset.
const VERSION_SCHEME: u32 = 1;
/// Raised when what lies beside a prepared database changes.
const PREPARED_FORMAT: u32 = 5;

/// A source whose version is known.
#[derive(Debug)]
pub struct Resolved {
    /// The dataset's name.
    pub id: String,
    /// Hash of contents and metadata.
    pub version: Hash,
    source: Source,
    metadata_text: String,
    metadata: Metadata,
    files: Vec<AddedFile>,
}

/// A dataset that can be queried. While it lives, nobody removes it.
#[derive(Debug)]
pub struct Prepared {
    /// What is known about it.
    pub dataset: Dataset,
    /// What was done to its files so that they could be read.
    pub remarks: Vec<Remark>,
    /// The prepared database.
    pub file: PathBuf,
    /// The name of its folder.
    pub(crate) name: String,
    _kept: Option<Lock>,
}

impl Resolved {
    /// The added dataset that it is, if it is one.
    pub fn added(&self) -> Option<&Added> {
        match &self.source {
            Source::Added(added) => Some(added),
            Source::Builtin(_) | Source::Files(_) => None,
        }
    }

    /// Finds out which version the data has; parses nothing.
    pub async fn of(warehouse: &Warehouse, source: Source) -> Result<Resolved, Problem> {
        match source {
            Source::Builtin(name) => {
                let parts = builtin::hashes(name).map(|(table, hash)| (table, hash, None));
                let text = builtin::metadata(name).unwrap_or_default();
                Resolved::new(name, version(parts, text), source, text.to_string(), Vec::new())
            }
            Source::Added(added) => {
                let (version, text, files) = (added.version.clone(), added.metadata.clone(), added.files.clone());
                Resolved::new(&added.name.clone(), version, Source::Added(added), text, files)
            }
            Source::Files(files) => Resolved::of_files(warehouse, files).await,
        }
    }

    fn new(
        id: &str,
        version: Hash,
        source: Source,
        metadata_text: String,
        files: Vec<AddedFile>,
    ) -> Result<Resolved, Problem> {
        let metadata = parsed(id, &metadata_text)?;
        Ok(Resolved { id: id.to_string(), version, source, metadata_text, metadata, files })
    }

    async fn of_files(warehouse: &Warehouse, files: Files) -> Result<Resolved, Problem> {
        let text = files.metadata.as_deref().map(read_small).transpose()?.unwrap_or_default();
        let metadata = parsed(&files.id, &text)?;
        let ahead = begin(warehouse, &files, &metadata).await?;
        let known = match look_at(warehouse, &files).await {
            Ok(known) => known,
            Err(problem) => {
                give_up(ahead).await;
                return Err(problem);
            }
        };
        let parts = known.iter().map(|file| (file.table.as_str(), file.hash.as_str(), format_of(&file.path)));
        let (id, version) = (files.id.clone(), version(parts, &text));
        let source = Source::Files(files);
        let resolved = Resolved { id, version, source, metadata_text: text, metadata, files: known };
        match ahead {
            Some(begun) if !warehouse.cache().holds(&resolved.home()) => {
                warehouse.keep_early_read(begun, &resolved.version);
            }
            ahead => give_up(ahead).await,
        }
        Ok(resolved)
    }

    /// What its owner declared.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The text of its `dataset.toml`; empty if there is none.
    pub fn metadata_text(&self) -> &str {
        &self.metadata_text
    }

    /// The files it is made of.
    pub fn files(&self) -> &[AddedFile] {
        &self.files
    }

    /// What was passed over.
    pub fn skipped(&self) -> &[Remark] {
        match &self.source {
            Source::Builtin(_) => &[],
            Source::Added(added) => &added.skipped,
            Source::Files(files) => &files.skipped,
        }
    }

    /// The prepared dataset, made on first need.
    pub async fn prepare(&self, warehouse: &Warehouse) -> Result<Prepared, Problem> {
        // Where there is hardly any room, others may remove it before it is opened.
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            if let Some(prepared) = self.try_prepare(warehouse).await? {
                return Ok(prepared);
            }
        }
        Err(Problem::new(Code::InputChanged, format!("what was prepared of `{}` was removed at once", self.id))
            .hint("try again; with more room more is kept")
            .action(Choice::CacheBytes))
    }

    async fn try_prepare(&self, warehouse: &Warehouse) -> Result<Option<Prepared>, Problem> {
        let (cache, home) = (warehouse.cache(), self.home());
        if let Some(prepared) = self.open(&cache, &home) {
            drop(warehouse.take_early_read(&self.version));
            return Ok(Some(prepared));
        }
        let Some(files) = self.files_to_read(warehouse).await? else { return self.open_as_added(&cache).map(Some) };
        let is_made = || load(&cache, &home).is_ok();
        let Some(lock) = right_to_make(warehouse, &cache, &home, &self.id, is_made).await? else {
            return Ok(self.open(&cache, &home));
        };
        cache.sweep();
        // What is there under the name cannot be used.
        cache.discard(&home);
        let made = self.make(warehouse, &cache, &home, files).await;
        match &made {
            Ok(()) => drop(lock),
            Err(_) => lock.remove(),
        }
        made?;
        let prepared = self.open(&cache, &home);
        tidy(warehouse);
        Ok(prepared)
    }

    /// Its files, if the same version can be made from them.
    async fn files_to_read(&self, warehouse: &Warehouse) -> Result<Option<Vec<AddedFile>>, Problem> {
        let Source::Added(added) = &self.source else { return Ok(Some(self.files.clone())) };
        let (added, hashes) = (added.clone(), warehouse.hashes());
        blocking(move || added.same_files(&hashes)).await
    }

    /// An added dataset whose files are not what they were answers from what was prepared then.
    fn open_as_added(&self, cache: &Cache) -> Result<Prepared, Problem> {
        let as_added = match &self.source {
            Source::Added(added) => self.open(cache, &added.prepared),
            Source::Builtin(_) | Source::Files(_) => None,
        };
        as_added.ok_or_else(|| {
            Problem::new(
                Code::InputChanged,
                format!("the files of `{}` are not what they were, and what was prepared of them is gone", self.id),
            )
            .action(Action::RefreshDataset { dataset: self.id.clone() })
            .action(Action::RemoveDataset { dataset: self.id.clone() })
        })
    }

    async fn make(
        &self,
        warehouse: &Warehouse,
        cache: &Cache,
        home: &str,
        files: Vec<AddedFile>,
    ) -> Result<(), Problem> {
        let ahead = match warehouse.take_early_read(&self.version) {
            Some(begun) => begun.made().await.map(Some),
            None => Ok(None),
        };
        let (part, mut profile) = match ahead {
            Ok(Some(made)) => made,
            Err(problem) if problem.code != Code::SandboxUnavailable => return Err(problem),
            // A file that no cell may read as it is can still be copied, now that its digest is known.
            _ => self.ingest(warehouse, files).make(warehouse.sandbox().await?.clone(), cache.clone()).await?,
        };
        let failed = |error: io::Error| unwritable(&part.folder, &error);
        profile.remarks.extend(profile.remarks_on_stand_ins());
        let mut dataset =
            Dataset::assemble(&self.id, self.version.clone(), &profile, &self.metadata).map_err(|message| {
                Problem::new(Code::FileFormat, format!("dataset.toml of `{}`: {message}", self.id))
                    .hint("mend the file")
            })?;
        fs::write(part.folder.join(VALUES_FILE), Index::new(&dataset).value_bytes()).map_err(failed)?;
        dataset.keep_frequent_values();
        let document = json!({ "dataset": dataset, "remarks": profile.remarks });
        fs::write(part.folder.join(DATASET_FILE), document.to_string()).map_err(failed)?;
        fs::write(part.folder.join(PROFILE_FILE), json!(profile).to_string()).map_err(failed)?;
        let folder = part.folder.clone();
        cache.place(part, home).map_err(|error| unwritable(&folder, &error))
    }

    fn ingest(&self, warehouse: &Warehouse, files: Vec<AddedFile>) -> Ingest {
        let wanted = |AddedFile { table, path, hash, state }| Wanted { table, path, state, hash: Some(hash) };
        let reading = match &self.source {
            Source::Builtin(name) => Reading::Builtin(name),
            Source::Added(_) | Source::Files(_) => Reading::Files(files.into_iter().map(wanted).collect()),
        };
        let types = declared_types(&self.metadata);
        Ingest { id: self.id.clone(), reading, types, progress: warehouse.progress.clone() }
    }

    /// Its prepared form if that is there; nothing is read for it.
    pub fn prepared_form(&self, warehouse: &Warehouse) -> Option<Prepared> {
        let cache = warehouse.cache();
        let as_added = match &self.source {
            Source::Added(added) => Some(added.prepared.clone()),
            Source::Builtin(_) | Source::Files(_) => None,
        };
        let names = [Some(self.home()), as_added];
        names.into_iter().flatten().find_map(|name| self.open(&cache, &name))
    }

    /// The name of its prepared form.
    fn home(&self) -> String {
        format!("{}-{}", self.version, ingest_code().short())
    }

    /// The prepared form of that name, if it is there and whole.
    fn open(&self, cache: &Cache, name: &str) -> Option<Prepared> {
        let kept = cache.keep(name)?;
        let stored = load(cache, name).ok()?;
        let mut dataset = stored.dataset;
        // Equal contents under another name are one prepared database.
        dataset.id.clone_from(&self.id);
        let remarks = self.skipped().iter().cloned().chain(stored.remarks).collect();
        let file = cache.home(name).join(DATABASE_FILE);
        Some(Prepared { dataset, remarks, file, name: name.to_string(), _kept: kept })
    }
}

impl Prepared {
    /// Everything that was measured when its files were read.
    pub fn profile(&self) -> Result<Profile, Problem> {
        let path = self.file.with_file_name(PROFILE_FILE);
        let text = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        serde_json::from_slice(&text).map_err(|error| damaged(&path, &error.to_string()))
    }

    /// Questions to begin with, each of which has an answer.
    pub fn first_questions(&self) -> Vec<String> {
        planner::first_questions(&self.make_index())
    }

    /// What planning looks up in it.
    pub(crate) fn make_index(&self) -> Index {
        let path = self.file.with_file_name(VALUES_FILE);
        let kept = fs::read(&path).ok().and_then(|bytes| Index::with_values(&self.dataset, &bytes));
        kept.unwrap_or_else(|| {
            // Made by a planner that read words another way.
            let mut dataset = self.dataset.clone();
            if let Ok(profile) = self.profile() {
                dataset.take_values(&profile);
            }
            let index = Index::new(&dataset);
            let part = path.with_extension(format!("{}.part", base::RunId::fresh()));
            let _ = fs::write(&part, index.value_bytes()).and_then(|()| fs::rename(&part, &path));
            index
        })
    }

    /// What its files hold that no computing can settle.
    pub fn doubts(&self) -> Doubts {
        let rows = |code| {
            let said = self.remarks.iter().filter(|remark| remark.code == code);
            said.map(|remark| remark.count.unwrap_or(1)).sum()
        };
        Doubts { set_aside: rows("rows_set_aside"), totals_kept: rows("totals_kept") }
    }

    /// How many bytes its database has.
    pub fn bytes(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |found| found.len())
    }
}

/// Rows of files that keep an answer from being certain, however often it is computed.
#[derive(Clone, Copy, Default)]
pub struct Doubts {
    /// Rows that were not loaded: unreadable ones, totals, footnotes.
    set_aside: u64,
    /// Rows that were loaded and say they are totals of others.
    totals_kept: u64,
}

impl Doubts {
    /// What to say of them; nothing where there are none.
    pub fn note(self) -> Option<String> {
        let parts = [
            (self.set_aside, "rows of the files that were set aside"),
            (self.totals_kept, "rows that look like totals and were counted along"),
        ];
        let said: Vec<String> =
            parts.iter().filter(|(rows, _)| *rows > 0).map(|(rows, what)| format!("{what}: {rows}")).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// The right to make a prepared form, waited for; `None` if somebody else has made it meanwhile.
pub async fn right_to_make(
    warehouse: &Warehouse,
    cache: &Cache,
    home: &str,
    id: &str,
    is_made: impl Fn() -> bool,
) -> Result<Option<Lock>, Problem> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut said = false;
    loop {
        match cache.own(home)? {
            Some(_) if cache.holds(home) && is_made() => return Ok(None),
            Some(lock) => return Ok(Some(lock)),
            // Somebody may have it open by now, rather than still be making it.
            None if cache.keep(home).is_some() => return Ok(None),
            None => {}
        }
        if !std::mem::replace(&mut said, true) {
            (warehouse.progress)(&format!("waiting: another command is reading {id}"));
        }
        // Not blocking the thread, on which other runs may go on and leases are renewed.
        tokio::time::sleep(PAUSE).await;
    }
}

/// Removes what was given up and what has to go for want of room. Nothing depends on it.
pub fn tidy(warehouse: &Warehouse) {
    let cache = warehouse.cache();
    cache.sweep();
    warehouse.hashes().sweep();
    let (added, whole) = warehouse.datasets().all();
    if !whole {
        // A record that cannot be read may name anything.
        return;
    }
    let mut needed: BTreeMap<&str, bool> = BTreeMap::new();
    for added in &added {
        *needed.entry(&added.prepared).or_default() |= !added.is_untouched();
    }
    let current = format!("-{}", ingest_code().short());
    let entries = cache.entries().into_iter().map(|(name, bytes, used)| Entry {
        is_current: name.ends_with(&current),
        is_irreplaceable: needed.get(name.as_str()).copied().unwrap_or(false),
        name,
        bytes,
        used,
    });
    cache.shrink(entries.collect(), warehouse.cache_bytes);
}

/// The digest of tables, contents and words. How a file is read counts where its name says something else than CSV.
fn version<'a>(parts: impl Iterator<Item = (&'a str, &'a str, Option<&'static str>)>, words: &str) -> Hash {
    let mut digest = Digest::new();
    digest.part(&VERSION_SCHEME.to_be_bytes());
    for (table, hash, format) in parts {
        digest.part(table.as_bytes());
        digest.part(hash.as_bytes());
        if let Some(format) = format.filter(|format| *format != "csv") {
            digest.part(format.as_bytes());
        }
    }
    digest.part(words.as_bytes());
    digest.finish()
}

fn parsed(id: &str, text: &str) -> Result<Metadata, Problem> {
    Metadata::parse(text).map_err(|message| {
        Problem::new(Code::FileFormat, format!("dataset.toml of `{id}`: {message}")).hint("mend the file")
    })
}

/// The identity of the code that turns files into a prepared dataset.
pub fn ingest_code() -> Hash {
    let mut digest = Digest::new();
    digest.part(&PREPARED_FORMAT.to_be_bytes());
    for (name, text) in data::kernel::MODULES.iter().filter(|(name, _)| data::kernel::decides_what_files_become(name)) {
        digest.part(name.as_bytes());
        digest.part(text.as_bytes());
    }
    digest.finish()
}

#[derive(serde::Deserialize)]
struct Stored {
    dataset: Dataset,
    remarks: Vec<Remark>,
}

fn load(cache: &Cache, name: &str) -> Result<Stored, Problem> {
    let path = cache.home(name).join(DATASET_FILE);
    let text = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    serde_json::from_slice(&text).map_err(|error| damaged(&path, &error.to_string()))
}

pub fn damaged(path: &Path, said: &str) -> Problem {
    Problem::new(Code::FileFormat, format!("`{}` is damaged: {said}", path.display()))
        .hint("remove its folder; it is made again from the files")
}
