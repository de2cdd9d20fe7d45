//! A data directory with the demonstration in it, and what must hold of every run that is recorded there.
//!
//! The truth is what the journal says afterwards; the effects file only tells how often a step really ran.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::started::{Started, until};
use super::{Call, Place, contract};

/// A data directory, the demonstration in it, and what is recorded there.
pub struct Stage {
    pub place: Place,
    lease_ms: u32,
}

/// One line of the effects file.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    pub run: String,
    pub step: usize,
    pub attempt: u64,
    pub pid: u32,
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with_lease(10_000)
    }

    pub fn with_lease(lease_ms: u32) -> Stage {
        Stage { place: Place::new(), lease_ms }
    }

    pub fn assay(&self, words: &[&str]) -> Call {
        self.place.assay(words).env("ASSAY_LEASE_MS", self.lease_ms.to_string())
    }

    /// The demonstration; each effect leaves a line.
    pub fn demo(&self, steps: usize, step_ms: usize) -> Call {
        let (steps, step_ms) = (steps.to_string(), step_ms.to_string());
        let call = self.assay(&["demo", "flow", "--json", "--steps", &steps, "--step-ms", &step_ms, "--effects"]);
        call.arg(self.place.path("effects.txt"))
    }

    /// Queues as many and gives their ids.
    #[track_caller]
    pub fn queue(&self, runs: usize, steps: usize, step_ms: usize) -> Vec<String> {
        let call = self.demo(steps, step_ms).arg("--queue").arg("--runs").arg(runs.to_string());
        let document = call.run().exits(0).document();
        let ids: Vec<String> =
            document["runs"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_string()).collect();
        assert_eq!(ids.len(), runs, "{document}");
        ids
    }

    /// A worker with one slot that is ready to take runs.
    #[track_caller]
    pub fn worker(&self, more: &[&str]) -> Started {
        let call = more.iter().fold(self.assay(&["worker", "--slots", "1"]), |call, word| call.arg(word));
        let worker = Started::of(call);
        until("the worker is ready", || worker.stderr().contains("working on queued runs").then_some(()));
        worker
    }

    /// What a run of so many steps comes to when nothing disturbs it.
    #[track_caller]
    pub fn undisturbed(&self, steps: usize) -> Value {
        let calm = self.place.folder("calm");
        let steps = steps.to_string();
        let call = self.assay(&["demo", "flow", "--json", "--step-ms", "0", "--steps", &steps, "--data-dir"]);
        let value = call.arg(calm).run().exits(0).document()["value"].clone();
        assert!(value.is_number());
        value
    }

    #[track_caller]
    pub fn json(&self, code: i32, words: &[&str]) -> Value {
        self.assay(words).arg("--json").run().exits(code).document()
    }

    #[track_caller]
    pub fn show(&self, run: &str) -> Value {
        self.json(0, &["runs", "show", run])
    }

    #[track_caller]
    pub fn events(&self, run: &str) -> Vec<Value> {
        lines(&self.assay(&["runs", "show", run, "--jsonl"]).run().exits(0).stdout)
    }

    #[track_caller]
    pub fn listed(&self) -> Vec<Value> {
        self.json(0, &["runs", "list", "--limit", "1000"])["runs"].as_array().unwrap().clone()
    }

    pub fn effects(&self) -> Vec<Effect> {
        let text = fs::read_to_string(self.place.path("effects.txt")).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let effect = |line: &str| {
            let [run, step, attempt, pid] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("no effect: {line}")
            };
            let attempt = attempt.parse().unwrap();
            Effect { run: run.to_string(), step: step.parse().unwrap(), attempt, pid: pid.parse().unwrap() }
        };
        whole.lines().map(effect).collect()
    }

    /// How often each step of a run had its effect.
    pub fn times(&self, run: &str, steps: usize) -> Vec<usize> {
        let effects = self.effects();
        let of_step = |step| effects.iter().filter(|effect| effect.run == run && effect.step == step).count();
        (0..steps).map(of_step).collect()
    }

    /// Waits until this process is inside that step of some run.
    #[track_caller]
    pub fn inside(&self, process: &Started, step: usize) -> Effect {
        let what = format!("process {} is in step {step}", process.pid());
        let its = |effect: &Effect| effect.pid == process.pid() && effect.step == step;
        until(&what, || self.effects().into_iter().find(its))
    }

    /// What a statement gives, asked of the file with another SQLite than the program's.
    #[track_caller]
    pub fn rows(&self, statement: &str) -> Vec<Vec<Value>> {
        let script = "import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1] + '/store.db', timeout=30)
print(json.dumps([list(row) for row in connection.execute(sys.argv[2])]))
connection.commit()";
        let output = Command::new("python3").arg("-c").arg(script).arg(self.place.data()).arg(statement).output();
        let output = output.expect("python3 is there");
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What must hold of every run that ended well, whatever happened to it on the way.
    #[track_caller]
    pub fn is_whole(&self, run: &str, steps: usize, value: &Value) -> Value {
        let shown = self.show(run);
        assert_eq!((&shown["state"], &shown["problem"]), (&json!("succeeded"), &Value::Null), "{shown}");
        assert_eq!((&shown["output"]["value"], &shown["output"]["run"]), (value, &json!(run)), "{shown}");
        assert_eq!(shown["steps"].as_array().unwrap().len(), steps, "{shown}");
        let events = self.events(run);
        is_gapless(&events, 0, shown["last_seq"].as_u64().unwrap());
        let of_kind = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
        let indexes: Vec<u64> =
            of_kind("step.finished").iter().map(|event| event["data"]["index"].as_u64().unwrap()).collect();
        assert_eq!(indexes, (0..steps as u64).collect::<Vec<_>>(), "every step is recorded once");
        let attempts: Vec<u64> =
            of_kind("run.started").iter().map(|event| event["data"]["attempt"].as_u64().unwrap()).collect();
        assert_eq!(attempts, (1..=shown["attempts"].as_u64().unwrap()).collect::<Vec<_>>());
        let well = of_kind("run.finished").iter().filter(|event| event["data"]["state"] == "succeeded").count();
        let last = events.last().unwrap();
        assert_eq!((well, &last["type"]), (1, &json!("run.finished")), "it ends well once, and last: {events:?}");
        assert_eq!(last["data"]["output"]["value"], *value);
        let times = self.times(run, steps);
        assert!(times.iter().all(|times| *times >= 1), "a step without its effect: {times:?}");
        shown
    }
}

/// Durable events from one number to another, none missing, none twice.
#[track_caller]
pub fn is_gapless(events: &[Value], after: u64, last: u64) {
    events.iter().for_each(contract::event);
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers, (after + 1..=last).collect::<Vec<_>>());
}

#[track_caller]
pub fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}
