//! Version 2 control groups: one group, removed when dropped.
//!
//! A group that holds processes cannot give controllers to groups below it, and our own group holds us. So a cell's group
//! is made below the nearest ancestor that already gives `memory` and `pids` to its children and lets us write: that is
//! what a service manager delegates to a user, and what root has.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::{Counter, Sample, create, door, remove};
use crate::policy::Policy;

/// Where one cell is counted.
pub struct Cgroup2 {
    group: PathBuf,
    counters: OnceCell<Counters>,
}

struct Counters {
    cpu: Counter,
    memory_peak: Counter,
    forks: Counter,
    kills: Counter,
}

impl Cgroup2 {
    /// Makes the group with its limits.
    pub fn make(policy: &Policy, name: &str) -> io::Result<Cgroup2> {
        let parent = parent().ok_or(io::ErrorKind::NotFound)?;
        create(&parent)?;
        fs::write(parent.join("cgroup.subtree_control"), "+memory +pids")?;
        let cgroup = Cgroup2 { group: parent.join(name), counters: OnceCell::new() };
        fs::create_dir(&cgroup.group)?;
        cgroup.limit_memory(policy.memory_bytes)?;
        fs::write(cgroup.group.join("pids.max"), (policy.processes + 1).to_string())?;
        Ok(cgroup)
    }

    /// The group itself, for a process to be born in.
    pub fn birthplace(&self) -> io::Result<OwnedFd> {
        Ok(File::open(&self.group)?.into())
    }

    /// Where a process that writes is counted from then on.
    pub fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        Ok(vec![door(&self.group, "cgroup.procs")?])
    }

    /// Whether a process with that `/proc/<pid>/cgroup` is in the group.
    pub fn holds(&self, membership: &str) -> bool {
        let group = membership.lines().find_map(|line| line.strip_prefix("0::/"));
        group.is_some_and(|group| !group.is_empty() && self.group.ends_with(group))
    }

    /// Forgets the peak, where the kernel can, and sets another limit.
    pub fn begin(&self, memory_bytes: u64) -> io::Result<()> {
        let _ = fs::write(self.group.join("memory.peak"), "0");
        self.limit_memory(memory_bytes)
    }

    fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        fs::write(self.group.join("memory.max"), bytes.to_string())?;
        // Only there when the kernel counts swap.
        let _ = fs::write(self.group.join("memory.swap.max"), "0");
        Ok(())
    }

    /// What is used now.
    pub fn sample(&self) -> Sample {
        let counters = self.counters.get_or_init(|| Counters {
            cpu: Counter::open(self.group.join("cpu.stat")),
            memory_peak: Counter::open(self.group.join("memory.peak")),
            forks: Counter::open(self.group.join("pids.events")),
            kills: Counter::open(self.group.join("memory.events")),
        });
        Sample {
            cpu_ms: counters.cpu.labelled("usage_usec") as f64 / 1e3,
            memory_peak_bytes: counters.memory_peak.number(),
            memory_bytes: 0,
            forks_refused: counters.forks.labelled("max"),
            memory_kills: counters.kills.labelled("oom_kill"),
        }
    }
}

impl Drop for Cgroup2 {
    fn drop(&mut self) {
        // Whatever is left goes at once, also what a killed init would take its time to reap.
        let _ = fs::write(self.group.join("cgroup.kill"), "1");
        remove(&self.group);
    }
}

/// The folder our groups lie in, or could: `assay` below the nearest ancestor that gives its children what we need.
pub fn parent() -> Option<PathBuf> {
    let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = membership.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mut mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].into_iter().map(Path::new);
    let mount = mounts.find(|mount| mount.join("cgroup.controllers").exists())?;
    let folder = mount.join(own.trim_end_matches('/'));
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(mount))
        .find(|folder| gives(folder))
        .map(|folder| folder.join("assay"))
}

fn gives(folder: &Path) -> bool {
    let given = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    let has = |wanted| given.split_whitespace().any(|controller| controller == wanted);
    has("memory") && has("pids")
}
