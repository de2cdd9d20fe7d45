//! Many processes that want the same at once: one key, one interrupted run, one moment to be recorded.

use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::slow_is_wanted;
use crate::support::stage::Stage;
use crate::support::started::{Started, until};

#[test]
fn one_key_from_sixteen_processes_is_one_run() {
    const STEPS: usize = 5;
    let rounds = if slow_is_wanted("ten rounds of sixteen processes") { 10 } else { 2 };
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    for round in 0..rounds {
        let key = format!("round-{round}");
        let mut asking: Vec<Started> =
            (0..16).map(|_| Started::of(stage.demo(STEPS, 30).arg("--key").arg(&key))).collect();
        let answers: Vec<Value> = asking.iter_mut().map(|one| one.ends().exits(0).document()).collect();
        let run = answers[0]["run"].as_str().unwrap();
        assert!(answers.iter().all(|answer| *answer == answers[0] && answer["value"] == value), "{answers:?}");
        assert_eq!(stage.listed().len(), round + 1, "one run a key");
        assert_eq!(stage.is_whole(run, STEPS, &value)["attempts"], 1);
        assert_eq!(stage.times(run, STEPS), [1; STEPS]);
    }
}

#[test]
fn one_key_from_sixteen_processes_outlives_whoever_works_on_it() {
    const STEPS: usize = 5;
    let deaths = if slow_is_wanted("ten deaths among those who ask") { 10 } else { 3 };
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    let mut asking: Vec<Started> =
        (0..16).map(|_| Started::of(stage.demo(STEPS, 400).arg("--key").arg("one"))).collect();
    let mut dead: BTreeSet<u32> = BTreeSet::new();
    for death in 0..deaths {
        // Whoever works on it now; the next one has to do a step before it dies.
        let working = until("somebody works", || {
            let last = stage.effects().pop()?;
            (!dead.contains(&last.pid) && last.attempt == death + 1).then_some(last.pid)
        });
        asking.iter_mut().find(|one| one.pid() == working).expect("one of ours").kill();
        dead.insert(working);
    }
    asking.retain(|one| !dead.contains(&one.pid()));
    let answers: Vec<Value> = asking.iter_mut().map(|one| one.ends().exits(0).document()).collect();
    assert_eq!(answers.len(), 16 - deaths as usize);
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer["value"] == value), "{answers:?}");
    assert_eq!(stage.listed().len(), 1);
    let run = answers[0]["run"].as_str().unwrap();
    assert_eq!(stage.is_whole(run, STEPS, &value)["attempts"], deaths + 1);
    let times = stage.times(run, STEPS);
    assert!(times.iter().sum::<usize>() <= STEPS + deaths as usize, "only what was in flight ran again: {times:?}");
}

#[test]
fn resumed_by_many_at_once_a_run_is_worked_on_by_one() {
    const STEPS: usize = 3;
    let rounds = if slow_is_wanted("twenty rounds of eight who resume") { 20 } else { 2 };
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    for _ in 0..rounds {
        let mut dying = Started::of(stage.demo(STEPS, 150));
        let run = stage.inside(&dying, 1).run;
        dying.kill();
        let mut resuming: Vec<Started> =
            (0..8).map(|_| Started::of(stage.assay(&["runs", "resume", &run, "--json"]))).collect();
        let documents: Vec<Value> = resuming.iter_mut().map(|one| one.ends().document()).collect();
        let (done, refused): (Vec<&Value>, Vec<&Value>) =
            documents.iter().partition(|document| document["kind"] == "demo");
        // Who comes when it is over gets what it came to.
        assert!(!done.is_empty() && done.iter().all(|document| document["value"] == value), "{documents:?}");
        assert!(refused.iter().all(|problem| problem["code"] == "run_busy"), "{documents:?}");
        assert_eq!(stage.is_whole(&run, STEPS, &value)["attempts"], 2);
        assert_eq!(stage.times(&run, STEPS), [1, 2, 1]);
    }
}

/// A run is made when it is recorded, however long its command had to wait for that.
#[test]
fn runs_that_waited_to_be_recorded_are_listed_newest_first() {
    let stage = Stage::new();
    stage.queue(1, 1, 0);
    let script = "import sqlite3, sys
connection = sqlite3.connect(sys.argv[1] + '/store.db', isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('held', flush=True)
sys.stdin.read()";
    let mut writer = Command::new("python3");
    let writer = writer.arg("-c").arg(script).arg(stage.place.data()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut writer = writer.spawn().unwrap();
    let mut held = [0; 5];
    writer.stdout.take().unwrap().read_exact(&mut held).unwrap();
    let queue = || stage.demo(1, 0).arg("--queue");
    let mut waiting = Vec::new();
    for _ in 0..8 {
        waiting.push(Started::of(queue()));
        thread::sleep(Duration::from_millis(100));
    }
    drop(writer.stdin.take());
    writer.wait().unwrap();
    waiting.extend((0..4).map(|_| Started::of(queue())));
    let queued = waiting.iter_mut().map(|one| one.ends().exits(0).document()).count();
    // The order is part of the interface, which every document is held against.
    assert_eq!(stage.listed().len(), 1 + queued);
}
