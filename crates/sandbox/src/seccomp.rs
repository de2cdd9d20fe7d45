//! The system calls a kernel may make: an allow-list, so that what the list's author never heard of is refused.
//!
//! Several filters, because a filter has one answer for what it matches: "no such call" where programs know how to go on
//! without (clone3), "not supported" for record locks in `analysis`, and last the list, which refuses everything else.
//! The strictest answer wins.

use std::collections::BTreeMap;

use libc::*;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::policy::Profile;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Allowed whatever their arguments are.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    // files
    SYS_read, SYS_write, SYS_close, SYS_close_range, SYS_open, SYS_openat, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_readv,
    SYS_writev, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_sendfile, SYS_copy_file_range, SYS_stat, SYS_fstat,
    SYS_lstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_access, SYS_faccessat, SYS_faccessat2, SYS_getdents64,
    SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_readlink, SYS_readlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir,
    SYS_mkdirat, SYS_rmdir, SYS_unlink, SYS_unlinkat, SYS_symlink, SYS_symlinkat, SYS_link, SYS_linkat, SYS_chmod, SYS_fchmod,
    SYS_fchmodat, SYS_utime, SYS_utimes, SYS_utimensat, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync,
    SYS_fadvise64, SYS_umask, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr,
    SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2, SYS_fcntl,
    // waiting
    SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd, SYS_eventfd2, SYS_signalfd, SYS_signalfd4, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime,
    // memory
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_msync, SYS_mincore, SYS_membarrier,
    // processes and threads
    SYS_fork, SYS_vfork, SYS_execve, SYS_wait4, SYS_waitid, SYS_exit, SYS_exit_group, SYS_getpid, SYS_getppid, SYS_gettid,
    SYS_getpgrp, SYS_getpgid, SYS_setpgid, SYS_getsid, SYS_setsid, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_rt_sigqueueinfo,
    SYS_sigaltstack, SYS_pause, SYS_restart_syscall, SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address,
    SYS_rseq, SYS_arch_prctl, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_getcpu,
    SYS_getrlimit, SYS_setrlimit, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname,
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups,
    // time and chance
    SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_time, SYS_alarm,
    SYS_setitimer, SYS_getitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun,
    SYS_timer_delete, SYS_getrandom,
    // sockets, which can only be local ones: see `socket` below
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_shutdown, SYS_getsockname, SYS_getpeername, SYS_setsockopt, SYS_getsockopt,
    // answered by an earlier filter
    SYS_clone3,
];

/// Requests on a terminal or a pipe that programs make of their own output.
const IOCTLS: &[c_ulong] = &[TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX];

/// What a thread may say or ask about itself.
const PRCTLS: &[c_int] =
    &[PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_CAPBSET_READ];

const LOCK_COMMANDS: &[c_int] = &[F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW];

/// Installs the filters on the calling thread and what it will start.
pub fn apply(profile: Profile, memory_is_bounded: bool) -> Result<(), seccompiler::Error> {
    for program in filters(profile, memory_is_bounded)? {
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// The list comes last: it forbids to install another.
fn filters(profile: Profile, memory_is_bounded: bool) -> Result<Vec<BpfProgram>, seccompiler::Error> {
    let answer = |rules: Rules, errno: c_int| compile(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32));
    // glibc falls back to `clone`, whose flags can be read here.
    let mut programs = vec![answer(Rules::from([(SYS_clone3, vec![])]), ENOSYS)?];
    if profile == Profile::Analysis {
        let locks = LOCK_COMMANDS.iter().map(|&command| argument(1, SeccompCmpOp::Eq, command as u64));
        programs.push(answer(Rules::from([(SYS_fcntl, locks.collect::<Result<_, _>>()?)]), ENOTSUP)?);
    }
    if !memory_is_bounded {
        // Its pages can leave every count we can make from outside and still be there.
        let shared = (MAP_SHARED | MAP_ANONYMOUS) as u64;
        let shared = vec![argument(3, SeccompCmpOp::MaskedEq(shared), shared)?];
        programs.push(answer(Rules::from([(SYS_mmap, shared)]), EPERM)?);
    }
    programs.push(allowed(memory_is_bounded)?);
    Ok(programs)
}

fn allowed(memory_is_bounded: bool) -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: Rules = ALLOWED.iter().map(|&call| (call, vec![])).collect();
    let is = |index, value: u64| argument(index, SeccompCmpOp::Eq, value);
    let any = |index, values: &[u64]| values.iter().map(|&value| is(index, value)).collect::<Result<Vec<_>, _>>();
    let namespaces = (CLONE_NEWUSER
        | CLONE_NEWNS
        | CLONE_NEWPID
        | CLONE_NEWNET
        | CLONE_NEWIPC
        | CLONE_NEWUTS
        | CLONE_NEWCGROUP
        | CLONE_PTRACE) as u64;
    rules.insert(SYS_clone, vec![argument(0, SeccompCmpOp::MaskedEq(namespaces), 0)?]);
    rules.insert(SYS_socket, any(0, &[AF_UNIX as u64])?);
    rules.insert(SYS_socketpair, any(0, &[AF_UNIX as u64])?);
    rules.insert(SYS_ioctl, any(1, IOCTLS)?);
    rules.insert(SYS_prctl, any(0, &PRCTLS.iter().map(|&option| option as u64).collect::<Vec<_>>())?);
    rules.insert(SYS_prlimit64, any(0, &[0])?);
    if memory_is_bounded {
        rules.insert(SYS_memfd_create, vec![]);
    }
    compile(rules, SeccompAction::Errno(EPERM as u32), SeccompAction::Allow)
}

fn argument(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn compile(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Result<BpfProgram, seccompiler::Error> {
    Ok(SeccompFilter::new(rules, otherwise, matched, TargetArch::x86_64)?.try_into()?)
}
