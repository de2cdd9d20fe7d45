"""asyncio: tasks together, time limits, cancelling, queues, threads, and a group that fails as one."""

import asyncio
import time


async def after(seconds, value):
    await asyncio.sleep(seconds)
    return value


async def main():
    begin = time.monotonic()
    assert await asyncio.gather(*(after(0.2, n) for n in range(10))) == list(range(10))
    assert time.monotonic() - begin < 1.5, "they wait together"
    try:
        await asyncio.wait_for(after(30, None), 0.05)
        raise AssertionError("it should have been cut off")
    except TimeoutError:
        pass
    task = asyncio.create_task(after(30, None))
    await asyncio.sleep(0)
    task.cancel()
    assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
    queue = asyncio.Queue()
    async with asyncio.TaskGroup() as group:
        group.create_task(queue.put("put"))
        taken = group.create_task(queue.get())
    assert await asyncio.to_thread(sum, range(10)) == 45
    async with asyncio.timeout(5):
        return taken.result()


print(asyncio.run(main()))
