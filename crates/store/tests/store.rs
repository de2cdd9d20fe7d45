//! The store through its handle, on real SQLite files: what is recorded, what is refused, what shares a commit.

use std::path::Path;

use base::{Code, Hash, Problem, RunId};
use serde_json::{Value, json};
use store::{
    Beginning, Content, Ending, Error, Event, Fence, FoundBy, INLINE_BYTES_MAX, Lease, NewRun, RunState, StepOutcome,
    StepState, Store,
};
use tokio::task::JoinSet;

fn lease(owner: &str) -> Lease {
    Lease { owner: owner.to_string(), program: "0.1.0".to_string(), for_ms: 60_000 }
}

fn new_run(id: &RunId) -> NewRun {
    NewRun {
        id: id.clone(),
        task: "demo/1".to_string(),
        input: json!({ "n": 1 }),
        input_hash: Hash::of_json(&json!({ "n": 1 })),
        key: None,
        title: Some("a demo".to_string()),
        program: "0.1.0".to_string(),
        beginning: Beginning::Attached(lease("somebody")),
    }
}

fn step(position: i64, output: &str) -> StepOutcome {
    StepOutcome {
        position,
        name: format!("step {position}"),
        state: StepState::Ok,
        attempts: 1,
        input_hash: Hash::of(b"input"),
        output: output.to_string(),
        duration_ms: 1.5,
        artifacts: Vec::new(),
    }
}

fn succeeded(output: &str) -> Ending {
    Ending { state: RunState::Succeeded, output: Some(output.to_string()), problem: None }
}

async fn open(directory: &Path) -> Store {
    Store::open(directory).await.expect("the store opens")
}

async fn created(store: &Store) -> Fence {
    let run = RunId::fresh();
    store.create_run(new_run(&run)).await.expect("created");
    Fence { run, attempt: 1 }
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

#[tokio::test]
async fn what_is_recorded_is_read_back_by_another_handle() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let fence = created(&store).await;
    store.commit_step(fence.clone(), step(0, r#"{"a":1}"#), None).await.expect("committed");
    let (sha256, _) =
        store.add_artifact(fence.clone(), "chart.svg", "image/svg+xml", b"<svg/>".to_vec()).await.expect("added");
    let (_, again) =
        store.add_artifact(fence.clone(), "chart.svg", "image/svg+xml", b"<svg/>".to_vec()).await.expect("added");
    assert!(again.is_empty(), "adding the same again changes nothing");
    store.finish_run(fence.clone(), succeeded("[2]"), FoundBy::default()).await.expect("finished");

    let other = open(directory.path()).await;
    let journal = other.journal(&fence.run).await.expect("read").expect("there");
    assert_eq!(journal.run.state, RunState::Succeeded);
    assert_eq!(journal.run.output, Some(Content::Inline("[2]".to_string())));
    assert_eq!(journal.run.input, json!({ "n": 1 }));
    assert_eq!(journal.steps[0].output.document(), json!({ "a": 1 }));
    assert_eq!(journal.steps[0].output_hash, Hash::of(br#"{"a":1}"#));
    assert_eq!(journal.artifacts[0].bytes, 6);
    assert_eq!(other.artifact(&sha256).await.expect("read"), b"<svg/>");

    let events = other.events(&fence.run, 0, 100).await.expect("read");
    assert_eq!(kinds(&events), ["run.created", "run.started", "step.finished", "artifact.added", "run.finished"]);
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=5).map(Some).collect::<Vec<_>>());
    assert_eq!(journal.run.last_seq, 5);
    assert_eq!(journal.run.finished_at, Some(events[4].at), "one clock for the row and its event");
    assert_eq!(kinds(&other.events(&fence.run, 3, 1).await.expect("read")), ["artifact.added"]);
    assert!(other.journal(&RunId::fresh()).await.expect("read").is_none());
}

#[tokio::test]
async fn writes_that_queue_up_share_a_commit_and_fail_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let fence = created(&store).await;
    let before = store.commits();
    let mut writes = JoinSet::new();
    for position in 0..40 {
        let (store, mut fence) = (store.clone(), fence.clone());
        // Every tenth comes from an attempt that never was.
        fence.attempt += i64::from(position % 10 == 9);
        writes.spawn(async move { store.commit_step(fence, step(position, "null"), None).await });
    }
    // Enters the run before it meets the position that is taken, so it has something to undo.
    let (again, fence_again) = (store.clone(), fence.clone());
    writes.spawn(async move { again.commit_step(fence_again, step(0, "null"), None).await });
    let answers = writes.join_all().await;
    let fenced = answers.iter().filter(|answer| matches!(answer, Err(Error::Fenced { .. }))).count();
    assert_eq!((fenced, answers.iter().filter(|answer| answer.is_ok()).count()), (4, 36));
    let commits = store.commits() - before;
    assert!((1..=4).contains(&commits), "41 writes took {commits} commits");

    let journal = store.journal(&fence.run).await.expect("read").expect("there");
    assert_eq!(journal.steps.len(), 36);
    assert_eq!(journal.run.last_seq, 2 + 36, "a write that failed uses up no number");
    let events = store.events(&fence.run, 0, 100).await.expect("read");
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == Some(seq)));
}

#[tokio::test]
async fn an_attempt_that_lost_its_run_can_write_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let old = created(&store).await;
    let claim = store.claim_run(old.clone(), &lease("thief")).await;
    assert!(matches!(claim, Err(Error::Fenced { .. })), "a running run cannot be claimed");
    store.reap_runs(vec!["somebody".to_string()], Vec::new(), 5).await.expect("marked");
    let state = |journal: store::Journal| (journal.run.state, journal.run.attempts);
    let journal = store.journal(&old.run).await.expect("read").expect("there");
    assert_eq!(state(journal), (RunState::Interrupted, 1));

    let events = store.claim_run(old.clone(), &lease("heir")).await.expect("claimed");
    assert_eq!(events[0].data, json!({ "attempt": 2, "program": "0.1.0" }));
    let second = store.claim_run(old.clone(), &lease("late heir")).await;
    assert!(matches!(second, Err(Error::Fenced { .. })), "only one can claim");
    let step_write = store.commit_step(old.clone(), step(0, "null"), None).await;
    let artifact_write = store.add_artifact(old.clone(), "x", "text/plain", vec![1]).await.map(|_| ());
    let finish_write = store.finish_run(old.clone(), succeeded("null"), FoundBy::default()).await;
    assert!(matches!(step_write, Err(Error::Fenced { .. })));
    assert!(matches!(artifact_write, Err(Error::Fenced { .. })));
    assert!(matches!(finish_write, Err(Error::Fenced { .. })));

    let new = Fence { attempt: 2, ..old };
    store.commit_step(new.clone(), step(0, "null"), None).await.expect("the heir writes");
    store.finish_run(new.clone(), succeeded("null"), FoundBy::default()).await.expect("the heir finishes");
    let twice = store.finish_run(new.clone(), succeeded("1"), FoundBy::default()).await;
    assert!(matches!(twice, Err(Error::Fenced { .. })), "a run finishes once");
    let journal = store.journal(&new.run).await.expect("read").expect("there");
    assert_eq!(journal.run.output, Some(Content::Inline("null".to_string())));
}

#[tokio::test]
async fn a_large_output_is_an_artifact_and_a_damaged_one_is_noticed() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let fence = created(&store).await;
    let small = Value::from("x".repeat(INLINE_BYTES_MAX - 2)).to_string();
    let large = Value::from("x".repeat(INLINE_BYTES_MAX - 1)).to_string();
    store.commit_step(fence.clone(), step(0, &small), None).await.expect("committed");
    store.commit_step(fence.clone(), step(1, &large), None).await.expect("committed");
    store.finish_run(fence.clone(), succeeded(&large), FoundBy::default()).await.expect("finished");

    let journal = store.journal(&fence.run).await.expect("read").expect("there");
    let sha256 = Hash::of(large.as_bytes());
    assert_eq!(journal.steps[0].output, Content::Inline(small));
    assert_eq!(journal.steps[1].output.document(), json!({ "artifact": sha256 }));
    assert_eq!(journal.steps[1].output_hash, sha256);
    assert_eq!(journal.run.output, Some(Content::Artifact(sha256.clone())));
    assert_eq!(store.artifact(&sha256).await.expect("read"), large.as_bytes());
    let events = store.events(&fence.run, 2, 100).await.expect("read");
    assert_eq!(kinds(&events), ["step.finished", "artifact.added", "step.finished", "artifact.added", "run.finished"]);
    assert_eq!(journal.run.last_seq, 7);

    let path = directory.path().join("artifacts").join(&sha256.as_str()[..2]).join(sha256.as_str());
    std::fs::write(&path, "other").expect("overwritten");
    assert_eq!(store.artifact(&sha256).await.expect_err("damaged").code, Code::JournalDamaged);
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(store.artifact(&sha256).await.expect_err("gone").code, Code::JournalDamaged);
}

#[tokio::test]
async fn a_problem_is_kept_with_the_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).await;
    let fence = created(&store).await;
    let problem = Problem::new(Code::SandboxLost, "the cell is gone").in_run(&fence.run);
    let ending = Ending { state: RunState::Failed, output: None, problem: Some(problem.clone()) };
    store.finish_run(fence.clone(), ending, FoundBy::default()).await.expect("finished");
    let journal = store.journal(&fence.run).await.expect("read").expect("there");
    assert_eq!(journal.run.problem, Some(json!(problem)));
    assert_eq!(journal.run.output, None);
}
