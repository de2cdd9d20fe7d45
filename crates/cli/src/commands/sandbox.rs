//! `assay sandbox …`: programs of the user's own, isolated, and what isolates them.

mod broker;
mod run;
mod values;

use base::Problem;
use sandbox::Set;
use serde_json::json;

pub use run::{limit, print};

use crate::app::App;
use crate::args::{PackageSet, Sandbox, SandboxAction};

/// Does what was asked for; gives the exit code.
pub async fn run(app: &App, sandbox: &Sandbox) -> Result<u8, Problem> {
    match &sandbox.action {
        SandboxAction::Run(asked) => run::run(app, asked).await,
        SandboxAction::Probe => broker::probe(app).await,
        SandboxAction::Status => broker::status(app).await,
        SandboxAction::Stop => broker::stop(app).await,
        SandboxAction::Install { set: PackageSet::Ml } => install(app, Set::Ml).await,
    }
}

/// Makes the environment with a set; from then on every cell has it.
async fn install(app: &App, set: Set) -> Result<u8, Problem> {
    let environment = app.context.install(set).await?;
    let packages = environment.packages();
    let document = json!({ "v": 1, "kind": "installed", "set": environment.set().name(), "packages": packages });
    app.show(&document, |printer| printer.line(&format!("programs can import the packages of `{}` now", set.name())));
    Ok(0)
}
