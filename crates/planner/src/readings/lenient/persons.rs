//! Persons that no table has a row for, or that are named by what they do: `customers`, `headcount`, `top earners`.

use data::plan::{Agg, Dir};

use super::super::joins::names_data;
use super::super::{Parser, Steps};
use super::pass;
use crate::draft::{Columns, Draft, Head, Pending, Rank, RankKind, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;

/// `how satisfied are the customers`, `a score from the customer`: whoever the rows come from, where rows do not tell
/// them apart. Counted, ranked or told one by one they would be what the data does not know.
pub fn actor(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(token) = parser.tokens.get(at) else { return };
    let general = matches!(token.singular.as_str(), "customer" | "client" | "user" | "people" | "person" | "folk");
    let known = names_data(parser, at) || general && parser.mentions.is_data(at);
    if known || !general && !is_described_by_columns(parser, &token.singular) {
        return;
    }
    // "Satisfied customers" are some of them; "cargo bike riders" are those of the condition.
    let chosen = |what: &What| match what {
        What::Value(_) | What::Flag(_) => true,
        What::Columns(columns) => columns.iter().all(|id| parser.index.column(*id).ty == base::Type::Text),
        _ => false,
    };
    let described = at > 0 && parser.mentions.is_data(at - 1);
    if described && !parser.mentions.covering(at - 1).any(|mention| chosen(&mention.what)) {
        return;
    }
    let before = parser.word_before_determiners(at);
    let told_apart =
        matches!(before, "by" | "per" | "each" | "every" | "which" | "what" | "many" | "most" | "different");
    let from = matches!(before, "from" | "by") && parser.before(at) == "the";
    let measured = draft.heads.iter().all(|head| match &head.target {
        Target::Columns(_) | Target::Measure(_) => true,
        _ => (head.agg == Some(Agg::Count) || draft.share) && from,
    });
    let waits = draft.heads.is_empty() && draft.pending != Some(Pending::Much);
    let open = draft.is_open() && draft.pending != Some(Pending::Much);
    if measured && !waits && !open && (!told_apart || from) && draft.rank.is_none() {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// Whether several columns of one table tell something of whoever it is: `rider_type` and `rider_age` of a rider.
pub(super) fn is_described_by_columns(parser: &Parser, noun: &str) -> bool {
    const COLUMNS_MIN: usize = 2;
    let index = parser.index;
    let tells =
        |id: &ColId| index.facts(*id).words.first().is_some_and(|word| word == noun) && !index.facts(*id).identifier;
    let of = |table: usize| index.columns_of(table).filter(tells).count();
    (0..index.dataset.tables.len()).any(|table| of(table) >= COLUMNS_MIN)
}

/// The rows that are persons, where only one table's are.
fn persons(parser: &Parser) -> Option<ThingId> {
    let index = parser.index;
    let person =
        |id: &usize| index.things[*id].table.is_some() && index.lexicon.is_of("person", &index.things[*id].noun);
    let mut found = (0..index.things.len()).filter(person);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// `headcount by office`: how many persons there are.
pub fn headcount(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = matches!(parser.word(at), "headcount" | "headcounts") && !parser.mentions.is_data(at);
    let free = draft.heads.is_empty() && draft.rank.is_none() && !draft.share;
    let summed = matches!(draft.pending, None | Some(Pending::Agg(Agg::Sum | Agg::Count, None)));
    let Some(thing) = persons(parser).filter(|_| said && free && summed) else { return };
    let text = format!("`{}` = how many rows of {}", parser.tokens[at].text, parser.index.things[thing].noun);
    let mut next = draft.granting(Feature::OpenChoice, "headcount", text);
    next.pending = None;
    next.heads.push(Head::counted(thing));
    steps.push((at + 1, next));
}

/// `top 5 earners`, `our biggest spender`: persons ranked by what they do; what decides may also be said after them.
pub fn agent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let verb = match parser.tokens.get(at).map(|token| token.singular.as_str()) {
        Some("earner") => "earn",
        Some("spender") => "spend",
        Some("payer") => "pay",
        _ => return,
    };
    let Some((dir, number)) = direction(draft) else { return };
    let stem = parser.index.forms.stem(verb);
    let columns: Columns = parser
        .index
        .names(&stem)
        .iter()
        .filter_map(|entry| if let crate::index::Sense::Column(id) = entry.sense { Some(id) } else { None })
        .filter(|id| parser.index.column(*id).ty.is_number())
        .collect();
    let [column] = columns[..] else { return };
    let Some(doer) = doer(parser, column) else { return };
    let by = Head { amount: true, ..Head::plain(Target::Columns(columns)) };
    let text = format!(
        "a `{}` is a {} by {}",
        parser.tokens[at].text,
        parser.index.things[doer].noun,
        parser.index.column(column).name
    );
    let next = draft.granting(Feature::Synonym, "agent", text);
    let ranked = |by: Option<Head>| {
        let mut next = next.with(|next| next.heads.push(Head::plain(Target::Thing(doer))));
        let kind = if by.is_some() { RankKind::Amount } else { RankKind::Top };
        let kind =
            if draft.rank.as_ref().is_some_and(|rank| rank.kind == RankKind::Top) { RankKind::Top } else { kind };
        next.rank = Some(Rank { kind, dir, number, by, open: false });
        next
    };
    let said_after = parser.roles(at + 1).any(|(_, role)| matches!(role, Role::GroupBy | Role::Terms));
    steps.push((at + 1, ranked((!said_after).then_some(by))));
}

/// The direction of a ranking that still waits for what it ranks.
fn direction(draft: &Draft) -> Option<(Dir, Option<u32>)> {
    let rank = draft.rank.as_ref().filter(|rank| rank.by.is_none() && draft.heads.is_empty())?;
    matches!(rank.kind, RankKind::Top | RankKind::Extreme).then_some((rank.dir, rank.number))
}

/// The persons that a number is of: the rows themselves, or the one person that each row names.
fn doer(parser: &Parser, column: ColId) -> Option<ThingId> {
    let index = parser.index;
    let person = |id: &usize| index.lexicon.is_of("person", &index.things[*id].noun);
    let own = (0..index.things.len()).filter(person).find(|id| index.things[*id].table == Some(column.table));
    let named = |id: &usize| index.things[*id].keys.iter().any(|key| key.table == column.table);
    let mut others = (0..index.things.len()).filter(person).filter(named);
    own.or_else(|| others.next().filter(|_| others.next().is_none()))
}
