"""Listens where a broker's socket should be, and does as told instead of serving; says at the end what it heard.

It holds the broker's lock, so that no real broker takes its place. Arguments: socket, mode, the user who shall own the
file and the user who shall listen (-1: whoever this is).
"""

import fcntl
import json
import os
import socket
import struct
import sys
import threading

path, mode, owner, listener_user = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
heard = {"connections": 0, "bytes": 0}
kept = []


def frame(text):
    return struct.pack(">I", len(text)) + text


def dead_ends():
    """Descriptors of the right kinds whose other ends are gone."""
    stream, other = socket.socketpair()
    other.close()
    pipes = [os.pipe() for _ in range(2)]
    for _, write in pipes:
        os.close(write)
    return [stream.detach(), *(read for read, _ in pipes)]


def deaf_ends():
    """Descriptors of the right kinds at which nobody ever says anything."""
    stream, other = socket.socketpair()
    pipes = [os.pipe() for _ in range(2)]
    kept.extend([other, pipes])
    return [stream.detach(), *(read for read, _ in pipes)]


def grant_with(stream, descriptors):
    socket.send_fds(stream, [frame(b'{"grant":"cell"}')], descriptors)


def drip(stream):
    stream.sendall(struct.pack(">I", 60_000))
    while not threading.Event().wait(0.2):
        stream.sendall(b" ")


MODES = {
    "closes": lambda stream: stream.close(),
    "garbage": lambda stream: stream.sendall(os.urandom(4_000)),
    "no_json": lambda stream: stream.sendall(frame(b"certainly")),
    "another_word": lambda stream: stream.sendall(frame(b'{"grant":"stopping"}')),
    "too_long": lambda stream: stream.sendall(b"\xff\xff\xff\xff" + b"x" * 100_000),
    "endless": drip,
    "never": lambda stream: None,
    "cell_of_nothing": lambda stream: grant_with(stream, []),
    "cell_of_files": lambda stream: grant_with(stream, [os.open("/etc/passwd", os.O_RDONLY) for _ in range(3)]),
    "cell_of_too_much": lambda stream: grant_with(stream, dead_ends() + dead_ends()),
    "dead_cell": lambda stream: grant_with(stream, dead_ends()),
    "deaf_cell": lambda stream: grant_with(stream, deaf_ends()),
}


def attend(stream):
    try:
        if mode in ("closes", "garbage"):
            return MODES[mode](stream)
        stream.settimeout(10)
        heard["bytes"] += len(stream.recv(65536))
        MODES[mode](stream)
    except OSError:
        pass


def accept(listener):
    while True:
        stream, _ = listener.accept()
        heard["connections"] += 1
        kept.append(stream)
        threading.Thread(target=attend, args=(stream,), daemon=True).start()


lock = open(path + ".lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
if owner >= 0:
    os.chown(path, owner, owner)
# Who listens is told to those who connect; it is noted at this call, not at the one before.
if listener_user >= 0:
    os.seteuid(listener_user)
listener.listen(16)
if listener_user >= 0:
    os.seteuid(0)
threading.Thread(target=accept, args=(listener,), daemon=True).start()
print("up", flush=True)
sys.stdin.read()
print(json.dumps(heard), flush=True)
os._exit(0)
