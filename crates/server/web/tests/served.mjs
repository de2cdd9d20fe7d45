// What every test begins with: the real program on a free port over throw-away data, and a browser that complains of
// nothing. What goes wrong in the page (errors, refused content) fails the test that saw it.

import { createServer } from "node:http";

import { chromium } from "playwright-core";

export { started as serve } from "./started.mjs";

/**
 * A model on loopback that writes what it was told to, one reply after the other and the last again, or what a function says
 * to the last message, slowly, as Chat Completions servers do.
 * @param {string | string[] | ((asked: string) => string)} replies
 * @param {number} [pause] after every eight letters, in ms
 */
export async function model(replies, pause = 40) {
  const left = typeof replies === "function" ? [] : [replies].flat();
  const served = createServer(async (request, response) => {
    const parts = [];
    for await (const chunk of request) parts.push(chunk);
    const asked = () => JSON.parse(Buffer.concat(parts).toString()).messages.at(-1).content;
    const reply = (typeof replies === "function" ? replies(asked()) : left.length > 1 ? left.shift() : left[0]) ?? "";
    response.setHeader("Content-Type", "text/event-stream");
    const send = (/** @type {object} */ what) => response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "slow", ...what })}\n\n`);
    for (const content of reply.match(/[^]{1,8}/g) ?? []) {
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 } });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => served.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (served.address());
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => served.close() };
}

export async function browse() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--headless"] });
}

/**
 * A page that remembers what went wrong in it.
 * @param {import("playwright-core").Browser} browser
 * @param {{width?: number, scheme?: "light" | "dark", height?: number, refusals?: boolean}} [how] `refusals`: the server is
 *   to refuse something, of which the browser tells as of an error
 */
export async function open(browser, how = {}) {
  const context = await browser.newContext({
    viewport: { width: how.width ?? 1280, height: how.height ?? 900 },
    colorScheme: how.scheme ?? "light",
    permissions: ["clipboard-read", "clipboard-write"],
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const wrong = /** @type {string[]} */ ([]);
  page.on("pageerror", (error) => wrong.push(`${error.name}: ${error.message}`));
  page.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !(isRefusal && how.refusals)) wrong.push(`${message.text()} ${message.location().url}`);
  });
  return { page, wrong, close: () => context.close() };
}

/** Asks in a thread that is open, and waits for what comes of it. */
export async function ask(page, question) {
  const before = await page.locator(".turn").count();
  await page.fill("#question", question);
  await page.press("#question", "Enter");
  const turn = page.locator(".turn").nth(before);
  await turn.locator(".known, .problem").first().waitFor({ timeout: 60_000 });
  return turn;
}

/** JSON of the API, as any program gets it. */
export async function api(server, path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(server.url + path, options);
  return response.json();
}
