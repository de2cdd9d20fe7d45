//! Parts of the broker die, or freeze: the command in progress ends, the next one is right, a new part takes over, and
//! nothing is left of the old one.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::leftovers::{NAME_THE_CELL, cell_named_in, processes_in};
use crate::support::resident::{Process, Resident, is_right, last_document, printed, with_one_broker};
use crate::support::started::{Started, until};
use crate::support::{User, for_each_user, slow_is_wanted};

/// Silent until its end, so that it may be run a second time.
const SILENT: &str = "import time; time.sleep(1.5); print('late')";
/// Has said something, so that it must not be run a second time.
const TALKING: &str = "import time; print('in', flush=True); time.sleep(30); print('out')";

with_one_broker! {
    slow
    fn a_zygote_that_dies_while_idle_is_replaced(resident) {
        let (broker, zygote, workers) = (resident.broker(), resident.zygote(), resident.workers());
        let started = resident.status()["zygotes"].as_u64().unwrap();
        zygote.signal("KILL");
        for _ in 0..3 {
            resident.runs_right();
        }
        let status = resident.settled();
        assert!(status["zygotes"].as_u64().unwrap() > started && status["trouble"].is_string(), "{status}");
        assert!(workers.iter().all(|worker| !worker.is_alive()), "workers outlive their zygote");
        assert!(resident.runs_right() && resident.zygote() != zygote);
        assert_eq!(resident.broker(), broker);
    }

    fn a_zygote_that_dies_in_mid_run_loses_no_silent_program(resident) {
        let (broker, zygote) = (resident.broker(), resident.zygote());
        let (mut talking, mut silent) = (resident.talking(TALKING, &[]), resident.started(SILENT));
        zygote.signal("KILL");
        assert!(!is_right(&silent.ends().document(), "late\n"), "it ran again, in a cell of its own");
        is_lost(&last_document(&mut talking));
        resident.settled();
        assert!(resident.runs_right());
        assert_eq!(resident.broker(), broker);
    }

    fn workers_that_die_are_replaced(resident) {
        let broker = resident.broker();
        let workers = resident.workers();
        assert!(workers.len() >= 2);
        let failed = resident.status()["failed"].as_u64().unwrap();
        workers.iter().for_each(|worker| worker.signal("KILL"));
        // An order may still reach one that has just been killed, and then hears how it ended.
        until("they are missed", || (resident.status()["failed"].as_u64()? >= failed + workers.len() as u64).then_some(()));
        resident.runs_right();
        resident.settled();
        let before = resident.workers();
        let mut talking = resident.talking(TALKING, &[]);
        before.iter().for_each(|worker| worker.signal("KILL"));
        let document = last_document(&mut talking);
        assert_eq!((&document["outcome"], &document["signal"]), (&json!("failed"), &json!(9)), "{document}");
        assert_eq!(document["stdout"], "in\n");
        resident.settled();
        assert!(resident.runs_right());
        assert_eq!(resident.broker(), broker);
    }

    fn a_command_that_is_killed_takes_its_cell_along(resident) {
        let broker = resident.broker();
        let code = format!("{NAME_THE_CELL}import time; time.sleep(60)");
        let mut command = resident.talking(&code, &["--time", "60s"]);
        let cell = cell_named_in(&printed(&command)).expect("it named its cell");
        assert!(!processes_in(&cell).is_empty());
        command.kill();
        until("the cell is gone", || processes_in(&cell).is_empty().then_some(()));
        until("the broker has noticed", || (resident.status()["running"] == 0).then_some(()));
        assert_eq!(resident.broker(), broker);
        assert!(resident.runs_right());
    }

    fn a_frozen_zygote_delays_and_spoils_nothing(resident) {
        let (broker, zygote) = (resident.broker(), resident.zygote());
        zygote.signal("STOP");
        let commands: Vec<Started> =
            (0..6).map(|number| Started::of(resident.call(&format!("print({number})"), &[]))).collect();
        thread::sleep(Duration::from_secs(3));
        zygote.signal("CONT");
        for (number, mut command) in commands.into_iter().enumerate() {
            is_right(&command.ends().document(), &format!("{number}\n"));
        }
        assert_eq!(resident.broker(), broker);
        assert!(resident.runs_right());
    }

    fn a_frozen_broker_is_given_up_and_later_used_again(resident) {
        let broker = resident.broker();
        broker.signal("STOP");
        let begin = Instant::now();
        let asked = resident.assay(["sandbox", "status", "--json"]);
        let [mut run, mut status] = [resident.call("print(6 * 7)", &[]), asked].map(Started::of);
        let (run, status) = (run.ends(), status.ends());
        broker.signal("CONT");
        assert!(!is_right(&run.document(), "42\n") && status.stdout.contains("\"running_broker\":false"), "{}", status.stdout);
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
        assert_eq!(resident.broker(), broker);
        assert!(resident.runs_right());
    }

    fn a_broker_that_dies_is_replaced(resident) {
        let (broker, processes) = (resident.broker(), resident.workers());
        broker.signal("KILL");
        until("its workers are gone", || processes.iter().all(|worker| !worker.is_alive()).then_some(()));
        assert!(!resident.runs_right(), "the next command is cold");
        resident.settled();
        assert!(resident.runs_right() && resident.broker() != broker);
    }

    fn a_broker_that_dies_in_mid_run_loses_no_silent_program(resident) {
        let broker = resident.broker();
        let (mut talking, mut silent) = (resident.talking(TALKING, &[]), resident.started(SILENT));
        broker.signal("KILL");
        assert!(!is_right(&silent.ends().document(), "late\n"), "it ran again, in a cell of its own");
        is_lost(&last_document(&mut talking));
        resident.settled();
        assert!(resident.runs_right() && resident.broker() != broker);
    }

    fn nothing_is_left_of_all_these(resident) {
        resident.leaves_nothing();
    }
}

/// Its program had begun to talk, so it must not have been run again.
#[track_caller]
fn is_lost(document: &Value) {
    assert_eq!((&document["outcome"], &document["stdout"]), (&json!("lost"), &json!("in\n")), "{document}");
}

#[test]
fn a_question_is_answered_right_while_brokers_die() {
    let resident = Resident::of(User::Own);
    let ask = ["ask", "ecommerce", "--json", "--no-cache", "how many orders"];
    let cold = resident.assay(ask).env("ASSAY_BROKER", "off").run().exits(0).document();
    assert_eq!(cold["status"], "answered", "{cold}");
    let mut asked = 0;
    for pause_ms in [5, 40, 120] {
        let broker = resident.broker();
        let mut command = Started::of(resident.assay(ask));
        thread::sleep(Duration::from_millis(pause_ms));
        broker.signal("KILL");
        let answer = command.ends().exits(0).document();
        assert_eq!((&answer["status"], &answer["table"]), (&cold["status"], &cold["table"]), "{pause_ms} ms: {answer}");
        asked += 1;
    }
    assert_eq!(asked, 3);
    resident.settled();
    resident.leaves_nothing();
}

for_each_user! {
    fn a_broker_whose_door_is_cleared_away_leaves_its_successor_alone(user) {
        if user == User::Ordinary && !slow_is_wanted("a broker whose door is cleared away, of an ordinary user") {
            return;
        }
        let resident = Resident::of(user);
        let old = resident.broker();
        // It must outlive the coming of the other, so it is given something to do.
        let mut busy = resident.started("import time; time.sleep(6); print('done')");
        fs::remove_dir_all(resident.place.data().join("broker")).or_else(|_| clear(&resident)).unwrap();
        assert!(!resident.runs_right(), "there is no door");
        let new: Process = resident.broker();
        assert_ne!(new, old);
        assert!(is_right(&busy.ends().document(), "done\n"));
        until("the old broker is gone", || (!old.is_alive()).then_some(()));
        assert!(resident.runs_right(), "the door of the new one is still there");
        assert_eq!(resident.broker(), new);
        resident.leaves_nothing();
    }
}

/// What can be removed of a broker's folder while it lives.
fn clear(resident: &Resident) -> std::io::Result<()> {
    let folder = resident.place.data().join("broker");
    fs::rename(&folder, resident.place.path("cleared"))
}
