//! `assay sandbox …`: programs of the user's own, isolated, and what isolates them.

mod run;
mod values;

use base::Problem;

pub use run::print;

use crate::app::App;
use crate::args::{Sandbox, SandboxAction};
use crate::commands::broker;

/// Does what was asked for; gives the exit code.
pub async fn run(app: &App, sandbox: &Sandbox) -> Result<u8, Problem> {
    match &sandbox.action {
        SandboxAction::Run(asked) => run::run(app, asked).await,
        SandboxAction::Probe => broker::probe(app).await,
        SandboxAction::Status => broker::status(app).await,
        SandboxAction::Stop => broker::stop(app).await,
    }
}
