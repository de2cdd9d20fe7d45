//! Cases that a model reads: one after another, each as `ask` would, within one budget for all.

use base::{Code, Problem, Table};
use flow::Run;
use planner::Reason;

use super::case::{Case, Data, Line};
use super::chunk::{Ground, looked_up};
use super::result::{ByModel, CaseResult, Status, says};
use crate::answer::{Answer, AnswerModel, AnswerStatus, Cost};
use crate::by_model::{self, ModelUse, Over};
use crate::context::Context;

/// A model that is asked case after case.
pub struct Reader<'a> {
    context: &'a Context,
    using: &'a ModelUse,
    spent: Cost,
    spent_ms: u64,
}

impl<'a> Reader<'a> {
    /// That has read nothing yet.
    pub fn new(context: &'a Context, using: &'a ModelUse) -> Reader<'a> {
        Reader { context, using, spent: Cost::default(), spent_ms: 0 }
    }

    /// What was asked, and what all of it cost.
    pub fn into_total(self) -> AnswerModel {
        AnswerModel { name: self.using.name.clone(), cost: self.spent }
    }

    /// Reads a case that the planner refused or was not asked; leaves every other as it is.
    pub async fn read(
        &mut self,
        run: &mut Run,
        ground: &Ground,
        line: &Line,
        result: &mut CaseResult,
    ) -> Result<(), Problem> {
        let Some(case) = line.case.as_ref().ok().filter(|_| may_read(result)) else { return Ok(()) };
        match self.answer(run, ground, case).await {
            Ok((answer, Ok(at_once))) => {
                let first = at_once.map(|table| {
                    let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
                    (names, table.rows)
                });
                let is_right = |expect| first.as_ref().is_some_and(|(names, rows)| says(expect, names, rows));
                let right_at_once = case.expect.as_ref().map(is_right);
                take(result, answer);
                result.model = result.model.take().map(|model| ByModel { right_at_once, ..model });
            }
            Ok((answer, Err(problem))) => {
                *result = CaseResult::problem(line, &problem);
                result.model = Some(of_model(answer));
            }
            Err(problem) if problem.code == Code::TableUnknown => *result = CaseResult::problem(line, &problem),
            Err(problem) => return Err(problem),
        }
        result.score(case.expect.as_ref());
        Ok(())
    }

    /// What became of a case, with what the first code gave or the problem that is the case's own.
    async fn answer(
        &mut self,
        run: &mut Run,
        ground: &Ground,
        case: &Case,
    ) -> Result<(Answer, Result<Option<Table>, Problem>), Problem> {
        let (dataset, index) = looked_up(ground, case)?;
        let file = ground.file();
        let names: &[String] = match &case.data {
            Data::Dataset(names) => names,
            Data::Tables(_) => &[],
        };
        let over = Over { file: &file, dataset: &dataset, index: &index, doubts: ground.doubts(), names };
        let mut answer = Answer::new(run.id(), &case.question, &dataset);
        let left = self.left();
        let came = match by_model::answer(run, self.context, &left, over, None, &mut answer).await {
            Err(problem) if !is_of_the_case(problem.code) => return Err(problem),
            came => came,
        };
        self.spent_ms += answer.timing_ms.execute as u64;
        if let Some(model) = &answer.model {
            self.spent.add_all(&model.cost);
        }
        Ok((answer, came))
    }

    /// The model with what is left of the budget for all cases.
    fn left(&self) -> ModelUse {
        // A measurement is of the model, not of what was learned from the cases before, nor of what goes beyond the answer.
        let mut using = ModelUse { remembers: false, extras: false, ..self.using.clone() };
        let budget = &mut using.budget;
        budget.tokens_max = budget.tokens_max.map(|most| most.saturating_sub(self.spent.tokens.total()));
        budget.usd_max = budget.usd_max.map(|most| (most - self.spent.usd.unwrap_or_default()).max(0.0));
        budget.seconds_max = budget.seconds_max.map(|most| most.saturating_sub(self.spent_ms / 1_000));
        using
    }
}

/// Whether the planner left the case to a model: what it read and could not compute is not read again.
fn may_read(result: &CaseResult) -> bool {
    let is_said = |reason: &&Reason| result.reason.as_deref() == Some(reason.as_str());
    let never = [Reason::WriteRequested, Reason::Limit, Reason::Disagreement];
    result.status == Status::Refused && !never.iter().any(|reason| is_said(&reason))
}

/// Whether a problem is about one case, so that the others can be asked.
fn is_of_the_case(code: Code) -> bool {
    matches!(code, Code::BudgetExhausted | Code::ModelRefused | Code::ModelTruncated)
}

/// What became of the question, as the case's result.
fn take(result: &mut CaseResult, mut answer: Answer) {
    result.confidence = answer.confidence;
    result.total_ms += answer.timing_ms.execute;
    match (answer.status, answer.table.take(), answer.refusal.take()) {
        (AnswerStatus::Answered, Some(table), _) => {
            result.answer(&table, answer.focus.as_deref().unwrap_or_default());
            result.would_refuse = false;
            result.reason = None;
            result.message = None;
            result.known = answer.known.as_ref().map(|known| known.level);
            result.reading = answer.reading.take();
        }
        (_, _, refusal) => {
            result.status = Status::Refused;
            result.reason = refusal.as_ref().map(|refusal| refusal.reason.as_str().to_string());
            result.message = refusal.map(|refusal| refusal.message);
        }
    }
    result.model = Some(of_model(answer));
}

fn of_model(answer: Answer) -> ByModel {
    ByModel {
        code: answer.code,
        attempts: answer.attempts,
        derivations: answer.derivations.len(),
        critique: answer.critique,
        cost: answer.model.map(|model| model.cost).unwrap_or_default(),
        right_at_once: None,
    }
}
