//! What a freshly cloned process does to become the inside of a cell, in the only order that works:
//!
//! ```text
//! namespaces (by clone) -> copies of host mounts -> user -> root, scratch, proc -> pivot -> limits
//!   -> capabilities -> no_new_privs -> Landlock -> seccomp
//! ```
//! Copies of host mounts are taken while we still are the host user, because their directories may be private; all
//! file systems that are made here are made as the inner user. seccomp comes last: it forbids the calls before it.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    path_beneath_rules,
};

use crate::policy::{ADDRESS_SPACE_EXTRA_BYTES, Policy};
use crate::protocol::{Input, Spec};
use crate::{seccomp, sys};

/// The namespaces of a cell: everything the kernel can give a process of its own.
pub const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// The user inside.
pub const INNER_ID: u32 = 1000;

/// Any directory that every user can reach: the new root is mounted over it before it becomes `/`.
const STAGING: &str = "/tmp";

const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Why a cell could not be made: the step, and what the kernel said.
#[derive(Debug)]
pub struct Failure {
    /// Such as `mount proc`.
    pub step: String,
    /// What the kernel said.
    pub error: String,
}

trait Step<T> {
    fn step(self, step: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: ToString> Step<T> for Result<T, E> {
    fn step(self, step: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: step.into(), error: error.to_string() })
    }
}

/// Makes the calling process, which is alone in its new namespaces, the inside of a cell.
/// Returns the directory whose files come back.
pub fn enter(spec: &Spec, memory_is_bounded: bool) -> Result<OwnedFd, Failure> {
    sys::mount("", Path::new("/"), "", libc::MS_REC | libc::MS_PRIVATE, "").step("make mounts private")?;
    let host = HostTrees::open(spec)?;
    sys::become_user(INNER_ID).step("become the inner user")?;
    make_root(&host, &spec.policy)?;
    let out = fs::File::open("work/out").step("open the out directory")?;
    sys::pivot_here().step("pivot into the new root")?;
    sys::host_name("cell").step("set the host name")?;
    set_limits(&spec.policy, memory_is_bounded).step("set resource limits")?;
    std::env::set_current_dir("/work").step("enter the working directory")?;
    sys::drop_capabilities().step("drop capabilities")?;
    sys::no_new_privileges().step("set no_new_privs")?;
    landlock()?;
    seccomp::apply(spec.policy.profile, memory_is_bounded).step("install the seccomp filter")?;
    Ok(out.into())
}

/// Detached copies of the host mounts that a cell sees.
struct HostTrees {
    image: OwnedFd,
    kernel: OwnedFd,
    devices: Vec<(PathBuf, OwnedFd)>,
    inputs: Vec<(PathBuf, OwnedFd)>,
}

impl HostTrees {
    fn open(spec: &Spec) -> Result<HostTrees, Failure> {
        let readonly = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        let image = tree(&spec.image, readonly)?;
        let kernel = tree(&spec.kernel, readonly)?;
        let devices = DEVICES
            .iter()
            .map(|name| {
                let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;
                Ok((Path::new("dev").join(name), tree(&Path::new("/dev").join(name), attributes)?))
            })
            .collect::<Result<_, Failure>>()?;
        let inputs = spec
            .inputs
            .iter()
            .map(|Input { name, path }| {
                Ok((Path::new("work/input").join(name), tree(path, readonly | libc::MOUNT_ATTR_NOEXEC)?))
            })
            .collect::<Result<_, Failure>>()?;
        Ok(HostTrees { image, kernel, devices, inputs })
    }
}

fn tree(path: &Path, attributes: u64) -> Result<OwnedFd, Failure> {
    let tree = sys::open_tree(path).step(format!("copy the mount of {}", path.display()))?;
    sys::mount_attributes(&tree, attributes).step(format!("restrict the mount of {}", path.display()))?;
    Ok(tree)
}

/// Puts the new root together over [`STAGING`] and leaves the current directory there.
fn make_root(host: &HostTrees, policy: &Policy) -> Result<(), Failure> {
    sys::move_mount(&host.image, Path::new(STAGING)).step("mount the image")?;
    std::env::set_current_dir(STAGING).step("enter the image")?;
    sys::move_mount(&host.kernel, Path::new("assay")).step("mount the kernel")?;
    for (target, tree) in &host.devices {
        sys::move_mount(tree, target).step(format!("mount /{}", target.display()))?;
    }
    make_scratch(policy)?;
    mount_inputs(host)?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount("proc", Path::new("proc"), "proc", flags, "subset=pid,hidepid=2").step("mount proc")
}

/// One tmpfs bounds everything a cell can write; its parts are bound where programs expect them.
fn make_scratch(policy: &Policy) -> Result<(), Failure> {
    let scratch = Path::new("scratch");
    make_tmpfs(scratch, policy.scratch_bytes, 1 << 16)?;
    for (part, target) in [("work", "work"), ("tmp", "tmp"), ("shm", "dev/shm")] {
        let source = scratch.join(part);
        fs::create_dir(&source).step(format!("create {}", source.display()))?;
        let part = sys::open_tree(&source).step("copy the scratch mount")?;
        sys::move_mount(&part, Path::new(target)).step(format!("mount /{target}"))?;
    }
    sys::unmount(scratch).step("hide the scratch mount")?;
    fs::create_dir("work/out").step("create the out directory")
}

fn mount_inputs(host: &HostTrees) -> Result<(), Failure> {
    let directory = Path::new("work/input");
    fs::create_dir(directory).step("create the input directory")?;
    make_tmpfs(directory, 1 << 20, host.inputs.len() as u64 + 16)?;
    for (target, tree) in &host.inputs {
        fs::write(target, "").step(format!("create {}", target.display()))?;
        sys::move_mount(tree, target).step(format!("mount /{}", target.display()))?;
    }
    let flags = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount("", directory, "", flags, "").step("make the input directory read-only")
}

fn make_tmpfs(target: &Path, bytes: u64, inodes: u64) -> Result<(), Failure> {
    let options = format!("size={bytes},nr_inodes={inodes},mode=0700,uid={INNER_ID},gid={INNER_ID}");
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount("tmpfs", target, "tmpfs", flags, &options).step(format!("mount a tmpfs at {}", target.display()))
}

fn set_limits(policy: &Policy, forks_are_counted: bool) -> io::Result<()> {
    sys::limit(libc::RLIMIT_AS, policy.memory_bytes + ADDRESS_SPACE_EXTRA_BYTES)?;
    // One more than asked for: the cell's own init counts too. Where a control group counts refused forks it must be the
    // one to refuse them, so this limit only stands behind it.
    let processes = if forks_are_counted { 2 * policy.processes } else { policy.processes };
    sys::limit(libc::RLIMIT_NPROC, processes + 1)?;
    sys::limit(libc::RLIMIT_NOFILE, policy.open_files)?;
    sys::limit(libc::RLIMIT_CPU, policy.cpu_ms.div_ceil(1000) + 1)?;
    // A file with holes may claim more than it takes; what it claims is what comes back.
    sys::limit(libc::RLIMIT_FSIZE, policy.scratch_bytes)?;
    sys::limit(libc::RLIMIT_CORE, 0)?;
    sys::limit(libc::RLIMIT_MEMLOCK, 0)?;
    sys::limit(libc::RLIMIT_MSGQUEUE, 0)
}

/// Reading anywhere (the root holds nothing secret), writing only in scratch space and to two devices (shared memory can
/// be had from a writable `/dev/zero`, outside every count); no TCP, no signals and no abstract sockets across the boundary.
fn landlock() -> Result<(), Failure> {
    let abi = ABI::V6;
    let enforce = || -> Result<RulesetStatus, landlock::RulesetError> {
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .scope(Scope::from_all(abi))?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(abi)))?
            .add_rules(path_beneath_rules(["/work", "/tmp", "/dev/shm"], AccessFs::from_all(abi)))?
            .add_rules(path_beneath_rules(["/dev/null", "/dev/full"], AccessFs::from_file(abi)))?
            .restrict_self()?;
        Ok(status.ruleset)
    };
    match enforce().step("restrict by Landlock")? {
        RulesetStatus::NotEnforced => {
            Err(Failure { step: "restrict by Landlock".into(), error: "the kernel does not offer Landlock".into() })
        }
        _ => Ok(()),
    }
}
