"""Kernel surfaces: calls that are not for us, and ways to make them that are not the usual one.

The arguments are chosen so that a call that got through would come to something other than the filter's own answer,
wherever the system lets that be.
"""

import mmap
import termios

NEW_USER = 0x10000000
NEW_MOUNTS = 0x20000
NEW_NETWORK = 0x40000000
OTHER_NAMESPACES = (0x20000000, 0x8000000, 0x4000000, 0x2000000)
PRCTLS_ALLOWED = {15, 16, 1, 2, 3, 4, 23}
RETURN_20 = b"\xb8\x14\x00\x00\x00\xc3"
INT_80_GETPID = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"
INT_80_GETPPID = b"\xb8\x40\x00\x00\x00\xcd\x80\xc3"


def clone(flags):
    """A fork with more flags; the new process ends at once."""
    made = call(56, flags | signal.SIGCHLD, 0, 0, 0, 0)
    return made or os._exit(0)


def run_machine_code(code):
    """What a function of these bytes returns."""
    rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=rights)
    memory.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()


@check("seccomp", "EPERM")
def io_uring_setup():
    return call(425, 8, bytes(120))


@check("seccomp", "EPERM")
def io_uring_register():
    return call(427, -1, 31, 0, 0)


@check("seccomp", "EPERM")
def bpf_map():
    return call(321, 0, bytes(72), 72)


@check("seccomp", "EPERM")
def userfaultfd():
    return call(323, 1)


@check("seccomp", "EPERM")
def perf_event_open():
    return call(298, bytes(128), 0, -1, -1, 0)


@check("seccomp", "[]")
def the_old_calls_to_mount():
    return got_through(
        "EPERM",
        mount=(165, b"none\0", b"/tmp\0", b"tmpfs\0", 0, 0),
        umount2=(166, b"/proc\0", 2),
        pivot_root=(155, b"/tmp\0", b"/tmp\0"),
    )


@check("seccomp", "[]")
def the_new_calls_to_mount():
    return got_through(
        "EPERM",
        fsopen=(430, b"tmpfs\0", 0),
        fsconfig=(431, -1, 0, 0, 0, 0),
        fsmount=(432, -1, 0, 0),
        fspick=(433, -100, b"/tmp\0", 0),
        open_tree=(428, -100, b"/tmp\0", 0),
        move_mount=(429, -1, b"\0", -100, b"/tmp\0", 4),
        mount_setattr=(442, -100, b"/tmp\0", 0, bytes(32), 32),
    )


@check("seccomp", "[]")
def calls_that_list_mounts():
    return got_through(
        "EPERM",
        statmount=(457, bytes(24), bytes(512), 512, 0),
        listmount=(458, bytes(24), bytes(512), 64, 0),
    )


@check("seccomp", "[]")
def modules_of_the_system():
    return got_through(
        "EPERM",
        init_module=(175, 0, 0, b"\0"),
        finit_module=(313, -1, b"\0", 0),
        delete_module=(176, b"x\0", 0),
    )


@check("seccomp", "[]")
def another_system():
    return got_through(
        "EPERM",
        kexec_load=(246, 0, 0, 0, 0),
        kexec_file_load=(320, -1, -1, 0, 0, 0),
        reboot=(169, 0, 0, 0, 0),
    )


@check("seccomp", "[]")
def clocks_of_the_machine():
    return got_through(
        "EPERM",
        settimeofday=(164, 0, 0),
        clock_settime=(227, 0, bytes(16)),
        adjtimex=(159, bytes(208)),
    )


@check("seccomp", "[]")
def names_of_the_machine():
    return got_through(
        "EPERM",
        sethostname=(170, b"x", 1),
        setdomainname=(171, b"x", 1),
    )


@check("seccomp", "[]")
def accounts_of_the_machine():
    return got_through(
        "EPERM",
        swapon=(167, b"/tmp/x\0", 0),
        acct=(163, 0),
        quotactl=(179, 0, 0, 0, 0),
        quotactl_fd=(443, -1, 0, 0, 0),
    )


@check("seccomp", "[]")
def ports_of_the_machine():
    return got_through(
        "EPERM",
        iopl=(172, 0),
        ioperm=(173, 0, 1, 0),
    )


@check("seccomp", "[]")
def keys():
    return got_through(
        "EPERM",
        add_key=(248, b"user\0", b"name\0", b"secret", 6, -2),
        request_key=(249, b"user\0", b"name\0", 0, -2),
        keyctl=(250, 0, -2, 1),
    )


@check("seccomp", "[]")
def pages_from_pipe_to_pipe():
    return got_through(
        "EPERM",
        vmsplice=(278, 1, 0, 0, 0),
        splice=(275, -1, 0, -1, 0, 0, 0),
        tee=(276, -1, -1, 0, 0),
    )


@check("seccomp", "[]")
def files_by_handle():
    return got_through(
        "EPERM",
        name_to_handle_at=(303, -100, b"/tmp\0", bytes(136), bytes(4), 0),
        open_by_handle_at=(304, -100, bytes(136), 0),
    )


@check("seccomp", "[]")
def security_modules():
    return got_through(
        "EPERM",
        lsm_get_self_attr=(459, 100, 0, bytes(4), 0),
        lsm_list_modules=(461, bytes(64), bytes(4), 0),
    )


@check("seccomp", "[]")
def pages_that_others_have_read():
    return got_through(
        "EPERM",
        mincore=(27, 0, 0, bytes(8)),
        cachestat=(451, 0, bytes(16), bytes(40), 0),
    )


@check("seccomp", "[]")
def where_memory_comes_from():
    return got_through(
        "EPERM",
        move_pages=(279, 0, 0, 0, 0, 0, 0),
        set_mempolicy=(238, 0, 0, 0),
    )


@check("seccomp", "EPERM")
def unshare_users():
    return in_child(lambda: call(272, NEW_USER))


@check("seccomp", "EPERM")
def unshare_nothing():
    return call(272, 0)


@check("seccomp", "EPERM")
def unshare_time():
    return in_child(lambda: call(272, 0x80))


@check("seccomp", "EPERM")
def setns():
    return in_child(lambda: call(308, os.open("/proc/self/ns/user", os.O_RDONLY), 0))


@check("seccomp", "EPERM")
def personality():
    return call(135, 0x0040000)


@check("seccomp", "EPERM")
def modify_ldt():
    return call(154, 0, bytes(16), 16)


@check("seccomp", "EPERM")
def seccomp_itself():
    return call(317, 2, 0, bytes(4))


@check("seccomp", "EPERM")
def landlock_create():
    return call(444, 0, 0, 1)


@check("seccomp", "EPERM")
def landlock_stack():
    return call(446, -1, 0)


@check("seccomp", "EPERM")
def seal_memory():
    return call(462, 0, 0, 0)


@check("seccomp", "EPERM")
def shared_memory_of_system_v():
    return call(29, 0x5EC2E7, 4096, 0o1600)


@check("seccomp", "EPERM")
def semaphores_of_system_v():
    return call(64, 0x5EC2E7, 1, 0o1600)


@check("seccomp", "EPERM")
def messages_of_system_v():
    return call(68, 0x5EC2E7, 0o1600)


@check("seccomp", "EPERM")
def queues_of_messages():
    return call(240, b"secret\0", 0o102, 0o600, 0)


@check("seccomp", "EPERM")
def memory_that_nobody_sees():
    return call(447, 0)


@check("seccomp", "EPERM")
def remap_file_pages():
    return call(216, 0, 0, 0, 0, 0)


@check("seccomp", "EPERM")
def execute_a_descriptor():
    return call(322, -1, b"\0", 0, 0, 0x1000)


@check("seccomp", "EPERM")
def read_the_systems_log():
    return call(103, 10, 0, 0)


@check("seccomp", "EPERM")
def watch_everything():
    return call(300, 0, 0)


@check("seccomp", "EPERM")
def watch_files():
    return call(294, 0)


@check("seccomp", "EPERM")
def timers_with_signals():
    return call(222, 0, 0, bytes(8))


@check("seccomp", "EPERM")
def lock_memory():
    return call(149, 0, 0)


@check("seccomp", "EPERM")
def flags_of_a_file():
    return call(469, -100, b"/tmp\0", bytes(24), 24, 0)


@check("seccomp", "EPERM")
def an_old_way_to_load_code():
    return call(134, b"/usr/bin/sh\0")


@check("seccomp", "EPERM")
def a_call_that_does_not_exist():
    return call(100_000)


@check("seccomp", "EPERM")
def a_negative_call():
    return call(-1)


@check("seccomp", "EPERM")
def x32_of_a_refused_call():
    return call(0x40000000 | 321, 0, bytes(72), 72)


@check("seccomp", "EPERM")
def x32_of_an_allowed_call():
    return call(0x40000000 | 39)


@check("seccomp", "EPERM")
def x32_of_its_own():
    return call(0x40000000 | 520, 0, 0, 0)


@check("seccomp", "['EPERM']")
def clone_into_namespaces():
    flags = [NEW_USER, NEW_MOUNTS, NEW_NETWORK, NEW_USER | NEW_MOUNTS | NEW_NETWORK, *OTHER_NAMESPACES]
    return in_child(lambda: came_to_each([functools.partial(clone, flag) for flag in flags]))


@check("seccomp", "ENOSYS")
def clone_with_flags_in_memory():
    return in_child(lambda: call(435, NEW_USER.to_bytes(8, "little") + bytes(56), 64) or os._exit(0))


@check("seccomp", "EPERM")
def clone_to_be_traced():
    return in_child(lambda: clone(0x2000))


@check("seccomp", "['EPERM']")
def every_other_prctl():
    options = [option for option in range(80) if option not in PRCTLS_ALLOWED]
    return in_child(lambda: came_to_each([functools.partial(call, 157, option, 0, 0, 0, 0) for option in options]))


@check("seccomp", "EPERM")
def prctl_with_high_bits():
    return in_child(lambda: call(157, 36 | 1 << 32, 1, 0, 0, 0))


@check("seccomp", "EPERM")
def type_into_a_terminal():
    return call(16, 0, termios.TIOCSTI, b"x")


@check("seccomp", "EPERM")
def type_into_a_terminal_with_high_bits():
    return call(16, 0, termios.TIOCSTI | 1 << 32, b"x")


@check("seccomp", "EPERM")
def share_blocks_of_a_file():
    with open("/usr/bin/sh", "rb") as source, open("/tmp/clone", "wb") as target:
        return call(16, target.fileno(), 0x40049409, source.fileno())


@check("seccomp", "EPERM")
def a_lease_on_a_file():
    with open("/usr/bin/sh", "rb") as file:
        return call(72, file.fileno(), 1024, 0)


@check("seccomp", "EPERM")
def be_told_of_changes():
    with held("/usr") as folder:
        return call(72, folder, 1026, 0x1)


@check("seccomp", "EINVAL")
def merge_equal_pages():
    return call(28, mapped(4096), 4096, 12)


@check("seccomp", "EINVAL")
def drive_pages_out():
    return call(28, mapped(4096), 4096, 21)


@check("seccomp", "EOPNOTSUPP")
def read_only_what_is_in_memory():
    with open("/usr/bin/sh", "rb") as file:
        return os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)


@check("seccomp", "ENOMEM")
def reserved_huge_pages():
    return mapped(2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)


@check("seccomp", "EPERM")
def files_of_huge_pages():
    return os.memfd_create("huge", os.MFD_HUGETLB)


@check("meter", "had", watched="EPERM")
def memory_that_processes_share():
    return mapped(4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS) and "had"


@check("meter", "had", watched="EPERM")
def files_in_memory():
    os.close(os.memfd_create("x"))
    return "had"


@check("seccomp", "20")
def machine_code_runs():
    """Otherwise the next ones would show nothing."""
    return in_child(lambda: run_machine_code(RETURN_20))


@check("seccomp", "signal 31")
def a_32_bit_call_whose_number_is_allowed():
    return in_child(lambda: run_machine_code(INT_80_GETPID))


@check("seccomp", "signal 31")
def a_32_bit_call_whose_number_is_refused():
    return in_child(lambda: run_machine_code(INT_80_GETPPID))


@check("ipc", "its own")
def the_namespace_of_system_v():
    return namespace("ipc")


def mapped(length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
    """The address of fresh memory."""
    return call(9, 0, length, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
