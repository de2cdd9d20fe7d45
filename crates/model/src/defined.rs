//! Models that somebody defined under names of their own: where each is, what it costs, and who is asked where it fails.

use std::sync::Arc;

use base::{Code, Problem};

use crate::{Capabilities, Family, Listener, Model, Prices, Reading, Reply, Request, Secret};

/// A model by a name of its user's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Who has it.
    pub provider: Provider,
    /// The name by which the provider knows it; for a command, the program and its arguments.
    pub model: String,
    /// Where it is, if not where the provider's models are.
    pub base_url: Option<String>,
    /// Whether prompts and key may cross a network unencrypted.
    pub allow_http: bool,
    /// What the server wants to see.
    pub key: DefinedKey,
    /// What its tokens cost.
    pub prices: Option<Prices>,
    /// What its user knows better than the table of families.
    pub capabilities: Capabilities,
    /// Who is asked where this one fails.
    pub fallback: Option<String>,
}

/// Where the key of a defined model is from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum DefinedKey {
    /// Nobody named one: the provider's usual key, which goes to the provider's usual address only.
    #[default]
    Usual,
    /// It was named and is there.
    Found(Secret),
    /// It was named and is not there; the text says what to do.
    Missing(String),
}

/// Who has models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Provider {
    Anthropic,
    OpenAi,
    Chat,
    Ollama,
    Command,
    Local,
}

impl Provider {
    /// All of them.
    pub const ALL: [Provider; 6] =
        [Provider::Anthropic, Provider::OpenAi, Provider::Chat, Provider::Ollama, Provider::Command, Provider::Local];

    /// The word before the colon of a name.
    pub fn as_str(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Chat => "chat",
            Provider::Ollama => "ollama",
            Provider::Command => "command",
            Provider::Local => "local",
        }
    }

    /// The provider of that name.
    pub fn parse(word: &str) -> Option<Provider> {
        Provider::ALL.into_iter().find(|provider| provider.as_str() == word)
    }
}

/// One that may be asked.
pub(crate) struct Link {
    pub name: String,
    pub prices: Option<Prices>,
    /// Why it cannot be asked matters only when its turn comes.
    pub model: Result<Arc<dyn Model>, Problem>,
}

/// Models that are asked one after the other until one answers.
pub(crate) struct Chain {
    name: String,
    family: Family,
    first: Link,
    others: Vec<Link>,
}

impl Chain {
    pub fn new(name: String, family: Family, first: Link, others: Vec<Link>) -> Chain {
        Chain { name, family, first, others }
    }

    async fn ask(&self, request: &Request, heard: Listener<'_>) -> Result<Reply, Problem> {
        let mut problem = match self.first.ask(request, heard).await {
            Err(problem) if another_may_answer(&problem) => problem,
            done => return done,
        };
        let mut failed = Vec::new();
        for link in &self.others {
            if !another_may_answer(&problem) {
                break;
            }
            failed.push(problem.message);
            // What the one before had begun to say is void.
            heard("");
            problem = match link.ask(request, heard).await {
                Ok(reply) => return Ok(Reply { by: Some(link.name.clone()), ..reply }),
                Err(problem) => problem,
            };
        }
        if failed.is_empty() {
            return Err(problem);
        }
        let own = problem.hint.take().map(|hint| hint + "; ").unwrap_or_default();
        Err(problem.hint(format!("{own}asked before it: {}", failed.join("; "))))
    }
}

impl Link {
    async fn ask(&self, request: &Request, heard: Listener<'_>) -> Result<Reply, Problem> {
        let model = self.model.as_ref().map_err(Clone::clone)?;
        let mut reply = model.reply(request, heard).await?;
        reply.usd = self.prices.map(|prices| prices.cost(&reply.tokens));
        Ok(reply)
    }
}

/// Whether what is wrong is the model's own affair. A request that is not taken, or a key, is its user's to mend.
fn another_may_answer(problem: &Problem) -> bool {
    matches!(
        problem.code,
        Code::RateLimited | Code::QuotaExceeded | Code::ModelFailed | Code::ModelTruncated | Code::TimedOut
    )
}

impl Model for Chain {
    fn name(&self) -> &str {
        &self.name
    }

    fn family(&self) -> &Family {
        &self.family
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(self.ask(request, heard))
    }
}
