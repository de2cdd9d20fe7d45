//! The last word: one reading clearly ahead becomes the answer, everything else an honest refusal.
//!
//! Hard rules come before weights. No reading that accounts for the whole question: the refusal names what stood in the
//! way. Two readings that compute different things and cost about the same: ambiguous.

mod doubts;
mod same;

use data::describe::describe;

use self::same::Distinct;
use crate::build::{self, Why};
use crate::draft::Draft;
use crate::index::Index;
use crate::lexicon::Role;
use crate::mentions::{Mention, Mentions, What};
use crate::readings::{Parser, Rigor};
use crate::score::Feature;
use crate::tokens::{self, Kind, TOKENS_MAX, Token};
use crate::{Answer, Assumption, Outcome, Reading, Reason, Refusal, guess, readings, score, spelling};

/// How many other readings an answer carries.
const OTHERS_MAX: usize = 3;

/// A question and what its words may stand for.
pub struct Question {
    tokens: Vec<Token>,
    mentions: Mentions,
}

impl Question {
    /// Looks up every word, if the question and the dataset have anything to read.
    pub fn new(index: &Index, text: &str) -> Result<Question, Box<Refusal>> {
        let refusal = |reason, message: &str| Box::new(Refusal::new(reason, message));
        let tokens = tokens::merge_magnitudes(tokens::tokenize(text, index.forms));
        if tokens.len() > TOKENS_MAX {
            return Err(refusal(Reason::Limit, &format!("a question has at most {TOKENS_MAX} words")));
        }
        if tokens.is_empty() {
            return Err(refusal(Reason::NotAboutData, "there is no question"));
        }
        if index.dataset.tables.iter().all(|table| table.columns.is_empty()) {
            return Err(refusal(Reason::NoData, "the dataset has no columns"));
        }
        let mentions = Mentions::new(index, &tokens);
        Ok(Question { tokens, mentions })
    }

    /// The words that neither the language nor the dataset knows.
    fn unknown(&self) -> Vec<usize> {
        (0..self.tokens.len()).filter(|at| is_unknown(&self.tokens, &self.mentions, *at)).collect()
    }
}

/// Decides a question as it is written, from left to right; refusals come without suggestions.
pub fn decide(index: &Index, text: &str) -> Outcome {
    match Question::new(index, text) {
        Ok(question) => decide_in_order(index, &question),
        Err(refusal) => Outcome::Refusal(*refusal),
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
        None => explain(index, tokens, mentions, &Unread { passed: lenient.passed, guessed: known }, strict.failure),
    }
}

/// What is known of the words of a question that has no reading.
struct Unread {
    /// Which tokens some production gave a meaning.
    passed: Vec<bool>,
    /// Unknown words that have been taken for names.
    guessed: Vec<usize>,
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
                    reading.ambiguous |= draft.lenient || doubts::is_open(index, tokens, mentions, &reading.plan);
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
    readings.retain(|reading| !doubts::is_wrong(index, tokens, mentions, reading));
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

fn refuse(reason: Reason, message: String, words: Vec<String>) -> Outcome {
    Outcome::Refusal(Refusal { words, ..Refusal::new(reason, message) })
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
        let second = readings.first().map(said).unwrap_or_default();
        let message = format!("the question can be read in two ways: {told}; or {second}");
        return with_best(Reason::Ambiguous, message, best, readings);
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

/// Why no reading accounts for the whole question.
fn explain(index: &Index, tokens: &[Token], mentions: &Mentions, unread: &Unread, failure: Option<Why>) -> Outcome {
    let about_data = (0..tokens.len()).any(|at| mentions.is_data(at));
    let words = |wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
        (0..tokens.len()).filter(|at| wanted(*at)).map(|at| tokens[at].text.clone()).collect()
    };
    let writes = words(&|at| is_imperative(tokens, at) && only(mentions, at, |role| *role == Role::Write));
    if !writes.is_empty() {
        return refuse(Reason::WriteRequested, "answers never change data".to_string(), writes);
    }
    let beyond = words(&|at| only(mentions, at, |role| *role == Role::Unsupported));
    if !beyond.is_empty() && about_data {
        let message = "reasons, forecasts and opinions are not in the data".to_string();
        return refuse(Reason::Unsupported, message, beyond);
    }
    let unit = |at: usize| index.lexicon.unit(&tokens[at].fold).is_some();
    // "How tall" is known where a column is a height.
    let extent = |at: usize| {
        let said = |words: &[&str]| index.columns().any(|id| index.facts(id).has_any(words));
        at > 0 && tokens[at - 1].fold == "how" && index.lexicon.extent(&tokens[at].fold).is_some_and(said)
    };
    let timed = |at: usize| {
        !index.intervals.is_empty() && matches!(tokens[at].singular.as_str(), "length" | "duration" | "stay" | "time")
    };
    let fold = |at: usize| tokens::word(tokens, at);
    let compares = |at: usize| index.lexicon.comparative(&format!("{} than", fold(at))).is_some();
    // "Is it warmer", "when was it coldest".
    let it = |at: usize| {
        let graded = compares(at + 1) || index.lexicon.adjective(fold(at + 1)).is_some();
        let weather = fold(at) == "it" && matches!(fold(at + 1), "is" | "was" | "gets" | "got");
        let when = at > 0 && matches!(fold(at - 1), "when" | "while" | "whenever" | "if");
        let how = at > 1 && index.lexicon.extent(fold(at - 2)).is_some();
        (fold(at) == "it" && at > 0 && matches!(fold(at - 1), "is" | "was") && (graded || how))
            || when && (weather || fold(at) == "it's")
    };
    let periods = (0..tokens.len())
        .any(|at| mentions.at(at).iter().any(|m| matches!(m.what, What::Role(Role::Grain(_) | Role::Part(_)))));
    // "New tickets per week" are placed by when they came to be.
    let fresh = |at: usize| {
        periods && fold(at) == "new" && mentions.at(at + 1).iter().any(|next| matches!(next.what, What::Thing(_)))
    };
    let idle: Vec<usize> = readings::idle_spans(index, tokens).into_iter().flatten().collect();
    let grammar = |at: usize| {
        idle.contains(&at)
            || unread.passed[at] && mentions.covering(at).next().is_none()
            || index.lexicon.is_grammar(fold(at))
            || timed(at)
            || compares(at)
            || it(at)
            || fresh(at)
    };
    let slip = |at: usize| spelling::meant(index, &tokens[at]).is_some();
    let known = |at: usize| unit(at) || extent(at) || grammar(at) || slip(at);
    let mut unknown = words(&|at| is_unknown(tokens, mentions, at) && !known(at) && !unread.guessed.contains(&at));
    if unknown.is_empty() {
        // What a guess does not help is as unknown as before.
        unknown = words(&|at| is_unknown(tokens, mentions, at) && !known(at));
    }
    if unknown.is_empty() {
        unknown = words(&|at| only(mentions, at, |role| matches!(role, Role::Link | Role::Created)));
    }
    let vague = words(&|at| only(mentions, at, |role| *role == Role::Vague));
    let only_vague = periods && !vague.is_empty() && unknown.is_empty();
    let names_nothing = || {
        let list = unknown.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        format!("{list} {} nothing in the data", if unknown.len() == 1 { "names" } else { "name" })
    };
    if !about_data && !only_vague {
        let message = match unknown.len() {
            0 => "nothing of the dataset is mentioned".to_string(),
            _ if unknown.len() == tokens.len() && unknown.len() > 1 => {
                "nothing of the dataset is mentioned; questions are read in English".to_string()
            }
            _ => format!("nothing of the dataset is mentioned: {}", names_nothing()),
        };
        return refuse(Reason::NotAboutData, message, unknown);
    }
    if !unknown.is_empty() {
        return refuse(Reason::UnknownWord, names_nothing(), unknown);
    }
    if !vague.is_empty() {
        let message = format!("`{}` does not say which number decides", vague.join(" "));
        return refuse(Reason::Ambiguous, message, vague);
    }
    match failure {
        Some(why) => {
            let lead = if why.reason == Reason::Ambiguous { "it is not clear" } else { "it cannot be computed" };
            refuse(why.reason, format!("{lead}: {}", why.message), Vec::new())
        }
        None => {
            let message = "the words are known, but what they ask for together is not".to_string();
            refuse(Reason::Unsupported, message, Vec::new())
        }
    }
}

/// Whether the token can be the verb of a request: first, or after "and", "then", "please", "to".
fn is_imperative(tokens: &[Token], at: usize) -> bool {
    let opens = |word: &str| matches!(word, "and" | "then" | "please" | "to" | "you" | "," | "us" | "me");
    at == 0 || opens(&tokens[at - 1].fold)
}

/// Whether the token has a role of that kind and nothing else covers it.
fn only(mentions: &Mentions, at: usize, wanted: impl Fn(&Role) -> bool) -> bool {
    let open = |role: &Role| {
        matches!(
            role,
            Role::Vague
                | Role::Write
                | Role::Unsupported
                | Role::Link
                | Role::Created
                | Role::Top(_)
                | Role::Extent(_)
                | Role::Frequent(_)
                | Role::Neutral
                | Role::Measured
                | Role::Pronoun
                | Role::Among
        )
    };
    let is_open = |mention: &Mention| match &mention.what {
        What::Role(role) => open(role),
        // "Busiest" names a number only where the dataset has one of that name.
        What::Adjective(_) => true,
        _ => false,
    };
    let is_wanted = |mention: &Mention| matches!(&mention.what, What::Role(role) if wanted(role));
    mentions.covering(at).any(is_wanted) && mentions.covering(at).all(is_open)
}

fn is_unknown(tokens: &[Token], mentions: &Mentions, at: usize) -> bool {
    // "More than 5 times", "at least twice" say how often.
    let repeated = at > 0
        && match tokens[at].fold.as_str() {
            "times" => tokens[at - 1].number().is_some(),
            "once" | "twice" => matches!(tokens[at - 1].fold.as_str(), "than" | "least" | "most"),
            _ => false,
        };
    let known_kind = repeated || matches!(tokens[at].kind, Kind::Number { .. } | Kind::Comma);
    // A refusal word is known to the lexicon, but it names nothing either.
    let of_name = at > 0 && mentions.is_data(at - 1);
    let refused = only(mentions, at, |role| match role {
        Role::Unsupported | Role::Write => true,
        Role::Measured => !of_name,
        Role::Among => !mentions.is_data(at + 1) && !mentions.is_data(at + 2),
        Role::Pronoun => !mentions.is_data(at + 1),
        _ => false,
    });
    !known_kind && !is_searched(tokens, mentions, at) && (mentions.covering(at).next().is_none() || refused)
}

/// Whether a name is looked for in a column's texts: it need not be a cell. "Florida among the areas".
fn is_searched(tokens: &[Token], mentions: &Mentions, at: usize) -> bool {
    let word = |i: usize| tokens::word(tokens, i);
    let named = |i: &usize| tokens.get(*i).is_some_and(|token| token.text.starts_with(char::is_uppercase));
    let end = at + (at..tokens.len()).take_while(named).count();
    let start = at + 1 - (0..=at).rev().take_while(named).count();
    let among = word(end) == "among" && (mentions.is_data(end + 1) || mentions.is_data(end + 2));
    let included = start
        .checked_sub(1)
        .is_some_and(|verb| verb > 0 && word(verb).starts_with("inclu") && mentions.is_data(verb - 1));
    end > at && (among || included)
}
