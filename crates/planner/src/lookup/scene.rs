//! A question laid beside a table: where its words name columns, where they are cells, and where numbers are compared.

use super::classes::ASKED;
use super::table::{HeaderWord, Table, ValueId, is_plain};
use super::words::{Word, words};
use crate::index::Index;

/// A stretch of words, the end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// How many words lie between two stretches; 0 where they touch or overlap.
    pub fn gap(self, other: Span) -> usize {
        other.start.saturating_sub(self.end).max(self.start.saturating_sub(other.end))
    }
}

/// Words that name a column, or a part of its name.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    pub span: Span,
    /// The share of the header that is said, by the weight of its words.
    pub coverage: f64,
    /// How many telling words of the header are said.
    pub said: usize,
    /// Whether each is said as it is written.
    pub literal: bool,
}

/// A comparison of a column with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    Equal,
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Relation {
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Equal => "equal",
            Relation::Above => "above",
            Relation::AtLeast => "at-least",
            Relation::Below => "below",
            Relation::AtMost => "at-most",
        }
    }

    /// Whether a number stands so to a bound.
    pub fn holds(self, number: f64, bound: f64) -> bool {
        match self {
            Relation::Equal => (number - bound).abs() <= 1e-9 * bound.abs().max(1.0),
            Relation::Above => number > bound,
            Relation::AtLeast => number >= bound,
            Relation::Below => number < bound,
            Relation::AtMost => number <= bound,
        }
    }
}

/// How the words of a link are the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// The same words.
    Exact,
    /// The same words in other forms.
    Stem,
    /// The only cells of their column that have the words among others.
    Part,
    /// The same number, or a bound.
    Number,
}

impl How {
    pub fn as_str(self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::Stem => "stem",
            How::Part => "part",
            How::Number => "number",
        }
    }
}

/// What the cells of a column are held against.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// These of the column's values.
    Values(Vec<ValueId>),
    /// These texts, where the rows are not at hand.
    Texts(Vec<String>),
    Number(f64),
}

/// Words that may be a condition.
#[derive(Clone, Debug)]
pub struct Link {
    pub span: Span,
    pub column: usize,
    pub relation: Relation,
    pub operand: Operand,
    pub how: How,
    /// The words that compare.
    pub comparator: &'static str,
    /// In how many columns the same words are cells.
    pub columns: usize,
    /// Whether a longer link covers it.
    pub nested: bool,
}

/// The question beside the table.
#[derive(Debug)]
pub struct Scene<'a> {
    pub table: &'a Table,
    pub words: Vec<Word>,
    /// Of each column, best first.
    pub mentions: Vec<Vec<Mention>>,
    pub links: Vec<Link>,
    /// The word that asks, and where it stands.
    pub asks: &'static str,
    pub asks_at: usize,
    /// Of each column: whether its header names what the question word asks for.
    pub asked: Vec<bool>,
}

const MENTIONS_MAX: usize = 3;
const SPAN_WORDS_MAX: usize = 10;
/// A number is tried in at most this many columns, and a question has at most this many links.
const LINKS_MAX: usize = 60;

impl<'a> Scene<'a> {
    pub fn new(index: &Index, lookup: &'a Table, question: &str) -> Scene<'a> {
        let words = words(question, index.forms);
        let (asks, asks_at) = asks(&words);
        let mentions = lookup.columns.iter().map(|column| mentions(&column.header, &words)).collect();
        let asked = lookup
            .columns
            .iter()
            .map(|column| column.header.iter().any(|word| ASKED.contains(asks, &word.stem)))
            .collect();
        let mut scene = Scene { table: lookup, words, mentions, links: Vec::new(), asks, asks_at, asked };
        scene.links = scene.find_links(index, 0, question);
        scene
    }

    /// The mention of a column that lies nearest to a stretch without being a part of it.
    pub fn nearest(&self, column: usize, span: Span) -> Option<Mention> {
        let apart = self.mentions[column].iter().filter(|mention| !mention.span.overlaps(span));
        apart.copied().min_by(|a, b| {
            let cost = |mention: &Mention| mention.span.gap(span) as f64 - 3.0 * mention.coverage;
            cost(a).total_cmp(&cost(b))
        })
    }

    fn find_links(&self, index: &Index, table: usize, question: &str) -> Vec<Link> {
        let mut links = Vec::new();
        let longest = if self.table.known { self.table.words_max } else { index.words_max };
        for start in 0..self.words.len() {
            if self.table.known && self.table.with_word(&self.words[start].fold).is_empty() && !self.is_dated(start) {
                self.link_stems(start, &mut links);
                continue;
            }
            for end in (start + 1..=self.words.len().min(start + longest.min(SPAN_WORDS_MAX))).rev() {
                let span = Span { start, end };
                if !self.is_function_word(span) {
                    self.link_texts(index, table, question, span, &mut links);
                }
            }
        }
        for at in 0..self.words.len() {
            self.link_number(at, &mut links);
        }
        if self.table.known {
            self.link_parts(&mut links);
        }
        settle(links)
    }

    /// Dates are also found by words that no cell has.
    fn is_dated(&self, at: usize) -> bool {
        let temporal = self.table.columns.iter().any(|column| column.ty.is_temporal());
        let next_is_number = self.words.get(at + 1).is_some_and(|word| word.number.is_some());
        temporal && (self.words[at].number.is_some() || next_is_number)
    }

    fn is_function_word(&self, span: Span) -> bool {
        let [word] = &self.words[span.start..span.end] else { return false };
        word.closed.is_some() && !(word.proper && span.start > 0)
    }

    fn link_texts(&self, index: &Index, table: usize, question: &str, span: Span, links: &mut Vec<Link>) {
        if self.table.known {
            let key = joined(self.words[span.start..span.end].iter().map(|word| word.fold.as_str()));
            let found = self.table.equal(&key);
            match found.is_empty() {
                false => push_values(found, span, How::Exact, links),
                true => self.link_stem(span, links),
            }
            return;
        }
        let text = &question[self.words[span.start].at.start..self.words[span.end - 1].at.end];
        let singular = crate::tokens::phrase(&crate::tokens::fold(text), |word| index.forms.singular(word));
        let mut by_column: Vec<(usize, Vec<String>)> = Vec::new();
        for (id, cell) in index.values(&singular).into_iter().filter(|(id, _)| id.table == table) {
            match by_column.iter_mut().find(|(column, _)| *column == id.column) {
                Some((_, cells)) => cells.push(cell),
                None => by_column.push((id.column, vec![cell])),
            }
        }
        let columns = by_column.len();
        for (column, cells) in by_column {
            let operand = Operand::Texts(cells);
            links.push(Link { columns, ..link(span, column, operand, How::Exact) });
        }
    }

    /// Other forms of the words of short cells.
    fn link_stems(&self, start: usize, links: &mut Vec<Link>) {
        const WORDS_MAX: usize = 4;
        for end in (start + 1..=self.words.len().min(start + WORDS_MAX.min(self.table.words_max))).rev() {
            let span = Span { start, end };
            if !self.is_function_word(span) {
                self.link_stem(span, links);
            }
        }
    }

    fn link_stem(&self, span: Span, links: &mut Vec<Link>) {
        let stems = joined(self.words[span.start..span.end].iter().map(|word| word.stem.as_str()));
        push_values(self.table.alike(&stems), span, How::Stem, links);
    }

    /// A number as a cell or a bound of each column of numbers.
    fn link_number(&self, at: usize, links: &mut Vec<Link>) {
        let Some(number) = self.words[at].number else { return };
        let compared = comparator(&self.words, at);
        let exact = |column: usize| {
            let found = |link: &Link| link.column == column && link.span == Span { start: at, end: at + 1 };
            links.iter().any(found)
        };
        let mut found = Vec::new();
        for (place, column) in self.table.columns.iter().enumerate() {
            let Some(range) = column.range.filter(|_| column.kind.is_number()) else { continue };
            let same: Vec<ValueId> = (0..column.values.len())
                .filter(|id| column.values[*id].number.is_some_and(|cell| Relation::Equal.holds(cell, number)))
                .map(|id| id as ValueId)
                .collect();
            let span = Span { start: at, end: at + 1 };
            if !exact(place) && !same.is_empty() {
                found.push(link(span, place, Operand::Values(same), How::Number));
            } else if !self.table.known && column.ty.is_number() && range.0 <= number && number <= range.1 {
                found.push(link(span, place, Operand::Number(number), How::Number));
            }
            for (relation, span, comparator) in &compared {
                let bound = link(*span, place, Operand::Number(number), How::Number);
                found.push(Link { relation: *relation, comparator, ..bound });
            }
        }
        let columns = found.iter().filter(|link| link.relation == Relation::Equal).count();
        links.extend(found.into_iter().map(|link| Link { columns, ..link }));
    }

    /// The longest stretches that no cell is, but that only one cell of a column has among its words.
    fn link_parts(&self, links: &mut Vec<Link>) {
        let taken: Vec<Span> = links.iter().map(|link| link.span).collect();
        let free = |at: usize| !taken.iter().any(|span| span.start <= at && at < span.end && span.len() > 1);
        let mut start = 0;
        while start < self.words.len() {
            let word = &self.words[start];
            let telling = word.closed.is_none() && word.number.is_none() && word.fold.len() > 2;
            if !telling || !free(start) {
                start += 1;
                continue;
            }
            let mut cells = self.table.with_word(&word.fold).to_vec();
            let mut end = start + 1;
            while end < self.words.len() && free(end) && !cells.is_empty() {
                let phrase = joined(self.words[start..=end].iter().map(|word| word.fold.as_str()));
                let has = |place: &&(usize, ValueId)| contains(self.value_key(**place), &phrase);
                let narrower: Vec<_> = cells.iter().filter(has).copied().collect();
                if narrower.is_empty() {
                    break;
                }
                cells = narrower;
                end += 1;
            }
            while end > start + 1 && self.words[end - 1].closed.is_some() {
                end -= 1;
            }
            let span = Span { start, end };
            for column in 0..self.table.columns.len() {
                let mut here = cells.iter().filter(|(place, _)| *place == column);
                let whole = links.iter().any(|link| link.span == span && link.column == column);
                if let (Some((_, id)), None, false) = (here.next(), here.next(), whole) {
                    links.push(link(span, column, Operand::Values(vec![*id]), How::Part));
                }
            }
            start = end;
        }
    }

    fn value_key(&self, (column, id): (usize, ValueId)) -> &str {
        &self.table.columns[column].values[id as usize].key
    }
}

fn link(span: Span, column: usize, operand: Operand, how: How) -> Link {
    Link { span, column, relation: Relation::Equal, operand, how, comparator: "", columns: 1, nested: false }
}

fn push_values(found: &[(usize, ValueId)], span: Span, how: How, links: &mut Vec<Link>) {
    let mut by_column: Vec<(usize, Vec<ValueId>)> = Vec::new();
    for (column, id) in found {
        match by_column.iter_mut().find(|(other, _)| other == column) {
            Some((_, ids)) => ids.push(*id),
            None => by_column.push((*column, vec![*id])),
        }
    }
    let columns = by_column.len();
    for (column, ids) in by_column {
        links.push(Link { columns, ..link(span, column, Operand::Values(ids), how) });
    }
}

/// In the order of the question, each knowing whether a longer one covers it.
fn settle(mut links: Vec<Link>) -> Vec<Link> {
    let whole: Vec<Span> =
        links.iter().filter(|link| matches!(link.how, How::Exact | How::Stem)).map(|link| link.span).collect();
    for link in &mut links {
        let covers = |span: &Span| span.start <= link.span.start && link.span.end <= span.end && *span != link.span;
        link.nested = link.relation == Relation::Equal && whole.iter().any(covers);
    }
    links.sort_by_key(|link| (link.span, link.column, link.relation));
    if links.len() > LINKS_MAX {
        links.retain(|link| !link.nested);
        links.truncate(LINKS_MAX);
    }
    links
}

fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Whether a phrase stands in a text at the borders of words.
fn contains(text: &str, phrase: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == b' ');
    text.match_indices(phrase).any(|(at, _)| {
        let before = at.checked_sub(1).map(|before| &text.as_bytes()[before]);
        edge(before) && edge(text.as_bytes().get(at + phrase.len()))
    })
}

/// The comparisons that stand at a number, with the stretch that the words and the number cover.
fn comparator(words: &[Word], at: usize) -> Vec<(Relation, Span, &'static str)> {
    const REACH: usize = 4;
    let fold = |at: usize| words.get(at).map_or("", |word| word.fold.as_str());
    let mut found = Vec::new();
    let after = Span { start: at, end: (at + 3).min(words.len()) };
    match (fold(at + 1), fold(at + 2)) {
        ("or" | "and", "more" | "higher" | "above" | "greater" | "over" | "later" | "larger" | "better" | "after") => {
            return vec![(Relation::AtLeast, after, "or-more")];
        }
        ("or" | "and", "less" | "fewer" | "lower" | "below" | "under" | "earlier" | "smaller" | "before") => {
            return vec![(Relation::AtMost, after, "or-less")];
        }
        _ => {}
    }
    for back in (at.saturating_sub(REACH)..at).rev() {
        if words[back].number.is_some() {
            break;
        }
        let span = |start: usize| Span { start, end: at + 1 };
        let near = at - back <= 2;
        let negated = back >= 2 && matches!(fold(back - 2), "not" | "no");
        match fold(back) {
            "than" if back > 0 => {
                let more = (if negated { Relation::AtMost } else { Relation::Above }, span(back - 1), "more-than");
                let less = (if negated { Relation::AtLeast } else { Relation::Below }, span(back - 1), "less-than");
                match fold(back - 1) {
                    "less" | "fewer" | "smaller" | "lower" | "shorter" | "earlier" | "younger" | "worse" | "lesser"
                    | "slower" | "lighter" | "sooner" | "under" | "cheaper" => found.push(less),
                    "more" | "greater" | "larger" | "higher" | "bigger" | "longer" | "later" | "older" | "better"
                    | "heavier" | "taller" | "faster" | "over" | "above" => found.push(more),
                    "other" | "rather" => {}
                    _ => found.extend([more, less]),
                }
                break;
            }
            "least" if back > 0 && fold(back - 1) == "at" => {
                found.push((Relation::AtLeast, span(back - 1), "at-least"))
            }
            "most" if back > 0 && fold(back - 1) == "at" => found.push((Relation::AtMost, span(back - 1), "at-most")),
            "over" | "above" | "exceeding" | "exceeds" | "beyond" | "past" if near => {
                found.push((Relation::Above, span(back), "over"));
            }
            "after" | "since" if near => found.push((Relation::Above, span(back), "after")),
            "under" | "below" | "beneath" if near => found.push((Relation::Below, span(back), "under")),
            "before" | "until" | "till" if near => found.push((Relation::Below, span(back), "before")),
            "prior" if near => found.push((Relation::Below, span(back), "before")),
            _ => continue,
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// What the question begins with, or where it asks later: "in 1990, who won".
fn asks(words: &[Word]) -> (&'static str, usize) {
    let fold = |at: usize| words.get(at).map_or("", |word| word.fold.as_str());
    for at in 0..words.len() {
        let asks = match (fold(at), fold(at + 1)) {
            ("how", "many") => "many",
            ("how", "much") => "much",
            ("how", "long") => "long",
            ("how", _) => "how",
            ("who" | "whom" | "whose", _) => "who",
            ("where", _) if at == 0 || !preceded_by_noun(words, at) => "where",
            ("when", _) if at == 0 || !preceded_by_noun(words, at) => "when",
            ("what" | "whats", _) => "what",
            ("which", _) if at == 0 || !preceded_by_noun(words, at) => "which",
            _ => continue,
        };
        return (asks, at);
    }
    match fold(0) {
        "name" => ("name", 0),
        "list" | "show" | "give" | "tell" | "find" | "state" | "provide" => ("list", 0),
        "is" | "are" | "was" | "were" | "did" | "does" | "do" | "has" | "have" => ("yes-no", 0),
        "in" | "on" | "at" | "for" | "with" | "during" => ("in", 0),
        _ => ("none", 0),
    }
}

/// "The year when", "the city where": no question of its own.
fn preceded_by_noun(words: &[Word], at: usize) -> bool {
    let before = &words[at - 1];
    before.closed.is_none() && before.number.is_none() && words[..at].iter().any(|word| ASKING.contains(&&*word.fold))
}

const ASKING: &[&str] = &["what", "name", "list", "give", "show", "tell", "find", "the"];

/// Where the words of a question name a header, best first.
fn mentions(header: &[HeaderWord], words: &[Word]) -> Vec<Mention> {
    let total: f64 = header.iter().map(|word| word.weight).sum();
    let likeness: Vec<Vec<f64>> =
        words.iter().map(|word| header.iter().map(|header| alike(header, word)).collect()).collect();
    let mut found: Vec<Mention> = Vec::new();
    for start in 0..words.len() {
        if likeness[start].iter().all(|alike| *alike == 0.0) {
            continue;
        }
        let mut used = vec![false; header.len()];
        let (mut weight, mut said, mut literal, mut end) = (0.0, 0, true, start);
        for at in start..words.len().min(start + header.len() + 3) {
            let best = (0..header.len())
                .filter(|place| !used[*place])
                .map(|place| (likeness[at][place], place))
                .filter(|(alike, _)| *alike > 0.0)
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((alike, place)) = best else {
                // Only small words may stand between.
                if at == start || !words[at].closed.is_some_and(is_plain) {
                    break;
                }
                continue;
            };
            used[place] = true;
            weight += alike * header[place].weight;
            said += usize::from(header[place].weight > 0.1);
            literal &= alike == 1.0;
            end = at + 1;
        }
        if said > 0 {
            let coverage = weight / total;
            found.push(Mention { span: Span { start, end }, coverage, said, literal });
        }
    }
    found.sort_by(|a, b| b.coverage.total_cmp(&a.coverage).then(a.span.cmp(&b.span)));
    let mut kept: Vec<Mention> = Vec::new();
    for mention in found {
        let small_first = words[mention.span.start].closed.is_some_and(is_plain);
        if !small_first && kept.iter().all(|other| !other.span.overlaps(mention.span)) && kept.len() < MENTIONS_MAX {
            kept.push(mention);
        }
    }
    kept
}

/// How much a word of a question says a word of a header.
fn alike(header: &HeaderWord, word: &Word) -> f64 {
    const BEGINNING: usize = 5;
    if header.fold == word.fold || header.stem == word.stem {
        return 1.0;
    }
    let (a, b) = (header.stem.as_str(), word.stem.as_str());
    if header.kin.iter().any(|class| word.kin.contains(class)) {
        return 0.55;
    }
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let shorter = a.len().min(b.len());
    let digits = a.starts_with(|c: char| c.is_ascii_digit());
    if !digits && (common >= BEGINNING || common == shorter && shorter >= 3 && word.closed.is_none()) {
        0.5
    } else {
        0.0
    }
}
