//! A file of very many small tables, read once inside a cell into one prepared database, like any other data.
//!
//! What planning needs of each table lies beside the database as the kernel left it. A question's dataset is assembled
//! from the few tables it names.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use base::{Choice, Code, Digest, Hash, Problem};
use data::Dataset;
use data::dataset::Relation;
use data::metadata::Metadata;
use data::profile::{Profile, TableProfile};
use sandbox::{CallError, CellOptions, Input, Policy, Stop};
use serde::Deserialize;
use serde_json::json;

use crate::cache::{Cache, DATABASE_FILE, DATASET_FILE, Lock};
use crate::file_state::FileState;
use crate::files::unreadable;
use crate::ingest::{Ingest, Reading, Wanted};
use crate::versions::{damaged, ingest_code, right_to_make, tidy};
use crate::warehouse::Warehouse;

/// Raised when the same file means other tables.
const SCHEME: u32 = 1;
/// Of what the kernel leaves beside the database.
const FOUND_BYTES_MAX: u64 = 4 << 30;

/// A prepared file of tables. While it lives, nobody removes it.
#[derive(Debug)]
pub struct TableSet {
    /// The prepared database.
    pub file: PathBuf,
    /// Hash of the contents.
    pub version: Hash,
    name: String,
    tables: HashMap<String, Result<TableProfile, String>>,
    unnamed: Vec<String>,
    relations: HashMap<BTreeSet<String>, Vec<Relation>>,
    _kept: Option<Lock>,
}

/// What the kernel left of one line.
#[derive(Deserialize)]
struct Found {
    id: Option<String>,
    problem: Option<String>,
    profile: Option<TableProfile>,
}

#[derive(Deserialize)]
struct Document {
    tables: Vec<Found>,
}

impl TableSet {
    /// The prepared form of a tables file of that digest, made on first need.
    pub async fn prepare(
        warehouse: &Warehouse,
        path: &Path,
        hash: Hash,
        state: FileState,
    ) -> Result<TableSet, Problem> {
        let mut digest = Digest::new();
        digest.part(b"tables");
        digest.part(&SCHEME.to_be_bytes());
        digest.part(hash.as_str().as_bytes());
        let version = digest.finish();
        let home = format!("{version}-{}", ingest_code().short());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let cache = warehouse.cache();
        if let Some(set) = TableSet::open(&cache, &home, &version, &name) {
            return Ok(set);
        }
        let is_made = || load(&cache.home(&home)).is_ok();
        if let Some(lock) = right_to_make(warehouse, &cache, &home, &name, is_made).await? {
            cache.sweep();
            cache.discard(&home);
            let wanted = Wanted { table: "tables".to_string(), path: path.to_path_buf(), state, hash: Some(hash) };
            let made = make(warehouse, &cache, &home, &name, wanted).await;
            match &made {
                Ok(()) => drop(lock),
                Err(_) => lock.remove(),
            }
            made?;
            tidy(warehouse);
        }
        TableSet::open(&cache, &home, &version, &name).ok_or_else(|| {
            Problem::new(Code::InputChanged, format!("what was prepared of `{name}` was removed at once"))
                .hint("try again; with more room more is kept")
                .action(Choice::CacheBytes)
        })
    }

    fn open(cache: &Cache, home: &str, version: &Hash, name: &str) -> Option<TableSet> {
        let kept = cache.keep(home)?;
        let document = load(&cache.home(home)).ok()?;
        let (mut tables, mut unnamed) = (HashMap::new(), Vec::new());
        for found in document.tables {
            let table = match (found.profile, found.problem) {
                (Some(profile), None) => Ok(profile),
                (_, problem) => Err(problem.unwrap_or_else(|| "the table was not read".to_string())),
            };
            match (found.id, table) {
                // The first of a name is the one that counts; a later one is a line that could not be read.
                (Some(id), table) if !tables.contains_key(&id) => drop(tables.insert(id, table)),
                (_, Err(problem)) => unnamed.push(problem),
                (_, Ok(_)) => {}
            }
        }
        let file = cache.home(home).join(DATABASE_FILE);
        Some(TableSet {
            file,
            version: version.clone(),
            name: name.to_string(),
            tables,
            unnamed,
            relations: HashMap::new(),
            _kept: kept,
        })
    }

    /// How many tables there are, and what is wrong with lines that are none.
    pub fn remarks(&self) -> (usize, Vec<&str>) {
        let broken = self.tables.values().filter_map(|table| table.as_ref().err());
        let mut broken: Vec<&str> = broken.chain(&self.unnamed).map(String::as_str).collect();
        broken.sort_unstable();
        (self.tables.values().filter(|table| table.is_ok()).count(), broken)
    }

    /// Finds the links within sets of several tables, all in one cell.
    pub async fn relate(&mut self, warehouse: &Warehouse, sets: &[&[String]]) -> Result<(), Problem> {
        let wanted: BTreeSet<BTreeSet<String>> = sets.iter().map(|set| set.iter().cloned().collect()).collect();
        let profiles = |set: &BTreeSet<String>| -> Option<Vec<&TableProfile>> {
            set.iter().map(|id| self.tables.get(id)?.as_ref().ok()).collect()
        };
        let several = wanted.into_iter().filter(|set| set.len() > 1);
        let (keys, measured): (Vec<_>, Vec<_>) =
            several.filter_map(|set| profiles(&set).map(|tables| (set.clone(), tables))).unzip();
        if keys.is_empty() {
            return Ok(());
        }
        let inputs = vec![Input { name: DATABASE_FILE.into(), path: self.file.clone() }];
        let policy =
            Policy { cpu_ms: Policy::ingest(0).cpu_ms, wall_ms: Policy::ingest(0).wall_ms, ..Policy::analysis() };
        let mut cell = warehouse.sandbox().await?.cell(CellOptions { inputs, ..CellOptions::of(policy) }).await?;
        let arguments = json!({ "path": format!("/work/input/{DATABASE_FILE}"), "sets": measured });
        let said = cell.call("ingest_tables.related", &arguments).await;
        drop(cell.finish(Stop::Now).await);
        let failed = |message: String| {
            Problem::new(Code::FileFormat, format!("how the tables of `{}` hang together: {message}", self.name))
                .hint("name fewer tables in a case")
        };
        let said = said.map_err(|error| match error {
            CallError::Raised(raised) => failed(raised.message),
            CallError::Ended => failed("finding out took too long".to_string()),
        })?;
        let found: Vec<Vec<Relation>> =
            serde_json::from_value(said["relations"].clone()).map_err(|error| failed(error.to_string()))?;
        self.relations = keys.into_iter().zip(found).collect();
        Ok(())
    }

    /// The dataset of some tables.
    pub fn dataset(&self, ids: &[String]) -> Result<Dataset, Problem> {
        let mut profile = Profile::default();
        for id in ids {
            match self.tables.get(id) {
                Some(Ok(table)) => profile.tables.push(table.clone()),
                Some(Err(problem)) => {
                    return Err(Problem::new(Code::FileFormat, problem).hint("mend the tables file"));
                }
                None => return Err(self.unknown(id)),
            }
        }
        let set: BTreeSet<String> = ids.iter().cloned().collect();
        profile.relations = self.relations.get(&set).cloned().unwrap_or_default();
        Dataset::assemble(ids.join(" "), self.version.clone(), &profile, &Metadata::default())
            .map_err(|message| Problem::new(Code::Internal, message))
    }

    fn unknown(&self, id: &str) -> Problem {
        let problem = Problem::new(Code::TableUnknown, format!("`{}` has no table `{id}`", self.name));
        match self.unnamed.first() {
            Some(first) => problem.hint(format!("lines of it that are no tables: {}; {first}", self.unnamed.len())),
            None => problem.hint("`tables` names tables by the `id` of their lines"),
        }
    }
}

async fn make(warehouse: &Warehouse, cache: &Cache, home: &str, name: &str, file: Wanted) -> Result<(), Problem> {
    let ingest = Ingest {
        id: name.to_string(),
        reading: Reading::Tables(file),
        types: json!({}),
        progress: warehouse.progress.clone(),
    };
    let (part, _) = ingest.make(warehouse.sandbox().await?.clone(), cache.clone()).await?;
    load(&part.folder)?;
    let folder = part.folder.clone();
    cache.place(part, home).map_err(|error| crate::files::unwritable(&folder, &error))
}

fn load(folder: &Path) -> Result<Document, Problem> {
    let path = folder.join(DATASET_FILE);
    let size = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?.len();
    if size > FOUND_BYTES_MAX {
        return Err(damaged(&path, "it is too large"));
    }
    let text = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    serde_json::from_slice(&text).map_err(|error| damaged(&path, &error.to_string()))
}
