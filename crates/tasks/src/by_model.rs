//! Answers a question with a model: it writes code, our code checks it, runs it and decides what is known.
//!
//! The machine of `agent` decides; this file performs: each request to the model and each execution is a step, so that a
//! resumed run pays for nothing twice and a replayed one needs no model. What a budget has left is counted from what is
//! recorded, never from the clock, so that both decide alike.

mod budget;
mod execute;
mod figure;
mod lessons;
mod mend;
mod missing;
mod note;
mod plan;
mod prompt;
mod result;
mod sample;
mod structured;
mod summary;

use std::path::Path;

use agent::{Action, End, Language, Machine, Outcome as Came, Policy, Ran, Writing, Written};
use base::{Cell, Code, Hash, Problem, Table};
use data::Dataset;
use data::figures::Form;
use flow::Run;
use model::{Family, Reply, Request};
use planner::{Index, Reason, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use warehouse::{Doubts, Prepared};

pub use self::budget::{Budget, DayBudget, DaySpent};
use self::execute::Executed;
use self::lessons::Lessons;
use self::prompt::Prompts;
use self::sample::Sample;
use self::structured::{PlanReply, VerdictReply};
use crate::answer::{Answer, AnswerChart, AnswerModel, AnswerSource, AnswerStatus, By, Derivation, Known, Level};
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
    /// Whether errors are looked up in what was learned before, and are learned from. Not in runs from before that was so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembers: bool,
    /// Whether what goes beyond the answer is wanted: a figure, and a proposed note.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub extras: bool,
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

const REPAIRS_MAX: u32 = 3;
const VERDICT_TOKENS_MAX: u32 = 80;
const SUMMARY_TOKENS_MAX: u32 = 500;

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
        unknown: match family.continues && using.looks_closer() && before.is_none() {
            true => missing::unknown_words(over.index, &answer.question, &sample),
            false => Vec::new(),
        },
        family,
        replies: Replies::new(context, &using.name, &using.budget),
        results: Vec::new(),
        lessons: Lessons::default(),
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
    if using.remembers {
        let of_end = match &end {
            End::Answered { derivation, .. } => asking.results.get(*derivation).map(|gave| &gave.code),
            _ => None,
        };
        std::mem::take(&mut asking.lessons).learn(asking.run, &answer.question, (&machine, &end), of_end).await?;
    }
    answer.source = AnswerSource::Model;
    answer.attempts = machine.attempts().to_vec();
    answer.critique = machine.verdict().cloned();
    answer.derivations =
        machine.derivations().map(|(code, agrees)| Derivation { language: code.language, agrees }).collect();
    let results = std::mem::take(&mut asking.results);
    let at_once = results.first().filter(|_| machine.attempts().is_empty()).map(|gave| gave.table.clone());
    asking.account_to(answer);
    conclude(answer, &machine, &end, results, (&using.name, over))?;
    if answer.status == AnswerStatus::Answered {
        asking.sum_up(answer).await?;
        if using.extras {
            asking.draw(answer).await?;
        }
        asking.account_to(answer);
    }
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
            answer.forms = Form::of_each(&table);
            if code.language == Language::Plan {
                plan::tell(answer, over, &code.text, &table)?;
            } else {
                let chart = data::chart::of_table(&table, figure::wish(&answer.question));
                answer.chart = chart.map(|chart| AnswerChart { kind: chart.kind, spec: chart.spec(), drawing: chart });
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
    /// Words of the question that name nothing in the data, where the model is asked about them first.
    unknown: Vec<String>,
    replies: Replies<'a>,
    results: Vec<Gave>,
    lessons: Lessons,
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
        if writing == Writing::First
            && let Some(why) = self.missing().await?
        {
            return Ok(Came::SaidCannot(why));
        }
        let advice = match writing {
            // Smaller models do no better for being told.
            Writing::Repair if self.using.remembers && self.family.critique_is_gate && !machine.replaces() => {
                self.lessons.of(self.run, &self.prompts.question, machine.attempts()).await?
            }
            _ => None,
        };
        let mut request = self.prompts.code(machine, writing, language, advice.as_deref());
        match writing {
            Writing::First => {}
            // Asked in the same way, a small model writes what failed once more.
            Writing::Repair => self.vary(&mut request, "repair", machine.attempts().len()),
            Writing::Again(number) => self.vary(&mut request, "again", number as usize),
        }
        let channel = if language == Language::Plan { "plan" } else { "code" };
        let Some(reply) = self.ask(&request, channel).await? else { return Ok(Came::Spent(self.replies.exhausted())) };
        let mut text = request.begun().to_string() + &reply.text;
        if request.schema.is_some() {
            let read = structured::read::<PlanReply>;
            text = self.in_form(&request, &text, channel, read).await?.map_or(text, PlanReply::into_words);
        }
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
            self.tell(&error);
            return Ok(Came::Ran(Ran::Nothing { outcome, error, findings }));
        };
        if machine.replaces() {
            self.results.clear();
        }
        self.tell(&result::tell(&table));
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
    /// What such a model would remember comes with it.
    async fn sum_up(&mut self, answer: &mut Answer) -> Result<(), Problem> {
        let Some(table) = answer.table.clone() else { return Ok(()) };
        if !(self.family.critique_is_gate && self.using.looks_closer()) {
            return Ok(());
        }
        let may_note = self.using.extras && !self.over.names.is_empty();
        let mut request = self.prompts.summary(&result::shown(&table), may_note);
        request.output_tokens_max = SUMMARY_TOKENS_MAX;
        let Some(reply) = self.ask(&request, "answer").await? else { return Ok(()) };
        let (paragraph, note) = agent::read_paragraph(&reply.text);
        answer.summary = summary::shown(&paragraph, &table);
        match note.filter(|_| may_note && !self.run.is_imported()) {
            Some((text, sql)) => self.propose(answer, &text, sql).await,
            None => Ok(()),
        }
    }

    async fn judge(&mut self, machine: &Machine) -> Result<Came, Problem> {
        let best = machine.best_derivation().unwrap_or_default();
        let Some(Gave { code, table, .. }) = self.results.get(best) else { return Ok(Came::Judged(None)) };
        let mut request = self.prompts.verdict(code, &result::shown(table));
        request.output_tokens_max = VERDICT_TOKENS_MAX;
        let Some(reply) = self.ask(&request, "critique").await? else { return Ok(Came::Judged(None)) };
        // Words will do as well.
        let read = |text: &str| match agent::read_verdict(text) {
            Some(verdict) => Ok(verdict),
            None => structured::read::<VerdictReply>(text).map(VerdictReply::into),
        };
        if request.schema.is_none() {
            return Ok(Came::Judged(agent::read_verdict(&reply.text)));
        }
        Ok(Came::Judged(self.in_form(&request, &reply.text, "critique", read).await?))
    }

    /// A reply as what its schema says. One that is not goes back once with what is wrong: not every server keeps to a schema.
    async fn in_form<T>(
        &mut self,
        request: &Request,
        reply: &str,
        channel: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Problem> {
        let wrong = match read(reply) {
            Ok(read) => return Ok(Some(read)),
            Err(wrong) => wrong,
        };
        let again = self.prompts.said_otherwise(request, reply, &wrong);
        let reply = self.ask(&again, channel).await?;
        Ok(reply.and_then(|reply| read(&reply.text).ok()))
    }

    /// Writes what was spent so far into the answer.
    fn account_to(&self, answer: &mut Answer) {
        answer.model = Some(AnswerModel { name: self.using.name.clone(), cost: self.replies.spent().clone() });
        answer.timing_ms.execute = self.replies.spent_ms() as f64;
    }

    /// Lets whoever watches know what running code showed.
    fn tell(&self, text: &str) {
        self.run.emitter().pass("text.delta", json!({ "channel": "reflection", "text": format!("{text}\n") }));
    }

    async fn ask(&mut self, request: &Request, channel: &'static str) -> Result<Option<Reply>, Problem> {
        let emitter = self.run.emitter();
        let hear = move |text: &str| emitter.pass("text.delta", json!({ "channel": channel, "text": text }));
        self.replies.ask(self.run, request, hear).await
    }
}

/// The first line of an error, which may go on for long.
fn sentence_of(error: &str) -> String {
    const CHARACTERS_MAX: usize = 200;
    error.lines().next().unwrap_or_default().chars().take(CHARACTERS_MAX).collect()
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
