//! Whether a note and a plan are about the same: a deterministic comparison of their words.
//!
//! A plan has names (its tables, its columns, what its measures are called), values (the texts of its conditions) and a
//! time (the periods of its conditions, or all of time where it is cut into periods). A note touches it if it holds one
//! of the names or values as a whole, inflected as it may be, or names a month or a year that lies in that time.

use std::collections::BTreeSet;

use base::Cell;
use data::plan::{Expr, Plan, Pred};
use jiff::civil::Date;

use crate::period::MONTHS;
use crate::tokens::fold;
use crate::words::{Forms, split_name};

/// Shorter words are in every sentence.
const LETTERS_MIN: usize = 3;

/// Whether a note shares a table, a column, a measure, a value or a period with a plan.
pub fn touches(note: &str, plan: &Plan) -> bool {
    let forms = Forms::built_in();
    let stems = |words: Vec<String>| -> Vec<String> { words.iter().map(|word| forms.stem(word)).collect() };
    let said = stems(fold(note).split(' ').map(str::to_string).collect());
    let mut subject = Subject::default();
    subject.see(plan);
    let names = subject.names.iter().flat_map(|name| spoken(split_name(name)));
    let values = subject.values.iter().map(|value| fold(value).split(' ').map(str::to_string).collect::<Vec<_>>());
    let mut phrases = names.chain(values).map(stems);
    let holds = |phrase: Vec<String>| {
        let long = phrase.iter().any(|word| word.chars().count() >= LETTERS_MIN);
        long && said.windows(phrase.len()).any(|words| *words == phrase)
    };
    phrases.any(holds) || subject.has_period_of(&fold(note))
}

/// A name as it is written, and without the last of several words, which is often a unit: `resolution_time_hours`.
fn spoken(words: Vec<String>) -> Vec<Vec<String>> {
    let shorter = (words.len() > 2).then(|| words[..words.len() - 1].to_vec());
    [Some(words), shorter].into_iter().flatten().filter(|words| !words.is_empty()).collect()
}

/// What a plan is about.
#[derive(Default)]
struct Subject {
    names: BTreeSet<String>,
    values: BTreeSet<String>,
    /// First days and days after the last.
    times: Vec<(Date, Date)>,
    /// Whether it is cut into periods.
    along_time: bool,
}

impl Subject {
    fn see(&mut self, plan: &Plan) {
        self.names.insert(plan.from.clone());
        plan.select.iter().for_each(|item| self.expr(&item.expr));
        for group in &plan.group {
            self.expr(&group.expr);
            self.along_time |= group.grain.is_some();
        }
        for measure in &plan.measures {
            self.names.insert(measure.name.clone());
            measure.expr.iter().for_each(|expr| self.expr(expr));
            measure.filter.iter().for_each(|pred| self.pred(pred));
        }
        plan.filter.iter().for_each(|pred| self.pred(pred));
    }

    fn expr(&mut self, expr: &Expr) {
        let names = expr.columns().into_iter().map(|column| column.rsplit('.').next().unwrap_or(column).to_string());
        self.names.extend(names);
    }

    fn pred(&mut self, pred: &Pred) {
        match pred {
            Pred::And { and: list } | Pred::Or { or: list } => list.iter().for_each(|pred| self.pred(pred)),
            Pred::Not { not } => self.pred(not),
            Pred::Exists { exists } => {
                self.names.insert(exists.table.clone());
                exists.filter.iter().for_each(|pred| self.pred(pred));
            }
            Pred::Test { expr, values, .. } => {
                self.expr(expr);
                let texts: Vec<&str> = values.iter().filter_map(Cell::as_str).collect();
                let days: Option<Vec<Date>> = texts.iter().map(|text| text.get(..10)?.parse().ok()).collect();
                match days.as_deref() {
                    Some([from, to]) => self.times.push((*from, *to)),
                    Some([day]) => self.times.push((*day, day.tomorrow().unwrap_or(*day))),
                    _ => self.values.extend(texts.into_iter().map(str::to_string)),
                }
            }
        }
    }

    /// Whether a month or a year of the note lies in the plan's time.
    fn has_period_of(&self, note: &str) -> bool {
        let words: Vec<&str> = note.split(' ').collect();
        let year = |word: &&str| word.parse::<i16>().ok().filter(|year| (1900..2100).contains(year));
        let years: Vec<i16> = words.iter().filter_map(year).collect();
        let months = (1..=12_i8).filter(|month| words.contains(&MONTHS[*month as usize - 1]));
        let months: Vec<i8> = months.collect();
        if years.is_empty() && months.is_empty() {
            return false;
        }
        let in_time = |(from, to): &(Date, Date)| {
            let mut day = from.first_of_month();
            while day < *to {
                let fits_month = months.is_empty() || months.contains(&day.month());
                if fits_month && (years.is_empty() || years.contains(&day.year())) {
                    return true;
                }
                let Ok(next) = day.last_of_month().tomorrow() else { return false };
                day = next;
            }
            false
        };
        if self.times.is_empty() { self.along_time } else { self.times.iter().any(in_time) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(filter: serde_json::Value) -> Plan {
        let mut plan: Plan = serde_json::from_value(json!({
            "v": 1, "dataset": "shop", "from": "order_items",
            "group": [{ "as": "category", "expr": { "col": "order_items.category" } }],
            "measures": [{ "as": "return_rate", "agg": "avg", "expr": { "col": "orders.returned" } }],
        }))
        .expect("a plan");
        plan.filter = serde_json::from_value(filter).expect("a condition");
        plan
    }

    #[test]
    fn a_note_touches_what_it_shares_a_name_value_or_period_with() {
        let may =
            json!({ "test": "within", "expr": { "col": "orders.order_date" }, "values": ["2026-05-01", "2026-06-01"] });
        let books = json!({ "test": "eq", "expr": { "col": "order_items.status" }, "values": ["Gift Cards"] });
        let plain = plan(json!(null));
        for note in [
            "returns spike in January",
            "the return rate is a share",
            "Categories changed names",
            "order items lack some",
        ] {
            assert!(touches(note, &plain), "{note}");
        }
        for note in
            ["prices rose", "in January all was well", "2026 was odd", "an order is not a sale", "rate of exchange"]
        {
            assert!(!touches(note, &plain), "{note}");
        }
        assert!(
            touches("gift cards never expire", &plan(books.clone())) && !touches("gifts are popular", &plan(books))
        );
        for note in ["a strike in May", "2026 was odd", "in May 2026"] {
            assert!(touches(note, &plan(may.clone())), "{note}");
        }
        for note in ["a strike in June", "in May 2025", "2025 was odd"] {
            assert!(!touches(note, &plan(may.clone())), "{note}");
        }
    }
}
