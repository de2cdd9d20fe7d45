//! What a cell may do and use. The numbers are the table "Limits and what reaching them means" of the machine interface.

use serde::{Deserialize, Serialize};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;

/// What a cell is for; decides its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A checked query or its verification.
    Analysis,
    /// A whole program.
    Task,
    /// Reading a stranger's file into a private database.
    Ingest,
}

/// Which hosts a cell may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// None at all.
    None,
}

/// What one cell may do and use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// What it is for.
    pub profile: Profile,
    /// Time from start to end.
    pub wall_ms: u64,
    /// Processor time over all its processes.
    pub cpu_ms: u64,
    /// Resident memory over all its processes, scratch space included.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Descriptors per process.
    pub open_files: u64,
    /// `/tmp`, `/dev/shm` and the working directory together.
    pub scratch_bytes: u64,
    /// How much of stdout, and of stderr, is kept.
    pub output_kept_bytes: u64,
    /// How much of stdout, and of stderr, is read before the cell is killed.
    pub output_read_bytes: u64,
    /// Which hosts it may reach.
    pub network: Network,
}

/// The most that anyone may ask for.
pub const WALL_MS_MAX: u64 = 10 * 60 * 1000;
/// The most that anyone may ask for.
pub const MEMORY_BYTES_MAX: u64 = 4 * GIB;
/// The most that anyone may ask for.
pub const SCRATCH_BYTES_MAX: u64 = 4 * GIB;
const PROCESSES_MAX: u64 = 256;
const OPEN_FILES_MAX: u64 = 1_024;
const OUTPUT_KEPT_BYTES_MAX: u64 = MIB;
const OUTPUT_READ_BYTES_MAX: u64 = 256 * MIB;
/// After this many refused forks a cell is killed.
pub const FORKS_REFUSED_MAX: u64 = 1_000;
/// Address space beyond the memory limit: numpy and pandas alone map 1.3 GB.
pub const ADDRESS_SPACE_EXTRA_BYTES: u64 = 3 * GIB;

impl Policy {
    /// Says which limit is above what anyone may ask for. A policy may come with a stranger's capsule.
    pub(crate) fn excess(&self) -> Option<String> {
        let limits = [
            ("wall_ms", self.wall_ms, WALL_MS_MAX),
            ("cpu_ms", self.cpu_ms, WALL_MS_MAX),
            ("memory_bytes", self.memory_bytes, MEMORY_BYTES_MAX),
            ("processes", self.processes, PROCESSES_MAX),
            ("open_files", self.open_files, OPEN_FILES_MAX),
            ("scratch_bytes", self.scratch_bytes, SCRATCH_BYTES_MAX),
            ("output_kept_bytes", self.output_kept_bytes, OUTPUT_KEPT_BYTES_MAX),
            ("output_read_bytes", self.output_read_bytes, OUTPUT_READ_BYTES_MAX),
        ];
        let (name, asked, most) = limits.into_iter().find(|(_, asked, most)| asked > most)?;
        Some(format!("`{name}` is {asked}, and the most is {most}"))
    }

    /// For a checked query.
    pub fn analysis() -> Policy {
        Policy {
            profile: Profile::Analysis,
            wall_ms: 10_000,
            cpu_ms: 2_000,
            memory_bytes: 512 * MIB,
            processes: 16,
            open_files: 256,
            scratch_bytes: 128 * MIB,
            output_kept_bytes: MIB,
            output_read_bytes: 256 * MIB,
            network: Network::None,
        }
    }

    /// For a whole program.
    pub fn task() -> Policy {
        Policy {
            profile: Profile::Task,
            cpu_ms: 10_000,
            memory_bytes: GIB,
            processes: 64,
            open_files: 1_024,
            scratch_bytes: 256 * MIB,
            ..Policy::analysis()
        }
    }

    /// For a kernel that stays. Its time and its size are beyond what anyone may ask for: only our own modules run in such
    /// a cell, and it is made for no request that names a policy.
    pub(crate) fn resident(memory_bytes: u64) -> Policy {
        const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1000;
        Policy {
            wall_ms: WEEK_MS,
            cpu_ms: WEEK_MS,
            memory_bytes,
            scratch_bytes: 64 * MIB,
            output_kept_bytes: 64 << 10,
            output_read_bytes: u64::MAX,
            ..Policy::task()
        }
    }

    /// For reading files of that many bytes: the database that is made lies in scratch space, so memory grows with it.
    /// Reading waits for nothing but the processor, so its time is what counts; the clock leaves room for a busy machine.
    pub fn ingest(input_bytes: u64) -> Policy {
        let scratch_bytes = (256 * MIB + 2 * input_bytes).min(SCRATCH_BYTES_MAX);
        let cpu_ms = (30_000 + input_bytes / 10_000).min(WALL_MS_MAX);
        Policy {
            profile: Profile::Ingest,
            wall_ms: (3 * cpu_ms).min(WALL_MS_MAX),
            cpu_ms,
            memory_bytes: (GIB + scratch_bytes).min(MEMORY_BYTES_MAX),
            scratch_bytes,
            ..Policy::task()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_maximum_and_our_own_policies_keep_it() {
        for policy in [Policy::analysis(), Policy::task(), Policy::ingest(0), Policy::ingest(1 << 40)] {
            assert_eq!(policy.excess(), None, "{policy:?}");
        }
        let fields = serde_json::to_value(Policy::task()).expect("plain data");
        let limits = fields.as_object().expect("an object").iter().filter(|(_, value)| value.is_number());
        for (name, _) in limits {
            let mut greedy = fields.clone();
            greedy[name] = (1_u64 << 40).into();
            let greedy: Policy = serde_json::from_value(greedy).expect("a policy");
            assert!(greedy.excess().is_some_and(|excess| excess.contains(name)), "{name}");
        }
    }

    #[test]
    fn a_busy_machine_may_take_longer_to_read_a_file() {
        let policy = Policy::ingest(500 * MIB);
        assert_eq!((policy.cpu_ms, policy.wall_ms), (82_428, 3 * 82_428));
    }
}
