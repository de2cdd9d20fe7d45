//! Extremes, top lists, sorting and limits.

use data::plan::Dir;

use super::groups::quantities;
use super::{Parser, Steps};
use crate::draft::{Columns, Draft, Head, Rank, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Role};
use crate::mentions::What;

/// How many rows a ranking may ask for.
const RANK_MAX: f64 = 1000.0;

fn ranked(draft: &Draft, kind: RankKind, dir: Dir, number: Option<u32>, by: Option<Head>) -> Draft {
    let open = matches!(kind, RankKind::Extreme | RankKind::Amount);
    draft.with(|next| next.rank = Some(Rank { kind, dir, number, by, open }))
}

/// A whole number that can say how many rows are wanted.
fn count_at(parser: &Parser, at: usize) -> Option<u32> {
    let number = parser.tokens.get(at)?.number()?;
    (number.fract() == 0.0 && (1.0..=RANK_MAX).contains(&number)).then_some(number as u32)
}

/// The token after an optional number, and the number.
fn optional_count(parser: &Parser, at: usize) -> (usize, Option<u32>) {
    // "The lowest one" has no number.
    match count_at(parser, at).filter(|_| parser.word(at) != "one") {
        Some(number) => (at + 1, Some(number)),
        None => (at, None),
    }
}

/// `top 10`, `bottom 5`.
pub fn top(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Top(dir) = role else { continue };
        // "Best" without a number asks for an opinion.
        let (end, number) = optional_count(parser, end);
        let vague = parser.word(at) == "best" && number.is_none();
        if draft.rank.is_none() && draft.pending.is_none() && draft.heads.is_empty() && !vague {
            steps.push((end, ranked(draft, RankKind::Top, dir, number, None)));
        }
    }
}

/// `highest`, `most`, `fewest`.
pub fn extreme(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let (kind, dir) = match role {
            Role::Extreme(dir) => (RankKind::Extreme, dir),
            Role::Amount(dir) => (RankKind::Amount, dir),
            _ => continue,
        };
        let (end, number) = optional_count(parser, end);
        if draft.rank.is_none() && draft.pending.is_none() {
            steps.push((end, ranked(draft, kind, dir, number, None)));
        }
    }
}

/// `latest order`, `first 5 orders`, `last order date`.
pub fn recent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Recent(dir) = role else { continue };
        let (end, number) = optional_count(parser, end);
        if draft.rank.is_none() && draft.pending.is_none() && draft.heads.is_empty() {
            steps.push((end, ranked(draft, RankKind::Recent, dir, number, None)));
        }
    }
}

/// `oldest`, `cheapest`: the word names the column, where exactly one fits.
pub fn adjective(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.rank.is_some() || draft.pending.is_some() {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at) {
        let What::Adjective(adjective) = &mention.what else { continue };
        let named = |id: &ColId, words: &[String]| index.facts(*id).words.iter().any(|word| words.contains(word));
        let parts = [(&adjective.number, false), (&adjective.date, true)];
        for (part, temporal) in parts {
            let Some((dir, words)) = part else { continue };
            let fits = |id: &ColId| {
                let ty = index.column(*id).ty;
                named(id, words) && if temporal { ty.is_temporal() } else { ty.is_number() }
            };
            let columns: Columns = index.columns().filter(fits).collect();
            if columns.is_empty() {
                continue;
            }
            // "Coldest temperature" says the column itself.
            for next in parser.mentions.at(mention.end) {
                if let What::Columns(said) = &next.what
                    && said.iter().any(|id| columns.contains(id))
                {
                    let by = Head::plain(Target::Columns(said.clone()));
                    let mut extreme = ranked(draft, RankKind::Extreme, *dir, None, Some(by));
                    extreme.rank.iter_mut().for_each(|rank| rank.open = false);
                    steps.push((next.end, extreme));
                }
            }
            let by = Head::plain(Target::Columns(columns));
            steps.push((mention.end, ranked(draft, RankKind::Adjective, *dir, None, Some(by))));
        }
    }
}

/// `5 largest`, `which 5 agents`, `show 10 orders`.
pub fn leading_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(number) = count_at(parser, at) else { return };
    let listing = matches!(draft.ask, Some(Ask::List | Ask::Which | Ask::What | Ask::Who));
    let next_ranks = parser.mentions.at(at + 1).iter().any(|mention| match &mention.what {
        What::Role(role) => matches!(role, Role::Extreme(_) | Role::Amount(_) | Role::Recent(_) | Role::Top(_)),
        What::Adjective(_) => true,
        _ => false,
    });
    let next_names =
        parser.targets(at + 1).iter().any(|(_, target, _)| matches!(target, Target::Thing(_) | Target::Columns(_)));
    let free = draft.limit.is_none()
        && draft.rank.is_none()
        && draft.heads.is_empty()
        && draft.pending.is_none()
        && !draft.share;
    if free && (listing && next_names || next_ranks) {
        steps.push((at + 1, draft.with(|next| next.limit = Some(number))));
    }
}

/// `sorted by price descending`.
pub fn sort(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Sort) else { return };
    if draft.sort.is_some() || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (end, head, features) in quantities(parser, end) {
        let dir = parser
            .roles(end)
            .find_map(|(end, role)| if let Role::Direction(dir) = role { Some((end, dir)) } else { None });
        let listed = draft.groups.is_empty() && draft.having.is_empty();
        let (end, dir) = dir.unwrap_or((end, if listed { Dir::Asc } else { Dir::Desc }));
        let next = draft.with(|next| {
            next.features.extend(features);
            next.sort = Some((head, dir));
        });
        steps.push((end, next));
    }
}

/// `in descending order`, `highest first`.
pub fn direction(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Direction(dir) = role else { continue };
        if draft.direction.is_none() && !draft.heads.is_empty() {
            steps.push((end, draft.with(|next| next.direction = Some(dir))));
        }
    }
}

/// `limit 10`.
pub fn limit(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Limit)
        && let Some(number) = count_at(parser, end)
        && draft.limit.is_none()
    {
        steps.push((end + 1, draft.with(|next| next.limit = Some(number))));
    }
}
