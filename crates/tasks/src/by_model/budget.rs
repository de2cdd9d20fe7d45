//! What may be spent on models, in one run and in a day, and what was.

use base::{Code, Problem};
use model::Reply;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What one run may spend on a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Of all kinds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<u64>,
    /// Where the model has prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_max: Option<f64>,
    /// That replies took together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_max: Option<u64>,
}

/// What all runs of this machine may spend on models in a day, in UTC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DayBudget {
    /// Of all kinds together.
    pub tokens_max: Option<u64>,
    /// By the prices of models that have some.
    pub usd_max: Option<f64>,
}

impl DayBudget {
    /// The problem, where what was spent has used it up.
    pub(crate) fn exhausted_by(&self, spent: DaySpent) -> Option<Problem> {
        let DaySpent { tokens, usd, .. } = spent;
        let (spent, setting) = if self.tokens_max.is_some_and(|most| tokens >= most) {
            (format!("{tokens} tokens"), "budget.day.tokens")
        } else if self.usd_max.is_some_and(|most| usd >= most) {
            (format!("${usd:.4}"), "budget.day.usd")
        } else {
            return None;
        };
        let message = format!("today's budget for models is used up: {spent} since midnight UTC");
        Some(Problem::new(Code::BudgetExhausted, message).hint(format!("the setting {setting} raises it")))
    }
}

/// What models were paid for on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DaySpent {
    /// Replies that were paid for.
    pub calls: u64,
    /// Of all kinds together.
    pub tokens: u64,
    /// By the prices of models that have some.
    pub usd: f64,
}

impl DaySpent {
    /// What the outputs of steps `model` come to. One that failed has a problem for its output, and cost nothing that is
    /// known; a recorded one was paid for before.
    pub fn of(outputs: Vec<Value>) -> DaySpent {
        let replies = outputs.into_iter().filter_map(|output| serde_json::from_value::<Reply>(output).ok());
        replies.filter(|reply| !reply.recorded).fold(DaySpent::default(), |sum, reply| DaySpent {
            calls: sum.calls + 1,
            tokens: sum.tokens.saturating_add(reply.tokens.total()),
            usd: sum.usd + reply.usd.unwrap_or_default(),
        })
    }
}
