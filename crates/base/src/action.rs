//! What can be done about a problem, in terms that every front door shares; each door says how it is done there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunId;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Action {
    /// Go on with a run that was stopped.
    ResumeRun {
        /// The run.
        run: RunId,
    },
    /// Look at a run while somebody works on it.
    FollowRun {
        /// The run.
        run: RunId,
    },
    /// Stop a run.
    CancelRun {
        /// The run.
        run: RunId,
    },
    /// Decide what a waiting run asks, then go on with it.
    DecideRun {
        /// The run.
        run: RunId,
    },
    /// See which lessons there are.
    ListLessons,
    /// See which runs there are.
    ListRuns,
    /// Add a dataset.
    AddDataset,
    /// Read the files of an added dataset again.
    RefreshDataset {
        /// Its name.
        dataset: String,
    },
    /// Forget an added dataset, not its files.
    RemoveDataset {
        /// Its name.
        dataset: String,
    },
    /// See which notes there are about some data.
    ListNotes,
    /// Forget one of them.
    ForgetNote,
    /// See everything that is wrong with a plan.
    CheckPlan,
    /// See how a question can be read.
    ListReadings,
    /// Replace the file that is there.
    ReplaceFile,
    /// See what this machine gives and what it lacks.
    CheckMachine,
    /// Make a token for callers.
    MakeToken,
    /// End the resident broker.
    StopBroker,
    /// Fetch the weights of a model.
    PullModel {
        /// Its name, as it follows `local:`.
        model: String,
    },
    /// See which documents have a schema.
    ListDocuments,
    /// Choose another than the one that was given or taken by default.
    Choose {
        /// What to choose.
        what: Choice,
    },
}

/// What a request or a setting chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Where datasets, runs and artifacts live.
    DataDir,
    /// Where the Python environment lives.
    EnvDir,
    /// The Python to make it from.
    Python,
    /// Whether kernels stay resident.
    Broker,
    /// Where the weights of models live.
    ModelsDir,
    /// Who is asked for weights.
    ModelsMirror,
    /// How much prepared datasets may take.
    CacheBytes,
    /// What an added dataset is called.
    DatasetName,
    /// Where a program's files go.
    OutputFolder,
    /// Where a capsule is written.
    CapsuleFile,
    /// Where a demonstration tells what it did.
    EffectsFile,
    /// Where the tables of an evaluation are.
    TablesFile,
}

impl From<Choice> for Action {
    fn from(what: Choice) -> Action {
        Action::Choose { what }
    }
}
