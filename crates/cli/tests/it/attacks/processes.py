"""Processes: others that could be seen, signalled, read or steered, and rights that could be had."""

import resource

UNREACHABLE = 2_000_000


@check("processes", "its own")
def the_process_namespace():
    return namespace("pid")


@check("users", "its own")
def the_user_namespace():
    return namespace("user")


@check("users", "1")
def only_one_user_is_mapped():
    return sum(int(line.split()[2]) for line in text_of("/proc/self/uid_map").splitlines())


@check("users", "1")
def only_one_group_is_mapped():
    return sum(int(line.split()[2]) for line in text_of("/proc/self/gid_map").splitlines())


@check("users", "deny")
def groups_cannot_be_chosen():
    return text_of("/proc/self/setgroups").strip()


@check("users", "(1000, 1000, [])")
def who_we_are():
    return (os.getuid(), os.getgid(), [group for group in os.getgroups() if group not in (1000, 65534)])


@check("processes", "True")
def numbers_begin_anew():
    return os.getpid() < 100 and os.getppid() <= 1


@check("root", "True")
def only_our_own_are_listed():
    return [name for name in names_in("/proc") if name.isdigit()] == [str(os.getpid())]


@check("processes", "['ESRCH']")
def no_other_can_be_named():
    others = [number for number in range(2, 5_000) if number != os.getpid()] + [UNREACHABLE]
    return came_to_each([functools.partial(os.kill, number, 0) for number in others])


@check("processes", "ESRCH")
def signal_everybody():
    os.kill(-1, signal.SIGCONT)


@check("processes", "True")
def init_does_not_mind_signals():
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSTOP, signal.SIGSEGV):
        came_to(lambda: os.kill(1, number))
    return came_to(lambda: os.kill(1, 0)) in ("None", "EPERM")


@check("processes", "ESRCH")
def the_group_of_the_command():
    return os.getpgid(FACTS["process"])


@check("processes", "ESRCH")
def the_priority_of_the_command():
    return os.getpriority(os.PRIO_PROCESS, FACTS["process"])


@check("processes", "ESRCH")
def the_processors_of_the_command():
    os.sched_setaffinity(FACTS["process"], {0})


@check("seccomp", "EPERM")
def trace():
    return call(101, 16, 1, 0, 0)


@check("seccomp", "EPERM")
def be_traced_by_a_child():
    return in_child(lambda: call(101, 0, 0, 0, 0))


@check("seccomp", "EPERM")
def read_memory_of_a_child():
    return call(310, os.getpid(), 0, 0, 0, 0, 0)


@check("seccomp", "EPERM")
def write_memory_of_a_child():
    return call(311, os.getpid(), 0, 0, 0, 0, 0)


@check("seccomp", "EPERM")
def hold_a_process():
    return call(434, os.getpid(), 0)


@check("seccomp", "EPERM")
def take_a_descriptor_of_a_process():
    return call(438, 3, 0, 0)


@check("seccomp", "EPERM")
def signal_a_held_process():
    return call(424, 3, 0, 0, 0)


@check("seccomp", "EPERM")
def advise_on_memory_of_another():
    return call(440, 3, 0, 0, 0, 0)


@check("seccomp", "EPERM")
def compare_what_processes_hold():
    return call(312, os.getpid(), os.getpid(), 0, 0, 0)


@check("seccomp", "EPERM")
def limits_of_another():
    return call(302, 1, resource.RLIMIT_NOFILE, 0, bytes(16))


@check("seccomp", "EPERM")
def the_futexes_of_another():
    return call(274, 1, bytes(8), bytes(8))


@check("limits", "['ValueError']")
def raise_a_limit():
    names = "AS NPROC CPU NOFILE FSIZE CORE MEMLOCK".split()
    limits = [getattr(resource, "RLIMIT_" + name) for name in names]
    none = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    return in_child(lambda: came_to_each([functools.partial(resource.setrlimit, limit, none) for limit in limits]))


@check("limits", "ENOMEM")
def address_space_without_end():
    return call(9, 0, 64 << 30, 0, 0x22, -1, 0)


@check("limits", "False")
def leave_an_image_of_memory():
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGQUIT)
        os._exit(0)
    return os.WCOREDUMP(os.waitpid(child, 0)[1])


@check("limits", "True")
def limits_that_stand_behind_others():
    none = [resource.getrlimit(limit) for limit in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK)]
    return none == [(0, 0), (0, 0)] and 0 < resource.getrlimit(resource.RLIMIT_CPU)[1] <= 15


@check("limits", "True")
def processes_are_limited_without_a_control_group():
    return 64 < resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 129


@check("seccomp", "EPERM")
def run_before_others():
    os.setpriority(os.PRIO_PROCESS, 0, -20)


@check("seccomp", "EPERM")
def run_in_real_time():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


@check("seccomp", "EPERM")
def run_by_a_deadline():
    # As nice as it is: less nice is refused to anybody, and the tests may have been started at a low priority.
    nice = int(open("/proc/self/stat").read().rpartition(") ")[2].split()[16])
    return call(314, 0, bytes(16) + nice.to_bytes(4, "little", signed=True) + bytes(36), 0)


@check("seccomp", "EPERM")
def read_before_others():
    return call(251, 1, 0, 1 << 13)


@check("seccomp", "EPERM")
def become_root():
    os.setuid(0)


@check("seccomp", "EPERM")
def join_a_group():
    os.setgroups([0])


@check("seccomp", "EPERM")
def become_another_group():
    os.setresgid(0, 0, 0)


@check("seccomp", "EPERM")
def open_files_as_another():
    return call(122, 0)


@check("seccomp", "EPERM")
def take_capabilities():
    return call(126, bytes(8), bytes(24))


@check("capabilities", "{'0000000000000000'}")
def no_capability_is_left():
    return {status_of(field) for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}


@check("capabilities", "{0}")
def none_can_come_back():
    return {LIBC.prctl(23, number, 0, 0, 0) for number in range(41)}


@check("no_new_privileges", "1")
def no_new_privileges():
    return status_of("NoNewPrivs")


@check("seccomp", "2")
def calls_are_filtered():
    return status_of("Seccomp")
