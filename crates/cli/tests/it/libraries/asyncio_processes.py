"""asyncio: other processes, and signals as callbacks."""

import asyncio
import os
import signal
import sys


async def main():
    echo = "import sys; print(sys.stdin.read()[::-1]); sys.exit(4)"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", echo, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await asyncio.wait_for(child.communicate(b"desserts"), 8)
    assert child.returncode == 4
    shell = await asyncio.create_subprocess_shell("echo out; echo err >&2", stdout=-1, stderr=-1)
    assert await shell.communicate() == (b"out\n", b"err\n")
    rang = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, rang.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(rang.wait(), 5)
    return said.decode().strip()


print(asyncio.run(main()))
