//! Readings that account for every word and are still not what was meant, or leave open whether they are.
//!
//! Each check is one way in which a plan can be right and the answer wrong, found with questions of people. What is surely not
//! meant is dropped, what may be meant otherwise is refused with the question it leaves open, and the rest is never called
//! verified.

mod said;

use base::{Cell, Type};
use data::plan::{Agg, Expr, Grain, Measure, Op, Plan, Pred, Test};

use crate::Reading;
use crate::build::{self, Why};
use crate::draft::{Condition, Draft, Filter, Head, Target, Zone};
use crate::index::{ColId, Index};
use crate::lexicon::{Ask, Role};
use crate::mentions::{Mention, Mentions, What};
use crate::tokens::{Kind, Token};
use crate::words::split_name;

use said::Said;

/// What a draft leaves open before any table is chosen.
pub fn of_draft(index: &Index, draft: &Draft) -> Option<Why> {
    if counts_what_some_have(index, draft) {
        return Some(Why::ambiguous("whether the rows that have one are counted, or its kinds"));
    }
    says_of_another(index, draft).then(|| Why::ambiguous("whether that is said of one of its rows or of all"))
}

/// What a reading leaves open.
pub fn of_reading(index: &Index, tokens: &[Token], draft: &Draft, reading: &Reading) -> Option<Why> {
    let told_alone = reading.plan.select.is_empty() && reading.plan.group.is_empty();
    if draft.ask == Some(Ask::Who) && (told_alone || lists_no_person(index, reading)) {
        return Some(Why::ambiguous("who is meant: no person stands in the rows"));
    }
    if let Some(name) = dates_a_deed(index, tokens, draft, &reading.plan) {
        return Some(Why::ambiguous(format!("whether {name} is when that happened: other tables have dates, too")));
    }
    if is_guessed_elsewhere(draft, &reading.plan) {
        return Some(Why::ambiguous("what is counted: it is named by a cell of another table only"));
    }
    if counts_both(tokens, draft, &reading.plan) {
        return Some(Why::ambiguous("whether one number for all of them together or one for each"));
    }
    if tests_one_of_many(index, &reading.plan) {
        return Some(Why::ambiguous("whether that is said of one row or of all of them together"));
    }
    if let Some(name) = takes_zero_for_something(index, tokens, &reading.plan) {
        return Some(Why::ambiguous(format!("whether {name} is 0 or missing")));
    }
    if ranks_what_has_ended(index, &reading.plan) {
        return Some(Why::ambiguous("whether what has not ended yet is meant, too"));
    }
    let sales = counts_sales(index, tokens, &reading.plan);
    sales.then(|| Why::ambiguous("whether sales are counted or what they brought in"))
}

/// Whether a reading may be answered, but not be called verified.
pub fn is_open(index: &Index, tokens: &[Token], mentions: &Mentions, plan: &Plan) -> bool {
    let counts = matches!(&plan.measures[..], [Measure { agg: Agg::Count, .. }]);
    counts_values(index, plan) || counts && ends_in_a_deed(tokens, mentions)
}

/// Whether nobody means what a reading computes.
pub fn is_wrong(index: &Index, tokens: &[Token], mentions: &Mentions, reading: &Reading) -> bool {
    // "Booked only at the Plaza" is said of all rows of a thing.
    let of_all = tokens.iter().any(|token| matches!(token.fold.as_str(), "only" | "always" | "exclusively" | "every"));
    let plan = &reading.plan;
    of_all && (takes_any_row(reading) || build::tests_other_rows(plan))
        || says_twice(plan)
        || counts_one(plan)
        || counts_kinds(index, tokens, plan)
        || sorts_by_others(index, plan)
        || sorts_by_amount(index, tokens, plan)
        || contradicts_itself(plan)
        || compares_identifiers(index, plan)
        || counts_each_row(index, plan)
        || borrows_a_date(index, tokens, plan)
        || adds_up_a_level(index, tokens, plan)
        || averages_single_rows(index, plan)
        || passes_over_an_event(index, tokens, plan)
        || said::is_denied(&Said { index, tokens, mentions }, reading)
        || splits_one_number(index, tokens, plan)
        || sums_over_a_kind(tokens, plan)
}

/// Whether a list shows only what its conditions fix: who asks for the state of a city is not told the city.
pub fn repeats_the_question(reading: &Reading) -> bool {
    let fixed = fixed(&reading.plan);
    let mut shown = reading.plan.select.iter().filter(|item| reading.focus.contains(&item.name)).peekable();
    shown.peek().is_some() && shown.all(|item| fixed.contains(&&item.expr))
}

/// Whether a thing with several rows counts if one of them matches.
pub fn takes_any_row(reading: &Reading) -> bool {
    reading.assumptions.iter().any(|known| known.code == "any_row")
}

/// Whether rows are listed that are no persons and name none, though others that they lead to are: the marks of students.
fn lists_no_person(index: &Index, reading: &Reading) -> bool {
    let is_person = |noun: &String| index.lexicon.is_of_any(&["person", "role", "organisation", "place"], noun);
    let focus = reading.plan.select.iter().filter(|item| reading.focus.contains(&item.name));
    let shown: Vec<ColId> = focus.filter_map(|item| column(index, &item.expr)).collect();
    let personal = |id: &ColId| {
        let own = index.facts(*id).words.iter().any(|word| is_person(&index.forms.singular(word)));
        let thing = |thing: &crate::index::Thing| thing.keys.contains(id) || thing.label == Some(*id);
        own || index.things.iter().any(|one| thing(one) && is_person(&one.noun))
    };
    let persons = index.things.iter().any(|thing| is_person(&thing.noun));
    !shown.is_empty() && persons && !shown.iter().any(personal)
}

/// The number of which only whether it is there is tested, though it may also be 0, and nothing says that a cell is meant.
fn takes_zero_for_something(index: &Index, tokens: &[Token], plan: &Plan) -> Option<String> {
    const CELLS: &[&str] =
        &["missing", "blank", "empty", "unknown", "filled", "recorded", "known", "entered", "null", "value", "reading"];
    if tokens.iter().any(|token| CELLS.contains(&token.fold.as_str())) {
        return None;
    }
    let zero = |id: &ColId| {
        let info = index.column(*id);
        let low = info.min.as_ref().and_then(build::number_of).is_some_and(|min| min <= 0.0);
        info.ty.is_number() && info.nulls > 0 && low
    };
    let tested = |pred: &Pred| match pred {
        Pred::Test { test: Test::IsNull, expr, .. } => column(index, expr),
        Pred::Not { not } => match &**not {
            Pred::Test { test: Test::IsNull, expr, .. } => column(index, expr),
            _ => None,
        },
        _ => None,
    };
    conjuncts(plan).into_iter().filter_map(tested).find(zero).map(|id| index.qualified(id))
}

/// Whether rows are ranked by how long they took although many have not ended.
fn ranks_what_has_ended(index: &Index, plan: &Plan) -> bool {
    let Some(top) = &plan.top else { return false };
    const ONE_IN: u64 = 4;
    let open = |expr: &Expr| match expr {
        Expr::Op { op: Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays, args } => args
            .last()
            .and_then(|end| column(index, end))
            .is_some_and(|id| index.column(id).nulls * ONE_IN > index.table(id.table).rows),
        _ => false,
    };
    plan.select.iter().any(|item| item.name == top.by && open(&item.expr))
}

/// Whether rows of several kinds that `and` joins are counted together: how many men and women there are.
fn counts_both(tokens: &[Token], draft: &Draft, plan: &Plan) -> bool {
    let listed = |filter: &Filter| match &filter.condition {
        Condition::Values { cells, all: true } => !filter.negated && cells.iter().all(|(_, texts)| texts.len() > 1),
        _ => false,
    };
    let together = |token: &Token| matches!(token.fold.as_str(), "together" | "combined" | "total" | "altogether");
    let counts = plan.measures.iter().all(|measure| matches!(measure.agg, Agg::Count | Agg::CountDistinct));
    let kinds = |expr: &Expr| plan.group.iter().any(|group| group.expr == *expr);
    let apart =
        conjuncts(plan).into_iter().any(|pred| matches!(pred, Pred::Test { test: Test::In, expr, .. } if kinds(expr)));
    counts && !plan.measures.is_empty() && draft.filters.iter().any(listed) && !apart && !tokens.iter().any(together)
}

/// Whether things that many rows belong to are chosen by an amount of a single row: haulers with more than 300 tonnes.
fn tests_one_of_many(index: &Index, plan: &Plan) -> bool {
    let shared = |expr: &Expr| column(index, expr).is_some_and(|id| !index.column(id).unique);
    let things =
        if plan.distinct { plan.select.iter().any(|item| shared(&item.expr)) } else { counted(plan).any(shared) };
    let amount = |id: ColId| {
        let facts = index.facts(id);
        facts.extensive || facts.additive
    };
    let compared = |pred: &Pred| match pred {
        Pred::Test { test: Test::Gt | Test::Ge | Test::Lt | Test::Le, expr, .. } => {
            column(index, expr).is_some_and(amount)
        }
        _ => false,
    };
    let elsewhere = |pred: &Pred| matches!(pred, Pred::Exists { exists } if exists.filter.as_ref().is_some_and(|inner| compared(inner)));
    let all = conjuncts(plan);
    things && all.iter().any(|pred| compared(pred)) || all.iter().any(|pred| elsewhere(pred))
}

/// Whether "sales" are counted, without a word that counts, where a number says what they brought in.
fn counts_sales(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let said = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.fold.as_str()));
    let rows = plan.measures.iter().any(|measure| measure.agg == Agg::Count && measure.expr.is_none());
    let money = |id: ColId| {
        let words = ["total", "amount", "revenue", "price", "value", "takings", "turnover"];
        let named = index.facts(id).words.iter().any(|word| words.contains(&word.as_str()));
        index.table(id.table).name == plan.from && index.column(id).ty.is_number() && named
    };
    let table = index
        .things
        .iter()
        .any(|thing| thing.noun == "sale" && thing.table.is_some_and(|t| index.table(t).name == plan.from));
    rows && table && said(&["sales"]) && !said(&["many", "number", "count", "often"]) && index.columns().any(money)
}

/// Whether what was done to the rows closes the question and no name of the dataset says it: "how many flights were made".
fn ends_in_a_deed(tokens: &[Token], mentions: &Mentions) -> bool {
    let [.., verb, deed] = tokens else { return false };
    let passive = matches!(verb.fold.as_str(), "is" | "are" | "was" | "were" | "been");
    let open = |mention: &Mention| matches!(mention.what, What::Role(Role::Light | Role::Created | Role::Link));
    passive && deed.kind == Kind::Word && mentions.at(tokens.len() - 1).iter().any(open)
}

/// Whether what only some rows have is counted: its kinds, or the rows that have one.
fn counts_what_some_have(index: &Index, draft: &Draft) -> bool {
    let [Head { target: Target::Columns(columns), agg: Some(Agg::Count), .. }] = &draft.heads[..] else { return false };
    let some = |id: &ColId| {
        let (info, rows) = (index.column(*id), index.table(id.table).rows);
        info.ty == Type::Text && info.nulls > 0 && info.distinct * 5 < rows && !index.facts(*id).identifier
    };
    !draft.distinct && columns.iter().all(some)
}

/// Whether a state of rows is said of what many rows share: "how many stations are closed" beside a state of each call.
fn says_of_another(index: &Index, draft: &Draft) -> bool {
    let [Head { target: Target::Columns(columns), agg: Some(Agg::Count), .. }] = &draft.heads[..] else { return false };
    let general = |id: &ColId| {
        let words = &index.facts(*id).words;
        words.iter().any(|word| matches!(word.as_str(), "status" | "state" | "condition" | "active" | "type" | "kind"))
    };
    let shared =
        |id: &ColId| index.column(*id).ty == Type::Text && !index.facts(*id).identifier && !index.column(*id).unique;
    let other = |id: &ColId| columns.iter().any(|own| own.table == id.table && own != id) && !general(id);
    let stated = |filter: &Filter| match &filter.condition {
        Condition::Flag(flags) => flags.iter().all(other),
        Condition::Values { cells, .. } => cells.iter().all(|(id, _)| other(id)),
        _ => false,
    };
    let said = |filter: &Filter| filter.zone == Zone::Predicate && stated(filter);
    columns.iter().all(shared) && !draft.distinct && draft.filters.iter().any(said)
}

/// Whether different values of a column that identifies nothing are counted under a condition on rows: the rows may be meant.
fn counts_values(index: &Index, plan: &Plan) -> bool {
    let identifies = |name: &String| {
        let column = index.find(name);
        column.is_none_or(|id| {
            index.facts(id).identifier || index.things.iter().any(|t| t.keys.contains(&id) && t.table.is_some())
        })
    };
    plan.filter.is_some() && counted(plan).any(|expr| matches!(expr, Expr::Col { col } if !identifies(col)))
}

/// Whether things are sorted by a column of another table although their own has one of that name: artists by the country of
/// who listens to them, beside `home_country`.
fn sorts_by_others(index: &Index, plan: &Plan) -> bool {
    let things = counted(plan).filter_map(|expr| column(index, expr));
    let own = things.filter_map(|key| index.things.iter().find(|thing| thing.keys.contains(&key))?.table);
    let telling =
        |word: &&String| !matches!(word.as_str(), "name" | "title" | "id" | "no" | "code" | "type" | "status");
    let last = |id: ColId| index.facts(id).core.last().filter(telling).cloned();
    own.into_iter().any(|table| {
        let groups = plan.group.iter().filter_map(|item| column(index, &item.expr)).filter(|id| id.table != table);
        let named = |group: ColId| {
            let same = |id: ColId| {
                id.table == table && index.column(id).ty == Type::Text && last(id).is_some() && last(id) == last(group)
            };
            index.columns().any(same)
        };
        index.table(table).name != plan.from && groups.into_iter().any(named)
    })
}

/// Whether rows are grouped by a number that only its unit was said of: "per kilo" is no group for each weight of a bag.
fn sorts_by_amount(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    plan.group.iter().filter(|item| item.grain.is_none()).filter_map(|item| column(index, &item.expr)).any(|id| {
        let facts = index.facts(id);
        let named = facts.core.iter().any(|word| tokens.iter().any(|token| token.stem == index.forms.stem(word)));
        index.column(id).ty.is_number() && facts.unit.is_some() && !facts.identifier && !named
    })
}

/// Whether each period has a number of its own where one for all of them was asked: "per day on average", "average daily
/// takings for each branch".
fn splits_one_number(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let said = |at: usize, wanted: fn(&Role) -> bool| {
        tokens.get(at).is_some_and(|token| index.lexicon.roles(&token.fold).iter().any(wanted))
    };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.fold.as_str());
    let averaged = (0..tokens.len()).any(|at| {
        let per = matches!(word(at), "per" | "a" | "each" | "every");
        per && said(at + 1, |role| matches!(role, Role::Grain(_))) && (word(at + 2), word(at + 3)) == ("on", "average")
    });
    let of_periods = (0..tokens.len()).any(|at| {
        said(at, |role| *role == Role::Agg(Agg::Avg)) && said(at + 1, |role| matches!(role, Role::Adjective(_)))
    });
    let dated = plan.group.iter().any(|item| item.grain.is_some());
    dated && (averaged || of_periods && plan.group.len() > 1)
}

/// Whether what one of a kind does is computed of all of them: "what does a van earn per day" beside several vans.
fn sums_over_a_kind(tokens: &[Token], plan: &Plan) -> bool {
    let kinds = fixed_cells(plan);
    let one = tokens.windows(2).any(|pair| {
        matches!(pair[0].fold.as_str(), "a" | "an" | "one")
            && kinds.iter().any(|cell| cell.to_lowercase() == pair[1].fold)
    });
    one && counted(plan).next().is_some() && plan.measures.iter().any(|measure| measure.agg == Agg::Sum)
}

/// Whether one row of each period is shown where the greatest period may be meant: "the farm's highest daily output".
pub fn shows_extremes_of_periods(plan: &Plan) -> bool {
    let extreme = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Max | Agg::Min));
    extreme && plan.group.iter().any(|item| item.grain.is_some())
}

/// Whether an average runs over two kinds together that were named side by side: "the average pay of men and women".
pub fn averages_over_kinds(tokens: &[Token], plan: &Plan) -> bool {
    let said = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.fold.as_str()));
    let averaged = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Avg | Agg::Median));
    let together = said(&["together", "combined", "or", "either"]);
    let mut pending: Vec<&Pred> = plan.filter.iter().collect();
    let mut several = false;
    while let Some(pred) = pending.pop() {
        match pred {
            Pred::And { and } => pending.extend(and),
            Pred::Test { test: Test::In, values, .. } => {
                several |= values.len() == 2 && values.iter().all(|cell| cell.as_str().is_some());
            }
            _ => {}
        }
    }
    averaged && several && said(&["and"]) && !together && plan.group.is_empty()
}

/// Whether kinds are counted where what has a kind was said: "how many bikes" beside `bike_type`.
fn counts_kinds(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let kind = |name: &String| {
        let core = index.find(name).map(|id| &index.facts(id).core[..]).unwrap_or_default();
        let [_, .., last] = core else { return false };
        let names = matches!(last.as_str(), "name" | "title" | "id" | "no" | "number" | "code" | "ref" | "key");
        !names && !tokens.iter().any(|token| token.singular == *last)
    };
    // "How much did we spend on fuel" does not ask for the kinds of fuel.
    let much = tokens.windows(2).any(|pair| pair[0].fold == "how" && pair[1].fold == "much");
    counted(plan).any(|expr| much || matches!(expr, Expr::Col { col } if kind(col)))
}

/// Whether different values are counted of a column that is held to one of them: how many rows have it was asked.
fn counts_one(plan: &Plan) -> bool {
    let fixed = fixed(plan);
    counted(plan).any(|expr| fixed.contains(&expr))
}

/// Whether one number stands twice in the answer: "how long on average, in minutes" does not ask for the minutes as well.
fn says_twice(plan: &Plan) -> bool {
    let same = |one: &Measure, other: &Measure| {
        (one.agg, &one.expr, one.q, &one.filter) == (other.agg, &other.expr, other.q, &other.filter)
    };
    let measures = &plan.measures;
    (1..measures.len()).any(|at| measures[..at].iter().any(|known| same(known, &measures[at])))
}

/// Whether no row can pass: "on weekends and on weekdays" asks for both sides, not for what is on both.
fn contradicts_itself(plan: &Plan) -> bool {
    let tests = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        Pred::Test { test: Test::Eq | Test::In, expr, values } => Some((expr, values)),
        _ => None,
    });
    let tests: Vec<_> = tests.collect();
    tests.iter().enumerate().any(|(at, (expr, values))| {
        let apart = |(_, others): &&(&Expr, &Vec<base::Cell>)| !values.iter().any(|value| others.contains(value));
        tests[..at].iter().filter(|(other, _)| other == expr).any(|other| apart(&other))
    })
}

/// Whether rows are counted one by one.
fn counts_each_row(index: &Index, plan: &Plan) -> bool {
    let own = |id: ColId| index.column(id).unique && index.table(id.table).name == plan.from;
    let counts = plan.measures.iter().all(|measure| measure.agg == Agg::Count && measure.filter.is_none());
    counts
        && plan
            .group
            .iter()
            .filter(|group| group.grain.is_none())
            .filter_map(|group| column(index, &group.expr))
            .any(own)
}

/// Whether what only tells rows apart is said to be more or less than something.
fn compares_identifiers(index: &Index, plan: &Plan) -> bool {
    conjuncts(plan).into_iter().any(|pred| match pred {
        Pred::Test { test: Test::Gt | Test::Ge | Test::Lt | Test::Le, expr, .. } => {
            column(index, expr).is_some_and(|id| index.facts(id).identifier && index.column(id).ty == Type::Int)
        }
        _ => false,
    })
}

/// Whether rows with a date of their own are placed by that of another table, which no word of the question names.
fn borrows_a_date(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let own = |id: ColId| index.table(id.table).name == plan.from;
    let date = |id: &ColId| index.column(*id).ty.is_temporal();
    let said = |word: &String| tokens.iter().any(|token| token.stem == index.forms.stem(word));
    let tested = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        Pred::Test { expr, .. } => column(index, expr),
        _ => None,
    });
    let mut others = tested.filter(|id| date(id) && !own(*id));
    index.columns().any(|id| date(&id) && own(id)) && others.any(|id| !index.facts(id).event.iter().any(said))
}

/// Whether a number that says how high something stands, or what one of it costs, is added up although nothing says so but
/// another word: "brought in" is no sum of daily rates.
fn adds_up_a_level(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let said = |word: &str| tokens.iter().any(|token| token.fold == word || token.singular == word);
    let level = |id: ColId| {
        let facts = index.facts(id);
        let mut levels = facts.core.iter().filter(|word| index.lexicon.is_level(word)).peekable();
        let unsaid = levels.peek().is_some() && !levels.any(|word| said(word));
        let for_one = facts.per.is_some() || facts.words.iter().any(|word| word == "per");
        // "Total price" beside a quantity is not the sum of what one costs.
        let pieces = |id: &ColId| index.facts(*id).words.iter().any(|word| matches!(word.as_str(), "qty" | "quantity"));
        let counted = levels_said(index, id) && index.columns().any(|other| other.table == id.table && pieces(&other));
        for_one || counted || unsaid && !facts.additive
    };
    let summed = plan.measures.iter().filter(|measure| measure.agg == Agg::Sum);
    let mut columns = summed.filter_map(|measure| column(index, measure.expr.as_ref()?));
    let share = |id: ColId| index.facts(id).unit.as_ref().is_some_and(|unit| unit.family == "percent");
    columns.any(|id| share(id) || !said("sum") && level(id))
}

/// Whether a column says what one of something costs.
fn levels_said(index: &Index, id: ColId) -> bool {
    index.facts(id).core.iter().any(|word| word == "price")
}

/// Whether an average is taken of one row at a time, because each row is a period or a thing of its own, and told for
/// something else as well.
fn averages_single_rows(index: &Index, plan: &Plan) -> bool {
    let own = |id: &ColId| index.column(*id).unique && index.table(id.table).name == plan.from;
    let label = |id: &ColId| index.things.iter().any(|thing| thing.label == Some(*id));
    let told = plan.group.iter().filter(|group| matches!(group.grain, None | Some(Grain::Day)));
    let (single, others): (Vec<ColId>, Vec<ColId>) =
        told.filter_map(|group| column(index, &group.expr)).partition(|id| own(id));
    let averaged = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Avg | Agg::Median | Agg::Stddev));
    averaged && plan.top.is_none() && !single.is_empty() && others.iter().any(|id| !label(id))
}

/// The own date of rows, where nothing names it but the rows are put into a period, and rows of other tables that belong to
/// them have dates as well: who came in May may have come for the first time, or again.
fn dates_a_deed(index: &Index, tokens: &[Token], draft: &Draft, plan: &Plan) -> Option<String> {
    let implied = |filter: &Filter| matches!(filter.condition, Condition::Time { columns: None, .. });
    if !draft.filters.iter().any(implied) {
        return None;
    }
    let own = index.dataset.tables.iter().position(|table| table.name == plan.from)?;
    let is_date = |id: &ColId| index.column(*id).ty.is_temporal();
    let leads = |id: &ColId| id.table != own && index.schema.hops(id.table, own).is_some();
    if !index.columns().any(|id| is_date(&id) && leads(&id)) {
        return None;
    }
    // A roast happened on its roast date.
    let rows = split_name(&plan.from);
    let said = |word: &String| {
        let stem = index.forms.stem(word);
        tokens.iter().any(|token| token.stem == stem) || rows.iter().any(|row| index.forms.stem(row) == stem)
    };
    let tested = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        Pred::Test { expr, .. } => column(index, expr),
        _ => None,
    });
    let own_date = |id: &ColId| id.table == own && is_date(id);
    let unnamed = |id: &ColId| !index.facts(*id).event.is_empty() && !index.facts(*id).event.iter().any(said);
    tested.filter(own_date).find(unnamed).map(|id| index.qualified(id))
}

/// Whether rows that nothing names are counted because a cell of another table was said: families are no kind of parcel.
fn is_guessed_elsewhere(draft: &Draft, plan: &Plan) -> bool {
    let named = draft.heads.iter().any(|head| head.target != Target::Rows);
    !named && build::tests_other_rows(plan)
}

/// Whether a word that says when something happened in another table is passed over: what was given out is not what was
/// received.
fn passes_over_an_event(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let used = data::plan::tables(plan);
    let is_used = |id: &ColId| used.contains(&index.table(id.table).name);
    let deed = |word: &str| word.len() > 4 && (word.ends_with("ed") || word.ends_with("en"));
    let said = |word: &String| tokens.iter().any(|token| token.fold == *word && deed(word));
    let elsewhere = |id: &ColId| !is_used(id) && index.facts(*id).event.iter().any(said);
    let here = |word: &String| {
        index.columns().filter(is_used).any(|id| index.facts(id).words.contains(word))
            || index
                .dataset
                .tables
                .iter()
                .any(|table| used.contains(&table.name) && split_name(&table.name).contains(word))
    };
    let passed = |id: ColId| index.facts(id).event.iter().any(|word| said(word) && !here(word));
    index.columns().filter(elsewhere).any(passed)
}

/// The conditions that all hold of a plan's rows.
pub(in crate::decide) fn conjuncts(plan: &Plan) -> Vec<&Pred> {
    let mut pending: Vec<&Pred> = plan.filter.iter().collect();
    let mut found = Vec::new();
    while let Some(pred) = pending.pop() {
        match pred {
            Pred::And { and } => pending.extend(and),
            other => found.push(other),
        }
    }
    found
}

/// What a plan's rows are held to: the columns that have one value in all of them.
fn fixed(plan: &Plan) -> Vec<&Expr> {
    let held = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        Pred::Test { test: Test::Eq, expr, .. } => Some(expr),
        _ => None,
    });
    held.collect()
}

/// The texts that a plan holds columns to.
fn fixed_cells(plan: &Plan) -> Vec<&str> {
    let held = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        Pred::Test { test: Test::Eq, values, .. } => Some(values),
        _ => None,
    });
    held.flatten().filter_map(Cell::as_str).collect()
}

/// The expressions of which different values are counted.
fn counted(plan: &Plan) -> impl Iterator<Item = &Expr> {
    let distinct = plan.measures.iter().filter(|measure| measure.agg == Agg::CountDistinct);
    distinct.filter_map(|measure| measure.expr.as_ref())
}

/// The column that an expression is, if it is nothing else.
pub(in crate::decide) fn column(index: &Index, expr: &Expr) -> Option<ColId> {
    match expr {
        Expr::Col { col } => index.find(col),
        _ => None,
    }
}
