//! Measures and bounds what a cell uses: a version 1 control group where we may make one, otherwise a watchdog that
//! reads `/proc`. The watchdog is weaker (it samples, so a burst between two samples is seen late) and says so.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::policy::{FORKS_REFUSED_MAX, Policy};
use crate::protocol::KilledBy;

/// What a cell uses at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// So far, over all processes.
    pub cpu_ms: f64,
    /// At the highest seen, over all processes.
    pub memory_peak_bytes: u64,
    /// Now.
    memory_bytes: u64,
    forks_refused: u64,
    memory_kills: u64,
}

/// Bounds one cell.
pub enum Meter {
    /// The kernel counts and kills.
    Cgroup1(Cgroup1),
    /// We count and kill.
    Watchdog { init: i32, peak_bytes: u64 },
}

impl Meter {
    /// Takes a control group if there is one to be had.
    pub fn new(policy: &Policy, name: &str) -> Meter {
        match Cgroup1::make(policy, name) {
            Ok(cgroup) => Meter::Cgroup1(cgroup),
            Err(_) => Meter::Watchdog { init: 0, peak_bytes: 0 },
        }
    }

    /// The word for it in results.
    pub fn name(&self) -> &'static str {
        match self {
            Meter::Cgroup1(_) => "cgroup1",
            Meter::Watchdog { .. } => "watchdog",
        }
    }

    /// Whether memory is bounded however it is taken.
    pub fn bounds_memory(&self) -> bool {
        matches!(self, Meter::Cgroup1(_))
    }

    /// Begins to count the cell whose first process is `init`.
    pub fn attach(&mut self, init: i32) -> io::Result<()> {
        match self {
            Meter::Cgroup1(cgroup) => cgroup.attach(init),
            Meter::Watchdog { init: watched, .. } => {
                *watched = init;
                Ok(())
            }
        }
    }

    /// What is used now.
    pub fn sample(&mut self) -> Sample {
        match self {
            Meter::Cgroup1(cgroup) => cgroup.sample(),
            Meter::Watchdog { init, peak_bytes } => {
                let mut sample = sample_processes(*init);
                *peak_bytes = sample.memory_bytes.max(*peak_bytes);
                sample.memory_peak_bytes = *peak_bytes;
                sample
            }
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

/// One group below our own in each hierarchy; removed when dropped.
pub struct Cgroup1 {
    memory: PathBuf,
    pids: PathBuf,
    cpuacct: PathBuf,
}

impl Cgroup1 {
    fn make(policy: &Policy, name: &str) -> io::Result<Cgroup1> {
        let membership = fs::read_to_string("/proc/self/cgroup")?;
        let group = |controller: &str| group_path(&membership, controller, name);
        let cgroup = Cgroup1 { memory: group("memory")?, pids: group("pids")?, cpuacct: group("cpuacct")? };
        sweep(&cgroup);
        for path in cgroup.paths() {
            fs::create_dir(path)?;
        }
        let limit = policy.memory_bytes.to_string();
        fs::write(cgroup.memory.join("memory.limit_in_bytes"), &limit)?;
        // Only there when the kernel counts swap.
        let _ = fs::write(cgroup.memory.join("memory.memsw.limit_in_bytes"), &limit);
        fs::write(cgroup.pids.join("pids.max"), (policy.processes + 1).to_string())?;
        Ok(cgroup)
    }

    fn paths(&self) -> [&Path; 3] {
        [&self.memory, &self.pids, &self.cpuacct]
    }

    fn attach(&self, init: i32) -> io::Result<()> {
        for path in self.paths() {
            fs::write(path.join("cgroup.procs"), init.to_string())?;
        }
        Ok(())
    }

    fn sample(&self) -> Sample {
        let number = |path: PathBuf| -> u64 {
            fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
        };
        Sample {
            cpu_ms: number(self.cpuacct.join("cpuacct.usage")) as f64 / 1e6,
            memory_peak_bytes: number(self.memory.join("memory.max_usage_in_bytes")),
            // The kernel keeps it below the limit, so it cannot be what is exceeded.
            memory_bytes: 0,
            forks_refused: labelled(&self.pids.join("pids.events"), "max"),
            memory_kills: labelled(&self.memory.join("memory.oom_control"), "oom_kill"),
        }
    }
}

impl Drop for Cgroup1 {
    fn drop(&mut self) {
        const TRIES_MAX: usize = 50;
        for path in self.paths() {
            for _ in 0..TRIES_MAX {
                match fs::remove_dir(path) {
                    Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                        std::thread::sleep(std::time::Duration::from_millis(2));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// `<mount>/<our own group>/assay/<name>`, with the directory `assay` made.
fn group_path(membership: &str, controller: &str, name: &str) -> io::Result<PathBuf> {
    let own = membership
        .lines()
        .filter_map(|line| line.split_once(':')?.1.split_once(':'))
        .find(|(controllers, _)| controllers.split(',').any(|one| one == controller))
        .map(|(_, path)| path.trim_start_matches('/'))
        .ok_or(io::ErrorKind::NotFound)?;
    let parent = Path::new("/sys/fs/cgroup").join(controller).join(own).join("assay");
    match fs::create_dir(&parent) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(parent.join(name)),
    }
}

/// Removes the empty groups of supervisors that were killed before they could. A group's name begins with its pid.
fn sweep(cgroup: &Cgroup1) {
    for parent in cgroup.paths().iter().filter_map(|path| path.parent()) {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.split('-').next()?.parse::<u32>().ok());
            if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

fn labelled(path: &Path, label: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(' '));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Adds up `/proc` over `init` and everything below it.
fn sample_processes(init: i32) -> Sample {
    const PROCESSES_MAX: usize = 4096;
    const TICKS_PER_SECOND: f64 = 100.0;
    let mut sample = Sample::default();
    let mut pending = vec![init];
    let mut seen = 0;
    while let Some(pid) = pending.pop() {
        seen += 1;
        if seen > PROCESSES_MAX {
            break;
        }
        let process = Path::new("/proc").join(pid.to_string());
        let status = fs::read_to_string(process.join("statm")).unwrap_or_default();
        let pages: u64 = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        sample.memory_bytes += pages * 4096;
        let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
        // After the command's name, which may hold anything: utime, stime and those of reaped children.
        let after_name = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
        let ticks: u64 = after_name.split(' ').skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        sample.cpu_ms += ticks as f64 * 1000.0 / TICKS_PER_SECOND;
        for task in fs::read_dir(process.join("task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            pending.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_measured() {
        let sample = sample_processes(std::process::id() as i32);
        assert!(sample.memory_bytes > 1 << 20, "{sample:?}");
    }

    #[test]
    fn a_missing_controller_is_an_error_and_not_a_guess() {
        assert!(group_path("0::/\n3:cpu:/x\n", "memory", "1-a").is_err());
    }
}
