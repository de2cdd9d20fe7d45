//! Somebody else listens where the broker should: the command takes no harm, and its program runs in a cold cell.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::Value;

use crate::support::leftovers::processes_of;
use crate::support::resident::{Resident, Talker, is_right};
use crate::support::started::{Started, until};
use crate::support::{ORDINARY_ID, User, for_each_user, slow_is_wanted, we_are_root};

const SCRIPT: &str = include_str!("impostor.py");

/// How one of our own user misbehaves.
const MODES: &[&str] = &[
    "closes",
    "garbage",
    "no_json",
    "another_word",
    "too_long",
    "endless",
    "never",
    "cell_of_nothing",
    "cell_of_files",
    "cell_of_too_much",
    "dead_cell",
];
/// Takes as long as a program may, and a while.
const SLOW_MODES: &[&str] = &["deaf_cell"];

/// A place, the impostor in it, and a command that meets it.
struct Meeting {
    what: String,
    resident: Resident,
    impostor: Talker,
    command: Started,
}

impl Meeting {
    fn begin(user: User, mode: &str, owner: Option<u32>, listener: Option<u32>) -> Meeting {
        let resident = Resident::without_broker(user);
        let folder = resident.place.folder("data/broker");
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
        let is_stranger = owner.is_some() || listener.is_some();
        let run_by = (user == User::Ordinary && !is_stranger).then_some(ORDINARY_ID);
        let id = |user: Option<u32>| user.map_or("-1".to_string(), |user| user.to_string());
        let socket = resident.socket();
        let arguments = [socket.to_str().unwrap(), mode, &id(owner), &id(listener)];
        let mut impostor = Talker::start(run_by, SCRIPT, &arguments);
        assert_eq!(impostor.hears(), "up");
        // A cell that says nothing is given up at the program's limit and a while after.
        let command = Started::of(resident.call("print(6 * 7)", &["--time", "2s"]));
        Meeting { what: format!("{mode}, owner {owner:?}, listener {listener:?}"), resident, impostor, command }
    }

    /// Holds that the command ended right and cold; gives what the impostor heard.
    #[track_caller]
    fn ends(mut self) -> Value {
        let ran = self.command.ends();
        assert!(!is_right(&ran.document(), "42\n"), "{}", self.what);
        assert!(ran.elapsed < Duration::from_secs(35), "{}: {:?}", self.what, ran.elapsed);
        until("no process is left", || processes_of(&self.resident.place).is_empty().then_some(()));
        serde_json::from_str(&self.impostor.ends()).unwrap()
    }
}

for_each_user! {
    fn one_of_our_own_user_is_given_up(user) {
        let slow = if slow_is_wanted("a cell that never says anything") { SLOW_MODES } else { &[] };
        let meetings: Vec<Meeting> = MODES.iter().chain(slow).map(|mode| Meeting::begin(user, mode, None, None)).collect();
        for meeting in meetings {
            let what = meeting.what.clone();
            let heard = meeting.ends();
            assert_eq!(heard["connections"], 1, "{what}: it is met once, then no more: {heard}");
        }
    }

    fn one_of_another_user_hears_nothing(user) {
        if !we_are_root() {
            return eprintln!("skipped: one_of_another_user_hears_nothing: needs root");
        }
        let (own, other) = if user == User::Own { (0, ORDINARY_ID) } else { (ORDINARY_ID, 0) };
        let foreign_file = Meeting::begin(user, "never", Some(other), Some(own));
        let foreign_listener = Meeting::begin(user, "never", Some(own), Some(other));
        let heard = foreign_file.ends();
        assert_eq!(heard["connections"], 0, "a socket that is not ours is not even knocked at: {heard}");
        let heard = foreign_listener.ends();
        assert_eq!((&heard["connections"], &heard["bytes"]), (&1.into(), &0.into()), "{heard}");
    }
}
