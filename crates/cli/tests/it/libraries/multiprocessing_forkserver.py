"""multiprocessing: processes started by `forkserver` find the program's own functions by importing it again."""

import multiprocessing
import os


def double(number):
    return number * 2


def put(queue, word):
    queue.put((word, os.getpid()))


if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    with context.Pool(2) as pool:
        doubled = pool.map(double, range(10))
    assert doubled == [2 * n for n in range(10)]
    queue = context.Queue()
    process = context.Process(target=put, args=(queue, "said"))
    process.start()
    word, pid = queue.get(timeout=5)
    process.join(5)
    assert process.exitcode == 0 and pid == process.pid != os.getpid()
    print(word, sum(doubled))
