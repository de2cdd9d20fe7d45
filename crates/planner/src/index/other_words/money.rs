//! What people call amounts of money: the cafe's income of `Cafe (£)`, what was spent on parts of `parts_gbp`, and the
//! turnover where each row has exactly one amount.
//!
//! A name never says whether money came in or went out unless it has a word for it, so a word for the one is not used where
//! the column, or another of its table, says the other.

use super::{ColId, Index, Sense, is_total_quantity};

/// Words for money that comes in; those that are said after a name, and alone.
const INCOME: &[&str] = &["income", "takings", "revenue", "turnover", "proceeds", "earnings"];
/// Words for money that goes out.
const EXPENSE: &[&str] = &["cost", "spend", "spending", "expense", "expenditure"];
/// Words of names that say that money comes in.
const COMES_IN: &[&str] =
    &["income", "take", "takings", "revenue", "turnover", "sales", "earnings", "proceeds", "donation", "fare", "fee"];
/// Words of names that say that it goes out, or that it is no flow at all.
const GOES_OUT: &[&str] = &[
    "cost",
    "costs",
    "spend",
    "spending",
    "expense",
    "expenses",
    "budget",
    "salary",
    "wage",
    "wages",
    "fine",
    "prize",
    "value",
    "worth",
    "damage",
    "loss",
    "debt",
    "loan",
    "rent",
    "fund",
    "balance",
    "insurance",
];
/// Words of names of parts of an amount, and of amounts that are agreed and not yet taken.
const PARTS: &[&str] = &[
    "vat",
    "tax",
    "tip",
    "discount",
    "deposit",
    "refund",
    "surcharge",
    "shipping",
    "freight",
    "list",
    "extra",
    "extras",
    "late",
];

/// Nouns that are only said of money.
const NOUNS: &[&str] = &[
    "fee", "fare", "revenue", "takings", "turnover", "payment", "bill", "donation", "income", "paid", "spend", "spent",
    "charge", "charged", "amount",
];

/// Words of names of what a row comes to as a whole.
const WHOLES: &[&str] = &["total", "amount", "paid", "payment", "revenue", "sales", "takings", "turnover", "gross"];

/// Adds the names.
pub fn name(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let amounts: Vec<ColId> = index.columns().filter(|id| is_amount(index, *id)).collect();
    for id in &amounts {
        let table = |words: &[&str]| amounts.iter().any(|other| other.table == id.table && says(index, *other, words));
        let core = &index.facts(*id).core;
        let (earned, spent) = (table(COMES_IN), table(GOES_OUT));
        let open = core.iter().all(|word| index.lexicon.unit(word).is_none() && !word.ends_with("ed"));
        let after = |nouns: &[&str], added: &mut Vec<(Vec<String>, Sense)>| {
            let said = nouns.iter().map(|noun| core.iter().cloned().chain([noun.to_string()]).collect());
            added.extend(said.map(|words: Vec<String>| (words, Sense::Column(*id))));
        };
        if open && !spent {
            after(if is_net(index, *id) { &INCOME[1..4] } else { INCOME }, added);
        }
        if open && !earned {
            after(EXPENSE, added);
            for noun in ["spend", "spending", "expenditure"] {
                let said = [noun, "on"].map(str::to_string).into_iter().chain(core.iter().cloned());
                added.push((said.collect(), Sense::Column(*id)));
            }
        }
    }
    only_amount(index, &amounts, added);
}

/// `turnover` for the only amount of money that a dataset has for each row.
fn only_amount(index: &Index, amounts: &[ColId], added: &mut Vec<(Vec<String>, Sense)>) {
    let taken = |id: &ColId| !says(index, *id, PARTS) && !says(index, *id, GOES_OUT);
    let mut whole: Vec<ColId> = amounts.iter().copied().filter(taken).collect();
    if whole.len() > 1 {
        whole.retain(|id| says(index, *id, WHOLES));
    }
    let [id] = whole[..] else { return };
    let free = |word: &&&str| !index.is_in_a_name(word) && index.names(&index.forms.stem(word)).is_empty();
    if index.dataset.measures.is_empty() {
        // A net income is a profit.
        let words = INCOME.iter().filter(|word| **word != "earnings" && !(is_net(index, id) && **word == "income"));
        let words = words.chain(&["sales", "money"]).filter(free);
        added.extend(words.map(|word| (vec![word.to_string()], Sense::Column(id))));
    }
}

/// Whether each number is an amount of money, and not what one of something costs.
fn is_amount(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let level =
        |word: &String| matches!(word.as_str(), "price" | "rate" | "per" | "unit") || index.lexicon.is_level(word);
    // `Payment Terms (days)` are no payment.
    let money = facts.is_money() || facts.unit.is_none() && says(index, id, NOUNS);
    is_total_quantity(index, id) && money && facts.per.is_none() && !facts.words.iter().any(level)
}

fn is_net(index: &Index, id: ColId) -> bool {
    says(index, id, &["net", "gross"])
}

fn says(index: &Index, id: ColId, words: &[&str]) -> bool {
    index.facts(id).has_any(words)
}
