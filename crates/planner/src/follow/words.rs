//! The words of a continuation, taken apart: what opens it, which chart, aggregate, limit and order it names, and the
//! rest, which the grammar reads.

use data::chart::Wish;
use data::plan::{Agg, Dir};

use crate::index::Index;
use crate::lexicon::Role;
use crate::tokens::fold;

/// A continuation taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment {
    /// Whether its opening says that it continues something.
    pub continues: bool,
    pub chart: Option<Wish>,
    pub agg: Option<Agg>,
    pub top: Option<(u32, Dir)>,
    /// The words that name what to sort by, folded, and the direction if it is said.
    pub sort: Option<(String, Option<Dir>)>,
    /// How new groups stand to those before.
    pub join: Join,
    /// Groups and conditions, in the user's words.
    pub rest: String,
}

/// How new groups stand to those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Not said: they take the place of those before, and that could have been meant otherwise.
    Open,
    /// "instead"
    Replace,
    /// "also"
    Add,
}

/// Phrases that open a continuation and say nothing else.
const OPENINGS: &[&str] = &[
    "and what about",
    "and how about",
    "what about",
    "how about",
    "and what is",
    "and for",
    "and",
    "but",
    "now",
    "then",
    "ok",
    "okay",
    "same for",
    "the same for",
    "same but",
    "the same but",
    "same",
    "the same",
    "only",
    "just",
    "show it",
    "show that",
    "show them",
    "show",
    "make it",
    "draw it",
    "plot it",
];
/// Words with which a fragment begins that is no question by itself.
const BEGINNINGS: &[&str] = &[
    "by",
    "per",
    "for",
    "in",
    "during",
    "since",
    "before",
    "after",
    "as",
    "without",
    "excluding",
    "except",
    "sorted",
    "ordered",
];
/// Words that ask for something of their own.
const HEADS: &[&str] = &[
    "how", "which", "what", "who", "when", "where", "list", "count", "number", "average", "total", "give", "is", "are",
    "does",
];
/// Takes a question apart as if it were a continuation.
pub fn fragment(index: &Index, question: &str) -> Fragment {
    let mut words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_end_matches(['?', '!', ',', ';'])).collect();
    if let Some(last) = words.last_mut() {
        *last = last.trim_end_matches('.');
    }
    words.retain(|word| !word.is_empty());
    let opened = strip_openings(&mut words);
    let begins = words.first().is_some_and(|word| BEGINNINGS.contains(&fold(word).as_str()));
    let asks = words.iter().any(|word| HEADS.contains(&fold(word).as_str()));
    let join = strip_join(&mut words);
    let chart = strip_chart(index, &mut words);
    let sort = strip_sort(&mut words);
    let top = strip_top(&mut words);
    let agg = strip_aggregate(index, &mut words);
    let edited = chart.is_some() || sort.is_some() || top.is_some();
    let continues = opened || (!asks && (begins || (edited && words.is_empty())));
    Fragment { continues, chart, agg, top, sort, join, rest: words.join(" ") }
}

fn folded(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| fold(word)).collect()
}

fn strip_openings(words: &mut Vec<&str>) -> bool {
    let mut opened = false;
    while let Some(length) = opening(words) {
        words.drain(..length);
        opened = true;
    }
    opened
}

/// How many words the longest opening has that stands here.
fn opening(words: &[&str]) -> Option<usize> {
    let said = folded(words);
    let lengths = OPENINGS.iter().map(|phrase| phrase.split(' ').collect::<Vec<_>>());
    lengths
        .filter(|phrase| said.len() >= phrase.len() && said[..phrase.len()] == phrase[..])
        .map(|phrase| phrase.len())
        .max()
}

/// Words at the end that say how a change is meant.
fn strip_join(words: &mut Vec<&str>) -> Join {
    let mut join = Join::Open;
    loop {
        let said = folded(words);
        let ends = |phrase: &[&str]| said.len() > phrase.len() && said[said.len() - phrase.len()..] == *phrase;
        let (length, meant) = match () {
            () if ends(&["as", "well"]) => (2, Join::Add),
            () if ends(&["too"]) || ends(&["also"]) => (1, Join::Add),
            () if ends(&["instead"]) => (1, Join::Replace),
            () if ends(&["only"]) || ends(&["please"]) || ends(&["again"]) => (1, join),
            () => break,
        };
        words.truncate(words.len() - length);
        join = meant;
    }
    let said = folded(words);
    let begins = |phrase: &[&str]| said.len() > phrase.len() && said[..phrase.len()] == *phrase;
    let (length, meant) = match () {
        () if begins(&["also"]) => (1, Join::Add),
        () if begins(&["split", "by"]) || begins(&["broken", "down", "by"]) => {
            (said.iter().position(|w| w == "by").unwrap_or(0), Join::Add)
        }
        () => (0, join),
    };
    words.drain(..length);
    meant
}

/// "as a bar chart", "chart", "as a graph": the longest phrase for a chart at the end.
fn strip_chart(index: &Index, words: &mut Vec<&str>) -> Option<Wish> {
    let said = folded(words);
    let named = |start: usize| {
        let roles = index.lexicon.roles(&said[start..].join(" "));
        roles.iter().find_map(|role| if let Role::Chart(wish) = role { Some((start, *wish)) } else { None })
    };
    let (mut start, wish) = (0..said.len()).find_map(named)?;
    for filler in [&["a", "an", "the"][..], &["as", "in", "with"]] {
        if start.checked_sub(1).is_some_and(|at| filler.contains(&said[at].as_str())) {
            start -= 1;
        }
    }
    words.truncate(start);
    Some(wish)
}

/// "sorted by name", "order by revenue descending".
fn strip_sort(words: &mut Vec<&str>) -> Option<(String, Option<Dir>)> {
    let said = folded(words);
    let at = said
        .windows(2)
        .position(|pair| matches!(pair[0].as_str(), "sort" | "sorted" | "order" | "ordered") && pair[1] == "by")?;
    let mut by = said[at + 2..].to_vec();
    let endings: [(&[&str], Dir); 8] = [
        (&["descending"], Dir::Desc),
        (&["highest", "first"], Dir::Desc),
        (&["largest", "first"], Dir::Desc),
        (&["latest", "first"], Dir::Desc),
        (&["ascending"], Dir::Asc),
        (&["lowest", "first"], Dir::Asc),
        (&["smallest", "first"], Dir::Asc),
        (&["alphabetically"], Dir::Asc),
    ];
    let ending =
        endings.iter().find(|(phrase, _)| by.len() > phrase.len() && by[by.len() - phrase.len()..] == **phrase);
    if let Some((phrase, _)) = ending {
        by.truncate(by.len() - phrase.len());
    }
    if by.is_empty() {
        return None;
    }
    words.truncate(at);
    Some((by.join(" "), ending.map(|(_, dir)| *dir)))
}

/// "top 3", "the bottom 5", "first 10".
fn strip_top(words: &mut Vec<&str>) -> Option<(u32, Dir)> {
    let said = folded(words);
    let start = usize::from(said.first().is_some_and(|word| word == "the"));
    let dir = match said.get(start)?.as_str() {
        "top" | "highest" | "largest" | "best" | "first" => Dir::Desc,
        "bottom" | "lowest" | "smallest" | "last" => Dir::Asc,
        _ => return None,
    };
    let number = said.get(start + 1)?.parse().ok().filter(|number| (1..=1000).contains(number))?;
    // "last 3 months" is a period and "top 3 products" a question of its own.
    if said.get(start + 2).is_some_and(|next| !matches!(next.as_str(), "by" | "per" | "for" | "in")) {
        return None;
    }
    words.drain(..start + 2);
    Some((number, dir))
}

/// "the median", "average by month".
fn strip_aggregate(index: &Index, words: &mut Vec<&str>) -> Option<Agg> {
    let said = folded(words);
    let start = usize::from(said.first().is_some_and(|word| word == "the"));
    let agg = index.lexicon.aggregate(said.get(start)?)?;
    if said
        .get(start + 1)
        .is_some_and(|next| !matches!(next.as_str(), "by" | "per" | "for" | "in" | "during" | "since"))
    {
        return None;
    }
    words.drain(..start + 1);
    Some(agg)
}
