//! What a question with a model remembers: how a program that failed was mended once. It is told to models that mend what they
//! are shown, where the same question failed in the same way before, or where the lesson is the user's own or has helped.
//! Each look and each keeping is a step, as in `solve`.

use std::time::SystemTime;

use agent::{Attempt, Code, End, Language, Machine, memory};
use base::{Hash, Problem};
use flow::{Learned, Lesson, LessonKind, Run};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::advice::advice;

/// Errors of one run that are remembered.
const ERRORS_MAX: usize = 2;
const LOOKED_AT_MAX: usize = 20;
const CODE_BYTES_MAX: usize = 64 * 1024;

/// What one question uses and learns.
#[derive(Default)]
pub struct Lessons {
    /// Each with how many attempts had failed before.
    used: Vec<(String, usize)>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Remembered {
    id: String,
    text: String,
}

impl Lessons {
    /// What mended such an error once, for the last attempt that failed.
    pub async fn of(&mut self, run: &mut Run, question: &str, failed: &[Attempt]) -> Result<Option<String>, Problem> {
        let last = failed.last().filter(|last| last.language == Language::Python);
        let Some(signature) = last.and_then(signature) else { return Ok(None) };
        let input = json!({ "signature": signature, "question": Hash::of(question.as_bytes()) });
        let memory = run.memory();
        let effect = || async {
            let Some(memory) = memory else { return Ok(None) };
            let mut found = memory.of_error(&signature, LOOKED_AT_MAX).await?;
            let is_same = |lesson: &Lesson| lesson.task.split_whitespace().eq(question.split_whitespace());
            found.retain(|lesson| is_same(lesson) || lesson.kind == LessonKind::Note || lesson.helped > 0);
            found.sort_by_key(|lesson| !is_same(lesson));
            Ok(found.iter().find_map(|lesson| Some(Remembered { id: lesson.id.clone(), text: advice(lesson)? })))
        };
        let found: Option<Remembered> = run.step("recall", &input, effect).await?;
        Ok(found.map(|found| {
            self.used.push((found.id, failed.len()));
            found.text
        }))
    }

    /// Keeps what failed, with what gave a result that another derivation came to as well, and counts what helped.
    pub async fn learn(
        self,
        run: &mut Run,
        question: &str,
        (machine, end): (&Machine, &End),
        answer: Option<&Code>,
    ) -> Result<(), Problem> {
        let is_right = matches!(end, End::Answered { agreed: Some(true), .. });
        let failed = machine.attempts();
        let uses: Vec<(String, bool)> =
            self.used.into_iter().map(|(id, before)| (id, is_right && failed.len() == before)).collect();
        let lessons = match end {
            End::Answered { .. } if !is_right => Vec::new(),
            End::Answered { .. } | End::Failed => learned(question, failed, answer),
            _ => Vec::new(),
        };
        let Some(memory) = run.memory().filter(|_| !lessons.is_empty() || !uses.is_empty()) else { return Ok(()) };
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
        Ok(())
    }
}

/// What tells a failure from others, without what was told of the tables.
fn signature(attempt: &Attempt) -> Option<String> {
    let error = attempt.error.as_deref()?;
    memory::signature(error.split(". Facts:").next().unwrap_or(error))
}

/// A lesson for each way in which programs failed, the last first.
fn learned(question: &str, failed: &[Attempt], answer: Option<&Code>) -> Vec<Lesson> {
    let mut lessons: Vec<Lesson> = Vec::new();
    let programs =
        failed.iter().rev().filter(|one| one.language == Language::Python && one.text.len() <= CODE_BYTES_MAX);
    for attempt in programs {
        let Some(error_signature) = signature(attempt) else { continue };
        let is_new = lessons.iter().all(|lesson| lesson.error_signature.as_ref() != Some(&error_signature));
        if is_new && lessons.len() < ERRORS_MAX {
            let fix = answer.filter(|answer| answer.language == Language::Python).map(|answer| answer.text.clone());
            let outcome = attempt.error.as_deref().unwrap_or_default().lines().next().unwrap_or_default().to_string();
            lessons.push(Lesson {
                error_signature: Some(error_signature),
                code: Some(attempt.text.clone()),
                fix,
                outcome,
                ..Lesson::new(LessonKind::Failure, question, SystemTime::UNIX_EPOCH.into())
            });
        }
    }
    lessons
}
