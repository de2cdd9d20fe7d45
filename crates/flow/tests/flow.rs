//! Runs through the engine, on real SQLite files: replay, mismatch, ownership, events and documents.

use std::path::Path;
use std::sync::{Arc, Mutex};

use base::{Action, Code, Document, Problem, RunId};
use flow::{Engine, Event, Events, Filter, Finish, Options, Registry, Request, Run, Start, StepError, Store};
use serde_json::{Value, json};
use store::{Fence, Lease, RunState};
use tokio::sync::Notify;

/// What the tasks below are lent: a switch for how they behave, and a record of the effects that really ran.
#[derive(Default)]
struct Lab {
    behaviour: Mutex<&'static str>,
    effects: Mutex<Vec<String>>,
    reached: Notify,
    go_on: Notify,
}

impl Lab {
    fn behaves(&self, behaviour: &'static str) {
        *self.behaviour.lock().expect("not poisoned") = behaviour;
    }

    fn is(&self, behaviour: &str) -> bool {
        *self.behaviour.lock().expect("not poisoned") == behaviour
    }

    fn effect<T>(&self, name: &str, outcome: Result<T, Problem>) -> Result<T, Problem> {
        self.effects.lock().expect("not poisoned").push(name.to_string());
        outcome
    }

    fn effects(&self) -> Vec<String> {
        self.effects.lock().expect("not poisoned").clone()
    }
}

/// Three steps; the middle one fails for good, the last one as the lab says.
async fn three(run: &mut Run, lab: &Lab, input: Value) -> Result<Finish, Problem> {
    let first_name = if lab.is("renamed") { "other" } else { "first" };
    let given = if lab.is("reinput") { json!(0) } else { input.clone() };
    let first: Value =
        run.step(first_name, &given, || async { lab.effect("first", Ok(json!({ "z": 0.1, "a": input }))) }).await?;
    if lab.is("shorter") {
        return Ok(Finish::succeeded(first));
    }
    let second = run.step("second", &first, || async {
        lab.effect::<Value>("second", Err(Problem::new(Code::PlanInvalid, "no such plan").at("/x")))
    });
    let failure = match second.await {
        Err(StepError::Failed(problem)) => problem.message,
        Err(ended) => return Err(ended.into()),
        Ok(_) => "none".to_string(),
    };
    let so_far = json!([first, failure]);
    let third = run.step("third", &so_far, || async {
        lab.reached.notify_one();
        if lab.is("waiting") {
            lab.go_on.notified().await;
        }
        let unlucky = lab.is("unlucky");
        lab.effect("third", if unlucky { Err(Problem::new(Code::SandboxLost, "the cell died")) } else { Ok(3) })
    });
    let third: i64 = match third.await {
        Ok(third) => third,
        Err(_) if lab.is("stubborn") => 0,
        Err(error) => return Err(error.into()),
    };
    run.add_artifact("chart.svg", "image/svg+xml", b"<svg/>".to_vec()).await?;
    Ok(Finish::rejected(json!({ "first": first, "failure": failure, "third": third })))
}

async fn large(run: &mut Run, _: &Lab, _: Value) -> Result<Finish, Problem> {
    let text: String = run.step("large", &(), || async { Ok("x".repeat(100_000)) }).await?;
    Ok(Finish::succeeded(Value::from(text)))
}

fn registry() -> Registry<Lab> {
    Registry::new().with("three/1", three).with("large/1", large)
}

async fn engine(directory: &Path) -> Arc<Engine<Lab>> {
    let store = Store::open(directory).await.expect("the store opens");
    Arc::new(Engine::new(store, registry(), Options { program: "0.1.0".to_string(), ..Options::default() }))
}

/// Everything that a reader hears.
async fn heard(mut events: Events) -> Vec<Event> {
    let mut heard = Vec::new();
    while let Some(event) = events.next().await.expect("read") {
        heard.push((*event).clone());
    }
    heard
}

fn request(task: &str) -> Request {
    Request { task: task.to_string(), input: json!({ "n": 7 }), title: Some("seven".to_string()), key: None }
}

fn expected() -> Value {
    json!({ "first": { "z": 0.1, "a": { "n": 7 } }, "failure": "no such plan", "third": 3 })
}

/// A run that ended with an unrecorded failure of its third step, and the lab it ended in.
async fn unlucky(engine: &Engine<Lab>) -> (RunId, Lab) {
    let lab = Lab::default();
    lab.behaves("unlucky");
    let ended = engine.start(&lab, request("three/1")).await.expect("started");
    let problem = ended.result.expect_err("the third step failed");
    assert_eq!((problem.code, problem.run.as_ref()), (Code::SandboxLost, Some(&ended.run)));
    (ended.run, lab)
}

#[tokio::test]
async fn recorded_steps_are_returned_and_the_rest_is_done() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let (run, lab) = unlucky(&engine).await;
    let shown = engine.runs().show(&run).await.expect("shown").to_json();
    assert_eq!((&shown["state"], &shown["problem"]["code"]), (&json!("failed"), &json!("sandbox_lost")));
    assert_eq!(shown["steps"].as_array().map(Vec::len), Some(2), "an unlucky failure is no outcome");
    assert_eq!(shown["steps"][1]["state"], "failed", "one that would happen again is");

    lab.behaves("");
    let ended = engine.resume(&lab, &run).await.expect("resumed");
    assert_eq!(ended.result, Ok(Finish::rejected(expected())));
    assert_eq!(lab.effects(), ["first", "second", "third", "third"]);

    let again = engine.resume(&lab, &run).await.expect("a finished run gives its result");
    assert_eq!(again.result, Ok(Finish::rejected(expected())));
    assert_eq!(lab.effects().len(), 4);
    let shown = engine.runs().show(&run).await.expect("shown").to_json();
    assert_eq!((&shown["attempts"], &shown["problem"]), (&json!(2), &Value::Null));
}

#[tokio::test]
async fn code_that_no_longer_fits_its_journal_is_told_so() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let (run, lab) = unlucky(&engine).await;
    for behaviour in ["renamed", "reinput", "shorter"] {
        lab.behaves(behaviour);
        let problem = engine.resume(&lab, &run).await.expect("resumed").result.expect_err(behaviour);
        assert_eq!(problem.code, Code::JournalMismatch, "{behaviour}");
    }
    assert_eq!(lab.effects(), ["first", "second", "third"], "nothing ran on a journal that does not fit");
    lab.behaves("");
    assert_eq!(engine.resume(&lab, &run).await.expect("resumed").result, Ok(Finish::rejected(expected())));
}

#[tokio::test]
async fn a_task_cannot_finish_over_an_effect_that_was_not_recorded() {
    async fn stubborn(run: &mut Run, _: &Lab, _: Value) -> Result<Finish, Problem> {
        let lost = || async { Err::<i64, _>(Problem::new(Code::SandboxLost, "gone")) };
        let first = run.step("one", &(), lost).await;
        assert!(matches!(first, Err(StepError::Ended(_))));
        let second = run.step("two", &(), || async { Ok(2) }).await;
        assert!(matches!(second, Err(StepError::Ended(problem)) if problem.code == Code::SandboxLost));
        Ok(Finish::succeeded(Value::Null))
    }
    async fn abandoning(run: &mut Run, _: &Lab, _: Value) -> Result<Finish, Problem> {
        let endless = run.step("endless", &(), std::future::pending::<Result<i64, Problem>>);
        let given_up = tokio::time::timeout(std::time::Duration::from_millis(5), endless).await;
        assert!(given_up.is_err());
        Ok(Finish::succeeded(Value::Null))
    }
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).await.expect("opened");
    let registry = Registry::new().with("stubborn/1", stubborn).with("abandoning/1", abandoning);
    let engine = Engine::new(store, registry, Options::default());
    let ended = engine.start(&Lab::default(), request("stubborn/1")).await.expect("started");
    assert_eq!(ended.result.expect_err("not recorded").code, Code::SandboxLost);
    assert_eq!(engine.runs().show(&ended.run).await.expect("shown").to_json()["steps"], json!([]));
    let ended = engine.start(&Lab::default(), request("abandoning/1")).await.expect("started");
    assert_eq!(ended.result.expect_err("given up").code, Code::Cancelled);
    assert_eq!(engine.runs().show(&ended.run).await.expect("shown").to_json()["state"], "cancelled");
}

#[tokio::test]
async fn a_run_belongs_to_its_process_until_that_is_gone() {
    let directory = tempfile::tempdir().expect("a directory");
    let (first, second) = (engine(directory.path()).await, engine(directory.path()).await);
    let lab = Arc::new(Lab::default());
    lab.behaves("waiting");
    let working = {
        let lab = lab.clone();
        tokio::spawn(async move { first.start(&lab, request("three/1")).await })
    };
    lab.reached.notified().await;

    let listed = second.runs().list(&Filter::default(), 10).await.expect("listed").to_json();
    assert_eq!(listed["runs"][0]["state"], "running");
    let run = RunId::parse(listed["runs"][0]["id"].as_str().expect("an id")).expect("an id");
    let problem = second.resume(&lab, &run).await.expect_err("its owner is alive");
    assert_eq!((problem.code, problem.run), (Code::RunBusy, Some(run.clone())));
    assert!(problem.message.contains(&std::process::id().to_string()));
    assert_eq!(problem.actions, [Action::FollowRun { run: run.clone() }, Action::CancelRun { run: run.clone() }]);

    working.abort();
    assert!(working.await.is_err(), "aborted, and its engine dropped");
    let listed = second.runs().list(&Filter::default(), 10).await.expect("listed").to_json();
    assert_eq!(listed["runs"][0]["state"], "interrupted");
    lab.behaves("");
    let ended = second.resume(&lab, &run).await.expect("resumed");
    assert_eq!(ended.result, Ok(Finish::rejected(expected())));
    assert_eq!(lab.effects(), ["first", "second", "third"], "the third was only begun before");
}

#[tokio::test]
async fn who_lost_a_run_is_refused_at_the_next_commit() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let lab = Arc::new(Lab::default());
    lab.behaves("waiting");
    let working = {
        let lab = lab.clone();
        tokio::spawn(async move { engine.start(&lab, request("three/1")).await })
    };
    lab.reached.notified().await;

    let store = Store::open(directory.path()).await.expect("opened");
    let run = store.summaries(&Filter::default(), 1).await.expect("listed").runs.remove(0);
    store.reap_runs(vec![run.owner.expect("owned")], Vec::new(), 0).await.expect("marked");
    let heir = Lease { owner: "heir".to_string(), program: "0.1.0".to_string(), for_ms: 60_000 };
    store.claim_run(Fence { run: run.id.clone(), attempt: 1 }, &heir).await.expect("claimed");
    lab.behaves("stubborn");
    lab.go_on.notify_one();

    let ended = working.await.expect("joined").expect("started");
    assert_eq!(ended.result.expect_err("it lost the run").code, Code::RunBusy);
    let journal = store.journal(&run.id).await.expect("read").expect("there");
    assert_eq!((journal.run.state, journal.run.attempts), (RunState::Running, 2), "the heir's run is untouched");
    assert_eq!(journal.steps.len(), 2);
}

#[tokio::test]
async fn documents_and_events_have_every_listed_field() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let mut spawned = engine.spawn(&Arc::default(), Start::Request(request("three/1"))).await.expect("started");
    let run = spawned.run.clone();
    let seen = heard(engine.runs().watch(&run, 0)).await;
    spawned.ended().await.expect("worked on").result.expect("done");

    let shown = engine.runs().show(&run).await.expect("shown").to_json();
    let fields = "v kind id task state mode key title input output problem forked_from attempts program created_at \
                  finished_at last_seq steps artifacts questions progress";
    assert_fields(&shown, fields);
    let step_fields = "index name state attempts finished_at duration_ms input_hash output_hash output request";
    assert_fields(&shown["steps"][0], step_fields);
    assert_eq!(shown["steps"][1]["output"]["code"], "plan_invalid");
    assert_fields(&shown["artifacts"][0], "name media_type bytes sha256");
    assert_eq!((&shown["kind"], &shown["mode"], &shown["key"]), (&json!("run"), &json!("attached"), &Value::Null));
    assert_eq!((&shown["state"], &shown["output"], &shown["last_seq"]), (&json!("rejected"), &expected(), &json!(7)));
    assert!(shown["created_at"].as_str().is_some_and(|at| at.ends_with('Z')));

    let second = engine.start(&Lab::default(), request("three/1")).await.expect("started").run;
    let listed = engine.runs().list(&Filter::default(), 1).await.expect("listed").to_json();
    assert_fields(&listed, "v kind runs next damaged");
    assert_fields(&listed["runs"][0], "id task state key created_at finished_at title");
    assert_eq!((&listed["runs"][0]["id"], &listed["next"]), (&json!(second), &json!(second)));
    let rest = engine
        .runs()
        .list(&Filter { before: Some(second.clone()), ..Filter::default() }, 1)
        .await
        .expect("listed")
        .to_json();
    assert_eq!((&rest["runs"][0]["id"], &rest["next"]), (&json!(run), &Value::Null));

    let durable = engine.runs().events(&run, 0).await.expect("read");
    assert_fields(&json!(durable[0]), "v run seq at type data");
    let kinds: Vec<&str> = durable.iter().map(|event| event.kind.as_str()).collect();
    let steps = ["step.finished"; 3];
    assert_eq!(kinds, [&["run.created", "run.started"][..], &steps, &["artifact.added", "run.finished"]].concat());
    assert_fields(&durable[2].data, "index name state attempts duration_ms output_hash");
    assert_fields(&durable[6].data, "state output problem");
    assert_eq!(engine.runs().events(&run, 6).await.expect("read"), durable[6..]);
    assert_eq!(seen.iter().filter(|event| event.seq.is_some()).collect::<Vec<_>>(), Vec::from_iter(&durable));
    assert_eq!(seen[2].kind, "step.started", "passing events come between");
}

fn assert_fields(document: &Value, fields: &str) {
    let there: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(there, fields.split_whitespace().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_large_output_is_whole_for_who_watches_and_a_reference_for_who_looks() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let mut spawned = engine.spawn(&Arc::default(), Start::Request(request("large/1"))).await.expect("started");
    let seen = heard(engine.runs().watch(&spawned.run, 0)).await;
    let ended = spawned.ended().await.expect("worked on");
    let whole = json!("x".repeat(100_000));
    assert_eq!(ended.result, Ok(Finish::succeeded(whole.clone())));
    let shown = engine.runs().show(&ended.run).await.expect("shown").to_json();
    assert_eq!(shown["output"], json!({ "artifact": shown["steps"][0]["output_hash"] }));
    let events = engine.runs().events(&ended.run, 0).await.expect("read");
    assert_eq!(events.last().expect("some").data["output"], whole);
    assert_eq!(seen.last(), events.last());
    let again = engine.resume(&Lab::default(), &ended.run).await.expect("read");
    assert_eq!(again.result, Ok(Finish::succeeded(whole)));
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path()).await;
    let problem = engine.start(&Lab::default(), request("three/2")).await.expect_err("no such task");
    assert_eq!(problem.code, Code::TaskUnknown);
    assert_eq!(
        engine.runs().list(&Filter::default(), 10).await.expect("listed").to_json()["runs"],
        json!([]),
        "no run was made"
    );
    let nobody = RunId::fresh();
    assert_eq!(engine.runs().show(&nobody).await.expect_err("no run").code, Code::RunUnknown);
    assert_eq!(engine.runs().events(&nobody, 0).await.expect_err("no run").code, Code::RunUnknown);
    assert_eq!(engine.resume(&Lab::default(), &nobody).await.expect_err("no run").code, Code::RunUnknown);
}
