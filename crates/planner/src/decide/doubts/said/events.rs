//! Words that name a state or a moment of the rows and that a plan does not look at.

use data::plan::Plan;

use super::super::{column, conjuncts, is_of_rows};
use crate::index::ColId;
use crate::mentions::What;
use crate::readings::Parser;

/// Whether a state or a date that is said is not part of a plan.
pub fn are_passed_over(said: &Parser, plan: &Plan) -> bool {
    a_state(said, plan) || a_date(said, plan) || a_rating(said, plan)
}

/// `which drivers delivered 40 parcels`, `which country cancels most often`, beside states `Delivered` and `Cancelled`: a
/// verb that is a cell of the rows is more than a link.
fn a_state(said: &Parser, plan: &Plan) -> bool {
    const STATES_MAX: usize = 20;
    let index = said.index;
    let used = plan.canonical().to_string().to_lowercase();
    let own = |id: &ColId| is_of_rows(index, plan, *id) && index.column(*id).values.len() <= STATES_MAX;
    let says = |value: &String| {
        const ROOT_MIN: usize = 5;
        let state = value.to_lowercase();
        let Some(root) = state.strip_suffix("ed").filter(|root| root.len() >= ROOT_MIN) else { return false };
        // "Cancels" and `Cancelled` differ by a letter.
        let akin =
            |stem: &str| stem == root || root.strip_suffix('l') == Some(stem) || index.forms.stem(&state) == stem;
        let verb = |at: usize| akin(&said.tokens[at].stem) && !said.mentions.at(at).iter().any(is_named);
        !used.contains(&state) && said.positions().any(verb)
    };
    index.columns().filter(own).any(|id| index.column(id).values.iter().any(says))
}

/// A word that names a table, a column or a number of the dataset says more than a state.
fn is_named(mention: &crate::mentions::Mention) -> bool {
    matches!(mention.what, What::Thing(_) | What::Columns(_) | What::Measure(_) | What::Event(_) | What::Flag(_))
}

/// `which month had the most arrivals` beside when they arrived: no other date says so.
fn a_date(said: &Parser, plan: &Plan) -> bool {
    let index = said.index;
    let is_date = |id: &ColId| is_of_rows(index, plan, *id) && index.column(*id).ty.is_temporal();
    let tested = conjuncts(plan).into_iter().filter_map(|pred| match pred {
        data::plan::Pred::Test { expr, .. } => column(index, expr),
        _ => None,
    });
    let grouped =
        plan.group.iter().filter(|group| group.grain.is_some()).filter_map(|group| column(index, &group.expr));
    let used: Vec<ColId> = tested.chain(grouped).filter(is_date).collect();
    let rows = crate::words::split_name(&plan.from);
    let names = |id: ColId| {
        let event = index.facts(id).event.iter().map(|word| index.forms.stem(word));
        event
            .filter(|stem| stem.len() > 4 && !rows.iter().any(|row| index.forms.stem(row) == *stem))
            .collect::<Vec<_>>()
    };
    let said_of = |id: ColId| names(id).iter().any(|stem| said.tokens.iter().any(|token| token.stem == *stem));
    let [date] = used[..] else { return false };
    let read = plan.columns();
    let other = |id: &ColId| *id != date && !read.contains(&index.qualified(*id).as_str());
    !said_of(date) && index.columns().filter(is_date).filter(other).any(said_of)
}

/// `rated 4 or 5` is no rate for an hour.
fn a_rating(said: &Parser, plan: &Plan) -> bool {
    let rate = |id: ColId| said.index.facts(id).has("rate");
    let tests = conjuncts(plan).into_iter().any(|pred| match pred {
        data::plan::Pred::Test { expr, .. } => column(said.index, expr).is_some_and(rate),
        _ => false,
    });
    said.has("rated") && tests
}
