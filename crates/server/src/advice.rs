//! How HTTP says what can be done about a problem: the one place that turns an [`Action`] into requests.

use base::{Action, Choice, Problem};

/// What to do about a problem, for whoever sent the request.
pub fn hint(problem: &Problem) -> Option<String> {
    let ways: Vec<String> = problem.actions.iter().filter_map(way).collect();
    let ways = (!ways.is_empty()).then(|| ways.join(", "));
    let parts: Vec<String> = problem.hint.clone().into_iter().chain(ways).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Nothing where only whoever runs the server can do it, who reads about it elsewhere.
fn way(action: &Action) -> Option<String> {
    Some(match action {
        Action::ResumeRun { run } => format!("POST /runs/{run}/resume goes on with it"),
        Action::FollowRun { run } => format!("GET /runs/{run}/events shows how far it is"),
        Action::CancelRun { run } => format!("POST /runs/{run}/cancel stops it"),
        Action::DecideRun { run } => format!("POST /runs/{run}/approve or /deny decides, and it goes on"),
        Action::ListLessons => "GET /lessons lists those there are".to_string(),
        Action::ListRuns => "GET /runs lists those there are".to_string(),
        Action::AddDataset => "POST /datasets adds one".to_string(),
        Action::RefreshDataset { .. } => "delete it and add its files again".to_string(),
        Action::RemoveDataset { dataset } => format!("DELETE /datasets/{dataset} forgets it"),
        Action::ListNotes => "GET /notes?dataset_id=… lists those there are".to_string(),
        Action::ForgetNote => "DELETE /notes/… forgets one".to_string(),
        Action::ListReadings => "its `readings` lists them".to_string(),
        Action::Choose { what: Choice::DatasetName } => "the field `name` gives another".to_string(),
        Action::MakeToken
        | Action::CheckPlan
        | Action::ReplaceFile
        | Action::CheckMachine
        | Action::PullModel { .. }
        | Action::StopBroker
        | Action::ListDocuments
        | Action::Choose { .. } => return None,
    })
}
