//! Arguments of `model`: which models there are, whether they work, which are on this machine, which one is asked.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  assay model list
  assay model test anthropic:claude-sonnet-4-5
  assay model use ollama:qwen2.5-coder
  assay model pull qwen2.5-coder-1.5b && assay model use local:qwen2.5-coder-1.5b

A model of your own, in the settings file that `assay config show` names:
  [models.main]
  provider = \"chat\"                 anthropic, openai, chat, ollama, command or local
  model = \"qwen2.5-coder\"
  base_url = \"https://models.example/v1\"
  key_env = \"MAIN_KEY\"              or key_file
  prices = { input = 3, output = 15 }    US dollars per million tokens
  fallback = \"ollama:qwen2.5-coder\"

Weights of your own for a model on this machine, in the same file:
  [weights.mine]                    then: assay model pull mine, and --model local:mine
  path = \"OWNER/REPOSITORY/resolve/main/FILE.gguf\"
  bytes = 491400064
  sha256 = \"…\"
  kind = \"model\"                    or \"table\": vectors, by which `assay memory search` finds";

/// `assay model list|show|test|pull|remove|use`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Model {
    #[command(subcommand)]
    pub action: ModelAction,
}

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// Those you defined, the providers and whether their keys are there, and which one is asked
    List,
    /// Where a model is, what is expected of it and what it costs
    Show {
        /// Its name, such as ollama:qwen2.5-coder
        name: String,
    },
    /// Ask a model for text, a stream, a structure and a call of a tool; 1 where it does not do what is expected of it
    Test {
        /// Its name; the one your settings name if not given
        name: Option<String>,
    },
    /// Fetch the weights of a model that runs on this machine, or a table of vectors; goes on where an earlier try was cut
    Pull {
        /// Its name, such as qwen2.5-coder-1.5b or wordllama-256; `assay model list` shows them
        name: String,
    },
    /// Take the weights of a model from this machine
    Remove {
        /// Its name, such as qwen2.5-coder-1.5b
        name: String,
    },
    /// Make a model the one that is asked where nothing else is said
    Use {
        /// Its name, or off
        name: String,
    },
}
