//! What a cell must not leave behind: processes, control groups, job folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::Place;

/// A line for programs to print first; it names their cell to [`Before::nothing_is_left`].
/// The number of its namespace is given to the next one when it is gone, so the moment when the program began is a part.
pub const NAME_THE_CELL: &str = "import os; print('cell', os.readlink('/proc/self/ns/pid') + '/' + \
    open('/proc/self/stat').read().rsplit(')')[1].split()[19], flush=True)\n";

/// What was there before a run.
pub struct Before {
    groups: BTreeSet<PathBuf>,
}

impl Before {
    pub fn look() -> Before {
        Before { groups: groups() }
    }

    /// Holds after a command has ended: its cells are gone, whole, and those who cleared them away.
    #[track_caller]
    pub fn nothing_is_left(&self, place: &Place, stdout: &str) {
        self.no_cell_is_left(place, stdout);
        assert_eq!(processes_of(place), Vec::<u32>::new(), "processes of the command outlive it");
    }

    /// The same where a broker stays.
    #[track_caller]
    pub fn no_cell_is_left(&self, place: &Place, stdout: &str) {
        if let Some(namespace) = cell_named_in(stdout) {
            assert_eq!(staying(|| processes_in(&namespace)), Vec::<u32>::new(), "processes of the cell outlive it");
        }
        assert_eq!(self.orphaned_groups(), Vec::<PathBuf>::new(), "control groups outlive their cell");
        let jobs: Vec<_> = fs::read_dir(place.data().join("jobs")).into_iter().flatten().flatten().collect();
        assert!(jobs.is_empty(), "folders of jobs are left: {jobs:?}");
    }
}

impl Before {
    /// New groups whose maker is gone, and which stay so: one of a test beside this one, whose maker was killed, is taken
    /// away by whoever makes a cell next.
    fn orphaned_groups(&self) -> Vec<PathBuf> {
        const SWEPT_WITHIN: Duration = Duration::from_secs(10);
        let begin = Instant::now();
        loop {
            let is_dead =
                |group: &&PathBuf| owner(group).is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists());
            let found: Vec<PathBuf> = groups().difference(&self.groups).filter(is_dead).cloned().collect();
            if found.is_empty() || begin.elapsed() > SWEPT_WITHIN {
                return found;
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// What a program printed with [`NAME_THE_CELL`].
pub fn cell_named_in(stdout: &str) -> Option<String> {
    stdout.lines().find_map(|line| line.strip_prefix("cell ")).map(str::to_string)
}

/// Those of the processes that stay: the kernel takes a killed cell apart in its own time.
fn staying(find: impl Fn() -> Vec<u32>) -> Vec<u32> {
    const CELL_LIFE_MAX: Duration = Duration::from_secs(15);
    let begin = Instant::now();
    loop {
        let found = find();
        if found.is_empty() || begin.elapsed() > CELL_LIFE_MAX {
            return found;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Processes in that pid namespace, or in that cell.
pub fn processes_in(cell: &str) -> Vec<u32> {
    let (namespace, begun) =
        cell.split_once('/').map_or((cell, None), |(namespace, begun)| (namespace, begun.parse().ok()));
    let found = processes(|process| fs::read_link(process.join("ns/pid")).is_ok_and(|own| own == Path::new(namespace)));
    // Nobody is in a cell before its init.
    let began_later = |pid: &u32| init_began(*pid) > begun;
    let is_anothers = begun.is_some() && found.iter().any(began_later);
    if is_anothers { Vec::new() } else { found }
}

/// When a process began that is the first of its namespace.
fn init_began(pid: u32) -> Option<u64> {
    let process = Path::new("/proc").join(pid.to_string());
    let status = fs::read_to_string(process.join("status")).ok()?;
    let inmost = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace().last()?.to_string();
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    let began = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    (inmost == "1").then_some(began)
}

/// Processes that execute the place's program: commands and supervisors.
pub fn processes_of(place: &Place) -> Vec<u32> {
    let program = place.program();
    processes(|process| fs::read_link(process.join("exe")).is_ok_and(|file| file == program))
}

/// Supervisors among them.
pub fn supervisors_of(place: &Place) -> Vec<u32> {
    let supervises = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == b"__cell")
    };
    processes_of(place).into_iter().filter(supervises).collect()
}

/// The pid namespaces of the cells of these supervisors.
pub fn cells_of(supervisors: &[u32]) -> Vec<String> {
    let children = supervisors.iter().flat_map(|pid| {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().map(str::to_string).collect::<Vec<_>>()
    });
    let namespaces = children.filter_map(|child| fs::read_link(format!("/proc/{child}/ns/pid")).ok());
    namespaces.map(|namespace| namespace.to_string_lossy().into_owned()).collect()
}

/// Waits until it holds.
#[track_caller]
pub fn soon(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "never came true: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn processes(chosen: impl Fn(&Path) -> bool) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("proc is mounted").flatten();
    let numbered = entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
    numbered.filter(|(_, path)| chosen(path)).map(|(pid, _)| pid).collect()
}

/// The control groups of all cells, of these tests and of others.
fn groups() -> BTreeSet<PathBuf> {
    let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let parents = membership.lines().filter_map(|line| {
        let (controllers, own) = line.split_once(':')?.1.split_once(':')?;
        let group = |name| Path::new("/sys/fs/cgroup").join(name).join(own.trim_start_matches('/'));
        // Version 2 names no controllers, and its groups lie below one of those above our own.
        let above = if controllers.is_empty() { usize::MAX } else { 1 };
        let parents = |name| group(name).ancestors().take(above).map(|one| one.join("assay")).collect::<Vec<_>>();
        Some(controllers.split(',').flat_map(parents).collect::<Vec<_>>())
    });
    let entries = parents.flatten().filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// A group's name begins with the pid of the supervisor that made it.
fn owner(group: &Path) -> Option<u32> {
    group.file_name()?.to_str()?.split('-').next()?.parse().ok()
}
