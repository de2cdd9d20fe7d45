"""Uses every tool by the usual client of MCP for Python; the argument is an address, or the program for stdio."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def work(session):
    await session.initialize()
    tools = [tool.name for tool in (await session.list_tools()).tools]
    used = set()

    async def use(name, **arguments):
        said = await session.call_tool(name, arguments)
        assert not said.isError, (name, said)
        used.add(name)
        return said.structuredContent

    listed = await use("list_datasets")
    dataset = listed["datasets"][1]["dataset_id"]
    described = await use("describe_dataset", dataset_id=dataset)
    answer = await use("ask_data", dataset_id=dataset, question=described["questions"][0])
    assert answer["status"] == "answered", answer
    assert (await use("verify_answer", run_id=answer["run_id"]))["same"]
    assert (await use("get_run", run_id=answer["run_id"]))["state"] == "succeeded"
    many = await use("run_sql", dataset_id=dataset, sql="SELECT * FROM tickets")
    assert len(many["table"]["rows"]) == 50 and "narrow" in many["hint"], many
    assert (await use("run_python", code="1 + 1"))["result"]["value"] == 2
    await use("save_lesson", text="tickets of priority Critical are few")
    assert (await use("recall_lessons", text="critical tickets"))["lessons"]
    assert used == set(tools), (used, tools)
    wrong = await session.call_tool("ask_data", {"dataset_id": "suport", "question": "how many"})
    assert wrong.isError and "support" in wrong.structuredContent["hint"], wrong
    return {"used": len(used), "wrong": wrong.structuredContent["code"]}


async def main(how):
    if how.startswith("http"):
        entered = streamablehttp_client(how)
    else:
        entered = stdio_client(StdioServerParameters(command=how, args=["mcp"], env=dict(os.environ)))
    async with entered as (reads, writes, *_):
        async with ClientSession(reads, writes) as session:
            print(json.dumps(await work(session)))


asyncio.run(main(sys.argv[1]))
