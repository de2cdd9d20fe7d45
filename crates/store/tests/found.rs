//! Runs found by a key or a thread: what stays, what leaves, and that a deleted run leaves no way to it.

use base::{Hash, RunId, Timestamp};
use serde_json::json;
use store::{Beginning, Ending, Fence, FoundBy, Lease, NewRun, Recall, RunState, Store};

/// Records a run that ended with an output of so many bytes and is found so.
async fn ended(store: &Store, bytes: usize, by: FoundBy) -> RunId {
    let id = RunId::fresh();
    let lease = Lease { owner: "somebody".to_string(), program: "0.1.0".to_string(), for_ms: 60_000 };
    let new = NewRun {
        id: id.clone(),
        task: "demo/1".to_string(),
        input: json!(1),
        input_hash: Hash::of_json(&json!(1)),
        key: None,
        title: Some("a demo".to_string()),
        program: "0.1.0".to_string(),
        beginning: Beginning::Attached(lease),
    };
    store.create_run(new).await.expect("created");
    let output = format!("\"{}\"", "x".repeat(bytes - 2));
    let ending = Ending { state: RunState::Succeeded, output: Some(output), problem: None };
    let fence = Fence { run: id.clone(), attempt: 1 };
    store.finish_run(fence, ending, by).await.expect("finished");
    // The next one is used later, by the database's clock.
    tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    id
}

fn by(key: &str, rows_max: i64, bytes_max: i64) -> FoundBy {
    let recall = Recall { key: Hash::of(key.as_bytes()), about: "shop".to_string(), rows_max, bytes_max };
    FoundBy { recall: Some(recall), thread: None }
}

async fn leads_to(store: &Store, key: &str) -> Option<RunId> {
    store.recalled(&Hash::of(key.as_bytes())).await.expect("read").map(|(run, _)| run)
}

#[tokio::test]
async fn the_least_recently_used_leaves_when_there_are_too_many() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).await.expect("the store opens");
    ended(&store, 10, by("a", 2, 1_000)).await;
    let b = ended(&store, 10, by("b", 2, 1_000)).await;
    let again = ended(&store, 10, by("a", 2, 1_000)).await;
    assert_eq!((leads_to(&store, "a").await, leads_to(&store, "b").await), (Some(again.clone()), Some(b)));
    let c = ended(&store, 10, by("c", 2, 1_000)).await;
    assert_eq!((leads_to(&store, "a").await, leads_to(&store, "b").await), (Some(again), None));
    assert_eq!(leads_to(&store, "c").await, Some(c));
}

#[tokio::test]
async fn and_when_they_are_too_large_together() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).await.expect("the store opens");
    ended(&store, 400, by("a", 9, 1_000)).await;
    ended(&store, 400, by("b", 9, 1_000)).await;
    ended(&store, 400, by("c", 9, 1_000)).await;
    let left: Vec<i64> = store.recalls(None).await.expect("listed").iter().map(|entry| entry.bytes).collect();
    assert_eq!((left, leads_to(&store, "a").await), (vec![400, 400], None));
    ended(&store, 2_000, by("huge", 9, 1_000)).await;
    assert_eq!(store.recalls(None).await.expect("listed"), [], "one that is too large alone is not kept either");
}

#[tokio::test]
async fn a_deleted_run_is_found_by_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).await.expect("the store opens");
    let both = FoundBy { thread: Some("t".to_string()), ..by("a", 9, 1_000) };
    let run = ended(&store, 10, both).await;
    let nobody = RunId::fresh();
    assert!(store.latest_in("t", &nobody).await.expect("read").is_some());
    assert!(store.latest_in("t", &run).await.expect("read").is_none(), "a run does not follow itself");
    store.delete_runs(vec![run], Timestamp(i64::MAX)).await.expect("deleted");
    assert_eq!(leads_to(&store, "a").await, None);
    assert!(store.latest_in("t", &nobody).await.expect("read").is_none());
    assert_eq!(store.threads().await.expect("listed"), []);
}

#[tokio::test]
async fn a_forgotten_thread_leaves_its_runs() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).await.expect("the store opens");
    let thread = |name: &str| FoundBy { recall: None, thread: Some(name.to_string()) };
    let first = ended(&store, 10, thread("t")).await;
    ended(&store, 10, thread("u")).await;
    let second = ended(&store, 10, thread("t")).await;
    let listed: Vec<(String, i64)> =
        store.threads().await.expect("listed").into_iter().map(|one| (one.name, one.runs)).collect();
    assert_eq!(listed, [("t".to_string(), 2), ("u".to_string(), 1)]);
    let runs: Vec<String> = store.thread("t").await.expect("listed").into_iter().map(|one| one.run).collect();
    assert_eq!(runs, [first.as_str(), second.as_str()]);
    assert_eq!(store.disband("t").await.expect("forgotten"), 2);
    assert!(store.latest_in("t", &RunId::fresh()).await.expect("read").is_none());
    assert!(store.journal(&first).await.expect("read").is_some());
}
