//! Processes that die in the middle of a run, at every point where it matters.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base::{Document, Problem, RunId};
use flow::{Engine, Fault, Filter, Finish, Options, Registry, Request, Run, Store};
use serde_json::{Value, json};

const STEPS: usize = 4;
const SIGABRT: i32 = 6;

/// Where effects leave a trace that survives the process.
struct Trace(PathBuf);

async fn chain(run: &mut Run, trace: &Trace, _: Value) -> Result<Finish, Problem> {
    let mut value = 1;
    for index in 0..STEPS {
        let before: i64 = value;
        value = run
            .step("add", &before, || async {
                let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&trace.0).expect("opened");
                file.write_all(format!("{index}\n").as_bytes()).expect("written");
                Ok(before * 3 + index as i64)
            })
            .await?;
    }
    Ok(Finish::succeeded(json!({ "value": value })))
}

async fn engine(directory: &Path, fault: Option<Fault>) -> Engine<Trace> {
    let store = Store::open(directory).await.expect("the store opens");
    let options = Options { program: "0.1.0".to_string(), fault, ..Options::default() };
    Engine::new(store, Registry::new().with("chain/1", chain), options)
}

fn request() -> Request {
    Request { task: "chain/1".to_string(), input: Value::Null, title: None, key: None }
}

#[tokio::test]
#[ignore = "the child process of the tests below"]
async fn child_works_until_it_dies() {
    let directory = PathBuf::from(std::env::var_os("FLOW_DIRECTORY").expect("set by the parent"));
    let fault = Fault::parse(&std::env::var("FLOW_FAULT").expect("set by the parent")).expect("a fault");
    let engine = engine(&directory, Some(fault)).await;
    let trace = Trace(directory.join("trace"));
    match std::env::var("FLOW_RESUME") {
        Ok(run) => engine.resume(&trace, &RunId::parse(&run).expect("an id")).await,
        Err(_) => engine.start(&trace, request()).await,
    }
    .expect("worked")
    .result
    .expect("finished");
}

fn child(directory: &Path, fault: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("its path"));
    command.args(["--exact", "child_works_until_it_dies", "--ignored"]);
    command.env("FLOW_DIRECTORY", directory).env("FLOW_FAULT", fault);
    command
}

fn die(directory: &Path, fault: &str, resume: Option<&str>) {
    let mut command = child(directory, fault);
    if let Some(run) = resume {
        command.env("FLOW_RESUME", run);
    }
    let output = command.output().expect("started");
    assert_eq!(output.status.signal(), Some(SIGABRT), "{fault}: {output:?}");
}

async fn undisturbed() -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = Trace(directory.path().join("trace"));
    let ended = engine(directory.path(), None).await.start(&trace, request()).await.expect("started");
    ended.result.expect("finished").output
}

fn times(trace: &Trace) -> Vec<usize> {
    let text = std::fs::read_to_string(&trace.0).unwrap_or_default();
    (0..STEPS).map(|index| text.lines().filter(|line| *line == index.to_string()).count()).collect()
}

#[tokio::test]
async fn a_run_killed_anywhere_is_resumed_to_the_same_end() {
    let expected = undisturbed().await;
    for index in 0..STEPS {
        for (point, runs_of_the_step) in [("before_effect", 1), ("after_effect", 2), ("after_commit", 1)] {
            let fault = format!("{point}:{index}");
            let directory = tempfile::tempdir().expect("a directory");
            die(directory.path(), &fault, None);

            let engine = engine(directory.path(), None).await;
            let trace = Trace(directory.path().join("trace"));
            let listed = engine.runs().list(&Filter::default(), 10).await.expect("listed").to_json();
            assert_eq!(listed["runs"][0]["state"], "interrupted", "{fault}");
            let run = RunId::parse(listed["runs"][0]["id"].as_str().expect("an id")).expect("an id");
            let ended = engine.resume(&trace, &run).await.expect("resumed");
            assert_eq!(ended.result, Ok(Finish::succeeded(expected.clone())), "{fault}");

            let mut once = vec![1; STEPS];
            once[index] = runs_of_the_step;
            assert_eq!(times(&trace), once, "{fault}");
            let shown = engine.runs().show(&run).await.expect("shown").to_json();
            assert_eq!((&shown["state"], &shown["attempts"]), (&json!("succeeded"), &json!(2)), "{fault}");
            assert_eq!(shown["last_seq"], json!(2 + STEPS + 2), "{fault}");
            assert_eq!(engine.runs().events(&run, 0).await.expect("read").len(), 2 + STEPS + 2, "{fault}");
        }
    }
}

#[tokio::test]
async fn a_run_killed_in_every_attempt_still_gets_there() {
    let expected = undisturbed().await;
    let directory = tempfile::tempdir().expect("a directory");
    die(directory.path(), "after_commit:0", None);
    let reader = engine(directory.path(), None).await;
    let listed = reader.runs().list(&Filter::default(), 10).await.expect("listed").to_json();
    let id = listed["runs"][0]["id"].as_str().expect("an id");
    die(directory.path(), "after_effect:1", Some(id));
    die(directory.path(), "after_commit:2", Some(id));
    die(directory.path(), "before_effect:3", Some(id));

    let trace = Trace(directory.path().join("trace"));
    let run = RunId::parse(id).expect("an id");
    let ended = reader.resume(&trace, &run).await.expect("resumed");
    assert_eq!(ended.result, Ok(Finish::succeeded(expected)));
    assert_eq!(times(&trace), [1, 2, 1, 1]);
    assert_eq!(reader.runs().show(&run).await.expect("shown").to_json()["attempts"], 5);
    let owners = std::fs::read_dir(directory.path().join("owners")).expect("read").count();
    assert_eq!(owners, 1, "the dead are swept, the living stay");
}

#[tokio::test]
async fn processes_that_meet_in_a_new_store_do_not_disturb_each_other() {
    let directory = tempfile::tempdir().expect("a directory");
    let past_the_end = format!("before_effect:{STEPS}");
    let children: Vec<_> = (0..4)
        .map(|_| child(directory.path(), &past_the_end).stdout(Stdio::null()).spawn().expect("started"))
        .collect();
    for mut child in children {
        assert!(child.wait().expect("waited").success());
    }
    let listed =
        engine(directory.path(), None).await.runs().list(&Filter::default(), 10).await.expect("listed").to_json();
    let states: Vec<_> = listed["runs"].as_array().expect("a list").iter().map(|run| &run["state"]).collect();
    assert_eq!(states, vec!["succeeded"; 4]);
    assert_eq!(times(&Trace(directory.path().join("trace"))), [4; STEPS]);
}
