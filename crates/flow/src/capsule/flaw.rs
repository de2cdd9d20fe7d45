//! What is wrong with a capsule, before anybody decided whose problem it is.
//!
//! A reader makes it `capsule_damaged`, a writer `journal_damaged`: the same check guards both directions.

use std::io;

use base::{Code, Problem, RunId};

const DAMAGED_HINT: &str = "get the file again from where it came from, or export the run again; unpacking a capsule and \
                            packing it with another program does not keep it";

/// The first thing that is wrong, and the part it is in; no part if it is about the container as a whole.
#[derive(Debug)]
pub(super) struct Flaw {
    part: Option<String>,
    message: String,
}

impl Flaw {
    /// `what` goes on after the part's name.
    pub(super) fn in_part(part: &str, what: impl AsRef<str>) -> Flaw {
        Flaw { part: Some(part.to_string()), message: format!("part `{part}` {}", what.as_ref()) }
    }

    pub(super) fn in_container(what: impl Into<String>) -> Flaw {
        Flaw { part: None, message: what.into() }
    }

    pub(super) fn damaged(self) -> Problem {
        let problem = Problem::new(Code::CapsuleDamaged, format!("the capsule is damaged: {}", self.message));
        let problem = problem.hint(DAMAGED_HINT);
        match self.part {
            Some(part) => problem.at(part),
            None => problem,
        }
    }

    pub(super) fn not_exportable(self, run: &RunId) -> Problem {
        Problem::new(Code::JournalDamaged, format!("run `{run}` does not fit a capsule: {}", self.message)).in_run(run)
    }
}

/// The file itself cannot be read, whatever is in it.
pub(super) fn unreadable(error: &io::Error) -> Problem {
    let problem = Problem::new(Code::FileUnreadable, format!("cannot read the capsule: {error}"));
    match error.kind() {
        io::ErrorKind::IsADirectory => problem.hint("name the capsule's file, not a folder"),
        _ => problem,
    }
}

/// The capsule's file cannot be written.
pub(super) fn unwritable(error: &io::Error) -> Problem {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
        _ => Code::FileUnreadable,
    };
    Problem::new(code, format!("cannot write the capsule: {error}"))
}
