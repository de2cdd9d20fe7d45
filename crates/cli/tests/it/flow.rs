//! One run and the commands around it: killed at every point, resumed, cancelled, followed, replayed, forked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Call;
use crate::support::stage::{Stage, is_gapless, lines};
use crate::support::started::{Started, until};

const SIGABRT: i32 = 6;
const POINTS: [&str; 3] = ["before_effect", "after_effect", "after_commit"];

/// Starts the demonstration with a fault, and gives the id of the run it left.
#[track_caller]
fn dies(stage: &Stage, call: Call, fault: &str) -> String {
    let known: BTreeSet<String> = stage.listed().iter().map(|run| run["id"].to_string()).collect();
    let ran = call.env("ASSAY_FAULT", fault).run();
    assert_eq!((ran.signal, ran.stdout.as_str()), (Some(SIGABRT), ""), "{fault}");
    let listed = stage.listed();
    let mut new = listed.iter().filter(|run| !known.contains(&run["id"].to_string()));
    let run = new.next().expect("a run that died");
    assert_eq!((&run["state"], new.next()), (&json!("interrupted"), None), "{fault}");
    run["id"].as_str().unwrap().to_string()
}

#[test]
fn killed_at_any_point_a_run_is_resumed_to_the_same_end() {
    const STEPS: usize = 4;
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    for step in 0..STEPS {
        for point in POINTS {
            let fault = format!("{point}:{step}");
            let run = dies(&stage, stage.demo(STEPS, 0), &fault);
            let recorded = step + usize::from(point == "after_commit");
            let before = stage.show(&run);
            assert_eq!((&before["output"], &before["finished_at"]), (&Value::Null, &Value::Null), "{fault}");
            assert_eq!(before["steps"].as_array().unwrap().len(), recorded, "{fault}");

            let resumed = stage.json(0, &["runs", "resume", &run]);
            assert_eq!((&resumed["value"], &resumed["run"]), (&value, &json!(run)), "{fault}");
            let shown = stage.is_whole(&run, STEPS, &value);
            assert_eq!((&shown["attempts"], &shown["output"]), (&json!(2), &resumed), "{fault}");
            let kept = |run: &Value| run["steps"].as_array().unwrap()[..recorded].to_vec();
            assert_eq!(kept(&shown), kept(&before), "{fault}: what was recorded stays as it was");
            let mut once = vec![1; STEPS];
            once[step] += usize::from(point == "after_effect");
            assert_eq!(stage.times(&run, STEPS), once, "{fault}");
            assert_eq!(stage.json(0, &["runs", "resume", &run]), resumed, "{fault}: it gives what it gave");
            assert_eq!(stage.times(&run, STEPS), once, "{fault}: and does nothing");
        }
    }
}

#[test]
fn killed_again_while_it_is_resumed_a_run_still_gets_there() {
    const STEPS: usize = 5;
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    let pairs = [
        ("after_effect:1", "after_effect:1", [1, 3, 1, 1, 1]),
        ("before_effect:2", "after_effect:2", [1, 1, 2, 1, 1]),
        ("after_commit:0", "after_effect:4", [1, 1, 1, 1, 2]),
        ("after_effect:0", "after_commit:4", [2, 1, 1, 1, 1]),
        ("after_commit:3", "before_effect:4", [1, 1, 1, 1, 1]),
    ];
    for (first, second, times) in pairs {
        let run = dies(&stage, stage.demo(STEPS, 0), first);
        let ran = stage.assay(&["runs", "resume", &run, "--json"]).env("ASSAY_FAULT", second).run();
        assert_eq!((ran.signal, ran.stdout.as_str()), (Some(SIGABRT), ""), "{first}, {second}");
        assert_eq!(stage.show(&run)["state"], "interrupted", "{first}, {second}");
        assert_eq!(stage.json(0, &["runs", "resume", &run])["value"], value, "{first}, {second}");
        assert_eq!(stage.is_whole(&run, STEPS, &value)["attempts"], 3, "{first}, {second}");
        assert_eq!(stage.times(&run, STEPS), times, "{first}, {second}");
    }
}

#[test]
fn a_step_with_bad_luck_is_tried_again_and_its_tries_are_recorded() {
    let stage = Stage::new();
    let value = stage.undisturbed(4);
    let document = stage.demo(4, 0).arg("--unlucky").arg("2").run().exits(0).document();
    assert_eq!(document["value"], value);
    let run = document["run"].as_str().unwrap();
    let shown = stage.is_whole(run, 4, &value);
    let tries: Vec<&Value> = shown["steps"].as_array().unwrap().iter().map(|step| &step["attempts"]).collect();
    assert_eq!(tries, [1, 1, 3, 1], "{shown}");
    assert_eq!((&shown["attempts"], stage.times(run, 4)), (&json!(1), vec![1, 1, 3, 1]));
}

#[test]
fn a_key_stands_for_one_input_also_when_queued() {
    let stage = Stage::new();
    let keyed = |steps, key: &str| stage.demo(steps, 0).arg("--key").arg(key);
    let document = keyed(3, "a").run().exits(0).document();
    assert_eq!(keyed(3, "a").run().exits(0).document(), document, "the same again");
    let queued = keyed(3, "a").arg("--queue").run().exits(0).document();
    assert_eq!(queued["runs"], json!([document["run"]]), "queueing it means the same run");
    let waiting = keyed(2, "b").arg("--queue").run().exits(0).document();
    assert_eq!(keyed(2, "b").arg("--queue").run().exits(0).document(), waiting);
    for call in [keyed(4, "a"), keyed(4, "a").arg("--queue"), keyed(3, "b"), keyed(3, "b").arg("--queue")] {
        let problem = call.run().exits(2).document();
        assert_eq!((&problem["code"], problem["run"].is_string()), (&json!("key_conflict"), true), "{problem}");
    }
    let other_task = stage.assay(&["sql", "ecommerce", "SELECT 1", "--key", "a", "--json"]).run().exits(2).document();
    assert_eq!(other_task["code"], "key_conflict", "{other_task}");
    assert_eq!(stage.listed().len(), 2, "a conflict makes no run");
    assert_eq!(stage.times(document["run"].as_str().unwrap(), 3), [1, 1, 1]);
    // A run that waits for a worker is done by whoever needs its answer.
    let done = keyed(2, "b").run().exits(0).document();
    assert_eq!(json!([done["run"]]), waiting["runs"]);
    assert_eq!(stage.times(done["run"].as_str().unwrap(), 2), [1, 1]);
}

#[test]
fn cancelled_inside_a_long_step_a_run_ends_soon_and_can_be_resumed() {
    let stage = Stage::new();
    let value = stage.undisturbed(1);
    let mut working = Started::of(stage.demo(1, 4_000));
    let run = stage.inside(&working, 0).run;
    let document = stage.json(0, &["runs", "cancel", &run]);
    assert_eq!((&document["cancelled"], &document["state"]), (&json!(true), &json!("cancelled")), "{document}");
    let problem = working.ends().exits(130).document();
    assert_eq!((&problem["code"], &problem["run"]), (&json!("cancelled"), &json!(run)), "{problem}");
    let shown = stage.show(&run);
    assert_eq!((&shown["state"], &shown["problem"]["code"]), (&json!("cancelled"), &json!("cancelled")), "{shown}");
    assert_eq!(shown["steps"], json!([]), "a step that was given up is not recorded");
    let last = stage.events(&run).pop().unwrap();
    assert_eq!((&last["type"], &last["data"]["state"]), (&json!("run.finished"), &json!("cancelled")), "{last}");
    // By the clock of the journal, so that a busy machine's slow starts do not count.
    let took = stage.rows("SELECT finished_at - cancel_requested_at FROM runs")[0][0].as_i64().unwrap();
    assert!(took < 2_000, "it took {took} ms");

    assert_eq!(stage.json(0, &["runs", "resume", &run])["value"], value);
    assert_eq!(stage.is_whole(&run, 1, &value)["attempts"], 2);
    assert_eq!(stage.times(&run, 1), [2]);
}

#[test]
fn a_run_cancelled_in_a_workers_hands_does_not_end_the_worker() {
    let stage = Stage::new();
    let value = stage.undisturbed(1);
    let run = stage.queue(1, 1, 600_000).remove(0);
    let mut worker = stage.worker(&["--until-idle"]);
    stage.inside(&worker, 0);
    let next = stage.queue(1, 1, 0).remove(0);
    assert_eq!(stage.json(0, &["runs", "cancel", &run])["state"], "cancelled");
    worker.ends().exits(0);
    assert_eq!(stage.show(&run)["state"], "cancelled");
    stage.is_whole(&next, 1, &value);
    assert_eq!((stage.times(&run, 1), stage.times(&next, 1)), (vec![1], vec![1]));
}

#[test]
fn a_cancelled_run_that_waited_is_not_taken_and_a_finished_one_stays_finished() {
    let stage = Stage::new();
    let value = stage.undisturbed(3);
    let [waiting, other] = stage.queue(2, 3, 0).try_into().unwrap();
    let document = stage.json(0, &["runs", "cancel", &waiting]);
    assert_eq!((&document["cancelled"], &document["state"]), (&json!(true), &json!("cancelled")), "{document}");
    stage.assay(&["worker", "--until-idle"]).run().exits(0);
    assert_eq!(stage.show(&waiting)["state"], "cancelled");
    assert_eq!((stage.times(&waiting, 3), stage.times(&other, 3)), (vec![0; 3], vec![1; 3]));
    let finished = stage.is_whole(&other, 3, &value);

    let document = stage.json(1, &["runs", "cancel", &other]);
    assert_eq!((&document["cancelled"], &document["state"]), (&json!(false), &json!("succeeded")), "{document}");
    assert_eq!(stage.show(&other), finished, "nothing changed");
    assert_eq!(stage.json(1, &["runs", "cancel", &waiting])["cancelled"], false, "cancelled once is enough");

    assert_eq!(stage.json(0, &["runs", "resume", &waiting])["value"], value);
    stage.is_whole(&waiting, 3, &value);
}

#[test]
fn followers_see_the_same_events_from_wherever_they_begin() {
    let stage = Stage::new();
    let value = stage.undisturbed(6);
    let mut working = Started::of(stage.demo(6, 250));
    let run = stage.inside(&working, 0).run;
    let follow =
        |after: &str| Started::of(stage.assay(&["runs", "show", &run, "--follow", "--jsonl", "--after", after]));
    let mut followers = [(follow("0"), 0), (follow("4"), 4)];
    until("a follower sees a step while the run goes on", || {
        followers[0].0.stdout().contains("step.finished").then_some(())
    });
    assert!(!working.has_ended(), "the run is over before anybody followed it");
    assert_eq!(working.ends().exits(0).document()["value"], value);
    let events = stage.events(&run);
    let last_seq = stage.is_whole(&run, 6, &value)["last_seq"].as_u64().unwrap();
    for (follower, after) in &mut followers {
        let seen = lines(&follower.ends().exits(0).stdout);
        is_gapless(&seen, *after, last_seq);
        let durable: Vec<&Value> = seen.iter().filter(|event| !event["seq"].is_null()).collect();
        assert_eq!(durable, events[*after as usize..].iter().collect::<Vec<_>>());
        assert_eq!(seen.last().unwrap()["type"], "run.finished");
    }
    assert_eq!(lines(&follow("7").ends().exits(0).stdout), events[7..], "also when it is over");
}

#[test]
fn who_follows_a_run_whose_process_is_killed_is_told() {
    let stage = Stage::new();
    let mut working = Started::of(stage.demo(2, 60_000));
    let run = stage.inside(&working, 0).run;
    let mut follower = Started::of(stage.assay(&["runs", "show", &run, "--follow", "--jsonl"]));
    until("it follows", || follower.stdout().contains("run.started").then_some(()));
    assert!(!follower.has_ended());
    working.kill();
    let ran = follower.ends().exits(1);
    assert!(ran.stderr.contains("interrupted") && ran.stderr.contains(&run), "{}", ran.stderr);
    is_gapless(&lines(&ran.stdout), 0, 2);
    assert_eq!(stage.show(&run)["state"], "interrupted");
}

#[test]
fn replay_says_the_same_of_every_kind_of_run() {
    let stage = Stage::new();
    let demo = stage.demo(4, 0).run().exits(0).document();
    let interrupted = dies(&stage, stage.demo(4, 0), "after_commit:1");
    let question = "How many orders are there by status?";
    let answer = stage.json(0, &["ask", "ecommerce", question]);
    let sql = stage.json(0, &["sql", "ecommerce", "SELECT status, count(*) FROM orders GROUP BY 1 ORDER BY 1"]);
    let refused = stage.json(1, &["ask", "ecommerce", "What is the profit by category?"]);
    let counted = [(&demo["run"], 4), (&json!(interrupted), 2)];
    let effects = stage.effects();
    for run in [&demo["run"], &json!(interrupted), &answer["run"], &sql["run"], &refused["run"]] {
        let before = stage.show(run.as_str().unwrap());
        let replay = stage.json(0, &["runs", "replay", run.as_str().unwrap()]);
        assert_eq!((&replay["same"], &replay["difference"], &replay["run"]), (&json!(true), &Value::Null, run));
        let steps = before["steps"].as_array().unwrap().len();
        assert_eq!(replay["steps"], steps, "{replay}");
        assert!(counted.iter().all(|(counted, expected)| *counted != run || *expected == steps));
        assert_eq!(stage.show(run.as_str().unwrap()), before, "it writes nothing");
    }
    assert_eq!(stage.effects(), effects, "it performs nothing");
}

/// Changes what is recorded, with hashes that fit where the statement says so.
#[track_caller]
fn forge(stage: &Stage, statement: &str) {
    let sha256 = |text: &str| {
        let script = "import hashlib, sys; print(hashlib.sha256(sys.argv[1].encode()).hexdigest(), end='')";
        String::from_utf8(Command::new("python3").args(["-c", script, text]).output().unwrap().stdout).unwrap()
    };
    stage.rows(&statement.replace("HASH_OF_7", &sha256("7")));
}

#[test]
fn replay_names_the_first_difference_of_a_forged_run() {
    let stage = Stage::new();
    let value = stage.undisturbed(4);
    let new = || stage.demo(4, 0).run().exits(0).document()["run"].as_str().unwrap().to_string();
    let run = new();
    forge(&stage, &format!("UPDATE runs SET output = json_set(output, '$.value', 7) WHERE id = '{run}'"));
    let difference = stage.json(1, &["runs", "replay", &run])["difference"].clone();
    assert_eq!((&difference["path"], &difference["recorded"]), (&json!("/value"), &json!(7)), "{difference}");
    assert_eq!(difference["replayed"], value);

    let run = new();
    forge(&stage, &format!("UPDATE steps SET output = '7' WHERE run = '{run}' AND position = 1"));
    let problem = stage.json(2, &["runs", "replay", &run]);
    assert_eq!(problem["code"], "journal_damaged", "{problem}");
    assert!(problem["message"].as_str().unwrap().contains("step 1"), "{problem}");

    // Who forges the hash too is found where the next step was given something else, or the output does not follow.
    for (position, named) in [(1, "position 2"), (3, "/value")] {
        let run = new();
        let of_step = format!("WHERE run = '{run}' AND position = {position}");
        forge(&stage, &format!("UPDATE steps SET output = '7', output_hash = 'HASH_OF_7' {of_step}"));
        let replay = stage.json(1, &["runs", "replay", &run]);
        assert!(replay["difference"]["message"].as_str().unwrap().contains(named), "{replay}");
        assert_eq!(replay["same"], false);
    }

    let answer = stage.json(0, &["ask", "ecommerce", "How many orders are there by status?"]);
    let run = answer["run"].as_str().unwrap();
    forge(&stage, &format!("UPDATE runs SET output = json_set(output, '$.sentence', 'none') WHERE id = '{run}'"));
    let difference = stage.json(1, &["runs", "replay", run])["difference"].clone();
    assert_eq!((&difference["path"], &difference["replayed"]), (&json!("/sentence"), &answer["sentence"]));
}

#[test]
fn forked_from_any_step_a_run_comes_to_the_same() {
    const STEPS: usize = 4;
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    let from = stage.demo(STEPS, 0).run().exits(0).document()["run"].as_str().unwrap().to_string();
    let original = stage.show(&from);
    let half = dies(&stage, stage.demo(STEPS, 0), "after_commit:1");
    let forks = (0..=STEPS).map(|step| (&from, step)).chain((0..=2).map(|step| (&half, step)));
    for (from, step) in forks {
        let fork = stage.json(0, &["runs", "fork", from, "--from-step", &step.to_string()]);
        let run = fork["run"].as_str().unwrap();
        assert_eq!((&fork["value"], run == from), (&value, false), "from {step}");
        let mut times = vec![0; step];
        times.resize(STEPS, 1);
        assert_eq!(stage.times(run, STEPS), times, "from {step}: only what comes after is performed");
        let shown = stage.show(run);
        assert_eq!(shown["forked_from"], json!({ "run": from, "step": step }));
        assert_eq!((&shown["state"], &shown["attempts"]), (&json!("succeeded"), &json!(1)));
        is_gapless(&stage.events(run), 0, shown["last_seq"].as_u64().unwrap());
        let essence = |run: &Value| {
            let steps = run["steps"].as_array().unwrap().iter();
            steps.map(|step| (step["input_hash"].clone(), step["output"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(essence(&shown), essence(&original), "from {step}");
        assert_eq!(stage.json(0, &["runs", "replay", run])["same"], true, "from {step}");
    }
    assert_eq!(stage.show(&from), original, "the original stays as it was");
    for (from, step) in [(&from, STEPS + 1), (&half, 3)] {
        let problem = stage.json(2, &["runs", "fork", from, "--from-step", &step.to_string()]);
        assert_eq!(problem["code"], "usage", "{problem}");
    }
}

/// Files below a folder that hold this text anywhere.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path);
        }
    }
    found
}

#[test]
fn secrets_of_the_environment_and_of_refused_addresses_are_never_kept() {
    const CANARY: &str = "canary-5b1f0c";
    const MARKER: &str = "marker-77aa21";
    const NAMES: &str = "OPENAI_API_KEY ANTHROPIC_API_KEY AWS_SECRET_ACCESS_KEY DATABASE_URL PGPASSWORD GITHUB_TOKEN \
        ASSAY_TOKEN ASSAY_MODEL_KEY SECRET password LD_CANARY PYTHONCANARY";
    let stage = Stage::new();
    let assay = |words: &[&str]| NAMES.split_whitespace().fold(stage.assay(words), |call, name| call.env(name, CANARY));
    let curious = "import os\ntold = repr(dict(os.environ)) + open('/proc/self/environ').read()\n\
        told += repr([open(f'/proc/{pid}/environ', 'rb').read() for pid in os.listdir('/proc') if pid.isdigit() \
        and os.access(f'/proc/{pid}/environ', os.R_OK)])\n\
        print(told, 'MARKER')\nopen('out/told.txt', 'w').write(told + 'MARKER' * 20_000)\n";
    let program = stage.place.file("program.py", curious.replace("MARKER", MARKER));
    let plan = stage.place.file("plan.json", r#"{"dataset_id":"x","table":"x"}"#);
    let (program, plan, address) =
        (program.to_str().unwrap(), plan.to_str().unwrap(), format!("postgres://u:{CANARY}@h/db"));
    let ran = assay(&["sandbox", "run", program, "--json"]).run().exits(0);
    assert!(ran.stdout.contains(MARKER) && !ran.stdout.contains(CANARY), "{}", ran.stdout);
    assay(&["ask", "ecommerce", "how many orders"]).run().exits(0);
    assay(&["demo", "flow", "--steps", "3", "--step-ms", "0", "--queue", "--runs", "3"]).run().exits(0);
    assay(&["worker", "--until-idle"]).run().exits(0);
    let refused: [&[&str]; 6] = [
        &["ask", &address, "how many"],
        &["ask", &address, "how many", "--queue", "--key", "k"],
        &["sql", &address, "SELECT 1"],
        &["sql", &address, "SELECT 1", "--queue"],
        &["plan", "run", plan, "--data", &address],
        &["data", "show", &address],
    ];
    for words in refused {
        assay(words).run().exits(2);
    }
    // Dies, so that its log stays where it is.
    assay(&["demo", "flow", "--steps", "2"]).env("ASSAY_FAULT", "after_effect:1").run();
    let data = stage.place.data();
    assert!(data.join("store.db-wal").exists() && data.join("owners").read_dir().unwrap().count() > 0);
    assert!(
        !holding(&data, "demo/1").is_empty() && holding(&data, MARKER).len() >= 2,
        "the search finds what is there"
    );
    assert_eq!(holding(&data, CANARY), Vec::<PathBuf>::new());
}
