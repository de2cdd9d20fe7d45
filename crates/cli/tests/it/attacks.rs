//! Programs that mean harm, in cells as users get them: cold and warm, as whoever runs the tests and as an ordinary
//! user whose cells have no control group. The guard is off in all of them: the cell is the boundary.
//!
//! Checks are data. Each class is one Python file of functions that each try one way out and name the layer that stops
//! them and what they must come to (`prelude.py` says how); a class runs in one cell, because its checks survive.
//! Programs that a cell must end are in `bombs.py`, one cell each. Checks that concern two cells at once or one after
//! the other are in `channels.py`, `leaks.py` and `chance.py`. `layers` leaves out one layer after another and shows
//! which checks then fail.
//!
//! A way out that is known and not closed yet is in [`OPEN`]; the suite fails also when it has been closed.

mod bombs;
mod checks;
mod layers;
mod left;
mod served;
mod setting;
mod together;

use std::panic::catch_unwind;

use checks::Class;
use setting::{Setting, Speed, When, for_each_setting};

use crate::support::{User, ordinary_user_is_possible};

/// The classes, and how many checks each has: a suite must not shrink unnoticed.
const CLASSES: [(Class, usize); 6] = [
    (Class { name: "leaks", text: include_str!("attacks/leaks.py") }, 30),
    (Class { name: "files", text: include_str!("attacks/files.py") }, 39),
    (Class { name: "escape", text: include_str!("attacks/escape.py") }, 28),
    (Class { name: "processes", text: include_str!("attacks/processes.py") }, 43),
    (Class { name: "network", text: include_str!("attacks/network.py") }, 27),
    (Class { name: "kernel", text: include_str!("attacks/kernel.py") }, 70),
];
const CHANNELS: (Class, usize) = (Class { name: "channels", text: include_str!("attacks/channels.py") }, 18);

/// What does not hold yet, where, and what it lets a program do.
const OPEN: &[(&str, When, &str)] = &[
    ("names_of_the_host_in_mounts", When::Always, "read where the image lies on the host, the user's home included"),
    ("the_control_group_of_this_cell", When::Bounded, "read the number of its supervisor's process and when it began"),
    ("see_a_record_lock", When::Always, "signal to another cell by locks on the image they share"),
    ("address_of_a_library", When::Warm, "know where the libraries of all cells of one zygote lie"),
    ("address_of_an_object", When::Warm, "know where the first objects of all cells of one zygote lie"),
];

for_each_setting! {
    fn files(setting) { checks::hold(setting, &class("files")); }
    fn escape(setting) { checks::hold(setting, &class("escape")); }
    fn processes(setting) { checks::hold(setting, &class("processes")); }
    fn network(setting) { checks::hold(setting, &class("network")); }
    fn kernel(setting) { checks::hold(setting, &class("kernel")); }
}

#[test]
fn warm_as_we_are() {
    hold_warm(User::Own);
}

#[test]
fn warm_as_an_ordinary_user() {
    if ordinary_user_is_possible("all attacks on warm cells") {
        hold_warm(User::Ordinary);
    }
}

/// Everything that holds of cold cells holds of warm ones, which one broker gives one after the other.
fn hold_warm(user: User) {
    let setting = Setting { speed: Speed::Warm, user };
    let _broker = setting.ground();
    let all = [ALL, bombs::ALL, left::ALL, together::ALL].concat();
    let broken: Vec<&str> =
        all.iter().filter(|(_, holds)| catch_unwind(|| holds(setting)).is_err()).map(|(name, _)| *name).collect();
    assert!(broken.is_empty(), "of {} on warm cells, as told above: {broken:#?}", all.len());
}

/// The class of that name.
fn class(name: &str) -> Class {
    CLASSES.iter().map(|(class, _)| *class).find(|class| class.name == name).expect("one of the classes")
}

#[test]
fn no_class_shrinks() {
    for (class, count) in CLASSES.iter().chain([&CHANNELS]) {
        assert_eq!(class.names().len(), *count, "the checks of {} and the table above", class.name);
    }
    let mut names: Vec<&str> = CLASSES.iter().chain([&CHANNELS]).flat_map(|(class, _)| class.names()).collect();
    names.extend(bombs::NAMES.iter().chain(left::NAMES).chain(together::ADDRESSES));
    for (name, ..) in OPEN {
        assert!(names.contains(name), "{name} is open and no check");
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "two checks share a name");
}
