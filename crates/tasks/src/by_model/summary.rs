//! A paragraph about a result, which is shown only if every number in it is in the result.
//!
//! What a model says about numbers is not believed: each figure of the text is looked for among the cells, rounded as the
//! text rounds it. What could lead a reader elsewhere (links, pictures, marks) is not shown either.

use base::{Cell, Table};
use data::figures::number;

const CHARACTERS_MAX: usize = 600;
/// Words that say a number which no cell can be held against.
const UNCHECKABLE: &[&str] = &[
    "hundred",
    "thousand",
    "million",
    "billion",
    "dozen",
    "half",
    "double",
    "doubled",
    "twice",
    "triple",
    "tripled",
    "thrice",
    "quarter",
    "third",
    "hundreds",
    "thousands",
    "millions",
];
const WORDS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
];

/// The paragraph as it may be shown, if it may.
pub fn shown(text: &str, table: &Table) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let leads_away = |mark: &str| text.to_lowercase().contains(mark);
    let is_plain = !["](", "http", "www.", "<", "```", "|"].into_iter().any(leads_away);
    let fits = !text.is_empty() && text.chars().count() <= CHARACTERS_MAX && !text.chars().any(char::is_control);
    (fits && is_plain && Cells::of(table).hold(&text)).then_some(text)
}

/// What a number of a text may come from.
struct Cells {
    numbers: Vec<f64>,
    /// Figures that stand in texts and headers, such as those of a date.
    figures: Vec<String>,
}

impl Cells {
    fn of(table: &Table) -> Cells {
        let cells = || table.rows.iter().flatten();
        let texts = cells().filter_map(Cell::as_str).chain(table.columns.iter().map(|column| column.name.as_str()));
        let figures = texts.flat_map(|text| text.split(|letter: char| !letter.is_ascii_digit()));
        Cells {
            numbers: cells().filter_map(number).filter(|number| number.is_finite()).collect(),
            figures: figures.filter(|figures| !figures.is_empty()).map(str::to_string).collect(),
        }
    }

    fn hold(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
        let holds_word = |word: &str| match WORDS.iter().find(|(name, _)| *name == word) {
            Some((_, number)) => self.has(*number, 0, false),
            None => !UNCHECKABLE.contains(&word),
        };
        words.all(holds_word) && figures(text).iter().all(|figure| self.holds_figure(figure))
    }

    fn holds_figure(&self, figure: &Figure) -> bool {
        if self.figures.contains(&figure.text) {
            return true;
        }
        let decimals = figure.text.split_once('.').map_or(0, |(_, behind)| behind.len());
        let Ok(number) = figure.text.replace(',', "").parse::<f64>() else { return false };
        self.has(number, decimals, figure.percent)
    }

    fn has(&self, number: f64, decimals: usize, percent: bool) -> bool {
        let scale = 10_f64.powi(decimals.min(12) as i32);
        let same = |cell: f64| (cell.abs() * scale).round() == (number * scale).round();
        self.numbers.iter().any(|cell| same(*cell) || percent && same(*cell * 100.0))
    }
}

struct Figure {
    text: String,
    percent: bool,
}

/// The numbers of a text, without their signs, which words can say otherwise.
fn figures(text: &str) -> Vec<Figure> {
    let letters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        if !letters[at].is_numeric() {
            at += 1;
            continue;
        }
        let begin = at;
        let goes_on = |at: usize| {
            let next_is_figure = letters.get(at + 1).is_some_and(char::is_ascii_digit);
            letters[at].is_numeric() || matches!(letters[at], '.' | ',') && next_is_figure
        };
        while at < letters.len() && goes_on(at) {
            at += 1;
        }
        let rest: String = letters[at..].iter().take(9).collect();
        let percent = rest.trim_start().starts_with('%') || rest.trim_start().starts_with("percent");
        found.push(Figure { text: letters[begin..at].iter().collect(), percent });
    }
    found
}

#[cfg(test)]
mod tests {
    use base::{Column, Type};
    use serde_json::json;

    use super::*;

    #[test]
    fn only_numbers_of_the_result_are_shown() {
        let column = |name: &str, ty| Column { name: name.into(), ty };
        let table = Table {
            columns: vec![column("month", Type::Text), column("share", Type::Float), column("total", Type::Float)],
            rows: vec![
                vec![json!("2026-05"), json!(0.256), json!(1234.567)],
                vec![json!("2026-06"), json!(-3), json!(2)],
            ],
            row_count: 2,
            truncated: false,
        };
        for said in [
            "In 2026-05 the total was 1,234.57, or 1235 when rounded.",
            "The share is 25.6 %, about 26 percent.",
            "It fell by 3\nand ended at two.",
        ] {
            assert!(shown(said, &table).is_some(), "{said}");
        }
        for said in [
            "The total was 1,234.58.",
            "The share is 27 %.",
            "It has doubled.",
            "About 1.2 thousand in total.",
            "Seven months were bad.",
            "The total of ½ was 2.",
            "See ![2](http://127.0.0.1/2) for more.",
            "The total is <b>2</b>.",
            "",
        ] {
            assert_eq!(shown(said, &table), None, "{said}");
        }
    }
}
