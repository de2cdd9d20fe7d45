//! A model that says again what was recorded, and nothing else: no request ever reaches a network.
//!
//! Requests are matched by what they say, whoever they were sent to. One that was not recorded fails and says how it
//! differs from the nearest that was.

use base::{Code, Hash, Problem};
use serde_json::Value;

use crate::{Family, Listener, Model, Reading, Reply, Request};

/// What was asked and answered, and by whom.
pub(crate) struct Recording {
    exchanges: Vec<Exchange>,
    /// The model that answered then.
    pub model: String,
}

struct Exchange {
    request: Value,
    digest: Hash,
    reply: Reply,
}

/// A model that answers from a recording.
pub(crate) struct RecordedModel {
    pub name: String,
    pub family: Family,
    pub recording: Recording,
}

impl Recording {
    /// Reads pairs of a request, with the name of its model beside it, and the reply.
    pub fn of(pairs: Vec<(Value, Value)>) -> Result<Recording, Problem> {
        let (mut exchanges, mut model) = (Vec::new(), None);
        for (mut request, reply) in pairs {
            let asked = request.as_object_mut().and_then(|fields| fields.remove("model"));
            let reply: Reply = serde_json::from_value(reply)
                .map_err(|error| Problem::new(Code::ModelFailed, format!("a recorded reply is none: {error}")))?;
            let asked = asked.and_then(|name| name.as_str().map(str::to_string)).unwrap_or_default();
            // A recording of a recording is one of the model that answered first.
            model.get_or_insert_with(|| reply.by.clone().filter(|_| reply.recorded).unwrap_or(asked));
            exchanges.push(Exchange { digest: Hash::of_json(&request), request, reply });
        }
        match model {
            Some(model) => Ok(Recording { exchanges, model }),
            None => Err(Problem::new(Code::ModelFailed, "no model's reply is recorded there")
                .hint("export a run that a model had a part in")),
        }
    }

    fn answer(&self, name: &str, request: &Request) -> Result<Reply, Problem> {
        let broken = |error: serde_json::Error| Problem::new(Code::Internal, error.to_string());
        let request = serde_json::to_value(request).map_err(broken)?;
        let digest = Hash::of_json(&request);
        if let Some(exchange) = self.exchanges.iter().find(|exchange| exchange.digest == digest) {
            let reply = exchange.reply.clone();
            return Ok(Reply { by: Some(self.model.clone()), usd: None, recorded: true, ..reply });
        }
        let problem = Problem::new(Code::ModelFailed, format!("`{name}` has no such request"));
        let spelled = request.to_string();
        // Of those that are equally near, the first.
        let nearest = self.exchanges.iter().rev().max_by_key(|one| common(&spelled, &one.request.to_string()));
        let difference = nearest.and_then(|one| difference("", &request, &one.request));
        Err(match difference {
            Some(difference) => problem.hint(format!("the nearest that was recorded differs {difference}")),
            None => problem,
        })
    }
}

/// How many letters two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// The first part in which two requests differ, in words.
fn difference(place: &str, asked: &Value, recorded: &Value) -> Option<String> {
    match (asked, recorded) {
        _ if asked == recorded => None,
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            let get =
                |fields: &serde_json::Map<String, Value>, name: &str| fields.get(name).cloned().unwrap_or_default();
            let dot = if place.is_empty() { "" } else { "." };
            names
                .into_iter()
                .find_map(|name| difference(&format!("{place}{dot}{name}"), &get(one, name), &get(other, name)))
        }
        (Value::Array(one), Value::Array(other)) => (0..one.len().max(other.len())).find_map(|at| {
            let get = |items: &[Value]| items.get(at).cloned().unwrap_or_default();
            difference(&format!("{place}[{at}]"), &get(one), &get(other))
        }),
        (Value::String(one), Value::String(other)) => {
            let from = common(one, other);
            Some(format!("in {place}: asked {}, recorded {}", around(one, from), around(other, from)))
        }
        _ => Some(format!(
            "in {place}: asked {}, recorded {}",
            around(&asked.to_string(), 0),
            around(&recorded.to_string(), 0)
        )),
    }
}

/// A few letters of a text from shortly before a place.
fn around(text: &str, place: usize) -> String {
    const BEFORE: usize = 20;
    const CHARS: usize = 60;
    let from = place.saturating_sub(BEFORE);
    let shown: String = text.chars().skip(from).take(CHARS).collect();
    let (left, right) =
        (if from > 0 { "…" } else { "" }, if text.chars().nth(from + CHARS).is_some() { "…" } else { "" });
    format!("`{left}{}{right}`", shown.split_whitespace().collect::<Vec<_>>().join(" "))
}

impl Model for RecordedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn family(&self) -> &Family {
        &self.family
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(async move {
            let reply = self.recording.answer(&self.name, request)?;
            if !reply.text.is_empty() {
                heard(&reply.text);
            }
            Ok(reply)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Message;

    fn request(text: &str) -> Request {
        Request {
            system: "s".into(),
            messages: vec![Message::User { text: text.into() }],
            tools: vec![],
            schema: None,
            output_tokens_max: 5,
            temperature: Some(0.7),
            seed: Some(u64::MAX),
            stop: vec![],
        }
    }

    fn recording() -> Recording {
        let pair = |text: &str, said: &str| {
            let mut asked = serde_json::to_value(request(text)).expect("plain data");
            asked["model"] = json!("chat:then");
            let tokens = json!({ "input": 1, "cache_read": 0, "cache_write": 0, "output": 1, "reasoning": 0 });
            (asked, json!({ "text": said, "tool_calls": [], "stop": "end", "tokens": tokens, "ms": 5, "usd": 2.5 }))
        };
        Recording::of(vec![pair("the first question", "one"), pair("another", "two")]).expect("two exchanges")
    }

    #[test]
    fn the_same_request_has_the_same_reply_and_costs_nothing() {
        let reply = recording().answer("recorded:f", &request("another")).expect("it was recorded");
        assert_eq!((reply.text.as_str(), reply.usd, reply.recorded), ("two", None, true));
        assert_eq!(reply.by.as_deref(), Some("chat:then"));
        assert_eq!(Recording::of(vec![]).err().map(|problem| problem.code), Some(Code::ModelFailed));
    }

    #[test]
    fn another_request_fails_with_what_is_different() {
        let hint = |request: Request| {
            let problem = recording().answer("recorded:f", &request).expect_err("it was not recorded");
            assert_eq!(problem.code, Code::ModelFailed);
            problem.hint.unwrap_or_default()
        };
        assert_eq!(
            hint(request("the first answer")),
            "the nearest that was recorded differs in messages[0].text: asked `the first answer`, recorded `the first \
             question`"
        );
        let warmer = Request { temperature: None, ..request("another") };
        assert!(hint(warmer).ends_with("differs in temperature: asked `null`, recorded `0.7`"));
    }
}
