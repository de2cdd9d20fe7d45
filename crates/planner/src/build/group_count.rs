//! Groups that are counted instead of listed: `how many customers have more than 5 orders`.
//!
//! The groups and the condition on them are planned as for a list of them; then their number is the answer.

use base::Type;
use data::plan::{Agg, Expr, Group, LIMIT_DEFAULT, Over, OverAgg, Plan, Pred, Test};

use super::Why;
use super::condition::{all_of, not};
use super::ground::Ground;
use super::shape::Aggregate;
use crate::draft::{Draft, Head, Target};
use crate::index::Index;
use crate::words::{plural, snake};

/// What is counted where a draft asks how many groups pass a condition.
pub fn counted(index: &Index, draft: &Draft) -> Option<Target> {
    let [Head { target, agg: Some(Agg::Count), .. }] = &draft.heads[..] else { return None };
    let grouped = match target {
        Target::Thing(_) | Target::Grain(_) => true,
        Target::Columns(columns) => columns.iter().all(|id| index.column(*id).ty == Type::Text),
        _ => false,
    };
    (grouped && draft.groups.is_empty() && draft.series.is_none()).then(|| target.clone())
}

/// The plan with its groups counted, and the number's name.
pub fn count(ground: &mut Ground, shape: &Aggregate, mut plan: Plan) -> Result<(Plan, Vec<String>), Why> {
    if !shape.sides.is_empty() || plan.group.is_empty() {
        return Err(Why::unsupported("two numbers of groups at once"));
    }
    leave_out_unnamed(ground, &mut plan);
    let noun = match shape.groups.first() {
        Some(Target::Thing(thing)) => ground.index.things[*thing].noun.clone(),
        _ => plan.group[0].name.clone(),
    };
    let name = ground.names.fresh(&plural(&snake(&noun)));
    plan.order.clear();
    plan.limit = LIMIT_DEFAULT;
    plan.over = vec![Over { name: name.clone(), agg: OverAgg::Count, of: None }];
    Ok((plan, vec![name]))
}

/// Rows without a name form a group of their own, which is none of the things that are counted.
fn leave_out_unnamed(ground: &mut Ground, plan: &mut Plan) {
    let nullable = |group: &Group| match &group.expr {
        Expr::Col { col } => ground.index.find(col).is_some_and(|id| ground.index.column(id).nulls > 0),
        _ => false,
    };
    let unnamed: Vec<Expr> =
        plan.group.iter().filter(|group| nullable(group)).map(|group| group.expr.clone()).collect();
    for expr in unnamed {
        let Expr::Col { col } = &expr else { continue };
        ground.assume("nulls", format!("rows without {col} are left out"));
        let named = not(Pred::Test { test: Test::IsNull, expr, values: Vec::new() });
        plan.filter = all_of(plan.filter.take().into_iter().chain([named]).collect());
    }
}
