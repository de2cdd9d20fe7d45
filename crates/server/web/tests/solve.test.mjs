// Solve, approvals and lessons as people use them: a scripted model on loopback writes, everything else is the real program.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { api, ask, browse, model, open, serve } from "./served.mjs";
import { sound } from "./sound.mjs";

const program = (code, words = "") => `${words}\n\`\`\`python\n${code}\n\`\`\``;
const TASK = "Write double(x). double(2) == 4";
const TESTS = "from solution import double\n\ndef test_small():\n    assert double(3) == 6\n\ndef test_none():\n    assert double(0) == 0\n";
const WRONG = "def double(x):\n    return x + 2";
const RIGHT = "def double(x):\n    return x * 2";
const DANGEROUS = "import os\n\ndef double(x):\n    return x * 2\n\ndef leave():\n    os.setsid()";

/** A cell may be cold and the machine busy. */
const WAIT_MS = Number(process.env.ASSAY_PAGE_WAIT_MS ?? 60_000);

/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  browser = await browse();
});

after(async () => {
  await browser?.close();
});

/** A test with a server of its own, whose model says what it is told to. */
function withModel(name, replies, body, how = {}) {
  test(name, async () => {
    const writer = await model(replies, how.pause ?? 4);
    const server = await serve([], { ASSAY_MODEL: "chat:scripted", OPENAI_BASE_URL: writer.url });
    const opened = await open(browser, how);
    try {
      await body(opened.page, server, opened);
      assert.deepEqual(opened.wrong, [], "the page complained");
    } catch (error) {
      const shot = process.env.ASSAY_SHOTS_OF_FAILURES;
      if (shot) await opened.page.screenshot({ path: `${shot}/${name.replaceAll(/\W+/g, "-")}.png`, fullPage: true });
      throw error;
    } finally {
      await opened.close();
      await server.stop();
      writer.stop();
    }
  });
}

/** Fills in the form and begins. */
async function begin(page, server, { task = TASK, tests = TESTS, asks = false } = {}) {
  await page.goto(`${server.url}/page/solve`);
  await page.getByLabel("Task").fill(task);
  if (tests) await page.getByLabel("Tests").fill(tests);
  if (asks) await page.getByLabel("Ask me before").check();
  await page.getByRole("button", { name: "Solve", exact: true }).click();
  await page.waitForURL(/\/page\/solve\/[0-9a-f]{32}/);
  return page.url().split("/").at(-1);
}

withModel("a task is solved: what failed, what changed and what decides are seen", [program(WRONG), program(RIGHT)], async (page, server) => {
  const run = await begin(page, server);
  await page.locator('[data-verdict="verified"]').waitFor({ timeout: WAIT_MS });
  const { output } = await api(server, `/runs/${run}`);
  assert.equal(output.verdict, "verified");
  assert.equal(await page.locator(".iter").count(), output.history.length);
  assert.match(await page.locator('section[aria-label="Evidence"]').textContent(), /Your tests.*2 of 2/);
  assert.match(await page.locator(".code .l.del").textContent(), /x \+ 2/);
  assert.match(await page.locator(".code .l.add").textContent(), /x \* 2/);
  await page.getByRole("button", { name: "Whole file" }).click();
  assert.equal((await page.locator(".solvegrid .code").first().innerText()).replaceAll(/^\d+|\s/gm, ""), output.code.replaceAll(/\s/g, ""));
  await page.locator(".iter").last().click();
  assert.match(await page.locator(".solvegrid").textContent(), /double\(3\) == 6|gave 4|test_none/);
  await page.locator("summary", { hasText: "Copy as" }).click();
  await page.getByRole("button", { name: "assay command" }).click();
  await page.locator(".toast").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `assay solve '${TASK}' --tests tests.py --file solution.py --model chat:scripted`);
  // What was learned is shown where it came from, and in its own view.
  await page.locator(".lessonlist .brief").first().waitFor();
  await page.goto(`${server.url}/page/lessons?kind=success`);
  const lesson = page.locator(".lessonlist > li").first();
  await lesson.locator("summary").click();
  assert.match(await lesson.textContent(), /return x \* 2/);
  await lesson.getByRole("link", { name: "The run it came from" }).click();
  await page.waitForURL(new RegExp(`/page/runs/${run}`));
});

withModel("while it goes on the program is seen as it is written, a reload loses nothing, and Stop stops it", [program(WRONG), program(`def double(x):\n    # ${"slowly ".repeat(500)}\n    return x * 2`)], async (page, server) => {
  const run = await begin(page, server);
  await page.locator(".iter", { hasText: "Does not hold" }).waitFor({ timeout: WAIT_MS });
  await page.locator(".code", { hasText: "slowly slowly" }).waitFor({ timeout: WAIT_MS });
  assert.match(await page.locator(".live .status").textContent(), /writing, try 2 of 10/);
  assert.match(await page.locator(".loop .on").textContent(), /Code/);
  await page.reload();
  await page.locator(".iter", { hasText: "Does not hold" }).waitFor();
  await page.locator(".code", { hasText: "slowly slowly" }).waitFor({ timeout: WAIT_MS });
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".known", { hasText: "Stopped" }).waitFor();
  assert.equal((await api(server, `/runs/${run}`)).state, "cancelled");
  await page.getByRole("button", { name: "Edit and run again" }).click();
  assert.equal(await page.getByLabel("Task").inputValue(), TASK);
  assert.equal(await page.getByLabel("Tests").inputValue(), TESTS);
}, { pause: 30 });

withModel("code that the guard refuses waits for a person, who approves by keyboard", [program(DANGEROUS), program(RIGHT)], async (page, server) => {
  const run = await begin(page, server, { asks: true });
  const asks = page.locator(".asks");
  await asks.waitFor({ timeout: WAIT_MS });
  assert.equal((await api(server, `/runs/${run}`)).state, "waiting");
  assert.match(await asks.textContent(), /setsid/);
  await page.reload();
  await asks.waitFor();
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.press("y");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-decide")), "y");
  await page.keyboard.press("Enter");
  await asks.waitFor({ state: "detached" });
  await page.locator("[data-verdict]").waitFor({ timeout: WAIT_MS });
  const { steps } = await api(server, `/runs/${run}`);
  assert.deepEqual(steps.filter((step) => step.name === "approval").map((step) => step.output.allowed), [true]);
});

withModel("a waiting run is denied where one looks at its steps, and goes on without", [program(DANGEROUS), program(RIGHT)], async (page, server) => {
  const run = await begin(page, server, { asks: true });
  await page.locator(".asks").waitFor({ timeout: WAIT_MS });
  await page.goto(`${server.url}/page/runs/${run}`);
  await page.locator(".asks").getByRole("button", { name: "Deny" }).click();
  await page.locator('.trow[data-id="result"]').waitFor({ timeout: WAIT_MS });
  const { output, steps } = await api(server, `/runs/${run}`);
  assert.deepEqual(steps.filter((step) => step.name === "approval").map((step) => step.output.allowed), [false]);
  assert.equal(output.verdict, "verified");
  assert.equal(output.code.includes("setsid"), false);
  await page.getByRole("link", { name: "Show in Solve" }).click();
  await page.locator('[data-verdict="verified"]').waitFor();
});

withModel("lessons are looked for, said otherwise, put aside and forgotten", ["nothing"], async (page, server) => {
  const made = await api(server, "/lessons", { text: "dates are <b>British</b>", task: "parse the dates" });
  const [{ id }] = made.lessons;
  await page.goto(`${server.url}/page/lessons`);
  const row = page.locator(`[data-lesson="${id}"]`);
  await row.locator("summary").click();
  assert.match(await row.textContent(), /dates are <b>British<\/b>/);
  await row.getByRole("button", { name: "Edit" }).click();
  await row.getByLabel("What to do").fill("the day stands first");
  await row.getByRole("button", { name: "Keep" }).click();
  await page.locator("summary", { hasText: "the day stands first" }).waitFor();
  assert.equal((await api(server, `/lessons/${id}`)).lessons[0].fix, "the day stands first");
  await page.getByLabel("Look for a lesson").fill("which day is first");
  await page.locator("summary", { hasText: "found by its words" }).waitFor();
  await page.getByLabel("Look for a lesson").fill("");
  await page.locator("summary", { hasNotText: "found by" }).first().waitFor();
  if (!(await row.locator("details").getAttribute("open").then((open) => open !== null))) await row.locator("summary").click();
  await row.getByRole("button", { name: "Put aside" }).click();
  await row.locator(".tag", { hasText: "hidden" }).waitFor();
  assert.equal((await api(server, `/lessons/${id}`)).lessons[0].hidden, true);
  if (!(await row.locator("details").getAttribute("open").then((open) => open !== null))) await row.locator("summary").click();
  await row.getByRole("button", { name: "Forget" }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual((await api(server, "/lessons")).lessons, []);
});

withModel("a model is tried in Settings, beside what was spent and what isolates", ["ready", "1 2 3", '{"city": "Paris"}', "none"], async (page, server) => {
  await page.goto(`${server.url}/page/settings`);
  await page.getByRole("button", { name: "Test chat:scripted" }).click();
  const came = page.locator(".came", { hasText: "tokens" });
  await came.waitFor({ timeout: WAIT_MS });
  assert.equal(await came.locator(".evidence li").count(), 4);
  assert.match(await came.textContent(), /said ready/);
  await page.locator(".card", { hasText: "Isolation" }).locator(".state.ok").waitFor();
  await sound(page, "a model that was tried");
  const { day } = await api(server, "/spending");
  assert.match(await page.locator(".card", { hasText: "Spent today" }).textContent(), new RegExp(`${day.calls} repl`));
});

withModel("the model that is asked is chosen where one asks", [program("len(tickets)")], async (page, server) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  const picker = page.getByLabel("Model");
  assert.equal(await picker.inputValue(), "chat:scripted");
  await picker.selectOption("off");
  const refused = await ask(page, "what does the moon make of it");
  assert.match(await refused.locator(".known").textContent(), /Refused/);
  assert.match(page.url(), /model=off/);
  await picker.selectOption("chat:scripted");
  const answered = await ask(page, "what does the moon make of it");
  assert.match(await answered.locator(".known").textContent(), /chat:scripted, [\d,]+ tokens/);
  assert.equal((await api(server, "/spending")).day.calls > 0, true);
});

test("where no model can be asked, Solve says how to get one", async () => {
  const server = await serve([], { ASSAY_MODELS_DIR: "/nowhere" });
  const opened = await open(browser);
  try {
    await opened.page.goto(`${server.url}/page/solve`);
    await opened.page.locator(".way").nth(2).waitFor();
    assert.equal(await opened.page.locator("#task").count(), 0);
    await sound(opened.page, "no model");
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
    await server.stop();
  }
});

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  withModel(`Solve and Lessons are sound to see and to hear, ${scheme}`, [program(DANGEROUS), program(WRONG), program(RIGHT)], async (page, server) => {
    for (const width of [1280, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/page/solve`);
      await page.locator("#task").waitFor();
      await sound(page, `form ${width}`);
    }
    const run = await begin(page, server, { asks: true });
    await page.locator(".asks").waitFor({ timeout: WAIT_MS });
    for (const width of [1280, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await sound(page, `asking ${width}`);
    }
    await page.getByRole("button", { name: "Deny" }).click();
    await page.locator('[data-verdict="verified"]').waitFor({ timeout: WAIT_MS });
    await page.locator(".lessonlist .brief").first().waitFor();
    await api(server, "/lessons", { text: "a note" });
    for (const width of [1280, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/page/solve/${run}`);
      await page.locator(".lessonlist .brief").first().waitFor();
      await sound(page, `solved ${width}`);
      await page.goto(`${server.url}/page/lessons`);
      await page.locator(".lessonlist summary").first().click();
      await sound(page, `lessons ${width}`);
      await page.goto(`${server.url}/page/runs/${run}`);
      await page.locator(".trow").first().waitFor();
      await sound(page, `its steps ${width}`);
    }
  }, { scheme });
}
