//! The layers of a cell, by name. Each must be worth its place: a test leaves one out and shows what then gets through.

use serde::{Deserialize, Serialize};

/// One of the means that isolate a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A user namespace: outside, the cell is nobody. Only root's cells can do without.
    Users,
    /// A root of its own. Without, the host's stays reachable at `/scratch`.
    Root,
    /// A pid namespace: other processes cannot be named.
    Processes,
    /// A network namespace without an interface.
    Network,
    /// A namespace for System V objects and message queues.
    Ipc,
    /// A host name of its own.
    HostName,
    /// A view of control groups of its own.
    ControlGroups,
    /// No capability, not even inside its namespaces.
    Capabilities,
    /// No rights from files that are executed.
    NoNewPrivileges,
    /// Writing only in scratch space; no signals, sockets or abstract names across the boundary.
    Landlock,
    /// Only listed system calls.
    Seccomp,
    /// Limits per process: address space, files, core dumps, locked memory.
    Limits,
    /// A bound on what is written.
    Scratch,
    /// Memory, processes and time, counted over the whole cell.
    Meter,
}

impl Layer {
    /// Every layer.
    pub const ALL: [Layer; 14] = [
        Layer::Users,
        Layer::Root,
        Layer::Processes,
        Layer::Network,
        Layer::Ipc,
        Layer::HostName,
        Layer::ControlGroups,
        Layer::Capabilities,
        Layer::NoNewPrivileges,
        Layer::Landlock,
        Layer::Seccomp,
        Layer::Limits,
        Layer::Scratch,
        Layer::Meter,
    ];

    /// The namespace that makes the layer, where one does: its flag for `clone` and its name in `/proc/<pid>/ns`.
    pub(crate) fn namespace(self) -> Option<(libc::c_int, &'static str)> {
        match self {
            Layer::Users => Some((libc::CLONE_NEWUSER, "user")),
            Layer::Root => Some((libc::CLONE_NEWNS, "mnt")),
            Layer::Processes => Some((libc::CLONE_NEWPID, "pid")),
            Layer::Network => Some((libc::CLONE_NEWNET, "net")),
            Layer::Ipc => Some((libc::CLONE_NEWIPC, "ipc")),
            Layer::HostName => Some((libc::CLONE_NEWUTS, "uts")),
            Layer::ControlGroups => Some((libc::CLONE_NEWCGROUP, "cgroup")),
            _ => None,
        }
    }
}

/// The namespaces of a cell. Its mounts are its own in any case: everything after works on them.
pub(crate) fn namespaces(without: &[Layer]) -> libc::c_int {
    let kept = Layer::ALL.iter().filter(|layer| !without.contains(layer));
    kept.filter_map(|layer| layer.namespace()).fold(libc::CLONE_NEWNS, |flags, (flag, _)| flags | flag)
}
