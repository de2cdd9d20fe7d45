//! None of it and nobody: `cost nothing`, `won nothing`, `bills nobody has paid`.

use data::plan::Test;

use super::super::filters::{add, add_negated};
use super::super::{Parser, Steps, features};
use crate::draft::{Amount, Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::Glue;
use crate::mentions::What;
use crate::score::Feature;

/// `cost nothing`: the number is zero; `won nothing`: the two-valued column says no.
pub fn nothing(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at).iter().filter(|mention| is_nothing(parser.word(mention.end))) {
        let What::Columns(columns) = &mention.what else { continue };
        let number = |id: &ColId| index.is_quantity(*id);
        let columns: Columns = columns.iter().copied().filter(number).collect();
        if columns.is_empty() {
            continue;
        }
        let zero = Amount::bare(0.0);
        let condition = Condition::Compare { columns, test: Test::Eq, amounts: vec![zero], implied: false };
        let mut next = add(draft, condition, &features(mention));
        next.assume("nothing", "`nothing` = 0");
        steps.push((mention.end + 1, next));
    }
    if is_nothing(parser.word(at + 1)) {
        let verb = &parser.tokens[at].stem;
        let agent = |id: &ColId| {
            let facts = index.facts(*id);
            let behind = |noun: &String| index.forms.stem(&agentless(noun)) == *verb;
            facts.yes.is_some() && facts.core.last().is_some_and(|last| last.ends_with("er") && behind(last))
        };
        let flags: Columns = index.columns().filter(agent).collect();
        if flags.len() == 1 {
            let mut next = denied(draft, flags);
            next.assume("nothing", format!("`{} nothing` = not so", parser.tokens[at].text));
            steps.push((at + 2, next));
        }
    }
}

/// `win` of `winner`, `smok` of `smoker`.
fn agentless(noun: &str) -> String {
    let base = noun.strip_suffix("er").unwrap_or(noun);
    let bytes = base.as_bytes();
    let doubled = bytes.len() > 2 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    if doubled { base[..base.len() - 1].to_string() } else { base.to_string() }
}

fn is_nothing(word: &str) -> bool {
    matches!(word, "nothing" | "nil")
}

/// `bills nobody has paid yet`: what is denied of everybody.
pub fn nobody(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let end = match (parser.word(at), parser.word(at + 1)) {
        ("nobody" | "noone", _) => at + 1,
        ("no", "one") => at + 2,
        _ => return,
    };
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let start = parser.skip(end, |glue| matches!(glue, Glue::Have | Glue::Be | Glue::Auxiliary | Glue::Other));
    for mention in parser.mentions.at(start) {
        let What::Flag(flags) = &mention.what else { continue };
        let mut next = denied(draft, flags.clone());
        next.features.extend(features(mention));
        next.features.push(Feature::OpenChoice);
        steps.push((mention.end, next));
    }
}

fn denied(draft: &Draft, flags: Columns) -> Draft {
    add_negated(draft, Condition::Flag(flags), &[])
}
