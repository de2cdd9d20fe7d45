//! Problems as the journal keeps them: reading one back, and deciding which failures are outcomes.

use base::{Code, Problem, RunId};
use serde_json::Value;

/// Whether a failed effect is recorded as the step's outcome.
///
/// It is when the same input would fail the same way anywhere and at any time. What is about this machine at this
/// moment is not recorded: the run ends, and when it is resumed the effect is tried again.
pub(crate) fn is_outcome(code: Code) -> bool {
    match code {
        Code::Usage
        | Code::TableUnknown
        | Code::ColumnUnknown
        | Code::PlanInvalid
        | Code::FileFormat
        | Code::CapsuleDamaged => true,
        Code::SettingInvalid
        | Code::DatasetUnknown
        | Code::FileUnreadable
        | Code::InputChanged
        | Code::RunUnknown
        | Code::TaskUnknown
        | Code::KeyConflict
        | Code::JournalMismatch
        | Code::JournalDamaged
        | Code::SessionDiverged
        | Code::StoreLocked
        | Code::StoreReadonly
        | Code::StoreNewer
        | Code::DiskFull
        | Code::EnvironmentMissing
        | Code::SandboxUnavailable
        | Code::SandboxLost
        | Code::KeyMissing
        | Code::Cancelled
        | Code::Internal => false,
    }
}

/// Reads a problem document; `None` if it is none, or has a code this program does not know.
pub(crate) fn from_document(document: &Value) -> Option<Problem> {
    let text = |field: &str| document.get(field).and_then(Value::as_str).map(str::to_string);
    let name = document.get("code")?.as_str()?;
    let code = Code::ALL.iter().copied().find(|code| code.as_str() == name)?;
    let run = document.get("run").and_then(Value::as_str).and_then(RunId::parse);
    Some(Problem { code, message: text("message")?, hint: text("hint"), path: text("path"), run })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_survives_the_journal() {
        let problem = Problem::new(Code::ColumnUnknown, "no column `amout`")
            .hint("did you mean `amount`?")
            .at("/measures/0")
            .in_run(&RunId::fresh());
        let document = serde_json::to_value(&problem).expect("plain data");
        assert_eq!(from_document(&document), Some(problem));
        assert_eq!(from_document(&serde_json::json!({ "code": "of the future", "message": "" })), None);
    }
}
