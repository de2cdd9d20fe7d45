//! Answers a question with a model: it writes code, our code checks it, runs it and decides what is known.
//!
//! The machine of `agent` decides; this file performs: each request to the model and each execution is a step, so that a
//! resumed run pays for nothing twice and a replayed one needs no model. What a budget has left is counted from what is
//! recorded, never from the clock, so that both decide alike.

mod execute;
mod mend;
mod plan;
mod prompt;
mod result;
mod sample;
mod summary;

use std::path::Path;

use agent::{Action, End, Language, Machine, Outcome as Came, Policy, Ran, Writing, Written};
use base::{Cell, Code, Hash, Problem, Table};
use data::Dataset;
use flow::Run;
use model::{Family, Reply, Request};
use planner::{Index, Reason, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use warehouse::{Doubts, Prepared};

use self::execute::Executed;
use self::prompt::Prompts;
use self::sample::Sample;
use crate::answer::{Answer, AnswerModel, AnswerSource, AnswerStatus, By, Derivation, Known, Level};
use crate::context::Context;
use crate::eval::same_rows;
use crate::replies::Replies;

/// How a model may be used for one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// As the user named it.
    pub name: String,
    /// Whether the planner is not asked first.
    #[serde(default)]
    pub planner_off: bool,
    /// How many derivations are wanted: 1 or 2.
    pub derivations: u8,
    /// What may be spent.
    #[serde(default)]
    pub budget: Budget,
    /// How many rows of each table the model is shown, without columns that look personal; none in runs from before there
    /// were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// Whether programs find SciPy and scikit-learn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learning: bool,
}

impl ModelUse {
    /// Whether the run was begun by a program that shows rows, mends names and sums up. What was begun before goes on
    /// without, so that it meets the steps it recorded.
    fn looks_closer(&self) -> bool {
        self.rows.is_some()
    }
}

/// Rows that a model is shown where nobody says otherwise.
pub const EXAMPLE_ROWS: u32 = 3;

/// What one run may spend on a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Of all kinds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u64>,
    /// Where the model has prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_max: Option<f64>,
    /// That replies took together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_max: Option<u64>,
}

/// What all runs of this machine may spend on models in a day, in UTC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DayBudget {
    /// Of all kinds together.
    pub tokens_max: Option<u64>,
    /// By the prices of models that have some.
    pub usd_max: Option<f64>,
}

impl DayBudget {
    /// The problem, where what was spent has used it up.
    pub(crate) fn exhausted_by(&self, spent: DaySpent) -> Option<Problem> {
        let DaySpent { tokens, usd, .. } = spent;
        let (spent, setting) = if self.tokens_max.is_some_and(|most| tokens >= most) {
            (format!("{tokens} tokens"), "budget.day.tokens")
        } else if self.usd_max.is_some_and(|most| usd >= most) {
            (format!("${usd:.4}"), "budget.day.usd")
        } else {
            return None;
        };
        let message = format!("today's budget for models is used up: {spent} since midnight UTC");
        Some(Problem::new(Code::BudgetExhausted, message).hint(format!("the setting {setting} raises it")))
    }
}

/// What models were paid for on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DaySpent {
    /// Replies that were paid for.
    pub calls: u64,
    /// Of all kinds together.
    pub tokens: u64,
    /// By the prices of models that have some.
    pub usd: f64,
}

impl DaySpent {
    /// What the outputs of steps `model` come to. One that failed has a problem for its output, and cost nothing that is
    /// known; a recorded one was paid for before.
    pub fn of(outputs: Vec<Value>) -> DaySpent {
        let replies = outputs.into_iter().filter_map(|output| serde_json::from_value::<Reply>(output).ok());
        replies.filter(|reply| !reply.recorded).fold(DaySpent::default(), |sum, reply| DaySpent {
            calls: sum.calls + 1,
            tokens: sum.tokens.saturating_add(reply.tokens.total()),
            usd: sum.usd + reply.usd.unwrap_or_default(),
        })
    }
}

const REPAIRS_MAX: u32 = 3;
const VERDICT_TOKENS_MAX: u32 = 80;
const SUMMARY_TOKENS_MAX: u32 = 300;

/// What was asked and answered before in the thread.
pub struct Before {
    /// In the user's words.
    pub question: String,
    /// The code that answered it.
    pub code: String,
}

impl Before {
    /// Of an answer that a model's code gave.
    pub fn of(answer: &Value) -> Option<Before> {
        let text = |value: &Value| value.as_str().map(str::to_string);
        Some(Before { question: text(&answer["question"])?, code: text(&answer["code"]["text"])? })
    }
}

/// What a question is asked of: tables of a prepared file.
#[derive(Clone, Copy)]
pub struct Over<'a> {
    /// The prepared database.
    pub file: &'a Path,
    /// What is known about the tables.
    pub dataset: &'a Dataset,
    /// What plans are judged by.
    pub index: &'a Index,
    /// What keeps any answer from being certain.
    pub doubts: Doubts,
    /// What the user named, which notes are kept under.
    pub names: &'a [String],
}

impl<'a> Over<'a> {
    /// All of a prepared dataset.
    pub fn all_of(prepared: &'a Prepared, index: &'a Index, names: &'a [String]) -> Over<'a> {
        Over { file: &prepared.file, dataset: &prepared.dataset, index, doubts: prepared.doubts(), names }
    }
}

/// Answers, or says why not. What was tried and spent stands in the answer either way, also where this is a problem. Gives
/// what the very first code came to, if it came to something.
pub async fn answer(
    run: &mut Run,
    context: &Context,
    using: &ModelUse,
    over: Over<'_>,
    before: Option<&Before>,
    answer: &mut Answer,
) -> Result<Option<Table>, Problem> {
    let family = context.models.family(&using.name);
    let sample = match using.rows {
        Some(rows) => sample::take(run, &context.warehouse, over, rows, family.critique_is_gate).await?,
        None => Sample::default(),
    };
    let mut asking = Asking {
        run,
        context,
        using,
        over,
        prompts: Prompts::new(over.dataset, &sample, &answer.question, before, family.clone()).learning(using.learning),
        family,
        replies: Replies::new(context, &using.name, &using.budget),
        results: Vec::new(),
    };
    let mut machine = Machine::new(asking.policy());
    let end = loop {
        let came = match machine.next().clone() {
            Action::Write(writing, language) => asking.write(&machine, writing, language).await?,
            Action::Run(code) => asking.execute(&machine, &code).await?,
            Action::Judge => asking.judge(&machine).await?,
            Action::End(end) => break end,
        };
        machine.observe(came);
    };
    let summary = asking.sum_up(&end).await?;
    let Asking { replies, results, over, .. } = asking;
    answer.source = AnswerSource::Model;
    answer.model = Some(AnswerModel { name: using.name.clone(), cost: replies.spent().clone() });
    answer.attempts = machine.attempts().to_vec();
    answer.critique = machine.verdict().cloned();
    answer.derivations =
        machine.derivations().map(|(code, agrees)| Derivation { language: code.language, agrees }).collect();
    answer.summary = summary;
    answer.timing_ms.execute = replies.spent_ms() as f64;
    let at_once = results.first().filter(|_| machine.attempts().is_empty()).map(|gave| gave.table.clone());
    conclude(answer, &machine, &end, results, (&using.name, over))?;
    Ok(at_once)
}

/// What the end of the loop means for the answer.
fn conclude(
    answer: &mut Answer,
    machine: &Machine,
    end: &End,
    mut results: Vec<Gave>,
    (model, over): (&str, Over<'_>),
) -> Result<(), Problem> {
    let refusal = match end {
        End::Answered { derivation, agreed } => {
            if *derivation >= results.len() {
                return Err(missing("its result"));
            }
            let Gave { code, table, known: of_plan } = results.swap_remove(*derivation);
            answer.status = AnswerStatus::Answered;
            answer.refusal = None;
            answer.reading = Some(format!("what the {} code computes that {model} wrote", named(code.language)));
            answer.sql = (code.language == Language::Sql).then(|| code.text.clone());
            answer.focus = Some(table.columns.iter().map(|column| column.name.clone()).collect());
            answer.sentence = Some(result::tell(&table));
            if code.language == Language::Plan {
                plan::tell(answer, over, &code.text, &table)?;
            }
            answer.code = Some(code);
            answer.table = Some(table);
            let known = known(machine, *agreed, of_plan);
            answer.confidence = if known.level == Level::Checked { 0.9 } else { 0.6 };
            answer.known = Some(known);
            answer.repeatable = true;
            return Ok(());
        }
        End::CannotAnswer(why) => Refusal::new(Reason::NoData, format!("the data does not hold the answer: {why}")),
        End::Failed => {
            let last = machine.attempts().last().and_then(|attempt| attempt.error.clone()).unwrap_or_default();
            Refusal::new(Reason::Unsupported, format!("none of the code that {model} wrote gave a result: {last}"))
        }
        End::Disagreed => {
            let told: Vec<String> = results.iter().take(2).map(|gave| result::brief(&gave.table)).collect();
            let message = format!("computed apart, the results differ: {}", told.join(" and "));
            Refusal::new(Reason::Disagreement, message)
        }
        End::Spent(why) => return Err(Problem::new(Code::BudgetExhausted, why.clone())),
    };
    answer.refuse(&refusal, None);
    Ok(())
}

fn missing(what: &str) -> Problem {
    Problem::new(Code::Internal, format!("an answer has lost {what}")).hint("please report what you did")
}

fn named(language: Language) -> &'static str {
    match language {
        Language::Plan => "plan",
        Language::Sql => "SQL",
        Language::Python => "Python",
    }
}

/// How a model's result is known: by a second derivation, by the oracle where it is a plan's, or not at all.
fn known(machine: &Machine, agreed: Option<bool>, of_plan: Option<Known>) -> Known {
    let no = machine.verdict().filter(|verdict| verdict.is_no());
    let languages: Vec<&str> = machine.derivations().map(|(code, _)| named(code.language)).collect();
    match (agreed, no, of_plan) {
        (Some(true), no, _) => {
            let doubt = no.map(|no| format!("; the model doubts it: {}", no.reason)).unwrap_or_default();
            let note = format!("written twice, apart ({}), executed, equal{doubt}", languages.join(", "));
            Known::checked(By::None, note)
        }
        (_, Some(no), _) => Known::unverified(format!("low confidence: {}", no.reason)),
        (_, None, Some(known)) => known,
        (_, None, None) => Known::unverified("executed once; no second derivation confirms it"),
    }
}

/// One question on its way through the loop.
struct Asking<'a> {
    run: &'a mut Run,
    context: &'a Context,
    using: &'a ModelUse,
    over: Over<'a>,
    prompts: Prompts<'a>,
    family: Family,
    replies: Replies<'a>,
    results: Vec<Gave>,
}

/// What a derivation gave.
struct Gave {
    /// As it was executed.
    code: agent::Code,
    table: Table,
    /// Of a plan.
    known: Option<Known>,
}

impl Asking<'_> {
    fn policy(&self) -> Policy {
        let first = match self.family.action {
            model::Action::Plan => Language::Plan,
            model::Action::Python => Language::Python,
            model::Action::Sql => Language::Sql,
        };
        // A small model is better at a second sample of what it can than at another language.
        let second = match (self.family.critique_is_gate, first) {
            (true, Language::Sql) => Language::Python,
            (true, _) => Language::Sql,
            (false, first) => first,
        };
        Policy {
            repairs_max: REPAIRS_MAX,
            languages: (first, (self.using.derivations > 1).then_some(second)),
            judges: true,
            verdict_counts: self.family.critique_is_gate,
        }
    }

    async fn write(&mut self, machine: &Machine, writing: Writing, language: Language) -> Result<Came, Problem> {
        let mut request = self.prompts.code(machine, writing, language);
        match writing {
            Writing::First => {}
            // Asked in the same way, a small model writes what failed once more.
            Writing::Repair => self.vary(&mut request, "repair", machine.attempts().len()),
            Writing::Again(number) => self.vary(&mut request, "again", number as usize),
        }
        let Some(reply) = self.ask(&request, "code").await? else { return Ok(Came::Spent(self.replies.exhausted())) };
        let text = request.begun().to_string() + &reply.text;
        Ok(match agent::read(&text, language) {
            Written::Code(code) => Came::Wrote(code),
            // A small model likes to say that a column is not there which it was shown.
            Written::Cannot(why) => match self.prompts.contradicts(&why) {
                Some(error) => Came::WroteNoCode { text, error },
                None => Came::SaidCannot(why),
            },
            Written::Neither => {
                let error = format!("there is no {} code in the reply", language.as_str());
                Came::WroteNoCode { text, error }
            }
        })
    }

    /// Another sample, the same whenever the question is asked.
    fn vary(&self, request: &mut Request, why: &str, number: usize) {
        let is_asked_in_the_same_words = why == "again" && number > 1;
        if self.family.critique_is_gate && !is_asked_in_the_same_words {
            return;
        }
        let digest = Hash::of(format!("{} {why} {number}", self.prompts.question).as_bytes());
        // Larger models choose how freely they write; a seed alone still makes it another request.
        request.temperature = (!self.family.critique_is_gate).then_some(0.7).or(request.temperature);
        request.seed = u64::from_str_radix(&digest.as_str()[..8], 16).ok();
    }

    async fn execute(&mut self, machine: &Machine, code: &agent::Code) -> Result<Came, Problem> {
        let (code, executed) = self.execute_mended(code).await?;
        let Executed { outcome, table, error, findings, known } = executed;
        let Some(table) = table else {
            let error = error.unwrap_or_else(|| "it gave no result".to_string());
            let error = self.prompts.with_facts(&error, &code.text);
            return Ok(Came::Ran(Ran::Nothing { outcome, error, findings }));
        };
        if machine.replaces() {
            self.results.clear();
        }
        let decimals = mend::decimals_asked(&self.prompts.question).filter(|_| self.using.looks_closer());
        let agrees = self.results.iter().map(|earlier| is_same(&earlier.table, &table, decimals)).collect();
        self.results.push(Gave { code, table, known });
        Ok(Came::Ran(Ran::Gave(agrees)))
    }

    /// Executes code and, where it is plain what is wrong with it, the same without that.
    async fn execute_mended(&mut self, code: &agent::Code) -> Result<(agent::Code, Executed), Problem> {
        let mut code = code.clone();
        let mut mends = if self.using.looks_closer() { mend::MENDS_MAX } else { 0 };
        loop {
            let question = &self.prompts.question;
            let executed = execute::execute(self.run, self.context, self.over, question, &code).await?;
            let error = executed.error.as_deref().filter(|_| mends > 0 && code.language == Language::Python);
            let Some(text) = error.and_then(|error| mend::mended(error, &code.text, self.over.dataset)) else {
                return Ok((code, executed));
            };
            code.text = text;
            mends -= 1;
        }
    }

    /// A paragraph about the answer, by models whose judgement counts; nothing where a number in it is not in the result.
    async fn sum_up(&mut self, end: &End) -> Result<Option<String>, Problem> {
        let End::Answered { derivation, .. } = end else { return Ok(None) };
        if !(self.family.critique_is_gate && self.using.looks_closer()) {
            return Ok(None);
        }
        let Some(Gave { table, .. }) = self.results.get(*derivation) else { return Ok(None) };
        let mut request = self.prompts.summary(&result::shown(table));
        request.output_tokens_max = SUMMARY_TOKENS_MAX;
        let Some(reply) = self.ask(&request, "answer").await? else { return Ok(None) };
        Ok(self.results.get(*derivation).and_then(|gave| summary::shown(&reply.text, &gave.table)))
    }

    async fn judge(&mut self, machine: &Machine) -> Result<Came, Problem> {
        let best = machine.best_derivation().unwrap_or_default();
        let Some(Gave { code, table, .. }) = self.results.get(best) else { return Ok(Came::Judged(None)) };
        let mut request = self.prompts.verdict(code, &result::shown(table));
        request.output_tokens_max = VERDICT_TOKENS_MAX;
        let Some(reply) = self.ask(&request, "critique").await? else { return Ok(Came::Judged(None)) };
        Ok(Came::Judged(agent::read_verdict(&reply.text)))
    }

    async fn ask(&mut self, request: &Request, channel: &'static str) -> Result<Option<Reply>, Problem> {
        let emitter = self.run.emitter();
        let hear = move |text: &str| emitter.pass("text.delta", json!({ "channel": channel, "text": text }));
        self.replies.ask(self.run, request, hear).await
    }
}

/// Whether two results say the same: the same cells, whatever their columns are called and their rows are sorted by, after
/// the rounding that was asked for.
fn is_same(one: &Table, other: &Table, decimals: Option<i32>) -> bool {
    let rounded = |table: &Table| -> Vec<Vec<Cell>> {
        let Some(decimals) = decimals else { return table.rows.clone() };
        let scale = 10_f64.powi(decimals);
        let round = |cell: &Cell| match cell {
            Cell::Number(number) => {
                number.as_f64().map_or(cell.clone(), |number| ((number * scale).round() / scale).into())
            }
            other => other.clone(),
        };
        table.rows.iter().map(|row| row.iter().map(round).collect()).collect()
    };
    one.row_count == other.row_count && same_rows(&rounded(one), &rounded(other), false)
}
