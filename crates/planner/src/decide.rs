//! The last word: one reading clearly ahead becomes the answer, everything else an honest refusal.
//!
//! Hard rules come before weights. No reading that accounts for the whole question: the refusal names what stood in the
//! way. Two readings that compute different things and cost about the same: ambiguous.

mod doubts;
mod explain;
mod question;
mod same;

use data::describe::describe;

pub use self::doubts::{checked, is_counted_by_rows};
pub use self::question::Question;

use self::explain::Unread;
use self::same::Distinct;
use crate::build::{self, Why};
use crate::draft::Draft;
use crate::index::Index;
use crate::lexicon::Role;
use crate::mentions::{Mentions, What};
use crate::readings::{Parser, Rigor};
use crate::score::Feature;
use crate::tokens::Token;
use crate::{Answer, Assumption, Outcome, Reading, Reason, Refusal, guess, readings, score, spelling};

/// How many other readings an answer carries.
const OTHERS_MAX: usize = 3;
/// Said of a question with several readings. They are not told in the message but listed beside it, best first, so that
/// what is told and what can be chosen are the same.
pub const SEVERAL_WAYS: &str = "the question can be read in more than one way";

/// Decides a question as it is written, from left to right; refusals come without suggestions.
pub fn decide(index: &Index, text: &str) -> Outcome {
    match Question::new(index, text) {
        Ok(question) => checked(index, decide_in_order(index, &question)),
        Err(refusal) => Outcome::Refusal(*refusal),
    }
}

/// What speaks against a plan as the answer to a question, in people's words; nothing where nothing does.
pub fn doubts(index: &Index, text: &str, plan: &data::plan::Plan) -> Option<String> {
    match Question::new(index, text) {
        Ok(Question { tokens, mentions }) => doubts::of_plan(&Parser::new(index, &tokens, &mentions), plan),
        Err(refusal) => Some(refusal.message),
    }
}

/// Decides a question by readings that take its words from left to right.
pub fn decide_in_order(index: &Index, question: &Question) -> Outcome {
    let Question { tokens, mentions } = question;
    let parser = Parser::new(index, tokens, mentions);
    let strict = read(&parser, Rigor::Strict);
    if !strict.readings.is_empty() {
        return weigh(index, strict.readings);
    }
    let lenient = read(&parser, Rigor::Lenient);
    if !lenient.readings.is_empty() {
        return weigh(index, lenient.readings);
    }
    let unknown = question.unknown();
    let mended = read_mended(index, tokens, &unknown);
    if !mended.is_empty() {
        return weigh(index, mended);
    }
    let guessed = guess::guessed(index, tokens, mentions, &unknown);
    let known = guessed.as_ref().map(|guessed| guessed.known.clone()).unwrap_or_default();
    let readings = guessed.map(|guessed| read_granting(index, tokens, &guessed.mentions, &guessed.said));
    match readings.filter(|readings| !readings.is_empty()) {
        Some(readings) => weigh(index, readings),
        None => Unread { index, question, passed: &lenient.passed, guessed: &known }.explain(strict.failure),
    }
}

/// The readings of a question that take something for granted in all of it.
fn read_granting(index: &Index, tokens: &[Token], mentions: &Mentions, said: &[Assumption]) -> Vec<Reading> {
    let parser = Parser::new(index, tokens, mentions);
    let mut readings = read(&parser, Rigor::Strict).readings;
    if readings.is_empty() {
        readings = read(&parser, Rigor::Lenient).readings;
    }
    let doubted =
        |plan: &data::plan::Plan| doubts::averages_over_kinds(tokens, plan) || doubts::shows_extremes_of_periods(plan);
    readings.retain(|reading| !doubted(&reading.plan));
    for reading in &mut readings {
        reading.assumptions.extend(said.iter().cloned());
        reading.ambiguous = true;
        reading.score -= Feature::OpenChoice.weight();
    }
    readings
}

/// The readings of a question whose words of the language are spelled right.
fn read_mended(index: &Index, tokens: &[Token], unknown: &[usize]) -> Vec<Reading> {
    let Some((tokens, said)) = spelling::repaired(index, tokens, unknown) else { return Vec::new() };
    read_granting(index, &tokens, &Mentions::new(index, &tokens), &said)
}

/// What became of all drafts of a question.
struct Read {
    /// Best first.
    readings: Vec<Reading>,
    /// Why the first draft without a reading has none.
    failure: Option<Why>,
    /// Which tokens some production gave a meaning.
    passed: Vec<bool>,
}

/// Every reading of a question, from left to right.
fn read(parser: &Parser, rigor: Rigor) -> Read {
    let parsed = readings::parse(parser, rigor);
    let (readings, failure) = built(parser, parsed.drafts);
    Read { readings, failure, passed: parsed.passed }
}

/// Decides a question that has no reading from left to right by readings whose parts may stand in any order; the refusal
/// is what it would get otherwise.
pub fn decide_in_any_order(index: &Index, question: &Question, refusal: Refusal) -> Outcome {
    let tokens = &question.tokens;
    let guessed = guess::guessed(index, tokens, &question.mentions, &question.unknown());
    let mentions = guessed.as_ref().map_or(&question.mentions, |guessed| &guessed.mentions);
    let said = guessed.as_ref().map_or(&[][..], |guessed| &guessed.said);
    let parser = Parser::new(index, tokens, mentions);
    let mut drafts = readings::composed_drafts(&parser);
    drafts.iter_mut().for_each(|draft| draft.with_number |= asks_both(tokens));
    let (mut readings, _) = built(&parser, drafts);
    // Of a thing with several rows, what is denied may be denied of one of them or of all.
    let denies = (0..tokens.len()).any(|at| {
        mentions.at(at).iter().any(|mention| matches!(mention.what, What::Role(Role::Not | Role::Lack | Role::Failed)))
    });
    readings.retain(|reading| !denies || !doubts::takes_any_row(reading));
    readings.retain(|reading| !doubts::repeats_the_question(reading));
    for reading in &mut readings {
        reading.assumptions.extend(said.iter().cloned());
        reading.ambiguous |= !said.is_empty();
    }
    if readings.is_empty() { Outcome::Refusal(refusal) } else { weigh(index, readings) }
}

/// `the highest fee, and for what reason`: the number is asked for as well as what has it.
fn asks_both(tokens: &[Token]) -> bool {
    let asks = |token: &Token| matches!(token.fold.as_str(), "which" | "what" | "who");
    tokens.windows(3).any(|three| three[0].fold == "and" && (asks(&three[1]) || asks(&three[2])))
}

/// What the drafts become, best first, and why the first without a reading has none.
fn built(parser: &Parser, drafts: Vec<Draft>) -> (Vec<Reading>, Option<Why>) {
    let Parser { index, tokens, mentions, .. } = parser;
    let mut distinct = Distinct::default();
    let mut failure: Option<Why> = None;
    for draft in drafts {
        // Whether rows that are only assumed to be customers are different ones is not known.
        if draft.distinct && draft.features.contains(&Feature::AssumedNoun) {
            continue;
        }
        match doubts::of_draft(index, &draft).map_or_else(|| build::build(index, &draft), Err) {
            Ok(built) => {
                let noun = draft.features.contains(&Feature::AssumedNoun).then(|| row_noun(index, tokens, mentions));
                for mut reading in built {
                    if let Some(why) = doubts::of_reading(index, tokens, &draft, &reading) {
                        failure.get_or_insert(why);
                        continue;
                    }
                    // What only a lenient reading gives is a guess, whichever words it passed.
                    let counted = doubts::counted_otherwise(index, tokens, &reading.plan);
                    reading.ambiguous |= draft.lenient || counted.is_some() || doubts::is_open(parser, &reading.plan);
                    reading.assumptions.extend(counted);
                    reading.assumptions.extend(noun.clone().flatten());
                    distinct.add(reading);
                }
            }
            Err(why) => {
                failure.get_or_insert(why);
            }
        }
    }
    let mut readings = distinct.into_readings();
    readings.retain(|reading| !doubts::is_wrong(parser, reading));
    // "What is on shelf C4" does not ask for the shelf, where anything else can be told.
    if readings.iter().any(|reading| !doubts::repeats_the_question(reading)) {
        readings.retain(|reading| !doubts::repeats_the_question(reading));
    }
    readings.sort_by(|a, b| b.score.total_cmp(&a.score));
    (readings, failure)
}

/// What a word that the dataset does not use was taken for.
fn row_noun(index: &Index, tokens: &[Token], mentions: &Mentions) -> Option<Assumption> {
    let word = tokens.iter().enumerate().find(|(at, _)| mentions.row_noun(*at)).map(|(_, token)| &token.text)?;
    let text = format!("`{word}` means the rows of {}", index.table(0).name);
    Some(Assumption { code: "row_noun".to_string(), text })
}

fn weigh(index: &Index, mut readings: Vec<Reading>) -> Outcome {
    let best = readings.remove(0);
    let confidence = score::confidence(-best.score);
    let said = |reading: &Reading| describe(&reading.plan, &index.dataset);
    // Nobody can choose between two that are said alike.
    let told = said(&best);
    let shows_alike = |reading: &Reading| {
        same::list_the_same_rows(&best.plan, &reading.plan)
            || same::tell_the_same_groups(index, &best.plan, &reading.plan)
    };
    readings.retain(|reading| said(reading) != told && !shows_alike(reading));
    let margin = readings.first().map(|second| best.score - second.score);
    readings.truncate(OTHERS_MAX);
    if margin.is_some_and(|margin| margin < score::MARGIN_MIN) {
        return with_best(Reason::Ambiguous, SEVERAL_WAYS.to_string(), best, readings);
    }
    if confidence < score::CONFIDENCE_MIN {
        return with_best(Reason::LowConfidence, "the best reading is too uncertain".to_string(), best, readings);
    }
    Outcome::Answer(Answer { reading: best, confidence, others: readings })
}

fn with_best(reason: Reason, message: String, best: Reading, others: Vec<Reading>) -> Outcome {
    let best_confidence = score::confidence(-best.score);
    Outcome::Refusal(Refusal { best: Some(best), best_confidence, others, ..Refusal::new(reason, message) })
}
