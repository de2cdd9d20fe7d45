//! What each system call comes to, and why where that is not plain.
//!
//! Beyond what would reach out of a cell, the list leaves out what lets cells notice each other, since they share the
//! files of their root, their inputs and the memory that holds them; and what no program of data analysis asks for but
//! attacks on the system do. Where a program is known to go on after a certain refusal, it gets that one.
//!
//! Arguments are compared by their low 32 bits, because that is all of them the system looks at: they are `int`s, or
//! words of flags none of which is above.

use libc::*;

use super::program::{Answer, Rule, Rules, Test};
use crate::policy::Profile;

/// What a call that is not listed comes to. A call of the 32-bit-pointer table has bit 30 set and is never listed.
pub const OTHERWISE: Answer = Answer::Errno(EPERM);

/// Allowed whatever their arguments are.
///
/// Left out on purpose: `flock`, leases and `inotify` (signals between cells by way of shared files), `mincore` (tells
/// which of them others have read), `timer_create` and its like (a rich source of faults; intervals and `timerfd`
/// do), `get_robust_list` (for debuggers), `sched_setscheduler`, `sched_setattr` and `setpriority` (a cell does not
/// decide how it shares the processor), `splice` and `vmsplice`, `io_uring`, `userfaultfd`, keys, tracing.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    // files
    SYS_read, SYS_write, SYS_close, SYS_close_range, SYS_open, SYS_openat, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_readv,
    SYS_writev, SYS_preadv, SYS_pwritev, SYS_sendfile, SYS_copy_file_range, SYS_stat, SYS_fstat,
    SYS_lstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_access, SYS_faccessat, SYS_faccessat2, SYS_getdents64,
    SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_readlink, SYS_readlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir,
    SYS_mkdirat, SYS_rmdir, SYS_unlink, SYS_unlinkat, SYS_symlink, SYS_symlinkat, SYS_link, SYS_linkat, SYS_chmod, SYS_fchmod,
    SYS_fchmodat, SYS_fchmodat2, SYS_utime, SYS_utimes, SYS_utimensat, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fsync,
    SYS_fdatasync, SYS_umask, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr,
    SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2,
    // waiting
    SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd, SYS_eventfd2, SYS_signalfd, SYS_signalfd4, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime,
    // memory
    SYS_munmap, SYS_mprotect, SYS_mremap, SYS_brk, SYS_msync, SYS_membarrier,
    // processes and threads
    SYS_fork, SYS_vfork, SYS_execve, SYS_wait4, SYS_waitid, SYS_exit, SYS_exit_group, SYS_getpid, SYS_getppid, SYS_gettid,
    SYS_getpgrp, SYS_getpgid, SYS_setpgid, SYS_getsid, SYS_setsid, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_rt_sigqueueinfo,
    SYS_sigaltstack, SYS_pause, SYS_restart_syscall, SYS_futex, SYS_set_robust_list, SYS_set_tid_address,
    SYS_rseq, SYS_arch_prctl, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_getcpu,
    SYS_getrlimit, SYS_setrlimit, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname,
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups,
    // time and chance
    SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_time, SYS_alarm,
    SYS_setitimer, SYS_getitimer, SYS_getrandom,
    // sockets, which can only be local ones: see `socket` below
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_shutdown, SYS_getsockname, SYS_getpeername,
];

/// Requests on a terminal or a pipe that programs make of their own output. None that types into a terminal.
const IOCTLS: &[c_ulong] = &[TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX];

/// What a thread may say or ask about itself.
const PRCTLS: &[c_int] =
    &[PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_CAPBSET_READ];

const NAMESPACES_AND_TRACING: c_int = CLONE_NEWUSER
    | CLONE_NEWNS
    | CLONE_NEWPID
    | CLONE_NEWNET
    | CLONE_NEWIPC
    | CLONE_NEWUTS
    | CLONE_NEWCGROUP
    | CLONE_PTRACE;

/// Commands on a descriptor. Not leases, by which one cell can make another wait at `open`, and not `F_NOTIFY`, by which
/// it is told what others do in a shared directory.
const FCNTLS: &[c_int] = &[
    F_GETFD,
    F_SETFD,
    F_GETFL,
    F_SETFL,
    F_DUPFD,
    F_DUPFD_CLOEXEC,
    F_GETPIPE_SZ,
    F_SETPIPE_SZ,
    F_ADD_SEALS,
    F_GET_SEALS,
];

/// Who holds a lock is seen also on files of the image, which cells share: two of them can signal so. SQLite cannot do
/// without, so only the question that nobody asks is missing.
const LOCK_COMMANDS: &[c_int] = &[F_SETLK, F_SETLKW, F_GETLK, F_OFD_SETLK, F_OFD_SETLKW];

/// What a program may ask of a socket. Not for a descriptor of the process at its other end.
#[rustfmt::skip]
const SOCKET_QUESTIONS: &[c_int] = &[
    SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_REUSEADDR, SO_REUSEPORT, SO_LINGER, SO_PASSCRED, SO_PEERCRED,
    SO_RCVLOWAT, SO_SNDLOWAT, SO_RCVTIMEO, SO_SNDTIMEO, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN, SO_BROADCAST, SO_OOBINLINE,
];

/// Advice on memory. Not merging equal pages, which by its timing tells what others have in theirs, and nothing that
/// drives out of memory what others share.
#[rustfmt::skip]
const ADVICE: &[c_int] = &[
    MADV_DONTNEED, MADV_FREE, MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_REMOVE, MADV_DONTFORK,
    MADV_DOFORK, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_KEEPONFORK,
    MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_COLLAPSE, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE,
];
const MADV_GUARD_INSTALL: c_int = 102;
const MADV_GUARD_REMOVE: c_int = 103;

/// Options of a local socket. Not packet filters, which are programs run by the system.
#[rustfmt::skip]
const SOCKET_OPTIONS: &[c_int] = &[
    SO_REUSEADDR, SO_REUSEPORT, SO_BROADCAST, SO_KEEPALIVE, SO_LINGER, SO_SNDBUF, SO_RCVBUF, SO_RCVLOWAT, SO_SNDTIMEO,
    SO_RCVTIMEO, SO_PASSCRED,
];

/// The rule of every call that is not simply refused.
pub fn rules(profile: Profile, memory_is_bounded: bool) -> Rules {
    let mut rules: Rules = ALLOWED.iter().map(|&call| (call as u32, Rule::Always(Answer::Allow))).collect();
    let mut set = |call: c_long, rule: Rule| {
        let before = rules.insert(call as u32, rule);
        debug_assert!(before.is_none(), "call {call} has two rules");
    };
    // glibc falls back to `clone`, whose flags can be read here.
    set(SYS_clone3, Rule::Always(Answer::Errno(ENOSYS)));
    set(SYS_clone, refuse_bits(0, NAMESPACES_AND_TRACING, EPERM));
    set(SYS_prctl, only(0, PRCTLS));
    set(SYS_prlimit64, only(0, &[0]));
    set(SYS_socket, only(0, &[AF_UNIX]));
    set(SYS_socketpair, only(0, &[AF_UNIX]));
    set(SYS_setsockopt, only(2, SOCKET_OPTIONS));
    set(SYS_getsockopt, only(2, SOCKET_QUESTIONS));
    // Urgent data on local sockets: used by nobody, and faulty more than once. Systems can be built without it.
    set(SYS_sendto, refuse_bits(3, MSG_OOB, EOPNOTSUPP));
    set(SYS_recvfrom, refuse_bits(3, MSG_OOB, EOPNOTSUPP));
    set(SYS_sendmsg, refuse_bits(2, MSG_OOB, EOPNOTSUPP));
    set(SYS_recvmsg, refuse_bits(2, MSG_OOB, EOPNOTSUPP));
    set(SYS_ioctl, by_value(1, IOCTLS.iter().map(|&request| (request as u32, Answer::Allow)), OTHERWISE));
    set(SYS_fcntl, fcntl(profile));
    // Reading only what is in memory tells, as `mincore` would, what others have read; not every file can be read so.
    set(SYS_preadv2, refuse_bits(5, RWF_NOWAIT, EOPNOTSUPP));
    set(SYS_pwritev2, refuse_bits(5, RWF_NOWAIT, EOPNOTSUPP));
    // Would make others read a shared file from the disk again. It is advice: not to take it is no error.
    set(SYS_fadvise64, by_value(3, [(POSIX_FADV_DONTNEED as u32, Answer::Errno(0))], Answer::Allow));
    // What an older system says of advice it does not know.
    set(SYS_madvise, by_value(2, ADVICE.iter().map(|&advice| (advice as u32, Answer::Allow)), Answer::Errno(EINVAL)));
    set(SYS_mmap, mmap(memory_is_bounded));
    if memory_is_bounded {
        set(SYS_memfd_create, refuse_bits(1, MFD_HUGETLB as c_int, EPERM));
    }
    rules
}

fn fcntl(profile: Profile) -> Rule {
    let locks = match profile {
        // DuckDB opens a file that it only reads without one.
        Profile::Analysis => Answer::Errno(ENOTSUP),
        Profile::Task | Profile::Ingest => Answer::Allow,
    };
    let commands = FCNTLS.iter().map(|&command| (command as u32, Answer::Allow));
    let locks = LOCK_COMMANDS.iter().map(|&command| (command as u32, locks));
    by_value(1, commands.chain(locks), OTHERWISE)
}

fn mmap(memory_is_bounded: bool) -> Rule {
    // Reserved huge pages count nowhere. Most machines have none, and then say this.
    let mut tests = vec![(Test::HasAny(MAP_HUGETLB as u32), Answer::Errno(ENOMEM))];
    if !memory_is_bounded {
        // Its pages can leave every count we can make from outside and still be there.
        tests.push((Test::HasAll((MAP_SHARED | MAP_ANONYMOUS) as u32), Answer::Errno(EPERM)));
    }
    Rule::Argument { index: 3, tests, otherwise: Answer::Allow }
}

/// Allowed with these values of an argument, refused with others.
fn only(index: usize, values: &[c_int]) -> Rule {
    by_value(index, values.iter().map(|&value| (value as u32, Answer::Allow)), OTHERWISE)
}

/// Fails with `number` if an argument has one of these bits.
fn refuse_bits(index: usize, bits: c_int, number: c_int) -> Rule {
    let tests = vec![(Test::HasAny(bits as u32), Answer::Errno(number))];
    Rule::Argument { index, tests, otherwise: Answer::Allow }
}

fn by_value(index: usize, answers: impl IntoIterator<Item = (u32, Answer)>, otherwise: Answer) -> Rule {
    let tests = answers.into_iter().map(|(value, answer)| (Test::Is(value), answer)).collect();
    Rule::Argument { index, tests, otherwise }
}
