"""Channels: two cells run this at the same time. Each leaves a mark wherever it can, and then looks for the other's.

Which of the two it is makes no difference: the marks bear the number of the one that left them. The times are told, so
that it can be seen from outside that both had left their marks when either looked, and held them until both had.
"""

import fcntl
import struct
import time

OWN, OTHER = FACTS["cell"], 1 - FACTS["cell"]
SHARED = "/usr/bin/python3"
UNREAD = "/usr/lib/python3.11/this.py"
UNREAD_BEFORE = os.stat(UNREAD).st_atime_ns
KEPT = []


def record_lock(kind, offset):
    return struct.pack("hhqqi", kind, os.SEEK_SET, offset, 1, 0)


def leave_marks():
    """Takes, makes and changes what the other could notice; most of it is refused."""
    file = open(SHARED, "rb")
    KEPT.append(file)
    marks = [
        lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
        lambda: fcntl.fcntl(file, fcntl.F_SETLK, record_lock(fcntl.F_RDLCK, 100 + OWN)),
        lambda: fcntl.fcntl(file, 37, record_lock(fcntl.F_RDLCK, 200 + OWN)),
        lambda: KEPT.append(bound(f"\0mark-{OWN}", socket.SOCK_STREAM)),
        lambda: KEPT.append(bound(f"\0mark-datagram-{OWN}", socket.SOCK_DGRAM)),
        lambda: KEPT.append(bound(f"/tmp/mark-{OWN}", socket.SOCK_STREAM)),
        lambda: scratch_file(f"mark-file-{OWN}"),
        lambda: open(f"/dev/shm/mark-{OWN}", "wb").close(),
        lambda: call(248, b"user\0", b"mark-%d\0" % OWN, b"x", 1, -4),
        lambda: call(29, 0x5EC2E0 + OWN, 4096, 0o1666),
        lambda: call(64, 0x5EC2E0 + OWN, 1, 0o1666),
        lambda: call(68, 0x5EC2E0 + OWN, 0o1666),
        lambda: call(240, b"mark-%d\0" % OWN, 0o102, 0o666, 0),
        lambda: call(170, b"mark-%d" % OWN, 6),
        lambda: os.utime(SHARED, (1, 1)),
        lambda: os.setxattr(SHARED, f"user.mark-{OWN}", b"x"),
        lambda: open(UNREAD, "rb").read(),
        lambda: vsock_listener(),
    ]
    for mark in marks:
        came_to(mark)


def bound(address, kind):
    made = socket.socket(socket.AF_UNIX, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def vsock_listener():
    made = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    made.bind((socket.VMADDR_CID_ANY, 5_000 + OWN))
    made.listen()
    KEPT.append(made)


def wait_until(moment):
    time.sleep(max(0.0, moment - time.time()))


def holder(command, offset):
    """Whether others keep us from locking that byte of a shared file. To close the file would give up our own locks."""
    found = fcntl.fcntl(KEPT[0], command, record_lock(fcntl.F_WRLCK, offset))
    return "nobody" if struct.unpack("hhqqi", found)[0] == fcntl.F_UNLCK else "somebody"


@check("seccomp", "EPERM")
def lock_a_shared_file():
    fcntl.flock(KEPT[0], fcntl.LOCK_EX | fcntl.LOCK_NB)


@check("seccomp", "nobody")
def see_a_record_lock():
    return holder(fcntl.F_GETLK, 100 + OTHER)


@check("seccomp", "EPERM")
def see_a_lock_of_an_open_file():
    return holder(36, 200 + OTHER)


def connected(address, kind):
    with socket.socket(socket.AF_UNIX, kind) as made:
        return made.connect(address)


@check("network", "ECONNREFUSED")
def connect_by_an_abstract_name():
    return connected(f"\0mark-{OTHER}", socket.SOCK_STREAM)


@check("network", "ECONNREFUSED")
def send_to_an_abstract_name():
    return connected(f"\0mark-datagram-{OTHER}", socket.SOCK_DGRAM)


@check("network", "[]")
def see_sockets():
    return [line for line in text_of("/proc/self/net/unix").splitlines() if f"mark-{OTHER}" in line]


@check("scratch", "ENOENT")
def connect_by_a_path():
    return connected(f"/tmp/mark-{OTHER}", socket.SOCK_STREAM)


@check("scratch", "ENOENT")
def read_a_file_in_scratch_space():
    return text_of(f"/tmp/mark-file-{OTHER}")


@check("scratch", "ENOENT")
def read_shared_memory_by_name():
    return text_of(f"/dev/shm/mark-{OTHER}")


@check("seccomp", "EPERM")
def find_a_key():
    return call(249, b"user\0", b"mark-%d\0" % OTHER, 0, 0)


@check("seccomp", "[]")
def find_objects_of_system_v():
    key = 0x5EC2E0 + OTHER
    return got_through("EPERM", shmget=(29, key, 4096, 0), semget=(64, key, 1, 0), msgget=(68, key, 0))


@check("seccomp", "EPERM")
def find_a_queue_of_messages():
    return call(240, b"mark-%d\0" % OTHER, 0, 0, 0)


@check("host_name", "cell")
def read_the_host_name():
    return os.uname().nodename


@check("root", "False")
def see_a_time_that_was_set():
    return os.stat(SHARED).st_mtime == 1


@check("root", "True")
def see_that_a_file_was_read():
    return os.stat(UNREAD).st_atime_ns == UNREAD_BEFORE


@check("seccomp", "[]")
def see_an_attribute():
    return [name for name in os.listxattr(SHARED) if "mark" in name]


@check("seccomp", "EPERM")
def call_the_other_through_the_machine():
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as made:
        return made.connect((1, 5_000 + OTHER))


@check("processes", "['ESRCH']")
def signal_the_other():
    others = [number for number in range(2, 70_000, 1) if number != os.getpid()]
    return came_to_each([functools.partial(os.kill, number, 0) for number in others])


def meet():
    """Leaves marks, looks at the agreed time, and keeps them for a while."""
    leave_marks()
    left = time.time()
    wait_until(FACTS["meet_at"])
    looks = time.time()
    report()
    looked = time.time()
    wait_until(FACTS["part_at"])
    print("times", json.dumps({"left": left, "looks": looks, "looked": looked, "parts": time.time()}), flush=True)
