//! What the words of a question were understood as, told with a refusal so that people see which of them to change.
//!
//! Names, values and periods of the data are told, and the words that say what to do with them; small words that only join
//! are not. Where a span can stand for several things the longest and most literal one is told, as readings prefer it.

use std::ops::Range;

use data::plan::{Agg, Dir, Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decide::Question;
use crate::index::{ColId, Index, MeasureId, Sense};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::period::is_weekday;
use crate::tokens::{Kind, written};
use crate::words::{plural, snake};

/// More columns than that are told by how many they are.
const COLUMNS_MAX: usize = 3;

/// Words of a question and what they stand for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Understood {
    /// As they were asked.
    pub words: String,
    /// In people's words.
    pub meaning: String,
}

/// Words of a question that stand for something of the data, or say what to do with it.
pub struct Span {
    /// Their positions.
    pub at: Range<usize>,
    /// In people's words.
    pub meaning: String,
    /// What of the data a plan has to read for them, one of these; nothing for words of the language.
    pub part: Vec<Part>,
}

/// Something of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Column(ColId),
    Table(String),
    Measure(MeasureId),
}

impl Part {
    /// Whether a plan reads it.
    pub fn is_read(&self, index: &Index, plan: &Plan) -> bool {
        match self {
            Part::Column(id) => plan.columns().iter().any(|name| index.find(name) == Some(*id)),
            Part::Table(name) => plan.tables().contains(name),
            Part::Measure(id) => {
                let name = snake(&index.measure(*id).name);
                plan.measures.iter().any(|measure| measure.name == name)
            }
        }
    }
}

/// The words of a question that are understood, in their order; those at some positions are not.
pub fn spans(index: &Index, question: &Question, unknown: &[usize]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while at < question.tokens.len() {
        let open = |mention: &&Mention| !(at..mention.end).any(|inner| unknown.contains(&inner));
        // Who speaks of Sunday means the day, also where `sun` is short for it.
        let is_day = is_weekday(&question.tokens[at].singular);
        let written = |mention: &&Mention| match &mention.what {
            What::Columns(ids) if is_day => {
                ids.iter().all(|id| index.facts(*id).written.contains(&question.tokens[at].fold))
            }
            _ => true,
        };
        let open = question.mentions.at(at).iter().filter(open).filter(written);
        let Some(best) = open.max_by_key(|mention| rank(index, mention)) else {
            at += 1;
            continue;
        };
        let (end, part) = (best.end, part(index, best));
        let is_period = matches!(best.what, What::Role(Role::Grain(_) | Role::Part(_)));
        let ranks = spans.iter().any(|span| matches!(span.meaning.as_str(), FIRST | LAST));
        match (spans.last_mut().filter(|last| last.at.end == at && last.meaning == GROUPED), meaning(index, best)) {
            // "By region" is one thing, "by average charges" is not.
            (Some(last), Some(meaning)) if part.is_empty() && !is_period => *last = Span { at: at..end, meaning, part },
            (Some(last), Some(meaning)) => {
                *last = Span { at: last.at.start..end, meaning: grouped(index, best, &meaning, ranks), part };
            }
            (None, Some(meaning)) if !is_period => spans.push(Span { at: at..end, meaning, part }),
            (Some(last), None) => last.at.end = end,
            (None, _) => {}
        }
        at = end;
    }
    spans.retain(|span| span.meaning != GROUPED);
    spans
}

/// The same as people are told.
pub fn told(question: &Question, spans: &[Span]) -> Vec<Understood> {
    let quoted = |at: &usize| question.tokens[*at].kind == Kind::Quoted;
    let words = |span: &Span| match span.at.clone().find(quoted) {
        Some(at) => question.tokens[at].text.clone(),
        None => written(&question.tokens[span.at.clone()]),
    };
    spans.iter().map(|span| Understood { words: words(span), meaning: span.meaning.clone() }).collect()
}

/// Of several mentions at a position the longest, then what the dataset itself calls so.
fn rank(index: &Index, mention: &Mention) -> (usize, u8) {
    let literal = !(mention.partial || mention.synonym || mention.assumed);
    let alone = index.dataset.tables.len() == 1;
    let kind = match &mention.what {
        What::Columns(_) if literal && alone => 7,
        What::Columns(_) | What::Measure(_) | What::Flag(_) | What::Event(_) | What::Value(_) if literal => 5,
        What::Thing(_) if literal => 6,
        What::When(_) => 4,
        What::Role(Role::Glue(_) | Role::Rows) => 3,
        What::Role(_) | What::Adjective(_) | What::Comparative(_) => 2,
        _ => 1,
    };
    (mention.end, kind)
}

/// What "top" and "bottom" say of an order.
const FIRST: &str = "the first";
const LAST: &str = "the last";
/// What a column's name is told with.
const COLUMN: &str = "the column ";
/// What is said of "by" and "per" before the name that follows them is known.
const GROUPED: &str = "for each";

/// What "by" and "per" say of the name that follows.
fn grouped(index: &Index, mention: &Mention, meaning: &str, ranks: bool) -> String {
    let is_number = |id: &ColId| index.is_quantity(*id);
    if ranks && matches!(&mention.what, What::Columns(ids) if ids.iter().all(is_number)) {
        return format!("in the order of {}", meaning.strip_prefix(COLUMN).unwrap_or(meaning));
    }
    let what = match &mention.what {
        What::Thing(id) => &index.things[*id].noun,
        _ => meaning.strip_prefix(COLUMN).unwrap_or(meaning),
    };
    format!("{GROUPED} {what}")
}

/// What a mention stands for; nothing for words that are not worth a word.
fn meaning(index: &Index, mention: &Mention) -> Option<String> {
    Some(match &mention.what {
        What::Columns(columns) => named(index, columns),
        What::Measure(id) => format!("the measure {}", index.measure(*id).name),
        What::Thing(id) => {
            let thing = &index.things[*id];
            match (thing.table, thing.keys.first()) {
                (Some(table), _) => format!("the rows of {}", index.table(table).name),
                (None, Some(key)) => format!("the {} by their {}", plural(&thing.noun), index.column(*key).name),
                (None, None) => return None,
            }
        }
        What::Flag(columns) => format!("{} is yes", named(index, columns)),
        What::Event(columns) => named(index, columns),
        What::Opposite { flags, dates } => format!("not {}", named(index, &[&flags[..], &dates[..]].concat())),
        What::Value(cells) => {
            let (_, text) = cells.first()?;
            let mut columns: Vec<ColId> = cells.iter().map(|(id, _)| *id).collect();
            columns.dedup();
            format!("{text} in {}", named(index, &columns))
        }
        What::When(_) => "a period".to_string(),
        What::Role(role) => of_role(role)?.to_string(),
        What::Adjective(_) | What::Comparative(_) => return None,
    })
}

/// A column, or those it may be.
fn named(index: &Index, columns: &[ColId]) -> String {
    let several = index.dataset.tables.len() > 1;
    let name = |id: &ColId| match several {
        true => format!("{} of {}", index.column(*id).name, index.table(id.table).name),
        false => index.column(*id).name.clone(),
    };
    let same = |first: &ColId| columns.iter().all(|id| index.column(*id).name == index.column(*first).name);
    match columns {
        [first, _, ..] if same(first) => {
            let tables: Vec<&str> = columns.iter().map(|id| index.table(id.table).name.as_str()).collect();
            format!("{COLUMN}{} of {}", index.column(*first).name, tables.join(" or "))
        }
        [only] => format!("{COLUMN}{}", name(only)),
        _ if columns.len() <= COLUMNS_MAX => {
            format!("one of the columns {}", columns.iter().map(name).collect::<Vec<_>>().join(", "))
        }
        [first, second, rest @ ..] => {
            format!("one of the columns {}, {} and {} others", name(first), name(second), rest.len())
        }
        [] => String::new(),
    }
}

/// What a word of the language asks for.
fn of_role(role: &Role) -> Option<&'static str> {
    Some(match role {
        Role::Count => "how many",
        Role::Much => "how much",
        Role::Distinct => "different ones",
        Role::Share => "a share",
        Role::Agg(Agg::Avg) => "the average",
        Role::Agg(Agg::Sum) => "the total",
        Role::Agg(Agg::Min) => "the lowest",
        Role::Agg(Agg::Max) => "the highest",
        Role::Agg(Agg::Median) => "the median",
        Role::Agg(Agg::Stddev) => "the standard deviation",
        Role::Percentile => "a percentile",
        Role::Extreme(Dir::Desc) => "the highest",
        Role::Extreme(Dir::Asc) => "the lowest",
        Role::Amount(Dir::Desc) => "the most",
        Role::Amount(Dir::Asc) => "the least",
        Role::Recent(Dir::Desc) => "the latest",
        Role::Recent(Dir::Asc) => "the earliest",
        Role::Top(Dir::Desc) => FIRST,
        Role::Top(Dir::Asc) => LAST,
        Role::Grain(grain) => grain.as_str(),
        Role::Part(part) => part.as_str(),
        Role::OverTime | Role::Trend => "along time",
        Role::GroupBy | Role::GroupPer | Role::Each => GROUPED,
        _ => return None,
    })
}

/// What of the data a plan reads for a mention, one of these.
fn part(index: &Index, mention: &Mention) -> Vec<Part> {
    let columns = |ids: &[ColId]| ids.iter().copied().map(Part::Column).collect::<Vec<_>>();
    match &mention.what {
        What::Columns(ids) | What::Flag(ids) | What::Event(ids) => columns(ids),
        What::Opposite { flags, dates } => columns(&[&flags[..], &dates[..]].concat()),
        What::Value(cells) => cells.iter().map(|(id, _)| Part::Column(*id)).collect(),
        What::Measure(id) => part_of(index, Sense::Measure(*id)),
        What::Thing(id) => part_of(index, Sense::Thing(*id)),
        What::Role(_) | What::When(_) | What::Adjective(_) | What::Comparative(_) => Vec::new(),
    }
}

/// The same for what a name stands for.
pub fn part_of(index: &Index, sense: Sense) -> Vec<Part> {
    match sense {
        Sense::Column(id) | Sense::Flag(id) | Sense::Event(id) => vec![Part::Column(id)],
        Sense::Measure(id) => vec![Part::Measure(id)],
        Sense::Thing(id) => {
            let thing = &index.things[id];
            let table = thing.table.map(|table| Part::Table(index.table(table).name.clone()));
            let columns = thing.keys.iter().chain(&thing.label).copied().map(Part::Column);
            table.into_iter().chain(columns).collect()
        }
    }
}
