//! Rights: users, capabilities, filters and limits; mostly how to give them up.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::check;

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

/// Becomes root of this user namespace.
pub fn become_root() -> io::Result<()> {
    // SAFETY: plain syscalls on our own process.
    unsafe {
        check(libc::setresgid(0, 0, 0) as libc::c_long)?;
        check(libc::setresuid(0, 0, 0) as libc::c_long)?;
    }
    Ok(())
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

/// Restricts this process by a Landlock ruleset for good; needs no_new_privs.
pub fn restrict_by(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain syscall on a descriptor we own.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) })?;
    Ok(())
}

/// Hides this process's memory and descriptors from others of its user.
pub fn hide_from_peers() -> io::Result<()> {
    // SAFETY: plain prctl on our own process.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) } as libc::c_long)?;
    Ok(())
}

/// Sets both the soft and the hard limit.
pub fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the struct lives on our stack.
    check(unsafe { libc::setrlimit(resource, &limit) } as libc::c_long)?;
    Ok(())
}

/// Lowers a limit of another process.
pub fn limit_of(pid: libc::pid_t, resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the struct lives on our stack; no old value is asked for.
    check(unsafe { libc::prlimit(pid, resource, &limit, std::ptr::null_mut()) } as libc::c_long)?;
    Ok(())
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

/// The name that `uname` shows inside.
pub fn host_name(name: &str) -> io::Result<()> {
    // SAFETY: pointer and length belong together.
    check(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) } as libc::c_long)?;
    Ok(())
}

/// Who we are outside.
pub fn effective_ids() -> (u32, u32) {
    // SAFETY: always succeed.
    unsafe { (libc::geteuid(), libc::getegid()) }
}
