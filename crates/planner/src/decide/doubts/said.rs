//! Phrases that say something about a question which a plan does not do, whatever production passed them.
//!
//! Each check looks for one pattern of words and for a plan that cannot be meant by it; none of them makes a reading.

mod asked;
mod events;
mod rates;

use data::plan::{Agg, ComputeOp, Expr, Plan, Pred, Test};

use super::{column, conjuncts, counts_rows, grouped, is_of_rows};
use crate::Reading;
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::What;
use crate::readings::Parser;
use crate::tokens::Token;
use crate::words::is_with;

/// Whether the words rule a reading out.
pub fn is_denied(said: &Parser, reading: &Reading) -> bool {
    let plan = &reading.plan;
    let now = |at: usize| said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Role(Role::Still)));
    // What holds now is not what held of any row.
    if super::takes_any_row(reading) && said.positions().any(now) {
        return true;
    }
    events::are_passed_over(said, plan)
        || asked::is_left_out(said, plan)
        || rates::are_told_otherwise(said, plan)
        || takes_one_for_the_total(said, plan)
        || denies_how_it_was_done(said)
        || ranks_by_a_number_of_kinds(said, plan)
        || ranks_running_numbers(said, plan)
        || counts_the_owners(said, plan)
        || dates_it_otherwise(said, plan)
        || counts_all_for_a_deed(said, plan)
        || shares_by_heads(said, plan)
        || tells_agents_apart(said, plan)
        || narrows_what_is_included(said, plan)
        || averages_rows_for_periods(said, plan)
        || counts_what_is_added_up(said, plan)
        || counts_rows_for_pieces(said, plan)
        || takes_a_plan_for_a_fact(said, plan)
        || takes_a_state_for_a_beginning(said)
        || earns_nothing(said, plan)
        || adds_up_beside_the_stock(said, plan)
        || shares_of_both(said, plan)
        || sizes_by_counting(said, plan)
        || tests_only_the_first(said, plan)
        || ages_something_else(said, plan)
        || counts_what_was_paid(said, plan)
        || denies_a_number(said)
        || spends_on_a_part(said)
        || lasts_otherwise(said, plan)
        || counts_visits_of_none(said)
}

/// `highest … in total`: one row is not all of them.
fn takes_one_for_the_total(said: &Parser, plan: &Plan) -> bool {
    let total =
        said.positions().any(|at| matches!((said.word(at), said.word(at + 1)), ("in", "total") | ("all", "together")))
            || ["overall", "altogether", "combined"].iter().any(|word| said.has(word));
    let single = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Max | Agg::Min));
    let row = plan.measures.is_empty();
    // "The most expensive equipment in total" is not the dearest on average.
    let averaged = plan.top.is_some() && plan.measures.iter().all(|measure| measure.agg == Agg::Avg);
    let average = ["average", "avg", "mean"].iter().any(|word| said.has(word));
    total && (single || row || averaged && !average)
}

/// `not paid by card`: what is denied is how it was done, and no reading says so.
fn denies_how_it_was_done(said: &Parser) -> bool {
    let denies = |at: usize| matches!(said.word(at), "not" | "n't") || said.word(at).ends_with("n't");
    let done = |at: usize| said.word(at).ends_with("ed") || matches!(said.word(at), "paid" | "sent" | "sold" | "made");
    let means = |at: usize| matches!(said.word(at), "by" | "in" | "with" | "via" | "through");
    let is_value = |at: usize| said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Value(_)));
    let is_flag = |at: usize| said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Flag(_)));
    said.positions().any(|at| denies(at) && done(at + 1) && is_flag(at + 1) && means(at + 2) && is_value(at + 3))
}

/// `longest visit by vet`: each visit has one vet, so they are not ranked by how many.
fn ranks_by_a_number_of_kinds(said: &Parser, plan: &Plan) -> bool {
    let graded = |at: usize| {
        said.mentions.at(at).iter().any(|mention| match &mention.what {
            What::Role(role) => matches!(role, Role::Extreme(_)),
            What::Adjective(_) => true,
            _ => false,
        })
    };
    let numbered = ["most", "fewest", "least", "number", "many", "different", "count"];
    let Some(top) = &plan.top else { return false };
    let ranked = plan.measures.iter().find(|measure| measure.name == top.by && measure.agg == Agg::CountDistinct);
    let Some(kinds) = ranked.and_then(|measure| column(said.index, measure.expr.as_ref()?)) else { return false };
    // "The most honey" is a lot of it, "the most colours" are many.
    let mass = |at: usize| {
        let amount = matches!(said.word(at), "most" | "least");
        amount && names(said, at + 1, kinds) && said.tokens[at + 1].fold == said.tokens[at + 1].singular
    };
    said.positions().any(mass) || said.positions().any(graded) && !numbered.iter().any(|word| said.has(word))
}

/// Whether a mention that starts at a token can be a column.
fn names(said: &Parser, at: usize, id: ColId) -> bool {
    let keys = |thing: usize| said.index.things[thing].keys.contains(&id);
    said.mentions.at(at).iter().any(|mention| match &mention.what {
        What::Columns(columns) => columns.contains(&id),
        What::Thing(thing) => keys(*thing),
        _ => false,
    })
}

/// `most episodes` of a column `episode`: how many there are, not the highest number of one.
fn ranks_running_numbers(said: &Parser, plan: &Plan) -> bool {
    let Some(top) = &plan.top else { return false };
    let ranked =
        plan.select.iter().filter(|item| item.name == top.by).filter_map(|item| column(said.index, &item.expr));
    let numbers = |id: ColId| match &said.index.facts(id).core[..] {
        [name] => said.positions().any(|at| {
            let most = matches!(said.word(at), "most" | "fewest" | "least");
            let next = said.tokens.get(at + 1);
            most && next.is_some_and(|token| token.singular == *name && token.fold != *name)
        }),
        _ => false,
    };
    ranked.into_iter().any(numbers)
}

/// `how many cats do owners have`: cats are counted, not owners, and whose they are is not what they are called.
fn counts_the_owners(said: &Parser, plan: &Plan) -> bool {
    let [first, second, ..] = said.tokens else { return false };
    let asks = first.fold == "how" && second.fold == "many";
    let has = matches!(said.tokens.last().map(|token| token.fold.as_str()), Some("have" | "own" | "keep" | "has"));
    let Some(does) =
        said.positions().find(|at| matches!(said.word(*at), "do" | "does" | "did")).filter(|_| asks && has)
    else {
        return false;
    };
    let rows =
        |thing: usize| said.index.things[thing].table.is_some_and(|table| said.index.table(table).name == plan.from);
    let is_rows = |at: usize| {
        said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Thing(thing) if rows(thing)))
    };
    let counts_rows = counts_rows(plan);
    let owner = (does + 1..said.tokens.len()).any(is_rows) && !(2..does).any(is_rows);
    let label = |id: ColId| said.index.things.iter().any(|thing| thing.label == Some(id));
    let called = conjuncts(plan).into_iter().any(|pred| match pred {
        Pred::Test { test: Test::Eq, expr, .. } => {
            column(said.index, expr).is_some_and(|id| label(id) && is_of_rows(said.index, plan, id))
        }
        _ => false,
    });
    counts_rows && (owner || called)
}

/// `the last closed complaint`: by when it was closed, where that is known.
fn dates_it_otherwise(said: &Parser, plan: &Plan) -> bool {
    let Some(top) = &plan.top else { return false };
    let ranked = plan.select.iter().find(|item| item.name == top.by).and_then(|item| column(said.index, &item.expr));
    let Some(by) = ranked.filter(|id| said.index.column(*id).ty.is_temporal()) else { return false };
    let ordinal = |at: usize| matches!(said.word(at), "last" | "first" | "latest" | "earliest" | "recent" | "recently");
    let event = |at: usize| {
        let named = |id: &ColId| said.index.facts(*id).event.iter().any(|word| *word == said.word(at));
        said.index.columns_of(by.table).find(named)
    };
    said.positions().any(|at| ordinal(at) && event(at + 1).is_some_and(|id| id != by))
}

/// `how many orders were delivered` beside a column of states: which of them that is was not found.
fn counts_all_for_a_deed(said: &Parser, plan: &Plan) -> bool {
    const DEEDS: &[&str] =
        &["delivered", "shipped", "dispatched", "completed", "finished", "held", "won", "win", "fulfilled", "done"];
    let passed = |at: usize| {
        let of_data = |what: &What| !matches!(what, What::Role(_));
        DEEDS.contains(&said.word(at)) && !said.mentions.covering(at).any(|mention| of_data(&mention.what))
    };
    let state = |id: ColId| {
        let info = said.index.column(id);
        let words = &said.index.facts(id).words;
        let named = words.iter().any(|word| matches!(word.as_str(), "status" | "state" | "outcome" | "stage"));
        is_of_rows(said.index, plan, id) && named && info.values.len() > 1
    };
    said.positions().any(passed) && said.index.columns().any(state)
}

/// `rent per staff` beside how many staff there are: a ratio, not one group for each number of heads.
fn shares_by_heads(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let heads = |id: ColId| {
        let person = |word: &String| {
            let crowd = matches!(word.as_str(), "staff" | "headcount" | "people" | "heads" | "crew" | "employees");
            crowd || index.lexicon.is_person(&index.forms.singular(word))
        };
        let facts = index.facts(id);
        index.column(id).ty.is_number() && !facts.identifier && facts.core.iter().any(person)
    };
    let per = |id: ColId| said.positions().any(|at| matches!(said.word(at), "per" | "each") && names(said, at + 1, id));
    grouped(index, plan).into_iter().any(|id| heads(id) && per(id))
}

/// `paid by owners in Dover`, `collected by volunteers`: who did it chooses rows; each of them is not asked for.
fn tells_agents_apart(said: &Parser, plan: &Plan) -> bool {
    let groups = grouped(said.index, plan);
    let agent = |at: usize| {
        let verb = matches!(said.word(at), "paid" | "made" | "given" | "spent" | "sent");
        let doer = said.mentions.at(at + 2).iter().any(|mention| matches!(mention.what, What::Thing(_)));
        verb && said.word(at + 1) == "by" && doer && groups.iter().any(|id| names(said, at + 2, *id))
    };
    let two_valued = groups.iter().any(|id| said.index.facts(*id).yes.is_some());
    let plural = |at: usize| said.tokens.get(at).is_some_and(|token| token.fold != token.singular);
    let people =
        |at: usize| said.word(at) == "by" && (plural(at + 1) || plural(at + 2) && !said.mentions.is_data(at + 3));
    said.positions().any(agent) || two_valued && said.positions().any(people)
}

/// `including weekends`: what is named there is not all that is meant, and what is counted along is not passed over.
fn narrows_what_is_included(said: &Parser, plan: &Plan) -> bool {
    let counts = plan.measures.iter().any(|measure| measure.agg == Agg::Count);
    let narrows = |what: &What| match what {
        What::When(_) | What::Value(_) => true,
        What::Columns(_) => counts,
        _ => false,
    };
    let next = |at: usize| said.mentions.at(at).iter().any(|mention| narrows(&mention.what));
    said.positions().any(|at| said.word(at) == "including" && (next(at + 1) || next(at + 2)))
}

/// `average revenue per day` of several rows a day: the average of what days brought in, not of rows on each day.
fn averages_rows_for_periods(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let amount = |expr: &Expr| column(index, expr).is_some_and(|id| index.facts(id).adds_up());
    // An average that the owner of the data has declared is what it is called.
    let declared = |expr: &Expr| {
        index.dataset.measures.iter().any(|known| known.agg == Agg::Avg && known.expr.as_ref() == Some(expr))
    };
    let averaged = plan.measures.iter().any(|measure| {
        measure.agg == Agg::Avg && measure.expr.as_ref().is_some_and(|expr| amount(expr) && !declared(expr))
    });
    let several = |expr: &Expr| column(index, expr).is_some_and(|id| !index.column(id).unique);
    let per = |grain: &str| said.positions().any(|at| said.word(at) == "per" && said.word(at + 1) == grain);
    let periods = plan.group.iter().filter(|group| group.grain.is_some_and(|grain| per(grain.as_str())));
    averaged && plan.group.len() == 1 && periods.into_iter().any(|group| several(&group.expr))
}

/// `total payments` beside an amount: what they come to may be meant as well as how many there were.
fn counts_what_is_added_up(said: &Parser, plan: &Plan) -> bool {
    const MONEY: &[&str] = &[
        "payment",
        "fee",
        "fine",
        "invoice",
        "bill",
        "donation",
        "pledge",
        "deposit",
        "refund",
        "expense",
        "cost",
        "charge",
        "contribution",
        "grant",
        "tip",
        "salary",
        "payout",
    ];
    let index = said.index;
    let rows = |at: usize| said.tokens.get(at).is_some_and(|token| MONEY.contains(&token.singular.as_str()));
    let named = |id: ColId| index.facts(id).core.iter().any(|word| matches!(word.as_str(), "amount" | "total"));
    let adds_up = |id: ColId| index.facts(id).adds_up();
    let amount = |id: ColId| (index.facts(id).is_money() || named(id)) && adds_up(id);
    let brings = index.columns().any(|id| is_of_rows(index, plan, id) && amount(id));
    let counts = counts_rows(plan);
    counts && brings && said.positions().any(|at| said.word(at) == "total" && rows(at + 1))
}

/// `how many chairs were rented` beside how many of them a row stands for: pieces may be meant as well as rows.
fn counts_rows_for_pieces(said: &Parser, plan: &Plan) -> bool {
    let pieces = |id: ColId| {
        let many = |word: &String| matches!(word.as_str(), "qty" | "quantity" | "units" | "pieces" | "pcs");
        let facts = said.index.facts(id);
        is_of_rows(said.index, plan, id) && said.index.column(id).ty.is_number() && facts.core.iter().all(many)
    };
    let counts = plan.measures.iter().any(|measure| match measure.agg {
        Agg::Count => measure.expr.is_none(),
        Agg::CountDistinct => measure.expr.as_ref().and_then(|expr| column(said.index, expr)).is_some(),
        _ => false,
    });
    let kind = |at: usize| {
        let value = |what: &What| matches!(what, What::Value(_));
        let rows = said.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Thing(_)));
        let item = matches!(said.word(at), "items" | "pieces" | "units") && !rows;
        item || said.mentions.at(at).iter().any(|mention| value(&mention.what))
            && !said.mentions.at(at + 1).iter().any(|mention| matches!(mention.what, What::Thing(_)))
    };
    let asked = said.positions().any(|at| said.word(at) == "how" && said.word(at + 1) == "many" && kind(at + 2));
    counts && asked && said.index.columns().any(pieces)
}

/// `happened in June` of a date that only says when it is due.
fn takes_a_plan_for_a_fact(said: &Parser, plan: &Plan) -> bool {
    let happened = ["happened", "happen", "occurred", "took"].iter().any(|word| said.has(word));
    let planned = |id: ColId| said.index.facts(id).words.iter().any(|word| said.index.lexicon.is_elsewhen(word));
    let tested = |pred: &Pred| matches!(pred, Pred::Test { expr, .. } if column(said.index, expr).is_some_and(planned));
    happened && conjuncts(plan).into_iter().any(tested)
}

/// `open on 30 June`: what was open then had not begun on that very day.
fn takes_a_state_for_a_beginning(said: &Parser) -> bool {
    let state = |at: usize| matches!(said.word(at), "open" | "out" | "active" | "running");
    let day = |at: usize| said.mentions.is_period(at);
    said.positions().any(|at| state(at) && said.word(at + 1) == "on" && (day(at + 1) || day(at + 2)))
}

/// `what did they bring in`: neither a list nor a number of rows says so.
fn earns_nothing(said: &Parser, plan: &Plan) -> bool {
    let brings = |at: usize| {
        let verb = matches!(said.word(at), "bring" | "brings" | "brought" | "bringing");
        verb && (at + 1..=at + 2).any(|next| said.word(next) == "in")
    };
    let sums = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Sum | Agg::Avg | Agg::Median));
    said.positions().any(brings) && !sums && plan.top.is_none()
}

/// `how many units do we have in stock`: what is there is told by the stock itself, not by what was sold of it.
fn adds_up_beside_the_stock(said: &Parser, plan: &Plan) -> bool {
    let stock = |id: ColId| {
        let named = said.index.facts(id).has_any(&["stock", "inventory"]);
        named && said.index.table(id.table).name != plan.from
    };
    let held = |pred: &Pred| match pred {
        Pred::Test { test: Test::Gt, expr, .. } => column(said.index, expr).is_some_and(stock),
        _ => false,
    };
    let sums = plan.measures.iter().any(|measure| measure.agg == Agg::Sum);
    sums && plan.having.is_none() && conjuncts(plan).into_iter().any(held)
}

/// `what share of the men and of the women`: one share of both together is hardly meant.
fn shares_of_both(said: &Parser, plan: &Plan) -> bool {
    let several = |pred: &Pred| matches!(pred, Pred::Test { test: Test::In, expr: Expr::Col { .. }, .. });
    let ratio = plan.compute.iter().any(|compute| compute.op == ComputeOp::Ratio) && plan.group.is_empty();
    let and_of = |at: usize| said.word(at) == "and" && matches!(said.word(at + 1), "of" | "the");
    ratio && conjuncts(plan).into_iter().any(several) && said.positions().any(and_of)
}

/// `how many people visited the library` where nothing is known of visits.
fn counts_visits_of_none(said: &Parser) -> bool {
    let visit = |at: usize| matches!(said.word(at), "visit" | "visited" | "visits" | "visiting");
    let plain = |at: usize| said.mentions.covering(at).all(|mention| matches!(mention.what, What::Role(_)));
    let words = |id: ColId| said.index.facts(id).words.iter().any(|word| word.starts_with("visit"));
    let tables = said.index.dataset.tables.iter().any(|table| table.name.to_lowercase().contains("visit"));
    said.positions().any(|at| visit(at) && plain(at)) && !tables && !said.index.columns().any(words)
}

/// `which zone has the smallest pitches`: how large they are, never how many.
fn sizes_by_counting(said: &Parser, plan: &Plan) -> bool {
    const SIZES: &[&str] = &[
        "longest", "shortest", "largest", "biggest", "smallest", "tallest", "heaviest", "lightest", "oldest",
        "youngest", "cheapest", "dearest", "fastest", "slowest", "deepest", "widest",
    ];
    const NUMBERS: &[&str] = &["number", "count", "many", "most", "fewest", "share", "group", "groups", "crowd"];
    let Some(top) = &plan.top else { return false };
    let counts = plan.measures.iter().any(|measure| measure.name == top.by && measure.agg == Agg::Count);
    counts && SIZES.iter().any(|word| said.has(word)) && !NUMBERS.iter().any(|word| said.has(word))
}

/// `with kids and dogs`: both are conditions, or none.
fn tests_only_the_first(said: &Parser, plan: &Plan) -> bool {
    let columns = |at: usize| -> Vec<(usize, ColId)> {
        let of = |what: &What| match what {
            What::Columns(columns) | What::Flag(columns) => columns.clone(),
            _ => Vec::new(),
        };
        let found =
            said.mentions.at(at).iter().flat_map(|mention| of(&mention.what).into_iter().map(|id| (mention.end, id)));
        found.collect()
    };
    let columns_tested: Vec<&str> = plan.filter.iter().flat_map(Pred::columns_of_any_rows).collect();
    let tested = |id: ColId| columns_tested.contains(&said.index.qualified(id).as_str());
    let has = |at: usize| is_with(said.word(at));
    said.positions().filter(|at| has(*at)).any(|at| {
        columns(at + 1).into_iter().any(|(end, first)| {
            let second = columns(end + 1);
            said.word(end) == "and" && tested(first) && !second.is_empty() && !second.iter().any(|(_, id)| tested(*id))
        })
    })
}

/// `women over 60 finished`: what is said of people is their age, where it is known.
fn ages_something_else(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let age = |id: ColId| index.facts(id).core.iter().any(|word| word == "age");
    let known = index.columns().any(|id| is_of_rows(index, plan, id) && age(id));
    let people = |at: usize| {
        let noun = said.tokens.get(at).map_or(String::new(), |token| token.singular.clone());
        matches!(noun.as_str(), "man" | "woman" | "person" | "people" | "many" | "men" | "women" | "boy" | "girl")
            || index.lexicon.is_of_any(&["person"], &noun)
    };
    let bound = |at: usize| {
        let number =
            said.tokens.get(at + 1).and_then(Token::number).is_some_and(|number| (5.0..=110.0).contains(&number));
        matches!(said.word(at), "over" | "under" | "above" | "below") && number
    };
    let bare = said.positions().any(|at| {
        at > 0
            && bound(at)
            && people(at - 1)
            && said.tokens.get(at + 2).is_some_and(|next| index.lexicon.unit(&next.fold).is_none())
    });
    let compares = |pred: &&Pred| match pred {
        Pred::Test { test: Test::Gt | Test::Ge | Test::Lt | Test::Le, expr, .. } => column(index, expr).is_some(),
        _ => false,
    };
    let tests = conjuncts(plan);
    let mut compared = tests.iter().copied().filter(|pred| compares(pred)).peekable();
    let aged = |pred: &Pred| matches!(pred, Pred::Test { expr, .. } if column(index, expr).is_some_and(age));
    known && bare && compared.peek().is_some() && !compared.any(aged)
}

/// `which town paid the most`, `which city gives the most`: rows that were paid are not what was paid.
fn counts_what_was_paid(said: &Parser, plan: &Plan) -> bool {
    const PAY: &[&str] = &["paid", "spent", "pays", "spends", "pay", "spend", "owes", "owed"];
    const GIVE: &[&str] = &["gives", "gave", "give", "donates", "donated", "contributed", "raised"];
    let most = |at: usize| said.word(at) == "the" && matches!(said.word(at + 1), "most" | "least");
    let alone = |at: usize| GIVE.contains(&said.word(at)) && at + 3 == said.tokens.len();
    let paid = |at: usize| (PAY.contains(&said.word(at)) || alone(at)) && most(at + 1);
    let top = plan.top.as_ref();
    let ranked =
        top.is_some_and(|top| plan.measures.iter().any(|measure| measure.name == top.by && measure.agg == Agg::Count));
    ranked && said.positions().any(paid)
}

/// `not the distance`: a number itself is not denied, so the negation was passed over.
fn denies_a_number(said: &Parser) -> bool {
    let number = |what: &What| match what {
        What::Columns(columns) => {
            columns.iter().all(|id| said.index.column(*id).ty.is_number() && said.index.facts(*id).yes.is_none())
        }
        What::Measure(_) => true,
        _ => false,
    };
    let state = |what: &What| matches!(what, What::Value(_) | What::Flag(_) | What::Event(_) | What::Opposite { .. });
    let denied = |at: usize| {
        let names = said.mentions.at(at + 1);
        said.word(at) == "not"
            && names.iter().any(|name| number(&name.what))
            && !names.iter().any(|name| state(&name.what))
    };
    said.positions().any(denied)
}

/// `spent on insurance`: what money went to is not a cell that only begins with the word.
fn spends_on_a_part(said: &Parser) -> bool {
    let loose = |at: usize| said.mentions.at(at).iter().any(|name| name.synonym && matches!(name.what, What::Value(_)));
    let spent = |at: usize| matches!(said.word(at), "spend" | "spent" | "spending" | "spends");
    said.positions().any(|at| spent(at) && said.word(at + 1) == "on" && loose(at + 2))
}

/// `lasted longer than 12 hours`: how long a part of it took is not how long it lasted.
fn lasts_otherwise(said: &Parser, plan: &Plan) -> bool {
    const WHOLE: &[&str] =
        &["time", "duration", "length", "hours", "minutes", "days", "elapsed", "runtime", "stay", "took"];
    let lasts = ["lasted", "lasting", "last", "lasts", "took", "take", "takes"].iter().any(|word| said.has(word));
    let part = |id: ColId| {
        let facts = said.index.facts(id);
        let timed = facts.unit.as_ref().is_some_and(|unit| unit.family == "time");
        let named = facts.has_any(WHOLE);
        let spoken = facts.core.iter().any(|word| said.has(word));
        timed && !named && !spoken
    };
    let compared = |pred: &&Pred| match pred {
        Pred::Test { test: Test::Gt | Test::Ge | Test::Lt | Test::Le, expr, .. } => {
            super::column(said.index, expr).is_some_and(part)
        }
        _ => false,
    };
    lasts && super::conjuncts(plan).iter().any(compared)
}
