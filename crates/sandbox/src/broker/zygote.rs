//! The broker's side of the zygote: a Python process with the libraries imported, from which workers are forked.
//!
//! It never sees a user's code or data. What is said: settings to it once, then one message with five descriptors per
//! worker; from it `ready`, the pid of each worker it forked, and how each ended.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::wire::Breadth;
use crate::isolate::{self, Failure, INNER_ID, Step};
use crate::layers;
use crate::policy::{MEMORY_BYTES_MAX, Policy, Profile, WALL_MS_MAX};
use crate::{seccomp, supervisor, sys};

const MESSAGE_BYTES_MAX: usize = 64 * 1024;
const LINK: RawFd = 3;

/// A running zygote.
pub struct Zygote {
    /// What it has imported.
    pub breadth: Breadth,
    /// Its process.
    pub pid: i32,
    /// Its process.
    pub pidfd: OwnedFd,
    /// The way to it.
    pub link: OwnedFd,
    /// Whether it has imported everything.
    pub ready: bool,
}

/// What the zygote says.
#[derive(Debug, Deserialize)]
#[serde(tag = "said", rename_all = "lowercase")]
pub enum Said {
    /// Everything is imported.
    Ready,
    /// It cannot go on.
    Broken {
        /// Why.
        error: String,
    },
    /// A worker was forked.
    Forked {
        /// For which cell.
        cell: u64,
        /// Its process.
        pid: i32,
    },
    /// A worker could not be forked.
    Failed {
        /// For which cell.
        cell: u64,
        /// Why.
        error: String,
    },
    /// A worker ended.
    Ended {
        /// Its process.
        pid: i32,
        /// The status it gave.
        exit_code: Option<i32>,
        /// The signal it died by.
        signal: Option<i32>,
        /// What it used.
        cpu_ms: f64,
        /// What it used.
        memory_peak_bytes: u64,
    },
}

/// What a zygote must know to shut workers in.
#[derive(Serialize)]
struct Settings {
    inner_id: u32,
    namespaces: i32,
    breadth: Breadth,
    profiles: Vec<ProfileSettings>,
}

#[derive(Serialize)]
struct ProfileSettings {
    profile: Profile,
    limits: Vec<(u32, u64)>,
    /// The seccomp program, in hexadecimal.
    filter: String,
}

/// What a worker of a profile has unless its order says otherwise.
pub fn default_policy(profile: Profile) -> Policy {
    if profile == Profile::Analysis { Policy::analysis() } else { Policy::task() }
}

/// The most of what an order can ask for: limits of a process can be lowered later, never raised.
pub fn ceiling(profile: Profile) -> Policy {
    Policy { memory_bytes: MEMORY_BYTES_MAX, cpu_ms: WALL_MS_MAX, wall_ms: WALL_MS_MAX, ..default_policy(profile) }
}

impl Zygote {
    /// Starts one; it needs a while until it is ready.
    pub fn start(image: &Path, kernel: &Path, breadth: Breadth, memory_is_bounded: bool) -> Result<Zygote, Failure> {
        let (link, theirs) = sys::message_pair().step("make a channel to the zygote")?;
        let cloned = sys::clone_process(libc::CLONE_NEWNS, None).step("start the zygote")?;
        let sys::Cloned::Parent { pid, pidfd } = cloned else { be_zygote(image, kernel, breadth, &theirs) };
        let zygote = Zygote { breadth, pid, pidfd, link, ready: false };
        let profile = |profile: Profile| ProfileSettings {
            profile,
            limits: isolate::limits(&ceiling(profile), memory_is_bounded),
            filter: seccomp::program(profile, memory_is_bounded).iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let settings = Settings {
            inner_id: INNER_ID,
            breadth,
            namespaces: layers::namespaces(&[]) & !libc::CLONE_NEWPID,
            profiles: vec![profile(Profile::Analysis), profile(Profile::Task)],
        };
        zygote.tell(&settings, &[]).step("tell the zygote its settings")?;
        Ok(zygote)
    }

    /// Has a worker forked into a cell; in a hurry it does not warm up first.
    pub fn fork(&self, cell: u64, profile: Profile, hurry: bool, descriptors: &[RawFd]) -> io::Result<()> {
        #[derive(Serialize)]
        struct Fork {
            cell: u64,
            profile: Profile,
            hurry: bool,
        }
        self.tell(&Fork { cell, profile, hurry }, descriptors)
    }

    fn tell(&self, message: &impl Serialize, descriptors: &[RawFd]) -> io::Result<()> {
        sys::send(self.link.as_raw_fd(), &serde_json::to_vec(message)?, descriptors).map(drop)
    }

    /// The next thing it said; to be called when there is something.
    pub fn hear(&self) -> io::Result<Said> {
        let mut bytes = vec![0; MESSAGE_BYTES_MAX];
        let (count, _) = sys::receive(self.link.as_raw_fd(), &mut bytes)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&bytes[..count])?)
    }
}

fn be_zygote(image: &Path, kernel: &Path, breadth: Breadth, link: &OwnedFd) -> ! {
    let entered = isolate::enter_zygote(image, kernel).is_ok()
        && sys::die_with_parent().is_ok()
        && [0, 1, 2].into_iter().all(|target| sys::place_null(target).is_ok())
        && sys::place(link.as_raw_fd(), LINK).is_ok()
        && sys::close_from(LINK + 1).is_ok();
    if !entered {
        sys::exit(1);
    }
    let told = if breadth == Breadth::Light { "light" } else { "full" };
    supervisor::exec_python(
        "zygote",
        Some(told),
        &[c"JE_ARROW_MALLOC_CONF=background_thread:false".to_owned()] as &[CString],
    )
}
