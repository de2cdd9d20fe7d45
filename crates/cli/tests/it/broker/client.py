"""A client of the resident broker that does what it is told, line by line: requests on stdin, answers on stdout, JSON.

It speaks the protocol by itself, so that it can also speak it wrongly. Connections stay open under a group's name until
the group is dropped. What comes back over one is a word: a grant or a report, "closed", or "silence".
"""

import json
import os
import select
import socket
import struct
import sys
import time

PATH = sys.argv[1]
DRIP_PAUSE_S = 0.2
groups = {}
# What came along with words, by the connection it came over.
lent = {}


def connect():
    stream = socket.socket(socket.AF_UNIX)
    stream.settimeout(20)
    stream.connect(PATH)
    return stream


def frame(message):
    text = json.dumps(message).encode()
    return struct.pack(">I", len(text)) + text


def exactly(stream, count):
    read = b""
    while len(read) < count:
        more = stream.recv(count - len(read))
        if not more:
            raise ConnectionResetError
        read += more
    return read


def word(stream, patience_s):
    """The next thing that is said; descriptors that come along stay open as long as the connection."""
    stream.settimeout(patience_s)
    try:
        header, descriptors, *_ = socket.recv_fds(stream, 4, 16)
        lent.setdefault(stream, []).extend(descriptors)
        if not header:
            return "closed"
        header += exactly(stream, 4 - len(header))
        said = json.loads(exactly(stream, struct.unpack(">I", header)[0]))
        return {**said, "descriptors": len(descriptors)}
    except TimeoutError:
        return "silence"
    except ConnectionError:
        return "closed"


def leave(stream):
    for descriptor in lent.pop(stream, []):
        os.close(descriptor)
    stream.close()


def reach():
    """Whether somebody answers at all."""
    try:
        stream = connect()
        stream.sendall(frame({"op": "status"}))
    except PermissionError:
        return "denied"
    except ConnectionError:
        return "closed"
    return word(stream, 4)


def say(sayings, patience_s):
    """Says all of these at once, each over its own connection, right or wrong; gives what came back and after how long."""
    begin = time.monotonic()
    open_ones, told = {}, [None] * len(sayings)
    for number, saying in enumerate(sayings):
        stream = connect()
        try:
            stream.sendall(bytes.fromhex(saying["hex"]))
            if saying["then"] == "shut":
                stream.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass
        open_ones[stream] = number
    while open_ones and time.monotonic() - begin < patience_s:
        for stream in select.select(list(open_ones), [], [], DRIP_PAUSE_S)[0]:
            number = open_ones.pop(stream)
            told[number] = [word(stream, 1), time.monotonic() - begin]
        for stream, number in open_ones.items():
            if sayings[number]["then"] == "drip":
                try:
                    stream.sendall(b" ")
                except ConnectionError:
                    pass
    return [one or ["silence", patience_s] for one in told]


def order(group, orders, store=None, copies=1, patient=False):
    """Orders over one connection each, the next when the one before has its first word; gives these words.

    A store is a path; its descriptor goes along as often as told. Who is patient takes "later" for no word.
    """
    shown = os.open(store, os.O_PATH if os.path.isdir(store) else os.O_RDONLY) if store else None
    streams, words = groups.setdefault(group, []), []
    for one in orders:
        stream = connect()
        socket.send_fds(stream, [frame(one)], [shown] * copies if store else [])
        streams.append(stream)
        words.append(word(stream, 15))
        if patient and words[-1] == {"grant": "later", "descriptors": 0}:
            words[-1] = word(stream, 30)
    if store:
        os.close(shown)
    return words


def hear(group, patience_s):
    """The next word over each connection of a group, waiting so long in all."""
    until = time.monotonic() + patience_s
    return [word(stream, max(0.01, until - time.monotonic())) for stream in groups[group]]


def hold(group, count):
    """Opens connections and says nothing; gives how many came about."""
    streams = groups.setdefault(group, [])
    for _ in range(count):
        stream = socket.socket(socket.AF_UNIX)
        stream.setblocking(False)
        try:
            stream.connect(PATH)
        except BlockingIOError:
            # The queue at the door is full, which is as good.
            break
        streams.append(stream)
    return len(streams)


def drop(group):
    for stream in groups.pop(group):
        leave(stream)


def in_turn(group, patience_s):
    """Lets each connection of a group go as soon as it has its cell; gives the numbers of those served before one that
    had come earlier, and of those never served."""
    streams = groups[group]
    waiting, early = list(range(len(streams))), []
    until = time.monotonic() + patience_s
    while waiting and time.monotonic() < until:
        ready = readable(streams, waiting, 0.5)
        if ready and ready != waiting[: len(ready)]:
            # One may have been looked at just before its word came; a second look sees all that came before the first.
            seen, ready = ready, readable(streams, waiting, 0)
            early += [one for one in seen if any(other < one and other not in ready for other in waiting)]
        for one in ready:
            waiting.remove(one)
            if word(streams[one], 1) in ("closed", "silence"):
                early.append(one)
            leave(streams[one])
    groups.pop(group)
    return {"early": early, "never": waiting}


def readable(streams, numbers, patience_s):
    ready = select.select([streams[number] for number in numbers], [], [], patience_s)[0]
    return [number for number in numbers if streams[number] in ready]


ACTS = {act.__name__: act for act in (reach, say, order, hear, hold, drop, in_turn)}

for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(ACTS[asked.pop("do")](**asked)), flush=True)
