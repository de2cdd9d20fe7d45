//! How a broker comes to be: the launcher claims the door as the user it is, then clones the broker into namespaces of
//! its own and leaves.
//!
//! ```text
//! command --spawn--> launcher --clone(user mnt pid net ipc uts)--> broker (pid 1 of its own) --> zygote, cells
//!                       |  maps users, then exits
//! ```
//! The broker executes this program once more, so that its memory belongs to its own user namespace. It is process 1 there:
//! when it dies, however it dies, the kernel kills everything it made.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use super::door::{Claim, Door};
use super::serve;
use super::wire::BrokerSpec;
use crate::isolate::INNER_ID;
use crate::protocol::{PROTOCOL_VERSION, read_frame, write_frame};
use crate::supervisor::OUTER_ID_OF_ROOT;
use crate::{meter, sys};

/// The hidden argument that makes this program a broker.
pub const BROKER_ARGUMENT: &str = "__broker";
const INSIDE: &str = "inside";
/// Where the broker finds what the launcher hands it.
const LISTENER: i32 = 3;
const LOCK: i32 = 4;
/// What must be free for a broker to be worth its memory.
const FREE_BYTES_MIN: u64 = 1 << 30;
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// Launches a broker, or is one. Never returns to the caller's `main`.
pub fn be_broker(stage: &str) -> ! {
    let ended = if stage == INSIDE { inside() } else { launch() };
    sys::exit(if ended.is_ok() { 0 } else { 1 })
}

fn launch() -> io::Result<()> {
    sys::close_from(3)?;
    let spec: BrokerSpec = read_frame(&mut io::stdin())?;
    if spec.v != PROTOCOL_VERSION || free_bytes().is_some_and(|free| free < FREE_BYTES_MIN) {
        return Ok(());
    }
    let _ = sys::new_session();
    let Some(Claim { listener, lock }) = spec.door().claim()? else { return Ok(()) };
    meter::sweep();
    let launched = spec.door().make_hub().and_then(|()| clone_broker(spec.clone(), &listener, lock.as_raw_fd()));
    if launched.is_err() {
        spec.door().remove(&lock);
    }
    launched
}

fn clone_broker(mut spec: BrokerSpec, listener: &UnixListener, lock: i32) -> io::Result<()> {
    let (mut channel, theirs) = UnixStream::pair()?;
    let _ = sys::leave_groups();
    let broker = match sys::clone_process(NAMESPACES, None)? {
        sys::Cloned::Child => {
            drop(channel);
            become_inside(theirs, listener.as_raw_fd(), lock)
        }
        sys::Cloned::Parent { pid, .. } => pid,
    };
    drop(theirs);
    spec.inner_id_is_mapped = map_users(broker)?;
    channel.write_all(b"m")?;
    write_frame(&mut channel, &spec)?;
    // It answers when it stands; until then the socket would promise too much.
    let mut byte = [0];
    match channel.read(&mut byte)? {
        1 => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Inside, the broker is root; outside, its own user. Root's cells are nobody outside, where that can be had.
fn map_users(broker: i32) -> io::Result<bool> {
    let process = Path::new("/proc").join(broker.to_string());
    let (user, group) = sys::effective_ids();
    if user == 0 {
        let both = |own: u32| format!("0 {own} 1\n{INNER_ID} {OUTER_ID_OF_ROOT} 1\n");
        if fs::write(process.join("uid_map"), both(user)).is_ok() {
            fs::write(process.join("gid_map"), both(group))?;
            return Ok(true);
        }
    }
    fs::write(process.join("setgroups"), "deny")?;
    fs::write(process.join("uid_map"), format!("0 {user} 1"))?;
    fs::write(process.join("gid_map"), format!("0 {group} 1"))?;
    Ok(false)
}

fn become_inside(channel: UnixStream, listener: i32, lock: i32) -> ! {
    let mut byte = [0];
    sys::forget_the_caller();
    let ready = (&channel).read_exact(&mut byte).is_ok() && sys::become_root().is_ok();
    // High above, so that placing one does not overwrite another.
    let [channel, listener, lock] =
        [channel.as_raw_fd(), listener, lock].map(|fd| sys::copy_above(fd, 64).unwrap_or(-1));
    let placed = [(channel, 0), (listener, LISTENER), (lock, LOCK)];
    if !ready || placed.into_iter().any(|(source, target)| sys::place(source, target).is_err()) {
        sys::exit(1);
    }
    let text = |text: &str| CString::new(text).expect("constants hold no zero byte");
    let arguments = ["assay-broker", BROKER_ARGUMENT, INSIDE].map(text);
    sys::exec(c"/proc/self/exe", &arguments, &[]);
    sys::exit(1)
}

/// The broker proper, in its own namespaces.
fn inside() -> io::Result<()> {
    sys::close_from(LOCK + 1)?;
    let mut channel = UnixStream::from(sys::inherited(0));
    let spec: BrokerSpec = read_frame(&mut channel)?;
    let listener = UnixListener::from(sys::inherited(LISTENER));
    let lock = File::from(sys::inherited(LOCK));
    // The /proc of the host still shows us by the number we have there.
    let pid = fs::read_link("/proc/self")?.to_string_lossy().parse().unwrap_or(0);
    for target in [1, 2] {
        sys::place_null(target)?;
    }
    sys::mount("", Path::new("/"), "", libc::MS_REC | libc::MS_PRIVATE, "")?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount("proc", Path::new("/proc"), "proc", flags, "")?;
    let door = spec.door();
    let _ = sys::allow_more_files();
    let broker = serve::Broker::new(spec, listener, pid)?;
    channel.write_all(&[1])?;
    drop(channel);
    sys::place_null(0)?;
    broker.serve();
    door.remove(&lock);
    Ok(())
}

impl BrokerSpec {
    /// Where it is found.
    pub fn door(&self) -> Door {
        Door { base: self.base.clone(), folder: self.folder.clone(), name: self.name.clone() }
    }
}

/// How much memory can be had without taking it from anybody.
pub fn free_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
