//! The two sides of a comparison become groups of one column or period, or one number for each side.

use data::plan::{Agg, Compute, ComputeOp, Dir, Grain, Measure, Plan, Test};

use super::Why;
use super::condition::all_of;
use super::ground::Ground;
use crate::draft::{Amount, Columns, Condition, Draft, Filter, Target, Zone};
use crate::index::{ColId, Index};
use crate::period::{Period, When};
use crate::score::Feature;

type Cells = Vec<(ColId, Vec<String>)>;

/// Sets the sides of a comparison against each other; what is left as sides cannot be groups.
pub fn sides(index: &Index, draft: &mut Draft, implied: &mut Vec<Feature>) -> Result<Vec<Filter>, Why> {
    set_apart(draft);
    let Some(split) = draft.contrast.or_else(|| parts_of_week(draft)) else {
        return match draft.difference {
            Some(_) => Err(Why::unsupported("the difference between what is not clear")),
            None => Ok(Vec::new()),
        };
    };
    let Some((first, second)) = pair(draft, split) else {
        if split == 0 && draft.difference.is_none() {
            return Ok(Vec::new());
        }
        return Err(Why::unsupported("what is compared with what is not clear"));
    };
    let periods = is_period(&draft.filters[first]) && is_period(&draft.filters[second]);
    imply_aggregates(index, draft, periods, implied)?;
    let later = draft.filters.remove(first.max(second));
    let earlier = draft.filters.remove(first.min(second));
    let shared =
        |one: &Cells, other: &Cells| one.iter().any(|(column, _)| other.iter().any(|(known, _)| known == column));
    match (&earlier.condition, &later.condition) {
        _ if draft.difference.is_some() && !leaves_out(index, &earlier) && !leaves_out(index, &later) => {
            Ok(vec![earlier, later])
        }
        (Condition::Values { cells: one, .. }, Condition::Values { cells: other, .. })
            if !earlier.negated && !later.negated && shared(one, other) =>
        {
            let joined = |(column, texts): &(_, Vec<String>)| {
                let (_, more) = other.iter().find(|(known, _)| known == column)?;
                Some((*column, texts.iter().chain(more).cloned().collect::<Vec<_>>()))
            };
            let cells: Vec<_> = one.iter().filter_map(joined).collect();
            let group = Target::Columns(cells.iter().map(|(column, _)| *column).collect());
            draft.filters.push(Filter { condition: Condition::Values { cells, all: false }, ..earlier });
            add_group(draft, group);
            Ok(Vec::new())
        }
        (Condition::Flag(columns), Condition::Flag(others))
            if columns == others && earlier.negated != later.negated =>
        {
            draft.filters.extend(known(index, columns));
            add_group(draft, Target::Columns(columns.clone()));
            Ok(Vec::new())
        }
        (
            Condition::Time { columns, when: one, verb: false },
            Condition::Time { columns: others, when: other, verb: false },
        ) => {
            let columns = columns.clone().or_else(|| others.clone());
            let other = relative_to(one, other);
            if let Some(grain) = grain(one).filter(|known| grain(&other) == Some(*known)) {
                let whens = vec![one.clone(), other];
                draft.filters.push(Filter { condition: Condition::AnyTime { columns, whens }, ..earlier });
                add_group(draft, Target::Grain(grain));
                return Ok(Vec::new());
            }
            let side = |when: When| Filter {
                condition: Condition::Time { columns: columns.clone(), when, verb: false },
                ..earlier.clone()
            };
            Ok(vec![side(one.clone()), side(other)])
        }
        _ if [&earlier, &later].iter().any(|side| leaves_out(index, side)) => {
            Err(Why::ambiguous("whether rows that say nothing of it are on the other side"))
        }
        _ => Ok(vec![earlier, later]),
    }
}

/// `the difference between North and South`, `between 2023 and 2024`: what one phrase names are the two sides.
fn set_apart(draft: &mut Draft) {
    if draft.difference.is_none() || draft.contrast != Some(0) {
        return;
    }
    let both = |filter: &Filter| match &filter.condition {
        Condition::Values { cells, .. } if !filter.negated && cells.iter().all(|(_, texts)| texts.len() == 2) => {
            let side = |which: usize| {
                let cells = cells.iter().map(|(column, texts)| (*column, vec![texts[which].clone()])).collect();
                Condition::Values { cells, all: false }
            };
            Some([side(0), side(1)])
        }
        Condition::Time { columns, when: When::Between(first, last), verb } => {
            let side =
                |when: &Period| Condition::Time { columns: columns.clone(), when: When::In(when.clone()), verb: *verb };
            Some([side(first), side(last)])
        }
        Condition::Compare { columns, test: Test::Between, amounts, implied } if amounts.len() == 2 => {
            let side = |amount: &Amount| {
                let amounts = vec![amount.clone()];
                Condition::Compare { columns: columns.clone(), test: Test::Eq, amounts, implied: *implied }
            };
            Some([side(&amounts[0]), side(&amounts[1])])
        }
        _ => None,
    };
    let Some((at, sides)) = draft.filters.iter().enumerate().find_map(|(at, filter)| Some((at, both(filter)?))) else {
        return;
    };
    let filter = draft.filters.remove(at);
    if let Condition::Values { cells, .. } = &filter.condition {
        let group = Target::Columns(cells.iter().map(|(column, _)| *column).collect());
        draft.groups.retain(|known| *known != group);
    }
    let sides = sides.map(|condition| Filter { condition, ..filter.clone() });
    draft.filters.splice(at..at, sides);
    draft.contrast = Some(at + 1);
}

/// `on weekends and on weekdays`: no day is both, so they are two sides; where the second stands.
fn parts_of_week(draft: &Draft) -> Option<usize> {
    let days = |filter: &Filter| match &filter.condition {
        Condition::Time { when: When::Weekdays(days), .. } if !filter.negated => Some(days.clone()),
        _ => None,
    };
    let found: Vec<_> = draft.filters.iter().enumerate().filter_map(|(at, filter)| Some((at, days(filter)?))).collect();
    let [(_, one), (second, other)] = &found[..] else { return None };
    (!one.iter().any(|day| other.contains(day))).then_some(*second)
}

/// Whether the side that something is not would be without the rows that do not say.
fn leaves_out(index: &Index, side: &Filter) -> bool {
    match &side.condition {
        Condition::Values { cells, .. } => side.negated && cells.iter().any(|(id, _)| index.column(*id).nulls > 0),
        _ => false,
    }
}

/// With and without are two sides: rows that say neither belong to none of them.
pub fn known(index: &Index, columns: &Columns) -> Option<Filter> {
    let open = columns.iter().any(|id| index.column(*id).nulls > 0);
    open.then(|| Filter { condition: Condition::Missing(columns.clone()), negated: true, zone: Zone::Predicate })
}

fn add_group(draft: &mut Draft, group: Target) {
    if !draft.groups.contains(&group) {
        draft.groups.push(group);
    }
}

/// The conditions that are compared: the nearest two of one kind on both sides of the word between them.
fn pair(draft: &Draft, split: usize) -> Option<(usize, usize)> {
    let filters = &draft.filters;
    if split == 0 {
        let times: Vec<usize> = (0..filters.len()).filter(|at| is_period(&filters[*at])).collect();
        return if let [first, second] = times[..] { Some((first, second)) } else { None };
    }
    let kindred = |one: &Filter, other: &Filter| match (&one.condition, &other.condition) {
        (Condition::Time { .. }, Condition::Time { .. }) => !one.negated && !other.negated,
        (
            Condition::Compare { columns, test: Test::Eq, .. },
            Condition::Compare { columns: others, test: Test::Eq, .. },
        ) => columns == others && one != other,
        (one_side, other_side) if one_side == other_side => one.negated != other.negated,
        (Condition::Values { cells, .. }, Condition::Values { cells: others, .. }) => {
            let shared = cells.iter().any(|(column, _)| others.iter().any(|(other, _)| other == column));
            shared && !one.negated && !other.negated
        }
        _ => false,
    };
    let after = split..filters.len();
    let found = after.flat_map(|later| (0..split).rev().map(move |earlier| (earlier, later)));
    let same = found.into_iter().find(|(earlier, later)| kindred(&filters[*earlier], &filters[*later]));
    let states = |at: usize| matches!(filters[at].condition, Condition::Values { .. } | Condition::Flag(_));
    same.or_else(|| (filters.len() == 2 && split == 1 && states(0) && states(1)).then_some((0, 1)))
}

fn is_period(filter: &Filter) -> bool {
    let bounded =
        matches!(&filter.condition, Condition::Time { when: When::In(_) | When::Between(..), verb: false, .. });
    bounded && !filter.negated
}

/// "The month before", and "the previous 7 days" beside "the last 7 days", come before the period on the other side.
fn relative_to(one: &When, other: &When) -> When {
    match other {
        When::In(Period::Prior(many, grain)) => When::PriorTo(Box::new(one.clone()), *many, *grain),
        When::In(Period::LastMany(many, grain)) if one == other => When::PriorTo(Box::new(one.clone()), *many, *grain),
        _ => other.clone(),
    }
}

/// The grain that both ends of a span have: `from May to June`.
pub fn spanned(draft: &Draft) -> Option<Grain> {
    let ends = |filter: &Filter| match &filter.condition {
        Condition::Time { when: When::Between(first, last), .. } => {
            let [first, last] = [first, last].map(|end| grain(&When::In(end.clone())));
            first.filter(|first| last == Some(*first))
        }
        _ => None,
    };
    draft.filters.iter().find_map(ends)
}

/// The calendar period that a condition on time names one of.
fn grain(when: &When) -> Option<Grain> {
    match when {
        When::PriorTo(inner, 1, grain) => self::grain(inner).filter(|known| known == grain),
        When::In(period) => match period {
            Period::Year(_) => Some(Grain::Year),
            Period::Month(_) => Some(Grain::Month),
            Period::Quarter(_) => Some(Grain::Quarter),
            Period::OfYear(part, _) => self::grain(&When::In((**part).clone())),
            Period::MonthDay(..) | Period::Today | Period::Yesterday => Some(Grain::Day),
            Period::This(grain) | Period::Last(grain) if !matches!(grain, Grain::Week | Grain::Hour) => Some(*grain),
            Period::Span(from, to) => {
                let days = (*to - *from).get_days();
                match days {
                    1 => Some(Grain::Day),
                    28..=31 if from.day() == 1 && to.day() == 1 => Some(Grain::Month),
                    90..=92 if from.day() == 1 && to.day() == 1 => Some(Grain::Quarter),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// Sides are compared by one number: the sum of what adds up, the average of what does not, the count of things.
fn imply_aggregates(index: &Index, draft: &mut Draft, periods: bool, implied: &mut Vec<Feature>) -> Result<(), Why> {
    for head in draft.heads.iter_mut().filter(|head| head.agg.is_none() && !head.amount) {
        match &head.target {
            Target::Columns(columns) if columns.iter().all(|id| index.column(*id).ty.is_number()) => {
                let extensive = columns.iter().all(|id| index.facts(*id).extensive);
                let additive = columns.iter().all(|id| index.facts(*id).additive) || periods && extensive;
                if extensive && !additive {
                    return Err(Why::ambiguous("whether the totals or the averages of both sides are compared"));
                }
                head.agg = Some(if additive { Agg::Sum } else { Agg::Avg });
                implied.push(Feature::ImpliedAggregate);
            }
            Target::Thing(_) | Target::Flag(_) => head.agg = Some(Agg::Count),
            _ => {}
        }
    }
    Ok(())
}

/// One number for each side.
pub fn split(ground: &mut Ground, plan: &mut Plan, sides: &[Filter]) -> Result<Vec<String>, Why> {
    let [measure] = &plan.measures[..] else {
        return Err(Why::unsupported("two sides of several numbers"));
    };
    let measure = measure.clone();
    // Two days against five: the totals, or what a day has of it.
    // "Fewer per day on weekends" is an average over days: each single day is on one side only.
    if sides.iter().any(is_part_of_week_or_day) && plan.group.iter().any(|group| group.grain.is_some()) {
        return Err(Why::unsupported("two parts of the week or day for each single period"));
    }
    if matches!(measure.agg, Agg::Sum | Agg::Count | Agg::CountDistinct) && sides.iter().any(is_part_of_week_or_day) {
        ground.features.push(Feature::OpenChoice);
        ground.assume("totals", "the totals of both sides are compared, however long they are".to_string());
    }
    let mut measures: Vec<Measure> = Vec::new();
    for side in sides {
        let filter = ground.where_all(std::slice::from_ref(side))?;
        let name = ground.names.fresh(&format!("{}_{}", measure.name, label(ground.index, side)));
        let both = [measure.filter.clone(), filter].into_iter().flatten().collect();
        measures.push(Measure { name, filter: all_of(both), ..measure.clone() });
    }
    plan.measures = measures;
    let mut asked: Vec<String> = plan.measures.iter().map(|measure| measure.name.clone()).collect();
    if let Some(dir) = ground.draft.difference {
        let mut args = asked.clone();
        if dir == Dir::Asc {
            args.reverse();
        }
        let name = ground.names.fresh("difference");
        plan.compute.push(Compute { name: name.clone(), op: ComputeOp::Diff, args, per: Vec::new(), along: None });
        asked.push(name);
    }
    Ok(asked)
}

fn is_part_of_week_or_day(side: &Filter) -> bool {
    matches!(&side.condition, Condition::Time { when: When::Weekdays(_) | When::Hours(_), .. })
}

/// What a side is called in the name of its number.
fn label(index: &Index, side: &Filter) -> String {
    match &side.condition {
        Condition::Values { cells, .. } => {
            let text = cells.first().and_then(|(_, texts)| texts.first()).cloned().unwrap_or_default();
            crate::words::snake(&if side.negated { format!("not {text}") } else { text })
        }
        Condition::Time { when, .. } => match when {
            When::Weekdays(days) => match days.len() {
                2 => "weekends".to_string(),
                1 => days[0].to_lowercase(),
                _ => "weekdays".to_string(),
            },
            When::Hours(hours) => hours.part.unwrap_or("hours").to_string(),
            When::In(Period::Year(year)) => year.to_string(),
            When::In(Period::Span(from, to)) if (from.year() + 1, 1) == (to.year(), to.day_of_year()) => {
                from.year().to_string()
            }
            When::In(Period::LastMany(many, grain)) => format!("last_{many}_{}s", grain.as_str()),
            When::In(Period::Last(grain)) => format!("last_{}", grain.as_str()),
            When::In(Period::This(grain)) => format!("this_{}", grain.as_str()),
            When::PriorTo(..) => "before".to_string(),
            _ => "period".to_string(),
        },
        Condition::Flag(columns) => {
            let name = crate::words::snake(&index.facts(columns[0]).core.join(" "));
            if side.negated { format!("not_{name}") } else { name }
        }
        Condition::Compare { test: Test::Eq, amounts, .. } if !side.negated => {
            amounts.iter().map(|amount| amount.number.to_string()).collect()
        }
        _ if side.negated => "not".to_string(),
        _ => "side".to_string(),
    }
}
