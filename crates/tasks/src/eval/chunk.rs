//! Some cases over one prepared file: planned, computed together, and scored.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use base::{Code, Problem};
use data::{Dataset, compile};
use planner::{Index, Outcome as Planned, Reading, Refusal, Weights};
use sandbox::Outcome;
use warehouse::{Doubts, Prepared, TableSet, Warehouse, blocking};

use super::case::{Case, Data, Line};
use super::result::{CaseResult, Status};
use crate::ask::{disagreement, known_by, known_without_recomputing, unfinished};
use crate::query::batch::{Done, Job, run_all};

/// Threads that plan at most.
const THREADS_MAX: usize = 8;

/// What questions are asked of: one prepared file.
#[derive(Clone)]
pub enum Ground {
    /// A dataset as `ask` has it.
    Dataset {
        /// While it is held, nobody removes it.
        prepared: Arc<Prepared>,
        /// The same for who keeps it while planning.
        dataset: Arc<Dataset>,
        /// What planning looks up in it.
        index: Arc<Index>,
    },
    /// Tables, of which each question names some.
    Tables(Arc<TableSet>),
}

impl Ground {
    /// The version of its contents.
    pub fn version(&self) -> &str {
        match self {
            Ground::Dataset { prepared, .. } => prepared.dataset.version.as_str(),
            Ground::Tables(set) => set.version.as_str(),
        }
    }

    pub fn file(&self) -> PathBuf {
        match self {
            Ground::Dataset { prepared, .. } => prepared.file.clone(),
            Ground::Tables(set) => set.file.clone(),
        }
    }

    pub fn doubts(&self) -> Doubts {
        match self {
            Ground::Dataset { prepared, .. } => prepared.doubts(),
            Ground::Tables(_) => Doubts::default(),
        }
    }
}

/// How questions are planned and which are answered.
#[derive(Clone)]
pub struct Manner {
    /// The ranker's weights.
    pub weights: Arc<Weights>,
    /// Whether the best reading is answered also where it would be refused.
    pub answer_all: bool,
}

/// A case on its way: what is known of it, and what is still to be computed.
struct Begun {
    result: CaseResult,
    wanted: Option<Wanted>,
}

struct Wanted {
    dataset: Arc<Dataset>,
    reading: Reading,
    sql: String,
}

/// What became of these cases, in their order.
pub async fn evaluate(
    warehouse: &Warehouse,
    ground: &Ground,
    manner: &Manner,
    lines: Arc<Vec<Line>>,
) -> Result<Vec<CaseResult>, Problem> {
    let (planned_over, planned_in, asked) = (ground.clone(), manner.clone(), lines.clone());
    let begun = blocking(move || plan_all(&planned_over, &planned_in, &asked)).await??;
    let jobs: Vec<Job> = begun
        .iter()
        .filter_map(|begun| begun.wanted.as_ref())
        .map(|wanted| Job { dataset: &wanted.dataset, plan: &wanted.reading.plan, sql: &wanted.sql })
        .collect();
    let mut done = run_all(warehouse, &ground.file(), &jobs).await?.into_iter();
    let mut results = Vec::with_capacity(begun.len());
    for (line, Begun { mut result, wanted }) in lines.iter().zip(begun) {
        if let Some(wanted) = wanted {
            let done = done.next().ok_or_else(|| Problem::new(Code::Internal, "a plan was not computed"))?;
            conclude(&mut result, &wanted, done, ground.doubts())?;
        }
        result.score(line.case.as_ref().ok().and_then(|case| case.expect.as_ref()));
        results.push(result);
    }
    Ok(results)
}

/// Plans every case, on all processors.
fn plan_all(ground: &Ground, manner: &Manner, lines: &[Line]) -> Result<Vec<Begun>, Problem> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let share = lines.len().div_ceil(threads).max(1);
    let plan_some =
        |lines: &[Line]| lines.iter().map(|line| begin(ground, manner, line)).collect::<Result<Vec<_>, _>>();
    thread::scope(|scope| {
        let workers: Vec<_> = lines.chunks(share).map(|lines| scope.spawn(move || plan_some(lines))).collect();
        let mut begun = Vec::with_capacity(lines.len());
        for worker in workers {
            let planned = worker.join().map_err(|_| Problem::new(Code::Internal, "planning came to a sudden end"))?;
            begun.extend(planned?);
        }
        Ok(begun)
    })
}

fn begin(ground: &Ground, manner: &Manner, line: &Line) -> Result<Begun, Problem> {
    let case = match &line.case {
        Ok(case) => case,
        Err(problem) => return Ok(Begun { result: CaseResult::problem(line, problem), wanted: None }),
    };
    let began = Instant::now();
    let (dataset, index) = match looked_up(ground, case) {
        Ok(found) => found,
        Err(problem) => return Ok(Begun { result: CaseResult::problem(line, &problem), wanted: None }),
    };
    let mut result = CaseResult::new(line);
    let planned_at = Instant::now();
    let planned = planner::plan_weighted(&index, &manner.weights, &case.question);
    result.plan_ms = milliseconds(planned_at);
    let reading = match planned {
        Planned::Answer(answer) => {
            result.confidence = answer.confidence;
            result.would_refuse = false;
            Some(answer.reading)
        }
        Planned::Refusal(refusal) => {
            refuse(&mut result, &refusal);
            let best = refusal.best.filter(|_| manner.answer_all);
            result.confidence = if best.is_some() { refusal.best_confidence } else { 0.0 };
            best
        }
    };
    let wanted = reading.map(|reading| understand(&mut result, dataset, reading)).transpose()?;
    result.total_ms = milliseconds(began);
    Ok(Begun { result, wanted })
}

/// The tables that a case is asked of.
pub fn looked_up(ground: &Ground, case: &Case) -> Result<(Arc<Dataset>, Arc<Index>), Problem> {
    match (ground, &case.data) {
        (Ground::Dataset { dataset, index, .. }, _) => Ok((dataset.clone(), index.clone())),
        (Ground::Tables(set), Data::Tables(ids)) => {
            let dataset = set.dataset(ids)?;
            let index = Arc::new(Index::new(&dataset).complete());
            Ok((Arc::new(dataset), index))
        }
        (Ground::Tables(_), Data::Dataset(_)) => Err(Problem::new(Code::Internal, "a case is asked of other data")),
    }
}

fn understand(result: &mut CaseResult, dataset: Arc<Dataset>, reading: Reading) -> Result<Wanted, Problem> {
    let sql = compile::duckdb(&reading.plan, &dataset)
        .map_err(|problem| Problem::new(Code::Internal, format!("the planner's plan does not compile: {problem}")))?;
    result.plan = Some(reading.plan.canonical());
    result.plan_hash = Some(reading.plan.hash().to_string());
    result.reading = Some(data::describe::describe(&reading.plan, &dataset));
    Ok(Wanted { dataset, reading, sql })
}

/// Says what computing came to; what goes wrong is a refusal, as it is for whoever asks.
fn conclude(result: &mut CaseResult, wanted: &Wanted, done: Done, doubts: Doubts) -> Result<(), Problem> {
    result.total_ms = rounded(result.total_ms + done.duration_ms);
    let Some(table) = done.queried.table.as_ref().filter(|_| done.queried.outcome == Outcome::Ok) else {
        withdraw(result, &unfinished(&done.queried)?);
        return Ok(());
    };
    let plan = &wanted.reading.plan;
    let known = known_without_recomputing(plan, &wanted.dataset, table)
        .or_else(|| done.recomputed.map(|recomputed| known_by(recomputed, &wanted.reading, table, doubts)));
    match known {
        Some(Err(difference)) => withdraw(result, &disagreement(&difference)),
        known => {
            result.known = known.and_then(Result::ok).map(|known| known.level);
            result.answer(table, &wanted.reading.focus);
        }
    }
    Ok(())
}

fn refuse(result: &mut CaseResult, refusal: &Refusal) {
    result.status = Status::Refused;
    result.would_refuse = true;
    result.reason = Some(refusal.reason.as_str().to_string());
    result.message = Some(refusal.message.clone());
}

/// A refusal shows no half of an answer.
fn withdraw(result: &mut CaseResult, refusal: &Refusal) {
    refuse(result, refusal);
    result.plan = None;
    result.plan_hash = None;
    result.reading = None;
}

fn milliseconds(since: Instant) -> f64 {
    rounded(since.elapsed().as_secs_f64() * 1e3)
}

/// To microseconds.
fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1e3).round() / 1e3
}
