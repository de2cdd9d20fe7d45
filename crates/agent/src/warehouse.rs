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

use base::{Code, Digest, Hash, Problem};
use data::metadata::Metadata;
use data::profile::{Profile, Remark};
use data::{Dataset, builtin};
use serde_json::json;

use crate::cache::{Cache, DATABASE_FILE, DATASET_FILE, Entry, Lock, PROFILE_FILE, Part};
use crate::context::Context;
use crate::files::{read_small, unreadable, unwritable};
use crate::folder::format_of;
use crate::ingest::{Ingest, Reading, Wanted, declared_types, way_of};
use crate::registry::{AddedFile, FilesNow};
use crate::source::{Files, Source};
use crate::stamp::{Stamp, Way};

/// Raised when the same files mean another dataset.
const VERSION_SCHEME: u32 = 1;
/// Raised when what lies beside a prepared database changes.
const PREPARED_FORMAT: u32 = 3;
/// From here on reading begins while the digest is still being computed.
const AHEAD_FROM_BYTES: u64 = 64 << 20;

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
    pub(crate) file: PathBuf,
    /// The name of its folder.
    pub(crate) name: String,
    _kept: Option<Lock>,
}

/// A reading that began before its version was known.
#[derive(Debug)]
pub(crate) struct Begun {
    version: Hash,
    task: tokio::task::JoinHandle<Result<(Part, Profile), Problem>>,
}

impl Begun {
    pub(crate) fn is_of(&self, version: &Hash) -> bool {
        self.version == *version
    }

    /// Stops it and waits until nothing is left of it.
    pub(crate) async fn give_up(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Resolved {
    /// Finds out which version the data has; parses nothing.
    pub async fn of(context: &Context, source: Source) -> Result<Resolved, Problem> {
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
            Source::Files(files) => Resolved::of_files(context, files).await,
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

    async fn of_files(context: &Context, files: Files) -> Result<Resolved, Problem> {
        let text = files.metadata.as_deref().map(read_small).transpose()?.unwrap_or_default();
        let metadata = parsed(&files.id, &text)?;
        let ahead = begin(context, &files, &metadata).await?;
        let (hashes, tables, tell) = (context.hashes(), files.tables.clone(), context.progress.clone());
        let hashing = tokio::task::spawn_blocking(move || {
            let total: u64 = tables.iter().filter_map(|(_, path)| Some(fs::metadata(path).ok()?.len())).sum();
            let mut before = 0;
            let mut told = 0;
            let mut known = Vec::new();
            for (table, path) in tables {
                let (hash, stamp) = hashes.hash(&path, &mut |bytes| {
                    const TELL_EVERY_BYTES: u64 = 512 << 20;
                    let done = before + bytes;
                    if done / TELL_EVERY_BYTES > told {
                        told = done / TELL_EVERY_BYTES;
                        tell(&format!("looking at the files {:.0} %", 100.0 * done as f64 / total.max(done) as f64));
                    }
                })?;
                before += stamp.size;
                known.push(AddedFile { table, path, hash, stamp });
            }
            Ok::<_, Problem>(known)
        });
        let known = hashing.await.map_err(|error| Problem::new(Code::Internal, error.to_string()))??;
        let parts = known.iter().map(|file| (file.table.as_str(), file.hash.as_str(), format_of(&file.path)));
        let version = version(parts, &text);
        let resolved = Resolved {
            id: files.id.clone(),
            version: version.clone(),
            source: Source::Files(files),
            metadata_text: text,
            metadata,
            files: known,
        };
        if let Some(task) = ahead {
            let begun = Begun { version, task };
            if !context.cache().holds(&resolved.home()) {
                context.keep_begun(begun);
            }
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
    pub(crate) fn files(&self) -> &[AddedFile] {
        &self.files
    }

    /// What was passed over.
    pub(crate) fn skipped(&self) -> &[Remark] {
        match &self.source {
            Source::Builtin(_) => &[],
            Source::Added(added) => &added.skipped,
            Source::Files(files) => &files.skipped,
        }
    }

    /// The prepared dataset, made on first need.
    pub async fn prepare(&self, context: &Context) -> Result<Prepared, Problem> {
        let (cache, home) = (context.cache(), self.home());
        if let Some(prepared) = self.open(&cache, &home)? {
            drop(context.take_begun(&self.version));
            return Ok(prepared);
        }
        if let Some(prepared) = self.open_as_added(context, &cache)? {
            return Ok(prepared);
        }
        let Some(lock) = self.own(context, &cache, &home).await? else { return self.prepared(&cache, &home) };
        cache.sweep();
        // What is there under the name cannot be used.
        cache.discard(&home);
        let made = self.make(context, &cache, &home).await;
        match &made {
            Ok(()) => drop(lock),
            Err(_) => lock.remove(),
        }
        made?;
        let prepared = self.prepared(&cache, &home)?;
        tidy(context);
        Ok(prepared)
    }

    /// The right to make it, waited for; `None` if somebody else has made it meanwhile.
    async fn own(&self, context: &Context, cache: &Cache, home: &str) -> Result<Option<Lock>, Problem> {
        const PAUSE: Duration = Duration::from_millis(20);
        let mut said = false;
        loop {
            match cache.own(home)? {
                Some(_) if cache.holds(home) && load(cache, home).is_ok() => return Ok(None),
                Some(lock) => return Ok(Some(lock)),
                // Somebody may have it open by now, rather than still be making it.
                None if cache.keep(home).is_some() => return Ok(None),
                None => {}
            }
            if !std::mem::replace(&mut said, true) {
                (context.progress)(&format!("waiting: another command is reading {}", self.id));
            }
            // Not blocking the thread, on which other runs may go on and leases are renewed.
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// What was made a moment ago.
    fn prepared(&self, cache: &Cache, home: &str) -> Result<Prepared, Problem> {
        self.open(cache, home)?.ok_or_else(|| {
            Problem::new(Code::InputChanged, format!("what was prepared of `{}` was removed at once", self.id))
                .hint("run the command again; a larger ASSAY_CACHE_BYTES keeps more")
        })
    }

    /// An added dataset whose files are not what they were answers from what was prepared then.
    fn open_as_added(&self, context: &Context, cache: &Cache) -> Result<Option<Prepared>, Problem> {
        let Source::Added(added) = &self.source else { return Ok(None) };
        if added.files_now(&context.hashes()) == FilesNow::Unchanged {
            return Ok(None);
        }
        self.open(cache, &added.prepared)?.map(Some).ok_or_else(|| {
            Problem::new(
                Code::InputChanged,
                format!("the files of `{}` are not what they were, and what was prepared of them is gone", self.id),
            )
            .hint(format!("`assay data refresh {0}` reads them again, `assay data remove {0}` forgets them", self.id))
        })
    }

    async fn make(&self, context: &Context, cache: &Cache, home: &str) -> Result<(), Problem> {
        let (part, profile) = match context.take_begun(&self.version) {
            Some(mut begun) => {
                let made = (&mut begun.task).await;
                made.map_err(|error| Problem::new(Code::Internal, format!("reading was given up: {error}")))??
            }
            None => self.ingest(context).make(context.sandbox().await?.clone(), cache.clone()).await?,
        };
        let failed = |error: io::Error| unwritable(&part.folder, &error);
        let dataset =
            Dataset::assemble(&self.id, self.version.clone(), &profile, &self.metadata).map_err(|message| {
                Problem::new(Code::FileFormat, format!("dataset.toml of `{}`: {message}", self.id))
                    .hint("mend the file")
            })?;
        let document = json!({ "dataset": dataset, "remarks": profile.remarks });
        fs::write(part.folder.join(DATASET_FILE), document.to_string()).map_err(failed)?;
        fs::write(part.folder.join(PROFILE_FILE), json!(profile).to_string()).map_err(failed)?;
        let folder = part.folder.clone();
        cache.place(part, home).map_err(|error| unwritable(&folder, &error))
    }

    fn ingest(&self, context: &Context) -> Ingest {
        let wanted = |file: &AddedFile| Wanted {
            table: file.table.clone(),
            path: file.path.clone(),
            // An added file may have been touched since; its digest was looked at then.
            stamp: fs::metadata(&file.path).map_or(file.stamp, |found| Stamp::of(&found)),
            hash: Some(file.hash.clone()),
        };
        let reading = match &self.source {
            Source::Builtin(name) => Reading::Builtin(name),
            Source::Added(_) => Reading::Files(self.files.iter().map(wanted).collect()),
            Source::Files(_) => {
                let same = |file: &AddedFile| Wanted { stamp: file.stamp, ..wanted(file) };
                Reading::Files(self.files.iter().map(same).collect())
            }
        };
        let types = declared_types(&self.metadata);
        Ingest { id: self.id.clone(), reading, types, progress: context.progress.clone() }
    }

    /// Its prepared form if that is there; nothing is read for it.
    pub fn prepared_form(&self, context: &Context) -> Option<Prepared> {
        let cache = context.cache();
        let as_added = match &self.source {
            Source::Added(added) => Some(added.prepared.clone()),
            Source::Builtin(_) | Source::Files(_) => None,
        };
        let names = [Some(self.home()), as_added];
        names.into_iter().flatten().find_map(|name| self.open(&cache, &name).ok().flatten())
    }

    /// The name of its prepared form.
    fn home(&self) -> String {
        format!("{}-{}", self.version, ingest_code().short())
    }

    /// The prepared form of that name, if it is there and whole.
    fn open(&self, cache: &Cache, name: &str) -> Result<Option<Prepared>, Problem> {
        let Some(kept) = cache.keep(name) else { return Ok(None) };
        let Ok(stored) = load(cache, name) else { return Ok(None) };
        let mut dataset = stored.dataset;
        // Equal contents under another name are one prepared database.
        dataset.id.clone_from(&self.id);
        let remarks = self.skipped().iter().cloned().chain(stored.remarks).collect();
        let file = cache.home(name).join(DATABASE_FILE);
        Ok(Some(Prepared { dataset, remarks, file, name: name.to_string(), _kept: kept }))
    }
}

impl Prepared {
    /// Everything that was measured when its files were read.
    pub fn profile(&self) -> Result<Profile, Problem> {
        let path = self.file.with_file_name(PROFILE_FILE);
        let text = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        serde_json::from_slice(&text).map_err(|error| damaged(&path, &error.to_string()))
    }

    /// How many bytes its database has.
    pub fn bytes(&self) -> u64 {
        fs::metadata(&self.file).map_or(0, |found| found.len())
    }
}

/// Begins to read large files that can be read where they are, before their version is known.
async fn begin(
    context: &Context,
    files: &Files,
    metadata: &Metadata,
) -> Result<Option<tokio::task::JoinHandle<Result<(Part, Profile), Problem>>>, Problem> {
    let mut wanted = Vec::new();
    for (table, path) in &files.tables {
        let Ok(found) = fs::metadata(path) else { return Ok(None) };
        let stamp = Stamp::of(&found);
        if !found.is_file() || way_of(path, &stamp) == Way::Copied {
            return Ok(None);
        }
        wanted.push(Wanted { table: table.clone(), path: path.clone(), stamp, hash: None });
    }
    let bytes: u64 = wanted.iter().map(|file| file.stamp.size).sum();
    let hashes = context.hashes();
    if bytes < AHEAD_FROM_BYTES || wanted.iter().all(|file| hashes.knows(&file.path, &file.stamp)) {
        return Ok(None);
    }
    let ingest = Ingest {
        id: files.id.clone(),
        reading: Reading::Files(wanted),
        types: declared_types(metadata),
        progress: context.progress.clone(),
    };
    let sandbox = context.sandbox().await?.clone();
    Ok(Some(tokio::spawn(ingest.make(sandbox, context.cache()))))
}

/// Removes what was given up and what has to go for want of room. Nothing depends on it.
pub(crate) fn tidy(context: &Context) {
    let (cache, hashes) = (context.cache(), context.hashes());
    cache.sweep();
    hashes.sweep();
    let (added, whole) = context.registry().all();
    if !whole {
        // A record that cannot be read may name anything.
        return;
    }
    let mut needed: BTreeMap<&str, bool> = BTreeMap::new();
    for added in &added {
        let cannot_be_made_again = added.files_now(&hashes) != FilesNow::Unchanged;
        *needed.entry(&added.prepared).or_default() |= cannot_be_made_again;
    }
    let current = format!("-{}", ingest_code().short());
    let entries = cache.entries().into_iter().map(|(name, bytes, used)| Entry {
        is_current: name.ends_with(&current),
        is_irreplaceable: needed.get(name.as_str()).copied().unwrap_or(false),
        name,
        bytes,
        used,
    });
    cache.shrink(entries.collect(), context.cache_bytes);
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
fn ingest_code() -> Hash {
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

fn damaged(path: &Path, said: &str) -> Problem {
    Problem::new(Code::FileFormat, format!("`{}` is damaged: {said}", path.display()))
        .hint("remove its folder; it is made again from the files")
}
