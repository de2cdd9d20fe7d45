//! Many processes on one data directory that die, freeze and race: nothing is lost, nothing ends twice.
//!
//! What is random comes from a seed that is printed; `ASSAY_SEED` sets it. What is counted is counted in the database,
//! because a log written beside it can miss what a killed process did. Small by default, large with `ASSAY_SLOW=1`.

mod frozen;
mod races;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::support::slow_is_wanted;
use crate::support::stage::{Stage, is_gapless, lines};
use crate::support::started::{Started, until};

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn new(test: &str) -> Random {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
        let given = std::env::var("ASSAY_SEED").ok().map(|seed| seed.parse().expect("a number"));
        let seed = given.unwrap_or(now % 1_000_000_000);
        eprintln!("{test}: ASSAY_SEED={seed}");
        Random(seed)
    }

    /// At least the first, less than the second.
    fn between(&mut self, least: u64, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + (mixed ^ (mixed >> 31)) % (end - least)
    }
}

#[test]
fn killed_at_random_moments_a_run_comes_to_the_same() {
    const STEPS: usize = 5;
    let rounds = if slow_is_wanted("eighty rounds of random kills") { 80 } else { 8 };
    let mut random = Random::new("killed_at_random_moments");
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    let mut kills = 0;
    for round in 0..rounds {
        let key = format!("round-{round}");
        let run_of_key = || stage.listed().into_iter().find(|run| run["key"] == key.as_str());
        let (mut done, mut recorded, mut times) = (None, 0, vec![0; STEPS]);
        // Three times killed at any moment; then it is left alone.
        for attempt in 0..4 {
            let known = run_of_key().map(|run| run["id"].as_str().unwrap().to_string());
            // What is gone is resumed by its name or by asking again.
            let call = match known.filter(|_| (round + attempt) % 2 == 0) {
                Some(run) => stage.assay(&["runs", "resume", &run, "--json"]),
                None => stage.demo(STEPS, 15).arg("--key").arg(&key),
            };
            let mut process = Started::of(call);
            if attempt < 3 {
                thread::sleep(Duration::from_millis(random.between(5, 220)));
                process.kill();
                kills += 1;
            }
            let ran = process.ends();
            assert!(ran.signal == Some(SIGKILL) || ran.code == Some(0), "{}{}", ran.stdout, ran.stderr);
            done = if ran.stdout.is_empty() { done } else { Some(ran.document()) };
            let Some(run) = run_of_key() else {
                assert!(attempt < 3 && stage.times("", STEPS) == [0; STEPS], "no run");
                continue;
            };
            let run = run["id"].as_str().unwrap();
            let now = stage.times(run, STEPS);
            assert_eq!(now[..recorded], times[..recorded], "a recorded step ran again");
            let steps = stage.show(run)["steps"].as_array().unwrap().len();
            assert!(steps >= recorded, "a recorded step is gone");
            assert!(now[..steps].iter().all(|times| *times >= 1), "recorded and never performed: {now:?}");
            (recorded, times) = (steps, now);
        }
        let done = done.expect("the last one was left alone");
        assert_eq!(done["value"], value);
        let shown = stage.is_whole(done["run"].as_str().unwrap(), STEPS, &value);
        let attempts = shown["attempts"].as_u64().unwrap() as usize;
        assert!(times.iter().all(|times| *times <= attempts), "{times:?} in {attempts} attempts");
        let doubled: usize = times.iter().map(|times| times - 1).sum();
        assert!(doubled < attempts, "only what was in flight runs again: {times:?} in {attempts} attempts");
    }
    assert_eq!(stage.listed().len(), rounds, "{kills} kills");
}

/// What the commands beside the workers share.
struct Hustle<'a> {
    stage: &'a Stage,
    steps: usize,
    queued: Mutex<Vec<String>>,
    over: AtomicBool,
}

impl Hustle<'_> {
    fn queue(&self, runs: usize, batch: usize) {
        for _ in 0..runs / batch {
            let ids = self.stage.queue(batch, self.steps, 20);
            self.queued.lock().unwrap().extend(ids);
        }
    }

    /// Follows one run after another from some position, and holds what it sees against the journal; says how many.
    fn follow(&self) -> usize {
        let mut followed = 0;
        while !self.over.load(Ordering::Relaxed) {
            let Some(run) = self.queued.lock().unwrap().last().cloned() else { continue };
            let after = followed as u64 % 4;
            let words = ["runs", "show", &run, "--follow", "--jsonl", "--after", &after.to_string()];
            let seen = lines(&self.stage.assay(&words).run().exits(0).stdout);
            assert_eq!(seen.last().unwrap()["type"], "run.finished", "{seen:?}");
            is_gapless(&seen, after, seen.last().unwrap()["seq"].as_u64().unwrap());
            followed += 1;
        }
        followed
    }

    /// Lists again and again: what has succeeded stays so.
    fn list(&self) -> usize {
        let (mut looks, mut succeeded) = (0, BTreeSet::new());
        while !self.over.load(Ordering::Relaxed) {
            // Their order among each other has a test of its own.
            let ran = self.stage.assay(&["runs", "list", "--limit", "1000", "--json"]).run().exits(0);
            let listed = lines(&ran.stdout)[0]["runs"].as_array().unwrap().clone();
            let is = |run: &Value, state: &str| run["state"] == state;
            let now: BTreeSet<String> =
                listed.iter().filter(|run| is(run, "succeeded")).map(|run| run["id"].to_string()).collect();
            assert!(now.is_superset(&succeeded), "a run that had ended has not");
            let strange = listed.iter().find(|run| !["pending", "running", "succeeded"].iter().any(|one| is(run, one)));
            assert_eq!(strange, None);
            (looks, succeeded) = (looks + 1, now);
        }
        looks
    }
}

/// Kills workers inside their runs and starts others until every run is over; gives how many it killed.
fn hunt(stage: &Stage, runs: usize, kills_least: usize, random: &mut Random) -> usize {
    let start = || Started::of(stage.assay(&["worker", "--slots", "2"]));
    let (mut workers, mut kills) = ([start(), start()], 0);
    // However busy the machine is, one of them dies at work.
    let at_work = until("a worker at work", || {
        let effects = stage.effects();
        workers.iter().position(|worker| effects.iter().any(|effect| effect.pid == worker.pid()))
    });
    workers[at_work].kill();
    workers[at_work] = start();
    kills += 1;
    let begin = Instant::now();
    let over = || stage.rows("SELECT COUNT(*) FROM runs WHERE state NOT IN ('pending', 'running')")[0][0] == runs;
    while !over() {
        assert!(begin.elapsed() < Duration::from_secs(240), "{kills} kills, and still not over");
        let victim = &mut workers[random.between(0, 2) as usize];
        let pid = victim.pid();
        if stage.effects().iter().any(|effect| effect.pid == pid) {
            thread::sleep(Duration::from_millis(random.between(0, 250)));
            victim.kill();
            kills += 1;
            *victim = start();
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(kills >= kills_least, "only {kills} workers were killed");
    for worker in &mut workers {
        // One that has only just begun may not listen yet.
        until("the worker listens", || worker.stderr().contains("working").then_some(()));
        worker.signal("TERM");
        let ran = worker.ends().exits(0);
        assert!(!ran.stderr.contains("error"), "{}", ran.stderr);
    }
    kills
}

#[test]
fn workers_killed_at_random_finish_every_run_exactly_once() {
    const STEPS: usize = 5;
    let (runs, batch, kills_least) = if slow_is_wanted("five hundred runs") { (500, 10, 10) } else { (40, 5, 1) };
    let mut random = Random::new("workers_killed_at_random");
    let stage = Stage::new();
    let value = stage.undisturbed(STEPS);
    let hustle = Hustle { stage: &stage, steps: STEPS, queued: Mutex::default(), over: AtomicBool::new(false) };
    let first = stage.queue(1, STEPS, 20);
    hustle.queued.lock().unwrap().extend(first);
    let (kills, followed, looks) = thread::scope(|scope| {
        let queuing = [0, 1].map(|_| scope.spawn(|| hustle.queue(runs / 2, batch)));
        let (following, listing) = (scope.spawn(|| hustle.follow()), scope.spawn(|| hustle.list()));
        // Whatever happens here, the commands beside have to end.
        let hunted = catch_unwind(AssertUnwindSafe(|| hunt(&stage, runs + 1, kills_least, &mut random)));
        hustle.over.store(true, Ordering::Relaxed);
        queuing.into_iter().for_each(|one| one.join().unwrap());
        (hunted, following.join().unwrap(), listing.join().unwrap())
    });
    let (kills, runs) = (kills.unwrap_or_else(|panic| resume_unwind(panic)), runs + 1);
    assert!(followed > 0 && looks > 0, "{followed} followed, {looks} looks");

    let count = |sql: &str| stage.rows(&format!("SELECT COUNT(*) FROM ({sql})"))[0][0].as_u64().unwrap() as usize;
    assert_eq!(count("SELECT 1 FROM runs"), runs);
    assert_eq!(count("SELECT 1 FROM runs WHERE state = 'succeeded'"), runs);
    assert_eq!(count(&format!("SELECT 1 FROM runs WHERE json_extract(output, '$.value') = {value}")), runs);
    let finishes = "SELECT run FROM events WHERE type = 'run.finished'";
    assert_eq!((count(finishes), count(&format!("{finishes} GROUP BY run"))), (runs, runs), "each finished once");
    let whole = "SELECT run FROM steps WHERE state = 'ok' GROUP BY run
                 HAVING COUNT(*) = 5 AND MIN(position) = 0 AND MAX(position) = 4";
    assert_eq!((count(whole), count("SELECT 1 FROM steps")), (runs, runs * STEPS));
    let told = "SELECT DISTINCT run, json_extract(data, '$.index') FROM events WHERE type = 'step.finished'";
    assert_eq!(count(told), runs * STEPS);
    assert_eq!(count("SELECT 1 FROM events WHERE type = 'step.finished'"), runs * STEPS, "each told once");
    let gapless = "SELECT run FROM events GROUP BY run HAVING MIN(seq) = 1 AND MAX(seq) = COUNT(*)
                   AND COUNT(*) = (SELECT last_seq FROM runs WHERE id = run)";
    assert_eq!(count(gapless), runs);
    let recovered = count("SELECT 1 FROM runs WHERE attempts > 1");
    assert!(recovered > 0, "{kills} kills hit no run");

    let effects = stage.effects();
    let performed: BTreeSet<(&str, usize)> = effects.iter().map(|one| (one.run.as_str(), one.step)).collect();
    assert_eq!(performed.len(), runs * STEPS, "recorded and never performed");
    // Two slots each: a kill has at most two steps in flight.
    let doubled = effects.len() - performed.len();
    assert!(doubled <= 2 * kills, "{doubled} steps ran twice with {kills} kills");
    eprintln!(
        "{runs} runs, {kills} kills, {recovered} runs taken over, {doubled} steps ran twice, {followed} followed"
    );
}

#[test]
fn a_dead_workers_run_is_taken_over_within_two_leases() {
    const LEASE_MS: u32 = 2_000;
    let stage = Stage::with_lease(LEASE_MS);
    let value = stage.undisturbed(2);
    let run = stage.queue(1, 2, 1_500).remove(0);
    let mut dead = stage.worker(&[]);
    assert_eq!(stage.inside(&dead, 0).run, run);
    let mut heir = stage.worker(&["--until-idle"]);
    thread::sleep(Duration::from_millis(200));
    dead.kill();
    let killed_at = Instant::now();
    assert_eq!(stage.inside(&heir, 0).run, run);
    let took = killed_at.elapsed();
    assert!(took < Duration::from_millis(u64::from(2 * LEASE_MS) + 2_000), "taken over after {took:?}");
    heir.ends().exits(0);
    assert_eq!(stage.is_whole(&run, 2, &value)["attempts"], 2);
    assert_eq!(stage.times(&run, 2), [2, 1]);
}

#[test]
fn a_run_that_takes_every_worker_down_fails_and_can_still_be_resumed() {
    let stage = Stage::new();
    let value = stage.undisturbed(3);
    let poison = stage.queue(1, 3, 0).remove(0);
    let innocent = stage.queue(1, 1, 0).remove(0);
    let dies = || {
        let call = stage.assay(&["worker", "--slots", "1", "--until-idle"]).env("ASSAY_FAULT", "before_effect:1");
        let ran = call.run();
        assert!(ran.signal == Some(SIGABRT) || ran.code == Some(0), "{}", ran.stderr);
        ran.signal == Some(SIGABRT)
    };
    let deaths = (0..20).take_while(|_| dies()).count();
    assert!((2..20).contains(&deaths), "{deaths} workers died");
    let shown = stage.show(&poison);
    assert_eq!((&shown["state"], &shown["problem"]["code"]), (&json!("failed"), &json!("worker_lost")), "{shown}");
    assert!(shown["problem"]["message"].as_str().unwrap().contains("step 1"), "{}", shown["problem"]);
    assert_eq!((&shown["attempts"], stage.times(&poison, 3)), (&json!(deaths), vec![1, 0, 0]));
    let last = stage.events(&poison).pop().unwrap();
    assert_eq!((&last["type"], &last["data"]["state"]), (&json!("run.finished"), &json!("failed")));
    assert_eq!(stage.show(&innocent)["state"], "succeeded", "the run behind it is done");

    assert_eq!(stage.json(0, &["runs", "resume", &poison])["value"], value);
    stage.is_whole(&poison, 3, &value);
    assert_eq!(stage.times(&poison, 3), [1, 1, 1]);
}

#[test]
fn a_worker_told_to_end_hands_its_run_back_at_once() {
    // So long a lease that waiting for it would be noticed.
    let stage = Stage::with_lease(300_000);
    let value = stage.undisturbed(2);
    // What a user interrupts says so by its exit code.
    for (signal, code) in [("TERM", 0), ("INT", 130)] {
        let run = stage.queue(1, 2, 1_500).remove(0);
        let mut worker = stage.worker(&[]);
        assert_eq!(stage.inside(&worker, 1).run, run);
        worker.signal(signal);
        worker.ends().exits(code);
        let row = &stage.rows(&format!("SELECT state, recoveries, attempts FROM runs WHERE id = '{run}'"))[0];
        assert_eq!(row, &[json!("pending"), json!(0), json!(1)], "{signal}: handed back, not recovered");
        let mut heir = stage.worker(&["--until-idle"]);
        stage.inside(&heir, 1);
        heir.ends().exits(0);
        assert_eq!(stage.is_whole(&run, 2, &value)["attempts"], 2, "{signal}");
        assert_eq!(stage.times(&run, 2), [1, 2], "{signal}");
    }
}

#[test]
fn workers_told_to_end_at_random_hand_everything_back() {
    let rounds = if slow_is_wanted("sixty rounds of ending workers") { 60 } else { 6 };
    let mut random = Random::new("workers_told_to_end_at_random");
    let stage = Stage::with_lease(300_000);
    let value = stage.undisturbed(2);
    for round in 0..rounds {
        let run = stage.queue(1, 2, 3_000).remove(0);
        let mut worker = stage.worker(&[]);
        // Around the moment in which it takes the run.
        thread::sleep(Duration::from_millis(random.between(0, 40)));
        worker.signal("TERM");
        let told_at = Instant::now();
        worker.ends().exits(0);
        let took = told_at.elapsed();
        assert!(took < Duration::from_secs(5), "round {round}: it worked on for {took:?}");
        let row = &stage.rows(&format!("SELECT state, recoveries FROM runs WHERE id = '{run}'"))[0];
        assert_eq!(row, &[json!("pending"), json!(0)], "round {round}");
        assert_eq!(stage.json(0, &["runs", "cancel", &run])["cancelled"], true);
    }
    let last = stage.queue(1, 2, 0).remove(0);
    stage.assay(&["worker", "--until-idle"]).run().exits(0);
    stage.is_whole(&last, 2, &value);
}
