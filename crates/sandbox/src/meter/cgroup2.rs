//! Version 2 control groups: one group, removed when dropped.
//!
//! A group that holds processes cannot give controllers to groups below it, and our own group holds us. So a cell's group
//! is made below the nearest ancestor that already gives `memory` and `pids` to its children and lets us write: that is
//! what a service manager delegates to a user, and what root has.

use std::cell::{Cell, OnceCell};
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
    memory: Memory,
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
        self.counters().memory.forget();
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
        let counters = self.counters();
        Sample {
            cpu_ms: counters.cpu.labelled("usage_usec") as f64 / 1e3,
            memory_peak_bytes: counters.memory.peak_bytes(),
            memory_bytes: 0,
            forks_refused: counters.forks.labelled("max"),
            memory_kills: counters.kills.labelled("oom_kill"),
        }
    }

    fn counters(&self) -> &Counters {
        self.counters.get_or_init(|| Counters {
            cpu: Counter::open(self.group.join("cpu.stat")),
            memory: Memory::open(&self.group),
            forks: Counter::open(self.group.join("pids.events")),
            kills: Counter::open(self.group.join("memory.events")),
        })
    }
}

/// The most memory that was used at once.
enum Memory {
    /// The kernel keeps it. From 6.12 on it begins anew for whoever writes to the file, and only as read through that
    /// same descriptor; before, what preceded the program stays in it.
    Kept(Counter),
    /// Before 5.19 it does not: the most that was seen.
    Seen { now: Counter, peak_bytes: Cell<u64> },
}

impl Memory {
    fn open(group: &Path) -> Memory {
        let peak = group.join("memory.peak");
        match File::options().read(true).write(true).open(&peak).or_else(|_| File::open(&peak)) {
            Ok(file) => Memory::Kept(Counter(Some(file))),
            Err(_) => Memory::Seen { now: Counter::open(group.join("memory.current")), peak_bytes: Cell::new(0) },
        }
    }

    fn forget(&self) {
        match self {
            Memory::Kept(peak) => peak.write("0"),
            Memory::Seen { peak_bytes, .. } => peak_bytes.set(0),
        }
    }

    fn peak_bytes(&self) -> u64 {
        match self {
            Memory::Kept(peak) => peak.number(),
            Memory::Seen { now, peak_bytes } => {
                peak_bytes.set(now.number().max(peak_bytes.get()));
                peak_bytes.get()
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders with what a control group's files would say; nothing here is a control group.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str) -> Tree {
            let root = std::env::temp_dir().join(format!("assay-cgroup2-{name}-{}", std::process::id()));
            fs::create_dir_all(&root).expect("a folder");
            Tree(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn without_a_peak_of_the_kernel_the_most_that_was_seen_counts() {
        let tree = Tree::new("peak");
        let now = |bytes: &str| fs::write(tree.0.join("memory.current"), bytes).expect("a file");
        now("700\n");
        let memory = Memory::open(&tree.0);
        assert_eq!(memory.peak_bytes(), 700);
        now("300\n");
        assert_eq!(memory.peak_bytes(), 700);
        memory.forget();
        assert_eq!(memory.peak_bytes(), 300);
    }

    #[test]
    fn a_process_is_counted_when_it_is_in_the_group() {
        let group = Path::new("/sys/fs/cgroup/a/assay/7-1").to_path_buf();
        let cgroup = std::mem::ManuallyDrop::new(Cgroup2 { group, counters: OnceCell::new() });
        assert!(cgroup.holds("0::/a/assay/7-1\n"));
        for other in ["0::/a/assay/7-12\n", "0::/a/assay\n", "0::/\n", "3:memory:/a/assay/7-1\n", ""] {
            assert!(!cgroup.holds(other), "{other}");
        }
    }
}
