//! Comparisons with numbers: of a column of each row, or of an aggregate of each group.

use data::plan::{Agg, Expr, Test};

use super::filters::add;
use super::{Comparison, Parser, Steps, features, kinds};
use crate::draft::{Amount, Columns, Condition, Draft, Having, Head, Pending, Target};
use crate::index::{ColId, MeasureId};
use crate::lexicon::{Glue, Role, Unit};
use crate::mentions::What;
use crate::score::Feature;
use crate::tokens::Kind;
use crate::words::is_with;

/// `stock below 20`, `discount is over 10 percent`, `price between 5 and 10`, `score of 5`.
pub fn column_compare(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    // "Average price of 5 ...": the column after an aggregate is its target, not a condition.
    if draft.is_open() && draft.pending != Some(Pending::Agg(Agg::Count, None)) {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let columns = numeric(parser, columns);
        if columns.is_empty() {
            continue;
        }
        // "Cost us more than 25".
        let said =
            mention.end + usize::from(mention.synonym && matches!(parser.word(mention.end), "us" | "them" | "me"));
        let mut found = parser.comparisons(said, true).to_vec();
        if columns.iter().all(|id| parser.index.facts(*id).years) {
            // "The year 1991" says the year itself.
            let year = amounts(parser, mention.end).into_iter().filter(|(_, amount)| amount.unit.is_none());
            found.extend(year.map(|(end, amount)| (end, Test::Eq, vec![amount])));
        }
        for (end, test, amounts) in found {
            // "Customers who spent more than 500": of all their orders together.
            if mention.synonym && sums_over_rows(parser, at, &columns, draft) {
                let mut next = summed(parser, at, columns.clone(), (test, amounts), draft);
                next.features.extend(features(mention));
                steps.push((end, next));
                continue;
            }
            let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
            steps.push((end, add(draft, condition, &features(mention))));
        }
    }
}

/// Groups whose number, added up over their rows, passes a test; the verb that says so is at a position.
fn summed(parser: &Parser, verb: usize, columns: Columns, found: (Test, Vec<Amount>), draft: &Draft) -> Draft {
    let head = Head { agg: Some(Agg::Sum), ..Head::plain(Target::Columns(columns)) };
    let next = with_having(draft, head, found.0, found.1, &[]);
    let text = format!("`{}` is added up over all rows of each", parser.tokens[verb].text);
    next.granting(Feature::ImpliedAggregate, "aggregate", text)
}

/// Whether such a verb stands just before a comparison: "used more than 500 kWh".
fn done_before(parser: &Parser, at: usize, columns: &Columns, draft: &Draft) -> bool {
    at > 0 && !columns.is_empty() && sums_over_rows(parser, at - 1, columns, draft)
}

/// Whether a verb says what a thing did over several rows: spent, used, earned.
fn sums_over_rows(parser: &Parser, at: usize, columns: &Columns, draft: &Draft) -> bool {
    const VERBS: &[&str] =
        &["spend", "pay", "earn", "use", "consume", "burn", "generate", "produce", "sell", "travel", "ride", "drive"];
    let index = parser.index;
    let [Head { target: Target::Thing(thing), .. }] = &draft.heads[..] else { return false };
    let amount = |id: &ColId| index.facts(*id).adds_up();
    let elsewhere = columns.iter().all(|id| index.things[*thing].table != Some(id.table) && amount(id));
    elsewhere && draft.having.is_empty() && VERBS.iter().any(|verb| index.forms.stem(verb) == parser.tokens[at].stem)
}

/// `more than 20 units in stock`, `over 48 hours`; with a thing or measure after it, a condition on groups.
pub fn compare_column(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        let start = parser.skip(end, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
        different_things(parser, start, draft, (test, &amounts), steps);
        for mention in parser.mentions.at(start) {
            let amounts = amounts.clone();
            match &mention.what {
                What::Columns(columns) if kinds::says_a_kind(parser, mention, columns, &amounts) => {}
                What::Columns(columns) if mention.partial && is_rate_of(parser, start, columns) => {}
                What::Columns(columns) if done_before(parser, at, &numeric(parser, columns), draft) => {
                    let columns = numeric(parser, columns);
                    steps.push((mention.end, summed(parser, at - 1, columns, (test, amounts), draft)));
                }
                What::Columns(columns) if !numeric(parser, columns).is_empty() => {
                    let condition =
                        Condition::Compare { columns: numeric(parser, columns), test, amounts, implied: false };
                    steps.push((mention.end, add(draft, condition, &features(mention))));
                }
                What::Thing(thing) if !draft.heads.is_empty() => {
                    let head = Head::counted(*thing);
                    steps.push((mention.end, with_having(draft, head, test, amounts, &features(mention))));
                }
                What::Flag(flags) if !draft.heads.is_empty() => {
                    let head = Head::count_of(Target::Flag(flags.clone()));
                    steps.push((mention.end, with_having(draft, head, test, amounts, &features(mention))));
                }
                What::Measure(measure) if !draft.heads.is_empty() => {
                    row_compare(parser, *measure, (mention.end, test, amounts.clone()), draft, steps);
                    let head = Head::plain(Target::Measure(*measure));
                    steps.push((mention.end, with_having(draft, head, test, amounts, &features(mention))));
                }
                _ => {}
            }
        }
        let ages = ages(parser, at, &amounts);
        if !ages.is_empty() {
            let amounts = amounts.clone();
            let condition = Condition::Compare { columns: ages, test, amounts, implied: true };
            steps.push((end, add(draft, condition, &[Feature::ImpliedColumn, Feature::OpenChoice])));
        }
        // "Longer than 5 minutes" is said of a length, where there is one.
        let named = parser.mentions.at(at).iter().any(|mention| match &mention.what {
            What::Comparative((_, words)) => !parser.index.numbers_called(words).0.is_empty(),
            _ => false,
        });
        let columns = if named { Columns::new() } else { columns_of_unit(parser, &amounts) };
        if done_before(parser, at, &columns, draft) {
            steps.push((end, summed(parser, at - 1, columns, (test, amounts), draft)));
        } else if !columns.is_empty() {
            let condition = Condition::Compare { columns, test, amounts, implied: true };
            steps.push((end, add(draft, condition, &[Feature::ImpliedColumn])));
        }
    }
}

/// Whether a unit is what prices and rates are told for: days are not a `Rate/Day`.
fn is_rate_of(parser: &Parser, at: usize, columns: &Columns) -> bool {
    let rate = |id: &ColId| {
        let words = &parser.index.facts(*id).words;
        words.iter().any(|word| matches!(word.as_str(), "rate" | "price" | "cost" | "fee" | "charge"))
    };
    parser.index.lexicon.unit(parser.word(at)).is_some() && columns.iter().all(rate)
}

/// `more than 3 different products`: things that have rows of their own are counted once each.
fn different_things(parser: &Parser, at: usize, draft: &Draft, said: (Test, &[Amount]), steps: &mut Steps) {
    let Some(start) = parser.role(at, Role::Distinct).filter(|_| !draft.heads.is_empty()) else { return };
    for mention in parser.mentions.at(start) {
        let What::Thing(thing) = mention.what else { continue };
        let linked = parser.index.things[thing].keys.len() > 1 || parser.index.things[thing].table.is_none();
        if linked {
            let next = with_having(draft, Head::counted(thing), said.0, said.1.to_vec(), &features(mention));
            steps.push((mention.end, next));
        }
    }
}

/// `homes that spent more than 350 euros in total`, `diagnoses costing over 5000 on average`: of all rows of a group.
pub fn compared_together(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { agg: None | Some(Agg::Count), .. }] = &draft.heads[..] else { return };
    let together = |at: usize| match parser.word(at) {
        "altogether" | "overall" => Some((at + 1, Agg::Sum)),
        "in" if parser.word(at + 1) == "total" => Some((at + 2, Agg::Sum)),
        "on" if parser.word(at + 1) == "average" => Some((at + 2, Agg::Avg)),
        _ => None,
    };
    let mut found = Steps::new();
    column_compare(parser, at, draft, &mut found);
    compare_column(parser, at, draft, &mut found);
    for (middle, said) in found {
        let (Some((end, agg)), Some(filter)) = (together(middle), said.filters.last()) else { continue };
        let Condition::Compare { columns, test, amounts, .. } = &filter.condition else { continue };
        let more = &said.features[draft.features.len()..];
        // Another word for a number says one of the rows that the groups are made of.
        let own = match &draft.heads[0].target {
            Target::Columns(groups) => columns.iter().all(|id| groups.iter().any(|group| group.table == id.table)),
            _ => true,
        };
        let clear = own || !more.contains(&Feature::Synonym);
        if clear && said.filters.len() == draft.filters.len() + 1 && !draft.is_open() {
            let head = Head { agg: Some(agg), ..Head::plain(Target::Columns(columns.clone())) };
            steps.push((end, with_having(draft, head, *test, amounts.clone(), more)));
        }
    }
}

/// `older than 30`, `cheaper than 20`: the word names the column.
pub fn comparative(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let index = parser.index;
    for mention in parser.mentions.at(at) {
        let What::Comparative((test, words)) = &mention.what else { continue };
        let (columns, by_others) = index.numbers_called(words);
        let found: &[Feature] = if by_others { &[Feature::Synonym] } else { &[] };
        if columns.is_empty() {
            continue;
        }
        for (end, amount) in amounts(parser, mention.end) {
            let condition =
                Condition::Compare { columns: columns.clone(), test: *test, amounts: vec![amount], implied: true };
            steps.push((end, add(draft, condition, found)));
        }
    }
}

/// `five-star hotels`, `houses with 3 bedrooms`: a number before a column's word that describes or is had.
pub fn number_before_name(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Kind::Number { value: number, percent: false, money: false }) =
        parser.tokens.get(at).map(|t| t.kind.clone())
    else {
        return;
    };
    let free = !draft.is_open() || draft.pending == Some(Pending::Agg(Agg::Count, None));
    let had = free && is_with(parser.before(at));
    for mention in parser.mentions.at(at + 1) {
        let What::Columns(columns) = &mention.what else { continue };
        let columns = numeric(parser, columns);
        let word = &parser.tokens[mention.end - 1];
        let thing = parser.mentions.at(mention.end).iter().any(|m| matches!(m.what, What::Thing(_)));
        let described = thing && word.fold == word.singular;
        if columns.is_empty() || !(described || had && number.fract() == 0.0) {
            continue;
        }
        let amount = Amount::bare(number);
        let condition = Condition::Compare { columns, test: Test::Eq, amounts: vec![amount], implied: false };
        steps.push((mention.end, add(draft, condition, &features(mention))));
    }
}

/// `the fourth floor`, `the second round`: an ordinal before a whole number that only tells rows apart.
pub fn ordinal(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const ORDINALS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    const PLACES_MAX: u64 = 100;
    let digits = parser.word(at).trim_end_matches(char::is_alphabetic).parse::<usize>().ok();
    let written = digits.filter(|_| parser.word(at).ends_with(char::is_alphabetic)).and_then(|n| n.checked_sub(1));
    let spelled = ORDINALS.iter().position(|word| *word == parser.word(at));
    let Some(place) = spelled.or(written) else { return };
    if draft.heads.is_empty() || draft.is_open() || !matches!(parser.word_before_determiners(at), "on" | "in" | "at") {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at + 1) {
        let What::Columns(columns) = &mention.what else { continue };
        let place_like = |id: &ColId| {
            let info = index.column(*id);
            info.ty == base::Type::Int && info.distinct <= PLACES_MAX && index.facts(*id).unit.is_none()
        };
        if columns.iter().all(place_like) && parser.tokens[at + 1].fold == parser.tokens[at + 1].singular {
            let amount = Amount { number: place as f64 + 1.0, percent: false, money: false, unit: None };
            let condition =
                Condition::Compare { columns: columns.clone(), test: Test::Eq, amounts: vec![amount], implied: false };
            steps.push((mention.end, add(draft, condition, &features(mention))));
        }
    }
}

/// `return rate above 10 percent`, `average price over 20`, `number of orders of at least 5`.
pub fn aggregate_compare(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (middle, head, found) in parser.quantities(at).iter().cloned() {
        let plain_column = head.agg.is_none() && !matches!(head.target, Target::Measure(_));
        if plain_column {
            continue;
        }
        for (end, test, amounts) in parser.comparisons(middle, true).iter().cloned() {
            if let Target::Measure(measure) = head.target {
                row_compare(parser, measure, (end, test, amounts.clone()), draft, steps);
            }
            steps.push((end, with_having(draft, head.clone(), test, amounts, &found)));
        }
    }
}

/// `sensors that average more than 66 percent humidity`: the verb says how the numbers of a group are compared.
pub fn averaging(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "average" | "averaged" | "averages") || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (end, test, amounts) in parser.comparisons(at + 1, false).iter().cloned() {
        for mention in parser.mentions.at(parser.skip(end, |glue| glue == Glue::Preposition)) {
            let What::Columns(columns) = &mention.what else { continue };
            let columns = numeric(parser, columns);
            if !columns.is_empty() {
                let head = Head { agg: Some(Agg::Avg), ..Head::plain(Target::Columns(columns)) };
                steps.push((mention.end, with_having(draft, head, test, amounts.clone(), &features(mention))));
            }
        }
    }
}

/// `tickets with csat below 3`: a measure that averages one column may also mean the column of a single row.
fn row_compare(
    parser: &Parser,
    measure: MeasureId,
    found: (usize, Test, Vec<Amount>),
    draft: &Draft,
    steps: &mut Steps,
) {
    let (end, test, amounts) = found;
    let Some(Expr::Col { col }) = &parser.index.measure(measure).expr else { return };
    let columns: Columns = parser.index.find(col).into_iter().collect();
    let columns = numeric(parser, &columns);
    if !columns.is_empty() {
        let condition = Condition::Compare { columns, test, amounts, implied: true };
        steps.push((end, add(draft, condition, &[Feature::MeasureAsColumn])));
    }
}

pub(super) fn with_having(draft: &Draft, head: Head, test: Test, amounts: Vec<Amount>, found: &[Feature]) -> Draft {
    draft.with(|next| {
        next.features.extend_from_slice(found);
        next.having.push(Having { head, kind: Vec::new(), test, amounts });
    })
}

fn numeric(parser: &Parser, columns: &Columns) -> Columns {
    let index = parser.index;
    let measured = |id: &ColId| index.column(*id).ty.is_number() && index.facts(*id).yes.is_none();
    columns.iter().copied().filter(measured).collect()
}

/// `passengers over 65`, `women under 30 years old`: of a person, a number alone is an age.
fn ages(parser: &Parser, at: usize, amounts: &[Amount]) -> Columns {
    const AGE_MAX: f64 = 120.0;
    let index = parser.index;
    let spoken = |amount: &Amount| {
        let years = amount.unit.as_ref().is_none_or(|unit| unit.family == "years");
        years && !amount.percent && !amount.money && amount.number <= AGE_MAX
    };
    let Some(noun) = parser.noun_before(at) else { return Vec::new() };
    let person = |word: &String| index.lexicon.is_of("person", word) || index.lexicon.is_cell_word(word);
    if !amounts.iter().all(spoken) || !person(&parser.tokens[noun].singular) || !parser.mentions.is_data(noun) {
        return Vec::new();
    }
    let named = |id: &ColId| index.facts(*id).core.iter().any(|word| word == "age");
    let columns: Columns = index.columns().filter(|id| index.column(*id).ty.is_number() && named(id)).collect();
    if columns.len() == 1 { columns } else { Vec::new() }
}

/// Columns measured in the unit that was said; without a unit nothing is implied.
fn columns_of_unit(parser: &Parser, amounts: &[Amount]) -> Columns {
    let index = parser.index;
    let money = amounts.iter().all(|amount| amount.money);
    let families: Vec<&str> = amounts.iter().filter_map(|a| a.unit.as_ref().map(|unit| unit.family)).collect();
    let generic = families.iter().any(|family| matches!(*family, "count" | "years" | "points" | "percent"));
    if generic || (families.len() != amounts.len() && !money) {
        return Vec::new();
    }
    let fits = |unit: &Unit| if money { unit.is_money() } else { families.contains(&unit.family) };
    // "More than £300" is no rate for a day.
    let matching = |id: &ColId| index.facts(*id).per.is_none() && index.facts(*id).unit.as_ref().is_some_and(fits);
    let found: Columns = index.columns().filter(|id| index.column(*id).ty.is_number() && matching(id)).collect();
    // What is called just so is it: `MWh` beside `lost_MWh`.
    let bare = |id: &&ColId| matches!(&index.facts(**id).core[..], [word] if index.lexicon.unit(word).is_some());
    let called: Columns = found.iter().filter(bare).copied().collect();
    if called.is_empty() { found } else { called }
}

/// What [`Parser::comparisons`] looks up.
pub(super) fn find_comparisons(parser: &Parser, at: usize, after_name: bool) -> Vec<Comparison> {
    let mut found = Vec::new();
    let (mut joined, mut moved) = (None, None);
    if after_name {
        let joint = |glue| {
            matches!(glue, Glue::Be | Glue::Have | Glue::Determiner | Glue::Preposition | Glue::Relative | Glue::Noun)
        };
        let start = parser.skip(at, joint);
        joined = Some(start).filter(|start| *start != at);
        // "Battery dropped below 15".
        moved = is_level_verb(parser.word(start)).then(|| parser.skip(start + 1, |glue| glue == Glue::Preposition));
    }
    for start in [Some(at), joined, moved].into_iter().flatten() {
        for (end, role) in parser.roles(start) {
            match role {
                Role::Compare(test) => {
                    for (end, amount) in amounts(parser, parser.skip_determiners(end)) {
                        found.push((end, test, vec![amount]));
                    }
                }
                Role::Between if after_name || parser.word(start) == "between" => between(parser, end, &mut found),
                _ => {}
            }
        }
        for (end, amount) in amounts(parser, start) {
            // "A queue of 20 to 30 minutes".
            if after_name && parser.word(end) == "to" {
                between(parser, start, &mut found);
            }
            match parser
                .roles(end)
                .find_map(|(end, role)| if let Role::AfterCompare(test) = role { Some((end, test)) } else { None })
            {
                // "16+" may be a cell as it is written.
                Some((end, _)) if parser.word(end - 1) == "+" && is_cell(parser, start, end) => {}
                Some((end, test)) => {
                    found.push((end, test, vec![amount.clone()]));
                    for (end, unit) in units(parser, end) {
                        let amount = Amount { unit: Some(unit), ..amount.clone() };
                        found.push((end, test, vec![amount]));
                    }
                }
                None if after_name && equates(parser, at, start) => {
                    found.extend(any_of(parser, end, &amount));
                    found.push((end, Test::Eq, vec![amount]));
                }
                None => {}
            }
        }
    }
    found
}

fn is_cell(parser: &Parser, start: usize, end: usize) -> bool {
    parser.mentions.at(start).iter().any(|mention| match &mention.what {
        What::Value(cells) => mention.end == end && cells.iter().any(|(_, text)| text.ends_with('+')),
        _ => false,
    })
}

/// Whether a verb only says that a number came to be what the comparison after it says.
fn is_level_verb(word: &str) -> bool {
    const VERBS: &[&str] = &[
        "drop", "drops", "dropped", "fall", "falls", "fell", "fallen", "dip", "dips", "dipped", "sink", "sinks",
        "sank", "go", "goes", "went", "gone", "rise", "rises", "rose", "risen", "climb", "climbs", "climbed", "jump",
        "jumped", "stay", "stays", "stayed", "remain", "remains", "remained", "run", "runs", "ran", "get", "gets",
        "got",
    ];
    VERBS.contains(&word)
}

/// `rated 1 or 2`, `a score of 1, 2 or 3`: any of several numbers.
fn any_of(parser: &Parser, at: usize, first: &Amount) -> Option<(usize, Test, Vec<Amount>)> {
    let mut found = vec![first.clone()];
    let mut end = at;
    loop {
        let or = parser.role(end + usize::from(parser.comma(end)), Role::Or);
        let next = or.or_else(|| parser.comma(end).then_some(end + 1))?;
        let (after, amount) = amounts(parser, next).into_iter().next()?;
        found.push(amount);
        end = after;
        if or.is_some() {
            return Some((end, Test::In, found));
        }
    }
}

/// Whether a bare number after a name says what it equals: "score of 5", "quantity is 3", "score 5"; never "sales in 2024".
fn equates(parser: &Parser, name_end: usize, number: usize) -> bool {
    let year = |value: f64| (1900.0..2100.0).contains(&value);
    let direct = number == name_end && !parser.tokens[number].number().is_some_and(year);
    let says = |word: &str| {
        matches!(word, "of" | "is" | "are" | "was" | "were" | "being" | "the" | "a" | "an" | "that" | "value")
    };
    direct || number > name_end && (name_end..number).all(|at| says(parser.word(at)))
}

fn between(parser: &Parser, at: usize, found: &mut Vec<(usize, Test, Vec<Amount>)>) {
    for (middle, first) in amounts(parser, at) {
        let joint = parser.role(middle, Role::And).or_else(|| (parser.word(middle) == "to").then_some(middle + 1));
        let Some(joint) = joint else { continue };
        for (end, second) in amounts(parser, joint) {
            let unit = first.unit.clone().or_else(|| second.unit.clone());
            let percent = first.percent || second.percent;
            let shared = |amount: Amount| Amount { unit: amount.unit.or_else(|| unit.clone()), percent, ..amount };
            let (first, second) = (shared(first.clone()), shared(second));
            if first.number <= second.number {
                found.push((end, Test::Between, vec![first, second]));
            }
        }
    }
}

/// A number, with and without the unit that may follow it.
fn amounts(parser: &Parser, at: usize) -> Vec<(usize, Amount)> {
    if parser.word(at) == "freezing" {
        return super::weather::freezing(parser, at);
    }
    let Some(Kind::Number { value, percent, money }) = parser.tokens.get(at).map(|token| &token.kind) else {
        return one_of_a_unit(parser, at).into_iter().collect();
    };
    let (percent, money) = (*percent, *money);
    let plain = Amount { number: *value, percent, money, unit: None };
    let mut found = vec![(at + 1, plain.clone())];
    for (end, unit) in units(parser, at + 1) {
        let percent = percent || unit.family == "percent";
        let money = money || unit.is_money();
        found.push((end, Amount { percent, money, unit: Some(unit), ..plain.clone() }));
    }
    found
}

/// `more than an hour`, `over a week`.
fn one_of_a_unit(parser: &Parser, at: usize) -> Option<(usize, Amount)> {
    const DAYS_OF_WEEK: f64 = 7.0;
    let article = matches!(parser.before(at), "a" | "an") && parser.word(at.checked_sub(2)?) != "in";
    let unit = match parser.word(at) {
        _ if !article => None,
        "week" => parser.index.lexicon.unit("day"),
        word => parser.index.lexicon.unit(word),
    };
    let unit = unit.filter(|unit| unit.family == "time")?.clone();
    let number = if parser.word(at) == "week" { DAYS_OF_WEEK } else { 1.0 };
    Some((at + 1, Amount { number, percent: false, money: false, unit: Some(unit) }))
}

pub(super) fn units(parser: &Parser, at: usize) -> Vec<(usize, crate::lexicon::Unit)> {
    const UNIT_WORDS_MAX: usize = 3;
    let spelling = |length: usize| (at..at + length).map(|i| parser.word(i)).collect::<Vec<_>>().join(" ");
    let lengths = (1..=UNIT_WORDS_MAX).filter(|length| at + length <= parser.tokens.len());
    lengths.filter_map(|length| Some((at + length, parser.index.lexicon.unit(&spelling(length))?.clone()))).collect()
}
