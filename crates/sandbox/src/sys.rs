//! The system calls a cell is made of, each behind a safe function that names what failed.
//!
//! All `unsafe` of the workspace is in this file and in the spawn hook of `cell.rs`. Nothing here decides anything.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// What [`clone_process`] returned: we are the parent and hold the child, or we are the child.
pub enum Cloned {
    Parent { pid: libc::pid_t, pidfd: OwnedFd },
    Child,
}

/// Forks into new namespaces. The calling process must have one thread only: the child goes on in a copy of it.
pub fn clone_process(namespaces: libc::c_int) -> io::Result<Cloned> {
    let mut pidfd: libc::c_int = -1;
    // SAFETY: zeroed clone_args are valid; pidfd outlives the call; no stack is passed, so this behaves like fork.
    let pid = unsafe {
        let mut args: libc::clone_args = std::mem::zeroed();
        args.flags = namespaces as u64 | libc::CLONE_PIDFD as u64;
        args.pidfd = &raw mut pidfd as u64;
        args.exit_signal = libc::SIGCHLD as u64;
        check(libc::syscall(libc::SYS_clone3, &raw const args, size_of::<libc::clone_args>()))?
    };
    if pid == 0 {
        return Ok(Cloned::Child);
    }
    // SAFETY: the kernel has just made this descriptor for us.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok(Cloned::Parent { pid: pid as libc::pid_t, pidfd })
}

/// Sends SIGKILL through a pidfd; a process that is already gone is fine.
pub fn kill(pidfd: &OwnedFd) {
    // SAFETY: plain syscall on a descriptor we own.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), libc::SIGKILL, 0, 0) };
}

/// How a waited-for child ended, and what it and its reaped children used.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    pub pid: libc::pid_t,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub cpu_ms: f64,
    pub memory_peak_bytes: u64,
}

/// Waits for a child (`-1`: any); `None` when there is none left.
pub fn wait(pid: libc::pid_t) -> io::Result<Option<Waited>> {
    let mut status = 0;
    loop {
        // SAFETY: both out-parameters live on our stack.
        let (result, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(pid, &mut status, 0, &mut usage), usage)
        };
        if result >= 0 {
            let exited = libc::WIFEXITED(status);
            let millis = |t: libc::timeval| t.tv_sec as f64 * 1e3 + t.tv_usec as f64 / 1e3;
            return Ok(Some(Waited {
                pid: result,
                exit_code: exited.then(|| libc::WEXITSTATUS(status)),
                signal: (!exited).then(|| libc::WTERMSIG(status)),
                cpu_ms: millis(usage.ru_utime) + millis(usage.ru_stime),
                memory_peak_bytes: usage.ru_maxrss as u64 * 1024,
            }));
        }
        match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::EINTR) => continue,
            error if error.raw_os_error() == Some(libc::ECHILD) => return Ok(None),
            error => return Err(error),
        }
    }
}

/// A plain fork; `None` in the child. The calling process must have one thread only.
pub fn fork() -> io::Result<Option<libc::pid_t>> {
    // SAFETY: single-threaded by contract, so the child may go on as usual.
    let pid = check(unsafe { libc::fork() } as libc::c_long)?;
    Ok((pid != 0).then_some(pid as libc::pid_t))
}

/// Replaces this process; returns only on failure.
pub fn exec(program: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |list: &[CString]| -> Vec<*const libc::c_char> {
        list.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both lists are null-terminated and outlive the call.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process at once, without destructors.
pub fn exit(code: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(code) }
}

/// Which descriptors of a [`poll`] are ready.
pub fn poll(descriptors: &[RawFd], timeout_ms: i32) -> io::Result<Vec<bool>> {
    let mut entries: Vec<libc::pollfd> =
        descriptors.iter().map(|&fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
    // SAFETY: the list is ours and as long as said.
    let result = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, timeout_ms) };
    match check(result as libc::c_long) {
        Ok(_) => Ok(entries.iter().map(|entry| entry.revents != 0).collect()),
        Err(error) if error.raw_os_error() == Some(libc::EINTR) => Ok(vec![false; descriptors.len()]),
        Err(error) => Err(error),
    }
}

/// A detached copy of the mount at `path`, to be attached elsewhere.
pub fn open_tree(path: &Path) -> io::Result<OwnedFd> {
    let path = c_path(path)?;
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
    // SAFETY: the path is null-terminated; the result is a fresh descriptor.
    unsafe {
        let fd = check(libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// A detached copy of the mount of what a descriptor names; it must be one of our own mounts.
pub fn open_tree_of(file: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH as libc::c_uint;
    // SAFETY: the path is a null-terminated constant; the result is a fresh descriptor.
    unsafe {
        let fd = check(libc::syscall(libc::SYS_open_tree, file.as_raw_fd(), c"".as_ptr(), flags))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Sets attributes such as `MOUNT_ATTR_RDONLY` on a detached mount.
pub fn mount_attributes(tree: &OwnedFd, set: u64) -> io::Result<()> {
    // SAFETY: zeroed mount_attr is valid and its size is passed along.
    unsafe {
        let mut attributes: libc::mount_attr = std::mem::zeroed();
        attributes.attr_set = set;
        check(libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        ))?;
    }
    Ok(())
}

/// Attaches a detached mount at `target`.
pub fn move_mount(tree: &OwnedFd, target: &Path) -> io::Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
    let target = c_path(target)?;
    // SAFETY: both paths are null-terminated.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })?;
    Ok(())
}

/// The classic mount call, for file systems made on the spot and for changes of propagation.
pub fn mount(source: &str, target: &Path, kind: &str, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let text = |text: &str| CString::new(text).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL));
    let (source, target, kind, options) = (text(source)?, c_path(target)?, text(kind)?, text(options)?);
    // SAFETY: all four are null-terminated and outlive the call.
    check(unsafe {
        libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) as libc::c_long
    })?;
    Ok(())
}

/// Makes the current directory the root and keeps the old one at `scratch`.
pub fn pivot_beside() -> io::Result<()> {
    // SAFETY: constant null-terminated paths.
    unsafe {
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c"scratch".as_ptr()))?;
        check(libc::chdir(c"/".as_ptr()) as libc::c_long)?;
    }
    Ok(())
}

/// Makes the current directory the root and lets go of the old one.
pub fn pivot_here() -> io::Result<()> {
    // SAFETY: constant null-terminated paths.
    unsafe {
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH) as libc::c_long)?;
        check(libc::chdir(c"/".as_ptr()) as libc::c_long)?;
    }
    Ok(())
}

/// Lets go of the mount at `target`; it lives on where it is bound elsewhere.
pub fn unmount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: null-terminated path.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) } as libc::c_long)?;
    Ok(())
}

/// Leaves every supplementary group; needs privilege.
pub fn leave_groups() -> io::Result<()> {
    // SAFETY: an empty list needs no memory.
    check(unsafe { libc::setgroups(0, std::ptr::null()) } as libc::c_long)?;
    Ok(())
}

/// Becomes `id` (user and group), keeping the capabilities of this user namespace until they are dropped.
pub fn become_user(id: u32) -> io::Result<()> {
    // SAFETY: plain syscalls on our own process.
    unsafe {
        check(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0) as libc::c_long)?;
        check(libc::setresgid(id, id, id) as libc::c_long)?;
        check(libc::setresuid(id, id, id) as libc::c_long)?;
    }
    set_capabilities(u64::MAX)
}

/// Sets effective and permitted capabilities to what of `mask` is permitted; inheritable ones to none.
fn set_capabilities(mask: u64) -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let header = Header { version: VERSION_3, pid: 0 };
    let mut sets = [Sets::default(); 2];
    // SAFETY: version 3 takes exactly two sets.
    unsafe {
        check(libc::syscall(libc::SYS_capget, &raw const header, sets.as_mut_ptr()))?;
        for (set, word) in sets.iter_mut().zip([mask as u32, (mask >> 32) as u32]) {
            set.permitted &= word;
            set.effective = set.permitted;
            set.inheritable = 0;
        }
        check(libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr()))?;
    }
    Ok(())
}

/// Gives up every capability for good: bounding set, ambient set, then the process's own.
pub fn drop_capabilities() -> io::Result<()> {
    // SAFETY: plain prctl calls on our own process.
    unsafe {
        for capability in 0..64 {
            let known = libc::prctl(libc::PR_CAPBSET_READ, capability, 0, 0, 0);
            if known < 0 {
                break;
            }
            check(libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) as libc::c_long)?;
        }
        check(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) as libc::c_long)?;
    }
    set_capabilities(0)
}

/// Nothing this process executes can gain rights from a file any more.
pub fn no_new_privileges() -> io::Result<()> {
    // SAFETY: plain prctl on our own process.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } as libc::c_long)?;
    Ok(())
}

/// Has the kernel ask this program, a `struct sock_filter[]`, at every system call of this thread and what it starts.
pub fn install_filter(program: &[u8]) -> io::Result<()> {
    let len = u16::try_from(program.len() / size_of::<libc::sock_filter>())
        .map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let program = libc::sock_fprog { len, filter: program.as_ptr().cast_mut().cast() };
    // SAFETY: the kernel copies `len` instructions, which lie within the slice, and checks them; it needs no alignment.
    check(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) } as libc::c_long)?;
    Ok(())
}

/// Hides this process's memory and descriptors from others of its user.
pub fn hide_from_peers() -> io::Result<()> {
    // SAFETY: plain prctl on our own process.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) } as libc::c_long)?;
    Ok(())
}

/// Has the kernel kill this process when its parent dies.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: plain prctl on our own process.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) } as libc::c_long)?;
    Ok(())
}

/// Starts a session of its own, so that no terminal signal reaches it.
pub fn new_session() -> io::Result<()> {
    // SAFETY: plain syscall.
    check(unsafe { libc::setsid() } as libc::c_long)?;
    Ok(())
}

/// Puts every signal back to its default and blocks none.
pub fn reset_signals() {
    // SAFETY: SIG_DFL and an empty mask are always valid; signals that cannot be set are left as they are.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// Sets both the soft and the hard limit.
pub fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the struct lives on our stack.
    check(unsafe { libc::setrlimit(resource, &limit) } as libc::c_long)?;
    Ok(())
}

/// The name that `uname` shows inside.
pub fn host_name(name: &str) -> io::Result<()> {
    // SAFETY: pointer and length belong together.
    check(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) } as libc::c_long)?;
    Ok(())
}

/// Closes every descriptor from `first` on.
pub fn close_from(first: RawFd) -> io::Result<()> {
    // SAFETY: the caller keeps no owner of these descriptors in use (it is about to exec).
    check(unsafe { libc::syscall(libc::SYS_close_range, first as libc::c_uint, libc::c_uint::MAX, 0) })?;
    Ok(())
}

/// Makes `target` a copy of `source` that survives exec.
pub fn place(source: RawFd, target: RawFd) -> io::Result<()> {
    // SAFETY: dup2 onto itself would keep close-on-exec, hence the two cases.
    unsafe {
        if source == target {
            check(libc::fcntl(source, libc::F_SETFD, 0) as libc::c_long)?;
        } else {
            check(libc::dup2(source, target) as libc::c_long)?;
        }
    }
    Ok(())
}

/// A copy of a descriptor at `lowest` or above, closed by exec.
pub fn copy_above(fd: RawFd, lowest: RawFd) -> io::Result<RawFd> {
    // SAFETY: plain syscall; the copy is the caller's to place.
    Ok(check(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest) } as libc::c_long)? as RawFd)
}

/// Puts `/dev/null`, for reading and writing, at `target`.
pub fn place_null(target: RawFd) -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?.into_raw_fd();
    place(null, target)?;
    if null != target {
        // SAFETY: it was opened just above and is owned by nobody else.
        drop(unsafe { OwnedFd::from_raw_fd(null) });
    }
    Ok(())
}

/// Becomes root of this user namespace.
pub fn become_root() -> io::Result<()> {
    // SAFETY: plain syscalls on our own process.
    unsafe {
        check(libc::setresgid(0, 0, 0) as libc::c_long)?;
        check(libc::setresuid(0, 0, 0) as libc::c_long)?;
    }
    Ok(())
}

/// Takes ownership of a descriptor this process was started with.
pub fn inherited(fd: RawFd) -> OwnedFd {
    // SAFETY: called once per descriptor, at the start of the supervisor, for descriptors its starter has placed.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// The most descriptors that travel with one message.
const DESCRIPTORS_MAX: usize = 8;
const CONTROL_WORDS: usize = 16;

/// Sends bytes and, with the first of them, descriptors. Gives how many bytes went.
pub fn send(socket: RawFd, bytes: &[u8], descriptors: &[RawFd]) -> io::Result<usize> {
    assert!(descriptors.len() <= DESCRIPTORS_MAX, "more descriptors than a message carries");
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut space = [0u64; CONTROL_WORDS];
    let size = size_of_val(descriptors) as u32;
    // SAFETY: the control buffer is aligned and large enough for DESCRIPTORS_MAX; sendmsg only reads the bytes.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        if !descriptors.is_empty() {
            message.msg_control = space.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as usize;
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as usize;
            std::ptr::copy_nonoverlapping(descriptors.as_ptr().cast(), libc::CMSG_DATA(header), size as usize);
        }
        Ok(check(libc::sendmsg(socket, &message, libc::MSG_NOSIGNAL) as libc::c_long)? as usize)
    }
}

/// Receives bytes and the descriptors that came with them; no bytes means that the other side closed.
pub fn receive(socket: RawFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut space = [0u64; CONTROL_WORDS];
    // SAFETY: as in `send`; the kernel writes at most msg_controllen bytes, and what it installed is ours to own.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = space.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&space);
        let received = check(libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC) as libc::c_long)? as usize;
        let mut descriptors = Vec::new();
        let mut header = libc::CMSG_FIRSTHDR(&message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*header).cmsg_len - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for index in 0..bytes / size_of::<RawFd>() {
                    descriptors.push(OwnedFd::from_raw_fd(std::ptr::read_unaligned(data.add(index))));
                }
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
        Ok((received, descriptors))
    }
}

/// Restricts this process by a Landlock ruleset for good; needs no_new_privs.
pub fn restrict_by(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain syscall on a descriptor we own.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) })?;
    Ok(())
}

/// How many bytes are in use on the file system that `file` lies on.
pub fn bytes_used(file: &OwnedFd) -> io::Result<u64> {
    // SAFETY: zeroed statfs is valid and lives on our stack.
    let stat = unsafe {
        let mut stat: libc::statfs = std::mem::zeroed();
        check(libc::fstatfs(file.as_raw_fd(), &mut stat) as libc::c_long)?;
        stat
    };
    Ok((stat.f_blocks - stat.f_bfree) * stat.f_bsize as u64)
}

/// Opens `name` below `directory` without following a link at any place and without leaving the file system.
pub fn open_beneath(directory: RawFd, name: &Path, flags: libc::c_int) -> io::Result<OwnedFd> {
    let name = c_path(name)?;
    // SAFETY: zeroed open_how is valid and its size is passed along; the result is a fresh descriptor.
    unsafe {
        let mut how: libc::open_how = std::mem::zeroed();
        how.flags = (flags | libc::O_CLOEXEC) as u64;
        how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_XDEV;
        let fd = check(libc::syscall(
            libc::SYS_openat2,
            directory,
            name.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        ))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Who is at the other end of a socket, as a user.
pub fn peer_uid(socket: RawFd) -> io::Result<u32> {
    // SAFETY: zeroed ucred is valid, lives on our stack, and its size is passed along.
    unsafe {
        let mut peer: libc::ucred = std::mem::zeroed();
        let mut size = size_of::<libc::ucred>() as libc::socklen_t;
        let place = (&raw mut peer).cast();
        check(libc::getsockopt(socket, libc::SOL_SOCKET, libc::SO_PEERCRED, place, &mut size) as libc::c_long)?;
        Ok(peer.uid)
    }
}

/// Two connected sockets that keep messages apart.
pub fn message_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut pair = [0; 2];
    // SAFETY: the kernel writes two fresh descriptors.
    unsafe {
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        check(libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) as libc::c_long)?;
        Ok((OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1])))
    }
}

/// Raises our own limit of open files as far as we may.
pub fn allow_more_files() -> io::Result<()> {
    // SAFETY: the struct lives on our stack.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        check(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) as libc::c_long)?;
        limit.rlim_cur = limit.rlim_max;
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &limit) as libc::c_long)?;
    }
    Ok(())
}

/// Lowers a limit of another process.
pub fn limit_of(pid: libc::pid_t, resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the struct lives on our stack; no old value is asked for.
    check(unsafe { libc::prlimit(pid, resource, &limit, std::ptr::null_mut()) } as libc::c_long)?;
    Ok(())
}

/// A child that has ended, if one has: waits for none.
pub fn reap() -> Option<libc::pid_t> {
    let mut status = 0;
    // SAFETY: the status lives on our stack.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) };
    (pid > 0).then_some(pid)
}

/// Has the kernel forget children as soon as they end.
pub fn leave_no_zombies() {
    // SAFETY: SIG_IGN is a valid disposition of SIGCHLD.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// Sleeps until a signal ends this process.
pub fn pause() {
    // SAFETY: always allowed.
    unsafe { libc::pause() };
}

/// Who we are outside.
pub fn effective_ids() -> (u32, u32) {
    // SAFETY: always succeed.
    unsafe { (libc::geteuid(), libc::getegid()) }
}
