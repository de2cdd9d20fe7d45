//! The task `eval/1`: many questions over many datasets, answered together and held against what was expected.
//!
//! ```text
//! cases file --> lines --> grounds (one prepared file each) --> chunks --> step "cases": plan, compute, score
//!                                                                              |
//!                                    summary, results.jsonl <------------------+  in the order of the lines
//! ```
//! Questions of one prepared file share cells; what a question comes to is what `ask` makes of it. Each chunk is one step,
//! so an evaluation that was killed goes on behind the last chunk that was recorded. What the planner refuses a model may
//! read, case by case behind its chunk: each reply and each execution is a step of its own, so that none is paid twice.

mod by_model;
mod case;
mod chunk;
mod compare;
mod result;
mod summary;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Choice, Code, Document, Hash, Problem};
use flow::{Finish, Run};
use planner::Weights;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use warehouse::{DataNames, Resolved, TableSet, Warehouse, blocking, changed, hash_file, open_regular, unreadable};

use self::by_model::Reader;
use self::case::{Data, Line};
use self::chunk::{Ground, Manner, evaluate};
use self::summary::summary;
use crate::by_model::ModelUse;
use crate::context::Context;
use crate::query::UNLESS_LOST;
use crate::task::{internal, parse_input};

pub(crate) use self::compare::same_rows;
pub use self::result::{ByModel, CaseResult, Expected, Status};
pub use self::summary::{EvalDocument, Point, Times};

/// The file of a run that holds its results, one line for each case.
pub const RESULTS_FILE: &str = "results.jsonl";
/// Cases that are one step.
const CHUNK_CASES: usize = 400;
const CASES_BYTES_MAX: u64 = 512 << 20;
const WEIGHTS_BYTES_MAX: u64 = 64 << 20;

/// What is evaluated, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EvalInput {
    /// The cases.
    pub cases: FileInput,
    /// Tables that cases name by id.
    pub tables: Option<FileInput>,
    /// Weights for the planner's ranker, instead of its own.
    pub weights: Option<FileInput>,
    /// What relative paths in the cases are relative to.
    pub directory: PathBuf,
    /// Whether to answer with the best reading also where it would be refused.
    pub answer_all: bool,
    /// The model that reads what the planner does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
}

/// A file as it was when the run began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileInput {
    /// Where, from anywhere.
    pub path: PathBuf,
    /// What its contents hash to.
    pub sha256: Hash,
}

impl FileInput {
    /// A file as it is now.
    pub fn at(path: &Path) -> Result<FileInput, Problem> {
        let path = std::path::absolute(path).map_err(|error| unreadable(path, &error))?;
        let sha256 = hash_file(&path)?;
        Ok(FileInput { path, sha256 })
    }

    fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Its contents, if they are still the same.
    fn read(&self, bytes_max: u64) -> Result<Vec<u8>, Problem> {
        let (_, state) = open_regular(&self.path)?;
        if state.size > bytes_max {
            let message = format!("`{}` has {} bytes", self.path.display(), state.size);
            return Err(Problem::new(Code::FileFormat, message).hint(format!("it may have up to {bytes_max}")));
        }
        let text = fs::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        if Hash::of(&text) != self.sha256 {
            return Err(changed(&self.path.display().to_string()));
        }
        Ok(text)
    }
}

/// Evaluates all cases.
pub async fn eval(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let warehouse = &context.warehouse;
    let input: EvalInput = parse_input(input)?;
    let lines = case::read(&input.cases.read(CASES_BYTES_MAX)?, &input.cases.name())?;
    let manner = Manner { weights: Arc::new(weights(input.weights.as_ref())?), answer_all: input.answer_all };
    let count = lines.len();
    let mut results: Vec<Option<CaseResult>> = vec![None; count];
    let mut reader = input.model.as_ref().map(|using| Reader::new(context, using));
    let planner_off = input.model.as_ref().is_some_and(|using| using.planner_off);
    let mut done = 0;
    for (data, places) in grouped(&lines) {
        let members: Vec<&Line> = places.iter().map(|place| &lines[*place]).collect();
        let ground = run.unless_stopped(prepare(warehouse, &input, data.as_ref(), &members)).await?;
        let version = ground.as_ref().ok().map(Ground::version);
        for places in places.chunks(CHUNK_CASES) {
            let chunk: Arc<Vec<Line>> = Arc::new(places.iter().map(|place| lines[*place].clone()).collect());
            let numbers: Vec<usize> = chunk.iter().map(|line| line.number).collect();
            let step = json!({ "data": version, "lines": numbers });
            let effect = || async {
                match &ground {
                    Ok(ground) => evaluate(warehouse, ground, &manner, chunk.clone()).await,
                    Err(problem) => Ok(chunk.iter().map(|line| without_ground(line, problem)).collect()),
                }
            };
            let found: Vec<CaseResult> = match (planner_off, &ground) {
                (true, Ok(_)) => chunk.iter().map(unplanned).collect(),
                _ => run.step_under(UNLESS_LOST, "cases", &step, effect).await?,
            };
            for ((place, line), mut result) in places.iter().zip(chunk.iter()).zip(found) {
                if let (Some(reader), Ok(ground)) = (&mut reader, &ground) {
                    reader.read(run, ground, line, &mut result).await?;
                }
                done += 1;
                if reader.is_some() {
                    (warehouse.progress)(&format!("evaluated {done} of {count} cases"));
                }
                results[*place] = Some(result);
            }
            (warehouse.progress)(&format!("evaluated {done} of {count} cases"));
        }
    }
    let results: Vec<CaseResult> = results.into_iter().flatten().collect();
    let mut document = summary(run.id(), &results);
    document.model = reader.map(Reader::into_total);
    let document = document.to_json();
    run.add_artifact(RESULTS_FILE, "application/jsonl", as_lines(&results)?).await?;
    Ok(Finish::succeeded(document))
}

fn as_lines(results: &[CaseResult]) -> Result<Vec<u8>, Problem> {
    let mut text = Vec::new();
    for result in results {
        serde_json::to_writer(&mut text, result).map_err(internal)?;
        text.push(b'\n');
    }
    Ok(text)
}

fn weights(file: Option<&FileInput>) -> Result<Weights, Problem> {
    let Some(file) = file else { return Ok(Weights::built_in().clone()) };
    let text = file.read(WEIGHTS_BYTES_MAX)?;
    let parsed = String::from_utf8(text).map_err(|error| error.to_string()).and_then(|text| Weights::parse(&text));
    parsed.map_err(|message| {
        Problem::new(Code::FileFormat, format!("`{}`: {message}", file.path.display()))
            .hint("a line is a feature's name, a tab and a number")
    })
}

/// The places of the lines that share a prepared file, in the order in which each was first named; lines that are no
/// cases share nothing.
fn grouped(lines: &[Line]) -> Vec<(Option<Shared>, Vec<usize>)> {
    let mut groups: Vec<(Option<Shared>, Vec<usize>)> = Vec::new();
    let mut known: HashMap<Option<Shared>, usize> = HashMap::new();
    for (place, line) in lines.iter().enumerate() {
        let shared = line.case.as_ref().ok().map(|case| match &case.data {
            Data::Dataset(names) => Shared::Dataset(names.clone()),
            Data::Tables(_) => Shared::Tables,
        });
        let group = *known.entry(shared.clone()).or_insert_with(|| {
            groups.push((shared, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(place);
    }
    groups
}

/// What lines may have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shared {
    Dataset(Vec<String>),
    Tables,
}

/// The prepared file of a group; the inner problem is one of its cases, the outer one of the whole evaluation.
async fn prepare(
    warehouse: &Warehouse,
    input: &EvalInput,
    shared: Option<&Shared>,
    lines: &[&Line],
) -> Result<Result<Ground, Problem>, Problem> {
    let prepared = match shared {
        Some(Shared::Dataset(names)) => dataset(warehouse, &input.directory, names).await,
        Some(Shared::Tables) => tables(warehouse, input.tables.as_ref(), lines).await,
        None => Err(Problem::new(Code::FileFormat, "the line is no case")),
    };
    match prepared {
        Err(problem) if !is_about_the_data(problem.code) => Err(problem),
        other => Ok(other),
    }
}

/// Whether a problem says something of what was named, rather than of this machine or this moment.
fn is_about_the_data(code: Code) -> bool {
    matches!(
        code,
        Code::Usage
            | Code::DatasetUnknown
            | Code::TableUnknown
            | Code::FileUnreadable
            | Code::FileFormat
            | Code::InputChanged
    )
}

async fn dataset(warehouse: &Warehouse, directory: &Path, names: &[String]) -> Result<Ground, Problem> {
    let datasets = warehouse.datasets();
    let placed = |name: &String| match directory.join(name) {
        path if !datasets.is_dataset(name) && path.exists() => path.display().to_string(),
        _ => name.clone(),
    };
    let names: Vec<String> = names.iter().map(placed).collect();
    let resolved = Resolved::of(warehouse, DataNames::with_paths(datasets).source(&names)?).await?;
    let prepared = Arc::new(resolved.prepare(warehouse).await?);
    let (indexed, indexes) = (prepared.clone(), warehouse.indexes.clone());
    let index = blocking(move || indexes.of(&indexed)).await?;
    let dataset = Arc::new(prepared.dataset.clone());
    Ok(Ground::Dataset { prepared, dataset, index })
}

async fn tables(warehouse: &Warehouse, file: Option<&FileInput>, lines: &[&Line]) -> Result<Ground, Problem> {
    let Some(file) = file else {
        return Err(Problem::new(Code::Usage, "the case names tables, and no tables file was given")
            .hint("give the file that holds them")
            .action(Choice::TablesFile));
    };
    let (hashes, path) = (warehouse.hashes(), file.path.clone());
    let (hash, state) = blocking(move || hashes.hash(&path, &mut |_| {})).await??;
    if hash != file.sha256 {
        return Err(changed(&file.path.display().to_string()));
    }
    let mut set = TableSet::prepare(warehouse, &file.path, hash, state).await?;
    let (count, broken) = set.remarks();
    if let Some(first) = broken.first() {
        (warehouse.progress)(&format!("{count} tables; lines that are none: {}, the first: {first}", broken.len()));
    }
    let named = lines.iter().filter_map(|line| match &line.case.as_ref().ok()?.data {
        Data::Tables(ids) if ids.len() > 1 => Some(ids.as_slice()),
        _ => None,
    });
    set.relate(warehouse, &named.collect::<Vec<_>>()).await?;
    Ok(Ground::Tables(Arc::new(set)))
}

/// A case that the planner is not asked.
fn unplanned(line: &Line) -> CaseResult {
    match &line.case {
        Ok(_) => CaseResult::new(line),
        Err(problem) => CaseResult::problem(line, problem),
    }
}

fn without_ground(line: &Line, problem: &Problem) -> CaseResult {
    let mut result = CaseResult::problem(line, line.case.as_ref().err().unwrap_or(problem));
    result.score(line.case.as_ref().ok().and_then(|case| case.expect.as_ref()));
    result
}
