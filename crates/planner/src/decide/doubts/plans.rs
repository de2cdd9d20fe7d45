//! What a plan computes that nobody means, whatever words led to it, or but for the few words that would say so.

use base::Type;
use data::plan::{Agg, Expr, Grain, Measure, Plan, Pred, Test};

use super::{column, conjuncts, counted, fixed, fixed_cells, grouped, is_of_rows};
use crate::index::{ColId, Index};
use crate::lexicon::Role;
use crate::tokens::{self, Token};
use crate::words::split_name;

/// Whether a plan is one of those.
pub fn is_meant_by_nobody(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    says_twice(plan)
        || denies_one_of_many(index, plan)
        || passes_over_a_negation(index, tokens, plan)
        || counts_a_list(tokens, plan)
        || lists_what_is_owed(tokens, plan)
        || adds_up_sides(tokens, plan)
        || adds_up_what_is_counted(index, tokens, plan)
        || ranks_yes_and_no(index, tokens, plan)
        || counts_what_was_spent(tokens, plan)
        || tells_only_dates(index, tokens, plan)
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
        || splits_one_number(index, tokens, plan)
        || sums_over_a_kind(tokens, plan)
        || adds_up_equal_numbers(plan)
        || ranks_a_quantity(index, tokens, plan)
        || takes_a_kind_for_persons(index, tokens, plan)
        || adds_up_a_rate(index, tokens, plan)
}

/// Whether how much something is of is ranked, and not something: the cheapest night is no number of nights.
fn ranks_a_quantity(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let number = |word: &str| tokens.iter().any(|token| token.fold == word);
    let quantity = |id: ColId| {
        let facts = index.facts(id);
        index.is_quantity(id)
            && !facts.years
            && facts.core.last().is_some_and(|last| index.forms.singular(last) != *last)
    };
    // "Highest units and target" asks for both, not for the target with the most units.
    let joined = |id: ColId| {
        let first = index.facts(id).core.first();
        index.is_quantity(id) && tokens.windows(2).any(|pair| pair[0].fold == "and" && Some(&pair[1].fold) == first)
    };
    let grouped = plan.group.iter().filter(|group| group.grain.is_none()).filter_map(|item| column(index, &item.expr));
    let ranked = |id: ColId| quantity(id) || joined(id);
    plan.top.is_some() && !number("number") && !number("many") && grouped.into_iter().any(ranked)
}

/// Whether persons are told by something that sorts them into few kinds: patients are no `patient_sex`.
fn takes_a_kind_for_persons(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    const KINDS_MAX: u64 = 12;
    let said = |word: &String| tokens.iter().any(|token| token.stem == index.forms.stem(word));
    let kind = |id: ColId| {
        let [whose @ .., last] = &index.facts(id).core[..] else { return false };
        let person = whose.iter().any(|word| index.lexicon.is_person(&index.forms.singular(word)) && said(word));
        let names = identifies(last);
        person && !names && !said(last) && index.column(id).distinct <= KINDS_MAX && index.column(id).ty == Type::Text
    };
    plan.top.is_some() && grouped(index, plan).into_iter().any(kind)
}

/// Whether what is paid for an hour or a day is added up, though nothing says so: earnings are not what an hour earns.
fn adds_up_a_rate(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    const SPANS: &[&str] = &["hourly", "daily", "weekly", "monthly", "yearly", "annual"];
    let said = |word: &str| tokens.iter().any(|token| token.fold == word);
    let rate = |id: ColId| {
        let span = |word: &String| SPANS.contains(&word.as_str()) && !said(word);
        index.facts(id).words.iter().any(span)
    };
    let sums = plan.measures.iter().filter(|measure| measure.agg == Agg::Sum);
    sums.filter_map(|measure| column(index, measure.expr.as_ref()?)).any(rate)
}

/// Whether a number is added up or averaged for each of its own values.
fn adds_up_equal_numbers(plan: &Plan) -> bool {
    let grouped = |expr: &Expr| plan.group.iter().any(|group| group.expr == *expr && group.grain.is_none());
    let counts = |agg: Agg| matches!(agg, Agg::Count | Agg::CountDistinct);
    plan.measures.iter().any(|measure| !counts(measure.agg) && measure.expr.as_ref().is_some_and(grouped))
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
        let groups = grouped(index, plan).into_iter().filter(|id| id.table != table);
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
    let word = |at: usize| tokens::word(tokens, at);
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
        let names = identifies(last);
        !names && !tokens.iter().any(|token| token.singular == *last)
    };
    // Members are no kinds of membership.
    let derived = |name: &String| {
        let core = index.find(name).map(|id| &index.facts(id).core[..]).unwrap_or_default();
        let [only] = core else { return false };
        let said = |token: &Token| token.singular.len() > 3 && only.starts_with(token.singular.as_str());
        let whole = tokens.iter().any(|token| token.singular == index.forms.singular(only));
        !whole && only.ends_with("ship") && tokens.iter().any(said)
    };
    // Different toys are no different quantities.
    let amounts = |name: &String| {
        let unsaid = |id: &ColId| {
            let said = |word: &String| tokens.iter().any(|token| token.stem == index.forms.stem(word));
            index.is_quantity(*id) && !index.facts(*id).core.iter().any(said)
        };
        index.find(name).is_some_and(|id| unsaid(&id))
    };
    // "How much did we spend on fuel" does not ask for the kinds of fuel.
    let much = tokens.windows(2).any(|pair| pair[0].fold == "how" && pair[1].fold == "much");
    counted(plan).any(|expr| much || matches!(expr, Expr::Col { col } if kind(col) || derived(col) || amounts(col)))
}

/// Whether the last word of a name says that it tells one thing from another.
fn identifies(word: &str) -> bool {
    matches!(word, "name" | "title" | "id" | "no" | "number" | "code" | "ref" | "key")
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
    let own = |id: ColId| index.column(id).unique && is_of_rows(index, plan, id);
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
    let own = |id: ColId| is_of_rows(index, plan, id);
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
        let for_one = facts.per.is_some() || facts.has("per");
        // "Total price" beside a quantity is not the sum of what one costs.
        let pieces = |id: &ColId| index.facts(*id).has_any(&["qty", "quantity"]);
        let counted = is_price(index, id) && index.columns().any(|other| other.table == id.table && pieces(&other));
        for_one || counted || unsaid && !facts.additive
    };
    let summed = plan.measures.iter().filter(|measure| measure.agg == Agg::Sum);
    let mut columns = summed.filter_map(|measure| column(index, measure.expr.as_ref()?));
    let share = |id: ColId| index.facts(id).unit.as_ref().is_some_and(|unit| unit.family == "percent");
    columns.any(|id| share(id) || !said("sum") && level(id))
}

/// Whether a column says what one of something costs.
fn is_price(index: &Index, id: ColId) -> bool {
    index.facts(id).core.iter().any(|word| word == "price")
}

/// Whether an average is taken of one row at a time, because each row is a period or a thing of its own, and told for
/// something else as well.
fn averages_single_rows(index: &Index, plan: &Plan) -> bool {
    let own = |id: &ColId| index.column(*id).unique && is_of_rows(index, plan, *id);
    let label = |id: &ColId| index.things.iter().any(|thing| thing.label == Some(*id));
    let told = plan.group.iter().filter(|group| matches!(group.grain, None | Some(Grain::Day)));
    let (single, others): (Vec<ColId>, Vec<ColId>) =
        told.filter_map(|group| column(index, &group.expr)).partition(|id| own(id));
    !plan.measures.is_empty() && plan.top.is_none() && !single.is_empty() && others.iter().any(|id| !label(id))
}

/// Whether a word that says when something happened in another table is passed over: what was given out is not what was
/// received.
fn passes_over_an_event(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let used = plan.tables();
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

/// Whether things with several rows are counted of which one row is not so: who has no annual leave may have another one.
fn denies_one_of_many(index: &Index, plan: &Plan) -> bool {
    let shared =
        |expr: &Expr| column(index, expr).is_some_and(|id| !index.column(id).unique && index.facts(id).identifier);
    let denied = |pred: &&Pred| match pred {
        Pred::Not { not } => matches!(&**not, Pred::Test { test: Test::Eq | Test::In, .. }),
        Pred::Test { test: Test::Ne, .. } => true,
        _ => false,
    };
    counted(plan).any(shared) && conjuncts(plan).iter().any(denied)
}

/// Whether one number is told where a list was asked for in so many words.
fn counts_a_list(tokens: &[Token], plan: &Plan) -> bool {
    let listed = tokens.first().is_some_and(|token| token.fold == "list");
    listed && plan.select.is_empty() && plan.group.is_empty()
}

/// Whether rows or kinds are counted where money is spoken of and no word counts.
fn counts_what_was_spent(tokens: &[Token], plan: &Plan) -> bool {
    let said = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.fold.as_str()));
    let counts = |measure: &Measure| matches!(measure.agg, Agg::Count | Agg::CountDistinct);
    let only_counts = !plan.measures.is_empty() && plan.measures.iter().all(counts);
    let money = ["spent", "spend", "earned", "earn", "cost", "pay"];
    let earns_more = tokens.windows(2).any(|pair| {
        money.contains(&pair[0].fold.as_str()) && matches!(pair[1].fold.as_str(), "more" | "most" | "less" | "least")
    });
    let counted =
        said(&["many", "number", "count", "often", "most", "more", "share", "percentage", "percent", "proportion"]);
    only_counts && said(&money) && (earns_more && !said(&["many", "number", "count", "often"]) || !counted)
}

/// Whether a list of things shows only when they happened: which cars came in is not told by dates.
fn tells_only_dates(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let asks = |token: &Token| matches!(token.fold.as_str(), "which" | "who");
    let dated = |token: &Token| {
        matches!(token.singular.as_str(), "date" | "day" | "when" | "month" | "week" | "year" | "time" | "hour")
    };
    let date = |expr: &Expr| column(index, expr).is_some_and(|id| index.column(id).ty.is_temporal());
    if plan.select.is_empty() || !plan.select.iter().all(|item| date(&item.expr)) {
        return false;
    }
    // "Customers since before 2021" are not the days on which they came.
    let rows =
        index.things.iter().filter(|thing| thing.table.is_some_and(|table| index.table(table).name == plan.from));
    let nouns: Vec<&String> = rows.map(|thing| &thing.noun).collect();
    let names_rows = tokens.iter().any(|token| nouns.iter().any(|noun| **noun == token.singular));
    let tested = |pred: &Pred| {
        let columns = pred.columns();
        plan.select.iter().any(|item| matches!(&item.expr, Expr::Col { col } if columns.contains(&col.as_str())))
    };
    (tokens.iter().any(asks) || names_rows && conjuncts(plan).into_iter().any(tested)) && !tokens.iter().any(dated)
}

/// Whether two sides are compared by their totals where a word asks how high something stands: a bigger crowd is not the crowd
/// of more days.
fn adds_up_sides(tokens: &[Token], plan: &Plan) -> bool {
    let said = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.fold.as_str()));
    let graded = said(&["bigger", "larger", "higher", "better", "stronger", "longer"]) && said(&["than"]);
    let sums = plan.measures.iter().any(|measure| measure.agg == Agg::Sum);
    graded
        && sums
        && plan.having.is_none()
        && !plan.group.is_empty()
        && !said(&["total", "altogether", "overall", "sum", "combined"])
}

/// Whether yes and no are ranked against each other where one of them was said: the cheapest automatic is a car.
fn ranks_yes_and_no(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let yes_no = |expr: &Expr| column(index, expr).is_some_and(|id| index.facts(id).yes.is_some());
    let either = tokens.iter().any(|token| matches!(token.fold.as_str(), "or" | "than" | "vs" | "versus" | "whether"));
    plan.top.is_some() && !plan.group.is_empty() && plan.group.iter().all(|group| yes_no(&group.expr)) && !either
}

/// Whether money is added up where a word counts: the number of offers is not what was offered.
fn adds_up_what_is_counted(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let word = |at: usize| tokens::word(tokens, at);
    let counts = matches!((word(0), word(1)), ("how", "many") | ("number", "of") | ("count", "of") | ("count", "the"));
    let money = |id: ColId| index.facts(id).is_money() || index.facts(id).has("amount");
    let sums = |measure: &Measure| {
        measure.agg == Agg::Sum && measure.expr.as_ref().and_then(|expr| column(index, expr)).is_some_and(money)
    };
    let told = tokens.iter().any(|token| index.lexicon.unit(&token.fold).is_some_and(crate::lexicon::Unit::is_money));
    counts && !told && !plan.measures.is_empty() && plan.measures.iter().all(sums)
}

/// Whether something is denied and nothing of the plan says so.
fn passes_over_a_negation(index: &Index, tokens: &[Token], plan: &Plan) -> bool {
    let denied = tokens.iter().any(|token| token.fold == "not" || token.fold.ends_with("n't"));
    let measured = plan.measures.iter().filter_map(|measure| measure.filter.as_ref());
    let mut pending: Vec<&Pred> = plan.filter.iter().chain(&plan.having).chain(measured).collect();
    let mut negative = 0;
    while let Some(pred) = pending.pop() {
        match pred {
            Pred::And { and: parts } | Pred::Or { or: parts } => pending.extend(parts),
            Pred::Not { .. } => negative += 1,
            Pred::Exists { exists } => pending.extend(exists.filter.as_deref()),
            Pred::Test { test: Test::Eq | Test::In, values, .. } => {
                let no = |value: &base::Cell| match value {
                    base::Cell::Bool(false) => true,
                    base::Cell::String(text) => {
                        matches!(text.to_lowercase().as_str(), "no" | "n" | "false" | "0" | "f")
                    }
                    other => crate::build::number_of(other) == Some(0.0),
                };
                negative += usize::from(values.iter().any(no));
            }
            Pred::Test { test: Test::Between | Test::Within | Test::Contains, .. } => {}
            Pred::Test { .. } => negative += 1,
        }
    }
    // Two sides may be those of whom it is true and those of whom it is not.
    let yes_no = |expr: &Expr| column(index, expr).is_some_and(|id| index.facts(id).yes.is_some());
    denied && negative == 0 && !plan.group.iter().any(|group| yes_no(&group.expr))
}

/// Whether rows are listed where it is asked what is owed: an amount is.
fn lists_what_is_owed(tokens: &[Token], plan: &Plan) -> bool {
    let owed = |token: &Token| matches!(token.fold.as_str(), "owed" | "owe" | "owes" | "owing");
    let what = |token: &Token| matches!(token.fold.as_str(), "what" | "what's" | "much");
    plan.measures.is_empty() && tokens.iter().any(owed) && tokens.first().is_some_and(what)
}
