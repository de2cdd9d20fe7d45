//! Asks a model within a budget: each request and its reply is a step, so that a resumed run pays for nothing twice and a
//! replayed one needs no model. What a budget has left is counted from what is recorded, never from the clock, so that
//! both decide alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Problem;
use flow::{Run, StepPolicy};
use model::{Model, Reply, Request};
use serde::Serialize;

use crate::answer::Cost;
use crate::by_model::{Budget, DayBudget, DaySpent};
use crate::context::Context;
use crate::task::internal;

/// What a run may spend where nobody says otherwise.
const TOKENS_DEFAULT: u64 = 200_000;
const SECONDS_DEFAULT: u64 = 900;

/// One run's way to its model.
pub struct Replies<'a> {
    context: &'a Context,
    /// As the user named it.
    name: &'a str,
    budget: &'a Budget,
    model: Option<Arc<dyn Model>>,
    spent: Cost,
    spent_ms: u64,
}

/// What may still be spent.
#[derive(Serialize)]
pub struct Left {
    tokens: u64,
    seconds: u64,
    usd: Option<f64>,
    tries: u32,
}

/// A request as it is recorded.
#[derive(Serialize)]
struct Asked<'a> {
    model: &'a str,
    #[serde(flatten)]
    request: &'a Request,
}

impl<'a> Replies<'a> {
    /// Nothing asked yet.
    pub fn new(context: &'a Context, name: &'a str, budget: &'a Budget) -> Replies<'a> {
        Replies { context, name, budget, model: None, spent: Cost::default(), spent_ms: 0 }
    }

    /// What the replies cost so far.
    pub fn spent(&self) -> &Cost {
        &self.spent
    }

    /// How long they took together.
    pub fn spent_ms(&self) -> u64 {
        self.spent_ms
    }

    /// One request and its reply, as a step; nothing where the budget is used up.
    pub async fn ask(
        &mut self,
        run: &mut Run,
        request: &Request,
        hear: impl Fn(&str) + Send + Sync,
    ) -> Result<Option<Reply>, Problem> {
        if self.is_spent() {
            return Ok(None);
        }
        if self.model.is_none() && run.will_perform() {
            self.check_day(run).await?;
            self.model = Some(self.context.models.find(self.name)?);
        }
        let model = self.model.clone();
        let effect = || async {
            let model = model.ok_or_else(|| internal("a run has lost its model"))?;
            let is_begun = AtomicBool::new(false);
            let heard = |text: &str| {
                // An empty piece says that the reply comes again from its start.
                if text.is_empty() {
                    is_begun.store(false, Ordering::Relaxed);
                } else if !is_begun.swap(true, Ordering::Relaxed) && !request.begun().is_empty() {
                    hear(request.begun());
                }
                hear(text);
            };
            model.reply(request, &heard).await
        };
        let mut effect = Some(effect);
        let once = || effect.take().expect("the policy says once")();
        let asked = Asked { model: self.name, request };
        let reply: Reply = run.step_under(StepPolicy::ONCE.keeping_input(), "model", &asked, once).await?;
        self.spent.add(&reply);
        self.spent_ms += reply.ms;
        Ok(Some(reply))
    }

    /// Asked once, before the first reply that is paid for: what was begun may be finished.
    async fn check_day(&self, run: &Run) -> Result<(), Problem> {
        let budget = &self.context.budget_day;
        if *budget == DayBudget::default() {
            return Ok(());
        }
        let spent = DaySpent::of(run.outputs_of_today("model").await?);
        budget.exhausted_by(spent).map_or(Ok(()), Err)
    }

    fn is_spent(&self) -> bool {
        let seconds = self.spent_ms / 1_000;
        self.spent.tokens.total() >= self.budget.tokens_max.unwrap_or(TOKENS_DEFAULT)
            || seconds >= self.budget.seconds_max.unwrap_or(SECONDS_DEFAULT)
            || self.budget.usd_max.zip(self.spent.usd).is_some_and(|(most, spent)| spent >= most)
    }

    /// What the budget has left, and how many tries.
    pub fn left(&self, tries: u32) -> Left {
        let Budget { tokens_max, usd_max, seconds_max } = self.budget;
        Left {
            tokens: tokens_max.unwrap_or(TOKENS_DEFAULT).saturating_sub(self.spent.tokens.total()),
            seconds: seconds_max.unwrap_or(SECONDS_DEFAULT).saturating_sub(self.spent_ms / 1_000),
            usd: usd_max.map(|most| (most - self.spent.usd.unwrap_or_default()).max(0.0)),
            tries,
        }
    }

    /// That the budget is used up, in words.
    pub fn exhausted(&self) -> String {
        format!(
            "the budget is used up: {} tokens{} and {} s in {} replies",
            self.spent.tokens.total(),
            self.spent.usd.map(|usd| format!(", ${usd:.4}")).unwrap_or_default(),
            self.spent_ms / 1_000,
            self.spent.calls
        )
    }
}
