//! The lines of a cases file: what is asked of what, and what is expected. A line that is no case is a problem of its
//! own and keeps its place; every other line counts as if it were not there.

use std::collections::HashMap;

use base::{Cell, Code, Problem};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Cases that one file may have.
pub const CASES_MAX: usize = 100_000;
const LINE_BYTES_MAX: usize = 16 << 20;
const ROWS_MAX: usize = 10_000;
const TABLES_MAX: usize = 50;
const ID_BYTES_MAX: usize = 200;

/// One line of a cases file.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// What it is called in the results; `line N` where it does not say.
    pub id: String,
    /// The case, or why it is none.
    pub case: Result<Case, Problem>,
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Of what.
    pub data: Data,
    /// In people's words.
    pub question: String,
    /// What would be right, if that is known.
    pub expect: Option<Expect>,
}

/// What a question is asked of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Data {
    /// One name, or files.
    Dataset(Vec<String>),
    /// Tables of the tables file, by id.
    Tables(Vec<String>),
}

/// What would be right.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// No answer.
    Refusal,
    /// One of these sets of rows, the first before others that count too.
    Rows {
        /// Each a list of rows.
        sets: Vec<Vec<Vec<Cell>>>,
        /// Whether the order of rows counts.
        ordered: bool,
    },
    /// Values by name.
    Values(Map<String, Value>),
}

#[derive(Deserialize)]
struct RawCase {
    id: Option<String>,
    dataset: Option<RawDataset>,
    tables: Option<Vec<String>>,
    question: Option<String>,
    expect: Option<RawExpect>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`dataset` is a name or a list of files")]
enum RawDataset {
    Name(String),
    Files(Vec<String>),
}

#[derive(Deserialize)]
struct RawExpect {
    rows: Option<Vec<Vec<Cell>>>,
    #[serde(default)]
    ordered: bool,
    #[serde(default)]
    also: Vec<Vec<Vec<Cell>>>,
    #[serde(default)]
    refused: bool,
    values: Option<Map<String, Value>>,
}

/// Reads every line that says something.
pub fn read(text: &[u8], file: &str) -> Result<Vec<Line>, Problem> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    for (at, bytes) in text.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        if lines.len() == CASES_MAX {
            return Err(Problem::new(Code::FileFormat, format!("`{file}` has more than {CASES_MAX} cases"))
                .hint("split the file"));
        }
        let mut line = read_line(bytes, number);
        if let Some(first) = line.case.is_ok().then(|| seen.get(&line.id)).flatten() {
            line.case = Err(Problem::new(Code::FileFormat, format!("the id `{}` is that of line {first}", line.id))
                .hint("give each case an id of its own"));
        }
        seen.entry(line.id.clone()).or_insert(number);
        line.case = line.case.map_err(|problem| at_line(problem, file, number));
        lines.push(line);
    }
    Ok(lines)
}

fn at_line(mut problem: Problem, file: &str, number: usize) -> Problem {
    problem.message = format!("line {number} of `{file}`: {}", problem.message);
    problem
}

fn read_line(bytes: &[u8], number: usize) -> Line {
    let unnamed = || format!("line {number}");
    let wrong = |message: String| {
        Problem::new(Code::FileFormat, message).hint(
            r#"a line is {"id":"…","dataset":"name","question":"…","expect":{"rows":[[…]]}}, or "tables":["id"] for "dataset""#,
        )
    };
    if bytes.len() > LINE_BYTES_MAX {
        let message = format!("it has {} bytes, at most {LINE_BYTES_MAX} are read", bytes.len());
        return Line { number, id: unnamed(), case: Err(wrong(message)) };
    }
    let raw: RawCase = match serde_json::from_slice(bytes) {
        Ok(raw) => raw,
        Err(error) => {
            // What is wrong may be apart from what it is called.
            let named = serde_json::from_slice::<serde_json::Value>(bytes).ok();
            let id = named.and_then(|value| value["id"].as_str().filter(|id| is_id(id)).map(str::to_string));
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or(&said);
            let said = said.replace("struct RawCase", "an object");
            return Line { number, id: id.unwrap_or_else(unnamed), case: Err(wrong(format!("it is no case: {said}"))) };
        }
    };
    let id = raw.id.clone().filter(|id| is_id(id));
    let case = match id {
        Some(_) => case_of(raw),
        None => Err(format!("it has no `id` of 1 to {ID_BYTES_MAX} bytes")),
    };
    Line { number, id: id.unwrap_or_else(unnamed), case: case.map_err(wrong) }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID_BYTES_MAX
}

fn case_of(raw: RawCase) -> Result<Case, String> {
    let data = match (raw.dataset, raw.tables) {
        (Some(RawDataset::Name(name)), None) => Data::Dataset(vec![name]),
        (Some(RawDataset::Files(files)), None) if !files.is_empty() => Data::Dataset(files),
        (None, Some(tables)) if (1..=TABLES_MAX).contains(&tables.len()) => Data::Tables(tables),
        (None, Some(_)) => return Err(format!("`tables` names 1 to {TABLES_MAX} tables")),
        (Some(_), Some(_)) => return Err("it has a `dataset` and `tables`; one of them is null".to_string()),
        (_, None) => return Err("it has neither a `dataset` nor `tables`".to_string()),
    };
    let question = raw.question.filter(|question| !question.trim().is_empty()).ok_or("it has no `question`")?;
    Ok(Case { data, question, expect: raw.expect.map(expected).transpose()? })
}

fn expected(raw: RawExpect) -> Result<Expect, String> {
    if let Some(values) = raw.values {
        if raw.rows.is_some() || raw.refused {
            return Err("`expect` has values and also rows or `refused`; it is one of them".to_string());
        }
        let is_single = |value: &Value| !value.is_array() && !value.is_object();
        if values.is_empty() || !values.values().all(is_single) {
            return Err("`values` of `expect` are names with one number or text each".to_string());
        }
        return Ok(Expect::Values(values));
    }
    match (raw.rows, raw.refused) {
        (None, true) if raw.also.is_empty() => Ok(Expect::Refusal),
        (Some(rows), false) => {
            let sets: Vec<_> = std::iter::once(rows).chain(raw.also).collect();
            match sets.iter().any(|rows| rows.len() > ROWS_MAX) {
                true => Err(format!("`expect` has more than {ROWS_MAX} rows")),
                false => Ok(Expect::Rows { sets, ordered: raw.ordered }),
            }
        }
        (Some(_), true) | (None, true) => Err("`expect` has rows and is `refused`; it is one of the two".to_string()),
        (None, false) => Err("`expect` has neither `rows` nor `values` nor `refused`: true".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let lines = read(text.as_bytes(), "cases.jsonl").expect("few lines");
        let said = |line: Line| match line.case {
            Ok(case) => format!("{}: {}", line.id, case.question),
            Err(problem) => format!("{}: {}", line.id, problem.message),
        };
        lines.into_iter().map(said).collect()
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_stand() {
        let text = r#"
{"id":"a","dataset":"support","question":"how many tickets"}
{"id":"b","question":"of what"}

{"id":"c","dataset":7,"question":"q"}
{"id":"a","dataset":"support","question":"once more"}
{"id":"d","dataset":"x","tables":["y"],"question":"q"}
{"id":"e","tables":["y"],"question":"q","expect":{}}
{"id":"f","tables":["y"],"question":"q","expect":{"rows":[[1]],"refused":true}}
not json
{"dataset":"support","question":"q"}
{"id":"g","tables":["y"],"question":"last","expect":{"refused":true}}
{"id":"h","tables":["y"],"question":"q","expect":{"values":{"a":[1]}}}
{"id":"i","tables":["y"],"question":"named","expect":{"values":{"a":1}}}"#;
        assert_eq!(
            said(text),
            [
                "a: how many tickets",
                "b: line 3 of `cases.jsonl`: it has neither a `dataset` nor `tables`",
                "c: line 5 of `cases.jsonl`: it is no case: `dataset` is a name or a list of files",
                "a: line 6 of `cases.jsonl`: the id `a` is that of line 2",
                "d: line 7 of `cases.jsonl`: it has a `dataset` and `tables`; one of them is null",
                "e: line 8 of `cases.jsonl`: `expect` has neither `rows` nor `values` nor `refused`: true",
                "f: line 9 of `cases.jsonl`: `expect` has rows and is `refused`; it is one of the two",
                "line 10: line 10 of `cases.jsonl`: it is no case: expected ident",
                "line 11: line 11 of `cases.jsonl`: it has no `id` of 1 to 200 bytes",
                "g: last",
                "h: line 13 of `cases.jsonl`: `values` of `expect` are names with one number or text each",
                "i: named",
            ]
        );
    }
}
