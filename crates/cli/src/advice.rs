//! How the command line says what can be done about a problem: the one place that turns an [`Action`] into commands and
//! options.

use app::documents::machine::Check;
use base::{Action, Choice, Problem};

/// The problem as a user of the command line reads it.
pub fn told(problem: &Problem) -> Problem {
    let mut told = problem.clone();
    told.hint = hint(problem);
    told
}

/// What it says to everybody, then how each action is done here.
pub fn hint(problem: &Problem) -> Option<String> {
    said(problem.hint.as_deref(), &problem.actions)
}

/// The checks of a machine, each with what mends it as a user of the command line reads it.
pub fn mended(checks: &mut [Check]) {
    for check in checks {
        check.fix = said(check.fix.as_deref(), &check.actions);
    }
}

fn said(to_everybody: Option<&str>, actions: &[Action]) -> Option<String> {
    let ways: Vec<String> = actions.iter().map(way).collect();
    let ways = (!ways.is_empty()).then(|| ways.join(", "));
    let parts: Vec<String> = to_everybody.map(str::to_string).into_iter().chain(ways).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn way(action: &Action) -> String {
    match action {
        Action::ResumeRun { run } => format!("`assay runs resume {run}` goes on with it"),
        Action::FollowRun { run } => format!("`assay runs show {run} --follow` shows how far it is"),
        Action::CancelRun { run } => format!("`assay runs cancel {run}` stops it"),
        Action::DecideRun { run } => format!(
            "`assay runs show {run}` says what, `assay runs approve {run}` or `assay runs deny {run}` decides, then \
             `assay runs resume {run}` goes on with it"
        ),
        Action::ListLessons => "`assay memory list` shows those there are".to_string(),
        Action::ListRuns => "`assay runs list` shows those there are".to_string(),
        Action::AddDataset => "`assay data add FILE` adds one".to_string(),
        Action::RefreshDataset { dataset } => format!("`assay data refresh {dataset}` reads its files again"),
        Action::RemoveDataset { dataset } => format!("`assay data remove {dataset}` forgets it"),
        Action::ListNotes => "`assay data notes NAME list` shows those there are".to_string(),
        Action::ForgetNote => "`assay data notes NAME forget N` forgets one".to_string(),
        Action::CheckPlan => "`assay plan check` with the same arguments lists everything that is wrong".to_string(),
        Action::ListReadings => "`--show readings` lists them".to_string(),
        Action::ReplaceFile => "`--force` replaces it".to_string(),
        Action::CheckMachine => "`assay doctor` looks at this machine".to_string(),
        Action::MakeToken => "`assay token create NAME` makes one".to_string(),
        Action::StopBroker => "`assay sandbox stop` stops the broker".to_string(),
        Action::PullModel { model } => format!("`assay model pull {model}` fetches what is missing"),
        Action::ListDocuments => "`assay schema` lists them".to_string(),
        Action::Choose { what } => chosen_by(*what).to_string(),
    }
}

fn chosen_by(what: Choice) -> &'static str {
    match what {
        Choice::DataDir => "`--data-dir DIR` names one",
        Choice::EnvDir => "ASSAY_ENV_DIR names one",
        Choice::Python => "ASSAY_PYTHON names one",
        Choice::Broker => "set ASSAY_BROKER=on, or unset it",
        Choice::ModelsDir => "ASSAY_MODELS_DIR names one",
        Choice::ModelsMirror => "ASSAY_MODELS_MIRROR names one",
        Choice::CacheBytes => "ASSAY_CACHE_BYTES sets how much there is",
        Choice::DatasetName => "`--name NAME` gives another",
        Choice::OutputFolder => "`--out DIR` names one",
        Choice::CapsuleFile => "`--to FILE` names one",
        Choice::EffectsFile => "`--effects FILE` names one",
        Choice::TablesFile => "`--tables FILE` names it",
    }
}

#[cfg(test)]
mod tests {
    use base::{Code, RunId};

    use super::*;

    fn check(problem: Problem, expected: Option<&str>) {
        assert_eq!(hint(&problem).as_deref(), expected);
        let told = told(&problem);
        assert_eq!((told.hint.as_deref(), &told.actions), (expected, &problem.actions));
    }

    #[test]
    fn words_for_everybody_come_first_and_those_of_the_command_line_follow() {
        let problem = |code| Problem::new(code, "it failed");
        check(problem(Code::Internal), None);
        check(problem(Code::DiskFull).hint("free some space"), Some("free some space"));
        check(
            problem(Code::StoreReadonly)
                .hint("make it writable, or use another data directory")
                .action(Choice::DataDir),
            Some("make it writable, or use another data directory; `--data-dir DIR` names one"),
        );
        let run = RunId::fresh();
        let busy = problem(Code::RunBusy).action(Action::FollowRun { run: run.clone() });
        check(
            busy.action(Action::CancelRun { run: run.clone() }),
            Some(&format!("`assay runs show {run} --follow` shows how far it is, `assay runs cancel {run}` stops it")),
        );
    }
}
