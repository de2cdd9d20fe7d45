"""What every class of checks begins with: it runs in a cell, tries things one by one and tells what each came to.

A check is a function that tries one way out. It names the layer that must stop it and the one thing that it must come
to: the name of an error number, the name of another exception, or the text of what it returns. Where memory is only
watched and not bounded by a control group, some must come to something else. FACTS is what an attacker may know of the
host; it is put before this file.
"""

import contextlib
import ctypes
import errno
import functools
import json
import os
import signal
import socket
import sys

CHECKS = []
HANG_SECONDS = 3
LIBC = ctypes.CDLL(None, use_errno=True)
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP"}
LIBC.syscall.restype = ctypes.c_long


class Hung(BaseException):
    """The check did not come to an end."""


def check(layer, expected, watched=None):
    """Registers a function as a check."""

    def register(action):
        CHECKS.append((action.__name__, layer, expected, watched or expected, action))
        return action

    return register


def came_to(action):
    """What trying it comes to, in a word."""
    try:
        return str(action())
    except socket.gaierror:
        return "no such name"
    except OSError as error:
        return NAMES.get(error.errno, f"error {error.errno}")
    except BaseException as error:
        return type(error).__name__


def came_to_each(actions):
    """The different things that trying each comes to."""
    return sorted({came_to(action) for action in actions})


def cannot_be_written(action):
    """Who owns the image decides whether its owner or its mount comes first to refuse."""
    came = came_to(action)
    return "refused" if came in ("EROFS", "EACCES", "ETXTBSY") else came


def call(number, *arguments):
    """A system call by its number; bytes are passed by their address."""
    kept = [ctypes.create_string_buffer(one, len(one)) if isinstance(one, bytes) else one for one in arguments]
    plain = [ctypes.c_long(ctypes.addressof(one) if isinstance(one, ctypes.Array) else one) for one in kept]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *plain)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def got_through(answer, **calls):
    """Those of some system calls that came to anything but this answer; in a child, which may come to harm."""

    def attempt():
        came = {name: came_to(functools.partial(call, *arguments)) for name, arguments in calls.items()}
        return [f"{name}: {result}" for name, result in came.items() if result != answer]

    return in_child(attempt)


def in_child(action):
    """What it comes to in a process of its own, which may die of it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.write(write, came_to(action).encode())
        os._exit(0)
    os.close(write)
    told = os.read(read, 10_000).decode()
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return told
    return f"status {status}" if status > 0 else f"signal {-status}"


@contextlib.contextmanager
def held(path, flags=os.O_RDONLY):
    """A descriptor that is closed again."""
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def names_in(folder):
    """The sorted names in a folder."""
    return sorted(os.listdir(folder))


def text_of(path):
    """The whole of a small file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def status_of(field):
    """A field of this process's status."""
    lines = text_of("/proc/self/status").splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(field + ":"))


def namespace(kind):
    """Whether this process is in a namespace of its own."""
    return "the host's" if os.readlink("/proc/self/ns/" + kind) == FACTS["namespaces"][kind] else "its own"


def scratch_file(name, contents=b"x"):
    """A file of our own."""
    path = "/tmp/" + name
    with open(path, "wb") as file:
        file.write(contents)
    return path


def mounts():
    """Where something is mounted, and with which options."""
    rows = [line.split() for line in text_of("/proc/self/mountinfo").splitlines()]
    return {row[4]: row[5].split(",") for row in rows}


def hang(_number, _frame):
    raise Hung


def report():
    """Tries all and prints one line."""
    signal.signal(signal.SIGALRM, hang)
    rows = []
    for name, layer, expected, watched, action in CHECKS:
        signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS)
        came = came_to(action)
        signal.setitimer(signal.ITIMER_REAL, 0)
        rows.append({"name": name, "layer": layer, "expected": expected, "watched": watched, "came": came})
    print("checks", json.dumps(rows), flush=True)
