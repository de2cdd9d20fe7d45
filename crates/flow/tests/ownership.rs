//! Who works on a run, on real SQLite files: workers that know some tasks, stop, panic or lose a run to themselves;
//! programs of another version; steps that take too long.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base::{Code, Document, Problem, RunId};
use flow::{Ended, Engine, Filter, Finish, Options, Registry, Request, Run, Slots, StepPolicy, Store, Told, Worker};
use serde_json::{Value, json};
use store::RunSummary;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(20);
fn until_idle() -> Worker {
    Worker { slots: Slots::new(2), until_idle: true }
}

/// What the tasks are lent: which effects ran, in which attempt, and whether the second step has to wait.
struct Lab {
    effects: Mutex<Vec<String>>,
    gate: Semaphore,
    panics: AtomicUsize,
}

impl Lab {
    /// The second step of a run passes as often as there are permits.
    fn with_permits(permits: usize) -> Arc<Lab> {
        let gate = Semaphore::new(permits);
        Arc::new(Lab { effects: Mutex::default(), gate, panics: AtomicUsize::new(0) })
    }

    fn open() -> Arc<Lab> {
        Lab::with_permits(1_000)
    }

    fn note(&self, run: i64, step: &str) {
        self.effects.lock().expect("not poisoned").push(format!("{run} {step}"));
    }

    fn effects(&self) -> Vec<String> {
        self.effects.lock().expect("not poisoned").clone()
    }

    async fn seen(&self, effect: &str, times: usize) {
        let seen = async {
            while self.effects().iter().filter(|one| *one == effect).count() < times {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, seen).await.unwrap_or_else(|_| panic!("{effect} was never seen: {:?}", self.effects()));
    }
}

async fn steps(run: &mut Run, lab: &Lab, names: &[&str]) -> Result<Finish, Problem> {
    let attempt = run.attempt();
    let mut value = 1;
    for (index, name) in names.iter().enumerate() {
        let before: i64 = value;
        let effect = || async {
            lab.note(attempt, name);
            if index == 1 {
                lab.gate.acquire().await.expect("never closed").forget();
            }
            Ok(before * 10 + index as i64)
        };
        value = run.step(name, &before, effect).await?;
    }
    Ok(Finish::succeeded(json!(value)))
}

async fn old(run: &mut Run, lab: &Lab, _: Value) -> Result<Finish, Problem> {
    steps(run, lab, &["first", "second"]).await
}

async fn longer(run: &mut Run, lab: &Lab, _: Value) -> Result<Finish, Problem> {
    steps(run, lab, &["first", "second", "third"]).await
}

async fn renamed(run: &mut Run, lab: &Lab, _: Value) -> Result<Finish, Problem> {
    steps(run, lab, &["begin", "second"]).await
}

async fn panicking(run: &mut Run, lab: &Lab, _: Value) -> Result<Finish, Problem> {
    let attempt = run.attempt();
    let effect = || async {
        lab.note(attempt, "panicking");
        let left = lab.panics.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert!(left.is_err(), "told to panic");
        Ok(5)
    };
    let value: i64 = run.step("panicking", &(), effect).await?;
    Ok(Finish::succeeded(json!(value)))
}

async fn impatient(run: &mut Run, lab: &Lab, _: Value) -> Result<Finish, Problem> {
    let attempt = run.attempt();
    let policy = StepPolicy { pause_first: Duration::from_millis(1), ..StepPolicy::tries(3) };
    let effect = || async {
        lab.note(attempt, "impatient");
        lab.gate.acquire().await.expect("never closed").forget();
        Ok(5)
    };
    let value: i64 = run.step_under(policy.within(Duration::from_millis(100)), "impatient", &(), effect).await?;
    Ok(Finish::succeeded(json!(value)))
}

fn tasks() -> Registry<Lab> {
    Registry::new().with("steps/1", old).with("panicking/1", panicking).with("impatient/1", impatient)
}

async fn engine(directory: &Path, program: &str, registry: Registry<Lab>) -> Arc<Engine<Lab>> {
    leasing(directory, program, registry, Duration::from_secs(60)).await
}

async fn leasing(directory: &Path, program: &str, registry: Registry<Lab>, lease: Duration) -> Arc<Engine<Lab>> {
    let store = Store::open(directory).await.expect("the store opens");
    Arc::new(Engine::new(store, registry, Options { program: program.to_string(), lease, ..Options::default() }))
}

fn request(task: &str) -> Request {
    Request { task: task.to_string(), input: json!(7), title: None, key: None }
}

async fn state(engine: &Engine<Lab>, run: &RunId) -> String {
    engine.runs().show(run).await.expect("shown").to_json()["state"].as_str().expect("a state").to_string()
}

async fn comes_to(engine: &Engine<Lab>, run: &RunId, wanted: &str) {
    let coming = async {
        while state(engine, run).await != wanted {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(PATIENCE, coming).await.is_ok(), "it is {} and never {wanted}", state(engine, run).await);
}

/// Works on the queue until nothing is left; gives what was told.
async fn work(engine: &Arc<Engine<Lab>>, lab: &Arc<Lab>) -> Vec<Result<Ended, Problem>> {
    let told = Mutex::new(Vec::new());
    let tell = |one: Told<'_>| match one {
        Told::Began(_) => {}
        Told::Ended(ended) => told.lock().expect("not poisoned").push(Ok(ended.clone())),
        Told::Trouble(problem) => told.lock().expect("not poisoned").push(Err(problem.clone())),
    };
    let working = engine.work_queue(lab, until_idle(), std::future::pending(), tell);
    timeout(PATIENCE, working).await.expect("the queue is never empty").expect("worked");
    told.into_inner().expect("not poisoned")
}

/// A run in its second step, recorded up to the first, whose process is gone.
async fn interrupted(directory: &Path) -> RunId {
    let (engine, lab) = (engine(directory, "0.0.1", tasks()).await, Lab::with_permits(0));
    let working = {
        let lab = lab.clone();
        tokio::spawn(async move { engine.start(&lab, request("steps/1")).await })
    };
    lab.seen("1 second", 1).await;
    working.abort();
    assert!(working.await.is_err(), "aborted, and its engine dropped");
    only(directory).await.id
}

/// The one run that is there.
async fn only(directory: &Path) -> RunSummary {
    let store = Store::open(directory).await.expect("opened");
    let mut page = store.summaries(&Filter::default(), 2).await.expect("listed");
    assert_eq!(page.runs.len(), 1);
    page.runs.remove(0)
}

#[tokio::test]
async fn another_version_of_the_program_goes_on_if_what_is_recorded_fits() {
    for (registry, value) in
        [(Registry::new().with("steps/1", old), 101), (Registry::new().with("steps/1", longer), 1012)]
    {
        let directory = tempfile::tempdir().expect("a directory");
        let run = interrupted(directory.path()).await;
        let (newer, lab) = (engine(directory.path(), "0.2.0", registry).await, Lab::open());
        let ended = newer.resume(&lab, &run).await.expect("resumed");
        assert_eq!(ended.result, Ok(Finish::succeeded(json!(value))));
        assert!(!lab.effects().contains(&"2 first".to_string()), "a recorded step ran again: {:?}", lab.effects());
        let shown = newer.runs().show(&run).await.expect("shown").to_json();
        assert_eq!((&shown["program"], &shown["attempts"]), (&json!("0.0.1"), &json!(2)));
    }
}

#[tokio::test]
async fn another_version_of_the_program_stops_where_what_is_recorded_does_not_fit() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = interrupted(directory.path()).await;
    let lab = Lab::open();
    let newer = engine(directory.path(), "0.2.0", Registry::new().with("steps/1", renamed)).await;
    let problem = newer.resume(&lab, &run).await.expect("resumed").result.expect_err("another code");
    assert_eq!((problem.code, problem.run.as_ref()), (Code::JournalMismatch, Some(&run)));
    assert!(problem.message.contains("first") && problem.message.contains("begin"), "{}", problem.message);
    let without = engine(directory.path(), "0.2.0", Registry::new().with("other/1", old)).await;
    assert_eq!(without.resume(&lab, &run).await.expect_err("no such task").code, Code::TaskUnknown);
    assert_eq!(lab.effects(), Vec::<String>::new(), "nothing ran on a journal that does not fit");
    let fitting = engine(directory.path(), "0.0.1", tasks()).await;
    assert_eq!(fitting.resume(&lab, &run).await.expect("resumed").result, Ok(Finish::succeeded(json!(101))));
}

#[tokio::test]
async fn a_queued_run_is_gone_on_with_by_a_worker_of_another_version() {
    let directory = tempfile::tempdir().expect("a directory");
    let lab = Lab::with_permits(0);
    let older = engine(directory.path(), "0.0.1", tasks()).await;
    let run = older.enqueue(&request("steps/1")).await.expect("queued");
    let stop = lab.seen("1 second", 1);
    older.work_queue(&lab, until_idle(), stop, |_| {}).await.expect("worked");
    drop(older);
    lab.gate.add_permits(10);
    let newer = engine(directory.path(), "0.2.0", Registry::new().with("steps/1", longer)).await;
    let told = work(&newer, &lab).await;
    assert!(matches!(&told[..], [Ok(Ended { result: Ok(_), .. })]), "{told:?}");
    assert_eq!(newer.runs().show(&run).await.expect("shown").to_json()["output"], 1012);
    assert_eq!(lab.effects(), ["1 first", "1 second", "2 second", "2 third"]);
}

#[tokio::test]
async fn a_worker_takes_only_what_it_knows() {
    let directory = tempfile::tempdir().expect("a directory");
    let all = engine(directory.path(), "0.1.0", tasks().with("strange/1", old)).await;
    let mut strange = Vec::new();
    for _ in 0..3 {
        strange.push(all.enqueue(&request("strange/1")).await.expect("queued"));
    }
    let known = all.enqueue(&request("steps/1")).await.expect("queued");
    let lab = Lab::open();
    let told = work(&engine(directory.path(), "0.1.0", tasks()).await, &lab).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(state(&all, &known).await, "succeeded");
    for run in &strange {
        let shown = all.runs().show(run).await.expect("shown").to_json();
        assert_eq!((&shown["state"], &shown["attempts"]), (&json!("pending"), &json!(0)));
    }
    assert_eq!(work(&all, &lab).await.len(), 3, "who knows them does them");
}

#[tokio::test]
async fn a_step_that_takes_too_long_ends_the_run_and_is_tried_again_when_resumed() {
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, lab) = (engine(directory.path(), "0.1.0", tasks()).await, Lab::with_permits(0));
    let ended = engine.start(&lab, request("impatient/1")).await.expect("started");
    let problem = ended.result.expect_err("too long");
    assert_eq!(problem.code, Code::TimedOut);
    assert!(problem.message.contains("impatient") && problem.message.contains("100 ms"), "{}", problem.message);
    assert_eq!(lab.effects().len(), 3, "every try had its time");
    let shown = engine.runs().show(&ended.run).await.expect("shown").to_json();
    assert_eq!((&shown["state"], &shown["steps"]), (&json!("failed"), &json!([])), "no outcome of the step");
    lab.gate.add_permits(1);
    let ended = engine.resume(&lab, &ended.run).await.expect("resumed");
    assert_eq!(ended.result, Ok(Finish::succeeded(json!(5))));
    assert_eq!(engine.runs().show(&ended.run).await.expect("shown").to_json()["steps"][0]["attempts"], 1);
}

/// Takes a run away from its process as somebody does who thinks that process dead.
async fn taken_away(directory: &Path) {
    let store = Store::open(directory).await.expect("opened");
    let owner = only(directory).await.owner.expect("owned");
    let reaped = store.reap_runs(vec![owner], Vec::new(), 5).await.expect("reaped");
    assert_eq!(reaped, 1);
}

#[tokio::test]
async fn an_interrupted_run_goes_back_to_its_process_if_that_lives_after_all() {
    // By its next commit, or, where the step is long, by the next renewal of its lease.
    for (lease, renewed) in [(Duration::from_secs(60), false), (Duration::from_millis(900), true)] {
        let directory = tempfile::tempdir().expect("a directory");
        let first = leasing(directory.path(), "0.1.0", tasks(), lease).await;
        let (reader, lab) = (engine(directory.path(), "0.1.0", tasks()).await, Lab::with_permits(0));
        let working = {
            let lab = lab.clone();
            tokio::spawn(async move { first.start(&lab, request("steps/1")).await })
        };
        lab.seen("1 second", 1).await;
        taken_away(directory.path()).await;
        let run = only(directory.path()).await.id;
        if renewed {
            comes_to(&reader, &run, "running").await;
        } else {
            assert_eq!(state(&reader, &run).await, "interrupted");
        }
        lab.gate.add_permits(1);
        let ended = timeout(PATIENCE, working).await.expect("it goes on").expect("joined").expect("started");
        assert_eq!(ended.result, Ok(Finish::succeeded(json!(101))));
        let shown = reader.runs().show(&run).await.expect("shown").to_json();
        assert_eq!((&shown["state"], &shown["attempts"]), (&json!("succeeded"), &json!(1)));
        assert_eq!(lab.effects(), ["1 first", "1 second"]);
    }
}

/// A worker that was taken for dead meets its own run in the queue. The attempt it has lost must neither write nor take
/// the new one's lease with it when it ends.
#[tokio::test]
async fn a_worker_that_takes_its_own_run_again_keeps_it() {
    const LEASE: Duration = Duration::from_millis(1_500);
    let directory = tempfile::tempdir().expect("a directory");
    let (worker, lab) = (leasing(directory.path(), "0.1.0", tasks(), LEASE).await, Lab::with_permits(0));
    let run = worker.enqueue(&request("steps/1")).await.expect("queued");
    let (tell, stop) = tokio::sync::oneshot::channel::<()>();
    let working = {
        let (worker, lab) = (worker.clone(), lab.clone());
        let how = Worker { until_idle: false, ..until_idle() };
        tokio::spawn(async move { worker.work_queue(&lab, how, async { drop(stop.await) }, |_| {}).await })
    };
    lab.seen("1 second", 1).await;
    taken_away(directory.path()).await;
    lab.seen("2 second", 1).await;
    // The first attempt waits at the gate before the second and goes through alone, if it is still there.
    lab.gate.add_permits(1);
    sleep(LEASE * 2).await;
    let shown = worker.runs().show(&run).await.expect("shown").to_json();
    let early = (shown["state"].clone(), shown["attempts"].clone());
    lab.gate.add_permits(10);
    comes_to(&worker, &run, "succeeded").await;
    tell.send(()).expect("it works");
    timeout(PATIENCE, working).await.expect("it stops").expect("joined").expect("worked");
    let shown = worker.runs().show(&run).await.expect("shown").to_json();
    assert_eq!(shown["output"], 101);
    assert_eq!(shown["attempts"], 2, "a live worker lost its lease on the way ({early:?}): {:?}", lab.effects());
}

#[tokio::test]
async fn a_task_that_panics_is_tried_again_and_then_fails() {
    let directory = tempfile::tempdir().expect("a directory");
    let worker = leasing(directory.path(), "0.1.0", tasks(), Duration::from_millis(300)).await;
    let lab = Lab::open();
    lab.panics.store(2, Ordering::Relaxed);
    let lucky = worker.enqueue(&request("panicking/1")).await.expect("queued");
    let told = work(&worker, &lab).await;
    assert_eq!(state(&worker, &lucky).await, "succeeded", "{told:?}");
    assert_eq!(worker.runs().show(&lucky).await.expect("shown").to_json()["attempts"], 3);
    assert_eq!(told.iter().filter(|one| one.is_err()).count(), 2, "{told:?}");

    lab.panics.store(1_000, Ordering::Relaxed);
    let hopeless = worker.enqueue(&request("panicking/1")).await.expect("queued");
    let beside = worker.enqueue(&request("steps/1")).await.expect("queued");
    work(&worker, &lab).await;
    assert_eq!(state(&worker, &beside).await, "succeeded", "the worker outlives it");
    let shown = worker.runs().show(&hopeless).await.expect("shown").to_json();
    assert_eq!((&shown["state"], &shown["problem"]["code"]), (&json!("failed"), &json!("worker_lost")), "{shown}");
    assert!(shown["problem"]["message"].as_str().expect("a message").contains("step 0"), "{shown}");
    lab.panics.store(0, Ordering::Relaxed);
    let ended = worker.resume(&lab, &hopeless).await.expect("resumed");
    assert_eq!(ended.result, Ok(Finish::succeeded(json!(5))));
}

#[tokio::test]
async fn a_worker_that_stops_hands_back_what_another_takes_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let lab = Lab::with_permits(0);
    let (first, second) =
        (engine(directory.path(), "0.1.0", tasks()).await, engine(directory.path(), "0.1.0", tasks()).await);
    let run = first.enqueue(&request("steps/1")).await.expect("queued");
    let told = Mutex::new(Vec::new());
    let tell = |one: Told<'_>| told.lock().expect("not poisoned").push(format!("{one:?}"));
    let ended = first.work_queue(&lab, until_idle(), lab.seen("1 second", 1), tell);
    timeout(PATIENCE, ended).await.expect("it stops").expect("worked");
    assert!(told.lock().expect("not poisoned")[1].contains("handed the run back"), "{told:?}");
    let store = Store::open(directory.path()).await.expect("opened");
    let journal = store.journal(&run).await.expect("read").expect("there");
    assert_eq!((journal.run.state.as_str(), journal.run.here.recoveries, journal.steps.len()), ("pending", 0, 1));
    lab.gate.add_permits(1);
    // Its owner still lives and its lease is long: nobody waits for either.
    assert_eq!(work(&second, &lab).await.len(), 1);
    let shown = second.runs().show(&run).await.expect("shown").to_json();
    assert_eq!((&shown["state"], &shown["attempts"]), (&json!("succeeded"), &json!(2)));
    assert_eq!(lab.effects(), ["1 first", "1 second", "2 second"]);
}

/// It has taken the run, and nothing of it has begun: that too is handed back, not worked on to its end.
#[tokio::test]
async fn a_worker_told_to_stop_while_it_takes_a_run_hands_it_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let (worker, lab) = (engine(directory.path(), "0.1.0", tasks()).await, Lab::with_permits(0));
    let run = worker.enqueue(&request("steps/1")).await.expect("queued");
    let stopped =
        timeout(Duration::from_secs(5), worker.work_queue(&lab, until_idle(), std::future::ready(()), |_| {})).await;
    let begun = lab.effects();
    assert!(stopped.is_ok(), "it was told to stop and works on: {begun:?}");
    assert_eq!(state(&worker, &run).await, "pending");
}

/// Both are told at once: what a user wants counts, whichever comes first.
#[tokio::test]
async fn a_run_that_is_cancelled_while_its_worker_stops_is_cancelled() {
    let directory = tempfile::tempdir().expect("a directory");
    let (worker, lab) = (engine(directory.path(), "0.1.0", tasks()).await, Lab::with_permits(0));
    let run = worker.enqueue(&request("steps/1")).await.expect("queued");
    let store = Store::open(directory.path()).await.expect("opened");
    let stop = async {
        lab.seen("1 second", 1).await;
        // Asked in the journal, and not yet noticed by the worker.
        store.cancel_run(&run).await.expect("asked");
    };
    timeout(PATIENCE, worker.work_queue(&lab, until_idle(), stop, |_| {})).await.expect("it stops").expect("worked");
    let shown = worker.runs().show(&run).await.expect("shown").to_json();
    assert_eq!((&shown["state"], &shown["problem"]["code"]), (&json!("cancelled"), &json!("cancelled")), "{shown}");
    assert!(work(&worker, &lab).await.is_empty(), "nobody goes on with it");
    assert_eq!(lab.effects(), ["1 first", "1 second"]);
}

#[tokio::test]
async fn a_key_finds_its_run_wherever_that_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let lab = Lab::with_permits(0);
    let keyed = || Request { key: Some("k".to_string()), ..request("steps/1") };
    let (worker, command) =
        (engine(directory.path(), "0.1.0", tasks()).await, engine(directory.path(), "0.1.0", tasks()).await);
    let run = worker.enqueue(&keyed()).await.expect("queued");
    assert_eq!(worker.enqueue(&keyed()).await.expect("the same"), run);
    // The worker stops while a command with the same key follows its run: that one goes on with it.
    let follower = Mutex::new(None);
    let stop = async {
        lab.seen("1 second", 1).await;
        let (command, lab) = (command.clone(), lab.clone());
        let following = tokio::spawn(async move { command.start(&lab, keyed()).await });
        *follower.lock().expect("not poisoned") = Some(following);
        sleep(Duration::from_millis(300)).await;
    };
    timeout(PATIENCE, worker.work_queue(&lab, until_idle(), stop, |_| {})).await.expect("it stops").expect("worked");
    lab.gate.add_permits(1);
    let follower = follower.into_inner().expect("not poisoned").expect("it followed");
    let ended = timeout(PATIENCE, follower).await.expect("it ends").expect("no panic").expect("joined");
    assert_eq!((ended.run, ended.result), (run.clone(), Ok(Finish::succeeded(json!(101)))));
    assert_eq!(lab.effects(), ["1 first", "1 second", "2 second"]);
}

#[tokio::test]
async fn an_interrupted_run_can_be_left_to_the_workers_by_its_key() {
    let directory = tempfile::tempdir().expect("a directory");
    let lab = Lab::with_permits(0);
    let keyed = || Request { key: Some("k".to_string()), ..request("steps/1") };
    let command = engine(directory.path(), "0.1.0", tasks()).await;
    let begun = timeout(Duration::from_millis(200), command.start(&lab, keyed())).await;
    assert!(begun.is_err(), "it waits in its second step");
    drop(command);
    lab.gate.add_permits(1);
    let worker = engine(directory.path(), "0.1.0", tasks()).await;
    let run = worker.enqueue(&keyed()).await.expect("queued");
    assert_eq!(work(&worker, &lab).await.len(), 1);
    assert_eq!(state(&worker, &run).await, "succeeded");
}

#[tokio::test]
async fn a_row_that_cannot_be_read_does_not_stop_the_others() {
    let directory = tempfile::tempdir().expect("a directory");
    let (worker, lab) = (engine(directory.path(), "0.1.0", tasks()).await, Lab::open());
    let bad = worker.enqueue(&request("steps/1")).await.expect("queued");
    let good = worker.enqueue(&request("steps/1")).await.expect("queued");
    let damage = format!("UPDATE runs SET state = 'running', owner = x'ff', lease_until = 1 WHERE id = '{bad}'");
    let damaged = std::process::Command::new("python3")
        .args(["-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"])
        .arg(directory.path().join("store.db"))
        .arg(damage)
        .status();
    assert!(damaged.expect("python3 is there").success());
    let worker_only = Worker { slots: Slots::new(2), until_idle: false };
    let stop = async {
        while state(&worker, &good).await != "succeeded" {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, worker.work_queue(&lab, worker_only, stop, |_| {})).await.expect("it ends").expect("worked");
}
