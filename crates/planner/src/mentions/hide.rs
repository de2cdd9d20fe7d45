//! Mentions that longer or better ones beside them rule out: "York" inside "New York", "most" in "at most".

use super::{Mention, What};
use crate::index::{ColId, Index};
use crate::lexicon::{Glue, Role};
use crate::period::When;
use crate::tokens::Token;
use crate::words::is_deed;

/// Takes out what no reading should see.
pub fn hide(index: &Index, tokens: &[Token], starts: &mut [Vec<Mention>]) {
    hide_parts_of_comparisons(starts);
    hide_bare_answers(starts, tokens);
    hide_verbs_of_rows(index, starts, tokens);
    hide_parts_of_values(starts);
    hide_parts_of_ranges(starts);
    hide_parts_of_names(starts);
    hide_names_across_nouns(starts, tokens);
    hide_concepts_after_names(index, starts);
    hide_verbs_behind_nouns(starts, tokens);
    hide_joints_behind_events(starts);
    hide_rates_of_events(starts, tokens);
    hide_second_side(starts, tokens);
    hide_negations_in_names(starts);
    hide_times(starts, tokens);
    hide_other_units(index, starts, tokens);
    hide_kinds_of_people(index, starts, tokens);
    hide_cells_behind_plurals(starts, tokens);
    hide_deeds_behind_nouns(index, starts, tokens);
}

/// "The 2025 harvest" is all of it, whatever column says what was picked by hand.
fn hide_deeds_behind_nouns(index: &Index, starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for start in 1..starts.len() {
        let before = (0..start).rev().find(|at| tokens[*at].number().is_none());
        let noun =
            before.is_some_and(|at| matches!(tokens[at].fold.as_str(), "the" | "a" | "an" | "this" | "last" | "our"));
        let singular = tokens[start].fold == tokens[start].singular;
        let names = |mention: &Mention| matches!(mention.what, What::Thing(_) | What::Columns(_) | What::Value(_));
        let alone = starts.get(start + 1).is_none_or(|next| !next.iter().any(names));
        if noun && singular && alone {
            starts[start].retain(|mention| {
                !(mention.synonym && mention.end == start + 1 && is_two_valued(index, &mention.what))
            });
        }
    }
}

/// "Parts" are those that a table or a column holds, not what is paid in `Part`.
fn hide_cells_behind_plurals(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for (start, mentions) in starts.iter_mut().enumerate() {
        let named = |mention: &Mention| {
            let whole = !mention.partial && !mention.synonym && mention.end == start + 1;
            whole && matches!(mention.what, What::Columns(_) | What::Thing(_))
        };
        let token = &tokens[start];
        if token.fold == token.singular || !mentions.iter().any(named) {
            continue;
        }
        let as_written = |text: &String| text.to_lowercase() == token.fold;
        mentions.retain(|mention| match &mention.what {
            What::Value(cells) if mention.end == start + 1 => cells.iter().any(|(_, text)| as_written(text)),
            _ => true,
        });
    }
}

/// "People" are all of them, whatever column says that some are residents.
fn hide_kinds_of_people(index: &Index, starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for (start, mentions) in starts.iter_mut().enumerate() {
        if matches!(tokens[start].singular.as_str(), "people" | "person" | "folk" | "anyone" | "everyone" | "somebody")
        {
            let kind = |what: &What| matches!(what, What::Value(_)) || is_two_valued(index, what);
            mentions.retain(|mention| !(mention.synonym && mention.end == start + 1 && kind(&mention.what)));
        }
    }
}

/// Whether a mention is of columns that say yes or no.
fn is_two_valued(index: &Index, what: &What) -> bool {
    match what {
        What::Flag(_) => true,
        What::Columns(columns) => columns.iter().all(|id| index.facts(*id).yes.is_some()),
        _ => false,
    }
}

/// "Kilos" stand for a weight in kilograms, not for one in degrees beside it.
fn hide_other_units(index: &Index, starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for (start, mentions) in starts.iter_mut().enumerate() {
        let Some(unit) = index.lexicon.unit(&tokens[start].fold) else { continue };
        let own = |id: &ColId| index.facts(*id).unit.as_ref().is_some_and(|known| known.family == unit.family);
        for mention in mentions.iter_mut().filter(|mention| mention.synonym && mention.end == start + 1) {
            if let What::Columns(columns) = &mut mention.what
                && columns.iter().any(own)
            {
                columns.retain(own);
            }
        }
    }
}

/// "Fewer than 50 times" says how often, whatever column holds a time.
fn hide_times(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for at in 1..tokens.len() {
        if tokens[at].fold == "times" && tokens[at - 1].number().is_some() {
            starts[at].retain(|mention| !matches!(mention.what, What::Columns(_)) || mention.end > at + 1);
        }
    }
}

/// "No-shows" where a column is called so deny nothing.
fn hide_negations_in_names(starts: &mut [Vec<Mention>]) {
    for (start, mentions) in starts.iter_mut().enumerate() {
        let named = |mention: &Mention| {
            let whole = !mention.partial && !mention.synonym && mention.end > start + 1;
            whole && matches!(mention.what, What::Flag(_) | What::Columns(_) | What::Value(_))
        };
        if mentions.iter().any(named) {
            mentions.retain(|mention| !matches!(mention.what, What::Role(Role::Lack | Role::Not)));
        }
    }
}

/// "With and without damage" names two sides; "without" alone would be only one of them.
fn hide_second_side(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for at in 2..tokens.len() {
        if tokens[at].fold == "without" && tokens[at - 2].fold == "with" {
            starts[at].retain(|mention| !matches!(mention.what, What::Role(Role::Lack | Role::Not)));
        }
    }
}

/// "Most" in "at most" is no superlative, and "not" in "not more than" no negation of its own.
fn hide_parts_of_comparisons(starts: &mut [Vec<Mention>]) {
    for start in 0..starts.len() {
        let compared = |m: &&Mention| matches!(m.what, What::Role(Role::Compare(_))) && m.end > start + 1;
        let Some(end) = starts[start].iter().filter(compared).map(|mention| mention.end).max() else { continue };
        starts[start].retain(|mention| mention.end >= end || !matches!(mention.what, What::Role(_)));
        for inner in &mut starts[start + 1..end] {
            inner.retain(|mention| !matches!(mention.what, What::Role(_)));
        }
    }
}

/// "No" in "have no manager" is no cell of whatever column holds yes and no, unless that column is named beside it.
fn hide_bare_answers(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    const ANSWERS: &[&str] = &["yes", "no", "none", "not", "true", "false"];
    let names = |mention: &Mention, column: ColId| match &mention.what {
        What::Columns(columns) | What::Flag(columns) => columns.contains(&column),
        _ => false,
    };
    for start in (0..starts.len()).filter(|start| ANSWERS.contains(&tokens[*start].fold.as_str())) {
        let after = starts.get(start + 1).into_iter().flatten();
        let joint =
            start.checked_sub(1).filter(|at| matches!(tokens[*at].fold.as_str(), "is" | "=" | ":" | "are" | "was"));
        let before = starts[..start].iter().flatten().filter(|m| m.end == start || Some(m.end) == joint);
        let beside: Vec<Mention> = after.chain(before).cloned().collect();
        let is_told = |cells: &[(ColId, String)]| {
            cells.iter().any(|(column, _)| beside.iter().any(|mention| names(mention, *column)))
        };
        starts[start].retain(|mention| match &mention.what {
            What::Value(cells) if mention.end == start + 1 => is_told(cells),
            _ => true,
        });
    }
}

/// "Never booked" denies a booking, not the state `booked` of one.
fn hide_verbs_of_rows(index: &Index, starts: &mut [Vec<Mention>], tokens: &[Token]) {
    let never = |start: &usize| tokens[*start - 1].fold == "never" && tokens[*start].fold.ends_with("ed");
    for start in (1..starts.len()).filter(never) {
        let is_verb_of = |column: &ColId| {
            let rows = index.rows_of(column.table).map(|thing| &index.things[thing]);
            rows.is_some_and(|rows| is_deed(&rows.noun, &tokens[start].stem))
        };
        starts[start].retain(|mention| match &mention.what {
            What::Value(cells) => !cells.iter().all(|(column, _)| is_verb_of(column)),
            _ => true,
        });
    }
}

/// "York" inside "New York" is no cell of its own.
fn hide_parts_of_values(starts: &mut [Vec<Mention>]) {
    let is_value = |mention: &Mention| matches!(mention.what, What::Value(_));
    for start in 0..starts.len() {
        let Some(end) = starts[start].iter().filter(|m| is_value(m)).map(|mention| mention.end).max() else { continue };
        for inner in &mut starts[start + 1..end] {
            inner.retain(|mention| !is_value(mention) || mention.end > end);
        }
    }
}

/// "Name" inside "club name", where a column is called so, is not the name of somebody else.
fn hide_parts_of_names(starts: &mut [Vec<Mention>]) {
    let whole = |m: &&Mention| matches!(m.what, What::Columns(_)) && !m.partial && !m.synonym && !m.stemmed;
    for start in 0..starts.len() {
        let Some(end) = starts[start].iter().filter(whole).map(|mention| mention.end).max() else { continue };
        let owner = |m: &Mention| matches!(m.what, What::Thing(_)) && m.end < end;
        if !starts[start].iter().any(owner) {
            continue;
        }
        for inner in &mut starts[start + 1..end] {
            inner.retain(|m| !(matches!(m.what, What::Columns(_)) && m.partial && m.end == end));
        }
    }
}

/// "Loans started" is not the name `Loan Start`: a plural noun for rows ends before its verb.
fn hide_names_across_nouns(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for (at, start) in starts.iter_mut().enumerate() {
        let plural = tokens[at].fold != tokens[at].singular;
        let noun = start.iter().any(|mention| matches!(mention.what, What::Thing(_)) && mention.end == at + 1);
        if plural && noun {
            start.retain(|m| !(matches!(m.what, What::Columns(_)) && m.stemmed && m.end == at + 2));
        }
    }
}

/// "Rides" that are rows are not what was ridden: a plural noun for things is no verb that says a number.
fn hide_verbs_behind_nouns(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for start in starts {
        let plural = |end: usize| tokens[end - 1].fold != tokens[end - 1].singular;
        let things: Vec<usize> = start
            .iter()
            .filter(|mention| matches!(mention.what, What::Thing(_)) && plural(mention.end))
            .map(|mention| mention.end)
            .collect();
        let said = |m: &Mention| m.synonym && matches!(m.what, What::Columns(_)) && things.contains(&m.end);
        start.retain(|mention| !said(mention));
    }
}

/// "Left in 2024" where a date says who left: the verb is no small word of what is left in the store.
fn hide_joints_behind_events(starts: &mut [Vec<Mention>]) {
    for start in starts {
        if start.iter().any(|mention| matches!(mention.what, What::Event(_))) {
            start.retain(|mention| !matches!(mention.what, What::Role(Role::Glue(Glue::Preposition))));
        }
    }
}

/// "Cancellation rate", where a cell says cancelled: how often it happens, and no column whose name has "rate" in it.
fn hide_rates_of_events(starts: &mut [Vec<Mention>], tokens: &[Token]) {
    for at in 1..starts.len() {
        let event = |m: &Mention| {
            let noun = tokens[at - 1].fold.ends_with("ion") || m.synonym || m.stemmed;
            m.end == at && noun && matches!(m.what, What::Value(_) | What::Flag(_) | What::Event(_))
        };
        if matches!(tokens[at].singular.as_str(), "rate") && starts[..at].iter().flatten().any(event) {
            starts[at].retain(|m| !(matches!(m.what, What::Columns(_)) && m.partial));
        }
    }
}

/// "Solar energy" where a column is called solar: the general word after it does not name another number of that unit.
fn hide_concepts_after_names(index: &Index, starts: &mut [Vec<Mention>]) {
    let unit = |id: &ColId| index.facts(*id).unit.as_ref().map(|unit| unit.name);
    for at in 1..starts.len() {
        let named: Vec<ColId> = starts[..at]
            .iter()
            .flatten()
            .filter(|mention| mention.end == at && !mention.synonym)
            .filter_map(|mention| if let What::Columns(columns) = &mention.what { Some(columns) } else { None })
            .flatten()
            .copied()
            .filter(|id| unit(id).is_some())
            .collect();
        starts[at].retain(|mention| match &mention.what {
            What::Columns(said) if mention.synonym => {
                let other = |id: &ColId| named.iter().any(|known| known != id && unit(known) == unit(id));
                !said.iter().any(other) || said.iter().any(|id| named.contains(id))
            }
            _ => true,
        });
    }
}

/// "2015" and "through 2017" inside "from 2015 through 2017" are no periods of their own.
fn hide_parts_of_ranges(starts: &mut [Vec<Mention>]) {
    for start in 0..starts.len() {
        let range = |mention: &&Mention| matches!(mention.what, What::When(When::Between(..)));
        let Some(end) = starts[start].iter().filter(range).map(|mention| mention.end).max() else { continue };
        for inner in &mut starts[start + 1..end] {
            inner.retain(|mention| !matches!(mention.what, What::When(_)) || mention.end > end);
        }
    }
}
