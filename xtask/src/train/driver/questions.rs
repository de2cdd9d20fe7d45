//! Questions with their meaning, as lines of JSON: the tables they are over, and the column, aggregate and conditions
//! that each asks for.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use data::plan::Agg;
use planner::Index;
use planner::lookup::learn::{Question, Truth};
use serde_json::Value;

use crate::tables;

/// Everything that was read.
pub struct Source {
    indices: Vec<Index>,
    /// Position of its table, its words, its meaning.
    questions: Vec<(usize, String, Truth)>,
}

impl Source {
    /// Reads `tables.jsonl` and `questions.jsonl`.
    pub fn read(folder: &Path) -> anyhow::Result<Source> {
        let mut places = HashMap::new();
        let mut indices = Vec::new();
        for table in lines(&folder.join("tables.jsonl"))? {
            let id = table["t"].as_str().context("a table has no `t`")?;
            let rows: Vec<Vec<String>> = table["r"].as_array().into_iter().flatten().map(texts).collect();
            places.insert(id.to_string(), indices.len());
            indices.push(Index::new(&tables::dataset(id, &texts(&table["h"]), &rows)));
        }
        let mut questions = Vec::new();
        for line in lines(&folder.join("questions.jsonl"))? {
            let (question, truth) = question(&line).with_context(|| format!("cannot use the question {line}"))?;
            let table = line["t"].as_str().and_then(|id| places.get(id)).context("a question has no table")?;
            questions.push((*table, question, truth));
        }
        Ok(Source { indices, questions })
    }

    /// The questions with the tables they are over.
    pub fn questions(&self) -> Vec<Question<'_>> {
        let question = |(table, text, truth): &(usize, String, Truth)| Question {
            index: &self.indices[*table],
            text: text.clone(),
            truth: truth.clone(),
            table: *table,
        };
        self.questions.iter().map(question).collect()
    }

    /// What a question is called in the lists of folds: its line, counted from 1.
    pub fn id(&self, at: usize) -> String {
        format!("w{}", at + 1)
    }
}

fn lines(file: &Path) -> anyhow::Result<Vec<Value>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let line = |(at, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| format!("line {} of `{}` is no JSON", at + 1, file.display()))
    };
    text.lines().enumerate().map(line).collect()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn question(line: &Value) -> Option<(String, Truth)> {
    let position = |value: &Value| value.as_u64().and_then(|at| usize::try_from(at).ok());
    let condition = |value: &Value| {
        let relation = value[1].as_str()?.chars().next()?;
        Some((position(&value[0])?, relation, text(&value[2])))
    };
    let aggregate = match line["agg"].as_str()? {
        "" => None,
        "MAX" => Some(Agg::Max),
        "MIN" => Some(Agg::Min),
        "COUNT" => Some(Agg::Count),
        "SUM" => Some(Agg::Sum),
        "AVG" => Some(Agg::Avg),
        _ => return None,
    };
    let conditions = line["conds"].as_array()?.iter().map(condition).collect::<Option<_>>()?;
    let truth = Truth { column: position(&line["sel"])?, aggregate, conditions };
    Some((line["q"].as_str()?.to_string(), truth))
}
