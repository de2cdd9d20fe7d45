//! Many commands at once, each with an input, an output and an answer of its own: none is mixed up, never more cells than
//! there may be, and who cannot be served is told so.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::leftovers::supervisors_of;
use crate::support::resident::{IDLE_WANTED, Resident, cells_max, children};
use crate::support::{User, ordinary_user_is_possible, slow_is_wanted};

/// Takes different times, so that the commands overtake each other.
const PROGRAM: &str = "
import hashlib, random, time
text = open('input/own.txt').read()
time.sleep(random.random() * 0.3)
open('out/own.txt', 'w').write(text[::-1])
print(number, text, hashlib.sha256(text.encode()).hexdigest())
number * 2
";

#[test]
fn sixty_warm_commands() {
    warm(User::Own, 60);
}

#[test]
fn cold_commands_are_bounded_too() {
    cold(20);
}

#[test]
fn two_hundred_warm_commands() {
    if slow_is_wanted("two_hundred_warm_commands") {
        warm(User::Own, 200);
    }
}

#[test]
fn two_hundred_warm_commands_of_an_ordinary_user() {
    let name = "two_hundred_warm_commands_of_an_ordinary_user";
    if slow_is_wanted(name) && ordinary_user_is_possible(name) {
        warm(User::Ordinary, 200);
    }
}

#[test]
fn two_hundred_cold_commands() {
    if slow_is_wanted("two_hundred_cold_commands") {
        cold(200);
    }
}

fn warm(user: User, count: usize) {
    let resident = Resident::of(user);
    let broker = resident.broker();
    let (answers, most) = all_at_once(&resident, "on", count, || {
        let status = resident.status();
        ["running", "idle", "forming"].iter().filter_map(|field| status[field].as_u64()).sum::<u64>() as usize
    });
    let warm = answers.iter().filter(|answer| answer["isolation"]["warm"] == true).count();
    assert!(warm * 10 >= count * 9, "only {warm} of {count} were warm");
    // Idle workers of the three kinds come on top.
    assert!(most <= cells_max() + IDLE_WANTED, "{most} cells at once");
    assert_eq!(resident.broker(), broker);
    assert!(resident.runs_right());
    resident.leaves_nothing();
}

/// Without a broker. Tests beside this one share the bound.
fn cold(count: usize) {
    let resident = Resident::without_broker(User::Own);
    let (answers, most) = all_at_once(&resident, "off", count, || {
        // A supervisor's children are this program, too, until they execute another; one without has no cell any more.
        let all = supervisors_of(&resident.place);
        let below: BTreeSet<u32> = all.iter().flat_map(|pid| children(*pid)).collect();
        all.iter().filter(|pid| !below.contains(pid) && !children(**pid).is_empty()).count()
    });
    assert!(answers.iter().all(|answer| answer["isolation"]["warm"] != true));
    assert!(most > 0 && most <= cells_max(), "{most} cells at once");
}

/// Starts all of them, watches, and holds each against what it must have given; gives the answers and the most seen.
#[track_caller]
fn all_at_once(
    resident: &Resident,
    broker: &str,
    count: usize,
    look: impl Fn() -> usize + Sync,
) -> (Vec<Value>, usize) {
    // Two crowds at once would show how large the machine is.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let begin = Instant::now();
    let over = AtomicBool::new(false);
    let (answers, most) = thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(look());
                thread::sleep(Duration::from_millis(200));
            }
            most
        });
        let asking: Vec<_> = (0..count).map(|number| scope.spawn(move || one(resident, broker, number))).collect();
        let answers: Vec<_> = asking.into_iter().map(|asking| asking.join()).collect();
        over.store(true, Ordering::Relaxed);
        (answers, watching.join())
    });
    let answers: Vec<Value> = answers.into_iter().map(|answer| answer.expect("as told above")).collect();
    let busy = answers.iter().filter(|answer| answer["kind"] == "problem").count();
    let most = most.expect("as told above");
    eprintln!("{count} commands, broker {broker}: {:.1} s, {busy} busy, {most} cells", begin.elapsed().as_secs_f64());
    (answers, most)
}

/// One command among many; its own answer, or why there is none.
#[track_caller]
fn one(resident: &Resident, broker: &str, number: usize) -> Value {
    let text = format!("text {number} of {}", number * 7_919);
    let input = resident.place.file(&format!("inputs/{number}/own.txt"), &text);
    let out = resident.place.folder(&format!("outputs-{number}"));
    let value = format!("number={number}");
    let (input, out_flag) = (input.to_str().unwrap(), out.to_str().unwrap());
    let call = resident.call(PROGRAM, &["--input", input, "--out", out_flag, "--value", &value]);
    // Two hundred that look every few milliseconds whether theirs has ended would be the greater load.
    let output = call.env("ASSAY_BROKER", broker).start().wait_with_output().expect("our own child");
    let said = String::from_utf8_lossy(&output.stderr);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    if answer["kind"] == "problem" {
        assert_eq!(answer["code"], "sandbox_busy", "{answer}");
        assert!(answer["message"].as_str().is_some_and(|reason| reason.contains("programs")), "{answer}");
        return answer;
    }
    assert_eq!(answer["outcome"], "ok", "{answer}");
    let stdout = answer["stdout"].as_str().unwrap();
    assert!(stdout.starts_with(&format!("{number} {text} ")), "mixed up: {answer}");
    assert_eq!(answer["result"]["value"], json!(number * 2), "mixed up: {answer}");
    let left = fs::read_to_string(out.join("own.txt")).expect("its own file");
    assert_eq!(left.chars().rev().collect::<String>(), text, "mixed up");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "files of somebody else's");
    answer
}
