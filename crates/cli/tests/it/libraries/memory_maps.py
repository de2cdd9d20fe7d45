"""mmap: of a file, shared with a forked child, and as a numpy array on disk."""

import mmap
import os

import numpy as np

with open("/tmp/mapped", "w+b") as file:
    file.truncate(1 << 20)
    with mmap.mmap(file.fileno(), 0) as view:
        view[10:15] = b"hello"
        view.flush()
        assert view.find(b"lo") == 13
    file.seek(10)
    assert file.read(5) == b"hello"
    with mmap.mmap(file.fileno(), 0) as view:
        if (child := os.fork()) == 0:
            view[0:3] = b"kid"
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0 and view[0:3] == b"kid"
own = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
own[0] = 7
disk = np.memmap("/tmp/array", dtype="float64", mode="w+", shape=(100, 100))
disk[:] = 1.5
disk.flush()
print(np.memmap("/tmp/array", dtype="float64", mode="r", shape=(100, 100)).sum())
