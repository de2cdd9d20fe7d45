//! The `answer` document of the machine interface.

use base::{Document, Hash, RunId, Table};
use data::Dataset;
use data::chart::{Chart, Kind};
use data::dataset::Identity;
use data::figures::Form;
use data::plan::Plan;
use data::profile::Remark;
use model::{Reply, Tokens};
use planner::{Assumption, Reading, Reason, Refusal, Understood};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use warehouse::Note;

use crate::query::Queried;
use crate::sentence;

/// How an answer is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Known {
    /// How well.
    pub level: Level,
    /// By what.
    pub by: By,
    /// In words.
    pub note: String,
}

/// How well an answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Level {
    Verified,
    Checked,
    Unverified,
}

/// By what an answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum By {
    Oracle,
    Invariants,
    None,
}

impl Known {
    /// Recomputed another way with the same result, and the question can be read one way only.
    pub fn verified() -> Known {
        Known { note: "computed twice, in two ways, equal; read in one way".into(), ..Known::recomputed() }
    }

    /// The same of a plan, which nobody had to read.
    pub fn recomputed() -> Known {
        Known { level: Level::Verified, by: By::Oracle, note: "computed twice, in two ways, equal".into() }
    }

    /// Nothing is known beyond that it was computed.
    pub fn unverified(note: impl Into<String>) -> Known {
        Known { level: Level::Unverified, by: By::None, note: note.into() }
    }

    /// The result has the properties it must have.
    pub fn checked(by: By, note: impl Into<String>) -> Known {
        Known { level: Level::Checked, by, note: note.into() }
    }
}

/// Milliseconds spent.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Timing {
    pub plan: f64,
    pub execute: f64,
    pub verify: f64,
    pub total: f64,
}

/// Whether a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum AnswerStatus {
    Answered,
    Refused,
}

/// Who read the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerSource {
    /// The planner.
    Offline,
    /// A model.
    Model,
}

/// One of several ways to read a question.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NumberedReading {
    /// Counted from 1, as people choose it.
    pub number: usize,
    /// In words.
    pub reading: String,
    /// The hash of its plan.
    pub plan_hash: Hash,
}

/// Why there is no answer, or why there would be none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnswerRefusal {
    /// The class of the refusal.
    pub reason: Reason,
    /// In people's words.
    pub message: String,
    /// The words of the question it is about.
    pub words: Vec<String>,
    /// What the other words were understood as.
    pub understood: Vec<Understood>,
    /// Near questions that are answered.
    pub suggestions: Vec<String>,
    /// The ways the question can be read, where there are several.
    pub readings: Vec<NumberedReading>,
    /// What the user can do to get an answer.
    pub hint: Option<String>,
    /// Whether no model was asked, and one may read it.
    pub model_may_read: bool,
}

/// The picture of an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnswerChart {
    /// What it looks like.
    pub kind: Kind,
    /// As Vega-Lite.
    #[schemars(with = "Map<String, Value>")]
    pub spec: Value,
    /// What our own drawing is made from.
    #[schemars(with = "Map<String, Value>")]
    pub drawing: Chart,
}

/// What a model's replies cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Disjoint counts.
    pub tokens: Tokens,
    /// Finished replies.
    pub calls: u64,
    /// Where the model's prices are known.
    pub usd: Option<f64>,
}

impl Cost {
    /// Adds one reply. A sum without one of its parts would be too small, so one reply without a price ends the counting.
    pub fn add(&mut self, reply: &Reply) {
        let before = if self.calls == 0 { Some(0.0) } else { self.usd };
        self.usd = before.zip(reply.usd).map(|(before, usd)| before + usd);
        self.tokens += reply.tokens;
        self.calls += 1;
    }

    /// Adds what another question cost the same model.
    pub fn add_all(&mut self, other: &Cost) {
        self.tokens += other.tokens;
        self.calls += other.calls;
        self.usd = other.usd.map(|usd| self.usd.unwrap_or_default() + usd).or(self.usd);
    }
}

/// Which model was asked, and what that cost.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AnswerModel {
    /// As the user named it.
    pub name: String,
    /// All of its replies together.
    pub cost: Cost,
}

/// A way in which the result was computed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Derivation {
    /// What it is written in.
    pub language: agent::Language,
    /// Whether another one came to the same.
    pub agrees: bool,
}

/// A picture that code drew.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The name of the run's file.
    pub name: String,
    /// What it is.
    pub sha256: Hash,
}

/// What a model would remember about the data, and the query that shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct ProposedNote {
    /// The number by which it is accepted or rejected.
    pub id: u32,
    pub text: String,
    pub sql: String,
}

/// A question answered or refused.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Answer {
    pub status: AnswerStatus,
    pub run: RunId,
    pub question: String,
    pub dataset: Identity,
    pub source: AnswerSource,
    pub confidence: f64,
    pub reading: Option<String>,
    pub known: Option<Known>,
    pub assumptions: Vec<Assumption>,
    pub sentence: Option<String>,
    pub table: Option<Table>,
    /// How the cells of each column of the table are written for people; the table has them as they are.
    pub forms: Vec<Form>,
    pub focus: Option<Vec<String>>,
    pub chart: Option<AnswerChart>,
    /// In canonical form; the plan language has a schema of its own.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub plan: Option<Value>,
    pub plan_hash: Option<Hash>,
    pub sql: Option<String>,
    pub refusal: Option<AnswerRefusal>,
    pub cached: bool,
    /// The run whose answer was given again.
    pub cached_from: Option<RunId>,
    /// Every way the question can be read, where there are several; the first is the best.
    pub readings: Vec<NumberedReading>,
    /// What was decided about the files when they were read.
    pub notes: Vec<String>,
    /// Those of the notes that are about a column the answer is made from.
    pub notes_touching: Vec<String>,
    pub timing_ms: Timing,
    /// The model that was asked; none where the planner read the question.
    pub model: Option<AnswerModel>,
    /// What computed a model's answer.
    pub code: Option<agent::Code>,
    /// Code that came to nothing before.
    pub attempts: Vec<agent::Attempt>,
    /// The ways in which a model's answer was computed.
    pub derivations: Vec<Derivation>,
    /// What the model thinks of the result.
    pub critique: Option<agent::Verdict>,
    /// A paragraph whose every number is in the table.
    pub summary: Option<String>,
    /// What code drew.
    pub figures: Vec<Figure>,
    /// What the model would remember.
    pub proposed_note: Option<ProposedNote>,
    /// Whether the same question would be answered the same whenever it is asked.
    #[serde(skip)]
    pub repeatable: bool,
    /// What was computed, in the language's own types.
    #[serde(skip)]
    pub plan_computed: Option<Plan>,
    /// What was remembered about the dataset and touches this answer.
    pub remembered: Vec<Note>,
}

impl Document for Answer {
    const KIND: &'static str = "answer";
}

impl Answer {
    /// An answer to `question` that says nothing yet.
    pub fn new(run: &RunId, question: &str, dataset: &Dataset) -> Answer {
        Answer {
            status: AnswerStatus::Refused,
            run: run.clone(),
            question: question.to_string(),
            dataset: dataset.identity(),
            source: AnswerSource::Offline,
            confidence: 0.0,
            reading: None,
            known: None,
            assumptions: Vec::new(),
            sentence: None,
            table: None,
            forms: Vec::new(),
            focus: None,
            chart: None,
            plan: None,
            plan_hash: None,
            sql: None,
            refusal: None,
            cached: false,
            cached_from: None,
            readings: Vec::new(),
            notes: Vec::new(),
            notes_touching: Vec::new(),
            timing_ms: Timing::default(),
            model: None,
            code: None,
            attempts: Vec::new(),
            derivations: Vec::new(),
            critique: None,
            summary: None,
            figures: Vec::new(),
            proposed_note: None,
            repeatable: false,
            plan_computed: None,
            remembered: Vec::new(),
        }
    }

    /// Says why there is no answer, and what the user can do to get one.
    pub fn refuse(&mut self, refusal: &Refusal, hint: Option<String>) {
        self.refusal = Some(AnswerRefusal {
            reason: refusal.reason,
            message: refusal.message.clone(),
            words: refusal.words.clone(),
            understood: refusal.understood.clone(),
            suggestions: refusal.suggestions.clone(),
            readings: self.readings.clone(),
            hint,
            model_may_read: false,
        });
    }

    /// Numbers the ways in which the question can be read, if there are several.
    pub fn offer(&mut self, readings: &[Reading], dataset: &Dataset) {
        if readings.len() < 2 {
            return;
        }
        let said = |(at, reading): (usize, &Reading)| {
            let words = data::describe::describe(&reading.plan, dataset);
            NumberedReading { number: at + 1, reading: words, plan_hash: reading.plan.hash() }
        };
        self.readings = readings.iter().enumerate().map(said).collect();
    }

    /// Says what was understood.
    pub fn understand(&mut self, reading: &Reading, dataset: &Dataset, sql: &str) {
        self.reading = Some(data::describe::describe(&reading.plan, dataset));
        self.assumptions = reading.assumptions.clone();
        self.focus = Some(reading.focus.clone());
        self.plan = Some(reading.plan.canonical());
        self.plan_hash = Some(reading.plan.hash());
        self.sql = Some(sql.to_string());
    }

    /// Says what came out: the table, of which there may be more rows than are listed; its sentence and its chart are of
    /// all of them.
    pub fn tell(&mut self, reading: &Reading, dataset: &Dataset, table: Table, queried: &Queried) {
        let mut table = table;
        if let Some(total) = queried.total {
            table.truncated = total > table.rows.len() as u64;
            table.row_count = total;
        }
        let whole = queried.whole.as_ref().unwrap_or(&table);
        self.chart = data::chart::choose(&reading.plan, dataset, whole, &reading.focus, reading.chart)
            .map(|chart| AnswerChart { kind: chart.kind, spec: chart.spec(), drawing: chart });
        self.sentence = Some(sentence::tell(&reading.plan, dataset, whole, table.rows.len(), &reading.focus));
        self.forms = forms(&reading.plan, dataset, whole);
        self.table = Some(table);
    }

    /// Says which of the remarks on the files are about columns that it is made from.
    pub fn touch(&mut self, remarks: &[Remark]) {
        let plan = self.plan_computed.as_ref().map(Plan::columns).unwrap_or_default();
        let code = self.code.as_ref().map_or("", |code| &code.text);
        let touches = |remark: &&Remark| {
            let Some(column) = &remark.column else { return false };
            let table = remark.table.as_deref();
            let is_read = |(of, name): (&str, &str)| name == column && table.is_none_or(|table| of == table);
            plan.iter().filter_map(|read| read.split_once('.')).any(is_read) || code.contains(column.as_str())
        };
        self.notes_touching = remarks.iter().filter(touches).map(|remark| remark.message.clone()).collect();
    }

    /// Takes back what was understood: a refused answer shows no half of one.
    pub fn withdraw(&mut self) {
        self.reading = None;
        self.known = None;
        self.assumptions = Vec::new();
        self.sentence = None;
        self.table = None;
        self.forms = Vec::new();
        self.chart = None;
        self.focus = None;
        self.plan = None;
        self.plan_hash = None;
        self.sql = None;
    }
}

/// How each column of a plan's result is written.
pub(crate) fn forms(plan: &Plan, dataset: &Dataset, table: &Table) -> Vec<Form> {
    (0..table.columns.len()).map(|at| Form::of(plan, dataset, table, at)).collect()
}

/// How to say what a word means that stands where a number is asked for, where no number was declared yet.
pub(crate) fn declare(refusal: &Refusal, dataset: &Dataset) -> Option<String> {
    let word = refusal.number.as_ref().filter(|_| dataset.measures.is_empty())?;
    Some(format!(
        "if `{word}` is a number to be computed, declare it as a [[measure]] in the dataset.toml of a folder and ask the \
         folder"
    ))
}
