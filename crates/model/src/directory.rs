//! Which models there are, by the names that people give them.
//!
//! A name is `PROVIDER:MODEL`, or one that somebody defined. Keys and addresses are handed in by whoever read the settings; nothing is looked up here, and
//! nothing is connected before somebody asks for it.

use std::collections::BTreeMap;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use base::{Code, Problem, nearest};
use reqwest::Url;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::defined::{Chain, DefinedKey, Definition, Link};
use crate::discreet::Discreet;
use crate::local::{LocalModel, LocalRunner};
use crate::recorded::{RecordedModel, Recording};
use crate::watched::{Tally, Watched};
use crate::{CONTEXT_TOKENS, Connections, Endpoint, Family, Limits, Model, Prices, Secret, Wire, command, connect};

const ANTHROPIC_BASE: &str = "https://api.anthropic.com";
const OPENAI_BASE: &str = "https://api.openai.com/v1";
const OLLAMA_BASE: &str = "http://127.0.0.1:11434";

/// Gives a program, named with its arguments, a text, and gives back what it prints.
pub type RunProgram = fn(Vec<String>, String) -> Pin<Box<dyn Future<Output = Result<String, Problem>> + Send>>;

/// Gives what a file recorded: each request with the name of its model beside it, and its reply.
pub type ReadRecorded = fn(&Path) -> Result<Vec<(Value, Value)>, Problem>;

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
    /// For `recorded:`; without it there is none.
    pub read_recorded: Option<ReadRecorded>,
    /// For `local:`; without it there is none.
    pub local: Option<LocalRunner>,
    /// What the user's settings define, by name.
    pub defined: BTreeMap<String, Definition>,
    /// What was asked of models; clones of the directory count together.
    pub tally: Arc<Tally>,
    /// What is open to servers.
    pub connections: Connections,
}

impl Directory {
    /// The model of that name, ready to be asked. Names that were defined come before those of providers.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Model>, Problem> {
        Ok(Discreet::about(self.keys(), self.found(name)?))
    }

    /// Every key that anybody could be given.
    fn keys(&self) -> impl Iterator<Item = &Secret> {
        let defined = self.defined.values().filter_map(|definition| match &definition.key {
            DefinedKey::Found(key) => Some(key),
            _ => None,
        });
        self.anthropic_key.iter().chain(&self.openai_key).chain(defined)
    }

    fn found(&self, name: &str) -> Result<Arc<dyn Model>, Problem> {
        let Some(definition) = self.defined.get(name) else { return self.reach(&self.wanted(name)?) };
        let first = self.link(name);
        if let Err(problem) = &first.model {
            return Err(problem.clone());
        }
        let others = self.after(definition).into_iter().map(|name| self.link(name)).collect();
        Ok(Arc::new(Chain::new(name.to_string(), self.family(name), first, others)))
    }

    /// What is known of models of that kind.
    pub fn family(&self, name: &str) -> Family {
        let definition = self.defined.get(name);
        let (provider, model) = match definition {
            Some(definition) => (definition.provider.as_str(), definition.model.as_str()),
            None => name.split_once(':').unwrap_or(("", name)),
        };
        let family = match provider {
            "anthropic" => Family::of(model, Wire::Messages),
            "openai" => Family::of(model, Wire::Responses),
            "command" => Family::of_program(model),
            "local" => Family::of_local(model, CONTEXT_TOKENS),
            // Asked as the one that answered was, or nothing would match. Who cannot read the file hears why when asking.
            "recorded" => match self.recording(model) {
                Ok(recording) if !recording.model.starts_with("recorded:") => self.family(&recording.model),
                _ => Family::of(model, Wire::Chat),
            },
            _ => Family::of(model, Wire::Chat),
        };
        definition.map_or(family.clone(), |definition| family.with(&definition.capabilities))
    }

    /// What its tokens cost, where that was said.
    pub fn prices(&self, name: &str) -> Option<&Prices> {
        self.defined.get(name)?.prices.as_ref()
    }

    /// Who is asked after a model, in turn. Nobody twice, whatever the definitions say.
    fn after<'a>(&'a self, definition: &'a Definition) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let mut next = definition.fallback.as_deref();
        while let Some(name) = next.filter(|name| !names.contains(name)) {
            names.push(name);
            next = self.defined.get(name).and_then(|definition| definition.fallback.as_deref());
        }
        names
    }

    fn link(&self, name: &str) -> Link {
        let model = self.wanted(name).and_then(|wanted| self.reach(&wanted));
        Link { name: name.to_string(), prices: self.prices(name).copied(), model }
    }

    /// The model itself, without those that are asked after it; its requests are watched.
    fn reach(&self, wanted: &Wanted<'_>) -> Result<Arc<dyn Model>, Problem> {
        let (model, provider) = (self.reach_unwatched(wanted)?, wanted.provider.to_string());
        Ok(Arc::new(Watched { model, provider, prices: self.prices(wanted.name).copied(), tally: self.tally.clone() }))
    }

    fn reach_unwatched(&self, wanted: &Wanted<'_>) -> Result<Arc<dyn Model>, Problem> {
        if let ("command", Some(run)) = (wanted.provider, self.run_program) {
            let words: Vec<String> = wanted.model.split_whitespace().map(str::to_string).collect();
            let (program, name) = (words.clone(), wanted.name.to_string());
            return Ok(Arc::from(command(name, words, Arc::new(move |text| run(program.clone(), text)))));
        }
        if let ("local", Some(runner)) = (wanted.provider, &self.local) {
            (runner.check)(wanted.model)?;
            let (name, model, runner) = (wanted.name.to_string(), wanted.model.to_string(), runner.clone());
            return Ok(Arc::new(LocalModel { family: self.family(&name), name, model, runner }));
        }
        if wanted.provider == "recorded" {
            let (recording, family) = (self.recording(wanted.model)?, self.family(wanted.name));
            return Ok(Arc::new(RecordedModel { name: wanted.name.to_string(), family, recording }));
        }
        connect(self.endpoint(wanted)?, Limits::default(), &self.connections).map(Arc::from)
    }

    fn recording(&self, file: &str) -> Result<Recording, Problem> {
        let read = self.read_recorded.ok_or_else(|| unknown("there is no provider `recorded`".to_string()))?;
        Recording::of(read(Path::new(file))?)
    }

    fn wanted<'a>(&'a self, name: &'a str) -> Result<Wanted<'a>, Problem> {
        if let Some(definition) = self.defined.get(name) {
            let (provider, model) = (definition.provider.as_str(), definition.model.as_str());
            return Ok(Wanted { name, provider, model, definition: Some(definition) });
        }
        let (provider, model) = name.split_once(':').ok_or_else(|| self.unknown(name))?;
        if model.trim().is_empty() {
            return Err(unknown(format!("`{name}` names no model")));
        }
        Ok(Wanted { name, provider, model, definition: None })
    }

    fn unknown(&self, name: &str) -> Problem {
        let problem = unknown(format!("there is no model `{name}`"));
        match nearest(name, self.defined.keys().map(String::as_str)).first() {
            Some(close) => problem.hint(format!("did you mean `{close}`?")),
            None => problem,
        }
    }

    /// What is known of a model without asking it; an error where there can be none of that name.
    pub fn describe(&self, name: &str) -> Result<Described, Problem> {
        let wanted = self.wanted(name)?;
        let place = match wanted.provider {
            "command" | "recorded" | "local" => None,
            _ => Some(self.place(&wanted)?.1),
        };
        let key = match self.key(&wanted) {
            Ok(Some(_)) => KeyState::There,
            Ok(None) => KeyState::NotNeeded,
            Err(_) => KeyState::Missing,
        };
        Ok(Described {
            provider: wanted.provider.to_string(),
            model: wanted.model.to_string(),
            // Not the whole address: what somebody put into it is theirs.
            origin: place.and_then(|place| Url::parse(&place).ok()).map(|url| url.origin().ascii_serialization()),
            key,
            fallbacks: wanted
                .definition
                .map(|one| self.after(one))
                .unwrap_or_default()
                .iter()
                .map(|one| one.to_string())
                .collect(),
        })
    }

    fn endpoint(&self, wanted: &Wanted<'_>) -> Result<Endpoint, Problem> {
        let (wire, base_url) = self.place(wanted)?;
        Ok(Endpoint {
            name: wanted.name.to_string(),
            wire,
            model: wanted.model.to_string(),
            base_url,
            key: self.key(wanted)?,
            allow_http: wanted.definition.is_some_and(|definition| definition.allow_http),
        })
    }

    /// How the model is spoken to and where.
    fn place(&self, wanted: &Wanted<'_>) -> Result<(Wire, String), Problem> {
        let own_base = wanted.definition.and_then(|definition| definition.base_url.as_deref());
        let base = |given: &Option<String>, usual: &str| {
            own_base.or(given.as_deref()).unwrap_or(usual).trim_end_matches('/').to_string()
        };
        Ok(match wanted.provider {
            "anthropic" => (Wire::Messages, base(&self.anthropic_base, ANTHROPIC_BASE)),
            "openai" => (Wire::Responses, base(&self.openai_base, OPENAI_BASE)),
            "chat" => (Wire::Chat, base(&self.openai_base, OPENAI_BASE)),
            "ollama" => (Wire::Chat, ollama_base(own_base.or(self.ollama_host.as_deref()))),
            other => return Err(unknown(format!("there is no provider `{other}`"))),
        })
    }

    fn key(&self, wanted: &Wanted<'_>) -> Result<Option<Secret>, Problem> {
        let (usual, variable) = match wanted.provider {
            "anthropic" => (&self.anthropic_key, "ANTHROPIC_API_KEY"),
            "openai" | "chat" => (&self.openai_key, "OPENAI_API_KEY"),
            _ => (&None, ""),
        };
        let name = wanted.name;
        let missing = |hint: String| Problem::new(Code::KeyMissing, format!("`{name}` needs a key")).hint(hint);
        let is_needed = matches!(wanted.provider, "anthropic" | "openai");
        match wanted.definition.map(|definition| (&definition.key, definition.base_url.is_some())) {
            Some((DefinedKey::Found(key), _)) => Ok(Some(key.clone())),
            Some((DefinedKey::Missing(hint), _)) => Err(missing(hint.clone())),
            // A key goes to the address it was given for; whoever wants it elsewhere says so.
            Some((DefinedKey::Usual, true)) if is_needed => {
                Err(missing(format!("write `key_env = \"{variable}\"` into [models.{name}]")))
            }
            Some((DefinedKey::Usual, true)) => Ok(None),
            _ if usual.is_none() && is_needed => Err(missing(format!("set {variable} to your key and ask again"))),
            _ => Ok(usual.clone()),
        }
    }
}

/// What can be said of a model without asking it.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Who has it.
    pub provider: String,
    /// The name by which the provider knows it.
    pub model: String,
    /// Scheme, host and port of its address; a program has none.
    pub origin: Option<String>,
    /// Whether its key is there.
    pub key: KeyState,
    /// Who is asked where it fails, in turn.
    pub fallbacks: Vec<String>,
}

/// Whether a key is there; never the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It would be sent.
    There,
    /// Without it the model cannot be asked.
    Missing,
    /// None would be sent, and none has to be.
    NotNeeded,
}

/// A model as it was asked for.
struct Wanted<'a> {
    name: &'a str,
    provider: &'a str,
    model: &'a str,
    definition: Option<&'a Definition>,
}

fn unknown(message: String) -> Problem {
    Problem::new(Code::ModelUnknown, message).hint(
        "name it anthropic:MODEL, openai:MODEL, chat:MODEL, ollama:MODEL, local:MODEL, command:PROGRAM or recorded:FILE, as \
         [models.NAME] of your settings does, or `off` for none",
    )
}

/// Ollama's own variable has an address, often without a scheme.
fn ollama_base(host: Option<&str>) -> String {
    let host = host.map(str::trim).filter(|host| !host.is_empty()).unwrap_or(OLLAMA_BASE);
    let host = if host.contains("://") { host.to_string() } else { format!("http://{host}") };
    let host = host.trim_end_matches('/');
    format!("{}/v1", host.strip_suffix("/v1").unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capabilities, Provider};

    #[test]
    fn a_name_says_whom_to_ask_and_how() {
        let directory = Directory {
            openai_base: Some("http://127.0.0.1:8080/v1/".into()),
            openai_key: Some(Secret::new("k")),
            ollama_host: Some("localhost:9".into()),
            ..Directory::default()
        };
        let told = |name: &str| match directory.wanted(name).and_then(|wanted| directory.endpoint(&wanted)) {
            Ok(endpoint) => format!("{:?} {} {}", endpoint.wire, endpoint.base_url, endpoint.key.is_some()),
            Err(problem) => problem.code.as_str().to_string(),
        };
        assert_eq!(told("chat:qwen"), "Chat http://127.0.0.1:8080/v1 true");
        assert_eq!(told("openai:gpt-5"), "Responses http://127.0.0.1:8080/v1 true");
        assert_eq!(told("ollama:qwen"), "Chat http://localhost:9/v1 false");
        assert_eq!(told("anthropic:claude"), "key_missing");
        assert_eq!([told("qwen"), told("chat:"), told("nobody:x")], ["model_unknown"; 3]);
    }

    fn definition(provider: Provider, base_url: Option<&str>, key: DefinedKey) -> Definition {
        Definition {
            provider,
            model: "m".into(),
            base_url: base_url.map(str::to_string),
            allow_http: false,
            key,
            prices: None,
            capabilities: Capabilities { tools: Some(true), ..Capabilities::default() },
            fallback: None,
        }
    }

    #[test]
    fn a_usual_key_goes_to_no_address_of_somebodys_own() {
        let elsewhere = Some("https://elsewhere/v1");
        let defined = [
            ("usual", definition(Provider::OpenAi, None, DefinedKey::Usual)),
            ("bare", definition(Provider::OpenAi, elsewhere, DefinedKey::Usual)),
            ("chat", definition(Provider::Chat, elsewhere, DefinedKey::Usual)),
            ("own", definition(Provider::Chat, elsewhere, DefinedKey::Found(Secret::new("own")))),
            ("gone", definition(Provider::Chat, elsewhere, DefinedKey::Missing("set IT".into()))),
        ];
        let defined = defined.into_iter().map(|(name, definition)| (name.to_string(), definition)).collect();
        let directory = Directory { openai_key: Some(Secret::new("usual")), defined, ..Directory::default() };
        let key = |name: &str| match directory.wanted(name).and_then(|wanted| directory.endpoint(&wanted)) {
            Ok(endpoint) => endpoint.key.map(|key| key.expose().to_string()).unwrap_or_default(),
            Err(problem) => problem.hint.unwrap_or_default(),
        };
        assert_eq!((key("usual").as_str(), key("chat").as_str(), key("own").as_str()), ("usual", "", "own"));
        assert_eq!(key("gone"), "set IT");
        assert_eq!(key("bare"), "write `key_env = \"OPENAI_API_KEY\"` into [models.bare]");
        assert!(directory.family("own").tools && !directory.family("chat:m").tools);
        assert_eq!(
            directory.find("owm").err().and_then(|problem| problem.hint).as_deref(),
            Some("did you mean `own`?")
        );
    }
}
