//! Which models there are, by the names that people give them.
//!
//! A name is `WIRE:MODEL`. Keys and addresses are handed in by whoever read the settings; nothing is looked up here, and
//! nothing is connected before somebody asks for it.

use std::pin::Pin;
use std::sync::Arc;

use base::{Code, Problem};

use crate::{Endpoint, Family, Limits, Model, Prices, Secret, Wire, command, connect};

const ANTHROPIC_BASE: &str = "https://api.anthropic.com";
const OPENAI_BASE: &str = "https://api.openai.com/v1";
const OLLAMA_BASE: &str = "http://127.0.0.1:11434";

/// Gives a program, named with its arguments, a text, and gives back what it prints.
pub type RunProgram = fn(Vec<String>, String) -> Pin<Box<dyn Future<Output = Result<String, Problem>> + Send>>;

/// What is known of providers.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// For `anthropic:`.
    pub anthropic_key: Option<Secret>,
    /// Without its `/v1`.
    pub anthropic_base: Option<String>,
    /// For `openai:`, and for `chat:` where it is there.
    pub openai_key: Option<Secret>,
    /// With its `/v1`.
    pub openai_base: Option<String>,
    /// For `ollama:`; an address with or without its scheme.
    pub ollama_host: Option<String>,
    /// For `command:`; without it there is none.
    pub run_program: Option<RunProgram>,
}

impl Directory {
    /// The model of that name, ready to be asked.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Model>, Problem> {
        if let (Some(words), Some(run)) = (name.strip_prefix("command:"), self.run_program) {
            let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
            let program = words.clone();
            return Ok(Arc::from(command(name.to_string(), words, Arc::new(move |text| run(program.clone(), text)))));
        }
        connect(self.endpoint(name)?, Limits::default()).map(Arc::from)
    }

    /// What is known of models of that kind.
    pub fn family(&self, name: &str) -> Family {
        let (provider, model) = name.split_once(':').unwrap_or(("", name));
        let wire = match provider {
            "anthropic" => Wire::Messages,
            "openai" => Wire::Responses,
            _ => Wire::Chat,
        };
        Family::of(model, wire)
    }

    /// What its tokens cost, where that was said.
    pub fn prices(&self, _name: &str) -> Option<&Prices> {
        None
    }

    fn endpoint(&self, name: &str) -> Result<Endpoint, Problem> {
        let unknown = |message: String| {
            Problem::new(Code::ModelUnknown, message).hint(
                "name it anthropic:MODEL, openai:MODEL, chat:MODEL, ollama:MODEL or command:PROGRAM, or `off` for none",
            )
        };
        let (provider, model) = name.split_once(':').ok_or_else(|| unknown(format!("there is no model `{name}`")))?;
        if model.trim().is_empty() {
            return Err(unknown(format!("`{name}` names no model")));
        }
        let base = |given: &Option<String>, usual: &str| {
            given.clone().unwrap_or_else(|| usual.to_string()).trim_end_matches('/').to_string()
        };
        let needs = |key: &Option<Secret>, variable: &str| match key {
            Some(key) => Ok(Some(key.clone())),
            None => Err(Problem::new(Code::KeyMissing, format!("`{name}` needs a key"))
                .hint(format!("set {variable} to your key and ask again"))),
        };
        let (wire, base_url, key) = match provider {
            "anthropic" => {
                let key = needs(&self.anthropic_key, "ANTHROPIC_API_KEY")?;
                (Wire::Messages, base(&self.anthropic_base, ANTHROPIC_BASE), key)
            }
            "openai" => {
                (Wire::Responses, base(&self.openai_base, OPENAI_BASE), needs(&self.openai_key, "OPENAI_API_KEY")?)
            }
            "chat" => (Wire::Chat, base(&self.openai_base, OPENAI_BASE), self.openai_key.clone()),
            "ollama" => (Wire::Chat, ollama_base(self.ollama_host.as_deref()), None),
            other => return Err(unknown(format!("there is no provider `{other}`"))),
        };
        let (name, model) = (name.to_string(), model.to_string());
        Ok(Endpoint { name, wire, model, base_url, key, allow_http: false })
    }
}

/// Ollama's own variable has an address, often without a scheme.
fn ollama_base(host: Option<&str>) -> String {
    let host = host.map(str::trim).filter(|host| !host.is_empty()).unwrap_or(OLLAMA_BASE);
    let host = if host.contains("://") { host.to_string() } else { format!("http://{host}") };
    format!("{}/v1", host.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whom_to_ask_and_how() {
        let directory = Directory {
            openai_base: Some("http://127.0.0.1:8080/v1/".into()),
            openai_key: Some(Secret::new("k")),
            ollama_host: Some("localhost:9".into()),
            ..Directory::default()
        };
        let told = |name: &str| match directory.endpoint(name) {
            Ok(endpoint) => format!("{:?} {} {}", endpoint.wire, endpoint.base_url, endpoint.key.is_some()),
            Err(problem) => problem.code.as_str().to_string(),
        };
        assert_eq!(told("chat:qwen"), "Chat http://127.0.0.1:8080/v1 true");
        assert_eq!(told("openai:gpt-5"), "Responses http://127.0.0.1:8080/v1 true");
        assert_eq!(told("ollama:qwen"), "Chat http://localhost:9/v1 false");
        assert_eq!(told("anthropic:claude"), "key_missing");
        assert_eq!([told("qwen"), told("chat:"), told("nobody:x")], ["model_unknown"; 3]);
    }
}
