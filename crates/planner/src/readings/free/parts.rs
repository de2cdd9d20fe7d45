//! What one phrase adds to a reading, wherever it stands.
//!
//! The productions of the grammar are asked what the phrase would mean right after the seed; what they add is kept as a
//! part and can be put into any draft of that seed. Parts that would change what is asked for are left out.

use data::plan::{Agg, Expr, Test};

use super::super::compare::comparisons;
use super::super::lenient;
use super::super::{PRODUCTIONS, Parser, Steps, features};
use super::Seed;
use crate::Assumption;
use crate::draft::{Amount, Condition, Draft, Filter, Having, Head, Target, Zone};
use crate::index::{ColId, ThingId};
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// What a phrase adds, and where it ends.
pub struct Part {
    pub end: usize,
    added: Added,
}

enum Added {
    /// Everything in this draft that its seed does not have.
    Draft(Box<Draft>),
    /// What comes after is set against what came before.
    Other,
}

impl Part {
    fn of(end: usize, draft: Draft) -> Part {
        Part { end, added: Added::Draft(Box::new(draft)) }
    }

    /// The draft with this part, if nothing in it contradicts.
    pub fn added_to(&self, draft: &Draft, zone: Zone) -> Option<Draft> {
        let part = match &self.added {
            Added::Draft(part) => part,
            Added::Other if draft.contrast.is_some() || draft.filters.is_empty() => return None,
            Added::Other => return Some(Draft { contrast: Some(draft.filters.len()), ..draft.clone() }),
        };
        let mut next = draft.clone();
        next.filters.extend(part.filters.iter().map(|filter| Filter { zone, ..filter.clone() }));
        for group in &part.groups {
            if next.groups.contains(group) || next.heads.iter().any(|head| head.target == *group) {
                return None;
            }
            next.groups.push(group.clone());
        }
        next.having.extend(part.having.iter().cloned());
        next.scopes.extend(part.scopes.iter().copied());
        next.features.extend_from_slice(&part.features);
        next.granted.extend(part.granted.iter().cloned());
        join(&mut next.sort, &part.sort)?;
        join(&mut next.direction, &part.direction)?;
        join(&mut next.limit, &part.limit)?;
        join(&mut next.dated, &part.dated)?;
        join(&mut next.link, &part.link)?;
        join(&mut next.chart, &part.chart)?;
        join(&mut next.series, &part.series)?;
        join(&mut next.rank, &part.rank)?;
        for (into, from) in [
            (&mut next.distinct, part.distinct),
            (&mut next.percent, part.percent),
            (&mut next.with_number, part.with_number),
            (&mut next.trend, part.trend),
            (&mut next.distribution, part.distribution),
        ] {
            *into |= from;
        }
        Some(next)
    }
}

/// Two parts may not both decide what only one can.
fn join<T: Clone + PartialEq>(into: &mut Option<T>, from: &Option<T>) -> Option<()> {
    match (&into, from) {
        (_, None) => {}
        (None, Some(_)) => into.clone_from(from),
        (Some(known), Some(said)) if known == said => {}
        _ => return None,
    }
    Some(())
}

/// Everything that a phrase at a position can add to a seed.
pub fn at(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    // "Where do they work" asks for a place; only after what is asked for it opens a clause.
    let leads = seed.taken.first().is_some_and(|first| at < first.start);
    if leads && parser.role(at, Role::Glue(Glue::Relative)).is_some() {
        return Vec::new();
    }
    let mut parts = of_productions(parser, at, seed);
    parts.extend(passed(parser, at, seed));
    parts.extend(other_side(parser, at));
    parts.extend(about(parser, at, seed));
    parts.extend(said_again(parser, at, seed));
    parts.extend(unnamed_number(parser, at, seed));
    parts.extend(counted_rows(parser, at, seed));
    parts.extend(at_least_one(parser, at, seed));
    parts.extend(so_often(parser, at, seed));
    parts.extend(given(parser, at, seed));
    parts.retain(|part| seed.is_free(at..part.end));
    parts
}

/// The seed as the productions see it: said, with its verb passed, and nothing else known.
fn after_seed(seed: &Seed) -> Draft {
    let heads = match (&seed.draft.rank, &seed.draft.heads[..]) {
        (Some(rank), []) => rank.by.iter().cloned().collect(),
        (_, heads) => heads.to_vec(),
    };
    Draft { heads, predicate: true, connected: true, lenient: true, ..Draft::default() }
}

fn of_productions(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    if at >= parser.tokens.len() {
        return Vec::new();
    }
    let before = after_seed(seed);
    let mut steps = Steps::new();
    for production in PRODUCTIONS.iter().chain(lenient::PRODUCTIONS) {
        production(parser, at, &before, &mut steps);
    }
    let kept = steps.into_iter().filter(|(_, next)| is_addition(&before, next));
    let mut parts: Vec<Part> = Vec::new();
    for (end, next) in kept {
        let known = |part: &Part| part.end == end && matches!(&part.added, Added::Draft(known) if **known == next);
        if !parts.iter().any(known) {
            parts.push(Part::of(end, next));
        }
    }
    parts
}

/// Whether a production left what is asked for as it was and waits for nothing.
fn is_addition(before: &Draft, next: &Draft) -> bool {
    let ranked = next.rank.as_ref().is_none_or(|rank| !rank.open && rank.by.is_some());
    next.heads == before.heads
        && next.pending.is_none()
        && ranked
        && next.contrast.is_none()
        && !next.share
        && !next.whole
        && next.ask.is_none()
        && next.scopes.is_empty()
}

/// Question words, and verbs that name nothing of the dataset: what they say is said by the parts around them.
fn passed(parser: &Parser, at: usize, seed: &Seed) -> Option<Part> {
    let named = parser.mentions.at(at).iter().any(|mention| is_of_data(&mention.what));
    let plain = Draft::default();
    parser.roles(at).filter(|_| !named).find_map(|(end, role)| match role {
        Role::Ask(Ask::What | Ask::Which | Ask::Who | Ask::List) => Some(Part::of(end, plain.clone())),
        // "Different customers": counted once each.
        Role::Distinct if seed.end_at(end).is_some() => Some(Part::of(end, Draft { distinct: true, ..plain.clone() })),
        Role::Neutral | Role::Light | Role::Link | Role::Created | Role::Purpose | Role::ExtentVerb => {
            let timed = parser.tokens.iter().enumerate().any(|(at, _)| is_period(parser, at));
            let one_date = dates_of(parser, seed) < 2;
            // "Held by students" says whose it is.
            let agent = parser.word(end) == "by";
            let said = parser.tokens[at..end].iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
            let text = format!("`{said}` chooses no rows");
            // "Crew cost" beside a number of persons is no crew.
            let is_column = |mention: &Mention| mention.end == at && matches!(mention.what, What::Columns(_));
            let compound = at > 0 && role == Role::ExtentVerb && parser.mentions.covering(at - 1).any(is_column);
            (!agent && !compound && (!timed || one_date))
                .then(|| Part::of(end, plain.granting(Feature::IdleWord, "idle_word", text)))
        }
        _ => None,
    })
}

fn is_of_data(what: &What) -> bool {
    !matches!(what, What::Role(_) | What::Adjective(_) | What::Comparative(_) | What::When(_))
}

fn is_period(parser: &Parser, at: usize) -> bool {
    parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::When(_)))
}

/// How many dates the rows have that are asked about.
fn dates_of(parser: &Parser, seed: &Seed) -> usize {
    let tables = tables_of(parser, seed);
    let dated = |id: &ColId| parser.index.column(*id).ty.is_temporal();
    let reached = |id: &ColId| tables.iter().any(|table| parser.index.schema.hops(*table, id.table).is_some());
    parser.index.columns().filter(|id| dated(id) && reached(id)).count()
}

/// The tables that what is asked for is in.
fn tables_of(parser: &Parser, seed: &Seed) -> Vec<usize> {
    let by = seed.draft.rank.iter().filter_map(|rank| rank.by.as_ref());
    let mut tables: Vec<usize> = seed.draft.heads.iter().chain(by).flat_map(|head| table_of(parser, head)).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

fn table_of(parser: &Parser, head: &Head) -> Vec<usize> {
    let index = parser.index;
    match &head.target {
        Target::Thing(thing) => {
            let keys = index.things[*thing].keys.iter().map(|key| key.table);
            index.things[*thing].table.map_or_else(|| keys.collect(), |table| vec![table])
        }
        Target::Columns(columns) | Target::Flag(columns) => columns.iter().map(|id| id.table).collect(),
        Target::Measure(measure) => {
            let named = |name: &String| index.dataset.tables.iter().position(|table| table.name == *name);
            index.measure(*measure).tables.iter().filter_map(named).collect()
        }
        Target::Elapsed(interval, _) => vec![interval.rows(index)],
        Target::Formula(formula) => formula.left.iter().chain(&formula.right).map(|id| id.table).collect(),
        Target::Rows | Target::Grain(_) | Target::Part(_) | Target::OverTime | Target::Ratio(_) => Vec::new(),
    }
}

/// `compared with`, `vs`: the other side follows.
fn other_side(parser: &Parser, at: usize) -> Option<Part> {
    let end = parser.role(at, Role::Versus)?;
    Some(Part { end, added: Added::Other })
}

/// A thing that the rows asked about belong to: it says whose they are and chooses none of them.
fn about(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let tables = tables_of(parser, seed);
    let index = parser.index;
    let belongs = |thing: ThingId| {
        let own = |table: usize| tables.iter().any(|from| index.schema.hops(*from, table).is_some());
        let keyed = || index.things[thing].keys.iter().any(|key| tables.contains(&key.table));
        index.things[thing].table.map_or_else(keyed, own)
    };
    // "Rating of authors" may be told once for each of them; "that have a brand" chooses rows.
    let before = parser.word_before_determiners(at);
    let weighed = |head: &Head| matches!(head.agg, Some(Agg::Avg | Agg::Median | Agg::Stddev | Agg::Quantile));
    let owner = before == "of" && seed.draft.heads.iter().any(weighed);
    let had = matches!(before, "with" | "have" | "has" | "had" | "having" | "got" | "get" | "contain" | "contains");
    let part = |mention: &Mention| {
        let known = match &mention.what {
            What::Thing(thing) => !owner && !had && belongs(*thing),
            What::Role(Role::Rows) => true,
            _ => false,
        };
        known.then(|| {
            let mut draft = Draft::default().with(|_| {});
            draft.features.extend(features(mention));
            Part::of(mention.end, draft)
        })
    };
    parser.mentions.at(at).iter().filter_map(part).collect()
}

/// `orders above 500`: the one amount that the rows have.
fn unnamed_number(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let [table] = tables_of(parser, seed)[..] else { return Vec::new() };
    let index = parser.index;
    let counts_rows = seed.draft.heads.iter().all(|head| matches!(head.target, Target::Thing(_)));
    // What a row comes to, not just any number it has.
    let whole = |word: &String| matches!(word.as_str(), "total" | "amount" | "value" | "sum");
    let amount = |id: &ColId| {
        let facts = index.facts(*id);
        id.table == table && (facts.extensive || facts.additive) && facts.words.iter().any(whole)
    };
    let columns: Vec<ColId> = index.columns().filter(amount).collect();
    if columns.len() != 1 || !counts_rows {
        return Vec::new();
    }
    let bare = |amount: &Amount| amount.unit.is_none() && !amount.percent;
    let found = comparisons(parser, at, false).into_iter().filter(|(end, _, amounts)| {
        let next = parser.skip_determiners(*end);
        let more = parser.targets(next).is_empty() && !parser.mentions.is_data(next) && !is_period(parser, end - 1);
        amounts.iter().all(bare) && more
    });
    let compared = |(end, test, amounts): (usize, Test, Vec<Amount>)| {
        let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: true };
        let mut draft = Draft::default().with(|_| {});
        draft.features.push(Feature::ImpliedColumn);
        draft.filters.push(Filter { condition, negated: false, zone: Zone::Predicate });
        Part::of(end, draft)
    };
    found.map(compared).collect()
}

/// `more than 15 estimated readings`, `at least 3 visits in May`: a number of other rows, of which a condition is said.
fn counted_rows(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let [Head { target: Target::Thing(asked), .. }] = &seed.draft.heads[..] else { return Vec::new() };
    let mut parts = Vec::new();
    for (number_end, test, amounts) in comparisons(parser, at, false) {
        if amounts.iter().any(|amount| amount.unit.is_some() || amount.percent || amount.money) {
            continue;
        }
        for condition in of_productions(parser, number_end, seed) {
            let Added::Draft(kind) = &condition.added else { continue };
            // Rows of a two-valued column are counted by it already.
            let [Filter { condition: said, .. }] = &kind.filters[..] else { continue };
            if matches!(said, Condition::Flag(_)) || !kind.having.is_empty() || !kind.groups.is_empty() {
                continue;
            }
            for mention in parser.mentions.at(condition.end) {
                let What::Thing(rows) = mention.what else { continue };
                if rows == *asked {
                    continue;
                }
                let mut draft = Draft { heads: Vec::new(), filters: Vec::new(), ..(**kind).clone() };
                draft.features.extend(features(mention));
                let head = Head::counted(rows);
                draft.having.push(Having { head, kind: kind.filters.clone(), test, amounts: amounts.clone() });
                parts.push(Part::of(mention.end, draft));
            }
        }
    }
    parts
}

/// `with at least one prescription`: rows of another table that belong to what is asked about.
fn at_least_one(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let [table] = tables_of(parser, seed)[..] else { return Vec::new() };
    let index = parser.index;
    let many = |thing: ThingId| {
        index.things[thing].table.filter(|own| *own != table && index.schema.hops(*own, table).is_some())
    };
    let one =
        |amounts: &[Amount]| matches!(amounts, [Amount { number: 1.0, percent: false, money: false, unit: None }]);
    let mut parts = Vec::new();
    for (end, test, amounts) in comparisons(parser, at, false) {
        for mention in parser.mentions.at(end).iter().filter(|_| test == Test::Ge && one(&amounts)) {
            let What::Thing(thing) = mention.what else { continue };
            if many(thing).is_some() {
                let mut draft = Draft::default().with(|next| next.features.extend(features(mention)));
                let condition = Condition::Related(thing);
                draft.filters.push(Filter { condition, negated: false, zone: Zone::Predicate });
                parts.push(Part::of(mention.end, draft));
            }
        }
    }
    parts
}

/// `drugs prescribed more than 200 times`: how many rows have each value of a column.
fn so_often(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let [Head { target: Target::Columns(columns), agg: None, .. }] = &seed.draft.heads[..] else { return Vec::new() };
    let [column] = columns[..] else { return Vec::new() };
    let rows = parser.index.rows_of(column.table).filter(|_| !parser.index.column(column).unique);
    let Some(rows) = rows else { return Vec::new() };
    let counted = |(end, test, amounts): (usize, Test, Vec<Amount>)| {
        matches!(parser.word(end), "times" | "time").then(|| {
            let mut draft = Draft::default().with(|_| {});
            draft.having.push(Having { head: Head::counted(rows), kind: Vec::new(), test, amounts });
            Part::of(end + 1, draft)
        })
    };
    comparisons(parser, at, false).into_iter().filter_map(counted).collect()
}

/// `tickets that got a rating`, `sensors that report a battery level`: a verb of having before a column that not every
/// row has filled.
fn given(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let counts = seed.draft.heads.iter().all(|head| head.agg == Some(Agg::Count)) && at >= seed.end();
    let verb = matches!(parser.word(at), "got" | "get" | "gets")
        || parser.role(at, Role::Link).is_some()
        || parser.role(at, Role::Glue(Glue::Have)).is_some();
    if !counts || !verb {
        return Vec::new();
    }
    let start = parser.skip_determiners(at + 1);
    let filled = |id: &ColId| parser.index.column(*id).nulls > 0;
    let part = |mention: &Mention| {
        let What::Columns(columns) = &mention.what else { return None };
        let open = columns.iter().all(filled) && comparisons(parser, mention.end, true).is_empty();
        open.then(|| {
            let mut draft = Draft::default().with(|next| next.features.extend(features(mention)));
            let condition = Condition::Missing(columns.clone());
            draft.filters.push(Filter { condition, negated: true, zone: Zone::Predicate });
            Part::of(mention.end, draft)
        })
    };
    parser.mentions.at(start).iter().filter(|_| start > at + 1).filter_map(part).collect()
}

/// `units of Toys sold`, `electricity use`: the number that is asked for, said once more.
fn said_again(parser: &Parser, at: usize, seed: &Seed) -> Vec<Part> {
    let index = parser.index;
    let by = seed.draft.rank.iter().filter_map(|rank| rank.by.as_ref());
    let asked: Vec<&Target> = seed.draft.heads.iter().chain(by).map(|head| &head.target).collect();
    let within = |columns: &[ColId], target: &Target| match target {
        Target::Columns(known) => columns.iter().all(|id| known.contains(id) && index.column(*id).ty.is_number()),
        Target::Measure(measure) => match &index.measure(*measure).expr {
            Some(Expr::Col { col }) => index.find(col).is_some_and(|id| columns == [id]),
            _ => false,
        },
        _ => false,
    };
    let again = |what: &What| match what {
        What::Columns(columns) => asked.iter().any(|target| within(columns, target)),
        What::Measure(measure) => asked.contains(&&Target::Measure(*measure)),
        _ => false,
    };
    let compared = |end: usize| !comparisons(parser, end, true).is_empty();
    let mentions = parser.mentions.at(at).iter().filter(|mention| again(&mention.what) && !compared(mention.end));
    mentions.map(|mention| Part::of(mention.end, Draft::default().with(|_| {}))).collect()
}

/// What every reading of this kind takes for granted.
pub fn assumption() -> Assumption {
    let text = "the parts of the question are put together by what they can be said of, not by their order";
    Assumption { code: "free_order".to_string(), text: text.to_string() }
}

/// The aggregates that a word asks for.
pub fn aggregate_of(role: Role) -> Option<Agg> {
    match role {
        Role::Agg(agg) => Some(agg),
        Role::Typically => Some(Agg::Avg),
        _ => None,
    }
}
