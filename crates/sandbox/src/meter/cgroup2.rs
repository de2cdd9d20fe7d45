//! Version 2 control groups: one group, removed when dropped.
//!
//! A group that holds processes cannot give controllers to groups below it, and our own group holds us. So a cell's group
//! is made below the nearest ancestor that gives `memory` and `pids` to its children and is ours: that is what a service
//! manager delegates to a user, and what root has. Where none gives them, the nearest one that may is made to.

use std::cell::{Cell, OnceCell};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Counter, Sample, create, door, remove};
use crate::policy::Policy;
use crate::sys;

/// What the folder of our groups is called, wherever it lies.
const FOLDER: &str = "assay";

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
        let mut refused = None;
        for folder in candidates(ancestors()) {
            match Cgroup2::make_below(&folder.join(FOLDER), policy, name) {
                Ok(cgroup) => return Ok(cgroup),
                Err(error) => drop(refused.get_or_insert(format!("{}: {error}", folder.display()))),
            }
        }
        Err(io::Error::other(refused.unwrap_or_else(|| "no group above ours gives memory and pids".into())))
    }

    fn make_below(parent: &Path, policy: &Policy, name: &str) -> io::Result<Cgroup2> {
        create(parent)?;
        have_given(parent)?;
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

/// The folders our groups may lie in.
pub fn parents() -> Vec<PathBuf> {
    ancestors().iter().filter(|folder| gives(folder)).map(|folder| folder.join(FOLDER)).collect()
}

/// Below which of these our groups could lie, the best first. What belongs to us comes before what we may merely write to:
/// root at work among a user's groups would leave a folder there that is of no use to the user.
fn candidates(ancestors: Vec<PathBuf>) -> Vec<PathBuf> {
    let (ours, others): (Vec<_>, Vec<_>) = ancestors.into_iter().partition(|folder| is_ours(folder));
    let mut found: Vec<_> = ours.iter().filter(|folder| gives(folder)).cloned().collect();
    if found.is_empty() {
        found.extend(ours.into_iter().find(|folder| have_given(folder).is_ok()));
    }
    found.extend(others.into_iter().filter(|folder| gives(folder)));
    found
}

/// Our own group and those above it, up to what we see of them.
fn ancestors() -> Vec<PathBuf> {
    let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
    let mount = mounts.into_iter().find(|mount| mount.join("cgroup.controllers").exists());
    let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    mount.map(|mount| ancestors_below(mount, &membership)).unwrap_or_default()
}

fn ancestors_below(mount: &Path, membership: &str) -> Vec<PathBuf> {
    let Some(own) = membership.lines().find_map(|line| line.strip_prefix("0::/")) else { return Vec::new() };
    let folder = mount.join(own.trim_end_matches('/'));
    folder.ancestors().take_while(|folder| folder.starts_with(mount)).map(Path::to_path_buf).collect()
}

fn gives(folder: &Path) -> bool {
    let given = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    let has = |wanted| given.split_whitespace().any(|controller| controller == wanted);
    has("memory") && has("pids")
}

/// The kernel refuses it where processes live, except at the very top, and where nothing is given to the folder itself.
fn have_given(folder: &Path) -> io::Result<()> {
    fs::write(folder.join("cgroup.subtree_control"), "+memory +pids")
}

fn is_ours(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.uid() == sys::effective_ids().0)
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

        fn group(&self, path: &str, gives: &str) -> PathBuf {
            let folder = self.0.join(path);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("cgroup.subtree_control"), gives).expect("a file");
            folder
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn groups_lie_below_the_nearest_ancestor_that_gives_both_controllers() {
        let tree = Tree::new("nearest");
        let top = tree.group("", "cpu memory pids");
        let slice = tree.group("app.slice", "memory pids");
        tree.group("app.slice/half.slice", "cpu memory");
        tree.group("app.slice/half.slice/shell.scope", "");
        let ancestors = ancestors_below(&top, "1:name=x:/\n0::/app.slice/half.slice/shell.scope\n");
        assert_eq!(ancestors.len(), 4);
        assert_eq!(candidates(ancestors), [slice, top.clone()]);
        assert_eq!(ancestors_below(&top, "0::/\n"), [top]);
        assert_eq!(ancestors_below(Path::new("/x"), "3:memory:/a\n"), [] as [PathBuf; 0]);
    }

    #[test]
    fn where_no_ancestor_gives_the_nearest_that_may_is_made_to() {
        let tree = Tree::new("none");
        let top = tree.group("", "");
        // What the kernel does where processes live: the write is refused.
        let scope = top.join("shell.scope");
        fs::create_dir_all(scope.join("cgroup.subtree_control")).expect("a folder");
        assert_eq!(candidates(vec![scope, top.clone()]), std::slice::from_ref(&top));
        assert_eq!(fs::read_to_string(top.join("cgroup.subtree_control")).expect("a file"), "+memory +pids");
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
