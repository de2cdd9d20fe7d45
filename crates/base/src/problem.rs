//! Every error a user can meet, in one readable table: code, exit code, and what it is about.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::RunId;

macro_rules! codes {
    ($($variant:ident $name:literal $exit:literal $about:literal,)*) => {
        /// What went wrong, as a closed set that scripts may branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $about] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The name in the machine interface.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The exit code of a command that ends with this problem.
            pub fn exit_code(self) -> u8 {
                match self { $(Code::$variant => $exit,)* }
            }
        }
    };
}

codes! {
    // variant            name                  exit  about
    Usage                "usage"                 2   "the command line is not understood",
    SettingInvalid       "setting_invalid"       2   "a setting has a value it cannot have",
    DatasetUnknown       "dataset_unknown"       2   "no dataset of that name",
    TableUnknown         "table_unknown"         2   "no table of that name in the dataset",
    ColumnUnknown        "column_unknown"        2   "no column of that name in the table",
    PlanInvalid          "plan_invalid"          2   "the plan says something that has no meaning",
    FileUnreadable       "file_unreadable"       2   "a file cannot be opened or read",
    FileFormat           "file_format"           2   "a file is not of a kind we can read",
    InputChanged         "input_changed"         2   "an input is not what it was when the run began",
    RunUnknown           "run_unknown"           2   "no run with that id",
    RunBusy              "run_busy"              2   "somebody else works on the run",
    RunExists            "run_exists"            2   "a run of that id is here and is another",
    TaskUnknown          "task_unknown"          2   "this program has no such task",
    KeyConflict          "key_conflict"          2   "the key was used with another input",
    JournalMismatch      "journal_mismatch"      2   "the run's code no longer matches its journal",
    JournalDamaged       "journal_damaged"       2   "the journal holds something unreadable",
    CapsuleDamaged       "capsule_damaged"       2   "a capsule's part is not what its manifest says",
    SessionDiverged      "session_diverged"      2   "a rebuilt session gave other output than before",
    StoreLocked          "store_locked"          2   "another process holds the store",
    StoreReadonly        "store_readonly"        2   "the store cannot be written",
    StoreNewer           "store_newer"           2   "the store was written by a newer program",
    DiskFull             "disk_full"             2   "no space is left on the device",
    DiskFailed           "disk_failed"           2   "the device does not read or write",
    EnvironmentMissing   "environment_missing"   2   "the Python environment is not there and cannot be made",
    SandboxUnavailable   "sandbox_unavailable"   2   "this machine does not give the isolation that is required",
    SandboxBusy          "sandbox_busy"          2   "too many programs wait for a cell",
    SandboxLost          "sandbox_lost"          2   "a cell ended without saying how",
    KeyMissing           "key_missing"           4   "a model's key is missing",
    WorkerLost           "worker_lost"           2   "the run took down every worker that took it",
    TimedOut             "timed_out"             2   "a step took longer than it may",
    Cancelled            "cancelled"           130   "stopped by the user",
    Internal             "internal"              2   "a fault of ours",
}

/// One error at a border: what failed and on what, and apart from it what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The class of the error.
    pub code: Code,
    /// Lower case, no period: what failed and on what.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// A JSON pointer into the input that is wrong.
    pub path: Option<String>,
    /// The run it happened in.
    pub run: Option<RunId>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(code: Code, message: impl Into<String>) -> Problem {
        Problem { code, message: clipped(message.into()), hint: None, path: None, run: None }
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(clipped(hint.into()));
        self
    }

    /// Points into the input.
    pub fn at(mut self, path: impl Into<String>) -> Problem {
        self.path = Some(path.into());
        self
    }

    /// Names the run it happened in.
    pub fn in_run(mut self, run: &RunId) -> Problem {
        self.run = Some(run.clone());
        self
    }
}

/// A message quotes what the user wrote, which may be endless.
fn clipped(mut text: String) -> String {
    const BYTES_MAX: usize = 1_000;
    if text.len() > BYTES_MAX {
        text.truncate((0..=BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
        text.push('…');
    }
    text
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("Problem", 7)?;
        document.serialize_field("v", &1)?;
        document.serialize_field("kind", "problem")?;
        document.serialize_field("code", self.code.as_str())?;
        document.serialize_field("message", &self.message)?;
        document.serialize_field("hint", &self.hint)?;
        document.serialize_field("path", &self.path)?;
        document.serialize_field("run", &self.run)?;
        document.end()
    }
}

/// Reads a problem document back; one with a code this program does not know is refused.
impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Problem, D::Error> {
        #[derive(serde::Deserialize)]
        struct Document {
            code: String,
            message: String,
            hint: Option<String>,
            path: Option<String>,
            run: Option<RunId>,
        }
        let Document { code, message, hint, path, run } = Document::deserialize(deserializer)?;
        let known = Code::ALL.iter().copied().find(|known| known.as_str() == code);
        let code = known.ok_or_else(|| D::Error::custom(format!("there is no problem `{code}`")))?;
        Ok(Problem { code, message, hint, path, run })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_read_back_as_it_was() {
        let problem = Problem::new(Code::ColumnUnknown, "no column `amout`")
            .hint("did you mean `amount`?")
            .at("/measures/0")
            .in_run(&RunId::fresh());
        let text = serde_json::to_string(&problem).expect("a problem is plain data");
        assert_eq!(serde_json::from_str::<Problem>(&text).expect("its own document"), problem);
        assert!(serde_json::from_str::<Problem>(r#"{"code":"of the future","message":""}"#).is_err());
    }

    #[test]
    fn every_listed_field_is_present() {
        let problem = Problem::new(Code::ColumnUnknown, "no column `amout`").hint("did you mean `amount`?");
        let text = serde_json::to_string(&problem).expect("a problem is plain data");
        assert_eq!(
            text,
            "{\"v\":1,\"kind\":\"problem\",\"code\":\"column_unknown\",\"message\":\"no column `amout`\",\
             \"hint\":\"did you mean `amount`?\",\"path\":null,\"run\":null}"
        );
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
