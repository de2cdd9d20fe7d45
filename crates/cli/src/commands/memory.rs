//! `assay memory …`: what was learned from runs, and what to do about it.

use std::fs;
use std::path::Path;

use app::documents::memory::{
    FoundLesson, LessonChange, Lessons, LessonsExport, LessonsForgotten, LessonsImport, noted, search,
};
use base::{Code, Document, Problem};
use flow::{Learned, Lesson, Memory as Kept};

use crate::args::{Memory, MemoryAction, MemoryEdit};
use crate::printer::Printer;
use crate::terminal::Terminal;

/// A file of more bytes is none of ours.
const FILE_BYTES_MAX: u64 = 1 << 30;
const LINE_BYTES_MAX: usize = 1 << 20;

/// Does to lessons what was asked for.
pub async fn run(terminal: &Terminal, memory: &Memory) -> Result<u8, Problem> {
    let kept = terminal.app.engine().await?.runs().memory();
    match &memory.action {
        MemoryAction::List => show(terminal, &Lessons::of(kept.all().await?), false),
        MemoryAction::Show { id } => show(terminal, &Lessons::of(vec![kept.find(id).await?]), true),
        MemoryAction::Search { text, limit } => show(terminal, &search(&terminal.app, text, *limit).await?, false),
        MemoryAction::Add { text, task, error } => {
            let lesson = noted(text, task.as_deref(), error.as_deref())?;
            let id = lesson.id.clone();
            kept.learn(Learned { lessons: vec![lesson], ..Learned::default() }).await?;
            show(terminal, &Lessons::of(vec![kept.find(&id).await?]), true);
        }
        MemoryAction::Edit(edit) => show(terminal, &Lessons::of(vec![changed(&kept, edit).await?]), true),
        MemoryAction::Forget { ids } => forget(terminal, &kept, ids).await?,
        MemoryAction::Export { file } => export(terminal, &kept, file).await?,
        MemoryAction::Import { file } => import(terminal, &kept, file).await?,
    }
    Ok(0)
}

async fn changed(kept: &Kept, edit: &MemoryEdit) -> Result<Lesson, Problem> {
    let hidden = (edit.hide || edit.unhide).then_some(edit.hide);
    let change = LessonChange { fix: edit.fix.clone(), task: edit.task.clone(), error: edit.error.clone(), hidden };
    let lesson = change.of(kept.find(&edit.id).await?)?;
    kept.edit(lesson.clone()).await?;
    Ok(lesson)
}

async fn forget(terminal: &Terminal, kept: &Kept, ids: &[String]) -> Result<(), Problem> {
    let mut forgotten = Vec::new();
    for id in ids {
        forgotten.push(kept.find(id).await?.id);
    }
    kept.forget(forgotten.clone()).await?;
    let document = LessonsForgotten { forgotten };
    terminal.show(&document.to_json(), |printer| {
        document.forgotten.iter().for_each(|id| printer.line(&format!("{id} is forgotten")));
    });
    Ok(())
}

async fn export(terminal: &Terminal, kept: &Kept, file: &Path) -> Result<(), Problem> {
    let lessons = kept.all().await?;
    let lines: String = lessons.iter().filter_map(|lesson| Some(serde_json::to_string(lesson).ok()? + "\n")).collect();
    fs::write(file, lines).map_err(|error| warehouse::unwritable(file, &error))?;
    let document = LessonsExport { file: file.display().to_string(), lessons: lessons.len() };
    terminal.show(&document.to_json(), |printer| {
        printer.line(&format!("{} lessons in {}", document.lessons, document.file));
    });
    Ok(())
}

async fn import(terminal: &Terminal, kept: &Kept, file: &Path) -> Result<(), Problem> {
    let about = fs::metadata(file).map_err(|error| warehouse::unreadable(file, &error))?;
    if about.len() > FILE_BYTES_MAX {
        return Err(Problem::new(Code::TooLarge, format!("`{}` has more than {FILE_BYTES_MAX} bytes", file.display()))
            .hint("split it"));
    }
    let text = fs::read_to_string(file).map_err(|error| warehouse::unreadable(file, &error))?;
    let mut lessons = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| {
            Problem::new(Code::FileFormat, format!("line {} of `{}` is no lesson: {why}", at + 1, file.display()))
                .hint("each line is one, as `assay memory export` writes them; `assay schema lesson` says its fields")
        };
        if line.len() > LINE_BYTES_MAX {
            return Err(wrong("it is too long".into()));
        }
        let lesson: Lesson = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        // What it did elsewhere is another's word.
        lessons.push(Lesson { imported: true, used: 0, helped: 0, ..lesson }.named());
    }
    let all = lessons.len();
    let added = kept.learn(Learned { lessons, ..Learned::default() }).await?;
    let document = LessonsImport { added, merged: all - added };
    terminal.show(&document.to_json(), |printer| {
        printer.line(&format!("{added} lessons came in, {} were known", document.merged));
    });
    Ok(())
}

fn show(terminal: &Terminal, lessons: &Lessons, whole: bool) {
    terminal.show(&lessons.to_json(), |printer| {
        lessons.lessons.iter().for_each(|one| draw(printer, one, whole));
        if lessons.lessons.is_empty() {
            printer.remark("none", "nothing is remembered of that; `assay solve` learns, `assay memory add` notes");
        }
    });
}

fn draw(printer: &Printer, FoundLesson { lesson, score, by }: &FoundLesson, whole: bool) {
    const TASK_CHARACTERS: usize = 70;
    let marks = [(lesson.hidden, "hidden"), (lesson.imported, "imported")];
    let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, word)| format!(" {word}")).collect();
    let score = score.zip(*by).map(|(score, by)| format!("  {score:.2} by {}", by.as_str())).unwrap_or_default();
    let task: String =
        lesson.task.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TASK_CHARACTERS).collect();
    let counts = printer.dim(&format!("used {}, helped {}{marks}{score}", lesson.used, lesson.helped));
    printer.line(&format!("{}  {:<7}  {task}  {counts}", lesson.id, lesson.kind.as_str()));
    if let Some(signature) = &lesson.error_signature {
        printer.line(&format!("    error  {signature}"));
    }
    if !whole {
        return;
    }
    let run = lesson.run.as_deref().unwrap_or("none");
    printer.line(&format!("    came   {}  run {run}", lesson.outcome));
    for (label, text) in [("code", &lesson.code), ("fix", &lesson.fix)] {
        if let Some(text) = text {
            printer.line(&format!("    {label}"));
            text.lines().for_each(|line| printer.lines(&format!("      {line}\n")));
        }
    }
}
