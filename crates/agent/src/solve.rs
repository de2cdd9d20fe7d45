//! What a coder does next: write, check, run, look at what the checks say, reflect.
//!
//! ```text
//!   Recall -> remembered code ----------------------+
//!     | nothing                                     v
//!   Write(First) -> plan, code -> looked at -> [Approve] -> [Test] -> Run -> checks hold -> End(Verified)
//!     ^                 | stub, copy, refused       | no checks, and it ran -------> End(NoEvidence)
//!     |                 v                           v
//!   Write(Sample | Mend | Anew) <---- reflect <- a try that failed --- enough tried -> End(Failed)
//! ```
//!
//! It is a machine beside that of questions (`machine.rs`) because what ends the two differs: a question has no truth to hold
//! a result against, so derivations are compared; a task has checks, and they alone decide.
//!
//! Invariants, tested by trying every sequence of outcomes: it ends; only code that was just written or remembered, and
//! looked at, is run, and code with an error only where a person allows it; it is verified by checks that were executed.
//! What is no check (tests that the model wrote, names that nothing binds) is worth a try or two, and decides nothing.

mod examples;
mod state;

use base::Finding;
use serde::{Deserialize, Serialize};

pub use examples::{Example, find as find_examples};
pub use state::{By, Evidence, State, Status, Tried};

/// How much is tried, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Pieces of code that are tried at most, the remembered one included.
    pub iterations_max: u32,
    /// Further samples that know nothing of what failed, before anything else is tried.
    pub samples_max: u32,
    /// Whether a model that is shown its code mends it; others write it again.
    pub mends: bool,
    /// Tries in a row that pass no more checks than one before, after which it is given up.
    pub stale_max: u32,
    /// What is to hold the code against: none means that nothing can be verified.
    pub has_checks: bool,
    /// What is done with code in which there is an error.
    pub errors: Errors,
    /// Whether the model writes tests where the user has none, without seeing the code.
    pub self_tests: bool,
}

/// What is done with code in which the guard sees an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// It is not run; the model is told.
    Refuse,
    /// A person is asked.
    Ask,
    /// It is run: the user has said so.
    Allow,
}

/// How the model is asked for code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    /// For the first time.
    First,
    /// Again, without a word of what failed; counted from 1.
    Sample(u32),
    /// With its code and what came of it.
    Mend,
    /// Without its code, with what came of it.
    Anew,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// See whether the same task was solved before.
    Recall,
    /// Ask the model.
    Write(Approach),
    /// Ask a person whether this code, in which there is an error, may run.
    Approve(String),
    /// Have tests written by a model that sees what this code offers and not how, once; then it is run.
    Test(String),
    /// Execute this code, with the checks.
    Run(String),
    /// Nothing: this is how it ends.
    End(End),
}

/// How it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every check holds.
    Verified,
    /// It ran, and there was nothing to hold it against.
    NoEvidence,
    /// Enough was tried.
    Failed,
    /// The budget is used up.
    Spent(String),
}

/// What can be said of code without running it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// What the guard said.
    pub findings: Vec<Finding>,
    /// Why it is a stub, if it is one.
    pub stub: Option<String>,
    /// The same for programs that differ in words only; none where it cannot be read.
    pub shape: Option<String>,
}

impl Looked {
    fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == base::Severity::Error)
    }
}

/// What became of code that was executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// What it printed.
    pub output: String,
    /// Why it failed, with whatever helps to do better; none where it ran to its end and no check failed.
    pub error: Option<String>,
    /// What tells this failure from others.
    pub signature: Option<String>,
    /// What was held against it.
    pub evidence: Vec<Evidence>,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// What was remembered for the same task.
    Remembered(Option<(String, Looked)>),
    /// The model wrote code.
    Wrote {
        /// What it said before it, a line each.
        words: Vec<String>,
        /// As it is to be executed.
        code: String,
        /// What can be said of it without running it.
        looked: Looked,
    },
    /// The model wrote something without code.
    WroteNoCode(Vec<String>),
    /// A person decided.
    Decided(bool),
    /// Tests were written, or nobody could.
    Tested,
    /// Code was executed.
    Ran(Ran),
    /// The budget does not allow the action.
    Spent(String),
}

/// Copies of what failed that are taken before it is given up.
const COPIES_MAX: u32 = 2;
/// Tries that are spent on what is no check: it may well be wrong itself.
const DOUBTED_MAX: u32 = 2;
const WORDS_MAX: usize = 12;

/// A coder's state: what was tried, what came of it, and what is next.
#[derive(Clone, Debug)]
pub struct Machine {
    policy: Policy,
    next: Action,
    approach: Approach,
    plan: Vec<String>,
    tried: Vec<Tried>,
    shapes: Vec<String>,
    signatures: Vec<Option<String>>,
    is_remembered: bool,
    without_code: u32,
    samples: u32,
    copies: u32,
    stale: u32,
    best: u64,
    has_asked_for_tests: bool,
    /// Of each try, whether it came to its end with no check against it.
    ended_well: Vec<bool>,
}

impl Machine {
    /// One that has done nothing yet.
    pub fn new(policy: Policy) -> Machine {
        Machine {
            policy,
            next: Action::Recall,
            approach: Approach::First,
            plan: Vec::new(),
            tried: Vec::new(),
            shapes: Vec::new(),
            signatures: Vec::new(),
            is_remembered: false,
            without_code: 0,
            samples: 0,
            copies: 0,
            stale: 0,
            best: 0,
            has_asked_for_tests: false,
            ended_well: Vec::new(),
        }
    }

    /// What to do next.
    pub fn next(&self) -> &Action {
        &self.next
    }

    /// What the model said that it would do.
    pub fn plan(&self) -> &[String] {
        &self.plan
    }

    /// Each piece of code with what came of it, the first first.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// How the code to be run now was asked for.
    pub fn approach(&self) -> Approach {
        self.approach
    }

    /// Whether the code of the last try was remembered and not written.
    pub fn is_remembered(&self) -> bool {
        self.is_remembered
    }

    /// What tells the last failure from others.
    pub fn signature(&self) -> Option<&str> {
        self.signatures.last()?.as_deref()
    }

    /// Takes note of what came of the last action, and decides. An outcome of another kind of action says nothing.
    pub fn observe(&mut self, outcome: Outcome) {
        self.next = match (self.next.clone(), outcome) {
            (Action::End(end), _) => Action::End(end),
            (Action::Test(code), Outcome::Tested | Outcome::Spent(_)) => Action::Run(code),
            (_, Outcome::Spent(why)) => Action::End(End::Spent(why)),
            (Action::Recall, Outcome::Remembered(None)) => Action::Write(Approach::First),
            (Action::Recall, Outcome::Remembered(Some((code, looked)))) => {
                self.is_remembered = true;
                self.take(code, looked)
            }
            (Action::Write(approach), Outcome::Wrote { words, code, looked }) => {
                self.is_remembered = false;
                self.said(approach, words);
                self.take(code, looked)
            }
            (Action::Write(approach), Outcome::WroteNoCode(words)) => self.wrote_no_code(approach, words),
            (Action::Approve(code), Outcome::Decided(true)) => self.run(code),
            (Action::Approve(_), Outcome::Decided(false)) => self.failed("a person did not allow it to run", None),
            (Action::Run(_), Outcome::Ran(ran)) => self.ran(ran),
            (action, _) => action,
        };
    }

    fn said(&mut self, approach: Approach, mut words: Vec<String>) {
        words.truncate(WORDS_MAX);
        match (approach, self.tried.last_mut()) {
            (Approach::Mend | Approach::Anew, Some(last)) if !words.is_empty() => {
                last.reflection = Some(words.join("\n"));
            }
            _ if self.plan.is_empty() => self.plan = words,
            _ => {}
        }
    }

    /// Words without code are a plan when nothing was planned yet, else a try that failed.
    fn wrote_no_code(&mut self, approach: Approach, words: Vec<String>) -> Action {
        self.without_code += 1;
        if self.without_code == 1 && self.plan.is_empty() && !words.is_empty() {
            self.said(Approach::First, words);
            return Action::Write(approach);
        }
        self.tried.push(Tried::of(String::new()));
        self.failed("there was no code in the reply", Some("no code"))
    }

    /// A further piece of code: what is wrong with it before it is run, or else that it is run.
    fn take(&mut self, code: String, looked: Looked) -> Action {
        let is_copy = looked.shape.as_ref().is_some_and(|shape| self.shapes.contains(shape));
        let is_refused = looked.is_refused();
        self.shapes.extend(looked.shape);
        self.tried.push(Tried { findings: looked.findings, ..Tried::of(code.clone()) });
        if is_copy {
            self.copies += 1;
            return self.failed("this is the program that failed before, in other words at most", Some("copy"));
        }
        if let Some(stub) = looked.stub {
            return self.failed(&stub, Some("stub"));
        }
        match self.policy.errors {
            Errors::Ask if is_refused => Action::Approve(code),
            Errors::Refuse if is_refused => {
                let said = self.tried.last().map(Tried::errors).unwrap_or_default();
                self.failed(&format!("it was not executed: {said}"), Some("refused"))
            }
            _ => self.run(code),
        }
    }

    /// Runs code; where nothing else is to hold it against, the model is first asked for tests.
    fn run(&mut self, code: String) -> Action {
        if self.policy.self_tests && !self.policy.has_checks && !self.has_asked_for_tests {
            self.has_asked_for_tests = true;
            return Action::Test(code);
        }
        Action::Run(code)
    }

    fn ran(&mut self, ran: Ran) -> Action {
        let Some(last) = self.tried.last_mut() else { return Action::End(End::Failed) };
        last.output = ran.output;
        last.evidence = ran.evidence;
        if let Some(error) = ran.error {
            return self.failed(&error, ran.signature.as_deref());
        }
        if last.holds() {
            return Action::End(End::Verified);
        }
        if last.evidence.iter().any(|evidence| evidence.by.verifies() && evidence.failed > 0) {
            return self.failed("a check failed", ran.signature.as_deref());
        }
        let doubt = last.evidence.iter().find(|evidence| evidence.failed > 0).map(|evidence| evidence.detail.clone());
        self.ended_well.resize(self.tried.len() - 1, false);
        self.ended_well.push(true);
        match doubt {
            Some(doubt) if self.doubted() <= DOUBTED_MAX => self.failed(&doubt, Some(&doubt)),
            _ => Action::End(End::NoEvidence),
        }
    }

    /// How many tries came to their end, each with a doubt.
    fn doubted(&self) -> u32 {
        self.ended_well.iter().filter(|well| **well).count() as u32
    }

    /// How it ends where nothing more is tried: what came to its end unproven is more than nothing.
    fn given_up(&self) -> End {
        if self.doubted() > 0 { End::NoEvidence } else { End::Failed }
    }

    fn failed(&mut self, error: &str, signature: Option<&str>) -> Action {
        let passed = self.tried.last().map_or(0, Tried::passed);
        self.stale = if passed > self.best { 0 } else { self.stale + 1 };
        self.best = self.best.max(passed);
        self.signatures.push(signature.map(str::to_string));
        if let Some(last) = self.tried.last_mut() {
            last.error = Some(error.to_string());
        }
        let tries = self.tried.len() as u32;
        if tries >= self.policy.iterations_max || self.copies >= COPIES_MAX || self.stale >= self.policy.stale_max {
            return Action::End(self.given_up());
        }
        self.approach = self.next_approach();
        if let Some(last) = self.tried.last_mut() {
            last.reflection = Some(told(self.approach).to_string());
        }
        Action::Write(self.approach)
    }

    fn next_approach(&mut self) -> Approach {
        if self.is_remembered {
            return Approach::First;
        }
        let is_again = match self.signatures.as_slice() {
            [.., before, last] => before == last,
            _ => false,
        };
        if self.policy.mends {
            return if is_again { Approach::Anew } else { Approach::Mend };
        }
        if self.samples < self.policy.samples_max {
            self.samples += 1;
            return Approach::Sample(self.samples);
        }
        Approach::Anew
    }

    /// The state as it is published.
    pub fn state(&self, task: &str, file_path: Option<&str>) -> State {
        let status = match &self.next {
            Action::Recall => Status::Planning,
            Action::Write(_) if self.tried.last().is_some_and(|last| last.error.is_some()) => Status::Reflecting,
            Action::Write(_) if self.plan.is_empty() => Status::Planning,
            Action::Write(_) => Status::Coding,
            Action::Approve(_) | Action::Test(_) | Action::Run(_) => Status::Executing,
            Action::End(End::Verified | End::NoEvidence) => Status::Finished,
            Action::End(End::Failed | End::Spent(_)) => Status::Failed,
        };
        State {
            task: task.to_string(),
            plan: self.plan.clone(),
            current_code: self.tried.last().map(|last| last.code.clone()).filter(|code| !code.is_empty()),
            file_path: file_path.map(str::to_string),
            iteration: self.tried.len() as u32,
            max_iterations: self.policy.iterations_max,
            history: self.tried.clone(),
            status,
        }
    }

    /// The try that came furthest. Of equals the later one, but one that came to its end is not replaced by a revision
    /// that no more speaks for.
    pub fn best(&self) -> Option<&Tried> {
        let well = |at: usize| self.ended_well.get(at).copied().unwrap_or_default();
        let key = |(at, tried): &(usize, &Tried)| {
            let doubts: u64 = tried.evidence.iter().map(|evidence| evidence.failed).sum();
            let before = if well(*at) { std::cmp::Reverse(*at) } else { std::cmp::Reverse(0) };
            (tried.passed(), well(*at), std::cmp::Reverse(if well(*at) { doubts } else { 0 }), tried.ran(), before)
        };
        self.tried
            .iter()
            .enumerate()
            .filter(|(_, tried)| !tried.code.is_empty())
            .max_by_key(key)
            .map(|(_, tried)| tried)
    }
}

/// What is done about a failure, in words, until the model has some of its own.
fn told(approach: Approach) -> &'static str {
    match approach {
        Approach::First => "what was remembered does not hold here; the model is asked",
        Approach::Sample(_) => "another sample is taken, which knows nothing of this one",
        Approach::Mend => "the model is shown the code and what came of it",
        Approach::Anew => "another approach: the model is told what failed, and not shown the code",
    }
}

#[cfg(test)]
mod tests;
