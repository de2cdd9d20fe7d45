//! Finding runs and forgetting them: filters, damaged rows, what may be deleted, and files that only look unnamed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::{Hash, RunId, Timestamp};
use rusqlite::Connection;
use serde_json::json;
use store::{
    Beginning, Ending, Error, Fence, Filter, FoundBy, Freed, INLINE_BYTES_MAX, Lease, NewRun, Recorded, RunState,
    StepOutcome, StepState, Store, glance,
};
use tokio::task::JoinHandle;

struct Bench {
    directory: tempfile::TempDir,
    store: Store,
}

impl Bench {
    async fn new() -> Bench {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).await.expect("the store opens");
        Bench { directory, store }
    }

    async fn begin(&self, task: &str) -> Fence {
        let lease = Lease { owner: "somebody".to_string(), program: "0.1.0".to_string(), for_ms: 600_000 };
        let run = RunId::fresh();
        let new = NewRun {
            id: run.clone(),
            task: task.to_string(),
            input: json!({}),
            input_hash: Hash::of_json(&json!({})),
            key: None,
            title: None,
            program: "0.1.0".to_string(),
            beginning: Beginning::Attached(lease),
        };
        self.store.create_run(new).await.expect("created");
        Fence { run, attempt: 1 }
    }

    /// A run that ended at a moment, in milliseconds.
    async fn ended(&self, task: &str, state: RunState, at: i64) -> RunId {
        let Fence { run, attempt } = self.begin(task).await;
        let ending = Ending { state, output: Some("1".to_string()), problem: None };
        self.store.finish_run(Fence { run: run.clone(), attempt }, ending, FoundBy::default()).await.expect("finished");
        self.sql(&format!("UPDATE runs SET created_at = {at}, finished_at = {at} WHERE id = '{run}'")).await;
        run
    }

    fn connect(&self) -> Connection {
        Connection::open(self.directory.path().join("store.db")).expect("connected")
    }

    async fn sql(&self, statement: &str) {
        self.connect().execute_batch(statement).expect("executed");
    }

    async fn listed(&self, filter: Filter) -> Vec<RunId> {
        let page = self.store.summaries(&filter, 100).await.expect("listed");
        page.runs.into_iter().map(|run| run.id).collect()
    }

    /// The files below `artifacts/`.
    fn files(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.directory.path().join("artifacts")).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).expect("a folder").flatten());
        files.map(|file| file.path()).collect()
    }

    async fn outdated(&self, before: i64, keep: usize) -> Vec<RunId> {
        let page = self.store.outdated(Timestamp(before), keep).await.expect("read");
        page.runs.into_iter().map(|run| run.id).collect()
    }
}

fn large(letter: &str) -> String {
    json!(letter.repeat(INLINE_BYTES_MAX)).to_string()
}

fn step(output: String) -> StepOutcome {
    StepOutcome {
        position: 0,
        name: "large".to_string(),
        state: StepState::Ok,
        attempts: 1,
        input_hash: Hash::of(b"input"),
        output,
        duration_ms: 0.0,
        artifacts: Vec::new(),
    }
}

#[tokio::test]
async fn a_filter_lets_through_what_it_says() {
    let bench = Bench::new().await;
    let ask_1 = bench.ended("ask/1", RunState::Succeeded, 1_000).await;
    let ask_2 = bench.ended("ask/2", RunState::Failed, 2_000).await;
    let other = bench.ended("ask_me/1", RunState::Cancelled, 3_000).await;
    let running = bench.begin("sql/1").await.run;
    let task = |task: &str| Filter { task: Some(task.to_string()), ..Filter::default() };
    assert_eq!(bench.listed(task("ask")).await, [ask_2.clone(), ask_1.clone()]);
    assert_eq!(bench.listed(task("ask/1")).await, vec![ask_1.clone()]);
    assert!(bench.listed(task("as%")).await.is_empty() && bench.listed(task("ask/")).await.is_empty());
    assert_eq!(bench.listed(task("ask_me")).await, vec![other.clone()]);
    let states = |states: &[RunState]| Filter { states: states.to_vec(), ..Filter::default() };
    assert_eq!(bench.listed(states(&[RunState::Running])).await, vec![running.clone()]);
    assert_eq!(bench.listed(states(&[RunState::Failed, RunState::Cancelled])).await, [other.clone(), ask_2.clone()]);
    let time = |since, until| Filter { since, until, ..Filter::default() };
    let at = |ms| Some(Timestamp(ms));
    assert_eq!(
        bench.listed(time(at(2_000), at(3_000))).await,
        vec![ask_2.clone()],
        "from the first on, before the second"
    );
    assert_eq!(bench.listed(time(at(3_000), None)).await, [running, other.clone()]);
    let first = bench.store.summaries(&time(None, at(3_001)), 2).await.expect("listed");
    assert_eq!(first.next.as_ref(), Some(&ask_2));
    let rest = bench.store.summaries(&Filter { before: first.next, ..time(None, at(3_001)) }, 2).await.expect("listed");
    assert_eq!((rest.runs.len(), &rest.runs[0].id, rest.next), (1, &ask_1, None));
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_named_and_takes_no_other_with_it() {
    let bench = Bench::new().await;
    let first = bench.ended("ask/1", RunState::Succeeded, 1_000).await;
    let bad = bench.ended("ask/1", RunState::Succeeded, 2_000).await;
    let last = bench.ended("ask/1", RunState::Succeeded, 3_000).await;
    for damage in ["state = 'dancing'", "mode = x'ff'", "created_at = 'yesterday'", "title = x'80', state = 'failed'"] {
        bench.sql(&format!("UPDATE runs SET {damage} WHERE id = '{bad}'")).await;
        let page = bench.store.summaries(&Filter::default(), 10).await.expect("listed");
        let ids: Vec<RunId> = page.runs.into_iter().map(|run| run.id).collect();
        assert_eq!((ids, page.damaged), (vec![last.clone(), first.clone()], vec![bad.to_string()]), "{damage}");
        let mut seen = Vec::new();
        let mut filter = Filter::default();
        loop {
            let page = bench.store.summaries(&filter, 1).await.expect("listed");
            seen.extend(page.runs.iter().map(|run| run.id.to_string()).chain(page.damaged));
            let Some(next) = page.next else { break };
            filter.before = Some(next);
        }
        seen.sort();
        assert_eq!(seen, [&first, &bad, &last].map(RunId::to_string), "{damage}: pages go on behind it");
    }
}

#[tokio::test]
async fn what_is_outdated_ended_before_and_is_not_among_the_latest() {
    let bench = Bench::new().await;
    let failed = bench.ended("t/1", RunState::Failed, 3_000).await;
    let oldest = bench.ended("t/1", RunState::Succeeded, 1_000).await;
    let middle = bench.ended("t/1", RunState::Rejected, 2_000).await;
    let latest = bench.ended("t/1", RunState::Cancelled, 9_000).await;
    for state in ["running", "pending", "interrupted"] {
        let run = bench.ended("t/1", RunState::Succeeded, 100).await;
        bench.sql(&format!("UPDATE runs SET state = '{state}' WHERE id = '{run}'")).await;
    }
    let all = [oldest.clone(), middle.clone(), failed.clone(), latest];
    assert_eq!(bench.outdated(10_000, 0).await, all);
    assert_eq!(bench.outdated(3_000, 0).await, all[..2]);
    assert_eq!(bench.outdated(10_000, 2).await, all[..2]);
    assert_eq!(bench.outdated(10_000, 4).await, []);
    bench.sql(&format!("UPDATE runs SET imported_at = 5000 WHERE id = '{oldest}'")).await;
    assert_eq!(bench.outdated(3_500, 0).await, [middle.clone(), failed], "who came in later counts from then");
    assert_eq!(bench.outdated(10_000, 2).await.len(), 2);
    assert!(!bench.outdated(10_000, 2).await.contains(&oldest), "and is among the latest by it");

    bench.sql(&format!("UPDATE runs SET finished_at = 5000 WHERE id = '{middle}'")).await;
    let deleted = bench.store.delete_runs(vec![middle.clone()], Timestamp(3_500)).await.expect("asked");
    assert_eq!(deleted, 0, "one that ended again since it was chosen stays");
}

#[tokio::test]
async fn files_go_with_the_last_row_that_names_them() {
    let bench = Bench::new().await;
    let (fence, other) = (bench.begin("t/1").await, bench.begin("t/1").await);
    bench.store.commit_step(fence.clone(), step(large("a")), None).await.expect("committed");
    bench.store.add_artifact(fence.clone(), "shared", "text/plain", b"shared".to_vec()).await.expect("added");
    bench.store.add_artifact(other.clone(), "shared too", "text/plain", b"shared".to_vec()).await.expect("added");
    let ending = Ending { state: RunState::Succeeded, output: Some(large("b")), problem: None };
    bench.store.finish_run(fence.clone(), ending, FoundBy::default()).await.expect("finished");
    let left_over = bench.files()[0].with_file_name(".part-abcdef");
    let strange = bench.files()[0].with_file_name("strange.txt");
    std::fs::write(&left_over, "half").expect("written");
    std::fs::write(&strange, "somebody else's").expect("written");

    let own = 2 * (INLINE_BYTES_MAX as u64 + 2);
    let would = bench.store.unnamed_without(std::slice::from_ref(&fence.run)).await.expect("read");
    assert_eq!(would, Freed { files: 3, bytes: own + 4 });
    let freed = bench.store.remove_unnamed().await.expect("removed");
    assert_eq!(freed, Some(Freed { files: 1, bytes: 4 }), "every whole file has a row");
    let soon = Timestamp(bench.store.now().await.expect("read").0 + 1_000);
    assert_eq!(bench.store.delete_runs(vec![fence.run.clone(), other.run], soon).await.expect("deleted"), 1);
    let freed = bench.store.remove_unnamed().await.expect("removed");
    assert_eq!(freed, Some(Freed { files: 2, bytes: own }));
    assert_eq!(bench.store.artifact(&Hash::of(b"shared")).await.expect("still needed"), b"shared");
    assert!(strange.exists() && bench.files().len() == 2);
    assert_eq!(bench.store.remove_unnamed().await.expect("removed"), Some(Freed::default()));
}

/// The dangerous moment: the file is there, the row that names it has to wait, because another process writes.
struct Between {
    other: Connection,
    committing: JoinHandle<Result<Recorded, Error>>,
    run: RunId,
    sha256: Hash,
}

impl Between {
    async fn of(bench: &Bench) -> Between {
        let fence = bench.begin("t/1").await;
        let (store, run, output) = (bench.store.clone(), fence.run.clone(), large("a"));
        let sha256 = Hash::of(output.as_bytes());
        let other = bench.connect();
        other.execute_batch("BEGIN IMMEDIATE").expect("begun");
        let committing = tokio::spawn(async move { store.commit_step(fence, step(output), None).await });
        wait_until(|| bench.files().iter().any(|file| file.ends_with(sha256.as_str()))).await;
        Between { other, committing, run, sha256 }
    }
}

#[tokio::test]
async fn a_file_that_is_about_to_be_named_is_not_removed() {
    let bench = Bench::new().await;
    let Between { other, committing, sha256, .. } = Between::of(&bench).await;
    assert!(!committing.is_finished());
    assert_eq!(bench.store.remove_unnamed().await.expect("asked"), None);
    other.execute_batch("ROLLBACK").expect("ended");
    committing.await.expect("no panic").expect("committed");
    assert_eq!(bench.store.artifact(&sha256).await.expect("there").len(), INLINE_BYTES_MAX + 2);
    assert_eq!(bench.store.remove_unnamed().await.expect("asked"), Some(Freed::default()));
}

#[tokio::test]
async fn nor_if_nobody_waits_for_the_row_any_more() {
    let bench = Bench::new().await;
    let Between { other, committing, run, sha256 } = Between::of(&bench).await;
    // Time for the change to reach the writer, which makes it all the same.
    tokio::time::sleep(Duration::from_millis(100)).await;
    committing.abort();
    assert!(committing.await.expect_err("given up").is_cancelled());
    bench.store.remove_unnamed().await.expect("asked");
    other.execute_batch("ROLLBACK").expect("ended");
    bench.begin("t/1").await;
    let journal = bench.store.journal(&run).await.expect("read").expect("there");
    if !journal.steps.is_empty() {
        bench.store.artifact(&sha256).await.expect("there");
    }
}

#[tokio::test]
async fn nothing_is_removed_while_somebody_keeps_files() {
    let bench = Bench::new().await;
    let keeping = bench.store.pin().expect("nobody removes");
    keeping.keep(b"not named yet").expect("kept");
    let elsewhere = Store::open(bench.directory.path()).await.expect("the store opens");
    assert_eq!(elsewhere.remove_unnamed().await.expect("asked"), None);
    assert_eq!(bench.files().len(), 1);
    drop(keeping);
    assert_eq!(elsewhere.remove_unnamed().await.expect("removed"), Some(Freed { files: 1, bytes: 13 }));
}

#[tokio::test]
async fn a_glance_makes_changes_and_waits_for_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let nowhere = directory.path().join("not there");
    assert!(glance(&nowhere, &Filter::default(), 10).await.is_empty());
    assert!(glance(directory.path(), &Filter::default(), 10).await.is_empty());
    assert!(!nowhere.exists() && is_empty(directory.path()), "nothing was made");

    let bench = Bench::new().await;
    let run = bench.ended("t/1", RunState::Succeeded, 1).await;
    let data_dir = bench.directory.path().to_path_buf();
    let seen = glance(&data_dir, &Filter::default(), 10).await;
    assert_eq!(seen.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), [run]);
    drop(bench.store);
    let lock = std::fs::File::open(data_dir.join("store.lock")).expect("opened");
    let deadline = Instant::now() + Duration::from_secs(5);
    while lock.try_lock().is_err() {
        assert!(Instant::now() < deadline, "the writer ends with its store");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let asked = Instant::now();
    assert!(glance(&data_dir, &Filter::default(), 10).await.is_empty(), "somebody changes the tables");
    assert!(asked.elapsed() < Duration::from_secs(1));
    lock.unlock().expect("let go");
    set_version(&data_dir, 99);
    assert!(glance(&data_dir, &Filter::default(), 10).await.is_empty(), "from the future");
}

fn set_version(data_dir: &Path, version: i64) {
    let connection = Connection::open(data_dir.join("store.db")).expect("connected");
    connection.pragma_update(None, "user_version", version).expect("executed");
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).expect("a directory").next().is_none()
}

async fn wait_until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "never happened");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
