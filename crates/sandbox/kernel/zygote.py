"""The zygote: imports once, then forks workers into cells that the broker has made.

It never sees a user's code or data. Each message of the broker carries a cell and the descriptors of one worker: the
cell's init, its Landlock rules, stdout, stderr, the kernel's channel and the doors of its control groups. The child goes
through these doors, joins the cell's namespaces, becomes the inner user, gives up everything in the only order that works,
says that it is ready, and is a kernel from then on.
"""

import atexit
import ctypes
import gc
import logging
import os
import resource
import select
import signal
import socket
import sys
import time
import weakref

import kernel
import wire

# What a program may need is there before it is forked.
import figures
import footprint
import program
import reduced  # noqa: F401
import results
import traceback  # noqa: F401

LINK = 3
MESSAGE_BYTES_MAX = 256 * 1024
DESCRIPTORS_PER_WORKER = 5
DOORS_MAX = 3

CLONE_NEWPID = 0x20000000
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_READ = 23
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
SYS_CAPSET = 126
SYS_CLOSE_RANGE = 436
SYS_LANDLOCK_RESTRICT_SELF = 446
CAPABILITY_VERSION_3 = 0x20080522
MADV_COLLAPSE = 25
HUGE = 2 << 20
GOING_PAUSE_S = 0.1

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


def check(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option, argument=0, pointer=0):
    return check(libc.prctl(option, argument, pointer, 0, 0))


def syscall(number, *arguments):
    return check(libc.syscall(ctypes.c_long(number), *arguments))


class Profile:
    """What a worker of one profile is bounded by; everything that needs memory is made before the fork."""

    def __init__(self, settings):
        self.limits = settings["limits"]
        self._filter = ctypes.create_string_buffer(bytes.fromhex(settings["filter"]))
        count = (len(self._filter) - 1) // 8
        self._program = (ctypes.c_uint64 * 2)(count, ctypes.addressof(self._filter))
        self.program = ctypes.addressof(self._program)
        self.footprint = footprint.Footprint()


def drop_capabilities():
    capability = 0
    while libc.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0:
        prctl(PR_CAPBSET_DROP, capability)
        capability += 1
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    syscall(SYS_CAPSET, ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def become_worker(settings, profile, descriptors):
    """The child's way into its cell."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    init, rules, stdout, stderr, channel = descriptors
    for source, target in ((stdout, 1), (stderr, 2), (channel, LINK)):
        os.dup2(source, target)
    check(libc.setns(init, settings["namespaces"]))
    os.setsid()
    inner = settings["inner_id"]
    os.setresgid(inner, inner, inner)
    os.setresuid(inner, inner, inner)
    prctl(PR_SET_DUMPABLE, 1)
    os.chdir("/work")
    for which, value in profile.limits:
        resource.setrlimit(which, (value, value))
    drop_capabilities()
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall(SYS_LANDLOCK_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    syscall(SYS_CLOSE_RANGE, ctypes.c_uint(LINK + 1), ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, profile.program)


def fork_worker(settings, profiles, order, descriptors):
    """Forks into the cell's pid namespace; gives the child's pid, as we see it."""
    check(libc.setns(descriptors[0], CLONE_NEWPID))
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        own, doors = descriptors[:DESCRIPTORS_PER_WORKER], descriptors[DESCRIPTORS_PER_WORKER:]
        for door in doors:
            os.write(door, b"0")  # For the kernel, whoever writes.
        profile = profiles[order["profile"]]
        if not order["hurry"]:
            profile.footprint.take()
        if settings["breadth"] == "full":
            warm().rouse()
        become_worker(settings, profile, own)
        os.write(LINK, b"R")
        kernel.main()
        # Whoever asked has gone, and the broker ends us; to go now would take a processor from who was served.
        time.sleep(GOING_PAUSE_S)
        status = 0
    finally:
        os._exit(status)


def rehearse(profile, breadth):
    """Goes once through what is done with every program, and what one of that profile may well do."""
    namespace = program.enter("sample.py")
    before, last, tree = program.compiled("import math\nx = [1, 2]\nprint(end='')\nlen(x)\n", "sample.py")
    exec(before, namespace)
    results.tell(eval(last, namespace))
    program.mentioned(tree)
    wire.loads(wire.dumps({"a": [1, "x", None, {"b": 2.5}]}))
    figures.save_open()
    if breadth == "full":
        warm().rehearse(profile)
    kernel.finish()
    program.let_go()


def warm():
    """The module that knows what is worth importing and touching early."""
    import warm

    return warm


def ended(link):
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        tell(
            link,
            {
                "said": "ended",
                "pid": pid,
                "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1e3,
                "memory_peak_bytes": usage.ru_maxrss * 1024,
            },
        )


def tell(link, message):
    link.send(wire.dumps(message).encode())


def serve(link, settings, profiles):
    woken, waking = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    poll = select.poll()
    for descriptor in (LINK, woken):
        poll.register(descriptor, select.POLLIN)
    tell(link, {"said": "ready"})
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if woken in ready:
            os.read(woken, 4096)
            ended(link)
        if LINK in ready:
            message, descriptors, *_ = socket.recv_fds(link, MESSAGE_BYTES_MAX, DESCRIPTORS_PER_WORKER + DOORS_MAX)
            if not message:
                return
            order = wire.loads(message.decode())
            try:
                pid = fork_worker(settings, profiles, order, descriptors)
                tell(link, {"said": "forked", "cell": order["cell"], "pid": pid})
            except OSError as error:
                tell(link, {"said": "failed", "cell": order["cell"], "error": str(error)})
            for descriptor in descriptors:
                os.close(descriptor)


def forget_exits():
    """What libraries do at their end need not be done in a process that is killed; what programs rely on stays."""
    atexit._clear()
    atexit.register(weakref.finalize._exitfunc)
    atexit.register(logging.shutdown)
    if "multiprocessing.util" in sys.modules:
        atexit.register(sys.modules["multiprocessing.util"]._exit_function)


def collapse():
    """Gathers our memory in huge pages, where the kernel can: a fork then copies hundreds of entries, not thousands."""
    with open("/proc/self/maps") as maps:
        lines = [line.split() for line in maps]
    for span, rights, _, _, _, *name in lines:
        if rights != "rw-p" or (name and name[0].startswith("/")):
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        for address in range(-(-start // HUGE) * HUGE, end // HUGE * HUGE, HUGE):
            libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE), MADV_COLLAPSE)


def main():
    link = socket.socket(fileno=LINK)
    try:
        begin(link)
    except BaseException as error:
        tell(link, {"said": "broken", "error": f"{type(error).__name__}: {error}"[:1000]})
        raise


def begin(link):
    settings = wire.loads(link.recv(MESSAGE_BYTES_MAX).decode())
    profiles = {profile["profile"]: Profile(profile) for profile in settings["profiles"]}
    if settings["breadth"] == "full":
        warm().prepare()
    else:
        warm().prepare_light()
    figures.watch()
    forget_exits()
    if len(os.listdir("/proc/self/task")) != 1:
        sys.exit("a library started a thread; a fork would lose it")
    gc.collect()
    if any(os.path.exists(f"/proc/self/fd/{descriptor}") for descriptor in range(LINK + 1, 1024)):
        sys.exit("a library keeps a file open; a worker would lose it")
    gc.freeze()
    collapse()
    for name, profile in profiles.items():
        profile.footprint = footprint.learn(lambda: rehearse(name, settings["breadth"]))
    serve(link, settings, profiles)
