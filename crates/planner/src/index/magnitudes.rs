//! Magnitudes that a column's name says its numbers are told in: `Budget ($M)`, `salary_k`, `revenue_in_thousands`.

use data::dataset::ColumnInfo;

use crate::build::number_of;
use crate::words::split_name;

/// What a name ends with says a magnitude only if its numbers told in full stay below this.
const WHOLE_MAX: f64 = 1e14;

/// How much one of a column's numbers stands for; 1 where its name says nothing.
pub fn scale(column: &ColumnInfo) -> f64 {
    let lower = column.name.to_lowercase();
    let words = split_name(&column.name);
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let signed = |letter: char| {
        ['$', '€', '£'].iter().any(|sign| {
            lower.split(*sign).skip(1).any(|rest| {
                let mut rest = rest.chars();
                rest.next() == Some(letter) && rest.next().is_none_or(|next| !next.is_alphabetic() || next == 'n')
            })
        })
    };
    if signed('m') || says(&["million", "millions", "musd", "meur", "mln", "mio"]) {
        1e6
    } else if signed('b') || says(&["billion", "billions", "bn", "busd", "beur"]) {
        1e9
    } else if signed('k') || says(&["thousand", "thousands", "kusd", "keur"]) {
        1e3
    } else {
        suffix(column, &words).unwrap_or(1.0)
    }
}

/// `salary_k`, `budget_m_eur`: letters that may mean something else, so that what they stand beside decides.
fn suffix(column: &ColumnInfo, words: &[String]) -> Option<f64> {
    let currency = |word: &String| matches!(word.as_str(), "usd" | "eur" | "gbp" | "chf" | "dollars" | "euros");
    let priced = words.last().is_some_and(currency);
    let (last, stem) = words[..words.len() - usize::from(priced)].split_last()?;
    let said = |list: &[&str]| stem.iter().any(|word| list.contains(&word.as_str()));
    let money = priced || stem.iter().any(currency);
    let scale = match last.as_str() {
        // Kelvin, a vitamin and a number of neighbours are no thousands.
        "k" if !said(&["temperature", "temp", "vitamin", "top", "kelvin"]) => 1e3,
        "th" | "ths" | "tsd" => 1e3,
        "mn" => 1e6,
        // Of a way it is metres, of a time minutes.
        "m" | "mm" if money || said(AMOUNTS) => 1e6,
        "b" if money || said(AMOUNTS) => 1e9,
        _ => return None,
    };
    let greatest = column.max.as_ref().and_then(number_of)?;
    let fits = column.ty.is_number() && !stem.is_empty() && greatest * scale <= WHOLE_MAX;
    fits.then_some(scale)
}

/// Words of names whose numbers may be too long to be written out.
const AMOUNTS: &[&str] = &[
    "salary",
    "wage",
    "wages",
    "pay",
    "income",
    "earnings",
    "budget",
    "revenue",
    "revenues",
    "turnover",
    "sales",
    "gross",
    "profit",
    "cost",
    "costs",
    "expense",
    "expenses",
    "spend",
    "spending",
    "price",
    "worth",
    "valuation",
    "capitalization",
    "capital",
    "assets",
    "debt",
    "loan",
    "loans",
    "funding",
    "investment",
    "tax",
    "taxes",
    "grant",
    "donations",
    "fee",
    "population",
    "pop",
    "inhabitants",
    "votes",
    "voters",
    "users",
    "subscribers",
    "followers",
    "viewers",
    "views",
    "visitors",
    "visits",
    "downloads",
    "streams",
    "passengers",
];

/// Cuts the magnitude off the end of a name that says one: `Budget ($M)` is a budget.
pub fn without(mut words: Vec<String>, scale: f64) -> Vec<String> {
    const MAGNITUDES: &[&str] = &[
        "m",
        "mm",
        "mn",
        "k",
        "th",
        "ths",
        "tsd",
        "b",
        "bn",
        "million",
        "millions",
        "billion",
        "thousand",
        "thousands",
    ];
    let magnitude = |word: &String| MAGNITUDES.contains(&word.trim_start_matches(['$', '€', '£']));
    if scale > 1.0 && words.len() > 1 && words.last().is_some_and(magnitude) {
        words.pop();
    }
    words
}
