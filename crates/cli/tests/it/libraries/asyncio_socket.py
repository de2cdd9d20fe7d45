"""asyncio: a server and its clients on a local socket."""

import asyncio


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def ask(word):
    reader, writer = await asyncio.open_unix_connection("/tmp/echo.sock")
    writer.write(f"{word}\n".encode())
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return answer.decode().strip()


async def main():
    server = await asyncio.start_unix_server(serve, "/tmp/echo.sock")
    async with server:
        return await asyncio.wait_for(asyncio.gather(*(ask(f"w{n}") for n in range(20))), 8)


answers = asyncio.run(main())
assert answers == [f"W{n}" for n in range(20)], answers
print(len(answers), answers[-1])
