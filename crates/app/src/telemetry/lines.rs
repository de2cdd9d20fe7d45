//! One line of the log: for people, or one JSON object for programs. What it is within (request, run, step) is said on each.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use base::Timestamp;
use serde_json::Map;
use tracing::Level;

use super::watch::{Fields, Value};

/// Takes a line, which has no line break. Must not block for long.
pub type Out = Arc<dyn Fn(&str) + Send + Sync>;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON object each.
    Json,
}

/// What of the spans around it is said on a line.
const WITHIN: &[&str] = &["request_id", "run", "step"];
/// The field that says what happened.
const MESSAGE: &str = "message";

pub(crate) struct Line<'a> {
    level: Level,
    part: &'a str,
    pub(crate) fields: Fields,
    within: Vec<(&'static str, Value)>,
}

impl<'a> Line<'a> {
    pub(crate) fn new(level: Level, part: &'a str) -> Line<'a> {
        Line { level, part, fields: Fields::default(), within: Vec::new() }
    }

    /// Adds what a span around it says; the innermost comes first and stands.
    pub(crate) fn within(&mut self, fields: &Fields) {
        for (name, value) in &fields.0 {
            if WITHIN.contains(name)
                && self.fields.get(name).is_none()
                && !self.within.iter().any(|(said, _)| said == name)
            {
                self.within.push((name, value.clone()));
            }
        }
    }

    pub(crate) fn written(&self, form: Form) -> String {
        match form {
            Form::Text => self.text(),
            Form::Json => self.json(),
        }
    }

    fn json(&self) -> String {
        let mut line = Map::new();
        let mut say = |name: &str, value: serde_json::Value| drop(line.insert(name.to_string(), value));
        say("at", serde_json::to_value(Timestamp::from(SystemTime::now())).unwrap_or_default());
        say("level", self.level.as_str().to_ascii_lowercase().into());
        say("part", self.part.into());
        say("event", self.fields.text(MESSAGE).into());
        for (name, value) in self.within.iter().chain(self.told()) {
            say(name, as_json(value));
        }
        serde_json::Value::Object(line).to_string()
    }

    fn text(&self) -> String {
        let at = serde_json::to_value(Timestamp::from(SystemTime::now())).unwrap_or_default();
        let mut line = at.as_str().map(str::to_string).unwrap_or_else(|| at.to_string());
        let level = self.level.as_str().to_ascii_lowercase();
        let _ = write!(line, " {level:5} {}", self.fields.text(MESSAGE));
        for (name, value) in self.told().chain(&self.within) {
            let _ = match value {
                Value::Text(text) if is_plain(text) => write!(line, " {name}={text}"),
                Value::Text(text) => write!(line, " {name}={text:?}"),
                Value::Whole(number) => write!(line, " {name}={number}"),
                Value::Number(number) => write!(line, " {name}={}", rounded(*number)),
                Value::Yes(yes) => write!(line, " {name}={yes}"),
            };
        }
        line
    }

    fn told(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.fields.0.iter().filter(|(name, _)| *name != MESSAGE)
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "/_.:-{}".contains(letter))
}

fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::Whole(number) => (*number).into(),
        Value::Number(number) => rounded(*number).into(),
        Value::Yes(yes) => (*yes).into(),
    }
}

/// A thousandth of a millisecond, or of a cent, is nobody's concern.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_it_is_within_and_nothing_breaks_out_of_it() {
        let mut line = Line::new(Level::INFO, "request");
        line.fields.0 = vec![("message", Value::Text("request".into())), ("path", Value::Text("/a\n{\"x\"".into()))];
        line.within(&Fields(vec![("run", Value::Text("inner".into())), ("prompt", Value::Text("never".into()))]));
        line.within(&Fields(vec![("run", Value::Text("outer".into())), ("request_id", Value::Text("r1".into()))]));
        let json: serde_json::Value = serde_json::from_str(&line.written(Form::Json)).expect("one object");
        assert_eq!(
            (&json["run"], &json["request_id"], &json["path"]),
            (&"inner".into(), &"r1".into(), &"/a\n{\"x\"".into())
        );
        assert!(json.get("prompt").is_none());
        let text = line.written(Form::Text);
        assert!(!text.contains('\n') && text.ends_with(r#"path="/a\n{\"x\"" run=inner request_id=r1"#), "{text}");
    }
}
