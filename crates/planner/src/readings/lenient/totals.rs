//! Totals that a question leaves unsaid: `what did H-07 pay`, `how much do patients still owe us`.

use data::plan::Agg;

use super::super::{Parser, Steps};
use crate::draft::{Columns, Condition, Draft, Filter, Head, Pending, Target};
use crate::index::ColId;
use crate::mentions::What;
use crate::score::Feature;

/// `what did cargo bikes earn`: with a verb that says a number, "what" asks how much.
pub fn what_did(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asks = parser.word(at) == "what" && matches!(parser.word(at + 1), "did" | "do" | "does");
    let verb = |at: usize| {
        let token = &parser.tokens[at];
        let said = matches!(
            token.singular.as_str(),
            "pay" | "spend" | "earn" | "cost" | "use" | "consume" | "generate" | "produce" | "make"
        );
        said && parser.mentions.at(at).iter().any(|mention| matches!(mention.what, What::Columns(_) | What::Measure(_)))
    };
    if asks && draft.is_fresh() && (at + 2..parser.tokens.len()).any(verb) {
        steps.push((at + 2, draft.with(|next| next.pending = Some(Pending::Much))));
    }
}

/// `how much do patients still owe us`: what is not paid yet, added up.
pub fn owed(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let still = usize::from(parser.word(at) == "still");
    let verb = matches!(parser.word(at + still), "owe" | "owes" | "owed");
    // "How much money do they owe".
    let money_said = matches!(&draft.heads[..], [Head { amount: true, agg: None, target: Target::Columns(_), .. }]);
    if !verb || draft.pending != Some(Pending::Much) && !money_said {
        return;
    }
    let index = parser.index;
    let paid = |id: &ColId| {
        let facts = index.facts(*id);
        facts.yes.is_some() && facts.core.iter().any(|word| matches!(word.as_str(), "paid" | "settled"))
    };
    let flags: Columns = index.columns().filter(paid).collect();
    let [flag] = flags[..] else { return };
    let money = |id: &ColId| {
        let named =
            |word: &String| matches!(word.as_str(), "bill" | "amount" | "total" | "price" | "fee" | "cost" | "charge");
        id.table == flag.table && index.column(*id).ty.is_number() && index.facts(*id).words.iter().any(named)
    };
    let amounts: Columns = index.columns().filter(money).collect();
    if amounts.len() != 1 {
        return;
    }
    let text = format!("what is owed = {} where {} says no", index.column(amounts[0]).name, index.column(flag).name);
    let mut next = draft.granting(Feature::OpenChoice, "owed", text);
    next.pending = None;
    next.heads.clear();
    next.heads.push(Head { agg: Some(Agg::Sum), ..Head::plain(Target::Columns(amounts)) });
    let zone = next.zone();
    next.filters.push(Filter { condition: Condition::Flag(flags), negated: true, zone });
    let end = at + still + 1;
    steps.push((end + usize::from(parser.word(end) == "us"), next));
}
