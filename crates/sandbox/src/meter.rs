//! Measures and bounds what a cell uses: a control group where we may make one (version 2, else 1), otherwise a watchdog
//! that reads `/proc`. The watchdog is weaker (it samples, so a burst between two samples is seen late) and says so.

mod cgroup1;
mod cgroup2;
mod watchdog;

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::policy::{FORKS_REFUSED_MAX, Policy};
use crate::protocol::KilledBy;
use cgroup1::Cgroup1;
use cgroup2::Cgroup2;
use watchdog::Watchdog;

/// What a process writes to a door to go through it.
pub const ENTER: &[u8] = b"0";

/// What a cell uses at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// So far, over all processes.
    pub cpu_ms: f64,
    /// At the highest seen, over all processes.
    pub memory_peak_bytes: u64,
    /// Now; zero where the kernel itself keeps it below the limit.
    memory_bytes: u64,
    forks_refused: u64,
    memory_kills: u64,
}

/// Bounds one cell.
pub struct Meter {
    means: Means,
    /// What was used before the program began.
    before: Sample,
}

enum Means {
    Cgroup1(Cgroup1),
    Cgroup2(Cgroup2),
    Watchdog(Watchdog),
    Nothing,
}

impl Meter {
    /// Takes a control group if there is one to be had.
    pub fn new(policy: &Policy, name: &str) -> Meter {
        let means = Cgroup2::make(policy, name)
            .map(Means::Cgroup2)
            .or_else(|_| Cgroup1::make(policy, name).map(Means::Cgroup1))
            .unwrap_or_else(|_| Means::Watchdog(Watchdog { limit_bytes: policy.memory_bytes, ..Watchdog::default() }));
        Meter { means, before: Sample::default() }
    }

    /// Counts nothing and bounds nothing.
    pub fn nothing() -> Meter {
        Meter { means: Means::Nothing, before: Sample::default() }
    }

    /// The word for it in results.
    pub fn name(&self) -> &'static str {
        match self.means {
            Means::Cgroup1(_) => "cgroup1",
            Means::Cgroup2(_) => "cgroup2",
            Means::Watchdog(_) => "watchdog",
            Means::Nothing => "none",
        }
    }

    /// Whether memory is bounded however it is taken.
    pub fn bounds_memory(&self) -> bool {
        matches!(self.means, Means::Cgroup1(_) | Means::Cgroup2(_))
    }

    /// Where a process can be born so that it, and everything it starts, is counted: then it has no door to go through.
    pub fn birthplace(&self) -> io::Result<Option<OwnedFd>> {
        match &self.means {
            Means::Cgroup2(cgroup) => cgroup.birthplace().map(Some),
            Means::Cgroup1(_) | Means::Watchdog(_) | Means::Nothing => Ok(None),
        }
    }

    /// What a process writes [`ENTER`] to so that it, and everything it starts, is counted. It does so itself: to move
    /// another process the kernel stops every fork and exit of the machine first, which takes ten milliseconds. (Version 2
    /// does so in any case, which is why whoever can is born in its group.)
    pub fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        match &self.means {
            Means::Cgroup1(cgroup) => cgroup.doors(),
            Means::Cgroup2(cgroup) => cgroup.doors(),
            Means::Watchdog(_) | Means::Nothing => Ok(Vec::new()),
        }
    }

    /// Whether a process is counted; asked from outside, once it should be.
    pub fn counts(&mut self, process: i32) -> Result<(), String> {
        let groups = || fs::read_to_string(format!("/proc/{process}/cgroup")).map_err(|error| error.to_string());
        let inside = match &mut self.means {
            Means::Cgroup1(cgroup) => cgroup.holds(&groups()?),
            Means::Cgroup2(cgroup) => cgroup.holds(&groups()?),
            Means::Watchdog(watchdog) => {
                watchdog.roots.push(process);
                true
            }
            Means::Nothing => true,
        };
        if inside { Ok(()) } else { Err("it is not in its control group".into()) }
    }

    /// What is written to a tmpfs is memory, too. A control group counts it by itself.
    pub fn watch_scratch(&mut self, inside: &OwnedFd) -> io::Result<()> {
        if let Means::Watchdog(watchdog) = &mut self.means {
            watchdog.scratch = Some(inside.try_clone()?);
        }
        Ok(())
    }

    /// Begins a program: what was used so far is not its doing, and this is what it may use.
    pub fn begin(&mut self, memory_bytes: u64) -> io::Result<()> {
        match &mut self.means {
            Means::Cgroup1(cgroup) => cgroup.begin(memory_bytes)?,
            Means::Cgroup2(cgroup) => cgroup.begin(memory_bytes)?,
            Means::Watchdog(watchdog) => watchdog.limit_bytes = u64::MAX,
            Means::Nothing => {}
        }
        self.before = Sample::default();
        self.before = self.sample();
        if let Means::Watchdog(watchdog) = &mut self.means {
            (watchdog.peak_bytes, watchdog.limit_bytes) = (0, memory_bytes);
        }
        Ok(())
    }

    /// What has been used.
    pub fn sample(&mut self) -> Sample {
        let sample = match &mut self.means {
            Means::Cgroup1(cgroup) => cgroup.sample(),
            Means::Cgroup2(cgroup) => cgroup.sample(),
            Means::Watchdog(watchdog) => watchdog.sample(self.before.memory_bytes),
            Means::Nothing => Sample::default(),
        };
        Sample {
            cpu_ms: (sample.cpu_ms - self.before.cpu_ms).max(0.0),
            forks_refused: sample.forks_refused - self.before.forks_refused.min(sample.forks_refused),
            ..sample
        }
    }
}

impl Sample {
    /// The limit that has been reached, if one has.
    pub fn exceeded(&self, policy: &Policy) -> Option<KilledBy> {
        if self.memory_kills > 0 || self.memory_bytes > policy.memory_bytes {
            Some(KilledBy::Memory)
        } else if self.forks_refused > FORKS_REFUSED_MAX {
            Some(KilledBy::Processes)
        } else if self.cpu_ms > policy.cpu_ms as f64 {
            Some(KilledBy::Time)
        } else {
            None
        }
    }
}

/// Why no control group of version 2 is to be had here, if none is.
pub fn refusal() -> Option<String> {
    let name = format!("{}-refusal", std::process::id());
    Cgroup2::make(&Policy::analysis(), &name).err().map(|error| error.to_string())
}

/// Removes the empty groups of processes that were killed before they could. A group's name begins with its maker's pid,
/// so this is for processes that see all pids.
pub fn sweep() {
    for parent in cgroup1::parents().into_iter().chain(cgroup2::parents()) {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.split('-').next()?.parse::<u32>().ok());
            if owner.is_some_and(is_gone) {
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Whether a process has ended; one that nobody has waited for yet has.
fn is_gone(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, Some('Z' | 'X'))
}

/// Removes a group whose processes may still be on their way out.
fn remove(group: &Path) {
    const TRIES_MAX: usize = 50;
    const PAUSE: Duration = Duration::from_millis(2);
    for _ in 0..TRIES_MAX {
        match fs::remove_dir(group) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => std::thread::sleep(PAUSE),
            _ => break,
        }
    }
}

fn create(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn door(group: &Path, name: &str) -> io::Result<OwnedFd> {
    Ok(File::options().write(true).open(group.join(name))?.into())
}

/// A file of a group that is read again and again, held open. One that is not there counts nothing.
struct Counter(Option<File>);

impl Counter {
    fn open(path: PathBuf) -> Counter {
        Counter(File::open(path).ok())
    }

    /// What that means is the file's affair; one that cannot be written stays as it is.
    fn write(&self, text: &str) {
        let _ = self.0.as_ref().map(|file| file.write_at(text.as_bytes(), 0));
    }

    fn text(&self) -> String {
        const BYTES_MAX: usize = 4096;
        let mut buffer = [0; BYTES_MAX];
        let read = self.0.as_ref().and_then(|file| file.read_at(&mut buffer, 0).ok());
        String::from_utf8_lossy(&buffer[..read.unwrap_or(0)]).into_owned()
    }

    fn number(&self) -> u64 {
        self.text().trim().parse().unwrap_or(0)
    }

    fn labelled(&self, label: &str) -> u64 {
        let text = self.text();
        let value = text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(' '));
        value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    }
}
