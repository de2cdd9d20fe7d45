//! Processes that are stopped and go on later: whoever is slower than its lease may have lost its run meanwhile.

use serde_json::json;

use crate::support::stage::Stage;
use crate::support::started::{Started, until};

#[test]
fn a_frozen_worker_loses_its_run_and_works_on_others() {
    let stage = Stage::with_lease(1_500);
    let value = stage.undisturbed(2);
    for thawed_in_the_middle in [true, false] {
        let run = stage.queue(1, 2, 1_000).remove(0);
        let mut frozen = stage.worker(&[]);
        assert_eq!(stage.inside(&frozen, 0).run, run);
        frozen.signal("STOP");
        let mut heir = stage.worker(&["--until-idle"]);
        assert_eq!(stage.inside(&heir, 0).run, run);
        if !thawed_in_the_middle {
            heir.ends().exits(0);
        }
        let events = stage.events(&run);
        frozen.signal("CONT");
        let told = || frozen.stderr().lines().find(|line| line.contains(&run)).map(str::to_string);
        let told = until("the frozen worker says that it lost the run", told);
        assert!(told.contains("run_busy"), "{told}");
        heir.ends().exits(0);
        let next = stage.queue(1, 2, 0).remove(0);
        until("it goes on with another", || (stage.show(&next)["state"] == "succeeded").then_some(()));
        stage.is_whole(&next, 2, &value);
        assert!(stage.effects().iter().filter(|effect| effect.run == next).all(|effect| effect.pid == frozen.pid()));
        assert_eq!(stage.is_whole(&run, 2, &value)["attempts"], 2);
        assert!(thawed_in_the_middle || stage.events(&run) == events, "it wrote to a run that is not its own");
        assert_eq!(stage.times(&run, 2), [2, 1]);
        frozen.signal("TERM");
        frozen.ends().exits(0);
    }
}

#[test]
fn the_run_of_a_frozen_worker_can_be_cancelled() {
    let stage = Stage::with_lease(1_500);
    let run = stage.queue(1, 1, 600).remove(0);
    let mut frozen = stage.worker(&[]);
    stage.inside(&frozen, 0);
    frozen.signal("STOP");
    let document = stage.json(0, &["runs", "cancel", &run]);
    assert_eq!((&document["cancelled"], &document["state"]), (&json!(true), &json!("cancelled")), "{document}");
    let shown = stage.show(&run);
    frozen.signal("CONT");
    until("the frozen worker says what became of it", || frozen.stderr().contains(&run).then_some(()));
    assert_eq!(stage.show(&run), shown, "it wrote to a run that is over");
    frozen.signal("TERM");
    frozen.ends().exits(0);
}

#[test]
fn a_frozen_command_goes_on_as_if_nothing_had_been() {
    let stage = Stage::with_lease(1_500);
    let value = stage.undisturbed(3);
    let mut working = Started::of(stage.demo(3, 700));
    let run = stage.inside(&working, 1).run;
    working.signal("STOP");
    let state = || stage.show(&run)["state"].clone();
    until("a frozen command counts as gone", || (state() == "interrupted").then_some(()));
    let listed = stage.listed();
    assert_eq!((listed.len(), &listed[0]["state"]), (1, &json!("interrupted")));
    working.signal("CONT");
    assert_eq!(working.ends().exits(0).document()["value"], value);
    assert_eq!(stage.is_whole(&run, 3, &value)["attempts"], 1);
    assert_eq!(stage.times(&run, 3), [1, 1, 1]);
}

#[test]
fn a_frozen_command_loses_to_who_resumed_its_run() {
    let stage = Stage::with_lease(1_500);
    let value = stage.undisturbed(3);
    for thawed_in_the_middle in [true, false] {
        let mut frozen = Started::of(stage.demo(3, 800));
        let run = stage.inside(&frozen, 1).run;
        frozen.signal("STOP");
        until("its lease lapses", || (stage.show(&run)["state"] == "interrupted").then_some(()));
        let mut heir = Started::of(stage.assay(&["runs", "resume", &run, "--json"]));
        stage.inside(&heir, 1);
        if !thawed_in_the_middle {
            heir.ends();
        }
        let before = stage.events(&run);
        frozen.signal("CONT");
        let problem = frozen.ends().exits(2).document();
        assert_eq!((&problem["code"], &problem["run"]), (&json!("run_busy"), &json!(run)), "{problem}");
        assert_eq!(heir.ends().exits(0).document()["value"], value);
        assert_eq!(stage.is_whole(&run, 3, &value)["attempts"], 2);
        assert_eq!(stage.times(&run, 3), [1, 2, 1], "only the step in flight ran twice");
        assert!(thawed_in_the_middle || stage.events(&run) == before, "the loser wrote something");
    }
}

/// The only worker there is freezes: when it wakes up, its own run waits to be taken, by itself.
#[test]
fn a_worker_frozen_alone_finishes_its_run_once() {
    let stage = Stage::with_lease(1_000);
    let value = stage.undisturbed(2);
    let run = stage.queue(1, 2, 2_500).remove(0);
    let mut worker = Started::of(stage.assay(&["worker", "--slots", "4", "--until-idle"]));
    assert_eq!(stage.inside(&worker, 0).run, run);
    worker.signal("STOP");
    until("its lease lapses", || (stage.show(&run)["state"] == "pending").then_some(()));
    worker.signal("CONT");
    worker.ends().exits(0);
    let shown = stage.is_whole(&run, 2, &value);
    assert_eq!(shown["attempts"], 2, "one freeze costs one attempt");
    assert_eq!(stage.times(&run, 2), [2, 1]);
}
