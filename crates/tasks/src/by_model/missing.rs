//! Whether the tables hold what a question speaks of, asked before a program is begun for the model: who goes on with a
//! program cannot say that there is nothing to compute it from.
//!
//! Asked only where the planner finds words in the question that name no column, no value and nothing declared, and only
//! where no note has them either; refused only where the model names no column then. Two signs that miss each other's
//! mistakes: the planner does not know many words of statistics, and a small model likes to name a column.

use base::Problem;
use planner::{Outcome, Reason};

use super::Asking;
use super::sample::Sample;

const TOKENS_MAX: u32 = 24;
/// How a model says that no column has it.
const NONE: &str = "none";

impl Asking<'_> {
    /// Why the tables cannot answer, if it shows.
    pub async fn missing(&mut self) -> Result<Option<String>, Problem> {
        if self.unknown.is_empty() {
            return Ok(None);
        }
        let mut request = self.prompts.holds(&self.unknown);
        request.output_tokens_max = TOKENS_MAX;
        let Some(reply) = self.ask(&request, "plan").await? else { return Ok(None) };
        let said = reply.text.to_lowercase();
        let names_one = self.prompts.names_a_column(&said.replace(NONE, " "));
        Ok((said.contains(NONE) && !names_one).then(|| format!("nothing in it is called {}", told(&self.unknown))))
    }
}

/// The words of a question that name nothing here, in its order.
pub fn unknown_words(index: &planner::Index, question: &str, sample: &Sample) -> Vec<String> {
    let Outcome::Refusal(refusal) = planner::plan_with(index, question) else { return Vec::new() };
    if !matches!(refusal.reason, Reason::UnknownWord | Reason::NoData | Reason::NotAboutData) {
        return Vec::new();
    }
    let noted: String = sample.notes.join(" ").to_lowercase();
    refusal.words.into_iter().filter(|word| !noted.contains(&word.to_lowercase())).collect()
}

fn told(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
