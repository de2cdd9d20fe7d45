//! The task `ask/1`: a question becomes a plan, SQL, a checked query, a recomputation and a sentence, or a refusal.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use base::{Action, Code, Document, Problem, Table};
use data::plan::Plan;
use data::{Dataset, compile};
use flow::{Finish, FoundBy, Recall, Run};
use planner::{Assumption, Outcome as Planned, Reading, Reason, Refusal};
use sandbox::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::{spawn_blocking, yield_now};
use warehouse::{Doubts, Prepared, Warehouse};

use crate::answer::{Answer, AnswerStatus, By, Known, declare};
use crate::background::Background;
use crate::by_model::{self, Before, ModelUse, Over};
use crate::context::Context;
use crate::follow_ups::previous;
use crate::query::{Kernel, ORACLE_ROWS_MAX, Queried, Recomputed, UNLESS_LOST, rows_read};
use crate::task::{internal, milliseconds, parse_input, unchanged};
use crate::whole::{self, FileForm, unlimited};
use crate::{answer_cache, invariants};

/// What is asked, of what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskInput {
    /// As the user named it.
    pub data: Vec<String>,
    /// Its version when the run began.
    pub version: String,
    /// In the user's words.
    pub question: String,
    /// Whether to answer with the best reading also where it would be refused.
    pub answer_all: bool,
    /// Which of several readings the user chose, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<usize>,
    /// Whether to compute it also where the answer is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_cache: bool,
    /// The thread in which it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Whether every row is also written to a file of the run, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileForm>,
    /// The model that reads what the planner does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelUse>,
}

/// Answers one question.
pub async fn ask(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let warehouse = &context.warehouse;
    let started = Instant::now();
    let input: AskInput = parse_input(input)?;
    let resolved = run.unless_stopped(unchanged(warehouse, &input.data, &input.version)).await?;
    let before = match &input.thread {
        Some(thread) => run.latest_in(thread).await?.filter(|found| found.output["dataset"]["id"] == resolved.id),
        None => None,
    };
    let continues = before.is_some();
    let follows = before.as_ref().and_then(|found| found.output["plan_hash"].as_str());
    let recall = answer_cache::key(context, &input, &resolved, follows);
    let is_new = answer_cache::is_passed_over(&input) || run.will_perform() && answer_cache::is_noted(context, &input);
    if !is_new && let Some(found) = run.found_by_key(&recall.key).await? {
        let answer = answer_cache::again(context, found, run.id(), &input, started);
        return Ok(findable(run, Finish::succeeded(answer), Some(recall), input.thread));
    }
    let prepared = Arc::new(run.unless_stopped(resolved.prepare(warehouse)).await?);
    let (indexed, indexes) = (prepared.clone(), warehouse.indexes.clone());
    let indexing = spawn_blocking(move || indexes.of(&indexed));
    let mut cells = Cells::new(warehouse, &prepared);
    if run.will_perform() {
        run.unless_stopped(cells.start()).await?;
    }
    let mut answer = Answer::new(run.id(), &input.question, &prepared.dataset);
    answer.notes = prepared.remarks.iter().map(|remark| remark.message.clone()).collect();
    let planned_at = Instant::now();
    let by_code = before.as_ref().and_then(|found| Before::of(&found.output));
    let previous = before.and_then(|found| previous(&prepared.dataset, &found.output));
    let index = indexing.await.map_err(internal)?;
    let asks_by_itself = input.reading.is_none() && !input.model.as_ref().is_some_and(|model| model.planner_off);
    let about = asks_by_itself.then(|| planner::about(&index, &input.question)).flatten();
    let unclear = match about {
        Some(Ok(about)) => {
            crate::about::answer(run, &mut cells.query, &prepared, about, &mut answer).await?;
            cells.query.retire();
            answer.timing_ms.total = milliseconds(started);
            let (answered, document) = (answer.status == AnswerStatus::Answered, answer.to_json());
            let finish = if answered { Finish::succeeded(document) } else { Finish::rejected(document) };
            // What is asked next in a thread continues what was computed in it.
            return Ok(findable(run, finish, None, None));
        }
        Some(Err(refusal)) => Some(refusal),
        None => None,
    };
    let planned = match (unclear, previous) {
        (Some(refusal), _) => Planned::Refusal(*refusal),
        _ if input.model.as_ref().is_some_and(|model| model.planner_off) => {
            Planned::Refusal(Refusal::new(Reason::Unsupported, "the planner was not asked"))
        }
        // What continues a model's answer means nothing by itself.
        (None, None) if by_code.is_some() && input.model.is_some() => {
            Planned::Refusal(Refusal::new(Reason::Unsupported, "the question continues one that a model read"))
        }
        (None, Some(previous)) => planner::plan_after(&index, &previous, &input.question),
        (None, None) => planner::plan_with(&index, &input.question),
    };
    answer.timing_ms.plan = milliseconds(planned_at);
    let planned = match planned {
        Planned::Refusal(refusal) if refusal.suggestions.is_empty() => {
            Planned::Refusal(planner::with_suggestions(&index, &input.question, refusal))
        }
        answer => answer,
    };
    let reading = choose(&mut answer, planned, &input, &prepared)?;
    if let Some(reading) = reading {
        compute(run, cells, &prepared, &reading, &mut answer).await?;
        let is_cut = answer.table.as_ref().is_some_and(|table| table.truncated);
        if let (Some(form), AnswerStatus::Answered) = (input.file.filter(|form| form.is_needed(is_cut)), answer.status)
            && let Some(sql) = unlimited(&reading.plan, &prepared.dataset)
        {
            whole::write(run, warehouse, &prepared, &sql, form).await?;
        }
    } else {
        cells.query.retire();
        let reason = answer.refusal.as_ref().map(|refusal| refusal.reason);
        if let Some(using) = input.model.as_ref().filter(|_| reason.is_none_or(a_model_may_read)) {
            let over = Over::all_of(&prepared, &index, &input.data);
            by_model::answer(run, context, using, over, by_code.as_ref(), &mut answer).await?;
        }
    }
    if let Some(plan) = &answer.plan_computed {
        answer.remembered = warehouse.notes().touching(&input.data, plan);
    }
    answer.timing_ms.total = milliseconds(started);
    let document = answer.to_json();
    let (answered, recall) = (answer.status == AnswerStatus::Answered, Some(recall).filter(|_| answer.repeatable));
    let finish = if answered { Finish::succeeded(document) } else { Finish::rejected(document) };
    // A thread begins with an answer.
    Ok(findable(run, finish, recall.filter(|_| answered), input.thread.filter(|_| answered || continues)))
}

/// Whether a model may read what the planner refused: not what asks to change something or is too long.
fn a_model_may_read(reason: Reason) -> bool {
    !matches!(reason, Reason::WriteRequested | Reason::Limit)
}

/// A finish that later questions find; what came from a stranger is found by none.
fn findable(run: &Run, finish: Finish, recall: Option<Recall>, thread: Option<String>) -> Finish {
    if run.is_imported() {
        return finish;
    }
    Finish { found_by: FoundBy { recall, thread }, ..finish }
}

/// The reading to compute: the planner's, or the one that the user chose. What else there is stands in the answer.
fn choose(
    answer: &mut Answer,
    planned: Planned,
    input: &AskInput,
    prepared: &Prepared,
) -> Result<Option<Reading>, Problem> {
    let (best, others, confidence, refusal) = match planned {
        Planned::Answer(found) => (Some(found.reading), found.others, found.confidence, None),
        Planned::Refusal(mut refusal) => {
            let (best, others) = (refusal.best.take(), std::mem::take(&mut refusal.others));
            (best, others, refusal.best_confidence, Some(refusal))
        }
    };
    let mut readings: Vec<Reading> = best.into_iter().chain(others).collect();
    // A reading that leaves words aside is none to choose from.
    let overhears =
        |refusal: &Refusal| matches!(refusal.reason, Reason::UnknownWord | Reason::NotAboutData | Reason::Unsupported);
    if refusal.as_ref().is_some_and(overhears) && !input.answer_all {
        readings.clear();
    }
    // Nobody can choose between two that are said alike.
    let mut said = HashSet::new();
    readings.retain(|reading| said.insert(data::describe::describe(&reading.plan, &prepared.dataset)));
    answer.offer(&readings, &prepared.dataset);
    if let Some(number) = input.reading {
        return chosen(answer, readings, number, confidence).map(Some);
    }
    let mut best = readings.into_iter().next();
    if let Some(refusal) = refusal {
        answer.refuse(&refusal, declare(&refusal, &prepared.dataset));
        best = best.filter(|_| input.answer_all);
    }
    if best.is_some() {
        answer.confidence = confidence;
    }
    Ok(best)
}

fn chosen(answer: &mut Answer, mut readings: Vec<Reading>, number: usize, confidence: f64) -> Result<Reading, Problem> {
    let there = readings.len();
    let at = number.checked_sub(1).filter(|at| *at < there).ok_or_else(|| {
        let count = if there == 1 { "1 reading".to_string() } else { format!("{there} readings") };
        let problem = Problem::new(Code::Usage, format!("the question has {count}, and no reading {number}"));
        if there == 0 { problem.hint("ask without choosing one") } else { problem.action(Action::ListReadings) }
    })?;
    let mut reading = readings.swap_remove(at);
    let text = format!("reading {number} of {there}, as you chose");
    reading.assumptions.push(Assumption { code: "reading_chosen".to_string(), text });
    answer.confidence = if at == 0 { confidence } else { reading.confidence() };
    Ok(reading)
}

/// Executes a reading and verifies it; what goes wrong becomes a refusal.
async fn compute<'a>(
    run: &mut Run,
    cells: Cells<'a>,
    prepared: &Prepared,
    reading: &'a Reading,
    answer: &mut Answer,
) -> Result<(), Problem> {
    let dataset = &prepared.dataset;
    let sql = compile::duckdb(&reading.plan, dataset)
        .map_err(|problem| Problem::new(Code::Internal, format!("the planner's plan does not compile: {problem}")))?;
    answer.understand(reading, dataset, &sql);
    let executed_at = Instant::now();
    let input = json!({ "dataset": dataset.version, "sql": sql });
    let (kernel, recomputed) = cells.recomputing_ahead(reading);
    let (kernel, recomputed) = (Mutex::new(kernel), Mutex::new(recomputed));
    let effect = || async {
        let query = async { kernel.lock().await.query_plan(&reading.plan, &sql).await };
        recomputed.lock().await.beside(query).await
    };
    let queried: Queried = run.step_under(UNLESS_LOST, "execute", &input, effect).await?;
    answer.timing_ms.execute = milliseconds(executed_at);
    let Some(table) = queried.table.clone().filter(|_| queried.outcome == Outcome::Ok) else {
        kernel.into_inner().retire();
        answer.withdraw();
        answer.refuse(&unfinished(&queried)?, None);
        return Ok(());
    };
    let verified_at = Instant::now();
    // While the recomputation goes on.
    answer.tell(reading, dataset, table.clone(), &queried);
    let input = json!({ "dataset": dataset.version, "plan_hash": reading.plan.hash() });
    let effect = || async {
        let (mut kernel, mut recomputed) = tokio::join!(kernel.lock(), recomputed.lock());
        verify(&mut kernel, &mut recomputed, prepared, reading, &queried).await
    };
    let known: Result<Known, String> = run.step_under(UNLESS_LOST, "verify", &input, effect).await?;
    answer.timing_ms.verify = milliseconds(verified_at);
    kernel.into_inner().retire();
    match known {
        Ok(known) => {
            answer.status = AnswerStatus::Answered;
            if answer.chart.is_none() && reading.chart.is_some() {
                answer.notes.push(
                    "no chart is drawn: it would show no more than the table, or only a part of the rows".to_string(),
                );
            }
            answer.plan_computed = Some(reading.plan.clone());
            answer.repeatable = known.by == By::Oracle || rows_read(&reading.plan, dataset) > ORACLE_ROWS_MAX;
            answer.known = Some(known);
        }
        Err(difference) => {
            answer.withdraw();
            answer.refuse(&disagreement(&difference), None);
        }
    }
    Ok(())
}

/// The cells of one question: one for its query and, where they come warm, one for its recomputation.
struct Cells<'a> {
    warehouse: &'a Warehouse,
    prepared: &'a Prepared,
    query: Kernel<'a>,
    oracle: Background<'a, Kernel<'a>>,
}

impl<'a> Cells<'a> {
    /// None yet.
    fn new(warehouse: &'a Warehouse, prepared: &'a Prepared) -> Cells<'a> {
        Cells { warehouse, prepared, query: Kernel::sharing(warehouse, prepared), oracle: Background::Nothing }
    }

    /// Starts them, so that they come up while the question is planned. The second only where cells are ready, because
    /// making one more takes longer than waiting for the first, and only where any plan over the data is recomputed.
    async fn start(&mut self) -> Result<(), Problem> {
        self.query.start().await?;
        let rows: u64 = self.prepared.dataset.tables.iter().map(|table| table.rows).sum();
        if self.query.is_warm() && rows <= ORACLE_ROWS_MAX {
            let mut oracle = Kernel::sharing(self.warehouse, self.prepared);
            oracle.start().await?;
            self.oracle = Background::of(async move {
                // Why it could not be opened shows when it is asked for the first time.
                let _ = oracle.open().await;
                oracle
            });
            // So that opening has begun; it goes on in the cell.
            self.oracle.beside(yield_now()).await;
        }
        Ok(())
    }

    /// The cell for the query, and a recomputation beside it where cells are ready: it needs nothing of the query.
    fn recomputing_ahead(mut self, reading: &'a Reading) -> (Kernel<'a>, Background<'a, Result<Recomputed, Problem>>) {
        if !self.query.is_warm() || rows_read(&reading.plan, &self.prepared.dataset) > ORACLE_ROWS_MAX {
            return (self.query, Background::Nothing);
        }
        let recomputing = async move {
            let opened = self.oracle.result().await;
            let mut kernel = opened.unwrap_or_else(|| Kernel::sharing(self.warehouse, self.prepared));
            let recomputed = kernel.recompute(&reading.plan).await;
            kernel.retire();
            recomputed
        };
        (self.query, Background::of(recomputing))
    }
}

/// How the result is known; the inner error is a disagreement, which is an outcome and not a problem.
async fn verify(
    kernel: &mut Kernel<'_>,
    recomputed: &mut Background<'_, Result<Recomputed, Problem>>,
    prepared: &Prepared,
    reading: &Reading,
    queried: &Queried,
) -> Result<Result<Known, String>, Problem> {
    let Some(table) = &queried.table else { return Ok(Err("there is no table".to_string())) };
    if let Some(known) = known_without_recomputing(&reading.plan, &prepared.dataset, table) {
        return Ok(known);
    }
    let recomputed = match recomputed.result().await {
        Some(recomputed) => recomputed?,
        None => kernel.recompute(&reading.plan).await?,
    };
    let known = known_by(recomputed, reading, table, prepared.doubts());
    match (&queried.whole, known) {
        (Some(whole), Ok(known)) if known.by == By::Oracle => known_of_all(kernel, reading, whole, known).await,
        (_, known) => Ok(known),
    }
}

/// The same for what is said of rows that are not listed.
async fn known_of_all(
    kernel: &mut Kernel<'_>,
    reading: &Reading,
    whole: &Table,
    listed: Known,
) -> Result<Result<Known, String>, Problem> {
    let only = |reason: String| {
        Known::checked(By::Oracle, format!("{}; only of the rows that are listed: {reason}", listed.note))
    };
    if whole.truncated {
        return Ok(Ok(only(format!("{} rows are too many to recompute", whole.row_count))));
    }
    Ok(match kernel.recompute_whole(&reading.plan).await? {
        Recomputed::Table(other) => data::agree::agree(&reading.plan, &other, whole).map(|()| listed),
        Recomputed::Nothing(reason) => Ok(only(reason)),
    })
}

/// What follows from the result alone, where that is enough: it cannot be right, or it is too large to recompute.
pub(crate) fn known_without_recomputing(
    plan: &Plan,
    dataset: &Dataset,
    table: &Table,
) -> Option<Result<Known, String>> {
    if let Some(violated) = invariants::violated(plan, dataset, table) {
        return Some(Err(violated));
    }
    let rows = rows_read(plan, dataset);
    (rows > ORACLE_ROWS_MAX).then(|| {
        let note = format!("{rows} rows are too many to recompute; counts, columns and bounds hold");
        Ok(Known::checked(By::Invariants, note))
    })
}

/// What follows from computing the same another way.
pub(crate) fn known_by(
    recomputed: Recomputed,
    reading: &Reading,
    table: &Table,
    doubts: Doubts,
) -> Result<Known, String> {
    match recomputed {
        Recomputed::Table(other) => data::agree::agree(&reading.plan, &other, table).map(|()| {
            if let Some(doubts) = doubts.note() {
                Known::checked(By::Oracle, format!("computed twice, in two ways, equal; {doubts}"))
            } else if reading.ambiguous {
                Known::checked(
                    By::Oracle,
                    "computed twice, in two ways, equal; the question could be read another way too",
                )
            } else {
                Known::verified()
            }
        }),
        Recomputed::Nothing(reason) => Ok(Known::checked(By::Invariants, format!("not recomputed: {reason}"))),
    }
}

/// The refusal of a result that is not what another computation gives.
pub(crate) fn disagreement(difference: &str) -> Refusal {
    Refusal::new(Reason::Disagreement, format!("computed two ways, the results differ: {difference}"))
}

/// Why a plan gave no table. That our own policy refuses our own SQL is a fault of ours.
pub(crate) fn unfinished(queried: &Queried) -> Result<Refusal, Problem> {
    let (reason, message) = match (&queried.killed_by, &queried.error) {
        (Some(by), _) => (Reason::Limit, format!("the query reached its limit of {by:?}").to_lowercase()),
        (None, Some(error)) => (Reason::Unsupported, format!("the query failed: {}", error.message)),
        (None, None) => {
            let finding = queried.findings.first().map_or("no reason given", |finding| finding.message.as_str());
            return Err(Problem::new(Code::Internal, format!("the compiled query was refused: {finding}"))
                .hint("please report the question"));
        }
    };
    let suggestions = vec!["ask about fewer rows, such as one period or one category".to_string()];
    Ok(Refusal { suggestions, ..Refusal::new(reason, message) })
}
