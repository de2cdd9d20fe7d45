//! The `answer` document of the machine interface.

use base::Table;
use data::Dataset;
use data::plan::Plan;
use planner::{Assumption, Reading, Reason, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::sentence;

/// How an answer is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// `verified`, `checked` or `unverified`.
    pub level: String,
    /// `oracle`, `invariants` or `none`.
    pub by: String,
    /// In words.
    pub note: String,
}

impl Known {
    /// Recomputed another way with the same result, and the question can be read one way only.
    pub fn verified() -> Known {
        Known { level: "verified".into(), by: "oracle".into(), note: "recomputed another way, equal".into() }
    }

    /// Nothing is known beyond that it was computed.
    pub fn unverified(note: impl Into<String>) -> Known {
        Known { level: "unverified".into(), by: "none".into(), note: note.into() }
    }

    /// The result has the properties it must have.
    pub fn checked(by: &str, note: impl Into<String>) -> Known {
        Known { level: "checked".into(), by: by.into(), note: note.into() }
    }
}

/// Milliseconds spent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[allow(missing_docs)]
pub struct Timing {
    pub plan: f64,
    pub execute: f64,
    pub verify: f64,
    pub total: f64,
}

/// A question answered or refused.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Answer {
    pub v: u32,
    pub kind: &'static str,
    pub status: &'static str,
    pub run: String,
    pub question: String,
    pub dataset: Value,
    pub source: &'static str,
    pub confidence: f64,
    pub reading: Option<String>,
    pub known: Option<Known>,
    pub assumptions: Vec<Assumption>,
    pub sentence: Option<String>,
    pub table: Option<Table>,
    pub focus: Option<Vec<String>>,
    pub chart: Option<Value>,
    pub plan: Option<Value>,
    pub plan_hash: Option<String>,
    pub sql: Option<String>,
    pub refusal: Option<Value>,
    pub cached: bool,
    /// The run whose answer was given again.
    pub cached_from: Option<String>,
    /// Every way the question can be read, where there are several; the first is the best.
    pub readings: Vec<Value>,
    /// What was decided about the files when they were read.
    pub notes: Vec<String>,
    pub timing_ms: Timing,
    /// Whether the same question would be answered the same whenever it is asked.
    #[serde(skip)]
    pub repeatable: bool,
    /// What was computed, in the language's own types.
    #[serde(skip)]
    pub plan_computed: Option<Plan>,
    /// What was remembered about the dataset and touches this answer.
    pub remembered: Vec<Value>,
}

impl Answer {
    /// An answer to `question` that says nothing yet.
    pub fn new(run: &str, question: &str, dataset: &Dataset) -> Answer {
        Answer {
            v: 1,
            kind: "answer",
            status: "refused",
            run: run.to_string(),
            question: question.to_string(),
            dataset: json!({ "id": dataset.id, "version": dataset.version }),
            source: "offline",
            confidence: 0.0,
            reading: None,
            known: None,
            assumptions: Vec::new(),
            sentence: None,
            table: None,
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
            timing_ms: Timing::default(),
            repeatable: false,
            plan_computed: None,
            remembered: Vec::new(),
        }
    }

    /// Says why there is no answer, and what the user can do to get one.
    pub fn refuse(&mut self, refusal: &Refusal, hint: Option<String>) {
        self.refusal = Some(json!({
            "reason": refusal.reason, "message": refusal.message, "words": refusal.words,
            "suggestions": refusal.suggestions, "readings": self.readings, "hint": hint,
        }));
    }

    /// Numbers the ways in which the question can be read, if there are several.
    pub fn offer(&mut self, readings: &[Reading], dataset: &Dataset) {
        if readings.len() < 2 {
            return;
        }
        let said = |(at, reading): (usize, &Reading)| {
            let words = data::describe::describe(&reading.plan, dataset);
            json!({ "number": at + 1, "reading": words, "plan_hash": reading.plan.hash() })
        };
        self.readings = readings.iter().enumerate().map(said).collect();
    }

    /// Says what was understood.
    pub fn understand(&mut self, reading: &Reading, dataset: &Dataset, sql: &str) {
        self.reading = Some(data::describe::describe(&reading.plan, dataset));
        self.assumptions = reading.assumptions.clone();
        self.focus = Some(reading.focus.clone());
        self.plan = Some(reading.plan.canonical());
        self.plan_hash = Some(reading.plan.hash().to_string());
        self.sql = Some(sql.to_string());
    }

    /// Says what came out: the table, of which there may be more rows than were fetched, its sentence and its chart.
    pub fn tell(&mut self, reading: &Reading, dataset: &Dataset, table: &Table, total: Option<u64>) {
        let mut table = table.clone();
        if let Some(total) = total {
            table.truncated = total > table.rows.len() as u64;
            table.row_count = total;
        }
        self.chart = data::chart::choose(&reading.plan, dataset, &table, &reading.focus, reading.chart)
            .map(|chart| json!({ "kind": chart.kind, "spec": chart.spec(), "drawing": chart }));
        self.sentence = Some(sentence::tell(&reading.plan, dataset, &table, &reading.focus));
        self.table = Some(table);
    }

    /// Takes back what was understood: a refused answer shows no half of one.
    pub fn withdraw(&mut self) {
        self.reading = None;
        self.known = None;
        self.assumptions = Vec::new();
        self.sentence = None;
        self.table = None;
        self.chart = None;
        self.focus = None;
        self.plan = None;
        self.plan_hash = None;
        self.sql = None;
    }
}

/// How to say what a word means that may be a number of the owner's own, where none was declared yet.
pub(crate) fn declare(refusal: &Refusal, dataset: &Dataset) -> Option<String> {
    if !dataset.measures.is_empty() {
        return None;
    }
    let what = match (refusal.reason, refusal.words.first()) {
        (Reason::UnknownWord, Some(word)) => format!("if `{word}` is a number to be computed"),
        (Reason::Unsupported, _) => "if a number in the question has a way of its own to be computed".to_string(),
        _ => return None,
    };
    Some(format!(
        "{what}, declare it as a [[measure]] in the dataset.toml of a folder and ask the folder; `assay data init FOLDER` writes a first one"
    ))
}
