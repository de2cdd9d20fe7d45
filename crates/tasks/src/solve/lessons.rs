//! What a solve remembers and what it leaves to later ones. Each look and each keeping is a step, so that a resumed run
//! decides as the first attempt did, whatever was learned meanwhile.
//!
//! Nothing that is remembered is believed: a remembered program is looked at by the guard and passes the tests again, or it
//! is none; what is shown to a model is about the same error, and code in which the guard sees nothing at all. What comes
//! from elsewhere is held against that, too, before it is run.

use std::time::SystemTime;

use agent::memory;
use agent::solve::{End, Looked, Machine, Tried};
use base::{Hash, Problem, Severity};
use flow::{Learned, Lesson, LessonKind, Run};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::SolutionLessons;
use crate::advice::{advice, is_clean};

/// Errors of one run that are remembered.
const ERRORS_MAX: usize = 3;
const LOOKED_AT_MAX: usize = 5;
const CODE_BYTES_MAX: usize = 256 * 1024;

/// What one solve uses and learns.
#[derive(Default)]
pub struct Lessons {
    /// Each with how many tries there were before.
    used: Vec<(String, usize)>,
}

/// What was found.
#[derive(Clone, Serialize, Deserialize)]
pub struct Remembered {
    id: String,
    /// A program, or words of the user's own.
    pub text: String,
}

impl Lessons {
    /// The solution of the same task that passed the same checks.
    pub async fn of_task(&mut self, run: &mut Run, task: &str, checks: &Hash) -> Result<Option<String>, Problem> {
        let input = json!({ "task": Hash::of(task.as_bytes()), "checks": checks });
        let memory = run.memory();
        let effect = || async {
            let Some(memory) = memory else { return Ok(None) };
            let found = memory.of_task(task, checks.as_str(), LOOKED_AT_MAX).await?;
            let usable = |lesson: &Lesson| lesson.code.clone().filter(|code| !lesson.imported || is_clean(code, true));
            Ok(found.iter().find_map(|lesson| Some(Remembered { id: lesson.id.clone(), text: usable(lesson)? })))
        };
        let found: Option<Remembered> = run.step("recall", &input, effect).await?;
        Ok(found.map(|found| self.use_it(found, 0)))
    }

    /// What mended the same error before; so many tries have failed.
    pub async fn of_error(&mut self, run: &mut Run, error: &str, tries: usize) -> Result<Option<String>, Problem> {
        let Some(signature) = memory::signature(error) else { return Ok(None) };
        let input = json!({ "signature": signature });
        let memory = run.memory();
        let effect = || async {
            let Some(memory) = memory else { return Ok(None) };
            let found = memory.of_error(&signature, LOOKED_AT_MAX).await?;
            Ok(found.iter().find_map(|lesson| Some(Remembered { id: lesson.id.clone(), text: advice(lesson)? })))
        };
        let found: Option<Remembered> = run.step("recall", &input, effect).await?;
        Ok(found.map(|found| self.use_it(found, tries)))
    }

    fn use_it(&mut self, found: Remembered, tries: usize) -> String {
        self.used.push((found.id, tries));
        found.text
    }

    /// Keeps what was learned, counts what helped, and says both.
    pub async fn learn(
        self,
        run: &mut Run,
        task: &str,
        checks: &Hash,
        (machine, end): (&Machine, &End),
    ) -> Result<SolutionLessons, Problem> {
        // Only what led to the last try can have helped.
        let helped = |before: usize| *end == End::Verified && machine.tried().len() == before + 1;
        let uses: Vec<(String, bool)> = self.used.iter().map(|(id, before)| (id.clone(), helped(*before))).collect();
        let used: Vec<String> = uses.iter().map(|(id, _)| id.clone()).collect();
        let lessons = learned(task, checks, machine, end);
        let memory = run.memory().filter(|_| !lessons.is_empty() || !used.is_empty());
        let Some(memory) = memory else {
            return Ok(SolutionLessons { used, saved: Vec::new() });
        };
        let saved: Vec<String> = lessons.iter().map(|lesson| lesson.clone().named().id).collect();
        let input = json!({ "saved": saved, "uses": uses });
        let from = run.id().to_string();
        let effect = || async {
            let at = SystemTime::now().into();
            let own = |lesson: Lesson| Lesson { run: Some(from.clone()), created_at: at, ..lesson.named() };
            let lessons = lessons.into_iter().map(own).collect();
            memory.learn(Learned { lessons, uses, run: from.clone(), patience: memory::PATIENCE }).await?;
            Ok(())
        };
        run.step::<_, (), _, _>("remember", &input, effect).await?;
        Ok(SolutionLessons { used, saved })
    }
}

/// The lessons of a run that ended so. When they were learned is said when they are kept.
fn learned(task: &str, checks: &Hash, machine: &Machine, end: &End) -> Vec<Lesson> {
    let new = |kind: LessonKind, tried: &Tried, outcome: &str| Lesson {
        code: Some(tried.code.clone()),
        outcome: outcome.lines().next().unwrap_or_default().to_string(),
        ..Lesson::new(kind, task, SystemTime::UNIX_EPOCH.into())
    };
    let mut lessons = Vec::new();
    let solution = machine.tried().last().filter(|_| *end == End::Verified);
    if let Some(solution) = solution.filter(|_| !machine.is_remembered()) {
        let seen: Vec<&str> =
            solution.evidence.iter().filter(|one| one.by.verifies()).map(|one| one.detail.as_str()).collect();
        let checks = Some(checks.to_string());
        lessons.push(Lesson { checks, ..new(LessonKind::Success, solution, &seen.join("; ")) });
    }
    let mut signatures = Vec::new();
    for tried in machine.tried().iter().rev().filter(|tried| !tried.code.is_empty()) {
        let Some(error) = &tried.error else { continue };
        let signature = memory::signature(error);
        let is_last = *end == End::Failed && lessons.is_empty();
        let is_new = signature.is_some() && !signatures.contains(&signature);
        if (is_new || is_last) && signatures.len() < ERRORS_MAX {
            let fix = solution.map(|solution| solution.code.clone());
            lessons.push(Lesson { error_signature: signature.clone(), fix, ..new(LessonKind::Failure, tried, error) });
            signatures.push(signature);
        }
    }
    lessons.retain(|lesson| lesson.code.as_ref().is_none_or(|code| code.len() <= CODE_BYTES_MAX));
    lessons
}

/// Code that was written with a lesson in hand: what the guard only warns of is an error, unless the model did the same without
/// the lesson. So a lesson that teaches such does not get it run, and does not help.
pub fn hold_to_more(looked: &mut Looked, tried: &[Tried]) {
    let before: Vec<&str> = tried.iter().flat_map(|tried| &tried.findings).map(|found| found.rule.as_str()).collect();
    let is_new = |rule: &str| !before.contains(&rule) && !guard::python::REMARKS.contains(&rule);
    for finding in looked.findings.iter_mut().filter(|finding| is_new(&finding.rule)) {
        finding.severity = Severity::Error;
    }
}
