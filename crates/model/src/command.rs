//! A program of the user's that reads a prompt and prints an answer, such as `claude -p`.
//!
//! This crate starts no process: whoever may do so hands in a function that does.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use base::Problem;

use crate::wire::cut_at_stop;
use crate::{Family, Listener, Message, Model, Reading, Reply, Request, Stop, Tokens};

/// Runs the program with a prompt and gives what it printed.
pub type CommandRunner =
    Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = Result<String, Problem>> + Send>> + Send + Sync>;

/// A model behind a program.
pub struct CommandModel {
    name: String,
    family: Family,
    run: CommandRunner,
}

/// A model behind `program`, which is looked at for its family only; `run` runs it.
pub fn command(name: String, program: Vec<String>, run: CommandRunner) -> Box<dyn Model> {
    let family = Family::of_program(&program.join(" "));
    Box::new(CommandModel { name, family, run })
}

impl Model for CommandModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn family(&self) -> &Family {
        &self.family
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(async move {
            let started = Instant::now();
            let printed = (self.run)(prompt(request)).await?;
            let mut text = printed.trim_end().to_string();
            let stop = if cut_at_stop(&mut text, &request.stop) { Stop::StopWord } else { Stop::End };
            if !text.is_empty() {
                heard(&text);
            }
            let ms = started.elapsed().as_millis() as u64;
            Ok(Reply {
                text,
                tool_calls: Vec::new(),
                stop,
                tokens: Tokens::default(),
                ms,
                reasoning: Vec::new(),
                by: None,
                usd: None,
                recorded: false,
            })
        })
    }
}

/// The request as plain text.
fn prompt(request: &Request) -> String {
    let mut parts = Vec::new();
    if !request.system.is_empty() {
        parts.push(request.system.clone());
    }
    for message in &request.messages {
        match message {
            Message::User { text } => parts.push(format!("User:\n{text}")),
            Message::Assistant { text, tool_calls, .. } => {
                let calls = tool_calls.iter().map(|call| format!("\n{}({})", call.name, call.arguments));
                parts.push(format!("Assistant:\n{text}{}", calls.collect::<String>()));
            }
            Message::Results { results } => {
                for result in results {
                    let title = if result.is_error { "Error" } else { "Result" };
                    parts.push(format!("{title}:\n{}", result.text));
                }
            }
        }
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{ToolCall, ToolResult};

    #[tokio::test]
    async fn a_program_reads_the_request_as_text() {
        let seen = Arc::new(Mutex::new(String::new()));
        let noted = Arc::clone(&seen);
        let run: CommandRunner = Arc::new(move |prompt| {
            *noted.lock().expect("no test panics with it") = prompt;
            Box::pin(async { Ok("42 END rest\n".to_string()) })
        });
        let model = command("command:claude -p".into(), vec!["claude".into(), "-p".into()], run);
        assert_eq!((model.family().name, model.family().tools), ("claude", false));
        let call = ToolCall { id: "1".into(), name: "sql".into(), arguments: "{}".into() };
        let result = ToolResult { id: "1".into(), text: "no table".into(), is_error: true };
        let request = Request {
            system: "Be brief.".into(),
            messages: vec![
                Message::User { text: "6 × 7?".into() },
                Message::Assistant { text: "I ask.".into(), tool_calls: vec![call], reasoning: vec![] },
                Message::Results { results: vec![result] },
            ],
            tools: vec![],
            schema: None,
            output_tokens_max: 10,
            temperature: None,
            seed: None,
            stop: vec!["END".into()],
        };
        let heard = Mutex::new(String::new());
        let listen = |piece: &str| heard.lock().expect("no test panics with it").push_str(piece);
        let reply = model.reply(&request, &listen).await.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.stop, reply.tokens), ("42 ", Stop::StopWord, Tokens::default()));
        assert_eq!(heard.lock().expect("as above").as_str(), "42 ");
        let expected = "Be brief.\n\nUser:\n6 × 7?\n\nAssistant:\nI ask.\nsql({})\n\nError:\nno table";
        assert_eq!(seen.lock().expect("as above").as_str(), expected);
    }
}
