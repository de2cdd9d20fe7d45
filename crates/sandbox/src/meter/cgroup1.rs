//! Version 1 control groups: one group below our own in each of three hierarchies, removed when dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Sample, create, labelled, number, remove};
use crate::policy::Policy;

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpuacct"];

/// Where one cell is counted.
pub struct Cgroup1 {
    memory: PathBuf,
    pids: PathBuf,
    cpuacct: PathBuf,
    memory_bytes: u64,
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
        let cgroup = Cgroup1 { memory, pids, cpuacct, memory_bytes: policy.memory_bytes };
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

    /// Begins to count a process.
    pub fn attach(&self, process: i32) -> io::Result<()> {
        for path in self.paths() {
            fs::write(path.join("cgroup.procs"), process.to_string())?;
        }
        Ok(())
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
        Sample {
            cpu_ms: number(self.cpuacct.join("cpuacct.usage")) as f64 / 1e6,
            memory_peak_bytes: number(self.memory.join("memory.max_usage_in_bytes")),
            memory_bytes: 0,
            forks_refused: labelled(&self.pids.join("pids.events"), "max"),
            memory_kills: labelled(&self.memory.join("memory.oom_control"), "oom_kill"),
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
    let own = membership
        .lines()
        .filter_map(|line| line.split_once(':')?.1.split_once(':'))
        .find(|(controllers, _)| controllers.split(',').any(|one| one == controller))
        .map(|(_, path)| path.trim_start_matches('/'))
        .ok_or(io::ErrorKind::NotFound)?;
    Ok(Path::new("/sys/fs/cgroup").join(controller).join(own).join("assay"))
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
}
