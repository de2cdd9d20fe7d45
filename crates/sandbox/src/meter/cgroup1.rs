//! Version 1 control groups: one group below our own in each of three hierarchies, removed when dropped.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::{Counter, Sample, create, door, remove};
use crate::policy::Policy;

const MOUNT: &str = "/sys/fs/cgroup";
const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpuacct"];

/// Where one cell is counted.
pub struct Cgroup1 {
    memory: PathBuf,
    pids: PathBuf,
    cpuacct: PathBuf,
    memory_bytes: u64,
    counters: OnceCell<Counters>,
}

struct Counters {
    cpu_ns: Counter,
    memory_peak: Counter,
    forks: Counter,
    kills: Counter,
}

impl Cgroup1 {
    /// Makes the groups with their limits.
    pub fn make(policy: &Policy, name: &str) -> io::Result<Cgroup1> {
        let membership = fs::read_to_string("/proc/self/cgroup")?;
        let group = |controller: &str| -> io::Result<PathBuf> {
            let parent = parent(&membership, controller)?;
            create(&parent)?;
            Ok(parent.join(name))
        };
        let [memory, pids, cpuacct] = [group("memory")?, group("pids")?, group("cpuacct")?];
        let memory_bytes = policy.memory_bytes;
        let cgroup = Cgroup1 { memory, pids, cpuacct, memory_bytes, counters: OnceCell::new() };
        for path in cgroup.paths() {
            fs::create_dir(path)?;
        }
        cgroup.limit_memory(policy.memory_bytes)?;
        fs::write(cgroup.pids.join("pids.max"), (policy.processes + 1).to_string())?;
        Ok(cgroup)
    }

    fn paths(&self) -> [&Path; 3] {
        [&self.memory, &self.pids, &self.cpuacct]
    }

    /// `tasks` and not `cgroup.procs`: for a thread that moves itself, the kernel waits for nobody.
    pub fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        self.paths().into_iter().map(|path| door(path, "tasks")).collect()
    }

    /// Whether a process with that `/proc/<pid>/cgroup` is in all of the groups.
    pub fn holds(&self, membership: &str) -> bool {
        CONTROLLERS.iter().zip(self.paths()).all(|(controller, path)| {
            let below = path.strip_prefix(Path::new(MOUNT).join(controller)).ok();
            below.is_some() && own_group(membership, controller).map(Path::new) == below
        })
    }

    /// Forgets the peak and sets another limit.
    pub fn begin(&mut self, memory_bytes: u64) -> io::Result<()> {
        if memory_bytes != self.memory_bytes {
            self.limit_memory(memory_bytes)?;
            self.memory_bytes = memory_bytes;
        }
        fs::write(self.memory.join("memory.max_usage_in_bytes"), "0")
    }

    /// The limit with swap can never be the lower one, so one of the two orders is refused and the other holds. It is
    /// only there when the kernel counts swap.
    fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        let limit = bytes.to_string();
        let with_swap = self.memory.join("memory.memsw.limit_in_bytes");
        let _ = fs::write(&with_swap, &limit);
        fs::write(self.memory.join("memory.limit_in_bytes"), &limit)?;
        let _ = fs::write(&with_swap, &limit);
        Ok(())
    }

    /// What is used now.
    pub fn sample(&self) -> Sample {
        let counters = self.counters.get_or_init(|| Counters {
            cpu_ns: Counter::open(self.cpuacct.join("cpuacct.usage")),
            memory_peak: Counter::open(self.memory.join("memory.max_usage_in_bytes")),
            forks: Counter::open(self.pids.join("pids.events")),
            kills: Counter::open(self.memory.join("memory.oom_control")),
        });
        Sample {
            cpu_ms: counters.cpu_ns.number() as f64 / 1e6,
            memory_peak_bytes: counters.memory_peak.number(),
            memory_bytes: 0,
            forks_refused: counters.forks.labelled("max"),
            memory_kills: counters.kills.labelled("oom_kill"),
        }
    }
}

impl Drop for Cgroup1 {
    fn drop(&mut self) {
        self.paths().into_iter().for_each(remove);
    }
}

/// The folders our groups lie in.
pub fn parents() -> Vec<PathBuf> {
    let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    CONTROLLERS.iter().filter_map(|controller| parent(&membership, controller).ok()).collect()
}

/// `<mount>/<our own group>/assay`.
fn parent(membership: &str, controller: &str) -> io::Result<PathBuf> {
    let own = own_group(membership, controller).ok_or(io::ErrorKind::NotFound)?;
    Ok(Path::new(MOUNT).join(controller).join(own).join("assay"))
}

/// The group of a process in one hierarchy, below that hierarchy's mount.
fn own_group<'a>(membership: &'a str, controller: &str) -> Option<&'a str> {
    membership
        .lines()
        .filter_map(|line| line.split_once(':')?.1.split_once(':'))
        .find(|(controllers, _)| controllers.split(',').any(|one| one == controller))
        .map(|(_, path)| path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_controller_is_an_error_and_not_a_guess() {
        assert!(parent("0::/\n3:cpu:/x\n", "memory").is_err());
        let found = parent("4:memory,x:/a/b\n", "memory").expect("it is there");
        assert_eq!(found, Path::new("/sys/fs/cgroup/memory/a/b/assay"));
    }

    #[test]
    fn a_process_is_counted_when_it_is_in_every_group() {
        let [memory, pids, cpuacct] =
            CONTROLLERS.map(|controller| Path::new(MOUNT).join(controller).join("a/assay/7-1"));
        let cgroup =
            std::mem::ManuallyDrop::new(Cgroup1 { memory, pids, cpuacct, memory_bytes: 0, counters: OnceCell::new() });
        assert!(cgroup.holds("3:memory:/a/assay/7-1\n2:pids:/a/assay/7-1\n1:cpu,cpuacct:/a/assay/7-1\n"));
        assert!(!cgroup.holds("3:memory:/a/assay/7-1\n2:pids:/a/assay/7-1\n1:cpu,cpuacct:/a\n"));
        assert!(!cgroup.holds("3:memory:/a/assay/7-12\n2:pids:/a/assay/7-1\n1:cpu,cpuacct:/a/assay/7-1\n"));
        assert!(!cgroup.holds("2:pids:/a/assay/7-1\n1:cpu,cpuacct:/a/assay/7-1\n"));
    }
}
