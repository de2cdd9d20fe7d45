//! Processes: to make, wait for, signal and end them.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::check;

/// What [`clone_process`] returned: we are the parent and hold the child, or we are the child.
pub enum Cloned {
    Parent { pid: libc::pid_t, pidfd: OwnedFd },
    Child,
}

/// Forks into new namespaces, and into a control group of version 2 if one is named. The calling process must have one
/// thread only: the child goes on in a copy of it.
pub fn clone_process(namespaces: libc::c_int, group: Option<&OwnedFd>) -> io::Result<Cloned> {
    // The constant of libc does not fit its own type.
    const CLONE_INTO_CGROUP: u64 = 1 << 33;
    let mut pidfd: libc::c_int = -1;
    // SAFETY: zeroed clone_args are valid; pidfd outlives the call; no stack is passed, so this behaves like fork.
    let pid = unsafe {
        let mut args: libc::clone_args = std::mem::zeroed();
        args.flags = namespaces as u64 | libc::CLONE_PIDFD as u64;
        args.pidfd = &raw mut pidfd as u64;
        args.exit_signal = libc::SIGCHLD as u64;
        if let Some(group) = group {
            args.flags |= CLONE_INTO_CGROUP;
            args.cgroup = group.as_raw_fd() as u64;
        }
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

/// A child that has ended, if one has: waits for none.
pub fn reap() -> Option<libc::pid_t> {
    let mut status = 0;
    // SAFETY: the status lives on our stack.
    let pid = unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) };
    (pid > 0).then_some(pid)
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

/// Signals and the modes of new files as a fresh process has them, whatever whoever started us had set.
pub fn forget_the_caller() {
    // SAFETY: SIG_DFL, an empty mask and any file mode are always valid; signals that cannot be set are left as they are.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::umask(0o022);
    }
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
