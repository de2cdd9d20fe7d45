//! Documents about models: which there are, what is known of one, whether it works, which is asked. No key is in any.

use std::sync::Mutex;
use std::time::Instant;

use base::{Code, Document, Problem};
pub use model::KeyState;
use model::{Family, Message, Model, Prices, Reply, Request, Stop, Tokens, Tool, Weights, WeightsKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::settings::{Settings, chosen};
use crate::{App, LocalModels, Pulled};

/// The models that can be asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Models {
    /// The one that is asked where nothing else is said.
    pub default: Option<String>,
    /// Where that comes from, such as `user file`.
    pub default_origin: String,
    /// Those that the user's settings define.
    pub models: Vec<DefinedModel>,
    /// Those who have models of their own names.
    pub providers: Vec<KnownProvider>,
    /// Those that can run on this machine, as `local:NAME`.
    pub local: Vec<LocalWeights>,
    /// Tables of vectors, by which lessons are found; they answer nothing.
    pub tables: Vec<LocalWeights>,
}

impl Document for Models {
    const KIND: &'static str = "models";
}

/// A model under a name of its user's own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct DefinedModel {
    pub name: String,
    pub provider: String,
    /// The name by which the provider knows it.
    pub model: String,
    pub key: KeyState,
    /// Who is asked where it fails, in turn.
    pub fallbacks: Vec<String>,
}

/// Somebody whose models are named `PROVIDER:MODEL`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct KnownProvider {
    pub name: &'static str,
    pub key: KeyState,
    /// The variable in which the key is looked for.
    pub key_variable: Option<&'static str>,
    /// Scheme, host and port.
    pub origin: Option<String>,
}

/// Weights of a model for this machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LocalWeights {
    /// What follows `local:`.
    pub name: String,
    /// How it is with them.
    pub state: WeightsState,
    /// Their size.
    pub bytes: u64,
    /// How much of that is on this machine.
    pub bytes_here: u64,
}

/// How it is with weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightsState {
    /// They can be asked.
    There,
    /// They can be fetched.
    Absent,
}

impl LocalWeights {
    fn of(local: &LocalModels, weights: &Weights) -> LocalWeights {
        let is_there = local.is_there(weights);
        LocalWeights {
            name: weights.name.clone(),
            state: if is_there { WeightsState::There } else { WeightsState::Absent },
            bytes: weights.bytes,
            bytes_here: if is_there { weights.bytes } else { local.bytes_of_part(weights) },
        }
    }
}

/// Weights that were asked for and are there now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelPulled {
    /// By which it can be asked; of a table its name.
    pub model: String,
    /// The file of its weights.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Who had them; null where they were there before.
    pub from: Option<String>,
}

impl Document for ModelPulled {
    const KIND: &'static str = "model_pull";
}

impl ModelPulled {
    /// Fetches weights and makes what runs them.
    pub async fn pull(local: &LocalModels, name: &str) -> Result<ModelPulled, Problem> {
        let from = match local.pull(name).await? {
            Pulled::BeforeNow => None,
            Pulled::From(from) => Some(from),
        };
        let weights = local.find(name)?;
        if weights.kind == WeightsKind::Model {
            local.environment().await?;
        }
        let file = local.file(weights).display().to_string();
        Ok(ModelPulled { model: asked_as(weights), file, bytes: weights.bytes, from })
    }
}

/// By what a model is asked; a table has only its name.
fn asked_as(weights: &Weights) -> String {
    match weights.kind {
        WeightsKind::Model => format!("local:{}", weights.name),
        WeightsKind::Table => weights.name.clone(),
    }
}

/// Weights that are not there any more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelRemoved {
    /// As it was asked by.
    pub model: String,
    /// How much room that gave.
    pub bytes: u64,
}

impl Document for ModelRemoved {
    const KIND: &'static str = "model_remove";
}

impl ModelRemoved {
    /// Takes weights away.
    pub async fn remove(local: &LocalModels, name: &str) -> Result<ModelRemoved, Problem> {
        let bytes = local.remove(name).await?;
        Ok(ModelRemoved { model: asked_as(local.find(name)?), bytes })
    }
}

/// Providers, and where their keys are looked for.
const PROVIDERS: &[(&str, Option<&str>)] = &[
    ("anthropic", Some("ANTHROPIC_API_KEY")),
    ("openai", Some("OPENAI_API_KEY")),
    ("chat", Some("OPENAI_API_KEY")),
    ("ollama", None),
    ("command", None),
];

impl Models {
    /// What the settings and the environment say.
    pub fn of(app: &App) -> Result<Models, Problem> {
        let settings = &app.settings;
        let directory = &app.context.models;
        let mut models = Vec::new();
        for (name, definition) in &directory.defined {
            // A definition whose provider is not there is listed all the same.
            let (key, fallbacks) = match directory.describe(name) {
                Ok(described) => (described.key, described.fallbacks),
                Err(_) => (KeyState::NotNeeded, definition.fallback.clone().into_iter().collect()),
            };
            let (provider, model) = (definition.provider.as_str().to_string(), definition.model.clone());
            models.push(DefinedModel { name: name.clone(), provider, model, key, fallbacks });
        }
        let mut providers = Vec::new();
        for (name, key_variable) in PROVIDERS {
            let described = directory.describe(&format!("{name}:any"))?;
            providers.push(KnownProvider {
                name,
                key: described.key,
                key_variable: *key_variable,
                origin: described.origin,
            });
        }
        let (default, default_origin) = (settings.model.clone(), origin(settings));
        let told = |weights: &Weights| LocalWeights::of(&app.local, weights);
        let (local, tables) = (app.local.models().map(told).collect(), app.local.tables().map(told).collect());
        Ok(Models { default, default_origin, models, providers, local, tables })
    }
}

fn origin(settings: &Settings) -> String {
    let setting = settings.all.iter().find(|setting| setting.name == "model");
    setting.map(|setting| setting.origin.clone()).unwrap_or_default()
}

/// What is known of one model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct ModelShown {
    pub name: String,
    pub provider: String,
    /// The name by which the provider knows it.
    pub model: String,
    /// Scheme, host and port of its address; a program has none.
    pub origin: Option<String>,
    pub key: KeyState,
    /// What can be expected of it.
    pub family: ModelFamily,
    /// US dollars per million tokens, where they were said.
    pub prices: Option<Prices>,
    /// Who is asked where it fails, in turn.
    pub fallbacks: Vec<String>,
    /// Whether it is asked where nothing else is said.
    pub is_default: bool,
    /// Its weights, of one that runs on this machine.
    pub weights: Option<LocalWeights>,
}

impl Document for ModelShown {
    const KIND: &'static str = "model";
}

/// What can be expected of models of a kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelFamily {
    /// The row of the table of families.
    pub name: &'static str,
    /// Whether it calls tools natively.
    pub tools: bool,
    /// Whether a schema in the request is enforced.
    pub schema: bool,
    /// How much it can read and write in all.
    pub context_tokens: u32,
    /// The language it is asked for first.
    #[schemars(extend("enum" = ["plan", "sql", "python"]))]
    pub action: &'static str,
    /// Whether its critique of an answer may hold the answer back.
    pub critique_is_gate: bool,
}

impl From<Family> for ModelFamily {
    fn from(family: Family) -> ModelFamily {
        ModelFamily {
            name: family.name,
            tools: family.tools,
            schema: family.schema,
            context_tokens: family.context_tokens,
            action: family.action.as_str(),
            critique_is_gate: family.critique_is_gate,
        }
    }
}

impl ModelShown {
    /// What the settings say of it; nobody is asked.
    pub fn of(app: &App, name: &str) -> Result<ModelShown, Problem> {
        let settings = &app.settings;
        let described = settings.models.describe(name)?;
        let weights = match described.provider.as_str() {
            "local" => Some(LocalWeights::of(&app.local, app.local.find(&described.model)?)),
            _ => None,
        };
        Ok(ModelShown {
            name: name.to_string(),
            provider: described.provider,
            model: described.model,
            origin: described.origin,
            key: described.key,
            family: settings.models.family(name).into(),
            prices: settings.models.prices(name).copied(),
            fallbacks: described.fallbacks,
            is_default: settings.model.as_deref() == Some(name),
            weights,
        })
    }
}

/// Whether a model does what is expected of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelTest {
    /// As it was named.
    pub model: String,
    /// Whether text came, and all else that its family is known for.
    pub ok: bool,
    /// What was tried, in order.
    pub checks: Vec<ModelCheck>,
    /// What that used.
    pub usage: Tokens,
}

impl Document for ModelTest {
    const KIND: &'static str = "model_test";
}

/// One thing that a model was asked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelCheck {
    /// Which.
    pub id: Ability,
    /// Whether it came.
    pub ok: bool,
    /// How long it took.
    pub ms: u64,
    /// What came, or what did not.
    pub note: String,
}

/// What a model may be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Ability {
    Text,
    Stream,
    Structured,
    Tools,
}

impl Ability {
    /// The word in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Ability::Text => "text",
            Ability::Stream => "stream",
            Ability::Structured => "structured",
            Ability::Tools => "tools",
        }
    }

    /// Whether a model of this family has to have it.
    fn is_expected(self, family: &Family) -> bool {
        match self {
            Ability::Text => true,
            // A reply that comes whole is as good.
            Ability::Stream => false,
            Ability::Structured => family.schema,
            Ability::Tools => family.tools,
        }
    }

    fn request(self) -> Request {
        let text = match self {
            Ability::Text => "Reply with the one word: ready",
            Ability::Stream => "Count from 1 to 20, the numbers separated by spaces, and nothing else.",
            Ability::Structured => "Which city is the capital of France? Reply with JSON only: {\"city\": \"…\"}",
            Ability::Tools => "Call the tool `add` to add 2 and 3.",
        };
        let number = json!({ "type": "integer" });
        let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let add = || Tool {
            name: "add".into(),
            description: "Adds two numbers.".into(),
            parameters: object(json!({ "a": number, "b": number }), &["a", "b"]),
        };
        Request {
            system: "You are being tried out. Do exactly what is asked.".into(),
            messages: vec![Message::User { text: text.into() }],
            tools: if self == Ability::Tools { vec![add()] } else { Vec::new() },
            schema: (self == Ability::Structured).then(|| object(json!({ "city": { "type": "string" } }), &["city"])),
            // Models that reason need room for that before their first word.
            output_tokens_max: 1_000,
            temperature: None,
            seed: None,
            stop: Vec::new(),
        }
    }

    /// What came: whether it is what was asked for, and in words.
    fn judge(self, reply: &Reply, pieces: usize) -> (bool, String) {
        let text = reply.text.trim();
        match self {
            Ability::Text => (!text.is_empty() && reply.stop != Stop::Refused, format!("said {}", quoted(text))),
            Ability::Stream if pieces > 1 => (true, format!("{pieces} pieces")),
            Ability::Stream => (false, "came in one piece".into()),
            Ability::Structured => {
                let city = serde_json::from_str::<Value>(text).ok().and_then(|said| said["city"].as_str().map(quoted));
                match city {
                    Some(city) => (true, format!("city is {city}")),
                    None => (false, format!("no such JSON: {}", quoted(text))),
                }
            }
            Ability::Tools => match reply.tool_calls.first() {
                Some(call) if call.name == "add" && is_object(&call.arguments) => {
                    (true, format!("called add with {}", quoted(&call.arguments)))
                }
                Some(call) => (false, format!("called {} with {}", quoted(&call.name), quoted(&call.arguments))),
                None => (false, format!("called nothing, said {}", quoted(text))),
            },
        }
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

/// A stranger's words, short and on one line.
fn quoted(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = if words.chars().nth(CHARS_MAX).is_some() { "…" } else { "" };
    format!("`{}{cut}`", words.chars().take(CHARS_MAX).collect::<String>())
}

impl ModelTest {
    /// Asks the model for one thing after the other.
    pub async fn run(app: &App, name: &str) -> Result<ModelTest, Problem> {
        let model = app.context.models.find(name)?;
        let mut test = ModelTest { model: name.to_string(), ok: true, checks: Vec::new(), usage: Tokens::default() };
        for id in [Ability::Text, Ability::Stream, Ability::Structured, Ability::Tools] {
            // Who does not answer at all is not asked three times more.
            let check = match test.checks.first() {
                Some(text) if !text.ok => {
                    ModelCheck { id, ok: false, ms: 0, note: "not tried, for no text came".into() }
                }
                _ => test.check(model.as_ref(), id).await,
            };
            test.ok &= check.ok || !id.is_expected(model.family());
            test.checks.push(check);
        }
        Ok(test)
    }

    async fn check(&mut self, model: &dyn Model, id: Ability) -> ModelCheck {
        let (started, pieces) = (Instant::now(), Mutex::new(0));
        let heard = |piece: &str| {
            let mut pieces = pieces.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *pieces = if piece.is_empty() { 0 } else { *pieces + 1 };
        };
        let asked = model.reply(&id.request(), &heard).await;
        let pieces = *pieces.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (ok, mut note) = match &asked {
            Ok(reply) => {
                self.usage += reply.tokens;
                id.judge(reply, pieces)
            }
            Err(problem) => (false, problem.message.clone()),
        };
        if let Some(by) = asked.ok().and_then(|reply| reply.by) {
            note = format!("{note}, by {by}");
        }
        if !ok && !id.is_expected(model.family()) && id != Ability::Stream {
            note = format!("not expected of this model: {note}");
        }
        ModelCheck { id, ok, ms: started.elapsed().as_millis() as u64, note }
    }
}

/// The model that is asked from now on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelChosen {
    /// As it was named.
    pub model: String,
    /// The file that says so.
    pub file: String,
}

impl Document for ModelChosen {
    const KIND: &'static str = "model_use";
}

impl ModelChosen {
    /// Writes the name into the user's settings and leaves everything else there as it is.
    pub fn write(settings: &Settings, name: &str) -> Result<ModelChosen, Problem> {
        if name != crate::MODEL_OFF {
            settings.models.describe(name)?;
        }
        let file = settings.user_file.as_ref().ok_or_else(|| {
            Problem::new(Code::SettingInvalid, "no place for settings: HOME is not set").hint("set HOME")
        })?;
        // Where the file is a link into somebody's collection of settings, the link stays.
        let place = std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
        let failed = |error: std::io::Error| {
            Problem::new(Code::FileUnreadable, format!("cannot write `{}`: {error}", file.display()))
                .hint("make it writable for you")
        };
        let text = match std::fs::read_to_string(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        let written = chosen::with_model(&text, name)?;
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let rights = std::fs::metadata(&place).map(|file| file.permissions());
        warehouse::write_whole(&place, written.as_bytes()).map_err(failed)?;
        if let Ok(rights) = rights {
            std::fs::set_permissions(&place, rights).map_err(failed)?;
        }
        Ok(ModelChosen { model: name.to_string(), file: file.display().to_string() })
    }
}
