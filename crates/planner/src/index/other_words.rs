//! What else people call things and columns: words of the same class, concepts that a column measures, units, general
//! words for persons, other forms of a two-valued column's name.
//!
//! None of these is a name that the dataset gives, so each is [`Fit::Synonym`]: anything the dataset itself calls so comes
//! first, and a reading that needs one is never called verified.

mod deeds;
mod money;

use super::{ColId, Fit, Index, Sense, parts};
use crate::lexicon::Entity;
use crate::words::split_name;

/// Adds every other name.
pub fn name(index: &mut Index) {
    let mut added: Vec<(Vec<String>, Sense)> = Vec::new();
    synonyms(index, &mut added);
    concepts(index, &mut added);
    units(index, &mut added);
    unit_nouns(index, &mut added);
    only_measures(index, &mut added);
    money::name(index, &mut added);
    bare_units(index, &mut added);
    since(index, &mut added);
    leaving(index, &mut added);
    joining(index, &mut added);
    persons(index, &mut added);
    counted_persons(index, &mut added);
    reports(index, &mut added);
    table_names(index, &mut added);
    countries(index, &mut added);
    forms_of_flags(index, &mut added);
    deeds::name(index, &mut added);
    for (words, sense) in added {
        index.add(&words, sense, Fit::Synonym);
    }
    let dated: Vec<(String, ColId)> = sinces(index).map(|(noun, id)| (index.forms.stem(&noun), id)).collect();
    for (stem, id) in dated {
        // The persons are meant by it, and not the date since when they are.
        let entries = index.names.entry(stem).or_default();
        entries.retain(|entry| entry.sense != Sense::Column(id) || entry.fit != Fit::Part);
    }
}

/// Names with one word replaced by another of its class, where the dataset itself calls nothing so.
fn synonyms(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for (id, thing) in index.things.iter().enumerate() {
        in_other_words(index, &split_name(&thing.noun), Sense::Thing(id), added);
    }
    for id in index.columns() {
        let facts = index.facts(id);
        in_other_words(index, &facts.core, Sense::Column(id), added);
        // "Air temp" of `air_temp_c`, as it is written.
        let short = &facts.written[..facts.core.len().min(facts.written.len())];
        let spoken: Vec<&str> = short.iter().map(|word| index.lexicon.spoken(word)).collect();
        if short != facts.core && spoken == facts.core {
            added.push((short.to_vec(), Sense::Column(id)));
        }
        let thing = |part: &[String]| index.things.iter().any(|thing| split_name(&thing.noun) == part);
        // A part of an identifier's name by another word would be counted, and nobody counts identifiers.
        let named = parts(&facts.core).into_iter().filter(|_| !facts.identifier);
        for part in named.filter(|part| index.names_column(part) && !thing(part)) {
            in_other_words(index, &part, Sense::Column(id), added);
        }
        if facts.yes.is_some() {
            in_other_words(index, &facts.core, Sense::Flag(id), added);
        }
        if !facts.event.is_empty() {
            in_other_words(index, &facts.event, Sense::Event(id), added);
            // "Departures" of `started_at`.
            let stems: Vec<String> = facts.event.iter().map(|word| index.forms.stem(word)).collect();
            if stems != facts.event {
                in_other_words(index, &stems, Sense::Event(id), added);
            }
        }
    }
}

fn in_other_words(index: &Index, words: &[String], sense: Sense, added: &mut Vec<(Vec<String>, Sense)>) {
    for (at, end) in spans(words.len()) {
        // What was paid is no wage: a state has other words only for itself.
        let state = matches!(sense, Sense::Flag(_));
        let last = &words[end - 1];
        let singular = if state { last.clone() } else { index.forms.singular(last) };
        let phrase = words[at..end - 1].iter().chain([&singular]).cloned().collect::<Vec<_>>().join(" ");
        for other in index.lexicon.synonyms(&phrase).filter(|other| !index.is_in_a_name(other)) {
            let mut said = words[..at].to_vec();
            said.extend(other.split(' ').map(str::to_string));
            said.extend_from_slice(&words[end..]);
            added.push((said, sense));
        }
    }
}

/// Where one, two or three words begin and end.
fn spans(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |at| (at + 1..=(at + 3).min(count)).map(move |end| (at, end)))
}

/// `earned` for a salary: the numbers whose name has the first word that any has.
fn concepts(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let names = quantity_names(index);
    for concept in &index.lexicon.concepts {
        let fits = |sense: &Sense| !concept.is_money() || !is_measured_otherwise(index, *sense);
        let of = |words: &Vec<&str>| measured(&names, words).into_iter().filter(fits).collect::<Vec<_>>();
        let Some(senses) = concept.columns.iter().map(of).find(|found| !found.is_empty()) else { continue };
        for word in concept.words.iter().filter(|word| !index.is_in_a_name(word)) {
            let words: Vec<String> = word.split(' ').map(str::to_string).collect();
            added.extend(senses.iter().map(|sense| (words.clone(), *sense)));
        }
    }
}

/// Whether a number has a unit that is no currency: `Payment Terms (days)`.
fn is_measured_otherwise(index: &Index, sense: Sense) -> bool {
    let Sense::Column(id) = sense else { return false };
    let facts = index.facts(id);
    facts.unit.is_some() && !facts.is_money()
}

/// Declared measures and number columns, each with the singulars of its name's words.
fn quantity_names(index: &Index) -> Vec<(Vec<String>, Sense)> {
    let singular = |words: &[String]| words.iter().map(|word| index.forms.singular(word)).collect::<Vec<_>>();
    let measures = index.dataset.measures.iter().enumerate();
    let declared = measures.map(|(id, measure)| (singular(&split_name(&measure.name)), Sense::Measure(id)));
    let quantities = index.columns().filter(|id| is_total_quantity(index, *id));
    let words = |id: ColId| [&index.facts(id).words[..], &table_words(index, id)].concat();
    declared.chain(quantities.map(|id| (singular(&words(id)), Sense::Column(id)))).collect()
}

/// What the table says of a number whose own name is nothing but its unit: the output of `MWh` in `daily_output`.
fn table_words(index: &Index, id: ColId) -> Vec<String> {
    let facts = index.facts(id);
    let bare = facts.core.len() == 1 && facts.unit.is_some() && index.lexicon.unit(&facts.core[0]).is_some();
    let alone = || {
        let others = index.columns().filter(|other| other.table == id.table && is_total_quantity(index, *other));
        others.filter(|other| index.facts(*other).extensive).count() <= 1
    };
    if !bare || facts.unit.as_ref().is_some_and(|unit| unit.family == "time") || !alone() {
        return Vec::new();
    }
    let telling = |word: &String| !index.lexicon.is_generic(&index.forms.singular(word));
    split_name(&index.table(id.table).name).into_iter().filter(telling).collect()
}

/// `output` for `MWh` in `daily_output`.
fn bare_units(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for id in index.columns().filter(|id| is_total_quantity(index, *id)) {
        let words = table_words(index, id);
        let counted = words.last().is_some_and(|word| index.forms.singular(word) != *word);
        // A plural is counted: `donations` are rows.
        if !words.is_empty() && !counted {
            added.push((words, Sense::Column(id)));
        }
    }
}

/// `clients` for owners with a `ClientSince`: what a person has been since then.
fn since(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let rows = |(noun, id): (String, ColId)| Some((vec![noun], Sense::Thing(index.rows_of(id.table)?)));
    added.extend(sinces(index).filter_map(rows));
}

/// What persons are since a date, where nothing else is called so.
fn sinces(index: &Index) -> impl Iterator<Item = (String, ColId)> + '_ {
    index.columns().filter(|id| index.column(*id).ty.is_temporal()).filter_map(|id| {
        let [noun, since] = &index.facts(id).words[..] else { return None };
        let noun = index.forms.singular(noun);
        let free = !index.things.iter().any(|thing| thing.noun == noun);
        let person = index.lexicon.is_of("person", &noun);
        (since == "since" && free && person && index.rows_of(id.table).is_some()).then_some((noun, id))
    })
}

/// The measures, or else the columns, whose name has all of the words.
fn measured(names: &[(Vec<String>, Sense)], words: &[&str]) -> Vec<Sense> {
    let named = |(name, _): &&(Vec<String>, Sense)| words.iter().all(|word| name.iter().any(|known| known == word));
    let found: Vec<Sense> = names.iter().filter(named).map(|(_, sense)| *sense).collect();
    let declared: Vec<Sense> = found.iter().copied().filter(|sense| matches!(sense, Sense::Measure(_))).collect();
    if declared.is_empty() { found } else { declared }
}

fn is_total_quantity(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    // What one of something costs is not what it brought in.
    index.column(id).ty.is_number() && !facts.identifier && facts.yes.is_none() && facts.per.is_none()
}

/// `kWh`, `kilometres`, `minutes`: the numbers measured in them.
fn units(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for id in index.columns().filter(|id| is_total_quantity(index, *id)) {
        let Some(unit) = &index.facts(id).unit else { continue };
        let general = matches!(unit.family, "count" | "points" | "percent" | "years" | "celsius");
        // "Per day" is a period before it is a number of days.
        if general || unit.family == "time" && unit.name != "minute" {
            continue;
        }
        for spelling in index.lexicon.unit_spellings(unit.name) {
            let words: Vec<String> = spelling.split(' ').map(str::to_string).collect();
            if words.iter().all(|word| word.len() > 1 && word.chars().all(char::is_alphabetic)) {
                added.push((words, Sense::Column(id)));
            }
        }
    }
}

/// `solar energy` for `solarKwh`, `bonus percentage` for `bonus_pct`: the name with what its unit measures.
fn unit_nouns(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for id in index.columns().filter(|id| is_total_quantity(index, *id)) {
        let facts = index.facts(id);
        let Some(unit) = &facts.unit else { continue };
        // "Wind speed" of `wind_avg_ms`.
        let told = |word: &&String| index.lexicon.aggregate(word).is_none();
        let plain: Vec<String> = facts.core.iter().filter(told).cloned().collect();
        for noun in index.lexicon.unit_nouns(unit.family).map(str::to_string).filter(|noun| !facts.core.contains(noun))
        {
            let with_noun = |name: &[String]| [name, std::slice::from_ref(&noun)].concat();
            added.push((with_noun(&facts.core), Sense::Column(id)));
            if !plain.is_empty() && plain != facts.core {
                added.push((with_noun(&plain), Sense::Column(id)));
            }
            // "Amount charged" of `charged_eur`.
            if let [done] = &facts.core[..]
                && done.ends_with("ed")
            {
                added.push((vec![noun.clone(), done.clone()], Sense::Column(id)));
            }
        }
    }
}

/// `length` for `minutes_stayed`: what a unit measures names the only number of a table that has such a unit.
fn only_measures(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for table in 0..index.dataset.tables.len() {
        let timed = index.intervals.iter().any(|interval| interval.start.table == table);
        // What was agreed is not what it came to.
        let wished = |id: &ColId| {
            let says = |word: &String| {
                matches!(
                    word.as_str(),
                    "agreed"
                        | "promised"
                        | "planned"
                        | "expected"
                        | "estimated"
                        | "target"
                        | "maximum"
                        | "max"
                        | "min"
                        | "minimum"
                        | "allowed"
                )
            };
            index.facts(*id).words.iter().any(says)
        };
        let own = |id: &ColId| id.table == table && is_total_quantity(index, *id) && index.facts(*id).per.is_none();
        let family = |id: &ColId| index.facts(*id).unit.as_ref().map(|unit| unit.family);
        let quantities: Vec<ColId> = index.columns().filter(own).collect();
        for id in &quantities {
            let Some(said) = family(id).filter(|said| !timed || *said != "time") else { continue };
            let alone = quantities.iter().filter(|other| family(other) == Some(said)).count() == 1;
            let nouns = index.lexicon.sole_nouns(said).filter(|noun| alone && !wished(id) && !index.is_in_a_name(noun));
            added.extend(nouns.map(|noun| (split_name(noun), Sense::Column(*id))));
        }
    }
}

/// `left`, `quit` for the date on which a person's row ended: `cancelled_on`, `end_date`.
fn leaving(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    const ENDS: &[&str] = &[
        "cancelled",
        "canceled",
        "cancel",
        "cancellation",
        "exit",
        "terminated",
        "termination",
        "resigned",
        "churned",
        "churn",
    ];
    const LEFT: &[&str] = &["leave", "left", "quit", "leaver", "churn", "churned", "resigned"];
    let person = |id: &ColId| {
        let rows = index.rows_of(id.table);
        rows.is_some_and(|rows| index.lexicon.is_of("person", &index.things[rows].noun))
    };
    let ended = |id: &ColId| {
        let open = index.column(*id).ty.is_temporal() && index.column(*id).nulls > 0;
        open && index.facts(*id).event.iter().any(|word| ENDS.contains(&word.as_str()))
    };
    for id in index.columns().filter(|id| ended(id) && person(id)) {
        let words = LEFT.iter().filter(|word| !index.is_in_a_name(word));
        added.extend(words.map(|word| (vec![word.to_string()], Sense::Event(id))));
    }
}

/// `joined` for `member_since`.
fn joining(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    const JOINED: &[&str] = &["joined", "join", "signed up", "registered", "enrolled"];
    let since = |id: &ColId| {
        index.column(*id).ty.is_temporal() && index.facts(*id).words.last().is_some_and(|word| word == "since")
    };
    for id in index.columns().filter(since) {
        let words = JOINED.iter().filter(|word| !index.is_in_a_name(word));
        added.extend(words.map(|word| (word.split(' ').map(str::to_string).collect(), Sense::Event(id))));
    }
}

/// `people` for employees, where only one table's rows are persons; `books` for items with an author and pages.
fn persons(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for entity in &index.lexicon.entities {
        let of_class = |id: &usize| {
            let table = index.things[*id].table;
            table.is_some_and(|table| entity.has(&index.things[*id].noun) || shows(index, table, entity))
        };
        let things: Vec<usize> = (0..index.things.len()).filter(of_class).collect();
        let [thing] = things[..] else { continue };
        let counted = entity.class == "person" && index.columns().any(|id| counts_persons(index, id));
        if index.dataset.tables.len() > 1 && !counted {
            let general = entity.generic.iter().filter(|word| !index.is_in_a_name(word));
            added.extend(general.map(|word| (vec![word.to_string()], Sense::Thing(thing))));
        }
    }
}

/// Whether at least two columns are of the kind that only rows of a class have.
fn shows(index: &Index, table: usize, entity: &Entity) -> bool {
    let says = |id: &ColId| id.table == table && index.facts(*id).has_any(&entity.evidence);
    entity.class != "person" && index.columns().filter(says).count() > 1
}

/// `people` for `residentCount`, where no rows are persons themselves: then it is open whom "people" means.
fn counted_persons(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let persons = |thing: &super::Thing| thing.table.is_some() && index.lexicon.is_of("person", &thing.noun);
    if index.things.iter().any(persons) || index.is_in_a_name("person") {
        return;
    }
    let counted = index.columns().filter(|id| counts_persons(index, *id));
    added.extend(counted.map(|id| (vec!["person".to_string()], Sense::Column(id))));
}

/// Whether a column holds a number of persons.
fn counts_persons(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let person = |word: &String| index.lexicon.is_of("person", &index.forms.singular(word));
    let counts = match &facts.words[..] {
        [noun, last] => person(noun) && matches!(last.as_str(), "count" | "number"),
        _ => facts.counted && facts.core.last().is_some_and(person),
    };
    is_total_quantity(index, id) && counts
}

/// `direct reports` for the rows that name a manager.
fn reports(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let manager = |word: &String| matches!(word.as_str(), "manager" | "supervisor" | "boss");
    for id in index.columns().filter(|id| index.facts(*id).words.iter().any(manager)) {
        let person = |thing: &usize| index.lexicon.is_of("person", &index.things[*thing].noun);
        if let Some(thing) = index.rows_of(id.table).filter(person) {
            added.push((vec!["direct".to_string(), "report".to_string()], Sense::Thing(thing)));
        }
    }
}

/// `meter readings` for the rows of `meter_log` whose key is a reading's.
fn table_names(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for (id, thing) in index.things.iter().enumerate() {
        let Some(table) = thing.table else { continue };
        let name = split_name(&index.table(table).name);
        let noun = split_name(&thing.noun);
        if let [first, _, ..] = &name[..]
            && !noun.contains(first)
        {
            added.push(([vec![first.clone()], noun].concat(), Sense::Thing(id)));
        }
    }
}

/// `country` for `Origin`, where its cells are names of countries.
fn countries(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    let holding: Vec<ColId> = index.columns().filter(|id| index.holds_countries(*id)).collect();
    if let [column] = holding[..]
        && !index.is_in_a_name("country")
    {
        added.push((vec!["country".to_string()], Sense::Column(column)));
        added.push((vec!["nation".to_string()], Sense::Column(column)));
    }
}

/// `smoke` for `smoker`, `remotely` for `remote`, `won an award` for `Award Winner`.
fn forms_of_flags(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for id in index.columns().filter(|id| index.facts(*id).yes.is_some()) {
        let core = &index.facts(id).core;
        let Some((last, rest)) = core.split_last() else { continue };
        let mut forms = vec![format!("{last}ly")];
        forms.extend(verbs_behind(last));
        let elsewhere = index.columns().any(|other| other != id && index.facts(other).words.contains(last));
        // "Winners" of `Award Winner`.
        if !rest.is_empty() && last.ends_with("er") && !elsewhere {
            added.push((vec![last.clone()], Sense::Flag(id)));
        }
        for form in forms {
            added.push(([rest, std::slice::from_ref(&form)].concat(), Sense::Flag(id)));
            added.push(([std::slice::from_ref(&form), rest].concat(), Sense::Flag(id)));
        }
    }
}

/// The verbs that an agent noun can be made from: `smoke` of `smoker`, `work` of `worker`, `win` of `winner`.
fn verbs_behind(noun: &str) -> Vec<String> {
    let Some(base) = noun.strip_suffix("er").filter(|base| base.len() > 2) else { return Vec::new() };
    let doubled = base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2];
    let short = doubled.then(|| base[..base.len() - 1].to_string());
    [Some(base.to_string()), Some(format!("{base}e")), short].into_iter().flatten().collect()
}
