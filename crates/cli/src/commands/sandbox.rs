//! `assay sandbox …`: programs of the user's own, isolated, and what isolates them.

mod broker;
mod run;
mod values;

use app::documents::machine::Installed;
use base::{Document, Problem};
use sandbox::Set;

pub use run::{limit, print};

use crate::args::{PackageSet, Sandbox, SandboxAction};
use crate::terminal::Terminal;

/// Does what was asked for; gives the exit code.
pub async fn run(terminal: &Terminal, sandbox: &Sandbox) -> Result<u8, Problem> {
    match &sandbox.action {
        SandboxAction::Run(asked) => run::run(terminal, asked).await,
        SandboxAction::Probe => broker::probe(terminal).await,
        SandboxAction::Status => broker::status(terminal).await,
        SandboxAction::Stop => broker::stop(terminal).await,
        SandboxAction::Install { set: PackageSet::Ml } => install(terminal, Set::Ml).await,
    }
}

/// Makes the environment with a set; from then on every cell has it.
async fn install(terminal: &Terminal, set: Set) -> Result<u8, Problem> {
    let installed = Installed::install(&terminal.app, set).await?;
    terminal.show(&installed.to_json(), |printer| {
        printer.line(&format!("programs can import the packages of `{}` now", set.name()));
    });
    Ok(0)
}
