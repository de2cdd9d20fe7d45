//! A model on this machine, behind somebody who runs its weights and speaks Chat in values instead of frames.
//!
//! This crate starts no process and knows no file: whoever may do so hands in what answers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::{Code, Problem};
use serde_json::Value;

use crate::retry::{self, Answer};
use crate::wire::{Draft, Interruption, Progress};
use crate::{Family, Limits, Listener, Model, Reading, Request, Wire};

/// Is told each chunk of an answer.
pub type ChunkHeard<'a> = &'a mut (dyn FnMut(Value) + Send);

/// Answers the body of a Chat request with the model of a name; the future ends when the answer does.
pub type RunLocal = dyn for<'a> Fn(&'a str, &'a Value, ChunkHeard<'a>) -> Pin<Box<dyn Future<Output = Result<(), Problem>> + Send + 'a>>
    + Send
    + Sync;

/// Says why a model of a name cannot be asked.
pub type CheckLocal = dyn Fn(&str) -> Result<(), Problem> + Send + Sync;

/// Who runs models on this machine.
#[derive(Clone)]
pub struct LocalRunner {
    /// Whether a model of that name can be asked; costs nothing.
    pub check: Arc<CheckLocal>,
    /// Asks it.
    pub run: Arc<RunLocal>,
}

impl fmt::Debug for LocalRunner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LocalRunner")
    }
}

/// A model whose weights are run here.
pub(crate) struct LocalModel {
    pub name: String,
    pub model: String,
    pub family: Family,
    pub runner: LocalRunner,
}

impl Model for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn family(&self) -> &Family {
        &self.family
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(async move {
            let started = Instant::now();
            let body = Wire::Chat.body(&self.model, request);
            let limits = Limits::default();
            let mut tried = 0;
            loop {
                let mut draft = Draft::default();
                let fault = match self.attempt(&body, &mut draft, &limits, heard).await {
                    Ok(()) => {
                        let mut reply = draft.into_reply(&request.stop);
                        reply.ms = started.elapsed().as_millis() as u64;
                        return Ok(reply);
                    }
                    Err(fault) => fault,
                };
                tried += 1;
                let pause = retry::pause(fault, tried, &self.name, &limits)?;
                if !draft.text.is_empty() {
                    heard("");
                }
                tokio::time::sleep(pause.min(Duration::from_secs(1))).await;
            }
        })
    }
}

impl LocalModel {
    async fn attempt(
        &self,
        body: &Value,
        draft: &mut Draft,
        limits: &Limits,
        heard: Listener<'_>,
    ) -> Result<(), retry::Fault> {
        let mut interrupted = None;
        let mut take = |chunk: Value| {
            if interrupted.is_some() || draft.bytes > limits.reply_bytes_max {
                return;
            }
            match Wire::Chat.read_value(draft, "", &chunk) {
                Ok(piece) if piece.is_empty() => {}
                Ok(piece) => heard(&piece),
                Err(interruption) => interrupted = Some(interruption),
            }
        };
        let ended = (self.runner.run)(&self.model, body, &mut take).await;
        if let Some(Interruption::Said { kind, message }) = interrupted {
            let status =
                kind.split(' ').find_map(|word| word.parse().ok()).filter(|status| (400..600).contains(status));
            return Err(retry::judge(&Answer {
                name: &self.name,
                status,
                kind: &kind,
                message: &message,
                ..Answer::default()
            }));
        }
        match ended {
            Err(problem) if problem.code == Code::ModelTruncated => {
                Err(retry::Fault { problem, again: retry::Again::Soon })
            }
            Err(problem) => Err(retry::Fault { problem, again: retry::Again::Never }),
            Ok(()) if draft.progress == Progress::Open => {
                let message = format!("the reply of `{}` ended before its end", self.name);
                Err(retry::Fault::passing(Code::ModelTruncated, message))
            }
            Ok(()) => Ok(()),
        }
    }
}
