//! Texts that hold a word: `with mirror in the title`, `a note saying an interpreter was needed`.
//!
//! What is searched for need not be a cell. Where all cells of the column are known, those that hold every telling word
//! of it are meant, and none where no cell does.

use base::Type;

use super::super::filters::add;
use super::super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::tokens::{self, Kind};

/// How many words are searched for at most.
const WORDS_MAX: usize = 6;

/// `with mirror in the title`, `that have the word ship in their synopsis`.
pub fn word_in(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let opens = matches!(parser.word(at), "with" | "having" | "have" | "has" | "containing" | "contain");
    if !opens || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let start = after_the_word(parser, at + 1);
    let in_at = (start + 1..=(start + WORDS_MAX).min(parser.tokens.len())).find(|end| parser.word(*end) == "in");
    let Some(middle) = in_at.filter(|end| (start..*end).all(|word| is_plain(parser, word))) else { return };
    for mention in parser.mentions.at(parser.skip_determiners(middle + 1)) {
        if let Some(columns) = texts(parser, mention)
            && let Some(condition) = holds(parser, &columns, start, middle)
        {
            steps.push((mention.end, said(parser, draft, condition, (start, middle), features(mention))));
        }
    }
}

/// `a note saying an interpreter was needed`, `synopsis mentions a ship`: up to the end or the next comma.
pub fn saying(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let Some(columns) = texts(parser, mention) else { continue };
        let verb = parser.skip(mention.end, |glue| glue == Glue::Relative);
        if !is_saying(parser.word(verb)) {
            continue;
        }
        let start = after_the_word(parser, parser.skip(verb + 1, |glue| glue == Glue::Relative));
        let limit = (start..parser.tokens.len()).find(|word| !is_plain(parser, *word)).unwrap_or(parser.tokens.len());
        let end = limit.min(start + WORDS_MAX);
        if end > start
            && end == limit
            && let Some(condition) = holds(parser, &columns, start, end)
        {
            steps.push((end, said(parser, draft, condition, (start, end), features(mention))));
        }
    }
}

fn is_saying(word: &str) -> bool {
    matches!(
        word,
        "saying" | "says" | "say" | "mentioning" | "mentions" | "mention" | "mentioned" | "containing" | "contains"
    )
}

fn after_the_word(parser: &Parser, at: usize) -> usize {
    let start = parser.skip_determiners(at);
    let noun = matches!(parser.word(start), "word" | "words" | "phrase" | "text" | "name");
    if noun { start + 1 } else { start }
}

fn is_plain(parser: &Parser, at: usize) -> bool {
    parser.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::Quoted))
}

fn texts(parser: &Parser, mention: &Mention) -> Option<Columns> {
    let What::Columns(columns) = &mention.what else { return None };
    let text = |id: &ColId| parser.index.column(*id).ty == Type::Text && parser.index.facts(*id).yes.is_none();
    columns.iter().all(text).then(|| columns.clone())
}

/// The condition that a text holds the words of a span.
fn holds(parser: &Parser, columns: &Columns, start: usize, end: usize) -> Option<Condition> {
    let joint = |at: &usize| parser.roles(*at).any(|(_, role)| matches!(role, Role::Glue(_)));
    let telling: Vec<usize> = (start..end).filter(|at| !joint(at)).collect();
    if telling.is_empty() {
        return None;
    }
    let [column] = columns[..] else { return None };
    let info = parser.index.column(column);
    // Texts that repeat are kinds: then the cells that hold all of it are meant.
    if info.values_complete && !info.unique && info.distinct < parser.index.table(column.table).rows {
        let stem = |word: &str| parser.index.forms.stem(word);
        let has = |text: &&String| {
            let words: Vec<String> = crate::tokens::fold(text).split(' ').map(stem).collect();
            telling.iter().all(|at| words.contains(&parser.tokens[*at].stem))
        };
        let cells: Vec<String> = info.values.iter().filter(has).cloned().collect();
        return (!cells.is_empty()).then(|| Condition::Values { cells: vec![(column, cells)], all: false });
    }
    let whole = telling.len() == end - start;
    let text = tokens::written(&parser.tokens[start..end]);
    whole.then(|| Condition::Contains { columns: columns.clone(), text })
}

fn said(
    parser: &Parser,
    draft: &Draft,
    condition: Condition,
    (start, end): (usize, usize),
    found: Vec<Feature>,
) -> Draft {
    let words = tokens::written(&parser.tokens[start..end]);
    let inside = if matches!(condition, Condition::Contains { .. }) { ", also inside a longer word" } else { "" };
    let mut next = add(draft, condition, &found);
    next.assume("contains", format!("texts that hold `{words}` are meant{inside}"));
    next
}
