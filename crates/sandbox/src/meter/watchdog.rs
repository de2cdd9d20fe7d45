//! Counting from outside, by `/proc`: for machines that give us no control group.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use super::Sample;
use crate::sys;

/// Counts one cell.
#[derive(Default)]
pub struct Watchdog {
    /// The processes from which all others of the cell descend.
    pub roots: Vec<i32>,
    /// Something on the cell's scratch space.
    pub scratch: Option<OwnedFd>,
    /// The most that was seen.
    pub peak_bytes: u64,
    /// Above this, a second and closer look is worth its time.
    pub limit_bytes: u64,
}

impl Watchdog {
    /// What is used now; memory beyond what was there `before`.
    pub fn sample(&mut self, before: u64) -> Sample {
        let mut sample = sample_processes(&self.roots);
        let written = self.scratch.as_ref().and_then(|scratch| sys::bytes_used(scratch).ok());
        let written = written.unwrap_or(0) + self.roots.first().map_or(0, |&root| socket_bytes(root));
        sample.memory_bytes = (sample.memory_bytes + written).saturating_sub(before);
        if sample.memory_bytes > self.limit_bytes {
            // Pages that processes share were counted once for each of them.
            let shares: u64 = processes(&self.roots).iter().filter_map(|&pid| proportional_bytes(pid)).sum();
            sample.memory_bytes = sample.memory_bytes.min(shares + written);
        }
        self.peak_bytes = sample.memory_bytes.max(self.peak_bytes);
        sample.memory_peak_bytes = self.peak_bytes;
        sample
    }
}

/// What the sockets of a cell may hold for it: nobody counts it, so beyond what a program has a use for each is taken to be
/// full. A cell has a network of its own, so its sockets are the ones that are listed there.
fn socket_bytes(root: i32) -> u64 {
    const SOCKETS_FREE: u64 = 64;
    const BUFFER_BYTES: u64 = 2 * 212_992;
    let listed = fs::read_to_string(format!("/proc/{root}/net/unix")).unwrap_or_default();
    (listed.lines().count() as u64).saturating_sub(1 + SOCKETS_FREE) * BUFFER_BYTES
}

/// Adds up `/proc` over some processes and everything below them.
fn sample_processes(roots: &[i32]) -> Sample {
    const TICKS_PER_SECOND: f64 = 100.0;
    let mut sample = Sample::default();
    for pid in processes(roots) {
        let process = Path::new("/proc").join(pid.to_string());
        let status = fs::read_to_string(process.join("statm")).unwrap_or_default();
        let pages: u64 = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        sample.memory_bytes += pages * 4096;
        let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
        // After the command's name, which may hold anything: utime, stime and those of reaped children.
        let after_name = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
        let ticks: u64 = after_name.split(' ').skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        sample.cpu_ms += ticks as f64 * 1000.0 / TICKS_PER_SECOND;
    }
    sample
}

/// These processes and everything below them.
fn processes(roots: &[i32]) -> Vec<i32> {
    const PROCESSES_MAX: usize = 4096;
    let mut found = roots.to_vec();
    let mut next = 0;
    while next < found.len() && found.len() < PROCESSES_MAX {
        let tasks = Path::new("/proc").join(found[next].to_string()).join("task");
        for task in fs::read_dir(tasks).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
        }
        next += 1;
    }
    found
}

/// A process's memory, where a page that n processes share counts as an nth of it.
fn proportional_bytes(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_measured() {
        let sample = sample_processes(&[std::process::id() as i32]);
        assert!(sample.memory_bytes > 1 << 20, "{sample:?}");
        let proportional = proportional_bytes(std::process::id() as i32).expect("the kernel tells");
        assert!((1..=sample.memory_bytes).contains(&proportional), "{proportional} of {sample:?}");
    }
}
