// The tools as another assistant finds them: the usual client of MCP, over HTTP with a token and on stdio, no browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { program, started } from "./started.mjs";

const NAMES = ["list_datasets", "describe_dataset", "ask_data", "run_sql", "run_python", "verify_answer", "get_run", "recall_lessons", "save_lesson"];
/** A cell may be cold and the machine busy. */
const timeout = Number(process.env.ASSAY_PAGE_WAIT_MS ?? 60_000);

/**
 * What an assistant does, by whatever way its words go.
 * @param {Client} client
 */
async function works(client) {
  assert.equal(client.getServerVersion()?.name, "assay");
  assert.match(client.getInstructions() ?? "", /list_datasets/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), NAMES);
  for (const tool of tools) {
    assert.ok((tool.description ?? "").length > 20 && tool.annotations?.title, tool.name);
    assert.equal(tool.annotations?.destructiveHint, false, tool.name);
    const flat = Object.values(tool.inputSchema.properties ?? {}).every((part) => part.type === "string");
    assert.ok(flat, `${tool.name} takes more than texts`);
  }
  const raw = (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout });
  const use = async (name, args) => {
    const said = await raw(name, args);
    assert.ok(!said.isError, `${name}: ${JSON.stringify(said.content)}`);
    assert.deepEqual(JSON.parse(said.content[0].text), said.structuredContent, "those who read no structure read the same");
    return said.structuredContent;
  };
  const fails = async (name, args, code, hint) => {
    const said = await raw(name, args);
    assert.equal(said.isError, true, `${name}: ${JSON.stringify(said)}`);
    assert.equal(said.structuredContent.code, code);
    assert.match(said.structuredContent.hint, hint);
  };
  const { datasets } = await use("list_datasets", {});
  assert.deepEqual(datasets.map((one) => one.dataset_id), ["ecommerce", "support", "sensors"]);
  const described = await use("describe_dataset", { dataset_id: "support" });
  const question = described.questions[0];
  assert.ok(described.tables[0].columns.length > 3 && question);
  const answer = await use("ask_data", { dataset_id: "support", question });
  assert.equal(answer.status, "answered", JSON.stringify(answer));
  const verified = await use("verify_answer", { run_id: answer.run_id });
  assert.deepEqual([verified.same, verified.known], [true, answer.known]);
  assert.equal((await use("get_run", { run_id: answer.run_id })).state, "succeeded");
  const refusal = await use("ask_data", { dataset_id: "support", question: "profit by moon phase" });
  assert.equal(refusal.status, "refused");
  const many = await use("run_sql", { dataset_id: "support", sql: "SELECT * FROM tickets" });
  assert.deepEqual([many.table.rows.length, many.table.truncated], [50, true]);
  assert.match(many.hint, /narrow/);
  const loud = await use("run_python", { code: "print('x' * 100_000)" });
  assert.ok(JSON.stringify(loud).length < 20_000);
  assert.match(loud.hint, /print less/);
  const value = await use("run_python", { code: "tickets.priority.nunique()", dataset_id: "support" });
  assert.equal(value.result.value, 4);
  const refused = await use("run_sql", { dataset_id: "support", sql: "DROP TABLE tickets" });
  assert.deepEqual([refused.outcome, refused.error.code], ["refused", "SQL_POLICY"]);
  assert.ok(refused.findings.length > 0);
  await use("save_lesson", { text: "tickets of priority Critical are few" });
  const { lessons } = await use("recall_lessons", { text: "critical tickets" });
  assert.equal(lessons[0].fix, "tickets of priority Critical are few");
  await fails("ask_data", { dataset_id: "suport", question: "how many" }, "dataset_unknown", /support/);
  await fails("run_sql", { sql: "SELECT 1" }, "usage", /./);
  await fails("get_run", { run_id: "zz" }, "run_unknown", /./);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no tool/);
}

const about = { name: "test", version: "1" };

test("the tools over HTTP, with a token", async () => {
  const server = await started();
  try {
    const made = execFileSync(program(), ["token", "create", "assistant", "--json", "--data-dir", server.folder], { encoding: "utf8" });
    const { token } = JSON.parse(made);
    const address = new URL("/mcp", server.url);
    const client = new Client(about);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    await works(client);
    await client.close();
    await assert.rejects(new Client(about).connect(new StreamableHTTPClientTransport(address)), /401|token/i);
  } finally {
    await server.stop();
  }
});

test("the tools on stdio", async () => {
  const folder = await mkdtemp(join(tmpdir(), "assay-mcp-"));
  try {
    const client = new Client(about);
    await client.connect(new StdioClientTransport({ command: program(), args: ["mcp", "--data-dir", folder], stderr: "ignore" }));
    await works(client);
    await client.close();
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
});
