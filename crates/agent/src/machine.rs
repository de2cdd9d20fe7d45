//! What an agent does next.
//!
//! ```text
//!                    +-------------- repair (bounded) --------------+
//!                    v                                              |
//!   Write(First) -> code -> Run -> gave a result -------------------|--> Write(Again) -> Run -> same? --yes--> Judge -> End
//!        |                   |                                      |                             | no
//!        |                   +-> failed, refused: an attempt -------+                             +-> Write(Again), once more
//!        +-> "cannot be answered" -> End                            |
//!                                      NO, and a NO counts ---------+  (once)
//! ```
//!
//! Invariants, tested by trying every sequence of outcomes: it ends; only code that was just written is run; a result
//! that another derivation contradicts is never the answer unless a third one agrees with it.

use base::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Language {
    Plan,
    Sql,
    Python,
}

impl Language {
    /// As people and documents call it.
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Plan => "plan",
            Language::Sql => "sql",
            Language::Python => "python",
        }
    }
}

/// A text that computes something, not checked yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Code {
    /// What it is written in.
    pub language: Language,
    /// As the model wrote it.
    pub text: String,
}

/// Code that came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// What it is written in.
    pub language: Language,
    /// As the model wrote it; all of its words where there was no code among them.
    pub text: String,
    /// How it ended: failed, refused, killed.
    pub outcome: String,
    /// Why, in the words that the model was told.
    pub error: Option<String>,
    /// What the guard said.
    pub findings: Vec<Finding>,
}

/// How much is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How often code is mended at most.
    pub repairs_max: u32,
    /// What the first derivation is written in, and the second where there is to be one.
    pub languages: (Language, Option<Language>),
    /// Whether the model is asked what it thinks of the result.
    pub judges: bool,
    /// Whether its NO is worth a repair.
    pub verdict_counts: bool,
}

/// What a model is asked to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// The first code for the request.
    First,
    /// Other code, after the last attempt came to nothing.
    Repair,
    /// Code for the same request that knows nothing of the first, the first or second time.
    Again(u32),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask the model for code.
    Write(Writing, Language),
    /// Check this code and execute it.
    Run(Code),
    /// Ask the model whether the result is right.
    Judge,
    /// Nothing: this is how it ends.
    End(End),
}

/// How it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With the result of that derivation, and whether another one came to the same.
    Answered {
        /// Counted from 0, in the order in which they gave a result.
        derivation: usize,
        /// Whether another derivation agrees; none where there is no other.
        agreed: Option<bool>,
    },
    /// The model says that the data cannot answer.
    CannotAnswer(String),
    /// Derivations gave different results, and none was given twice.
    Disagreed,
    /// No code gave a result.
    Failed,
    /// The budget was used up before there was a result.
    Spent(String),
}

/// What the model thinks of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// YES or NO.
    pub verdict: Answer,
    /// Why.
    pub reason: String,
}

impl Verdict {
    /// Whether it says that the result is wrong.
    pub fn is_no(&self) -> bool {
        self.verdict == Answer::No
    }
}

/// YES or NO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum Answer {
    Yes,
    No,
}

/// What became of code that was executed, or refused before.
#[derive(Clone, Debug, PartialEq)]
pub enum Ran {
    /// It gave a result; for each earlier derivation whether it is the same.
    Gave(Vec<bool>),
    /// It gave none that counts.
    Nothing {
        /// How it ended.
        outcome: String,
        /// Why, with whatever facts help to do better.
        error: String,
        /// What the guard said.
        findings: Vec<Finding>,
    },
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The model wrote code.
    Wrote(Code),
    /// The model wrote something that is no proposal.
    WroteNoCode {
        /// Its words.
        text: String,
        /// What is wrong with them, for the model to read.
        error: String,
    },
    /// The model says that the data cannot answer.
    SaidCannot(String),
    /// Code was executed, or refused before.
    Ran(Ran),
    /// The model judged.
    Judged(Option<Verdict>),
    /// The budget does not allow the action.
    Spent(String),
}

/// How often the same code may come back before it is given up.
const COPIES_MAX: u32 = 2;
/// How often another derivation is asked for beside the first: to be compared, to decide between two that differ, or because
/// one came to nothing.
const AGAIN_MAX: u32 = 3;

/// An agent's state: what was tried, what came of it, and what is next.
#[derive(Clone, Debug)]
pub struct Machine {
    policy: Policy,
    next: Action,
    writing: Writing,
    repairs: u32,
    copies: u32,
    attempts: Vec<Attempt>,
    derivations: Vec<Derived>,
    again: u32,
    verdict: Option<Verdict>,
    verdict_heeded: bool,
}

#[derive(Clone, Debug)]
struct Derived {
    code: Code,
    agrees: Vec<bool>,
}

impl Machine {
    /// One that has done nothing yet.
    pub fn new(policy: Policy) -> Machine {
        let next = Action::Write(Writing::First, policy.languages.0);
        Machine {
            policy,
            next,
            writing: Writing::First,
            repairs: 0,
            copies: 0,
            attempts: Vec::new(),
            derivations: Vec::new(),
            again: 0,
            verdict: None,
            verdict_heeded: false,
        }
    }

    /// What to do next.
    pub fn next(&self) -> &Action {
        &self.next
    }

    /// What came to nothing so far.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The code of derivations that gave a result, in order, each with whether another one came to the same.
    pub fn derivations(&self) -> impl Iterator<Item = (&Code, bool)> {
        self.derivations.iter().enumerate().map(|(at, derived)| (&derived.code, self.has_twin(at)))
    }

    /// Whether a result of the code to be run now replaces those before it: a NO asked for it.
    pub fn replaces(&self) -> bool {
        self.writing == Writing::Repair && !self.derivations.is_empty()
    }

    /// The derivation that would be the answer now.
    pub fn best_derivation(&self) -> Option<usize> {
        match self.best()? {
            End::Answered { derivation, .. } => Some(derivation),
            _ => None,
        }
    }

    /// What the model thinks of the result.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Takes note of what came of the last action, and decides. An outcome of another kind of action says nothing.
    pub fn observe(&mut self, outcome: Outcome) {
        self.next = match (self.next.clone(), outcome) {
            (Action::End(end), _) => Action::End(end),
            (_, Outcome::Spent(why)) => Action::End(self.ended_early(why)),
            (Action::Write(..), Outcome::Wrote(code)) => self.wrote(code),
            (Action::Write(_, language), Outcome::WroteNoCode { text, error }) => {
                self.failed(Attempt { language, text, outcome: "failed".into(), error: Some(error), findings: vec![] })
            }
            (Action::Write(Writing::First, _), Outcome::SaidCannot(why)) => Action::End(End::CannotAnswer(why)),
            // Who has written code before and then gives up says nothing about the data.
            (Action::Write(Writing::Repair, language), Outcome::SaidCannot(why)) => {
                let (text, outcome) = (String::new(), "failed".into());
                self.failed(Attempt { language, text, outcome, error: Some(why), findings: vec![] })
            }
            // Who derives anew and cannot is no second opinion.
            (Action::Write(Writing::Again(_), _), Outcome::SaidCannot(_)) => self.settle(),
            (Action::Run(code), Outcome::Ran(Ran::Gave(agrees))) => self.gave(code, agrees),
            (Action::Run(code), Outcome::Ran(Ran::Nothing { outcome, error, findings })) => {
                let Code { language, text } = code;
                self.failed(Attempt { language, text, outcome, error: Some(error), findings })
            }
            (Action::Judge, Outcome::Judged(verdict)) => self.judged(verdict),
            (action, _) => action,
        };
    }

    fn wrote(&mut self, code: Code) -> Action {
        let is_copy = self.attempts.iter().any(|attempt| attempt.text.trim() == code.text.trim());
        if !is_copy {
            return Action::Run(code);
        }
        self.copies += 1;
        if self.copies >= COPIES_MAX {
            return self.given_up();
        }
        let error = "this is the code that came to nothing before; take another approach".to_string();
        let Code { language, text } = code;
        self.failed(Attempt { language, text, outcome: "failed".into(), error: Some(error), findings: vec![] })
    }

    fn failed(&mut self, attempt: Attempt) -> Action {
        let language = attempt.language;
        if let Writing::Again(_) = self.writing {
            return self.once_more(language).unwrap_or_else(|| self.settle());
        }
        self.attempts.push(attempt);
        self.repair(language)
    }

    fn repair(&mut self, language: Language) -> Action {
        if self.repairs >= self.policy.repairs_max {
            return self.given_up();
        }
        self.repairs += 1;
        self.write(Writing::Repair, language)
    }

    fn given_up(&self) -> Action {
        match self.best() {
            // Only where a NO asked for a better one and none came.
            Some(end) => Action::End(end),
            None => Action::End(End::Failed),
        }
    }

    fn gave(&mut self, code: Code, agrees: Vec<bool>) -> Action {
        if self.replaces() {
            // What a NO brought about replaces what it was about.
            self.derivations.clear();
            self.again = 0;
            self.verdict = None;
        }
        let known = self.derivations.len();
        self.derivations.push(Derived { code, agrees: agrees.into_iter().take(known).collect() });
        let settled = known > 0 && self.best_is_agreed();
        let next = self.policy.languages.1.filter(|_| !settled).and_then(|language| self.once_more(language));
        next.unwrap_or_else(|| self.settle())
    }

    /// Asks for another derivation, where there may be one.
    fn once_more(&mut self, language: Language) -> Option<Action> {
        if self.again >= AGAIN_MAX {
            return None;
        }
        self.again += 1;
        Some(self.write(Writing::Again(self.again), language))
    }

    /// All derivations there will be are there.
    fn settle(&mut self) -> Action {
        match self.best() {
            Some(End::Answered { .. }) if self.policy.judges && self.verdict.is_none() => Action::Judge,
            Some(end) => Action::End(end),
            None => Action::End(End::Failed),
        }
    }

    fn judged(&mut self, verdict: Option<Verdict>) -> Action {
        let is_no = verdict.as_ref().is_some_and(Verdict::is_no);
        self.verdict = verdict;
        if is_no && self.policy.verdict_counts && !self.verdict_heeded && self.repairs < self.policy.repairs_max {
            self.verdict_heeded = true;
            return self.repair(self.policy.languages.0);
        }
        self.best().map_or(Action::End(End::Failed), Action::End)
    }

    fn write(&mut self, writing: Writing, language: Language) -> Action {
        self.writing = writing;
        Action::Write(writing, language)
    }

    fn ended_early(&self, why: String) -> End {
        self.best().unwrap_or(End::Spent(why))
    }

    /// The first derivation that another one agrees with; the only one where there is one; none of several that differ.
    fn best(&self) -> Option<End> {
        let agreed = (0..self.derivations.len()).find(|at| self.has_twin(*at));
        match (agreed, self.derivations.len()) {
            (_, 0) => None,
            (Some(derivation), _) => Some(End::Answered { derivation, agreed: Some(true) }),
            (None, 1) => Some(End::Answered { derivation: 0, agreed: None }),
            (None, _) => Some(End::Disagreed),
        }
    }

    fn best_is_agreed(&self) -> bool {
        matches!(self.best(), Some(End::Answered { agreed: Some(true), .. }))
    }

    fn has_twin(&self, at: usize) -> bool {
        let with_earlier = self.derivations[at].agrees.contains(&true);
        let with_later = self.derivations[at + 1..].iter().any(|later| later.agrees.get(at) == Some(&true));
        with_earlier || with_later
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn policy(second: bool, verdict_counts: bool) -> Policy {
        let second = second.then_some(Language::Sql);
        Policy { repairs_max: 2, languages: (Language::Python, second), judges: true, verdict_counts }
    }

    fn code(text: &str) -> Code {
        Code { language: Language::Python, text: text.to_string() }
    }

    fn nothing() -> Outcome {
        Outcome::Ran(Ran::Nothing { outcome: "failed".into(), error: "KeyError".into(), findings: vec![] })
    }

    /// Everything that may come of what is next.
    fn outcomes(machine: &Machine) -> Vec<Outcome> {
        let spent = Outcome::Spent("tokens".into());
        let known = if machine.replaces() { 0 } else { machine.derivations().count() };
        match machine.next() {
            Action::Write(..) => vec![
                Outcome::Wrote(code(&format!("code {}", machine.attempts().len()))),
                Outcome::Wrote(code("the same")),
                Outcome::WroteNoCode { text: "hello".into(), error: "no code".into() },
                Outcome::SaidCannot("no such column".into()),
                spent,
            ],
            Action::Run(_) => {
                // The same as none of those before, or as one of them.
                let same_as = |twin: Option<usize>| (0..known).map(|other| Some(other) == twin).collect();
                let gave = (0..known).map(Some).chain([None]).map(|twin| Outcome::Ran(Ran::Gave(same_as(twin))));
                gave.chain([nothing(), spent]).collect()
            }
            Action::Judge => {
                let said = |verdict| Outcome::Judged(Some(Verdict { verdict, reason: String::new() }));
                vec![said(Answer::Yes), said(Answer::No), Outcome::Judged(None), spent]
            }
            Action::End(_) => Vec::new(),
        }
    }

    /// Tries every sequence; gives how many ends there are and how long the longest is. What a machine does next hangs on
    /// its state alone, so each state is looked at once.
    fn explore(machine: &Machine, depth: usize, seen: &mut HashMap<String, (usize, usize)>) -> (usize, usize) {
        const DEPTH_MAX: usize = 40;
        assert!(depth <= DEPTH_MAX, "it does not end: {machine:?}");
        if let Action::End(end) = machine.next() {
            if let End::Answered { derivation, agreed } = end {
                let (_, has_twin) = machine.derivations().nth(*derivation).expect("the answer is one of them");
                assert_eq!(agreed.unwrap_or(false), has_twin);
                assert!(has_twin || machine.derivations().count() == 1, "a contradicted result is no answer");
            }
            return (1, 0);
        }
        let state = format!("{machine:?}");
        if let Some(known) = seen.get(&state) {
            return *known;
        }
        let (mut ends, mut longest) = (0usize, 0);
        for outcome in outcomes(machine) {
            let mut after = machine.clone();
            after.observe(outcome.clone());
            let mut again = machine.clone();
            again.observe(outcome.clone());
            assert_eq!(after.next(), again.next(), "the same outcome, another decision");
            if let Action::Run(code) = after.next() {
                assert_eq!(outcome, Outcome::Wrote(code.clone()), "only what was just written is run");
            }
            let below = explore(&after, depth + 1, seen);
            (ends, longest) = (ends.saturating_add(below.0), longest.max(below.1 + 1));
        }
        seen.insert(state, (ends, longest));
        (ends, longest)
    }

    #[test]
    fn whatever_comes_it_ends_runs_only_what_was_written_and_decides_alike() {
        for (second, counts) in [(false, false), (true, false), (true, true)] {
            let (ends, longest) = explore(&Machine::new(policy(second, counts)), 0, &mut HashMap::new());
            assert!(ends > 100 && longest < 40, "{ends} ends, the longest after {longest}");
        }
    }

    /// Feeds outcomes and tells what was done.
    fn told(policy: Policy, outcomes: Vec<Outcome>) -> Vec<String> {
        let mut machine = Machine::new(policy);
        let mut told = Vec::new();
        for outcome in outcomes {
            told.push(format!("{:?}", machine.next()).chars().take(20).collect());
            machine.observe(outcome);
        }
        told.push(format!("{:?}", machine.next()));
        told
    }

    #[test]
    fn an_error_is_mended_and_a_second_derivation_confirms() {
        let yes = Outcome::Judged(Some(Verdict { verdict: Answer::Yes, reason: String::new() }));
        let outcomes = vec![
            Outcome::Wrote(code("a")),
            nothing(),
            Outcome::Wrote(code("b")),
            Outcome::Ran(Ran::Gave(vec![])),
            Outcome::Wrote(code("c")),
            Outcome::Ran(Ran::Gave(vec![true])),
            yes,
        ];
        let told = told(policy(true, true), outcomes);
        assert_eq!(told.last().map(String::as_str), Some("End(Answered { derivation: 0, agreed: Some(true) })"));
        assert_eq!(told[2], "Write(Repair, Python");
        assert_eq!(told[4], "Write(Again(1), Sql)");
    }

    #[test]
    fn of_two_that_differ_a_third_decides_or_nobody() {
        let begin = |third: Vec<bool>| {
            let outcomes = vec![
                Outcome::Wrote(code("a")),
                Outcome::Ran(Ran::Gave(vec![])),
                Outcome::Wrote(code("b")),
                Outcome::Ran(Ran::Gave(vec![false])),
                Outcome::Wrote(code("c")),
                Outcome::Ran(Ran::Gave(third)),
                Outcome::Judged(None),
            ];
            told(policy(true, false), outcomes).pop().expect("an end")
        };
        assert_eq!(begin(vec![false, true]), "End(Answered { derivation: 1, agreed: Some(true) })");
        assert_eq!(begin(vec![false, false]), "Write(Again(3), Sql)");
    }

    #[test]
    fn a_derivation_that_came_to_nothing_is_asked_for_again_and_then_nobody_decides() {
        let gave = |agrees: Vec<bool>| Outcome::Ran(Ran::Gave(agrees));
        let differ = vec![Outcome::Wrote(code("a")), gave(vec![]), Outcome::Wrote(code("b")), gave(vec![false])];
        let failed = vec![Outcome::Wrote(code("c")), nothing()];
        let fourth = |agrees: Vec<bool>| vec![Outcome::Wrote(code("d")), gave(agrees), Outcome::Judged(None)];
        let told = |agrees| told(policy(true, false), [differ.clone(), failed.clone(), fourth(agrees)].concat()).pop();
        assert_eq!(told(vec![true, false]).as_deref(), Some("End(Answered { derivation: 0, agreed: Some(true) })"));
        assert_eq!(told(vec![false, false]).as_deref(), Some("End(Disagreed)"));
    }

    #[test]
    fn a_no_that_counts_is_worth_one_better_result_which_is_judged_anew() {
        let said = |verdict| Outcome::Judged(Some(Verdict { verdict, reason: String::new() }));
        let mut machine = Machine::new(policy(false, true));
        let gave = || Outcome::Ran(Ran::Gave(vec![]));
        for outcome in [Outcome::Wrote(code("a")), gave(), said(Answer::No)] {
            machine.observe(outcome);
        }
        assert!(machine.replaces() && *machine.next() == Action::Write(Writing::Repair, Language::Python));
        for outcome in [Outcome::Wrote(code("b")), gave()] {
            machine.observe(outcome);
        }
        assert_eq!((machine.next(), machine.verdict()), (&Action::Judge, None), "the NO was about another result");
        machine.observe(said(Answer::No));
        assert_eq!(*machine.next(), Action::End(End::Answered { derivation: 0, agreed: None }));
        assert_eq!(machine.derivations().next().map(|(code, _)| code.text.as_str()), Some("b"));
    }

    #[test]
    fn who_only_repeats_itself_is_stopped() {
        let outcomes =
            vec![Outcome::Wrote(code("a")), nothing(), Outcome::Wrote(code(" a ")), Outcome::Wrote(code("a\n"))];
        assert_eq!(told(policy(true, true), outcomes).pop().as_deref(), Some("End(Failed)"));
    }
}
