//! What a question asks for in so many words and a plan leaves out or turns around.

use data::plan::{Agg, Expr, Plan, Pred, Test};

use super::super::{column, conjuncts, counts_rows, fixed_cells, grouped, is_of_rows, measured};
use crate::index::{ColId, Index};
use crate::mentions::What;
use crate::readings::Parser;
use crate::words::is_participle;

/// Whether a plan tells something else than what the words ask for.
pub fn is_left_out(said: &Parser, plan: &Plan) -> bool {
    counts_a_mass(said, plan)
        || leaves_out_the_second(said, plan)
        || tells_neither_side(said, plan)
        || averages_an_amount(said, plan)
        || takes_what_is_to_be_done(said, plan)
        || prices_something_else(said, plan)
        || counts_a_value(said, plan)
        || denies_one_of_two(said, plan)
        || ranks_by_other_sales(said, plan)
        || stretches_an_amount(said, plan)
        || leaves_out_what_is_asked_for(said, plan)
        || earns_no_money(said, plan)
        || takes_a_deed_for_a_state(said, plan)
        || denies_when_it_ended(said, plan)
        || denies_a_duty(said)
        || counts_how_often(said, plan)
        || passes_over_now(said, plan)
        || tells_no_lateness(said, plan)
        || drops_a_clause(said, plan)
        || tells_doers_apart(said, plan)
        || takes_another_for_the_doer(said, plan)
        || ends_what_still_holds(said, plan)
        || lists_what_was_paid(said, plan)
        || measures_a_stay(said, plan)
        || prices_the_unit(said, plan)
        || tells_one_of_two_deeds(said, plan)
        || dates_another_deed(said, plan)
        || counts_rows_of_another(said, plan)
}

/// `how many businesses advertise` beside a table of who does: they are counted, not what they did.
fn counts_rows_of_another(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let asks = (said.word(0), said.word(1)) == ("how", "many");
    let plural = said.tokens.get(2).is_some_and(|token| token.fold != token.singular);
    let kind = |cells: &[(ColId, String)]| cells.iter().all(|(id, _)| !is_of_rows(index, plan, *id));
    let counted = said.mentions.at(2);
    let only_kinds = !counted.is_empty()
        && counted.iter().all(|mention| matches!(&mention.what, What::Value(cells) if mention.end == 3 && kind(cells)));
    let rows_follow = said.mentions.at(3).iter().any(|mention| matches!(mention.what, What::Thing(_)));
    asks && plural && only_kinds && !rows_follow && counts_rows(plan)
}

/// `when did Lumen last order` beside an order date: that one, and no other date of theirs.
fn dates_another_deed(said: &Parser, plan: &Plan) -> bool {
    if said.word(0) != "when" {
        return false;
    }
    let index = said.index;
    let is_date = |id: &ColId| index.column(*id).ty.is_temporal();
    let named = |id: &ColId| {
        let word = |word: &String| said.tokens.iter().any(|token| token.stem == index.forms.stem(word));
        index.facts(*id).event.iter().any(word)
    };
    let dates: Vec<ColId> = index.columns().filter(|id| is_date(id) && named(id)).collect();
    let told: Vec<ColId> = measured(index, plan).into_iter().filter(is_date).collect();
    !dates.is_empty() && !told.is_empty() && !told.iter().any(|id| dates.contains(id))
}

/// `the most expensive delivery` beside a price per kilo and how many kilos: what it came to, not what one of them costs.
fn prices_the_unit(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let dear = ["expensive", "cheapest", "priciest", "dearest", "costliest"].iter().any(|word| said.has(word));
    let unit = |id: ColId| index.facts(id).per.is_some() || index.facts(id).words.iter().any(|word| word == "per");
    let ranked = plan.top.iter().flat_map(|top| plan.select.iter().filter(move |item| item.name == top.by));
    let heaped = || index.columns().any(|id| is_of_rows(index, plan, id) && is_heaped(index, id));
    dear && !said.has("per") && heaped() && ranked.filter_map(|item| column(index, &item.expr)).any(unit)
}

/// `started or ended at`: either will do.
fn tells_one_of_two_deeds(said: &Parser, plan: &Plan) -> bool {
    let deeds =
        |at: usize| is_participle(said.word(at)) && said.word(at + 1) == "or" && is_participle(said.word(at + 2));
    let either = |pred: &Pred| matches!(pred, Pred::Or { .. } | Pred::Not { .. } | Pred::Test { test: Test::In, .. });
    said.positions().any(deeds) && !conjuncts(plan).into_iter().any(either)
}

/// `stay longer`: what somebody does takes time, and has no length in metres.
fn measures_a_stay(said: &Parser, plan: &Plan) -> bool {
    let does = |at: usize| {
        let verb = matches!(
            said.word(at),
            "stay" | "stays" | "stayed" | "take" | "takes" | "took" | "wait" | "last" | "lasts"
        );
        verb && (at + 1..at + 3)
            .any(|next| matches!(said.word(next), "longer" | "longest" | "shorter" | "shortest" | "long"))
    };
    let told = measured(said.index, plan);
    let length = |id: ColId| said.index.facts(id).unit.as_ref().is_some_and(|unit| unit.family == "length");
    said.positions().any(does) && told.into_iter().any(length)
}

/// `what did we pay in total`: an amount, not by what means.
fn lists_what_was_paid(said: &Parser, plan: &Plan) -> bool {
    let paid = |at: usize| {
        (said.word(at), said.word(at + 1)) == ("what", "did")
            && (at + 2..at + 5).any(|verb| matches!(said.word(verb), "pay" | "spend" | "earn" | "make" | "charge"))
    };
    let text = |expr: &Expr| column(said.index, expr).is_some_and(|id| said.index.column(id).ty == base::Type::Text);
    plan.measures.is_empty() && plan.select.iter().all(|item| text(&item.expr)) && said.positions().any(paid)
}

/// `still in service`: a state that is said holds by itself, whether or not something else has ended.
fn ends_what_still_holds(said: &Parser, plan: &Plan) -> bool {
    let state = |at: usize| said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Value(_)));
    let missing = |pred: &Pred| match pred {
        Pred::Test { test: Test::IsNull, expr, .. } => {
            column(said.index, expr).is_some_and(|id| said.index.column(id).ty.is_temporal())
        }
        _ => false,
    };
    let still = |at: usize| said.word(at) == "still" && state(at + 1);
    said.positions().any(still) && conjuncts(plan).into_iter().any(missing)
}

/// `how many days late`: how far behind, not how long it was to take.
fn tells_no_lateness(said: &Parser, plan: &Plan) -> bool {
    let late = |at: usize| {
        matches!(said.word(at), "days" | "hours" | "minutes" | "weeks")
            && matches!(said.word(at + 1), "late" | "overdue" | "early" | "behind" | "over")
    };
    let told = |expr: &Expr| matches!(expr, Expr::Col { .. });
    said.positions().any(late) && plan.measures.iter().any(|measure| measure.expr.as_ref().is_some_and(told))
}

/// `the average discount on hires that were given a discount`: what is named again in a clause chooses rows by it.
fn drops_a_clause(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let told = measured(index, plan);
    let named = |at: usize, id: ColId| super::names(said, at, id);
    let clause = |from: usize, to: usize| (from + 1..to).any(|at| matches!(said.word(at), "that" | "which" | "who"));
    let again = |id: ColId| {
        let places: Vec<usize> = said.positions().filter(|at| named(*at, id)).collect();
        places.windows(2).any(|pair| clause(pair[0], pair[1]))
    };
    let tested = |id: ColId| {
        let filters = plan.measures.iter().filter_map(|measure| measure.filter.as_ref());
        conjuncts(plan).into_iter().chain(filters).any(|pred| pred.columns().contains(&index.qualified(id).as_str()))
    };
    told.into_iter().any(|id| again(id) && !tested(id))
}

/// `attended by swimmers who passed`: who did it, said of all of them, and no group for each.
fn tells_doers_apart(said: &Parser, plan: &Plan) -> bool {
    let doers = |at: usize| {
        said.word(at) == "by"
            && at > 0
            && is_participle(said.word(at - 1))
            && said.tokens.get(at + 1).is_some_and(|token| token.fold != token.singular)
            && matches!(said.word(at + 2), "who" | "that" | "which" | "whose")
    };
    !plan.group.is_empty() && said.positions().any(doers)
}

/// `who enrolled more than three times`: whoever did it stands in the row itself, not behind another.
fn takes_another_for_the_doer(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let who = matches!(said.word(0), "who");
    let done = (1..3).any(|at| is_participle(said.word(at)));
    let elsewhere = |id: ColId| {
        index.table(id.table).name != plan.from && {
            let own = index.columns().filter(|other| index.table(other.table).name == plan.from);
            let things = index.things.iter().filter(|thing| thing.keys.contains(&id));
            let keys: Vec<ColId> = things.flat_map(|thing| thing.keys.iter().copied()).collect();
            !own.into_iter().any(|other| keys.contains(&other))
        }
    };
    let groups = grouped(index, plan);
    who && done && counts_rows(plan) && !groups.is_empty() && groups.iter().all(|id| elsewhere(*id))
}

/// `the most honey` beside rows of honey: a lot of it is no number of rows.
fn counts_a_mass(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let counts = counts_rows(plan);
    let rows = |thing: usize| index.things[thing].table.is_some_and(|table| index.table(table).name == plan.from);
    let person = |noun: &String| index.lexicon.is_person(noun);
    let heaped = index.columns().any(|id| is_of_rows(index, plan, id) && is_heaped(index, id));
    let mass = |at: usize| {
        let names = said.mentions.at(at);
        let longest = names.iter().map(|mention| mention.end).max();
        let thing = names.iter().find(|mention| matches!(mention.what, What::Thing(thing) if rows(thing)));
        // "The most potatoes" beside rows of deliveries and what they weigh.
        let kind = names.iter().any(|mention| matches!(mention.what, What::Value(_)) && Some(mention.end) == longest);
        if kind && heaped && names.iter().all(|mention| !matches!(mention.what, What::Thing(_) | What::Columns(_))) {
            let rows_follow = |end: usize| {
                said.mentions.at(end).iter().any(|mention| matches!(mention.what, What::Thing(thing) if rows(thing)))
            };
            return longest.is_some_and(|end| !rows_follow(end));
        }
        let singular = |end: usize| said.tokens[end - 1].fold == said.tokens[end - 1].singular;
        thing.is_some_and(|mention| Some(mention.end) == longest && singular(mention.end) && !mention.synonym)
            && !said.mentions.is_data(at + 1)
            && !person(&said.tokens[at].singular)
    };
    let measured = index.columns().any(|id| is_of_rows(index, plan, id) && is_amount(index, id));
    counts
        && measured
        && said
            .positions()
            .any(|at| matches!(said.word(at), "most" | "least" | "more" | "less" | "much") && mass(at + 1))
}

/// Whether rows have more or less of it, so that it adds up.
fn is_amount(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    facts.adds_up() || is_heaped(index, id)
}

/// Whether it says how much or how many there is of what a row is about.
fn is_heaped(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let family = facts.unit.as_ref().map(|unit| unit.family);
    let pieces = |word: &String| matches!(word.as_str(), "quantity" | "qty" | "units" | "pieces" | "pcs");
    let counted = !facts.core.is_empty() && facts.core.iter().all(pieces);
    matches!(family, Some("mass" | "volume" | "energy" | "tons" | "pounds")) || counted
}

/// `the heaviest batch, and which hive did it come from`: both are asked for.
fn leaves_out_the_second(said: &Parser, plan: &Plan) -> bool {
    let told = plan.select.iter().map(|item| &item.expr).chain(plan.group.iter().map(|item| &item.expr));
    let shown: Vec<ColId> = told.filter_map(|expr| column(said.index, expr)).collect();
    let columns = |at: usize| -> Vec<ColId> {
        let of = |what: &What| match what {
            What::Columns(columns) => columns.clone(),
            What::Thing(thing) => {
                let thing = &said.index.things[*thing];
                thing.keys.iter().copied().chain(thing.label).collect()
            }
            _ => Vec::new(),
        };
        said.mentions.at(at).iter().flat_map(|mention| of(&mention.what)).collect()
    };
    let second = |at: usize| {
        let joins = at > 2 && said.word(at) == "and" && !said.mentions.at(at).iter().any(|m| m.end > at + 1);
        let asks = (at + 1..=at + 2).find(|next| matches!(said.word(*next), "which" | "what"));
        let named = asks.filter(|_| joins).map(|asks| columns(asks + 1)).unwrap_or_default();
        !named.is_empty() && !named.iter().any(|id| shown.contains(id))
    };
    let beside = |at: usize| {
        let joins = at > 2 && matches!(said.word(at), "and") && matches!(said.word(at + 1), "who" | "where" | "when");
        joins && shown.is_empty()
    };
    !shown.is_empty() && said.positions().any(second) || said.positions().any(beside)
}

/// `more passengers on the Corran or the Puffin`: one number for each of the two.
fn tells_neither_side(said: &Parser, plan: &Plan) -> bool {
    let degrees = ["more", "less", "fewer", "higher", "lower", "better", "worse", "bigger", "longer", "cheaper"];
    let compares = degrees.iter().any(|word| said.has(word)) && said.has("or") && !said.has("than");
    let grouped = |expr: &Expr| plan.group.iter().any(|group| group.expr == *expr);
    let sides = |pred: &Pred| matches!(pred, Pred::Test { test: Test::In, expr, .. } if !grouped(expr));
    compares && conjuncts(plan).into_iter().any(sides)
}

/// `more weight in December`: what there was of it altogether, where nothing says that rows are averaged.
fn averages_an_amount(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let usual = ["average", "avg", "mean", "typically", "typical", "usually", "per", "each", "usual", "normally"];
    let amount = |id: &ColId| is_amount(index, *id);
    let averaged = |measure: &data::plan::Measure| match &measure.expr {
        Some(expr) if measure.agg == Agg::Avg => column(index, expr).filter(amount),
        _ => None,
    };
    let averaged: Vec<ColId> = plan.measures.iter().filter_map(averaged).collect();
    let more = |at: usize| {
        matches!(said.word(at), "more" | "most" | "less" | "least")
            && averaged.iter().any(|id| super::names(said, at + 1, *id))
    };
    !usual.iter().any(|word| said.has(word)) && said.positions().any(more)
}

/// `tickets to be resolved`: what is still to be done, or what was done in the end, but not what has been done.
fn takes_what_is_to_be_done(said: &Parser, plan: &Plan) -> bool {
    let cells = fixed_cells(plan);
    let done = |what: &What| match what {
        What::Value(values) => values.iter().any(|(_, text)| cells.contains(&text.as_str())),
        What::Columns(_) | What::Flag(_) | What::Event(_) => true,
        _ => false,
    };
    let denied = |at: usize| at > 0 && matches!(said.word(at - 1), "still" | "yet");
    let to_be = |at: usize| said.word(at) == "to" && said.word(at + 1) == "be" && !denied(at);
    let participle = |at: usize| said.word(at).ends_with("ed") || said.word(at).ends_with("en");
    let named = |at: usize| participle(at) && said.mentions.at(at).iter().any(|mention| done(&mention.what));
    said.positions().any(|at| to_be(at) && named(at + 2))
}

/// `price paid for a WBC` beside a price per jar and what each hive cost: money of other rows, by a part of its name.
fn prices_something_else(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let money = |id: ColId| index.facts(id).is_money() || index.facts(id).has("price");
    let bought = said.has("for") && ["pay", "paid"].iter().any(|word| said.has(word));
    let partly_spoken = |id: ColId| {
        let core = &index.facts(id).core;
        let spoken = core.iter().filter(|word| said.has(word)).count();
        spoken < core.len() && (spoken > 0 || bought)
    };
    let told = measured(index, plan);
    let partly: Vec<ColId> = told.into_iter().filter(|id| money(*id) && partly_spoken(*id)).collect();
    let rival = |table: usize| index.columns().any(|id| id.table == table && money(id));
    let described = |pred: &Pred| match pred {
        Pred::Test { test: Test::Eq, expr, .. } => {
            column(index, expr).is_some_and(|id| partly.iter().all(|known| known.table != id.table) && rival(id.table))
        }
        _ => false,
    };
    !partly.is_empty() && plan.group.is_empty() && conjuncts(plan).into_iter().any(described)
}

/// `the total value of cancelled orders`: what they are worth is no number of rows.
fn counts_a_value(said: &Parser, plan: &Plan) -> bool {
    let worth = |at: usize| matches!(said.word(at), "value" | "worth" | "amount") && said.word(at + 1) == "of";
    let counts = !plan.measures.is_empty() && plan.measures.iter().all(|measure| measure.agg == Agg::Count);
    counts && plan.compute.is_empty() && said.positions().any(worth)
}

/// `without cancelled and returned orders`: neither, where a plan would deny only one of the two.
fn denies_one_of_two(said: &Parser, plan: &Plan) -> bool {
    let denies =
        |at: usize| matches!(said.word(at), "without" | "excluding" | "except" | "not" | "neither" | "ignoring");
    let states = |at: usize| -> Vec<ColId> {
        let of = |what: &What| match what {
            What::Flag(columns) => columns.clone(),
            What::Value(cells) => cells.iter().map(|(id, _)| *id).collect(),
            _ => Vec::new(),
        };
        said.mentions.at(at).iter().filter(|mention| mention.end == at + 1).flat_map(|m| of(&m.what)).collect()
    };
    let joined = |at: usize| matches!(said.word(at), "and" | "or" | "nor");
    let both = |at: usize| {
        let (first, second) = (states(at + 1), states(at + 3));
        let apart = !first.is_empty() && !second.is_empty() && !first.iter().any(|id| second.contains(id));
        denies(at) && joined(at + 2) && apart
    };
    let denied = conjuncts(plan).into_iter().filter(|pred| match pred {
        Pred::Not { .. } | Pred::Test { test: Test::Ne, .. } => true,
        Pred::Test { test: Test::Eq, values, .. } => values.iter().any(|cell| *cell == base::Cell::Bool(false)),
        _ => false,
    });
    said.positions().any(both) && denied.count() < 2
}

/// `best selling` beside what the bar sold: how much was sold of a thing is not any number that has the word.
fn ranks_by_other_sales(said: &Parser, plan: &Plan) -> bool {
    const SOLD: &[&str] =
        &["sale", "sales", "sold", "units", "quantity", "qty", "total", "amount", "copies", "number", "revenue"];
    let Some(top) = &plan.top else { return false };
    let sells = said.positions().any(|at| matches!(said.word(at), "selling" | "seller" | "sellers"));
    let other = |id: ColId| {
        let core = &said.index.facts(id).core;
        core.iter().any(|word| !SOLD.contains(&word.as_str()) && !said.has(word))
    };
    let listed =
        plan.select.iter().filter(|item| item.name == top.by).filter_map(|item| column(said.index, &item.expr));
    let added = plan.measures.iter().filter(|measure| measure.name == top.by);
    let added = added.filter_map(|measure| column(said.index, measure.expr.as_ref()?));
    sells && listed.chain(added).any(other)
}

/// `the longest hire`: how long it took is no amount of money.
fn stretches_an_amount(said: &Parser, plan: &Plan) -> bool {
    let stretched = ["longest", "shortest", "quickest", "slowest"].iter().any(|word| said.has(word));
    let money = |id: ColId| {
        let facts = said.index.facts(id);
        facts.is_money() || facts.core.iter().any(|word| matches!(word.as_str(), "total" | "amount" | "price" | "cost"))
    };
    let extreme = plan.measures.iter().filter(|measure| matches!(measure.agg, Agg::Max | Agg::Min));
    let told = extreme.filter_map(|measure| column(said.index, measure.expr.as_ref()?));
    let ranked = plan.top.iter().flat_map(|top| plan.select.iter().filter(move |item| item.name == top.by));
    let ranked = ranked.filter_map(|item| column(said.index, &item.expr));
    stretched && told.chain(ranked).any(money)
}

/// `which boat cost the most in parts`: the boat is asked for, and must be told.
fn leaves_out_what_is_asked_for(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let asks = matches!(said.word(0), "which" | "what");
    let things = said.mentions.at(1).iter().filter_map(|mention| match mention.what {
        What::Thing(thing) if mention.end == 2 => Some(thing),
        _ => None,
    });
    let things: Vec<usize> = things.collect();
    let other = said.mentions.at(1).iter().any(|mention| mention.end > 2 || matches!(mention.what, What::Columns(_)));
    let told = plan.select.iter().map(|item| &item.expr).chain(plan.group.iter().map(|item| &item.expr));
    let told: Vec<ColId> = told.filter_map(|expr| column(index, expr)).collect();
    let shows = |thing: &usize| {
        let thing = &index.things[*thing];
        let own = thing.table.is_some_and(|table| index.table(table).name == plan.from);
        let nameless = thing.keys.is_empty() && thing.label.is_none();
        own || nameless || told.iter().any(|id| thing.keys.contains(id) || thing.label == Some(*id))
    };
    let lists = !plan.select.is_empty() && plan.measures.is_empty();
    asks && lists && !other && !things.is_empty() && !things.iter().any(shows)
}

/// `earned the most from honey`: what was earned is money.
fn earns_no_money(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let earns = ["earned", "earn", "earns", "earning"].iter().any(|word| said.has(word));
    let told = measured(index, plan);
    let weighed = |id: &ColId| {
        let family = index.facts(*id).unit.as_ref().map(|unit| unit.family);
        family.is_some_and(|family| !index.facts(*id).is_money() && family != "percent" && family != "count")
    };
    earns && !told.is_empty() && told.iter().all(weighed)
}

/// `booked by phone` beside a state that says `booked`: how it was done is said of all that were.
fn takes_a_deed_for_a_state(said: &Parser, plan: &Plan) -> bool {
    let cells = fixed_cells(plan);
    let state = |at: usize| {
        said.mentions.at(at).iter().any(|mention| match &mention.what {
            What::Value(values) => values.iter().any(|(_, text)| cells.contains(&text.as_str())),
            _ => false,
        })
    };
    let how = |at: usize| said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Value(_)));
    let means = |at: usize| matches!(said.word(at), "by" | "via" | "through");
    said.positions().any(|at| said.word(at).ends_with("ed") && state(at) && means(at + 1) && how(at + 2))
}

/// `not resolved within 24 hours`: what took longer, and not what took less and was denied something else.
fn denies_when_it_ended(said: &Parser, plan: &Plan) -> bool {
    let denied = |at: usize| matches!(said.word(at), "not" | "n't") || said.word(at).ends_with("n't");
    let within = said.positions().any(|at| said.word(at) == "within" && (0..at).any(denied));
    let timed = |pred: &Pred| match pred {
        Pred::Test { test: Test::Le | Test::Lt, expr, .. } => column(said.index, expr)
            .is_some_and(|id| said.index.facts(id).unit.as_ref().is_some_and(|unit| unit.family == "time")),
        _ => false,
    };
    within && conjuncts(plan).into_iter().any(timed)
}

/// `do not have to pass`: that something need not be done is not in the data.
fn denies_a_duty(said: &Parser) -> bool {
    let denied = |at: usize| said.word(at) == "not" || said.word(at).ends_with("n't");
    let duty = |at: usize| matches!(said.word(at), "have" | "need");
    said.positions().any(|at| said.word(at + 2) == "to" && (denied(at) && duty(at + 1) || duty(at) && denied(at + 1)))
}

/// `how often do we meet the SLA`: of how many, or how many times?
fn counts_how_often(said: &Parser, plan: &Plan) -> bool {
    let often = said.word(0) == "how" && said.word(1) == "often";
    let counts = plan.measures.iter().all(|measure| measure.agg == Agg::Count) && plan.compute.is_empty();
    let state = |pred: &Pred| match pred {
        Pred::Test { test: Test::Eq, expr, .. } => {
            column(said.index, expr).is_some_and(|id| said.index.facts(id).yes.is_some())
        }
        _ => false,
    };
    often && counts && !plan.measures.is_empty() && conjuncts(plan).into_iter().any(state)
}

/// `how many people work here right now` beside when they left: all rows are not those of now.
fn passes_over_now(said: &Parser, plan: &Plan) -> bool {
    let now = ["now", "currently", "presently"].iter().any(|word| said.has(word));
    let ends = |id: ColId| {
        let info = said.index.column(id);
        is_of_rows(said.index, plan, id) && info.ty.is_temporal() && info.nulls > 0
    };
    now && plan.filter.is_none() && plan.having.is_none() && said.index.columns().any(ends)
}
