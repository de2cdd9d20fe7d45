"""multiprocessing.shared_memory: a numpy array that two processes see."""

import multiprocessing
from multiprocessing import shared_memory

import numpy as np


def fill(name):
    block = shared_memory.SharedMemory(name=name)
    array = np.ndarray((1000,), dtype=np.int64, buffer=block.buf)
    array[:] = np.arange(1000)
    del array
    block.close()


if __name__ == "__main__":
    block = shared_memory.SharedMemory(create=True, size=8000)
    try:
        array = np.ndarray((1000,), dtype=np.int64, buffer=block.buf)
        array[:] = 0
        child = multiprocessing.Process(target=fill, args=(block.name,))
        child.start()
        child.join(5)
        assert child.exitcode == 0
        total = int(array.sum())
        del array
    finally:
        block.close()
        block.unlink()
    items = shared_memory.ShareableList(["a", 2, 3.5, None])
    assert list(items) == ["a", 2, 3.5, None]
    items.shm.close()
    items.shm.unlink()
    print(total)
