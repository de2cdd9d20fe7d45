"""threading: a pool, a lock, a condition, thread-local values and a timer."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor, wait

count, lock = 0, threading.Lock()
own = threading.local()


def add(times):
    global count
    own.times = times
    for _ in range(times):
        with lock:
            count += 1
    return own.times


with ThreadPoolExecutor(8) as pool:
    jobs = [pool.submit(add, 1_000) for _ in range(8)]
    done, pending = wait(jobs, timeout=8)
assert not pending and count == 8_000 and not hasattr(own, "times")
words, heard = queue.Queue(2), []


def listen():
    while (word := words.get()) is not None:
        heard.append(word)


listener = threading.Thread(target=listen)
listener.start()
for word in ("a", "b", "c", None):
    words.put(word)
listener.join(5)
rang = threading.Event()
threading.Timer(0.01, rang.set).start()
assert rang.wait(5)
barrier = threading.Barrier(3)
threads = [threading.Thread(target=barrier.wait) for _ in range(2)]
for thread in threads:
    thread.start()
barrier.wait(5)
print(count, "".join(heard), threading.current_thread().name)
