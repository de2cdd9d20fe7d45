//! What of a lesson may be used: nothing that is remembered is believed, least of all what comes from elsewhere.

use flow::{Lesson, LessonKind};
use guard::python::Profile;

const NOTE_CHARACTERS_MAX: usize = 600;
const FIX_BYTES_MAX: usize = 4_000;

/// What of a lesson may be shown to a model: a program in which the guard sees nothing, or the user's own words. A program
/// from elsewhere says nothing in words, neither in comments nor in texts.
pub fn advice(lesson: &Lesson) -> Option<String> {
    let fix = lesson.fix.as_deref()?.trim();
    if fix.len() <= FIX_BYTES_MAX && is_clean(fix, lesson.imported) && guard::python::stub(fix).is_none() {
        return if lesson.imported { guard::python::wordless(fix) } else { Some(fix.to_string()) };
    }
    let is_own_note = lesson.kind == LessonKind::Note && !lesson.imported;
    is_own_note.then(|| fix.chars().take(NOTE_CHARACTERS_MAX).collect())
}

/// Whether the guard sees nothing in it. What comes from elsewhere also has no business with files, processes or a network.
pub fn is_clean(code: &str, imported: bool) -> bool {
    let is_tame = || guard::python::check(code, Profile::Analysis).is_ok();
    let is_quiet = || guard::python::findings(code, Profile::Task).is_empty();
    guard::python::shape(code).is_some() && is_quiet() && (!imported || is_tame())
}
