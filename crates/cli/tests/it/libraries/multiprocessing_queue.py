"""multiprocessing: processes with queues, pipes, events, shared values and a manager."""

import multiprocessing


def work(tasks, results, total, lock):
    for number in iter(tasks.get, None):
        with lock:
            total.value += number
        results.put(number * 10)


def answer(connection):
    while (word := connection.recv()) != "end":
        connection.send(word.upper())


if __name__ == "__main__":
    tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
    total, lock = multiprocessing.Value("i", 0), multiprocessing.Lock()
    workers = [multiprocessing.Process(target=work, args=(tasks, results, total, lock)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for number in [*range(20), None, None, None]:
        tasks.put(number)
    got = sorted(results.get(timeout=5) for _ in range(20))
    for worker in workers:
        worker.join(5)
        assert worker.exitcode == 0
    assert got == [n * 10 for n in range(20)] and total.value == 190
    here, there = multiprocessing.Pipe()
    child = multiprocessing.Process(target=answer, args=(there,), daemon=True)
    child.start()
    here.send("naïve")
    heard = here.recv()
    here.send("end")
    child.join(5)
    with multiprocessing.Manager() as manager:
        shared = manager.dict(a=1)
        shared["b"] = 2
        assert dict(shared) == {"a": 1, "b": 2}
    event = multiprocessing.Event()
    ended = multiprocessing.Process(target=event.wait, args=(30,))
    ended.start()
    ended.terminate()
    ended.join(5)
    print(heard, total.value, ended.exitcode)
