//! Who waits for a worker: in turn, as many as there may be, told so at once, and turned away with a reason beyond.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::frames::cell;
use crate::support::resident::{
    Client, IDLE_WANTED, Resident, cells_max, count_descriptors, is_right, with_one_broker,
};
use crate::support::started::{Started, until};

const WAITING_MAX: usize = 256;
/// A command gives a broker up that has said nothing for so long.
const FIRST_WORD_TIME_MAX: Duration = Duration::from_secs(5);

with_one_broker! {
    slow
    fn orders_are_served_in_the_order_in_which_they_came(resident) {
        let mut client = resident.client(None);
        for profile in ["task", "analysis"] {
            let mut order = cell(json!({}));
            if profile == "analysis" {
                let policy = json!({
                    "profile": "analysis", "cpu_ms": 2_000, "memory_bytes": 512 << 20, "processes": 16,
                    "open_files": 256, "scratch_bytes": 128 << 20,
                });
                order = cell(policy);
            }
            // Those who get a cell at once keep it until all others wait.
            let first = client.does("order", json!({ "group": "first", "orders": vec![order.clone(); bound()] }));
            let words = client.does("order", json!({ "group": "line", "orders": vec![order; 30] }));
            assert!(words.as_array().unwrap().iter().all(|word| word["grant"] == "later"), "{first} {words}");
            client.does("drop", json!({ "group": "first" }));
            let served = client.does("in_turn", json!({ "group": "line", "patience_s": 60 }));
            assert_eq!(served, json!({ "early": [], "never": [] }), "{profile}");
            resident.settled();
        }
    }

    fn more_than_may_wait_are_turned_away_with_a_reason(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let refused = resident.status()["refused"].as_u64().unwrap();
        let mut client = resident.client(None);
        let waiting = take_all_cells(resident, &mut client);
        // Each brings a descriptor along, so that the broker holds as many as it ever may.
        let more = json!({
            "group": "line", "orders": vec![cell(json!({})); WAITING_MAX + 20], "store": resident.place.data(),
        });
        let words = client.does("order", more);
        let count = |grant: &str| words.as_array().unwrap().iter().filter(|word| word["grant"] == grant).count();
        assert_eq!((count("later"), count("busy")), (WAITING_MAX - waiting, 20 + waiting), "{words}");
        let status = resident.status();
        assert_eq!((&status["waiting"], &status["refused"]), (&json!(WAITING_MAX), &json!(refused + 20 + waiting as u64)), "{status}");
        assert!(status["running"].as_u64().unwrap() <= bound() as u64, "{status}");
        assert!(words[WAITING_MAX]["reason"].as_str().unwrap().contains(&WAITING_MAX.to_string()), "{words}");
        let problem: Value = serde_json::from_str(&resident.call("print(6 * 7)", &[]).run().stdout).unwrap();
        assert_eq!((&problem["kind"], &problem["code"]), (&json!("problem"), &json!("sandbox_busy")), "{problem}");
        assert!(problem["message"].as_str().unwrap().contains(&WAITING_MAX.to_string()), "{problem}");
        assert!(problem["hint"].is_string(), "{problem}");
        drop(client);
        resident.is_as_before(&broker, descriptors);
        assert!(resident.runs_right());
    }

    fn who_was_told_to_wait_waits_longer_than_for_a_first_word(resident) {
        let mut client = resident.client(None);
        let before = take_all_cells(resident, &mut client);
        let mut patient = Started::of(resident.call("print(6 * 7)", &[]));
        until("the command waits", || (resident.status()["waiting"] == before + 1).then_some(()));
        let begin = Instant::now();
        while begin.elapsed() < FIRST_WORD_TIME_MAX + Duration::from_secs(2) {
            assert!(!patient.has_ended(), "it did not wait: {}", patient.stdout());
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(client);
        assert!(is_right(&patient.ends().document(), "42\n"), "it waited for nothing");
    }

    fn a_broker_that_stops_sends_those_who_wait_away_and_lets_the_others_end(resident) {
        let broker = resident.broker();
        let mut client = resident.client(None);
        let mut running = resident.started("import time; print('in', flush=True); time.sleep(5); print('out')");
        take_all_cells(resident, &mut client);
        let words = client.does("order", json!({ "group": "line", "orders": vec![cell(json!({})); 20] }));
        assert!(words.as_array().unwrap().iter().all(|word| word["grant"] == "later"), "{words}");
        assert!(resident.stop(), "there was one");
        let begin = Instant::now();
        let words = client.does("hear", json!({ "group": "line", "patience_s": 4 }));
        // On a slow machine the program may have ended before, and made room for one or two.
        let is_sent_away = |word: &&Value| word["grant"] == "unfit" && word["reason"].as_str().unwrap().contains("stop");
        assert!(words.as_array().unwrap().iter().filter(is_sent_away).count() >= 17, "{words}");
        let late = client.does("order", json!({ "group": "late", "orders": [cell(json!({}))] }));
        assert_eq!(late[0]["grant"], "unfit", "{late}");
        assert!(broker.is_alive() || running.has_ended(), "it must not end before those who have a cell");
        for group in ["line", "taken"] {
            client.does("drop", json!({ "group": group }));
        }
        assert!(is_right(&running.ends().document(), "in\nout\n"), "what runs may end");
        until("the broker is gone", || (!broker.is_alive()).then_some(()));
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        assert!(!resident.stop(), "there is none any more");
        assert!(!fs::exists(resident.place.data().join("broker")).unwrap());
        resident.leaves_nothing();
    }
}

/// How many cells a broker has at most: idle workers of the three kinds come on top of those at work.
fn bound() -> usize {
    cells_max() + IDLE_WANTED
}

/// Orders until the broker has no cell left to give, and one more; gives how many wait then.
#[track_caller]
fn take_all_cells(resident: &Resident, client: &mut Client) -> usize {
    let order = cell(json!({ "wall_ms": 120_000 }));
    client.does("order", json!({ "group": "taken", "orders": vec![order; bound() + 1] }));
    // Workers of the other kinds keep their places.
    let status = until("all cells are taken", || {
        let status = resident.status();
        let held = status["running"].as_u64()? + status["idle"].as_u64()?;
        (held == bound() as u64 && status["forming"] == 0).then_some(status)
    });
    status["waiting"].as_u64().filter(|waiting| *waiting > 0).expect("one more was ordered than there are") as usize
}
