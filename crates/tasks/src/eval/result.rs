//! One line of the results: what was answered to a case, and whether that was right.

use base::{Cell, Problem, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::case::{Expect, Line};
use super::compare::{same_rows, same_values};
use crate::answer::{Cost, Level};

/// Bytes of rows that a result carries at most; all of them are compared.
const ROWS_BYTES_MAX: usize = 256 << 10;

/// How a case came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Status {
    Answered,
    Refused,
    Problem,
}

/// What became of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct CaseResult {
    pub id: String,
    pub status: Status,
    pub would_refuse: bool,
    pub right: Option<bool>,
    pub confidence: f64,
    /// The class of the refusal, also of one that was passed over, or the code of the problem.
    pub reason: Option<String>,
    pub plan_hash: Option<String>,
    pub plan: Option<Value>,
    pub columns: Option<Vec<String>>,
    pub rows: Option<Vec<Vec<Cell>>>,
    pub plan_ms: f64,
    pub total_ms: f64,
    /// How well the answer is known.
    pub known: Option<Level>,
    pub question: Option<String>,
    /// The reading in words.
    pub reading: Option<String>,
    /// The reason in words.
    pub message: Option<String>,
    /// Whether rows were left out of the line; they were compared all the same.
    pub truncated: bool,
    pub expect: Option<Expected>,
    /// What a model did for it, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ByModel>,
}

/// What a model did for a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ByModel {
    /// What computed the answer.
    pub code: Option<agent::Code>,
    /// What came to nothing before.
    pub attempts: Vec<agent::Attempt>,
    /// How many derivations gave a result.
    pub derivations: usize,
    pub critique: Option<agent::Verdict>,
    pub cost: Cost,
    /// Whether the code that was written first gave what was expected, before anything was mended or written again.
    #[serde(default)]
    pub right_at_once: Option<bool>,
}

/// What was expected, as the case said it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Expected {
    pub refused: bool,
    pub rows: Option<Vec<Vec<Cell>>>,
    pub ordered: bool,
    /// Values by name, where they were expected so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<String, Value>>,
}

impl CaseResult {
    /// A case of which nothing is known yet but what it asks.
    pub fn new(line: &Line) -> CaseResult {
        let case = line.case.as_ref().ok();
        CaseResult {
            id: line.id.clone(),
            status: Status::Refused,
            would_refuse: true,
            right: None,
            confidence: 0.0,
            reason: None,
            plan_hash: None,
            plan: None,
            columns: None,
            rows: None,
            plan_ms: 0.0,
            total_ms: 0.0,
            known: None,
            question: case.map(|case| case.question.clone()),
            reading: None,
            message: None,
            truncated: false,
            expect: case.and_then(|case| case.expect.as_ref()).map(Expected::of),
            model: None,
        }
    }

    /// A case that could not be asked.
    pub fn problem(line: &Line, problem: &Problem) -> CaseResult {
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        CaseResult {
            status: Status::Problem,
            would_refuse: false,
            reason: Some(problem.code_name().to_string()),
            message: Some(format!("{}{hint}", problem.message)),
            ..CaseResult::new(line)
        }
    }

    /// Takes the columns that answer the question.
    pub fn answer(&mut self, table: &Table, focus: &[String]) {
        let named = |name: &String| table.columns.iter().position(|column| column.name == *name);
        let mut places: Vec<usize> = focus.iter().filter_map(named).collect();
        if places.is_empty() {
            places = (0..table.columns.len()).collect();
        }
        let pick = |row: &Vec<Cell>| places.iter().map(|place| row[*place].clone()).collect();
        self.status = Status::Answered;
        self.columns = Some(places.iter().map(|place| table.columns[*place].name.clone()).collect());
        self.rows = Some(table.rows.iter().map(pick).collect());
        self.truncated = table.truncated;
    }

    /// Scores it, and then leaves out rows that a line has no room for.
    pub fn score(&mut self, expect: Option<&Expect>) {
        let rows = self.rows.as_deref().filter(|_| self.status == Status::Answered);
        self.right = expect.map(|expect| match (expect, rows) {
            (Expect::Refusal, _) => self.status == Status::Refused,
            (_, None) => false,
            (_, Some(rows)) => says(expect, self.columns.as_deref().unwrap_or_default(), rows),
        });
        self.truncated |= cut(&mut self.rows);
        if let Some(expect) = &mut self.expect {
            cut(&mut expect.rows);
        }
    }

    /// Whether a refusal would be right.
    pub fn expects_refusal(&self) -> bool {
        self.expect.as_ref().is_some_and(|expect| expect.refused)
    }
}

impl Expected {
    fn of(expect: &Expect) -> Expected {
        match expect {
            Expect::Refusal => Expected { refused: true, ..Expected::default() },
            Expect::Rows { sets, ordered } => {
                Expected { rows: sets.first().cloned(), ordered: *ordered, ..Expected::default() }
            }
            Expect::Values(values) => Expected { values: Some(values.clone()), ..Expected::default() },
        }
    }
}

/// Whether an answer is the expected one.
pub fn says(expect: &Expect, columns: &[String], rows: &[Vec<Cell>]) -> bool {
    match expect {
        Expect::Refusal => false,
        Expect::Rows { sets, ordered } => sets.iter().any(|expected| same_rows(expected, rows, *ordered)),
        Expect::Values(values) => same_values(values, columns, rows),
    }
}

/// Keeps the first rows within the bound; whether some went.
fn cut(rows: &mut Option<Vec<Vec<Cell>>>) -> bool {
    let Some(rows) = rows else { return false };
    let mut bytes = 0;
    let kept = rows.iter().take_while(|row| {
        bytes += row.iter().map(|cell| cell.as_str().map_or(8, str::len) + 4).sum::<usize>();
        bytes <= ROWS_BYTES_MAX
    });
    let kept = kept.count();
    let is_cut = kept < rows.len();
    rows.truncate(kept);
    is_cut
}
