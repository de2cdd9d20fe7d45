//! HumanEval's tasks, and how code is scored by the tests that nobody who solves them sees.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::line::Line;
use crate::workspace::output;

/// A solution may take this long on all of its hidden tests.
const TIME_MAX: &str = "20s";

/// A task with its hidden tests.
pub struct Task {
    /// As the benchmark names it, in a form that can be part of a key.
    pub id: String,
    /// The beginning of a program, which is the task.
    pub prompt: String,
    entry: String,
    tests: String,
}

/// All of them, in the benchmark's order.
pub fn read(path: &Path) -> anyhow::Result<Vec<Task>> {
    let text = output(Command::new("gzip").arg("-dc").arg(path))?;
    text.lines().map(Task::read).collect()
}

impl Task {
    fn read(line: &str) -> anyhow::Result<Task> {
        let value: Value = serde_json::from_str(line).context("a line of the benchmark is no JSON")?;
        let text = |name: &str| value[name].as_str().map(str::to_string).with_context(|| format!("no `{name}`"));
        Ok(Task {
            id: text("task_id")?.replace('/', "-"),
            prompt: text("prompt")?,
            entry: text("entry_point")?,
            tests: text("test")?,
        })
    }

    /// Whether it is done.
    pub fn is_in(&self, lines: &BTreeMap<String, Line>) -> bool {
        lines.contains_key(&self.id)
    }

    /// Whether code passes the hidden tests, in the sandbox. It does where the last line of the program was reached, which
    /// prints a word that the code could not know when it was written.
    pub fn scores(&self, assay: &Path, data: &Path, code: &str) -> anyhow::Result<bool> {
        let word = format!("passed-{}", std::time::UNIX_EPOCH.elapsed()?.as_nanos());
        let program = self.program(code, &word);
        let mut run = Command::new(assay);
        run.args(["sandbox", "run", "-", "--time", TIME_MAX, "--data-dir"]).arg(data);
        let mut child = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("no stdin")?.write_all(program.as_bytes())?;
        let ran = child.wait_with_output()?;
        // 1: the program failed. Anything else that is not 0 says nothing about the code.
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        ensure!(matches!(ran.status.code(), Some(0 | 1)), "{} could not be scored: {}", self.id, said.trim());
        Ok(String::from_utf8_lossy(&ran.stdout).lines().last() == Some(word.as_str()))
    }

    fn program(&self, code: &str, word: &str) -> String {
        format!("{code}\n\n{}\n\ncheck({})\nprint()\nprint({word:?})\n", self.tests, self.entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_read_and_its_tests_follow_the_code() {
        let line = r#"{"task_id":"Own/1","prompt":"def f():\n","entry_point":"f","test":"def check(c):\n    assert c() == 1"}"#;
        let task = Task::read(line).expect("a task");
        assert_eq!(task.id, "Own-1");
        let program = task.program("def f():\n    return 1", "word");
        assert!(
            program.starts_with("def f():\n    return 1\n\ndef check")
                && program.ends_with("check(f)\nprint()\nprint(\"word\")\n")
        );
        assert!(Task::read(r#"{"task_id":"Own/1"}"#).is_err());
    }
}
