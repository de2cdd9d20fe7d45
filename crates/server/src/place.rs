//! An owner's place: the data directory in which everything the owner made lies, with the engine over it.

use app::App;
use base::Problem;
use flow::{Ended, Request, Runs, Start};
use warehouse::DataNames;

/// Everything one owner has.
pub struct Place {
    /// Settings, data and engine.
    pub app: App,
}

impl Place {
    /// What callers may call data: names of datasets, and no spelling of a file.
    pub fn names(&self) -> DataNames {
        DataNames::only(self.app.warehouse().datasets())
    }

    /// The owner's runs.
    pub async fn runs(&self) -> Result<&Runs, Problem> {
        Ok(self.app.engine().await?.runs())
    }

    /// Begins a run, which goes on whether or not anybody waits for it.
    pub async fn begin(&self, request: Request) -> Result<flow::Spawned, Problem> {
        self.app.spawn(Start::Queued(request)).await
    }

    /// Begins a run and waits for its end.
    pub async fn follow(&self, request: Request) -> Result<Ended, Problem> {
        self.begin(request).await?.ended().await
    }
}
