"""Recursion: its limit, a higher one, and in a thread with a larger stack."""

import sys
import threading


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


try:
    depth(10_000)
    raise AssertionError("the limit is not kept")
except RecursionError as error:
    assert "maximum recursion depth" in str(error)
assert sys.getrecursionlimit() == 1000 and depth(900) == 900
sys.setrecursionlimit(20_000)
found = [depth(9_000)]
threading.stack_size(64 << 20)
thread = threading.Thread(target=lambda: found.append(depth(19_000)))
thread.start()
thread.join()
print(*found)
