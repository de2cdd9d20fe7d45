//! What is kept of one task that was solved and scored, a line of JSON.

use anyhow::Context;
use serde_json::{Value, json};

use super::tasks::Task;

/// One task's outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its id.
    pub task: String,
    /// What the loop said of its code.
    pub verdict: String,
    /// Whether the first reply's code passes the hidden tests.
    pub once: bool,
    /// Whether the loop's code does.
    pub at_last: bool,
    /// Of the first reply, and of all.
    pub tokens: (u64, u64),
    /// Replies.
    pub calls: u64,
    /// Until the first reply was there, and until the end.
    pub seconds: (f64, f64),
}

impl Line {
    /// What the documents of a solve and of its run say.
    pub fn of(task: &Task, solution: &Value, run: &Value, scored: (bool, bool)) -> anyhow::Result<Line> {
        let verdict = solution["verdict"].as_str().with_context(|| format!("no solution: {solution}"))?;
        let steps = run["steps"].as_array().context("a run without steps")?;
        let first = steps.iter().find(|step| step["name"] == "model");
        let seconds = |step: &Value| step["duration_ms"].as_f64().unwrap_or_default() / 1_000.0;
        let cost = &solution["model"]["cost"];
        Ok(Line {
            task: task.id.clone(),
            verdict: verdict.to_string(),
            once: scored.0,
            at_last: scored.1,
            tokens: (first.map_or(0, |step| total(&step["output"]["tokens"])), total(&cost["tokens"])),
            calls: cost["calls"].as_u64().unwrap_or_default(),
            seconds: (first.map_or(0.0, seconds), steps.iter().map(seconds).sum()),
        })
    }

    /// As it was kept.
    pub fn read(line: &str) -> anyhow::Result<Line> {
        let value: Value = serde_json::from_str(line)?;
        let text = |name: &str| value[name].as_str().map(str::to_string).with_context(|| format!("no `{name}`"));
        let count = |name: &str, at: usize| value[name][at].as_u64().unwrap_or_default();
        let seconds = |at: usize| value["seconds"][at].as_f64().unwrap_or_default();
        Ok(Line {
            task: text("task")?,
            verdict: text("verdict")?,
            once: value["once"] == true,
            at_last: value["at_last"] == true,
            tokens: (count("tokens", 0), count("tokens", 1)),
            calls: value["calls"].as_u64().unwrap_or_default(),
            seconds: (seconds(0), seconds(1)),
        })
    }

    /// As it is kept.
    pub fn written(&self) -> String {
        json!({
            "task": self.task, "verdict": self.verdict, "once": self.once, "at_last": self.at_last,
            "tokens": [self.tokens.0, self.tokens.1], "calls": self.calls, "seconds": [self.seconds.0, self.seconds.1],
        })
        .to_string()
    }

    /// For who watches.
    pub fn told(&self) -> String {
        let right = |is_right: bool| if is_right { "right" } else { "wrong" };
        format!(
            "{:<14} one shot {}, loop {} and {}, {} replies, {} tokens, {:.0} s",
            self.task,
            right(self.once),
            right(self.at_last),
            self.verdict,
            self.calls,
            self.tokens.1,
            self.seconds.1
        )
    }
}

fn total(tokens: &Value) -> u64 {
    tokens.as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_and_what_was_cut_is_not() {
        let line = Line {
            task: "Own-1".into(),
            verdict: "verified".into(),
            once: false,
            at_last: true,
            tokens: (10, 40),
            calls: 3,
            seconds: (1.5, 4.0),
        };
        let text = line.written();
        assert_eq!(Line::read(&text).expect("a line"), line);
        assert!(Line::read(&text[..text.len() / 2]).is_err());
    }
}
