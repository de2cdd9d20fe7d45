"""pickle of the program's own classes, struct, array, base64 and shelve."""

import array
import base64
import dataclasses
import pickle
import shelve
import struct


@dataclasses.dataclass
class Node:
    name: str
    next: "Node | None" = None


ring = Node("a", Node("b"))
ring.next.next = ring
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    again = pickle.loads(pickle.dumps(ring, protocol))
    assert type(again) is Node and again.next.next is again
assert struct.unpack("<IhfQ", struct.pack("<IhfQ", 2**32 - 1, -5, 0.5, 2**63)) == (2**32 - 1, -5, 0.5, 2**63)
assert struct.calcsize("@bq") == 16
numbers = array.array("d", [1.5, 2.5])
assert array.array("d", numbers.tobytes()) == numbers
assert base64.b64decode(base64.urlsafe_b64encode(b"\xff\xfe?"), altchars=b"-_") == b"\xff\xfe?"
with shelve.open("/tmp/shelf") as shelf:
    shelf["node"] = ring
with shelve.open("/tmp/shelf") as shelf:
    print(shelf["node"].next.name, Node.__module__)
