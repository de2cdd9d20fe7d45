//! Checks on two cells: at the same time, whether one notices the other; one after the other, whether anything stays.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::checks::{self, Host};
use super::setting::{Attacked, Ground, for_each_setting};
use super::{CHANNELS, OPEN, class};
use crate::support::leftovers::Before;

const CHANCE: &str = include_str!("chance.py");

/// What two cells should not share but warm ones may: where things lie in memory.
pub const ADDRESSES: &[&str] = &["address_of_a_library", "address_of_an_object"];

for_each_setting! {
    fn channels(setting) {
        let ground = setting.ground();
        // On a busy machine the two may miss each other; then nothing would be shown.
        let met = [1_500, 3_000, 5_000].into_iter().find_map(|patience_ms| meet(&ground, patience_ms));
        for attacked in met.expect("two cells run at the same time") {
            checks::judge(&ground, &attacked, &CHANNELS.0);
        }
    }

    fn leaks(setting) {
        let ground = setting.ground();
        let host = Host::of(ground.place());
        let program = host.program(&[class("leaks")], json!({}), "report()\nleave_secrets()");
        for _ in 0..2 {
            checks::judge(&ground, &ground.attack("attack.py", &program, &[]), &class("leaks"));
        }
    }

    fn no_two_programs_draw_the_same(setting) {
        let ground = setting.ground();
        let (first, second) = (ground.attack("chance.py", CHANCE, &[]), ground.attack("chance.py", CHANCE, &[]));
        let (ours, theirs) = (told::<Value>(&first, "values"), told::<Value>(&second, "values"));
        let same: Vec<&str> = ours.keys().filter(|name| ours[*name] == theirs[*name]).map(String::as_str).collect();
        let open = OPEN.iter().filter(|(name, when, _)| ours.contains_key(*name) && first.is(*when));
        let open: Vec<&str> = open.map(|(name, ..)| *name).collect();
        assert!(ADDRESSES.iter().all(|name| ours.contains_key(*name)) && ours.len() > 8, "{ours:?}");
        assert_eq!(same, open, "the same in two programs");
    }
}

/// Two cells that had both left their marks when either looked, and kept them until both had; otherwise nothing.
fn meet(ground: &Ground, patience_ms: u64) -> Option<[Attacked; 2]> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64();
    let meet_at = now + Duration::from_millis(patience_ms).as_secs_f64();
    let host = Host::of(ground.place());
    let before = Before::look();
    let children = [0, 1].map(|cell| {
        let facts = json!({ "cell": cell, "meet_at": meet_at, "part_at": meet_at + 0.5 * patience_ms as f64 / 1e3 });
        ground.call(&format!("cell-{cell}.py"), &host.program(&[CHANNELS.0], facts, "meet()"), &[]).start()
    });
    let attacked = children.map(|child| {
        let output = child.wait_with_output().expect("our own child");
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        Attacked { document, elapsed: Duration::ZERO }
    });
    attacked.iter().for_each(|one| ground.is_over(&before, &one.document));
    let times = attacked.each_ref().map(|one| told::<f64>(one, "times"));
    let apart = |earlier: &str, later: &str| times.iter().all(|one| times.iter().all(|two| one[earlier] <= two[later]));
    (apart("left", "looks") && apart("looked", "parts")).then_some(attacked)
}

/// The values of a line that a program printed.
fn told<T: DeserializeOwned>(attacked: &Attacked, word: &str) -> BTreeMap<String, T> {
    let stdout = attacked.document["stdout"].as_str().unwrap();
    let line = stdout.lines().find_map(|line| line.strip_prefix(word));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no {word}: {}", attacked.document))).unwrap()
}
