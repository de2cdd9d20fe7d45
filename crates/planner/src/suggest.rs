//! Near questions for a refusal. Each one is planned before it is offered, so a suggestion always has an answer.

use base::Type;

use crate::decide::{decide, is_counted_by_rows};
use crate::index::Index;
use crate::lexicon::Role;
use crate::tokens::{self, Token};
use crate::words::{plural, split_name};
use crate::{Outcome, Reason, Refusal};

/// How many questions are offered.
const SUGGESTIONS_MAX: usize = 3;
/// How many candidates are planned at most.
const ATTEMPTS_MAX: usize = 6;

/// The refusal with questions that are near and can be answered.
pub fn with_suggestions(index: &Index, question: &str, refusal: Refusal) -> Refusal {
    let mut candidates = repaired(index, question, &refusal);
    candidates.extend(ranked(index, question));
    let mut suggestions: Vec<String> = Vec::new();
    for candidate in candidates.into_iter().filter(|candidate| candidate != question).take(ATTEMPTS_MAX) {
        let answered = !suggestions.contains(&candidate) && matches!(decide(index, &candidate), Outcome::Answer(_));
        if answered {
            suggestions.push(candidate);
        }
        if suggestions.len() == SUGGESTIONS_MAX {
            break;
        }
    }
    Refusal { suggestions, ..refusal }
}

/// Questions to begin with: those that the owner declared, else some that are made of the names and can be answered.
pub fn first_questions(index: &Index) -> Vec<String> {
    if !index.dataset.questions.is_empty() {
        return index.dataset.questions.clone();
    }
    let made = index.candidates.iter().map(|candidate| &candidate.question).take(2 * ATTEMPTS_MAX);
    let answered = made.filter(|question| matches!(decide(index, question), Outcome::Answer(_)));
    answered.take(SUGGESTIONS_MAX).cloned().collect()
}

/// The question itself with an unknown word replaced by a near name, or with the aggregate it lacks.
fn repaired(index: &Index, question: &str, refusal: &Refusal) -> Vec<String> {
    match (refusal.reason, &refusal.words[..]) {
        (Reason::UnknownWord, [word]) => {
            let names = index.vocabulary();
            let near = base::nearest(word, names.iter().map(String::as_str));
            near.into_iter().map(|name| question.replacen(word.as_str(), &name, 1)).collect()
        }
        (Reason::Ambiguous, []) => {
            let tokens = tokens::tokenize(question, index.forms);
            let aggregates = |token: &Token| {
                let asks = |role: &Role| matches!(role, Role::Agg(_) | Role::Extreme(_) | Role::Amount(_));
                index.lexicon.roles(&token.fold).iter().any(asks)
            };
            if tokens.iter().any(aggregates) {
                return Vec::new();
            }
            let number = tokens.iter().find(|token| names_number(index, token));
            let with =
                |word: &str| number.map(|token| question.replacen(&token.text, &format!("{word} {}", token.text), 1));
            ["average", "total", "highest"].into_iter().filter_map(with).collect()
        }
        _ => Vec::new(),
    }
}

fn names_number(index: &Index, token: &Token) -> bool {
    index.names(&token.stem).iter().any(|entry| match entry.sense {
        crate::index::Sense::Column(id) => index.is_quantity(id),
        _ => false,
    })
}

/// A question that may be offered, with the stems it is found by.
#[derive(Clone, Debug)]
pub struct Candidate {
    question: String,
    stems: Vec<String>,
}

/// The declared questions, then questions made from the schema.
pub fn candidates(index: &Index) -> Vec<Candidate> {
    let questions = index.dataset.questions.iter().cloned().chain(made(index));
    questions.map(|question| Candidate { stems: stems(index, &question), question }).collect()
}

fn stems(index: &Index, text: &str) -> Vec<String> {
    tokens::tokenize(text, index.forms).into_iter().map(|token| token.stem).filter(|stem| stem.len() > 3).collect()
}

/// The candidates that share most words with the asked question first.
fn ranked(index: &Index, question: &str) -> Vec<String> {
    let asked = stems(index, question);
    let shared = |candidate: &Candidate| candidate.stems.iter().filter(|stem| asked.contains(stem)).count();
    let mut candidates: Vec<(usize, &Candidate)> = index.candidates.iter().map(|one| (shared(one), one)).collect();
    candidates.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    candidates.into_iter().take(2 * ATTEMPTS_MAX).map(|(_, candidate)| candidate.question.clone()).collect()
}

/// Plain questions about what the dataset has.
fn made(index: &Index) -> Vec<String> {
    const PER_TABLE_MAX: usize = 3;
    let mut questions = Vec::new();
    for (id, table) in index.dataset.tables.iter().enumerate() {
        let Some(thing) = index.things.iter().find(|thing| thing.table == Some(id)) else { continue };
        let things = plural(&thing.noun);
        // What a number of each row counts is not counted by rows.
        let by_rows = is_counted_by_rows(index, id);
        if !by_rows {
            questions.push(format!("How many {things} are there?"));
        }
        let spoken = |name: &str| split_name(name).join(" ");
        let category = |column: &&data::dataset::ColumnInfo| {
            column.ty == Type::Text && !column.unique && (2..=50).contains(&column.distinct)
        };
        let categories: Vec<String> =
            table.columns.iter().filter(category).take(PER_TABLE_MAX).map(|column| spoken(&column.name)).collect();
        let numbers: Vec<String> = (0..table.columns.len())
            .filter(|at| table.columns[*at].ty.is_number() && !index.facts[id][*at].mark)
            .filter(|at| table.columns[*at].running.is_none())
            .take(PER_TABLE_MAX)
            .map(|at| index.facts[id][at].core.join(" "))
            .collect();
        let counted = categories.iter().filter(|_| !by_rows);
        questions.extend(counted.map(|category| format!("How many {things} are there by {category}?")));
        for (column, running) in table.columns.iter().filter_map(|column| Some((column, column.running.as_ref()?))) {
            let of = running.entity.iter().map(|name| spoken(name)).collect::<Vec<_>>().join(" and ");
            let by = if of.is_empty() { String::new() } else { format!(" by {of}") };
            questions.push(format!("What is the latest {}{by}?", spoken(&column.name)));
        }
        for number in &numbers {
            questions.push(format!("What is the average {number}?"));
            questions.extend(categories.iter().map(|category| format!("What is the average {number} by {category}?")));
        }
        for measure in index.dataset.measures.iter().filter(|measure| measure.tables.contains(&table.name)) {
            questions.push(format!("What is the {}?", measure.name));
            questions.extend(categories.iter().map(|category| format!("What is the {} by {category}?", measure.name)));
        }
    }
    let marks = index.columns().filter(|id| index.facts(*id).mark && index.column(*id).ty.is_number());
    for (id, thing) in marks.filter_map(|id| Some((id, index.rows_of(id.table)?))) {
        let (things, name) = (plural(&index.things[thing].noun), split_name(&index.column(id).name).join(" "));
        questions.extend([
            format!("How many {things} are there by {name}?"),
            format!("What is the highest {name}?"),
            format!("What is the lowest {name}?"),
        ]);
    }
    for measure in &index.dataset.measures {
        let natural = measure.tables.first();
        let ranked = |table: usize| Some(&index.table(table).name) != natural;
        let things =
            index.things.iter().filter(|thing| thing.table.is_none_or(ranked)).map(|thing| plural(&thing.noun));
        questions.extend(things.map(|things| format!("What are the top 10 {things} by {}?", measure.name)));
    }
    questions
}
