//! Verbs that say a number: `earned the most`, `how much did patients pay`, `how long do trips last`, `kWh used`.
//!
//! The words are names of columns like any other ([`crate::index`] finds them by concept); here is only where in the
//! sentence a verb stands, which is after what it is said of.

use data::plan::{Agg, Dir};

use super::{Parser, Steps, features, spans};
use crate::draft::{Columns, Condition, Draft, Head, Pending, Rank, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// `which film earned the most`, `who earns the least`: the verb is what is ranked by.
pub fn done_most(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let subject = draft.heads.len() == 1 || draft.heads.is_empty() && draft.ask == Some(Ask::Who);
    if !subject || draft.rank.is_some() || draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at).iter().filter(|mention| mention.synonym || mention.stemmed) {
        let Some(target) = quantity(mention) else { continue };
        let amount = |(end, role)| if let Role::Amount(dir) = role { Some((end, dir)) } else { None };
        let Some((end, dir)) = parser.roles(mention.end).find_map(amount) else { continue };
        // "Sold the most units" says the number again.
        let again = |said: &Mention| quantity(said).as_ref() == Some(&target);
        let end = parser.mentions.at(end).iter().find(|said| again(said)).map_or(end, |said| said.end);
        let by = Head { amount: true, ..Head::plain(target) };
        let next = draft.with(|next| {
            next.features.extend(features(mention));
            next.rank = Some(Rank { kind: RankKind::Amount, dir, number: None, by: Some(by), open: false });
        });
        steps.push((end, next));
    }
}

fn quantity(mention: &Mention) -> Option<Target> {
    match &mention.what {
        What::Columns(columns) => Some(Target::Columns(columns.clone())),
        What::Measure(measure) => Some(Target::Measure(*measure)),
        _ => None,
    }
}

/// `how much did patients pay`: whose it is comes before the verb that says what is added up.
pub fn payer(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.pending != Some(Pending::Much) {
        return;
    }
    for mention in parser.mentions.at(at) {
        if let What::Thing(thing) = mention.what {
            let next = draft.with(|next| {
                next.features.extend(features(mention));
                next.scopes.push(thing);
            });
            steps.push((mention.end, next));
        }
    }
}

/// `kWh used`, `kilometres ridden`: the verb says of which of the columns with that unit.
pub fn restricting_verb(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Head { target: Target::Columns(known), .. }) = draft.heads.last() else { return };
    for mention in parser.mentions.at(at).iter().filter(|mention| mention.synonym || mention.stemmed) {
        let What::Columns(said) = &mention.what else { continue };
        let both: Columns = known.iter().copied().filter(|id| said.contains(id)).collect();
        if !both.is_empty() && draft.groups.is_empty() && !draft.is_open() {
            let mut next = draft.with(|next| next.features.extend(features(mention)));
            if let Some(head) = next.heads.last_mut() {
                head.target = Target::Columns(both);
                head.amount |= head.agg.is_none();
            }
            steps.push((mention.end, next));
        }
    }
}

/// `pay for electricity`: what the money is for, where it is another word for something measured beside it.
pub fn paid_for(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Head { target: Target::Columns(paid), .. }) = draft.heads.last() else { return };
    if !matches!(parser.word(at), "for" | "on") || draft.is_open() {
        return;
    }
    let money = |id: &ColId| parser.index.facts(*id).is_money();
    if !paid.iter().all(money) {
        return;
    }
    for mention in parser.mentions.at(parser.skip_determiners(at + 1)).iter().filter(|mention| mention.synonym) {
        let What::Columns(bought) = &mention.what else { continue };
        if bought.iter().any(|id| paid.iter().any(|other| other.table == id.table)) {
            steps.push((mention.end, draft.with(|next| next.features.extend(features(mention)))));
        }
    }
}

/// `which card has borrowed the most items`: the verb is another word for rows, which are counted; what follows only says
/// what each of them is about.
pub fn rows_done_most(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let subject = draft.heads.len() == 1 && draft.rank.is_none() && !draft.is_open() && !draft.share;
    if !subject {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at).iter().filter(|mention| mention.synonym || mention.stemmed) {
        let What::Thing(rows) = mention.what else { continue };
        let Some(table) = index.things[rows].table else { continue };
        let amount = |(end, role)| if let Role::Amount(dir) = role { Some((end, dir)) } else { None };
        // "Lends out the most".
        let particle = usize::from(matches!(parser.word(mention.end), "out" | "in" | "up"));
        let Some((end, dir)) = parser.roles(mention.end + particle).find_map(amount) else { continue };
        let linked = |what: &What| match what {
            What::Thing(thing) => index.things[*thing].table.is_some_and(|to| index.schema.hops(table, to).is_some()),
            _ => false,
        };
        let about = parser.mentions.at(end).iter().find(|next| linked(&next.what)).map_or(end, |next| next.end);
        let next = draft.with(|next| {
            next.features.extend(features(mention));
            let by = Some(Head::counted(rows));
            next.rank = Some(Rank { kind: RankKind::Amount, dir, number: None, by, open: false });
        });
        steps.push((about, next));
    }
}

/// `what classes does Hannah Cole teach`: the verb that the name of her column is made from says nothing more.
pub fn acts(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Condition::Values { cells, .. }) = draft.filters.last().map(|filter| &filter.condition) else { return };
    let stem = parser.tokens.get(at).map_or("", |token| token.stem.as_str());
    let agent = |id: &ColId| {
        let noun = parser.index.facts(*id).core.last();
        noun.and_then(|noun| noun.strip_suffix("er").or(noun.strip_suffix("or"))).is_some_and(|verb| verb == stem)
    };
    if stem.len() > 2 && cells.iter().all(|(id, _)| agent(id)) && !parser.mentions.is_data(at) {
        steps.push((at + 1, draft.clone()));
    }
}

/// `on average`, after the number it is said of.
pub fn on_average(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let average = parser.role(at, Role::Agg(Agg::Avg)).filter(|_| parser.word(at) == "on");
    let Some(end) = average.or_else(|| parser.role(at, Role::Typically)) else { return };
    let Some(head) = draft.heads.last().filter(|_| draft.rank.is_none() && !draft.is_open()) else { return };
    let number = matches!(&head.target, Target::Columns(columns) if columns.iter().all(|id| is_number(parser, *id)));
    if number && matches!(head.agg, None | Some(Agg::Avg)) {
        let mut next = draft.with(|next| next.features.retain(|feature| *feature != Feature::ImpliedAverage));
        if let Some(head) = next.heads.last_mut() {
            (head.agg, head.amount) = (Some(Agg::Avg), false);
        }
        steps.push((end, next));
    }
}

fn is_number(parser: &Parser, id: ColId) -> bool {
    parser.index.is_quantity(id)
}

/// `how long do trips last`, `how far do riders go`: the column that says it, of all rows on average.
pub fn extent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if parser.word(at) != "how" || !draft.is_fresh() {
        return;
    }
    // "How many minutes do trips take on average" is how long they are.
    let unit = spans::asked_length(parser, at).filter(|(_, op)| op.is_some()).map(|(verb, _)| verb);
    let verb = unit.unwrap_or(at + 2);
    // "How old is the passenger" asks of one; "how old are they", "how long is a trip on average" of all.
    let average = parser.tokens.iter().any(|token| matches!(token.fold.as_str(), "average" | "typical"));
    let opens = match parser.word(verb) {
        "do" | "does" | "did" | "are" | "were" => average || unit.is_none(),
        "is" | "was" => average,
        _ => false,
    };
    if !opens {
        return;
    }
    let asked = if unit.is_some() { "long" } else { parser.word(at + 1) };
    let mut columns = said_by_extent(parser, asked);
    columns.retain(|id| unit.is_none_or(|_| is_measured_in(parser, *id, parser.word(at + 2))));
    if !columns.is_empty() {
        let head = Head { agg: Some(Agg::Avg), ..Head::plain(Target::Columns(columns)) };
        let mut next = draft.with(|next| {
            next.heads.push(head);
            next.features.push(Feature::ImpliedAverage);
        });
        (next.ask, next.connected) = (Some(Ask::What), true);
        let end = parser.skip_determiners(verb + 1);
        let said = match (parser.word(end), parser.word(end + 1)) {
            ("average" | "typical", _) => end + 1,
            ("it", "take" | "takes" | "took") => end + 2,
            // "How warm is it in the cold store": what it is has no other name.
            ("it", _) if matches!(parser.word(verb), "is" | "was") => end + 1,
            _ => verb + 1,
        };
        steps.push((said, next));
    }
}

fn is_measured_in(parser: &Parser, id: ColId, unit: &str) -> bool {
    let said = parser.index.lexicon.unit(unit);
    said.is_some() && parser.index.facts(id).unit.as_ref() == said
}

/// The columns that say how long or far something is, of the first kind that there is.
fn said_by_extent(parser: &Parser, word: &str) -> Columns {
    let index = parser.index;
    let named = |id: &ColId, word: &str| is_number(parser, *id) && index.facts(*id).has(word);
    let words = index.lexicon.extent(word).unwrap_or_default();
    let found = words.iter().map(|word| index.columns().filter(|id| named(id, word)).collect::<Columns>());
    let found: Columns = found.into_iter().find(|columns| !columns.is_empty()).unwrap_or_default();
    // `mins` of a game: the only number of its table that is measured in time.
    if found.is_empty() && word == "long" { index.columns_called("duration") } else { found }
}

/// `last`, `go`, `take`: after "how long" or "how far" the verb says nothing more.
pub fn extent_verb(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::ExtentVerb) else { return };
    let long = spans::asked_length(parser, 0).is_some();
    let asked = long || parser.word(0) == "how" && parser.index.lexicon.extent(parser.word(1)).is_some();
    if asked && !draft.heads.is_empty() {
        steps.push((end, draft.clone()));
    }
}

/// `that took more than 48 hours to solve`, `films longer than two hours`: a verb of lasting before a length of time.
pub fn lasted(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::ExtentVerb) else { return };
    let compared = parser.roles(end).any(|(_, role)| matches!(role, Role::Compare(_) | Role::Between));
    if compared && !draft.heads.is_empty() && !draft.is_open() {
        steps.push((end, Draft { predicate: true, ..draft.clone() }));
    }
}

/// `electricity cost`, `fare income`: one of two words for numbers of one table only says of what the other is.
pub fn compound(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let columns = |mention: &Mention| match &mention.what {
        What::Columns(columns) => columns.clone(),
        _ => Vec::new(),
    };
    let beside = |first: &Columns, second: &Columns| first.iter().any(|a| second.iter().any(|b| a.table == b.table));
    for mention in parser.mentions.at(at).iter().filter(|mention| mention.synonym) {
        let said = columns(mention);
        let named = |next: &Mention| !next.synonym && !next.partial && beside(&said, &columns(next));
        if parser.mentions.at(mention.end).iter().any(named) {
            steps.push((mention.end, draft.with(|next| next.features.extend(features(mention)))));
        }
        let head = draft.heads.last().map(|head| &head.target);
        let money = |id: &ColId| parser.index.facts(*id).is_money();
        if let Some(Target::Columns(known)) = head
            && at > 0
            && parser.mentions.is_data(at - 1)
            && known.iter().all(money)
            && said.iter().all(money)
            && beside(known, &said)
            && !draft.is_open()
        {
            steps.push((mention.end, draft.with(|next| next.features.extend(features(mention)))));
        }
    }
}

/// `the total amount of unpaid bills`: the head's own column, said again of what its conditions are about.
pub fn head_again(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Head { target: Target::Columns(known), agg, amount, .. }) = draft.heads.last() else { return };
    if agg.is_none() && !amount {
        return;
    }
    let about =
        matches!(parser.word_before_determiners(at), "of" | "on") || draft.connected && !draft.filters.is_empty();
    if !about || draft.is_open() || !draft.groups.is_empty() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(said) = &mention.what else { continue };
        if said.iter().any(|id| known.contains(id)) && parser.tokens[at].fold != parser.tokens[at].singular {
            steps.push((mention.end, draft.with(|_| {})));
        }
    }
}

/// `best selling products`, `most used tariff`: a superlative before the verb that says by what.
pub fn best_doing(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let dir = match parser.word(at) {
        "best" | "top" | "most" | "highest" => Dir::Desc,
        "worst" | "least" | "lowest" => Dir::Asc,
        _ => return,
    };
    if draft.rank.is_some() || draft.is_open() || !draft.heads.is_empty() {
        return;
    }
    for mention in parser.mentions.at(at + 1).iter().filter(|mention| mention.synonym) {
        let word = parser.word(mention.end - 1);
        let participle = word.ends_with("ing") || word.ends_with("ed") || word == "sold";
        let Some(target) = quantity(mention).filter(|_| participle) else { continue };
        let by = Head { amount: true, ..Head::plain(target) };
        let next = draft.with(|next| {
            next.features.extend(features(mention));
            next.rank = Some(Rank { kind: RankKind::Amount, dir, number: None, by: Some(by), open: false });
        });
        steps.push((mention.end, next));
    }
}
