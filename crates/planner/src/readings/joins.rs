//! Words that join phrases: determiners, prepositions, verbs, conjunctions and question words.

use super::lenient::pass;
use super::{Parser, Steps, links};
use crate::draft::{Condition, Draft, Target, Zone};
use crate::index::ColId;
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::words::is_be;

/// Passes a word that carries no condition of its own.
pub fn joining_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if parser.comma(at) {
        steps.push((at + 1, Draft { joined: true, ..draft.clone() }));
    }
    // "How many days did it close above 10": where rows are days, what the days are of has no other name.
    let verb =
        |mention: &Mention| matches!(&mention.what, What::Columns(ids) if ids.iter().all(|id| is_measure(parser, *id)));
    let did = parser.index.row_words.days && matches!(parser.before(at), "did" | "does");
    if parser.role(at, Role::Pronoun).is_some() && did && parser.mentions.at(at + 1).iter().any(verb) {
        steps.push((at + 1, draft.clone()));
    }
    for (end, role) in parser.roles(at) {
        let after_head = !draft.heads.is_empty() || draft.share && !draft.filters.is_empty();
        match role {
            // "Where is ..." asks for a place; only after a head it opens a clause. "IT" and "A" in capitals are names.
            Role::Glue(Glue::Relative) if !after_head && draft.rank.is_none() && draft.filters.is_empty() => {}
            Role::Glue(_) if end == at + 1 && is_shouted(parser, at) => {}
            // "Left in 2024" is when somebody went; only "the stock left in the shop" is there.
            Role::Glue(Glue::Preposition) if parser.word(at) == "left" && is_period(parser, end) => {}
            // "Are there any ..." asks how many.
            Role::Glue(Glue::Be) if at == 0 && parser.role(at, Role::Count).is_some() => {}
            Role::Glue(Glue::Other | Glue::Noun) if names_data(parser, at) => {}
            // "Order value" is worth something; only after a number "value" says nothing more.
            Role::Glue(Glue::Noun) if !follows_number(parser, at) => {}
            Role::Glue(_) if parser.word(at) == "how" && !asks_difference(parser) => {}
            // "Flights to Norway" end there.
            Role::Glue(Glue::Preposition) if !draft.heads.is_empty() && links::direction(parser, at).is_some() => {}
            // "With and without damage" are two sides, not the second of them alone.
            Role::Glue(_) if parser.word(at) == "with" && parser.word(at + 2) == "without" => {}
            // "Break" is only half of "break down".
            Role::Glue(_) if parser.word(at) == "break" && !parser.tokens.iter().any(|token| token.fold == "down") => {}
            Role::Glue(glue) => {
                let after_head = after_head || draft.rank.as_ref().is_some_and(|rank| rank.by.is_some());
                let verb = matches!(glue, Glue::Be | Glue::Relative | Glue::Auxiliary)
                    || parser.word(end - 1).starts_with("ha");
                let connected = draft.connected || glue == Glue::Preposition;
                let predicate = draft.predicate || verb && after_head;
                let coordinated = draft.coordinated || verb && coordinates(parser, at, draft);
                let mut next = Draft { predicate, coordinated, connected, ..draft.clone() };
                // "Samples we took" beside `taken_on`: the verb may say which date is meant.
                let dated = |mention: &Mention| matches!(mention.what, What::Event(_)) && !mention.synonym;
                if end == at + 1 && glue == Glue::Other && parser.mentions.at(at).iter().any(dated) {
                    next.features.push(Feature::IdleWord);
                }
                steps.push((end, next));
            }
            Role::Neutral if is_neutral(parser, at, draft) => {
                let coordinated = draft.coordinated || coordinates(parser, at, draft);
                steps.push((end, Draft { predicate: true, coordinated, connected: true, ..draft.clone() }));
            }
            Role::Light if is_light(parser, at, draft) => {
                // "Trips were taken" says nothing of the trips; "flights were sold" might.
                let mut next = Draft { predicate: true, connected: true, ..pass(parser, at, end, draft) };
                next.coordinated |= coordinates(parser, at, draft);
                // "Days taken" are added up.
                if let Some(head) = next.heads.last_mut().filter(|head| head.agg.is_none()) {
                    let number = |columns: &Vec<ColId>| columns.iter().all(|id| is_measure(parser, *id));
                    head.amount |= matches!(&head.target, Target::Columns(columns) if number(columns));
                }
                steps.push((end, next));
            }
            Role::Changed if asks_difference(parser) && !draft.heads.is_empty() => {
                let changes = !matches!(parser.word(at), "look" | "looked");
                steps.push((end, Draft { changes, ..draft.clone() }));
            }
            Role::Purpose if says_duration(parser, draft) => steps.push((end, draft.clone())),
            Role::Measured if is_measured(parser, at) => steps.push((end, draft.clone())),
            Role::And => steps.push((end, Draft { joined: true, ..draft.clone() })),
            _ => {}
        }
    }
}

/// Whether a verb after "and" goes on with what a share is of, rather than saying it of those that came before.
fn coordinates(parser: &Parser, at: usize, draft: &Draft) -> bool {
    let and = at > 0 && parser.role(at - 1, Role::And).is_some();
    and && draft.share && draft.filters.iter().any(|filter| filter.zone != Zone::BeforeHead)
}

/// `diagnosis among patients`, `share of women among managers`: those after it are the whole.
pub fn among(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "among" | "amongst") || draft.is_open() {
        return;
    }
    let start = parser.skip_determiners(at + 1);
    let whole = |mention: &Mention| matches!(mention.what, What::Thing(_) | What::Value(_) | What::Flag(_));
    if !parser.mentions.at(start).iter().any(whole) {
        return;
    }
    let mut next = Draft { connected: true, ..draft.clone() };
    // What came before is the part that the share is of.
    if draft.share && draft.heads.is_empty() && !draft.predicate {
        next.filters.iter_mut().for_each(|filter| filter.zone = Zone::Predicate);
        steps.push((at + 1, next));
    } else if !draft.heads.is_empty() {
        steps.push((at + 1, next));
    }
}

/// `show me every pet called Luna`: all of them, where a list is asked for.
pub fn every(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let listing =
        draft.heads.is_empty() && draft.ask == Some(Ask::List) && draft.filters.is_empty() && !draft.is_open();
    let noun = parser.targets_named(at + 1).iter().any(|(_, target)| target.is_rows());
    if listing && noun && matches!(parser.word(at), "every" | "each") {
        steps.push((at + 1, draft.clone()));
    }
}

/// "How does it vary by region" asks for the groups; any other "how" asks for a way or a reason.
fn asks_difference(parser: &Parser) -> bool {
    let differs = |word: &str| {
        matches!(
            word,
            "vary"
                | "varies"
                | "differ"
                | "differs"
                | "changed"
                | "developed"
                | "evolved"
                | "change"
                | "compare"
                | "compares"
        )
    };
    parser.tokens.iter().any(|token| differs(&token.fold))
}

fn is_period(parser: &Parser, at: usize) -> bool {
    let start = parser.skip_determiners(at);
    [at, start].into_iter().any(|at| parser.mentions.is_period(at))
}

/// Whether a participle says nothing: of the head, and with at most one date it could be about.
fn is_neutral(parser: &Parser, at: usize, draft: &Draft) -> bool {
    let dates = parser.index.columns().filter(|id| parser.index.column(*id).ty.is_temporal()).count();
    let passive = is_be(parser.before(at));
    let of_head = at > 0 && parser.mentions.is_data(at - 1);
    !draft.heads.is_empty()
        && (passive || of_head)
        && dates <= 1
        && (!names_data(parser, at) || names_moment(parser, at))
}

/// Whether the word names nothing but a moment that every row has: "readings taken", where a date is called so.
fn names_moment(parser: &Parser, at: usize) -> bool {
    let always = |id: &ColId| parser.index.column(*id).ty.is_temporal() && parser.index.column(*id).nulls == 0;
    parser.mentions.at(at).iter().all(|mention| match &mention.what {
        What::Columns(columns) => columns.iter().all(always),
        What::Thing(_) | What::Measure(_) | What::Value(_) | What::Flag(_) => false,
        _ => true,
    })
}

/// Whether a participle says nothing: after the head or its condition, and no date could be meant by it.
fn is_light(parser: &Parser, at: usize, draft: &Draft) -> bool {
    // "Held by students" says whose, not how to split.
    let cell = |next: usize| parser.mentions.at(next).iter().any(|mention| matches!(mention.what, What::Value(_)));
    let by_kind = parser.word(at + 1) == "by" && !cell(parser.skip_determiners(at + 2));
    let number = parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Columns(_)));
    let said = !draft.heads.is_empty() || draft.rank.as_ref().is_some_and(|rank| rank.by.is_some());
    said && !draft.is_open() && !by_kind && !number && !names_data(parser, at)
}

/// Whether the last condition or what is asked for is how long something took.
fn says_duration(parser: &Parser, draft: &Draft) -> bool {
    let long = |id: &ColId| parser.index.facts(*id).unit.as_ref().is_some_and(|unit| unit.family == "time");
    let filtered = draft.filters.last().is_some_and(
        |filter| matches!(&filter.condition, Condition::Compare { columns, .. } if columns.iter().any(long)),
    );
    let asked = draft
        .heads
        .last()
        .is_some_and(|head| matches!(&head.target, Target::Columns(columns) if columns.iter().any(long)));
    filtered || asked
}

/// `closing price`: after a participle that alone names one number, the measure says nothing more.
fn is_measured(parser: &Parser, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let number = |mention: &Mention| match &mention.what {
        What::Columns(columns) => {
            let whole = mention.end == at && mention.stemmed && !mention.partial;
            whole && columns.len() == 1 && is_measure(parser, columns[0])
        }
        _ => false,
    };
    let participle = parser.word(before).ends_with("ing") || parser.word(before).ends_with("ed");
    participle && parser.mentions.at(before).iter().any(number) && !names_data(parser, at)
}

/// Whether the phrase that ends here names a number of a row, or a declared measure.
fn follows_number(parser: &Parser, at: usize) -> bool {
    let number = |mention: &Mention| match &mention.what {
        What::Columns(columns) => {
            let level = matches!(parser.word(at), "level" | "levels");
            level || columns.iter().all(|id| is_measure(parser, *id))
        }
        What::Measure(_) => true,
        _ => false,
    };
    (0..at).any(|start| parser.mentions.at(start).iter().any(|mention| mention.end == at && number(mention)))
}

fn is_measure(parser: &Parser, id: ColId) -> bool {
    parser.index.is_quantity(id)
}

/// `mean height in metres`, `what share, in percent`: the unit that the answer has anyway.
pub fn in_own_unit(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if parser.word(at) != "in" || draft.is_open() {
        return;
    }
    let lexicon = &parser.index.lexicon;
    let Some(unit) = parser.tokens.get(at + 1).and_then(|token| lexicon.unit(&token.fold)) else { return };
    let same = |id: &ColId| parser.index.facts(*id).unit.as_ref().is_some_and(|own| own.name == unit.name);
    let measured = match draft.heads.last().map(|head| &head.target) {
        Some(Target::Columns(columns)) => columns.iter().all(same),
        _ => false,
    };
    // "The longest trip in minutes".
    let ranked = match draft.rank.as_ref().and_then(|rank| rank.by.as_ref()).map(|by| &by.target) {
        Some(Target::Columns(columns)) => columns.iter().all(same),
        _ => false,
    };
    if measured || ranked || draft.share && unit.family == "percent" {
        // Whoever names the unit of what decides wants to see it.
        steps.push((at + 2, Draft { with_number: draft.with_number || ranked && !measured, ..draft.clone() }));
    }
}

/// Whether a word is written in capitals inside a question that is not.
fn is_shouted(parser: &Parser, at: usize) -> bool {
    let text = &parser.tokens[at].text;
    let letters = |text: &str| text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_lowercase);
    at > 0
        && text != "I"
        && letters(text)
        && parser.tokens.iter().any(|token| token.text.chars().any(char::is_lowercase))
}

/// Whether a name of the dataset starts here: "report" and "value" mean nothing only where no column is called so.
pub fn names_data(parser: &Parser, at: usize) -> bool {
    let names = |what: &What| matches!(what, What::Columns(_) | What::Thing(_) | What::Measure(_) | What::Value(_));
    parser
        .mentions
        .at(at)
        .iter()
        .any(|mention| names(&mention.what) && !mention.partial && !mention.synonym && !mention.stemmed)
}

/// `which`, `what`, `who`, `list`; after a head, `which` and `who` only introduce a clause.
pub fn question_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Ask(ask) = role else { continue };
        let whole = |mention: &Mention| matches!(mention.what, What::Columns(_)) && (!mention.partial || at > 0);
        let is_name = parser.mentions.at(at).iter().any(whole);
        if is_name && ask == Ask::List {
            continue;
        }
        if !draft.heads.is_empty() {
            if matches!(ask, Ask::Which | Ask::Who) {
                steps.push((end, Draft { predicate: true, ..draft.clone() }));
            }
            continue;
        }
        // "Show me which products ..." asks for what the later word says.
        let replaces = matches!(draft.ask, None | Some(Ask::List)) || draft.ask == Some(ask);
        if replaces && draft.filters.is_empty() {
            steps.push((end, Draft { ask: Some(ask), ..draft.clone() }));
        }
    }
}

/// `customers who bought Books`, `sensors that reported more than 3 anomalies`: the verb only links, in the active voice.
pub fn linking_verb(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Link) else { return };
    let passive = matches!(parser.before(at), "is" | "are" | "was" | "were" | "be" | "been" | "being");
    let next = parser.skip_determiners(end);
    let linked = parser.mentions.at(next).iter().any(|mention| match &mention.what {
        What::Value(_) | What::Thing(_) => true,
        What::Role(role) => matches!(role, Role::Compare(_) | Role::Amount(_) | Role::Extreme(_)),
        _ => false,
    });
    if !draft.heads.is_empty() && !passive && linked {
        let coordinated = draft.coordinated || coordinates(parser, at, draft);
        steps.push((end, Draft { predicate: true, coordinated, connected: true, ..draft.clone() }));
    }
}
