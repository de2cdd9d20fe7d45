//! What a freshly cloned process does to become the inside of a cell, in the only order that works:
//!
//! ```text
//! namespaces (by clone) -> copies of host mounts -> user -> root, scratch, proc -> pivot -> limits
//!   -> capabilities -> no_new_privs -> Landlock -> seccomp
//! ```
//! Copies of host mounts are taken while we still are the host user, because their directories may be private; all
//! file systems that are made here are made as the inner user. seccomp comes last: it forbids the calls before it.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope, path_beneath_rules};

use crate::layers::Layer;
use crate::policy::{ADDRESS_SPACE_EXTRA_BYTES, Policy};
use crate::protocol::Input;
use crate::{seccomp, sys};

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

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot {}: {}", self.step, self.error)
    }
}

/// Names the step that an error came from.
pub trait Step<T> {
    /// Such as `mount proc`.
    fn step(self, step: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: ToString> Step<T> for Result<T, E> {
    fn step(self, step: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|error| Failure { step: step.into(), error: error.to_string() })
    }
}

/// What a cell is made of.
pub struct Site<'a> {
    /// The read-only root.
    pub image: &'a Path,
    /// The kernel's own modules.
    pub kernel: &'a Path,
    /// What appears below `/work/input`.
    pub inputs: Inputs<'a>,
    /// What it may do and use.
    pub policy: &'a Policy,
    /// Whether a control group bounds its memory and counts its forks.
    pub memory_is_bounded: bool,
    /// Layers left out, to show what they are for.
    pub without: &'a [Layer],
}

/// What appears below `/work/input`.
pub enum Inputs<'a> {
    /// These files.
    Files(&'a [Input]),
    /// Whatever is mounted below this directory, also later: it is the slave of a shared mount.
    Later(&'a Path),
}

/// What the inside hands out.
pub struct Inside {
    /// The directory whose files come back.
    pub out: OwnedFd,
    /// The Landlock rules, for whoever joins the cell.
    pub ruleset: OwnedFd,
}

/// Makes the calling process, which is alone in its new namespaces, the inside of a cell.
pub fn enter(site: &Site) -> Result<Inside, Failure> {
    // What is mounted later in the broker's shared directory must arrive here, and nothing may go back.
    let propagation = if matches!(site.inputs, Inputs::Later(_)) { libc::MS_SLAVE } else { libc::MS_PRIVATE };
    sys::mount("", Path::new("/"), "", libc::MS_REC | propagation, "").step("make mounts private")?;
    let host = HostTrees::open(site)?;
    sys::become_user(INNER_ID).step("become the inner user")?;
    make_root(&host, site)?;
    let out = fs::File::open("work/out").step("open the out directory")?;
    if site.has(Layer::Root) {
        sys::pivot_here().step("pivot into the new root")?;
    } else {
        sys::pivot_beside().step("pivot into the new root")?;
    }
    if site.has(Layer::HostName) {
        sys::host_name("cell").step("set the host name")?;
    }
    std::env::set_current_dir("/work").step("enter the working directory")?;
    let ruleset = landlock_rules()?;
    confine(site, &ruleset)?;
    Ok(Inside { out: out.into(), ruleset })
}

/// Gives the calling process, which is alone in its mount namespace, a root like that of a cell, and nothing else: it
/// imports and forks, and never sees what a user wrote.
pub fn enter_zygote(image: &Path, kernel: &Path) -> Result<(), Failure> {
    sys::mount("", Path::new("/"), "", libc::MS_REC | libc::MS_PRIVATE, "").step("make mounts private")?;
    let readonly = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    let (image, kernel, devices) = (tree(image, readonly)?, tree(kernel, readonly)?, device_trees()?);
    sys::move_mount(&image, Path::new(STAGING)).step("mount the image")?;
    std::env::set_current_dir(STAGING).step("enter the image")?;
    sys::move_mount(&kernel, Path::new("assay")).step("mount the kernel")?;
    for (target, tree) in &devices {
        sys::move_mount(tree, target).step(format!("mount /{}", target.display()))?;
    }
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount("tmpfs", Path::new("tmp"), "tmpfs", flags, "size=64m,mode=0700").step("mount a tmpfs at tmp")?;
    sys::mount("proc", Path::new("proc"), "proc", flags | libc::MS_NOEXEC, "").step("mount proc")?;
    sys::pivot_here().step("pivot into the new root")
}

/// Gives up, in the only order that works, what the process no longer needs.
fn confine(site: &Site, ruleset: &OwnedFd) -> Result<(), Failure> {
    if site.has(Layer::Limits) {
        for (resource, value) in limits(site.policy, site.memory_is_bounded) {
            sys::limit(resource, value).step("set resource limits")?;
        }
    }
    if site.has(Layer::Capabilities) {
        sys::drop_capabilities().step("drop capabilities")?;
    }
    if site.has(Layer::NoNewPrivileges) {
        sys::no_new_privileges().step("set no_new_privs")?;
    }
    if site.has(Layer::Landlock) {
        sys::restrict_by(ruleset).step("restrict by Landlock")?;
    }
    if site.has(Layer::Seccomp) {
        seccomp::apply(site.policy.profile, site.memory_is_bounded).step("install the seccomp filter")?;
    }
    Ok(())
}

impl Site<'_> {
    fn has(&self, layer: Layer) -> bool {
        !self.without.contains(&layer)
    }
}

/// Detached copies of the host mounts that a cell sees.
struct HostTrees {
    image: OwnedFd,
    kernel: OwnedFd,
    devices: Vec<(PathBuf, OwnedFd)>,
    inputs: InputTrees,
}

enum InputTrees {
    Files(Vec<(PathBuf, OwnedFd)>),
    Later(OwnedFd),
}

impl HostTrees {
    fn open(site: &Site) -> Result<HostTrees, Failure> {
        let readonly = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        let image = tree(site.image, readonly)?;
        let kernel = tree(site.kernel, readonly)?;
        let devices = device_trees()?;
        let inputs = match site.inputs {
            Inputs::Files(files) => {
                let file = |Input { name, path }: &Input| {
                    Ok((Path::new("work/input").join(name), tree(path, readonly | libc::MOUNT_ATTR_NOEXEC)?))
                };
                InputTrees::Files(files.iter().map(file).collect::<Result<_, Failure>>()?)
            }
            Inputs::Later(folder) => InputTrees::Later(tree(folder, readonly | libc::MOUNT_ATTR_NOEXEC)?),
        };
        Ok(HostTrees { image, kernel, devices, inputs })
    }
}

fn device_trees() -> Result<Vec<(PathBuf, OwnedFd)>, Failure> {
    let device = |name: &&str| {
        let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC;
        Ok((Path::new("dev").join(name), tree(&Path::new("/dev").join(name), attributes)?))
    };
    DEVICES.iter().map(device).collect()
}

fn tree(path: &Path, attributes: u64) -> Result<OwnedFd, Failure> {
    let tree = sys::open_tree(path).step(format!("copy the mount of {}", path.display()))?;
    sys::mount_attributes(&tree, attributes).step(format!("restrict the mount of {}", path.display()))?;
    Ok(tree)
}

/// Puts the new root together over [`STAGING`] and leaves the current directory there.
fn make_root(host: &HostTrees, site: &Site) -> Result<(), Failure> {
    sys::move_mount(&host.image, Path::new(STAGING)).step("mount the image")?;
    std::env::set_current_dir(STAGING).step("enter the image")?;
    sys::move_mount(&host.kernel, Path::new("assay")).step("mount the kernel")?;
    for (target, tree) in &host.devices {
        sys::move_mount(tree, target).step(format!("mount /{}", target.display()))?;
    }
    make_scratch(if site.has(Layer::Scratch) { site.policy.scratch_bytes } else { 0 })?;
    mount_inputs(&host.inputs)?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount("proc", Path::new("proc"), "proc", flags, "subset=pid,hidepid=2").step("mount proc")
}

/// One tmpfs bounds everything a cell can write (0: nothing does); its parts are bound where programs expect them.
fn make_scratch(bytes: u64) -> Result<(), Failure> {
    let scratch = Path::new("scratch");
    make_tmpfs(scratch, bytes, 1 << 16)?;
    for (part, target) in [("work", "work"), ("tmp", "tmp"), ("shm", "dev/shm")] {
        let source = scratch.join(part);
        fs::create_dir(&source).step(format!("create {}", source.display()))?;
        let part = sys::open_tree(&source).step("copy the scratch mount")?;
        sys::move_mount(&part, Path::new(target)).step(format!("mount /{target}"))?;
    }
    sys::unmount(scratch).step("hide the scratch mount")?;
    fs::create_dir("work/out").step("create the out directory")
}

fn mount_inputs(inputs: &InputTrees) -> Result<(), Failure> {
    let directory = Path::new("work/input");
    fs::create_dir(directory).step("create the input directory")?;
    let files = match inputs {
        InputTrees::Later(tree) => return sys::move_mount(tree, directory).step("mount the input directory"),
        InputTrees::Files(files) => files,
    };
    for (target, _) in files {
        fs::write(target, "").step(format!("create {}", target.display()))?;
    }
    let attributes =
        libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
    sys::move_mount(&tree(directory, attributes)?, directory).step("make the input directory read-only")?;
    for (target, tree) in files {
        sys::move_mount(tree, target).step(format!("mount /{}", target.display()))?;
    }
    Ok(())
}

fn make_tmpfs(target: &Path, bytes: u64, inodes: u64) -> Result<(), Failure> {
    let options = format!("size={bytes},nr_inodes={inodes},mode=0700,uid={INNER_ID},gid={INNER_ID}");
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    sys::mount("tmpfs", target, "tmpfs", flags, &options).step(format!("mount a tmpfs at {}", target.display()))
}

/// The limits of every process of a cell.
pub fn limits(policy: &Policy, forks_are_counted: bool) -> Vec<(libc::__rlimit_resource_t, u64)> {
    // One more than asked for: the cell's own init counts too. Where a control group counts refused forks it must be the
    // one to refuse them, so this limit only stands behind it.
    let processes = if forks_are_counted { 2 * policy.processes } else { policy.processes };
    vec![
        (libc::RLIMIT_AS, policy.memory_bytes + ADDRESS_SPACE_EXTRA_BYTES),
        (libc::RLIMIT_NPROC, processes + 1),
        (libc::RLIMIT_NOFILE, policy.open_files),
        (libc::RLIMIT_CPU, policy.cpu_ms.div_ceil(1000) + 1),
        // A file with holes may claim more than it takes; what it claims is what comes back.
        (libc::RLIMIT_FSIZE, policy.scratch_bytes),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_MEMLOCK, 0),
        (libc::RLIMIT_MSGQUEUE, 0),
    ]
}

/// Reading anywhere (the root holds nothing secret), writing only in scratch space and to two devices (shared memory can
/// be had from a writable `/dev/zero`, outside every count); no TCP, no signals and no abstract sockets across the boundary.
fn landlock_rules() -> Result<OwnedFd, Failure> {
    let abi = ABI::V6;
    let rules = || -> Result<Option<OwnedFd>, landlock::RulesetError> {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .scope(Scope::from_all(abi))?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(abi)))?
            .add_rules(path_beneath_rules(["/work", "/tmp", "/dev/shm"], AccessFs::from_all(abi)))?
            .add_rules(path_beneath_rules(["/dev/null", "/dev/full"], AccessFs::from_file(abi)))?;
        Ok(rules.into())
    };
    let absent = || Failure { step: "restrict by Landlock".into(), error: "the kernel does not offer Landlock".into() };
    rules().step("restrict by Landlock")?.ok_or_else(absent)
}
