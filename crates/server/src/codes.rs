//! What limits and policies are called over HTTP: documents are those of the command line, with a code in `error` where a
//! program or a statement was stopped or refused.

use serde_json::{Value, json};

/// A document as it is sent.
pub fn told(mut document: Value) -> Value {
    let kind = document["kind"].as_str().unwrap_or_default();
    if !matches!(kind, "execution" | "sql" | "plan") {
        return document;
    }
    let Some(code) = code(&document) else { return document };
    let message = document["error"]["message"].as_str().map_or_else(|| about(code).to_string(), str::to_string);
    match document["error"].as_object_mut() {
        Some(error) => drop(error.insert("code".to_string(), json!(code))),
        None => {
            document["error"] = json!({ "code": code, "type": code, "message": message, "line": null, "traceback": "" })
        }
    }
    document
}

/// The code of an outcome; none where it ran to its end, or failed by itself.
fn code(document: &Value) -> Option<&'static str> {
    let is_program = document["kind"] == "execution";
    match (document["outcome"].as_str()?, document["killed_by"].as_str()) {
        ("killed", Some("time")) => Some("RUNNER_TIMEOUT"),
        ("killed", Some("memory")) => Some("RUNNER_MEMORY"),
        ("killed", Some("output")) => Some("RUNNER_OUTPUT"),
        ("killed", Some("processes")) => Some("RUNNER_PROCESSES"),
        ("killed" | "lost", _) => Some("RUNNER_LOST"),
        ("refused", _) if is_program => Some("PYTHON_POLICY"),
        ("refused", _) => Some("SQL_POLICY"),
        ("failed", _) if is_full(&document["error"]) => Some("RUNNER_DISK"),
        _ => None,
    }
}

/// Whether a program ended because there was no room for what it wrote.
fn is_full(error: &Value) -> bool {
    let message = error["message"].as_str().unwrap_or_default();
    error["type"] == "OSError" && message.contains("No space left on device")
}

fn about(code: &str) -> &'static str {
    match code {
        "RUNNER_TIMEOUT" => "stopped: it took more time than it may",
        "RUNNER_MEMORY" => "stopped: it used more memory than it may",
        "RUNNER_OUTPUT" => "stopped: it wrote more than it may",
        "RUNNER_PROCESSES" => "stopped: it started more processes than it may",
        "RUNNER_DISK" => "there was no room for what it wrote",
        "RUNNER_LOST" => "it ended without saying how",
        _ => "refused by the policy: `findings` says why",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stopped_or_refused_has_a_code_and_what_failed_by_itself_has_none() {
        let said = |kind: &str, outcome: &str, by: Value, error: Value| {
            let document = json!({ "kind": kind, "outcome": outcome, "killed_by": by, "error": error });
            told(document)["error"]["code"].clone()
        };
        assert_eq!(said("execution", "killed", json!("time"), Value::Null), "RUNNER_TIMEOUT");
        assert_eq!(said("sql", "killed", json!("memory"), Value::Null), "RUNNER_MEMORY");
        assert_eq!(said("sql", "refused", Value::Null, Value::Null), "SQL_POLICY");
        assert_eq!(said("execution", "refused", Value::Null, Value::Null), "PYTHON_POLICY");
        let full = json!({ "type": "OSError", "message": "[Errno 28] No space left on device" });
        assert_eq!(said("execution", "failed", Value::Null, full), "RUNNER_DISK");
        let own = json!({ "type": "ValueError", "message": "no" });
        assert_eq!(said("execution", "failed", Value::Null, own), Value::Null);
        assert_eq!(said("answer", "refused", Value::Null, Value::Null), Value::Null);
    }
}
