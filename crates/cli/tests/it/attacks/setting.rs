//! In which settings the suite runs: made for the command alone or taken from the resident broker, as whoever runs the
//! tests or as an ordinary user.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::leftovers::{Before, NAME_THE_CELL, cell_named_in};
use crate::support::{Call, Place, User};

/// Where cells come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    Cold,
    Warm,
}

/// Where cells come from, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub speed: Speed,
    pub user: User,
}

/// In which cells something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// Where a control group bounds memory.
    Bounded,
    /// In cells of the resident broker.
    Warm,
}

/// Defines a test per user for cold cells, and the list `ALL` for warm ones, whose broker they share.
macro_rules! for_each_setting {
    ($($(#[$note:meta])* fn $name:ident($setting:ident) $body:block)*) => {
        /// By name.
        pub const ALL: &[(&str, fn($crate::attacks::setting::Setting))] = &[$((stringify!($name), $name::holds)),*];

        $($(#[$note])* mod $name {
            #[allow(unused_imports)]
            use super::*;
            use $crate::attacks::setting::{Setting, Speed};
            use $crate::support::User;

            pub fn holds($setting: Setting) $body

            #[test]
            fn cold_as_we_are() {
                holds(Setting { speed: Speed::Cold, user: User::Own });
            }

            #[test]
            fn cold_as_an_ordinary_user() {
                if $crate::support::ordinary_user_is_possible(stringify!($name)) {
                    holds(Setting { speed: Speed::Cold, user: User::Ordinary });
                }
            }
        })*
    };
}
pub(crate) use for_each_setting;

impl Setting {
    /// A place whose cells come from where this setting says. Who holds a warm one keeps its broker for others.
    pub fn ground(self) -> Ground {
        let resident = match self.speed {
            Speed::Cold => Arc::new(Resident { place: Place::of(self.user), speed: self.speed }),
            Speed::Warm => resident(self.user),
        };
        Ground { setting: self, resident }
    }
}

/// A place, with its broker if it has one, which is stopped with the last test that uses it.
struct Resident {
    place: Place,
    speed: Speed,
}

impl Drop for Resident {
    fn drop(&mut self) {
        if self.speed == Speed::Warm {
            let _ = self.place.assay(["sandbox", "stop", "--json"]).env("ASSAY_BROKER", "on").start().wait();
        }
    }
}

/// The broker that warm tests of a user share: making one takes longer than most tests.
fn resident(user: User) -> Arc<Resident> {
    static OF_OWN: Mutex<Weak<Resident>> = Mutex::new(Weak::new());
    static OF_ORDINARY: Mutex<Weak<Resident>> = Mutex::new(Weak::new());
    let shared = if user == User::Own { &OF_OWN } else { &OF_ORDINARY };
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let resident = Arc::new(Resident { place: Place::of(user), speed: Speed::Warm });
        let first = resident.place.file("first.py", "print(1)\n");
        let run = resident.place.assay(["sandbox", "run", first.to_str().unwrap(), "--json"]);
        run.env("ASSAY_BROKER", "on").run().exits(0);
        await_idle_workers(&resident.place);
        *shared = Arc::downgrade(&resident);
        resident
    })
}

/// Waits until the broker has a worker to give.
#[track_caller]
fn await_idle_workers(place: &Place) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let told = place.assay(["sandbox", "status", "--json"]).env("ASSAY_BROKER", "on").run().stdout;
        let status: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"));
        if status["idle"].as_u64().is_some_and(|idle| idle > 0) {
            return;
        }
        assert!(Instant::now() < deadline, "the broker has no idle worker: {status}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Where a test runs its programs.
pub struct Ground {
    pub setting: Setting,
    resident: Arc<Resident>,
}

/// What became of a program.
pub struct Attacked {
    pub document: Value,
    pub elapsed: Duration,
}

impl Ground {
    pub fn place(&self) -> &Place {
        &self.resident.place
    }

    /// A new empty folder of the place's user. Tests share warm places.
    pub fn own_folder(&self) -> PathBuf {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        self.place().folder(&format!("results-{}", MADE.fetch_add(1, Ordering::Relaxed)))
    }

    /// The command that runs a program, and the program's own name for it.
    pub fn call(&self, name: &str, code: &str, flags: &[&str]) -> Call {
        let file = self.own_folder().join(name);
        fs::write(&file, format!("{NAME_THE_CELL}{code}")).expect("a file");
        let command = ["sandbox", "run", file.to_str().unwrap(), "--json"];
        let call = self.place().assay(command.iter().chain(flags)).env("SECRET_TOKEN", "hunter2");
        match self.setting.speed {
            Speed::Cold => call.env("ASSAY_BROKER", "off"),
            Speed::Warm => {
                await_idle_workers(self.place());
                call.env("ASSAY_BROKER", "on")
            }
        }
    }

    /// Runs a hostile program, checks that nothing is left of it, and gives its document.
    #[track_caller]
    pub fn attack(&self, name: &str, code: &str, flags: &[&str]) -> Attacked {
        let before = Before::look();
        let ran = self.call(name, code, flags).stdin("typed by the user").run();
        let document = ran.document();
        assert!(!ran.stdout.contains("hunter2"), "the environment leaked");
        assert_eq!(ran.code, Some(if document["outcome"] == "ok" { 0 } else { 1 }), "{document}");
        self.is_over(&before, &document);
        Attacked { document, elapsed: ran.elapsed }
    }

    /// What must hold of every program that has ended: it was isolated as asked for, and nothing is left of it.
    #[track_caller]
    pub fn is_over(&self, before: &Before, document: &Value) {
        let stdout = document["stdout"].as_str().unwrap();
        assert!(cell_named_in(stdout).is_some(), "the program did not even begin: {document}");
        assert_eq!(document["isolation"]["warm"], self.setting.speed == Speed::Warm, "{document}");
        match self.setting.speed {
            Speed::Cold => before.nothing_is_left(self.place(), stdout),
            Speed::Warm => before.no_cell_is_left(self.place(), stdout),
        }
    }
}

impl Attacked {
    /// Whether a control group bounds the cell's memory.
    pub fn is_bounded(&self) -> bool {
        self.document["isolation"]["memory"] != "watchdog"
    }

    /// Whether something that is so in some cells is so in this one.
    pub fn is(&self, when: When) -> bool {
        match when {
            When::Always => true,
            When::Bounded => self.is_bounded(),
            When::Warm => self.document["isolation"]["warm"] == true,
        }
    }
}
