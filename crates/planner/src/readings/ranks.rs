//! Extremes, top lists, sorting and limits.

use base::Type;
use data::plan::{Agg, Dir};

use super::{Parser, Steps, filters};
use crate::draft::{Columns, Draft, Head, Rank, RankKind, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::{Ask, Role};
use crate::mentions::What;
use crate::score::Feature;
use crate::words::is_be;

/// How many rows a ranking may ask for.
const RANK_MAX: f64 = 1000.0;

pub(super) fn ranked(draft: &Draft, kind: RankKind, dir: Dir, number: Option<u32>, by: Option<Head>) -> Draft {
    let open = matches!(kind, RankKind::Extreme | RankKind::Amount);
    draft.with(|next| next.rank = Some(Rank { kind, dir, number, by, open }))
}

/// A whole number that can say how many rows are wanted.
fn count_at(parser: &Parser, at: usize) -> Option<u32> {
    let number = parser.tokens.get(at)?.number()?;
    (number.fract() == 0.0 && (1.0..=RANK_MAX).contains(&number)).then_some(number as u32)
}

/// The token after an optional number, and the number.
pub(super) fn optional_count(parser: &Parser, at: usize) -> (usize, Option<u32>) {
    // "The lowest one" has no number, and in "the most 7-day passes" it belongs to a name.
    let named = parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Columns(_)));
    match count_at(parser, at).filter(|_| parser.word(at) != "one" && !named) {
        Some(number) => (at + 1, Some(number)),
        None => (at, None),
    }
}

/// `top 10`, `bottom 5`.
pub fn top(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Top(dir) = role else { continue };
        // "Best" without a number asks for an opinion.
        let (end, number) = optional_count(parser, end);
        let vague = parser.word(at) == "best" && number.is_none();
        if draft.rank.is_none() && draft.pending.is_none() && draft.heads.is_empty() && !vague {
            steps.push((end, ranked(draft, RankKind::Top, dir, number, None)));
        }
    }
}

/// `busiest day in terms of trips`: the direction is said, what decides must follow.
pub fn extent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Extent(dir) = role else { continue };
        // "Which weekday is the busiest for orders".
        let said = matches!(&draft.heads[..], [Head { agg: None, .. }]) && is_be(parser.word_before_determiners(at));
        if draft.rank.is_none() && draft.pending.is_none() && (draft.heads.is_empty() || said) {
            let mut next = ranked(draft, RankKind::Extreme, dir, None, None);
            next.rank.iter_mut().for_each(|rank| rank.open = false);
            steps.push((end, next.clone()));
            // Without more, what is busy has many rows.
            if let Some(rows) = dated_rows(parser) {
                let by = Head::counted(rows);
                next.rank.iter_mut().for_each(|rank| rank.by = Some(by.clone()));
                next.features.push(Feature::OpenChoice);
                steps.push((end, next));
            }
        }
    }
}

/// The rows of the only table that says when they happened.
fn dated_rows(parser: &Parser) -> Option<ThingId> {
    let index = parser.index;
    let mut tables: Vec<usize> =
        index.columns().filter(|id| index.column(*id).ty == Type::Timestamp).map(|id| id.table).collect();
    tables.dedup();
    let [table] = tables[..] else { return None };
    index.rows_of(table)
}

/// `most common city`: the value that the most rows have.
pub fn frequent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Frequent(dir) = role else { continue };
        let (end, number) = optional_count(parser, end);
        if draft.rank.is_some() || draft.pending.is_some() || !draft.heads.is_empty() {
            continue;
        }
        let popular = parser.word(at + 1) == "popular";
        if popular && has_opinions(parser) {
            continue;
        }
        // "The most common number of cards".
        let end = parser.role(end, Role::Count).unwrap_or(end);
        // "The most common dog breeds" are those of dogs.
        let mut starts = vec![(end, draft.clone())];
        filters::value(parser, end, draft, &mut starts);
        let named =
            starts.iter().flat_map(|(start, chosen)| parser.targets(*start).iter().map(move |name| (name, chosen)));
        for ((end, target, features), chosen) in named {
            let column = match target {
                Target::Columns(columns) => columns.first().copied(),
                Target::Thing(thing) if parser.index.things[*thing].table.is_none() => {
                    parser.index.things[*thing].keys.first().copied()
                }
                _ => None,
            };
            let owner = |id: ColId| parser.index.rows_of(id.table);
            let repeated = column.filter(|id| !parser.index.column(*id).unique);
            let Some(rows) = repeated.and_then(owner) else { continue };
            let by = Head::counted(rows);
            let mut next = ranked(chosen, RankKind::Extreme, dir, number, Some(by));
            next.rank.iter_mut().for_each(|rank| rank.open = false);
            next.features.extend(features);
            next.heads.push(Head::plain(target.clone()));
            if popular {
                next.assume("popular", "the most popular is what most rows have");
            }
            steps.push((*end, next));
        }
    }
}

/// Whether a number says what people think of something: then what is popular may be decided by that.
fn has_opinions(parser: &Parser) -> bool {
    const OPINIONS: &[&str] = &[
        "rating",
        "score",
        "stars",
        "votes",
        "likes",
        "views",
        "popularity",
        "satisfaction",
        "reviews",
        "downloads",
        "plays",
        "streams",
        "quantity",
        "units",
        "sold",
        "sales",
        "copies",
    ];
    let says = |word: &String| OPINIONS.contains(&word.as_str());
    let index = parser.index;
    index.columns().any(|id| index.column(id).ty.is_number() && index.facts(id).words.iter().any(says))
}

/// `which hotel was reviewed the most`: the participle names the number of times it was done.
pub fn done_most(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let passive = is_be(parser.before(at));
    if !passive || draft.heads.is_empty() || draft.rank.is_some() || draft.pending.is_some() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let index = parser.index;
        let counts = |id: &ColId| {
            let counted = |word: &String| matches!(word.as_str(), "count" | "counts" | "number" | "times");
            index.column(*id).ty.is_number() && index.facts(*id).words.iter().any(counted)
        };
        let amount = |(end, role)| if let Role::Amount(dir) = role { Some((end, dir)) } else { None };
        let Some((end, dir)) = parser.roles(mention.end).find_map(amount) else { continue };
        if columns.iter().all(counts) && parser.word(at).ends_with("ed") {
            let by = Head { amount: true, ..Head::plain(Target::Columns(columns.clone())) };
            let mut next = ranked(draft, RankKind::Amount, dir, None, Some(by));
            next.rank.iter_mut().for_each(|rank| rank.open = false);
            next.features.extend(super::features(mention));
            steps.push((end, next));
        }
    }
}

/// `in which year was the number of arrests the largest`: the ranking word comes last.
pub fn trailing_extreme(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let named = matches!(draft.ask, Some(Ask::Which | Ask::What)) && draft.heads.len() == 1;
    // "When was the close the highest": where every row is a day, the day is asked for.
    let when = draft.ask == Some(Ask::When) && draft.heads.is_empty() && parser.index.row_words.days;
    if !(named || when) || draft.rank.is_some() || draft.is_open() || !is_be(parser.before(at)) {
        return;
    }
    for (middle, by, features) in parser.quantities(at).iter().cloned() {
        // "At its lowest", "the lowest".
        let middle = parser.skip_determiners(if parser.word(middle) == "at" { middle + 1 } else { middle });
        let extreme = |(end, role)| if let Role::Extreme(dir) = role { Some((end, dir)) } else { None };
        let Some((end, dir)) = parser.roles(middle).find_map(extreme) else { continue };
        let mut next = ranked(draft, RankKind::Extreme, dir, None, Some(by));
        next.rank.iter_mut().for_each(|rank| rank.open = false);
        next.features.extend(features);
        if when {
            next.ask = Some(Ask::Which);
            next.heads.push(Head::plain(Target::Thing(0)));
        }
        steps.push((end, next));
    }
}

/// `which region is the happiest on average`: said after what is ranked by.
pub fn on_average(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Agg(Agg::Avg)).filter(|_| parser.word(at) == "on") else { return };
    let plain = |head: &Head| head.agg.is_none() && matches!(head.target, Target::Columns(_));
    let settled = draft.rank.as_ref().filter(|rank| !rank.open && rank.kind != RankKind::Amount);
    if settled.is_some_and(|rank| rank.by.as_ref().is_some_and(plain)) {
        let mut next = draft.with(|_| {});
        if let Some(by) = next.rank.as_mut().and_then(|rank| rank.by.as_mut()) {
            by.agg = Some(Agg::Avg);
        }
        steps.push((end, next));
    }
}

/// `which genre has the highest fines in total`: said after what is ranked by.
pub fn in_total(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const WORDS: &[&[&str]] = &[&["in", "total"], &["overall"], &["altogether"], &["all", "together"], &["combined"]];
    let Some(end) = parser.after_phrase(at, WORDS) else { return };
    let plain = |head: &Head| head.agg.is_none() && matches!(head.target, Target::Columns(_));
    let settled = draft.rank.as_ref().filter(|rank| !rank.open && rank.by.as_ref().is_some_and(plain));
    if settled.is_some() {
        let mut next = draft.with(|_| {});
        if let Some(by) = next.rank.as_mut().and_then(|rank| rank.by.as_mut()) {
            by.agg = Some(Agg::Sum);
        }
        steps.push((end, next));
    }
}

/// `highest`, `most`, `fewest`.
pub fn extreme(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let (kind, dir) = match role {
            Role::Extreme(dir) => (RankKind::Extreme, dir),
            Role::Amount(dir) => (RankKind::Amount, dir),
            _ => continue,
        };
        let (end, number) = optional_count(parser, end);
        // "Top 3 most prescribed": the second word says by what.
        let top = draft.rank.as_ref().filter(|rank| rank.kind == RankKind::Top && rank.dir == dir && rank.by.is_none());
        if (draft.rank.is_none() || top.is_some()) && draft.pending.is_none() {
            let number = number.or(top.and_then(|rank| rank.number));
            steps.push((end, ranked(draft, kind, dir, number, None)));
        }
    }
}

/// `latest order`, `first 5 orders`, `last order date`.
pub fn recent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Recent(dir) = role else { continue };
        let (end, number) = optional_count(parser, end);
        if draft.rank.is_none() && draft.pending.is_none() && draft.heads.is_empty() {
            steps.push((end, ranked(draft, RankKind::Recent, dir, number, None)));
        }
    }
}

/// `oldest`, `cheapest`: the word names the column, where exactly one fits.
pub fn adjective(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.rank.is_some() || draft.pending.is_some() {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at) {
        let What::Adjective(adjective) = &mention.what else { continue };
        let named = |id: &ColId, words: &[String]| index.is_called_any(*id, words);
        let numbers = adjective.numbers.iter().map(|part| (part, false));
        for ((dir, words), temporal) in numbers.chain(adjective.date.iter().map(|part| (part, true))) {
            let fits = |id: &ColId| {
                let ty = index.column(*id).ty;
                // In a rank the first is the lowest number: it is no quantity.
                let place = index.facts(*id).has_any(&["rank", "ranking"]);
                let own = words != &["size"] || is_own_size(parser, mention.end, *id);
                !place && own && named(id, words) && if temporal { ty.is_temporal() } else { ty.is_number() }
            };
            let mut columns: Columns = index.columns().filter(fits).collect();
            // How long or how large something is has many names, and of several none is the one.
            let open = words.iter().any(|word| matches!(word.as_str(), "duration" | "size" | "time"));
            let (others, by_others) = index.numbers_called(words);
            let by_others = by_others && columns.is_empty() && !temporal && !open;
            if by_others {
                columns = others;
            }
            if columns.is_empty() || !temporal && has_rivals(parser, &columns, words) {
                continue;
            }
            // "Coldest temperature" says the column itself.
            for next in parser.mentions.at(mention.end) {
                if let What::Columns(said) = &next.what
                    && said.iter().any(|id| columns.contains(id))
                {
                    let by = Head::plain(Target::Columns(said.clone()));
                    let mut extreme = ranked(draft, RankKind::Extreme, *dir, None, Some(by));
                    extreme.rank.iter_mut().for_each(|rank| rank.open = false);
                    steps.push((next.end, extreme));
                }
            }
            // Groups are as slow as they are on average; which of the rows took longest is said of rows.
            let paced = matches!(parser.word(at), "slowest" | "fastest" | "quickest");
            let rows = |(_, target, _): &(usize, Target, _)| match target {
                Target::Thing(thing) => columns.iter().any(|id| index.things[*thing].table == Some(id.table)),
                _ => false,
            };
            let agg = (paced && !parser.targets(mention.end).iter().any(rows)).then_some(Agg::Avg);
            let by = Head { agg, ..Head::plain(Target::Columns(columns)) };
            let mut next = ranked(draft, RankKind::Adjective, *dir, None, Some(by));
            if agg.is_some() {
                next.assume("aggregate", "groups of rows are ranked by their average");
            }
            next.features.extend(by_others.then_some(Feature::Synonym));
            steps.push((mention.end, next));
        }
    }
}

/// Whether a table has another number that the word could rank by as well: what the parts cost beside what the labour did, how
/// long it took to come beside how long it lasted.
fn has_rivals(parser: &Parser, columns: &Columns, words: &[String]) -> bool {
    const MONEY: &[&str] = &["price", "cost", "fare", "fee", "charge", "amount", "bill", "rent", "total"];
    let index = parser.index;
    let says = |word: &str| words.iter().any(|known| known == word);
    let money = says("price") || says("cost");
    let time = says("time") || says("duration");
    let rival = |id: ColId, other: ColId| {
        let facts = index.facts(other);
        let family = facts.unit.as_ref().map(|unit| unit.family);
        let costs = facts.has_any(MONEY);
        let number = index.column(other).ty.is_number() && !facts.identifier && facts.per.is_none();
        let fits = money && costs || time && family == Some("time");
        other.table == id.table && !columns.contains(&other) && number && fits
    };
    // What is called just so is it: `price` beside `ingredient_cost`.
    let whole = |id: &ColId| index.facts(*id).core.len() == 1;
    let open = time || columns.iter().all(|id| !whole(id));
    (money || time) && open && columns.iter().any(|id| index.columns().any(|other| rival(*id, other)))
}

/// `Field Size` of the largest field: a size that its name says of the rows' own noun, or of nothing else.
fn is_own_size(parser: &Parser, at: usize, id: ColId) -> bool {
    let core = &parser.index.facts(id).core;
    parser.mentions.at(at).iter().any(|mention| {
        let What::Thing(thing) = mention.what else { return false };
        let info = &parser.index.things[thing];
        let noun = crate::words::split_name(&info.noun);
        info.table == Some(id.table) && core.iter().all(|word| word == "size" || noun.contains(word))
    })
}

/// Whether a ranking word starts at a position.
fn ranks_at(parser: &Parser, at: usize) -> bool {
    // "The 3 shops with the worst rating".
    let valued = matches!(parser.word(at), "best" | "worst");
    valued
        || parser.mentions.at(at).iter().any(|mention| match &mention.what {
            What::Role(role) => {
                matches!(role, Role::Extreme(_) | Role::Amount(_) | Role::Recent(_) | Role::Top(_) | Role::Extent(_))
            }
            What::Adjective(_) => true,
            _ => false,
        })
}

/// `the 3 days with the most trips`, `5 largest`, `which 5 agents`, `show 10 orders`.
pub fn leading_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(number) = count_at(parser, at) else { return };
    let listing = matches!(draft.ask, Some(Ask::List | Ask::Which | Ask::What | Ask::Who));
    let next_ranks = ranks_at(parser, at + 1);
    let ranked_later =
        (at == 0 || parser.before(at) == "the") && (at + 1..parser.tokens.len()).any(|later| ranks_at(parser, later));
    let next_names =
        parser.targets(at + 1).iter().any(|(_, target, _)| matches!(target, Target::Thing(_) | Target::Columns(_)));
    // "Four bedroom houses" have so many.
    let described = parser.targets(at + 1).iter().any(|(end, target, _)| {
        let measured = |id: &ColId| parser.index.is_quantity(*id);
        let token = &parser.tokens[end - 1];
        let singular = token.fold == token.singular && number > 1;
        singular && matches!(target, Target::Columns(columns) if columns.iter().all(measured))
    });
    let free = draft.limit.is_none()
        && !described
        && draft.rank.is_none()
        && draft.heads.is_empty()
        && draft.pending.is_none()
        && !draft.share;
    if free && ((listing || ranked_later) && next_names || next_ranks) {
        steps.push((at + 1, draft.with(|next| next.limit = Some(number))));
    }
}

/// `sorted by price descending`.
pub fn sort(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Sort) else { return };
    if draft.sort.is_some() || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (end, head, features) in parser.quantities(end).iter().cloned() {
        let dir = parser
            .roles(end)
            .find_map(|(end, role)| if let Role::Direction(dir) = role { Some((end, dir)) } else { None });
        let listed = draft.groups.is_empty() && draft.having.is_empty();
        let (end, dir) = dir.unwrap_or((end, if listed { Dir::Asc } else { Dir::Desc }));
        let next = draft.with(|next| {
            next.features.extend(features);
            next.sort = Some((head, dir));
        });
        steps.push((end, next));
    }
}

/// `in descending order`, `highest first`.
pub fn direction(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Direction(dir) = role else { continue };
        if draft.direction.is_none() && !draft.heads.is_empty() {
            steps.push((end, draft.with(|next| next.direction = Some(dir))));
        }
    }
}

/// `highest on top`, `best paid first`, `worst first`: a ranking word that only says the order.
pub fn first_in_order(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [head] = &draft.heads[..] else { return };
    if draft.direction.is_some() || draft.rank.is_some() || draft.groups.is_empty() {
        return;
    }
    let end_of_order = |at: usize| match (parser.word(at), parser.word(at + 1), parser.word(at + 2)) {
        ("first", _, _) => Some(at + 1),
        ("on", "top", _) => Some(at + 2),
        ("at", "the", "top") => Some(at + 3),
        _ => None,
    };
    let words = head_words(parser, head);
    let named = |list: &[String]| words.iter().any(|word| list.contains(word));
    for mention in parser.mentions.at(at) {
        let dir = match &mention.what {
            What::Role(Role::Extreme(dir) | Role::Amount(dir)) => Some(*dir),
            What::Adjective(adjective) => adjective.numbers.iter().find(|(_, list)| named(list)).map(|(dir, _)| *dir),
            _ => None,
        };
        if let (Some(dir), Some(end)) = (dir, end_of_order(mention.end)) {
            steps.push((end, draft.with(|next| next.direction = Some(dir))));
        }
    }
    let valued = match parser.word(at) {
        "best" => parser.index.lexicon.better(&words),
        "worst" => parser.index.lexicon.better(&words).map(opposite),
        _ => None,
    };
    if let (Some(dir), Some(end)) = (valued, end_of_order(at + 1)) {
        steps.push((end, draft.with(|next| next.direction = Some(dir))));
    }
}

pub(super) fn opposite(dir: Dir) -> Dir {
    if dir == Dir::Desc { Dir::Asc } else { Dir::Desc }
}

/// The words of what is asked for.
pub(super) fn head_words(parser: &Parser, head: &Head) -> Vec<String> {
    let index = parser.index;
    match &head.target {
        Target::Columns(columns) | Target::Flag(columns) => {
            columns.iter().flat_map(|id| index.facts(*id).words.clone()).collect()
        }
        Target::Measure(measure) => crate::words::split_name(&index.measure(*measure).name),
        _ => Vec::new(),
    }
}

/// `limit 10`.
pub fn limit(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Limit)
        && let Some(number) = count_at(parser, end)
        && draft.limit.is_none()
    {
        steps.push((end + 1, draft.with(|next| next.limit = Some(number))));
    }
}
