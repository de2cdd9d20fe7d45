//! Readings that account for every word and are still not what was meant, or leave open whether they are.
//!
//! Each check is one way in which a plan can be right and the answer wrong, found with questions of people. What is surely not
//! meant is dropped, what may be meant otherwise is refused with the question it leaves open, and the rest is never called
//! verified.

mod amounts;
mod plans;
mod said;

use base::{Cell, Type};
use data::plan::{Agg, Expr, Measure, Op, Plan, Pred, Test};

use crate::Reading;
use crate::build::{self, Why};
use crate::draft::{Condition, Draft, Filter, Head, Target, Zone};
use crate::index::{ColId, Index};
use crate::lexicon::{Ask, Role};
use crate::mentions::{Mention, Mentions, What};
use crate::readings::Parser;
use crate::tokens::{Kind, Token};
use crate::words::{is_be, split_name};

pub use amounts::{checked, counted_otherwise, is_counted_by_rows};
pub use plans::averages_over_kinds;

/// What speaks against a plan as the answer to a question, wherever it came from; nothing where no check objects. What only
/// the way from words to a plan can tell is not known here.
pub fn of_plan(parser: &Parser, plan: &Plan) -> Option<String> {
    let Parser { index, tokens, .. } = parser;
    let outputs = plan.group.iter().map(|item| &item.name).chain(plan.select.iter().map(|item| &item.name));
    let reading = Reading {
        plan: plan.clone(),
        focus: outputs.cloned().collect(),
        assumptions: Vec::new(),
        ambiguous: false,
        chart: None,
        score: 0.0,
    };
    if let Some(message) = amounts::misused(index, &reading) {
        return Some(message);
    }
    if let Some(name) = takes_zero_for_something(index, tokens, plan) {
        return Some(format!("it is open whether {name} is 0 or missing"));
    }
    let open = [
        (tests_one_of_many(index, plan), "it is open whether that is said of one row or of all of them together"),
        (ranks_what_has_ended(index, plan), "it is open whether what has not ended yet is meant, too"),
        (counts_sales(index, tokens, plan), "it is open whether sales are counted or what they brought in"),
        (repeats_the_question(&reading), "it shows only what the question itself says"),
        (averages_over_kinds(tokens, plan), "it averages over kinds of things that the question does not tell apart"),
        (is_wrong(parser, &reading), "it accounts for the columns, but not for what the words of the question ask"),
    ];
    open.into_iter().find(|(stands, _)| *stands).map(|(_, words)| words.to_string())
}

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
pub fn is_open(parser: &Parser, plan: &Plan) -> bool {
    let Parser { index, tokens, mentions, .. } = parser;
    let counts = matches!(&plan.measures[..], [Measure { agg: Agg::Count, .. }]);
    counts_values(index, plan) || counts && ends_in_a_deed(tokens, mentions)
}

/// Whether nobody means what a reading computes.
pub fn is_wrong(parser: &Parser, reading: &Reading) -> bool {
    let Parser { index, tokens, .. } = parser;
    // "Booked only at the Plaza" is said of all rows of a thing.
    let of_all = tokens.iter().any(|token| matches!(token.fold.as_str(), "only" | "always" | "exclusively" | "every"));
    let plan = &reading.plan;
    of_all && (takes_any_row(reading) || build::tests_other_rows(plan))
        || plans::is_meant_by_nobody(index, tokens, plan)
        || passes_over_a_deed(parser, plan)
        || amounts::passes_over_a_number(index, tokens, plan)
        || amounts::drops_the_second(index, tokens, plan)
        || said::is_denied(parser, reading)
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
        facts.adds_up()
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
    let money = |id: ColId| {
        let words = ["total", "amount", "revenue", "price", "value", "takings", "turnover"];
        let named = index.facts(id).has_any(&words);
        is_of_rows(index, plan, id) && index.column(id).ty.is_number() && named
    };
    let told = said(&["many", "number", "count", "often"]);
    counts_rows(plan) && said(&["sales"]) && !told && index.columns().any(money)
}

/// Whether what was done to the rows closes the question and no name of the dataset says it: "how many flights were made".
fn ends_in_a_deed(tokens: &[Token], mentions: &Mentions) -> bool {
    let [.., verb, deed] = tokens else { return false };
    let passive = is_be(&verb.fold);
    let open = |mention: &Mention| matches!(mention.what, What::Role(Role::Light | Role::Created | Role::Link));
    passive && deed.kind == Kind::Word && mentions.at(tokens.len() - 1).iter().any(open)
}

/// Whether all rows are counted where the question closes with a deed that chooses rows and that nothing records: "how many
/// tickets were delivered".
fn passes_over_a_deed(parser: &Parser, plan: &Plan) -> bool {
    let Parser { index, tokens, mentions, .. } = parser;
    let Some(deed) = tokens.last().map(|token| token.fold.as_str()) else { return false };
    let verbs = &index.lexicon.verbs;
    let mut records = verbs.recorded(deed).peekable();
    let chooses = records.peek().is_some() && verbs.plain(deed).is_none();
    let stems: Vec<String> = split_name(&plan.from).iter().map(|word| index.forms.stem(word)).collect();
    let rows = |word: &str| stems.contains(&index.forms.stem(word));
    chooses && plan.filter.is_none() && counts_rows(plan) && ends_in_a_deed(tokens, mentions) && !records.any(rows)
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

/// Whether one row of each period is shown where the greatest period may be meant: "the farm's highest daily output".
pub fn shows_extremes_of_periods(plan: &Plan) -> bool {
    let extreme = plan.measures.iter().any(|measure| matches!(measure.agg, Agg::Max | Agg::Min));
    extreme && plan.group.iter().any(|item| item.grain.is_some())
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

/// The conditions that all hold of a plan's rows.
fn conjuncts(plan: &Plan) -> Vec<&Pred> {
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

/// The columns that a plan groups by.
fn grouped(index: &Index, plan: &Plan) -> Vec<ColId> {
    plan.group.iter().filter_map(|group| column(index, &group.expr)).collect()
}

/// The columns that a plan adds up, averages or counts.
fn measured(index: &Index, plan: &Plan) -> Vec<ColId> {
    plan.measures.iter().filter_map(|measure| column(index, measure.expr.as_ref()?)).collect()
}

/// Whether rows themselves are counted.
fn counts_rows(plan: &Plan) -> bool {
    plan.measures.iter().any(|measure| measure.agg == Agg::Count && measure.expr.is_none())
}

/// Whether a column is one of the rows that a plan starts from.
fn is_of_rows(index: &Index, plan: &Plan, id: ColId) -> bool {
    index.table(id.table).name == plan.from
}

/// The column that an expression is, if it is nothing else.
fn column(index: &Index, expr: &Expr) -> Option<ColId> {
    match expr {
        Expr::Col { col } => index.find(col),
        _ => None,
    }
}
