//! Amounts with the verb of what was done with them: `kilometres driven`, `kilos donated`, `units on hand`.
//!
//! The verb says which of several numbers in that unit is meant: one whose name has the verb, or one of rows that are
//! named by it or have its date. Where neither is so, the verb may say anything, and nothing is read.

use base::Type;

use super::{Parser, features};
use crate::draft::{Columns, Target};
use crate::index::ColId;
use crate::lexicon::Unit;
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::words::{is_participle, split_name};

/// How many letters a verb and a noun of one root share at least.
const COMMON_MIN: usize = 4;

/// What an amount and the verb after it name together, with the token after them.
pub fn targets(parser: &Parser, at: usize) -> Vec<(usize, Target, Vec<Feature>)> {
    let mut found: Vec<(usize, Target, Vec<Feature>)> = Vec::new();
    // "Members rented" may be those who did it, whatever number is called so.
    let doers = parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Thing(_)));
    for (middle, columns, more) in amounts(parser, at).into_iter().filter(|_| !doers) {
        let Some((end, verb)) = verb_at(parser, middle) else { continue };
        if let Some(column) = done(parser, &columns, verb, parser.word(at)) {
            let told = more.into_iter().chain([Feature::OpenChoice]).collect();
            let target = Target::Columns(vec![column]);
            if !found.iter().any(|(known, other, _)| *known == end && *other == target) {
                found.push((end, target, told));
            }
        }
    }
    found.extend(on_hand(parser, at));
    found.extend(number_of(parser, at));
    found
}

/// `page count`, `move count`: the number that says how many there are in each row.
fn number_of(parser: &Parser, at: usize) -> Option<(usize, Target, Vec<Feature>)> {
    let token = parser.tokens.get(at).filter(|token| token.fold == token.singular)?;
    let plural = |word: &String| *word != token.singular && parser.index.forms.singular(word) == token.singular;
    let counted = |id: &ColId| {
        let facts = parser.index.facts(*id);
        let [name] = &facts.core[..] else { return false };
        parser.index.column(*id).ty == Type::Int && !facts.identifier && plural(name)
    };
    let columns: Columns = parser.index.columns().filter(counted).collect();
    let known = |mention: &Mention| mention.end > at + 1 && matches!(mention.what, What::Columns(_) | What::Measure(_));
    let named = parser.mentions.at(at).iter().any(known);
    let said = parser.word(at + 1) == "count" && columns.len() == 1 && !named;
    said.then(|| (at + 2, Target::Columns(columns), vec![Feature::OpenChoice]))
}

/// Whether the words before a position say what was done with an amount, so that it is added up.
pub fn is_said(parser: &Parser, end: usize, target: &Target) -> bool {
    let Target::Columns(columns) = target else { return false };
    let amount = |id: &ColId| {
        let facts = parser.index.facts(*id);
        let physical = |unit: &Unit| !unit.is_money() && !matches!(unit.family, "time" | "percent" | "years");
        let told =
            facts.written.iter().filter_map(|word| parser.index.lexicon.unit(word)).chain(&facts.unit).any(physical);
        let pieces = facts.has_any(&["quantity", "pieces", "copies"]);
        if !(told || pieces) {
            return false;
        }
        let rate = facts.has_any(&["avg", "average", "rate", "per", "max"]);
        facts.per.is_none() && !rate && parser.index.column(*id).ty.is_number()
    };
    let last = end.checked_sub(1).map_or("", |last| parser.word(last));
    let verb = if is_particle(last) && end > 1 { parser.word(end - 2) } else { last };
    is_deed(verb) && columns.iter().all(amount)
}

/// The verbs that amounts are said with; of others, a participle may be a state of the rows.
fn is_deed(word: &str) -> bool {
    const DEEDS: &[&str] = &[
        "driven",
        "ridden",
        "flown",
        "travelled",
        "traveled",
        "covered",
        "walked",
        "sailed",
        "ordered",
        "sold",
        "bought",
        "purchased",
        "shipped",
        "delivered",
        "donated",
        "given",
        "handed",
        "used",
        "consumed",
        "produced",
        "generated",
        "collected",
        "roasted",
        "baked",
        "brewed",
        "printed",
        "moved",
        "carried",
        "burned",
        "burnt",
        "processed",
        "wasted",
        "lost",
        "raised",
        "harvested",
        "picked",
        "caught",
        "distributed",
        "dispensed",
        "prescribed",
    ];
    DEEDS.contains(&word)
}

fn is_particle(word: &str) -> bool {
    matches!(word, "out" | "away" | "in" | "up")
}

fn verb_at<'p>(parser: &'p Parser, at: usize) -> Option<(usize, &'p str)> {
    let verb = parser.word(at);
    let cell = |mention: &Mention| matches!(mention.what, What::Value(_) | What::Flag(_));
    let state = parser.mentions.at(at).iter().any(cell);
    let known = is_deed(verb) || is_participle(verb);
    // "In" opens a period or a place more often than it belongs to the verb.
    let particle = is_particle(parser.word(at + 1)) && parser.word(at + 1) != "in";
    (known && !state).then_some((at + 1 + usize::from(particle), verb))
}

/// The numbers that a unit or a name at a position can mean, with the token after it.
fn amounts(parser: &Parser, at: usize) -> Vec<(usize, Columns, Vec<Feature>)> {
    let index = parser.index;
    let number = |id: &ColId| index.is_quantity(*id);
    let mut found: Vec<(usize, Columns, Vec<Feature>)> = Vec::new();
    if let Some(unit) = index.lexicon.unit(parser.word(at)) {
        // `Km Driven` says its unit like any other word.
        let own = |id: &ColId| {
            let facts = index.facts(*id);
            let written = facts.written.iter().any(|word| index.lexicon.unit(word) == Some(unit));
            (facts.unit.as_ref() == Some(unit) || written) && facts.per.is_none()
        };
        found.push((at + 1, index.columns().filter(|id| number(id) && own(id)).collect(), Vec::new()));
    }
    // `lost_MWh` beside `MWh`.
    let said = parser.word(at);
    if said.len() > 2 && parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Columns(_))) {
        let named = |id: &ColId| index.column(*id).name.to_lowercase().contains(said);
        let own = |id: &ColId| number(id) && named(id) && index.facts(*id).per.is_none();
        found.push((at + 1, index.columns().filter(own).collect(), Vec::new()));
    }
    if matches!(parser.word(at), "units" | "pieces" | "copies") {
        let named = |word: &String| matches!(word.as_str(), "quantity" | "units" | "pieces" | "copies");
        let own = |id: &ColId| number(id) && index.facts(*id).words.iter().any(named);
        found.push((at + 1, index.columns().filter(own).collect(), vec![Feature::Synonym]));
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        found.push((mention.end, columns.iter().copied().filter(number).collect(), features(mention)));
    }
    found
}

/// The one number of which a verb can be said.
fn done(parser: &Parser, columns: &Columns, verb: &str, said: &str) -> Option<ColId> {
    let index = parser.index;
    let stem = index.forms.stem(verb);
    let own = |id: &&ColId| index.facts(**id).words.iter().any(|word| index.forms.stem(word) == stem);
    let of_rows = |id: &&ColId| {
        let table = index.table(id.table);
        let trade = matches!(verb, "sold" | "ordered" | "bought" | "purchased");
        let traded = |word: &String| trade && index.lexicon.is_of("trade", &index.forms.singular(word));
        let made = |word: &String| {
            let output = matches!(word.as_str(), "output" | "production" | "generation" | "yield");
            output && matches!(verb, "produced" | "generated" | "made")
        };
        let said = |word: &String| is_akin(word, verb) || traded(word) || made(word);
        let named = split_name(&table.name).iter().any(said);
        let dated = |date: ColId| index.facts(date).event.iter().any(|word| is_akin(word, verb));
        named || index.columns_of(id.table).any(dated)
    };
    let mut kept: Vec<ColId> = columns.iter().filter(own).copied().collect();
    if kept.is_empty() {
        // "Kilos donated" are not those that were thrown away.
        let plain = |id: &&ColId| is_plain(parser, **id) || index.column(**id).name.to_lowercase() == said;
        kept = columns.iter().filter(plain).filter(of_rows).copied().collect();
    }
    if let [column] = kept[..] { Some(column) } else { None }
}

/// Whether the name of a number says nothing but what kind of amount it is.
fn is_plain(parser: &Parser, id: ColId) -> bool {
    let index = parser.index;
    let amount = |word: &String| {
        let noun = matches!(
            word.as_str(),
            "weight" | "amount" | "total" | "quantity" | "volume" | "distance" | "units" | "pieces" | "copies" | "mass"
        );
        noun || index.lexicon.unit(word).is_some()
    };
    index.facts(id).words.iter().all(amount)
}

/// Whether two words are of one root: "donation" and "donated".
fn is_akin(one: &str, other: &str) -> bool {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= COMMON_MIN
}

/// `units on hand`, `pieces in stock`: the number that says what is there.
fn on_hand(parser: &Parser, at: usize) -> Option<(usize, Target, Vec<Feature>)> {
    let pieces = matches!(parser.word(at), "units" | "items" | "pieces");
    let there = matches!((parser.word(at + 1), parser.word(at + 2)), ("on", "hand") | ("in", "stock") | ("in", "hand"));
    if !pieces || !there {
        return None;
    }
    let index = parser.index;
    let stocked = |id: &ColId| {
        let words = &index.facts(*id).words;
        index.column(*id).ty == Type::Int
            && words.iter().any(|word| matches!(word.as_str(), "stock" | "inventory" | "hand"))
    };
    let columns: Columns = index.columns().filter(stocked).collect();
    (columns.len() == 1).then(|| (at + 3, Target::Columns(columns), vec![Feature::OpenChoice]))
}
