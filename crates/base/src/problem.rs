//! Every error a user can meet, in one readable table: code, exit code, HTTP status, and what it is about.
//!
//! Messages and hints are true behind every front door; what can be done is an [`Action`], and a door says how.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

use crate::document::begin;
use crate::{Action, DOCUMENT_VERSION, Document, RunId};

macro_rules! codes {
    ($($variant:ident $name:literal $exit:literal $status:literal $about:literal,)*) => {
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

            /// The status of an HTTP response that tells this problem.
            pub fn http_status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }
        }

        impl Serialize for Code {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl JsonSchema for Code {
            fn schema_name() -> Cow<'static, str> {
                "Code".into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($name),*] })
            }
        }
    };
}

codes! {
    // variant            name                  exit  HTTP  about
    Usage                "usage"                 2  400   "the request is not understood",
    SettingInvalid       "setting_invalid"       2  500   "a setting has a value it cannot have",
    DatasetUnknown       "dataset_unknown"       2  404   "no dataset of that name",
    TableUnknown         "table_unknown"         2  404   "no table of that name in the dataset",
    ColumnUnknown        "column_unknown"        2  422   "no column of that name in the table",
    PlanInvalid          "plan_invalid"          2  422   "the plan says something that has no meaning",
    FileUnreadable       "file_unreadable"       2  422   "a file cannot be opened or read",
    FileFormat           "file_format"           2  422   "a file is not of a kind we can read",
    InputChanged         "input_changed"         2  409   "an input is not what it was when the run began",
    RunUnknown           "run_unknown"           2  404   "no run with that id",
    RunBusy              "run_busy"              2  409   "somebody else works on the run",
    RunExists            "run_exists"            2  409   "a run of that id is here and is another",
    TaskUnknown          "task_unknown"          2  404   "this program has no such task",
    KeyConflict          "key_conflict"          2  409   "the key was used with another input",
    JournalMismatch      "journal_mismatch"      2  500   "the run's code no longer matches its journal",
    JournalDamaged       "journal_damaged"       2  500   "the journal holds something unreadable",
    CapsuleDamaged       "capsule_damaged"       2  422   "a capsule's part is not what its manifest says",
    SessionDiverged      "session_diverged"      2  500   "a rebuilt session gave other output than before",
    StoreLocked          "store_locked"          2  503   "another process holds the store",
    StoreReadonly        "store_readonly"        2  500   "the store cannot be written",
    StoreNewer           "store_newer"           2  500   "the store was written by a newer program",
    DiskFull             "disk_full"             2  507   "no space is left on the device",
    DiskFailed           "disk_failed"           2  500   "the device does not read or write",
    EnvironmentMissing   "environment_missing"   2  503   "the Python environment is not there and cannot be made",
    SandboxUnavailable   "sandbox_unavailable"   2  503   "this machine does not give the isolation that is required",
    SandboxBusy          "sandbox_busy"          2  503   "too many programs wait for a cell",
    SandboxLost          "sandbox_lost"          2  500   "a cell ended without saying how",
    KeyMissing           "key_missing"           4  503   "a model's key is missing",
    ModelUnknown         "model_unknown"         2  422   "no model of that name",
    ModelRefused         "model_refused"         2  422   "the model's provider does not take the request",
    ModelFailed          "model_failed"          2  502   "the model's provider gives no usable reply",
    ModelTruncated       "model_truncated"       2  502   "a model's reply ended before its end",
    RateLimited          "rate_limited"          2  503   "the model's provider asks to wait longer than we do",
    QuotaExceeded        "quota_exceeded"        2  503   "the model's account has nothing left",
    BudgetExhausted      "budget_exhausted"      2  422   "a budget is used up, and there is nothing to show for it",
    ApprovalNeeded       "approval_needed"       1  409   "a person has to allow something before the run goes on",
    NotFound             "not_found"             2  404   "nothing of that name, or nothing at that address",
    MethodUnknown        "method_unknown"        2  405   "that address is not asked in this way",
    TokenInvalid         "token_invalid"         2  401   "no token, or one that is unknown, expired or revoked",
    Forbidden            "forbidden"             2  403   "the token or the address it is used from does not allow this",
    TooManyRequests      "too_many_requests"     2  429   "more at once than one owner may have",
    UnsupportedMedia     "unsupported_media"     2  415   "a body of another kind than is read here",
    TooLarge             "too_large"             2  413   "more than is taken or given at once",
    WorkerLost           "worker_lost"           2  500   "the run took down every worker that took it",
    TimedOut             "timed_out"             2  504   "a step took longer than it may",
    Cancelled            "cancelled"           130  409   "stopped by the user",
    Internal             "internal"              2  500   "a fault of ours",
    Unknown              "unknown"               2  500   "a problem that a newer program named",
}

/// One error at a border: what failed and on what, and apart from it what to do.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transform = begin::<Problem>)]
pub struct Problem {
    /// The class of the error.
    pub code: Code,
    /// Lower case, no period: what failed and on what.
    pub message: String,
    /// What to do about it, in words.
    pub hint: Option<String>,
    /// What to do about it, for a front door to say how.
    pub actions: Vec<Action>,
    /// A JSON pointer into the input that is wrong.
    pub path: Option<String>,
    /// The run it happened in.
    pub run: Option<RunId>,
    /// The name of a code that this program does not know.
    #[schemars(skip)]
    unknown: Option<String>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(code: Code, message: impl Into<String>) -> Problem {
        let message = clipped(message.into());
        Problem { code, message, hint: None, actions: Vec::new(), path: None, run: None, unknown: None }
    }

    /// The name of its code, also of one that only a newer program knows.
    pub fn code_name(&self) -> &str {
        self.unknown.as_deref().unwrap_or(self.code.as_str())
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(clipped(hint.into()));
        self
    }

    /// Adds something that can be done.
    pub fn action(mut self, action: impl Into<Action>) -> Problem {
        self.actions.push(action.into());
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

impl Document for Problem {
    const KIND: &'static str = "problem";
}

/// A problem is a document also where it stands in another.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("Problem", 8)?;
        document.serialize_field("v", &DOCUMENT_VERSION)?;
        document.serialize_field("kind", Problem::KIND)?;
        document.serialize_field("code", self.code_name())?;
        document.serialize_field("message", &self.message)?;
        document.serialize_field("hint", &self.hint)?;
        document.serialize_field("actions", &self.actions)?;
        document.serialize_field("path", &self.path)?;
        document.serialize_field("run", &self.run)?;
        document.end()
    }
}

/// Reads a problem document back, also one of a newer program: its code keeps its name, and actions that are not known
/// here are left out.
impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Problem, D::Error> {
        #[derive(serde::Deserialize)]
        struct Document {
            code: String,
            message: String,
            hint: Option<String>,
            #[serde(default)]
            actions: Value,
            path: Option<String>,
            run: Option<RunId>,
        }
        let Document { code, message, hint, actions, path, run } = Document::deserialize(deserializer)?;
        let actions = actions.as_array().map(Vec::as_slice).unwrap_or_default();
        let actions = actions.iter().filter_map(|action| Action::deserialize(action).ok()).collect();
        let (code, unknown) = match Code::ALL.iter().find(|known| known.as_str() == code) {
            Some(known) => (*known, None),
            None => (Code::Unknown, Some(code)),
        };
        Ok(Problem { code, message, hint, actions, path, run, unknown })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;

    #[test]
    fn a_problem_is_read_back_as_it_was() {
        let run = RunId::fresh();
        let problem = Problem::new(Code::ColumnUnknown, "no column `amout`")
            .hint("did you mean `amount`?")
            .action(Action::ResumeRun { run: run.clone() })
            .action(Choice::DataDir)
            .at("/measures/0")
            .in_run(&run);
        let text = serde_json::to_string(&problem).expect("a problem is plain data");
        assert_eq!(serde_json::from_str::<Problem>(&text).expect("its own document"), problem);
        assert!(text.contains(&format!(
            "\"actions\":[{{\"do\":\"resume_run\",\"run\":\"{run}\"}},{{\"do\":\"choose\",\"what\":\"data_dir\"}}]"
        )));
    }

    #[test]
    fn a_problem_of_another_program_is_read() {
        let read = |text: &str| serde_json::from_str::<Problem>(text).expect("a problem");
        let newer = read(
            r#"{"code":"of_the_future","message":"m","actions":[{"do":"wait"},{"do":"list_runs"},{"do":"choose","what":"x"},1]}"#,
        );
        assert_eq!(
            (newer.code, newer.code_name(), &newer.actions[..]),
            (Code::Unknown, "of_the_future", &[Action::ListRuns][..])
        );
        let written = serde_json::to_string(&newer).expect("a problem is plain data");
        assert!(written.contains(r#""code":"of_the_future""#), "{written}");
        assert_eq!(read(&written), newer);
        let older = read(r#"{"code":"internal","message":"m","hint":null,"path":null,"run":null}"#);
        assert_eq!(older, Problem::new(Code::Internal, "m"));
        assert_eq!(read(r#"{"code":"internal","message":"m","actions":null}"#), older);
    }

    #[test]
    fn every_listed_field_is_present() {
        let problem = Problem::new(Code::ColumnUnknown, "no column `amout`").hint("did you mean `amount`?");
        let text = serde_json::to_string(&problem).expect("a problem is plain data");
        assert_eq!(
            text,
            "{\"v\":1,\"kind\":\"problem\",\"code\":\"column_unknown\",\"message\":\"no column `amout`\",\
             \"hint\":\"did you mean `amount`?\",\"actions\":[],\"path\":null,\"run\":null}"
        );
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn every_status_is_that_of_an_error() {
        for code in Code::ALL {
            assert!((400..600).contains(&code.http_status()), "{code:?}");
        }
    }
}
