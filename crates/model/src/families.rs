//! What can be expected of a model, by its name: the table of capabilities.
//!
//! It errs on the side of less: a model that is wrongly thought weak is asked in a plainer way and still answers.

use serde::Deserialize;

use crate::Wire;

/// A row of the table: models that are asked in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Whether it calls tools natively; otherwise it writes fenced code.
    pub tools: bool,
    /// Whether a schema in the request is enforced.
    pub schema: bool,
    /// How much it can read and write in all.
    pub context_tokens: u32,
    /// The language it is asked for first.
    pub action: Action,
    /// Whether its critique of an answer may hold the answer back.
    pub critique_is_gate: bool,
    /// Whether it goes on with a reply that was begun for it: a last message of its own.
    pub continues: bool,
}

/// A language in which a model says what is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A plan of the kernel.
    Plan,
    /// A query.
    Sql,
    /// A program.
    Python,
}

impl Action {
    /// The word in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Plan => "plan",
            Action::Sql => "sql",
            Action::Python => "python",
        }
    }
}

/// What somebody knows better of a model than the table does; what is absent is the table's.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Whether it calls tools natively.
    pub tools: Option<bool>,
    /// Whether a schema in the request is enforced.
    pub schema: Option<bool>,
    /// How much it can read and write in all.
    pub context_tokens: Option<u32>,
    /// The language it is asked for first.
    pub action: Option<Action>,
    /// Whether its critique of an answer may hold the answer back.
    pub critique_is_gate: Option<bool>,
    /// Whether it goes on with a reply that was begun for it.
    pub continues: Option<bool>,
}

/// Where a row's word must stand in a model's name.
enum Place {
    Anywhere,
    /// Not in the middle of a word: `phi` is not in `dolphin`.
    WordStart,
}

use Place::{Anywhere, WordStart};

/// Which servers enforce a schema for a family.
#[derive(Clone, Copy)]
enum Enforced {
    Never,
    /// By servers of one's own machine: they do so on Chat and ignore the schema on the other wires.
    OnChat,
    Always,
}

struct Row {
    name: &'static str,
    words: &'static [(&'static str, Place)],
    tools: bool,
    schema: Enforced,
    context_tokens: u32,
    critique_is_gate: bool,
}

const UNKNOWN: Row = Row {
    name: "unknown",
    words: &[],
    tools: false,
    schema: Enforced::Never,
    context_tokens: 8_192,
    critique_is_gate: false,
};

/// The first row with a word in the model's name counts.
const ROWS: &[Row] = &[
    Row {
        name: "claude",
        words: &[("claude", Anywhere)],
        tools: true,
        schema: Enforced::Always,
        context_tokens: 200_000,
        critique_is_gate: true,
    },
    Row {
        name: "qwen2.5-coder",
        words: &[("qwen2.5-coder", Anywhere)],
        schema: Enforced::OnChat,
        context_tokens: 32_768,
        ..UNKNOWN
    },
    Row {
        name: "llama",
        words: &[("llama", Anywhere), ("mistral", Anywhere), ("gemma", Anywhere), ("phi", WordStart)],
        schema: Enforced::OnChat,
        ..UNKNOWN
    },
    Row {
        name: "gpt",
        words: &[("gpt-", WordStart), ("o1", WordStart), ("o3", WordStart), ("o4", WordStart)],
        tools: true,
        schema: Enforced::Always,
        context_tokens: 128_000,
        critique_is_gate: true,
    },
];

impl Family {
    /// The family of the model that a server knows as `model`.
    pub fn of(model: &str, wire: Wire) -> Family {
        let model = model.to_lowercase();
        let row = ROWS.iter().find(|row| row.words.iter().any(|word| stands_in(word, &model))).unwrap_or(&UNKNOWN);
        Family {
            name: row.name,
            tools: row.tools,
            schema: match row.schema {
                Enforced::Never => false,
                Enforced::OnChat => wire == Wire::Chat,
                Enforced::Always => true,
            },
            context_tokens: row.context_tokens,
            action: Action::Python,
            critique_is_gate: row.critique_is_gate,
            // A matter of who serves it: most servers take a last message of the model's for one that is over.
            continues: false,
        }
    }

    /// The family of weights that this program runs itself, within so many tokens.
    pub fn of_local(model: &str, context_tokens: u32) -> Family {
        let family = Family::of(model, Wire::Chat);
        Family { context_tokens: family.context_tokens.min(context_tokens), continues: true, ..family }
    }

    /// The family of the model behind a program, named with its arguments.
    pub fn of_program(program: &str) -> Family {
        // Text is all that goes in and comes out, whatever the model behind the program can do.
        Family { tools: false, schema: false, ..Family::of(program, Wire::Chat) }
    }

    /// The same, with what somebody knows better.
    pub fn with(self, better: &Capabilities) -> Family {
        Family {
            name: self.name,
            tools: better.tools.unwrap_or(self.tools),
            schema: better.schema.unwrap_or(self.schema),
            context_tokens: better.context_tokens.unwrap_or(self.context_tokens),
            action: better.action.unwrap_or(self.action),
            critique_is_gate: better.critique_is_gate.unwrap_or(self.critique_is_gate),
            continues: better.continues.unwrap_or(self.continues),
        }
    }
}

fn stands_in((word, place): &(&str, Place), model: &str) -> bool {
    match place {
        Anywhere => model.contains(word),
        WordStart => starts_a_word(word, model),
    }
}

fn starts_a_word(word: &str, model: &str) -> bool {
    model.match_indices(word).any(|(at, _)| !model[..at].ends_with(|before: char| before.is_alphanumeric()))
}

/// Whether OpenAI's model of this name reasons before it writes. Those take no temperature, and their reasoning has to
/// be asked for.
pub(crate) fn is_reasoning(model: &str) -> bool {
    let model = model.to_lowercase();
    let is_o = ["o1", "o3", "o4"].iter().any(|word| starts_a_word(word, &model));
    is_o || (starts_a_word("gpt-5", &model) && !model.contains("chat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_family() {
        for (model, wire, expected) in [
            ("claude-sonnet-4-5", Wire::Messages, ("claude", true, true, 200_000, true)),
            ("anthropic/Claude-3", Wire::Chat, ("claude", true, true, 200_000, true)),
            ("gpt-4.1", Wire::Responses, ("gpt", true, true, 128_000, true)),
            ("openai/o3-mini", Wire::Chat, ("gpt", true, true, 128_000, true)),
            ("qwen2.5-coder:1.5b", Wire::Chat, ("qwen2.5-coder", false, true, 32_768, false)),
            ("qwen2.5-coder:1.5b", Wire::Messages, ("qwen2.5-coder", false, false, 32_768, false)),
            ("TinyLlama-1.1B", Wire::Chat, ("llama", false, true, 8_192, false)),
            ("phi-4", Wire::Chat, ("llama", false, true, 8_192, false)),
            ("dolphin", Wire::Chat, ("unknown", false, false, 8_192, false)),
            ("solo1", Wire::Chat, ("unknown", false, false, 8_192, false)),
        ] {
            let family = Family::of(model, wire);
            let seen = (family.name, family.tools, family.schema, family.context_tokens, family.critique_is_gate);
            assert_eq!((seen, family.action), (expected, Action::Python), "{model}");
        }
    }

    #[test]
    fn reasoning_models_are_known() {
        assert!(["o1", "openai/o4-mini", "gpt-5", "gpt-5.1-codex"].into_iter().all(is_reasoning));
        assert!(!["gpt-4o", "gpt-5-chat-latest", "qwen", "solo1"].into_iter().any(is_reasoning));
    }
}
