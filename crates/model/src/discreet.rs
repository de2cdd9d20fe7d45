//! A model whose words are kept without keys: a server, or a program of the user's, may repeat what it was given to see.
//!
//! Replies are recorded, shown and told to models again, so what is no business of theirs is taken out on the way in. A
//! key that is short may be a word, and stays.

use std::sync::Arc;

use base::Problem;

use crate::{Family, Listener, Model, Reading, Reply, Request, Secret};

/// Servers that want no key are often given a word for one.
const KEY_BYTES_MIN: usize = 16;

/// A model without the keys in what it says.
pub(crate) struct Discreet {
    inner: Arc<dyn Model>,
    keys: Vec<Secret>,
}

impl Discreet {
    /// The model itself where there is no key.
    pub fn about<'a>(keys: impl Iterator<Item = &'a Secret>, inner: Arc<dyn Model>) -> Arc<dyn Model> {
        let keys: Vec<Secret> = keys.filter(|key| key.expose().len() >= KEY_BYTES_MIN).cloned().collect();
        if keys.is_empty() { inner } else { Arc::new(Discreet { inner, keys }) }
    }

    fn redact(&self, text: &mut String) {
        for key in &self.keys {
            if text.contains(key.expose()) {
                *text = key.redact(text);
            }
        }
    }

    fn reply_of(&self, mut reply: Reply) -> Reply {
        self.redact(&mut reply.text);
        reply.tool_calls.iter_mut().for_each(|call| self.redact(&mut call.arguments));
        reply
    }

    fn problem_of(&self, mut problem: Problem) -> Problem {
        self.redact(&mut problem.message);
        if let Some(hint) = &mut problem.hint {
            self.redact(hint);
        }
        problem
    }
}

impl Model for Discreet {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn family(&self) -> &Family {
        self.inner.family()
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(async move {
            // A key that comes in pieces is heard in pieces; it is not kept.
            let hear = |piece: &str| {
                let mut piece = piece.to_string();
                self.redact(&mut piece);
                heard(&piece);
            };
            match self.inner.reply(request, &hear).await {
                Ok(reply) => Ok(self.reply_of(reply)),
                Err(problem) => Err(self.problem_of(problem)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{CommandRunner, command};

    #[tokio::test]
    async fn what_repeats_a_key_is_kept_without_it() {
        let run: CommandRunner =
            Arc::new(|_| Box::pin(async { Ok("with a-key-of-sixteen or none at all".to_string()) }));
        let inner = Arc::from(command("command:x".into(), vec!["x".into()], run));
        let keys = [Secret::new("a-key-of-sixteen"), Secret::new("none")];
        let model = Discreet::about(keys.iter(), inner);
        let request = Request {
            system: String::new(),
            messages: vec![],
            tools: vec![],
            schema: None,
            output_tokens_max: 1,
            temperature: None,
            seed: None,
            stop: vec![],
        };
        let heard = Mutex::new(String::new());
        let listen = |piece: &str| heard.lock().expect("no test panics with it").push_str(piece);
        let reply = model.reply(&request, &listen).await.expect("a reply");
        assert_eq!(reply.text, "with [key] or none at all");
        assert_eq!(heard.lock().expect("as above").as_str(), reply.text);
    }
}
