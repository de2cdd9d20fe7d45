//! Runs that nobody waits for, and the readers of their events.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base::{Code, Problem, RunId};
use flow::{
    Engine, Event, Events, Finish, Options, Registry, Request, Run, RunState, Spawned, Start, StepPolicy, Store,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// What the task below waits for: one permit for each word that it says.
struct Gate(Semaphore);

impl Gate {
    fn with(words: usize) -> Arc<Gate> {
        Arc::new(Gate(Semaphore::new(words)))
    }
}

/// Says three words in each of two steps; its input is kept.
async fn speak(run: &mut Run, gate: &Gate, input: Value) -> Result<Finish, Problem> {
    for step in ["first", "second"] {
        let emitter = run.emitter();
        let policy = StepPolicy::ONCE.keeping_input();
        let given = json!({ "step": step, "input": input });
        run.step_under::<_, usize, _, _>(policy, step, &given, || async {
            for word in ["one", "two", "three"] {
                let permit = gate.0.acquire().await;
                permit.map_err(|error| Problem::new(Code::Internal, error.to_string()))?.forget();
                emitter.pass("text.delta", json!({ "channel": "answer", "text": word }));
            }
            Ok(3)
        })
        .await?;
    }
    Ok(Finish::succeeded(input))
}

async fn engine(directory: &Path) -> Arc<Engine<Gate>> {
    let store = Store::open(directory).await.expect("the store opens");
    Arc::new(Engine::new(store, Registry::new().with("speak/1", speak), Options::default()))
}

fn request(number: u64) -> Start {
    Start::Request(Request { task: "speak/1".to_string(), input: json!(number), title: None, key: None })
}

async fn rest(mut events: Events) -> Vec<Event> {
    let mut heard = Vec::new();
    while let Some(event) = timeout(PATIENCE, events.next()).await.expect("it goes on").expect("read") {
        heard.push((*event).clone());
    }
    heard
}

fn words(events: &[Event]) -> Vec<&str> {
    events.iter().filter_map(|event| event.data["text"].as_str()).collect()
}

#[tokio::test]
async fn runs_outlive_who_asked_for_them_and_every_reader_hears_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, gate) = (engine(directory.path()).await, Gate::with(0));
    let spawned = [1, 2].map(|number| engine.spawn(&gate, request(number)));
    let mut runs: Vec<RunId> = Vec::new();
    for one in spawned {
        // The caller is dropped here, before the run has said a word.
        let Spawned { run, .. } = one.await.expect("handed over");
        runs.push(run);
    }
    // Two of the readers come before a word is said, one while the run is in its second step.
    let early: Vec<_> = (0..2).flat_map(|_| &runs).map(|run| tokio::spawn(rest(engine.runs().watch(run, 0)))).collect();
    gate.0.add_permits(8);
    while gate.0.available_permits() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let late: Vec<_> = runs.iter().map(|run| tokio::spawn(rest(engine.runs().watch(run, 0)))).collect();
    gate.0.add_permits(4);
    let mut heard = Vec::new();
    for reader in early.into_iter().chain(late) {
        heard.push(reader.await.expect("joined"));
    }
    for (index, run) in runs.iter().enumerate() {
        let [first, second, third] = [0, 2, 4].map(|offset| &heard[index + offset]);
        assert_eq!(first, second);
        assert_eq!(first, third, "one who comes late hears what passed by");
        assert!(first.iter().all(|event| event.run == *run));
        assert_eq!(words(first), ["one", "two", "three", "one", "two", "three"]);
        let kinds: Vec<&str> =
            first.iter().map(|event| event.kind.as_str()).filter(|kind| *kind != "text.delta").collect();
        let step = ["step.started", "artifact.added", "step.finished"];
        let (begin, end) = (["run.created", "run.started"], ["run.finished"]);
        assert_eq!(kinds, [&begin[..], &step, &step, &end].concat());
        assert_eq!(engine.runs().state(run).await.expect("there"), RunState::Succeeded);
    }
}

#[tokio::test]
async fn a_reader_goes_on_after_the_event_it_names() {
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, gate) = (engine(directory.path()).await, Gate::with(3));
    let run = engine.spawn(&gate, request(1)).await.expect("handed over").run;
    let mut reader = engine.runs().watch(&run, 0);
    let mut before = Vec::new();
    while before.last().is_none_or(|event: &Event| event.kind != "step.finished") {
        before
            .push((*timeout(PATIENCE, reader.next()).await.expect("it goes on").expect("read").expect("more")).clone());
    }
    let seen = before.last().and_then(|event| event.seq).expect("a durable one");
    let later = engine.runs().watch(&run, seen);
    gate.0.add_permits(3);
    let (whole, later) = (rest(reader).await, rest(later).await);
    assert_eq!(whole, later);
    assert_eq!(words(&before), words(&whole));
    // Of a run that is over, what passed by is gone and what is recorded is not.
    let recorded = rest(engine.runs().watch(&run, 0)).await;
    let durable: Vec<Event> = before.into_iter().chain(whole).filter(|event| event.seq.is_some()).collect();
    assert_eq!(recorded, durable);
}

#[tokio::test]
async fn a_run_that_is_given_up_is_interrupted_and_its_readers_are_told_nothing_more() {
    let directory = tempfile::tempdir().expect("a directory");
    let (first, gate) = (engine(directory.path()).await, Gate::with(4));
    let mut spawned = first.spawn(&gate, request(1)).await.expect("handed over");
    let mut reader = first.runs().watch(&spawned.run, 0);
    while timeout(PATIENCE, reader.next()).await.expect("it goes on").expect("read").expect("more").kind
        != "step.finished"
    {}
    first.abandon().await;
    let problem = spawned.ended().await.expect_err("nobody works on it");
    assert_eq!((problem.code, problem.run), (Code::Cancelled, Some(spawned.run.clone())));
    drop(first);
    let second = engine(directory.path()).await;
    let told = rest(reader).await;
    assert!(told.iter().all(|event| event.seq.is_none()), "{told:?}");
    assert_eq!(second.runs().state(&spawned.run).await.expect("there"), RunState::Interrupted);
    gate.0.add_permits(3);
    let mut again = second.spawn(&gate, Start::Resume(spawned.run.clone())).await.expect("taken");
    let heard = rest(second.runs().watch(&spawned.run, 0)).await;
    assert_eq!(again.ended().await.expect("worked on").result, Ok(Finish::succeeded(json!(1))));
    assert_eq!(words(&heard), ["one", "two", "three"], "the first step is recorded and says nothing again");
    let numbers: Vec<i64> = heard.iter().filter_map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>(), "from the store, then live, without a gap");
}

#[tokio::test]
async fn a_step_that_keeps_its_input_shows_it_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, gate) = (engine(directory.path()).await, Gate::with(6));
    let mut spawned = engine.spawn(&gate, request(7)).await.expect("handed over");
    spawned.ended().await.expect("worked on").result.expect("done");
    let shown = engine.runs().show(&spawned.run).await.expect("shown");
    let shown = json!(shown);
    for (index, step) in ["first", "second"].into_iter().enumerate() {
        let name = format!("step-{index}-input.json");
        let kept = engine.runs().artifact(&spawned.run, &name).await.expect("kept");
        assert_eq!(serde_json::from_slice::<Value>(&kept).expect("JSON"), json!({ "step": step, "input": 7 }));
        assert_eq!(shown["steps"][index]["request"], json!(base::Hash::of(&kept)));
    }
}
