//! Power-cut honesty: what a command has said is on the disk, also on one that keeps nothing it was not told to sync.
//!
//! The commands run under a trace (`support::trace`). Each test cuts the power at some moment of it: it lays out what a
//! disk would hold then, and asks the program itself what it finds there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::trace::{Disk, Event, traced, volatile, with_failing_sync};
use crate::support::{Call, Place, Ran, contract, slow_is_wanted};

const LOG: &str = "store.db-wal";
const STEPS: usize = 5;

/// A place and what the demonstration does there when nothing disturbs it.
pub struct Demo {
    pub place: Place,
    pub value: Value,
    steps: usize,
}

impl Demo {
    pub fn of_steps(steps: usize) -> Demo {
        let place = Place::new();
        let demo = Demo { place, value: Value::Null, steps };
        let calm = demo.place.folder("calm");
        let document = demo.call(&calm, "calm.txt").arg("--json").run().exits(0).document();
        assert_eq!((&document["kind"], &document["steps"]), (&json!("demo"), &json!(steps)), "{document}");
        assert!(document["value"].is_number() || document["value"].is_string(), "{document}");
        Demo { value: document["value"].clone(), ..demo }
    }

    /// The demonstration in this data directory; its effects are noted in a file of the place.
    pub fn call(&self, data: &Path, effects: &str) -> Call {
        let effects = self.place.path(effects);
        let call = self.place.assay(["demo", "flow", "--step-ms", "0", "--steps"]).arg(self.steps.to_string());
        call.arg("--effects").arg(effects).arg("--data-dir").arg(data)
    }

    /// What `runs` says about this data directory.
    pub fn runs(&self, data: &Path, arguments: &[&str]) -> Ran {
        let call = arguments.iter().fold(self.place.assay(["runs"]), |call, argument| call.arg(argument));
        call.arg("--data-dir").arg(data).arg("--json").run()
    }

    /// How many steps of a run are recorded there; `None` if there is no such run.
    #[track_caller]
    pub fn recorded(&self, data: &Path, run: &str) -> Option<usize> {
        let listed = self.runs(data, &["list"]).exits(0).document();
        let runs = listed["runs"].as_array().expect("a list");
        if !runs.iter().any(|one| one["id"] == run) {
            assert_eq!(runs.len(), 0, "somebody else's run: {listed}");
            return None;
        }
        let shown = self.runs(data, &["show", run]).exits(0).document();
        let steps = shown["steps"].as_array().expect("steps");
        assert!(steps.iter().enumerate().all(|(index, step)| step["index"] == index), "{shown}");
        Some(steps.len())
    }

    /// Resumes the run, which must come to the undisturbed value, and holds the effects against the journal: a step
    /// that was recorded is not run again, every other one is.
    #[track_caller]
    pub fn finishes(&self, data: &Path, run: &str, effects: &str) {
        let recorded = self.recorded(data, run).expect("a run to resume");
        let seen = |step: usize| attempts(&self.place.path(effects), run).remove(&step).unwrap_or_default();
        let before: Vec<Vec<u64>> = (0..self.steps).map(seen).collect();
        let document = self.runs(data, &["resume", run]).exits(0).document();
        assert_eq!((&document["run"], &document["value"]), (&json!(run), &self.value), "{document}");
        assert_eq!(self.recorded(data, run), Some(self.steps));
        for (step, before) in before.iter().enumerate() {
            let after = seen(step);
            let again = after.len() - before.len();
            assert_eq!(again, usize::from(step >= recorded), "step {step} of {recorded}: {before:?}, then {after:?}");
        }
    }
}

/// The attempts in which each step of a run had its effect.
fn attempts(effects: &Path, run: &str) -> BTreeMap<usize, Vec<u64>> {
    let mut steps: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for line in fs::read_to_string(effects).unwrap_or_default().lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [of, step, attempt, _pid] = fields[..] else { panic!("no effect: {line}") };
        if of == run {
            steps.entry(step.parse().unwrap()).or_default().push(attempt.parse().unwrap());
        }
    }
    steps
}

/// The disk after a power cut, as a data directory of the place.
fn cut(place: &Place, events: &[Event], name: &str, survives: &mut dyn FnMut() -> bool) -> PathBuf {
    let target = place.path(name);
    Disk::after(events).lay_out(&place.data(), &target, survives);
    target
}

#[test]
fn success_is_said_only_when_it_would_survive_a_power_cut() {
    let demo = Demo::of_steps(STEPS);
    let sql = Place::new();
    sql.json(0, &["data", "show", "ecommerce"]);
    let cases = [
        (&demo.place, demo.call(&demo.place.data(), "effects.txt").arg("--json")),
        (&sql, sql.assay(["sql", "ecommerce", "SELECT 1", "--json"])),
    ];
    for (place, call) in cases {
        let (ran, events) = traced(place, call);
        let document = ran.exits(0).document();
        let said = events.iter().position(|event| event.said().is_some()).expect("an answer");
        let before = &events[..said];
        assert_eq!((volatile(before, LOG), volatile(before, "store.db")), (vec![], vec![]), "not synced when said");
        let written = before.iter().rposition(|event| event.changes(LOG)).expect("a commit");
        assert!(before[written..].iter().any(|event| event.syncs(LOG)), "the last commit has its own sync");

        let after = cut(place, before, "after", &mut || false);
        let run = document["run"].as_str().unwrap();
        let call = place.assay(["runs", "show", run, "--json", "--data-dir"]).arg(&after);
        let shown = call.run().exits(0).document();
        assert_eq!((&shown["state"], &shown["output"]), (&json!("succeeded"), &document));
    }
}

#[test]
fn every_event_is_told_only_when_it_would_survive_a_power_cut() {
    let demo = Demo::of_steps(STEPS);
    let (ran, events) = traced(&demo.place, demo.call(&demo.place.data(), "effects.txt").arg("--jsonl"));
    ran.exits(0);
    let (mut run, mut seen, mut last) = (String::new(), 0, 0);
    for (moment, event) in events.iter().enumerate() {
        let Some(text) = event.said() else { continue };
        let told: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("whole lines")).collect();
        told.iter().for_each(contract::event);
        let Some(seq) = told.iter().filter_map(|event| event["seq"].as_u64()).max() else { continue };
        run = told[0]["run"].as_str().unwrap().to_string();
        seen += told.iter().filter(|event| event["type"] == "step.finished").count();
        last = seq;
        let after = cut(&demo.place, &events[..moment], &format!("after-{moment}"), &mut || false);
        let shown = demo.runs(&after, &["show", &run]).exits(0).document();
        assert!(shown["last_seq"].as_u64() >= Some(last), "event {last} was told and is lost: {shown}");
        // The run does not wait for who reads, so more may be recorded than was told, never less.
        assert!(shown["steps"].as_array().unwrap().len() >= seen, "at event {last}");
        demo.finishes(&after, &run, "effects.txt");
    }
    assert_eq!(seen, STEPS, "the trace misses something");
    assert!(last > STEPS as u64 && !run.is_empty());
}

/// Numbers without a pattern, the same in every run of the tests.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    }
}

#[test]
fn whatever_a_power_cut_leaves_the_run_goes_on_from_what_was_told() {
    let demo = Demo::of_steps(3);
    let (ran, events) = traced(&demo.place, demo.call(&demo.place.data(), "effects.txt").arg("--jsonl"));
    let run = result_of_lines(&ran.exits(0).stdout)["run"].as_str().unwrap().to_string();
    let every = slow_is_wanted("a power cut at every single moment");
    let moments = (0..events.len()).step_by(if every { 1 } else { events.len() / 16 });
    for moment in moments {
        // A disk keeps any part of what it was not told to sync, in no order.
        let mut number = noise(moment as u64);
        let data = cut(&demo.place, &events[..moment], &format!("cut-{moment}"), &mut || number().is_multiple_of(2));
        let told: String = events[..moment].iter().filter_map(Event::said).collect();
        let recorded = demo.recorded(&data, &run);
        assert!(recorded.is_some() || told.is_empty(), "at {moment}: the run was told and is gone");
        let finished = told.matches("\"step.finished\"").count();
        assert!(recorded.unwrap_or(0) >= finished, "at {moment}: {finished} steps were told, {recorded:?} are there");
        if recorded.is_some() {
            demo.finishes(&data, &run, "effects.txt");
        }
    }
}

fn result_of_lines(lines: &str) -> Value {
    serde_json::from_str::<Value>(lines.lines().last().expect("a last line")).expect("JSON")["data"]["output"].clone()
}

/// Whether it writes a row that holds this text.
fn names(event: &Event, text: &str) -> bool {
    matches!(event, Event::Wrote { path, bytes, .. } if path.ends_with(LOG)
        && bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

#[test]
fn a_large_output_is_on_the_disk_before_a_row_names_it() {
    let place = Place::new();
    let program = "print('x' * 100_000)\nopen('out/big.bin', 'wb').write(b'y' * 200_000)\n";
    let program = place.file("program.py", program);
    let (ran, events) = traced(&place, place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]));
    let document = ran.exits(0).document();
    let shown = place.json(0, &["runs", "show", document["run"].as_str().unwrap()]);
    let artifacts = shown["artifacts"].as_array().unwrap();
    assert!(artifacts.iter().filter(|one| one["bytes"].as_u64() > Some(65_536)).count() >= 2, "{shown}");
    for artifact in artifacts {
        let sha256 = artifact["sha256"].as_str().unwrap();
        let row =
            events.iter().position(|event| names(event, sha256)).unwrap_or_else(|| panic!("no row names {artifact}"));
        let after = cut(&place, &events[..row], &format!("before-{sha256}"), &mut || false);
        let file = Path::new("artifacts").join(&sha256[..2]).join(sha256);
        let kept = fs::read(after.join(&file)).unwrap_or_else(|error| panic!("{artifact}: {error}"));
        assert!(kept == fs::read(place.data().join(&file)).unwrap(), "{artifact} is not whole");
    }
}

#[test]
fn a_sync_that_fails_is_never_a_success_and_the_run_can_be_finished() {
    let demo = Demo::of_steps(3);
    // The folder's own sync is what makes the names of a new store last.
    for ending in [LOG, "/failing"] {
        let mut failures = 0;
        loop {
            let data = demo.place.folder("failing");
            let effects = format!("effects{}-{failures}.txt", ending.replace('/', "-"));
            let call = demo.call(&data, &effects).arg("--json");
            let ran = with_failing_sync(call, ending, failures + 1).run();
            if ran.code == Some(0) {
                assert_eq!(ran.document()["value"], demo.value);
                break;
            }
            failures += 1;
            let problem = ran.exits(2).document();
            assert_eq!(problem["kind"], "problem", "{ending} {failures}");
            assert!(problem["message"].as_str().unwrap().contains(data.to_str().unwrap()), "what failed: {problem}");
            assert!(problem["hint"].is_string(), "{ending} {failures}: {problem}");
            let listed = demo.runs(&data, &["list"]).exits(0).document();
            match listed["runs"][0]["id"].as_str() {
                Some(run) => demo.finishes(&data, run, &effects),
                None => assert_eq!(demo.call(&data, &effects).arg("--json").run().document()["value"], demo.value),
            }
            fs::remove_dir_all(&data).unwrap();
        }
        let least = if ending == LOG { 3 + 2 } else { 1 };
        assert!(failures >= least, "{ending} was synced {failures} times, fewer than there are commits");
        fs::remove_dir_all(demo.place.path("failing")).unwrap();
    }
}

const LEAVES_A_FILE: &str = "open('out/big.bin', 'wb').write(b'y' * 200_000)\n";

/// Runs a program that leaves a file.
fn leaving_a_file(place: &Place) -> Call {
    let program = place.file("program.py", LEAVES_A_FILE);
    place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"])
}

/// A file that is there already may be there only in memory: whoever names it has to make it last.
#[test]
fn an_artifact_whose_sync_failed_is_synced_before_a_row_names_it() {
    let document = leaving_a_file(&Place::new()).run().exits(0).document();
    let sha256 = document["files"][0]["sha256"].as_str().expect("a file").to_string();
    let mut left_out = Vec::new();
    for folder in ["artifacts".to_string(), format!("artifacts/{}", &sha256[..2])] {
        let place = Place::new();
        let problem = with_failing_sync(leaving_a_file(&place), &format!("/{folder}"), 1).run().exits(2).document();
        let shown = place.json(0, &["runs", "show", problem["run"].as_str().expect("the run is there")]);
        assert_eq!((&problem["kind"], &shown["artifacts"]), (&json!("problem"), &json!([])), "{folder}: {shown}");

        let (ran, events) = traced(&place, leaving_a_file(&place));
        assert_eq!(ran.exits(0).document()["files"], document["files"]);
        let row = events.iter().position(|event| names(event, &sha256) && names(event, "artifact.added"));
        let row = row.expect("a row that names it");
        let synced = |event: &Event| matches!(event, Event::SyncedFolder { path, .. } if path.ends_with(&folder));
        if !events[..row].iter().any(synced) {
            left_out.push(folder);
        }
    }
    assert!(left_out.is_empty(), "not synced before the row is written: {left_out:?}");
}

/// The files are part of what the step did: a recorded step is not run again, so nobody could make them again.
#[test]
fn files_that_a_recorded_step_names_are_there_after_a_crash() {
    let place = Place::new();
    leaving_a_file(&place).env("ASSAY_FAULT", "after_commit:0").run();
    let listed = place.json(0, &["runs", "list"]);
    let run = listed["runs"][0]["id"].as_str().expect("the run is there");
    let resumed = place.json(0, &["runs", "resume", run]);
    let shown = place.json(0, &["runs", "show", run]);
    let file = &resumed["files"][0]["sha256"];
    let kept = shown["artifacts"].as_array().unwrap().iter().any(|artifact| artifact["sha256"] == *file);
    assert!(file.is_string() && kept, "{} is named and gone: {}", resumed["files"], shown["artifacts"]);
}
