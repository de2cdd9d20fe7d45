// The page as people use it, in a real browser, against the real program.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { api, ask, browse, model, open, serve } from "./served.mjs";
import { sound } from "./sound.mjs";

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  [server, browser] = await Promise.all([serve(), browse()]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A test with a page of its own, in which nothing may go wrong. */
function inPage(name, how, body) {
  test(name, async () => {
    const opened = await open(browser, how);
    try {
      await body(opened.page);
      assert.deepEqual(opened.wrong, [], "the page complained");
    } catch (error) {
      const shot = process.env.ASSAY_SHOTS_OF_FAILURES;
      if (shot) await opened.page.screenshot({ path: `${shot}/${name.replaceAll(/\W+/g, "-")}.png`, fullPage: true });
      throw error;
    } finally {
      await opened.close();
    }
  });
}

const runOf = (page) => new URL(page.url()).searchParams.get("runs").split(",").at(-1).split(":")[0];
const cells = (table) => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

inPage("a first visit leads to an answered question", {}, async (page) => {
  await page.goto(server.url);
  assert.equal(await page.locator("h1").textContent(), "Ask your data a question.");
  await page.getByRole("button", { name: "What is the SLA compliance by priority?" }).click();
  const known = page.locator(".turn .known");
  await known.waitFor();
  assert.match(await known.textContent(), /Verified/);
  assert.equal(await page.locator(".turn h2").textContent(), "What is the SLA compliance by priority?");
  assert.match(await page.locator(".sentence").textContent(), /Low has the highest SLA compliance, 95\.3 %/);
  const run = await api(server, `/runs/${runOf(page)}`);
  assert.equal(run.output.status, "answered");
  await page.getByRole("button", { name: "How do you know" }).click();
  assert.match(await page.locator(".checks").textContent(), new RegExp(run.output.dataset.version.slice(0, 8)));
});

inPage("bars, table and chart show the API's numbers", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  const turn = await ask(page, "What was the revenue by category last month?");
  const { output } = await api(server, `/runs/${runOf(page)}`);
  const written = output.table.rows.map(([name, value]) => [name, Number(value).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })]);
  const bars = await cells(turn.locator("table.bars"));
  assert.deepEqual(bars.map(([name, , value]) => [name, value]), written);
  await turn.getByRole("tab", { name: "Table" }).click();
  assert.deepEqual(await cells(turn.locator("table")), written);
  const most = Math.max(...output.table.rows.map((row) => Number(row[1])));
  await turn.getByRole("tab", { name: "Answer" }).click();
  const widths = await turn.locator("table.bars rect").evaluateAll((all) => all.map((each) => Number.parseFloat(each.getAttribute("width"))));
  output.table.rows.forEach((row, at) => assert.ok(Math.abs(widths[at] - (Number(row[1]) / most) * 100) < 0.01, `${row[0]}: ${widths[at]}`));
  await turn.getByRole("tab", { name: "Chart" }).click();
  await turn.locator(".chart rect.s0").first().waitFor();
  const drawn = await turn.locator(".chart rect.s0 title").evaluateAll((all) => all.map((each) => each.textContent));
  assert.deepEqual(drawn, output.table.rows.map(([name, value]) => `${name}: ${value}`));
  assert.match(page.url(), /:chart/);
  await page.reload();
  await page.locator(".chart rect.s0").first().waitFor();
});

inPage("a table sorts by its headers", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  const turn = await ask(page, "SQL: SELECT status, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1");
  const first = async () => (await cells(turn.locator("table")))[0][0];
  assert.equal(await first(), "cancelled");
  await turn.getByRole("button", { name: "n", exact: true }).click();
  assert.equal(await first(), "completed");
  assert.equal(await turn.locator('th[aria-sort="descending"]').count(), 1);
  await turn.locator("th button").nth(1).click();
  assert.equal(await first(), "cancelled");
});

inPage("a refusal says why, and its suggestion answers", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  const turn = await ask(page, "profit by category");
  assert.equal(await turn.locator("mark").textContent(), "profit");
  assert.match(await turn.locator(".known").textContent(), /Refused/);
  assert.match(await turn.locator(".understood").textContent(), /by category for each category/);
  assert.match(await turn.textContent(), /assay model list/);
  await turn.getByRole("button", { name: "return rate by category" }).click();
  const second = page.locator(".turn").nth(1);
  await second.locator(".known.verified").waitFor();
  assert.match(await second.locator(".sentence").textContent(), /return rate/);
});

inPage("a failing statement shows where, and is edited and run again", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  const turn = await ask(page, "SQL: SELECT nope FROM orders");
  assert.match(await turn.locator(".code .say").textContent(), /"nope" not found/);
  await turn.getByRole("button", { name: "Edit and run again" }).click();
  assert.equal(await page.inputValue("#question"), "SQL: SELECT nope FROM orders");
  const fixed = await ask(page, "SQL: SELECT count(*) AS n FROM orders");
  assert.deepEqual(await cells(fixed.locator("table")), [["4,018"]]);
  const refused = await ask(page, "SQL: SELECT * FROM read_csv('/etc/passwd')");
  assert.match(await refused.locator(".known").textContent(), /Refused/);
});

inPage("a program that fails is shown with its line", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  const turn = await ask(page, "PYTHON:\nprint(len(orders))\n1 / 0");
  assert.match(await turn.locator(".l.err").textContent(), /1 \/ 0/);
  assert.match(await turn.textContent(), /ZeroDivisionError/);
  await turn.getByRole("link", { name: "The run" }).click();
  await page.locator('.trow[aria-selected="true"]').waitFor();
  assert.equal(await page.locator('.trow[aria-selected="true"]').getAttribute("data-kind"), "bad", "opened on the failed step");
  assert.match(await page.locator(".detail").textContent(), /division by zero/);
});

const SLOW = "PYTHON:\nimport time\nfor i in range(90):\n    print('line', i, flush=True)\n    time.sleep(0.1)";

inPage("what a program prints is seen as it is printed, and Stop stops it", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  await page.fill("#question", SLOW);
  await page.press("#question", "Enter");
  await page.locator(".card.live .code", { hasText: "line 2" }).waitFor();
  const run = runOf(page);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".turn .known", { hasText: "Stopped" }).waitFor();
  assert.equal((await api(server, `/runs/${run}`)).state, "cancelled");
});

inPage("a reload in the middle of a run loses nothing", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  await page.fill("#question", SLOW.replace("90", "40"));
  await page.press("#question", "Enter");
  await page.locator(".card.live .code", { hasText: "line 2" }).waitFor();
  await page.fill("#question", "SQL: SELECT count(*) AS n FROM tickets");
  await page.press("#question", "Enter");
  await page.locator(".turn", { hasText: "Waiting for the question before it" }).waitFor();
  await page.reload();
  await page.locator(".card.live .code", { hasText: "line 0" }).waitFor();
  await page.locator(".turn").nth(0).locator(".known", { hasText: "Ran as written" }).waitFor({ timeout: 60_000 });
  assert.match(await page.locator(".turn").nth(0).textContent(), /line 39/);
  await page.locator(".turn").nth(1).locator(".known").waitFor({ timeout: 60_000 });
  assert.equal(await page.locator(".turn").count(), 2);
  assert.match(await page.locator(".turn").nth(1).locator("table").textContent(), /6,417/);
});

inPage("everything is done by keyboard", {}, async (page) => {
  await page.goto(server.url);
  await page.locator(".set li button").first().waitFor();
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.press("/");
  await page.keyboard.type("How many orders are there by status?");
  await page.keyboard.press("Enter");
  await page.locator(".turn .known").waitFor();
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.press("2");
  assert.equal(await page.locator('[role="tab"][aria-selected="true"]').textContent(), "Table");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator('[role="tab"][aria-selected="true"]').textContent(), "Chart");
  await page.keyboard.press("?");
  await page.locator("dialog.keys").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.locator(".runlist a").first().waitFor();
  await page.locator(".runlist a").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".trow").first().waitFor();
  const chosen = () => page.locator('.trow[aria-selected="true"] b').textContent();
  const last = await chosen();
  await page.keyboard.press("k");
  assert.notEqual(await chosen(), last);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-selected")), "true");
  await page.keyboard.press("r");
  assert.match(await page.locator(".detail .code").textContent(), /"input_hash"/);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.locator(".cards a").first().waitFor();
});

inPage("a run is replayed, forked and told as its journal", {}, async (page) => {
  const asked = await api(server, "/chat", { dataset_id: "support", message: "tickets by priority" });
  await page.goto(`${server.url}/page/runs/${asked.run_id}`);
  await page.locator(".trow").first().waitFor();
  const { steps } = await api(server, `/runs/${asked.run_id}`);
  assert.equal(await page.locator(".trow").count(), steps.length + 2);
  await page.getByRole("button", { name: "Replay" }).click();
  await page.locator(".banner", { hasText: "The same" }).waitFor();
  await page.locator(".trow").nth(1).click();
  assert.match(page.url(), /step=0/);
  await page.getByRole("button", { name: "Fork from here" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(asked.run_id));
  await page.locator(".figures", { hasText: "Forked from" }).waitFor();
  const capsule = await page.request.get(`${server.url}${await page.getByRole("link", { name: "Capsule" }).getAttribute("href")}`);
  assert.equal(capsule.headers()["content-type"], "application/zip");
});

inPage("a run is edited and run again as a new run, and the two are compared", {}, async (page) => {
  const asked = await api(server, "/chat", { dataset_id: "support", message: "SQL: SELECT priority, count(*) AS n FROM tickets GROUP BY 1" });
  await page.goto(`${server.url}/page/runs/${asked.run_id}`);
  await page.getByRole("button", { name: "Edit and run again" }).click();
  const area = page.getByLabel("The statement");
  assert.equal(await area.inputValue(), "SELECT priority, count(*) AS n FROM tickets GROUP BY 1");
  await area.fill("SELECT priority, count(*) AS n FROM tickets\nWHERE priority <> 'Low' GROUP BY 1");
  await page.getByRole("button", { name: "Run as a new run" }).click();
  await page.waitForURL(new RegExp(`with=${asked.run_id}`));
  await page.locator('[data-changed="Result"]').waitFor();
  assert.match(await page.locator('[data-changed="Asked"] .l.add').last().textContent(), /WHERE priority/);
  const { output } = await api(server, `/runs/${new URL(page.url()).pathname.split("/").at(-1)}`);
  assert.equal(output.table.row_count, asked.table.row_count - 1);
  assert.match(await page.locator(".beside-rows tr.del").textContent(), /Low.*gone/);
  assert.equal((await api(server, `/runs/${asked.run_id}`)).input.sql.includes("WHERE"), false, "the old one stays");
  await sound(page, "two runs");
  await page.getByRole("link", { name: "Swap" }).click();
  await page.locator(".beside-rows tr.add").waitFor();
});

inPage("a capsule is downloaded here and taken in there; a broken one is refused", { refusals: true }, async (page) => {
  const asked = await api(server, "/chat", { dataset_id: "support", message: "tickets by priority" });
  const capsule = Buffer.from(await (await fetch(`${server.url}/runs/${asked.run_id}/capsule`)).arrayBuffer());
  const there = await serve();
  try {
    const broken = Buffer.from(capsule);
    broken[Math.floor(broken.length / 2)] ^= 0xff;
    await page.goto(`${there.url}/page/runs`);
    const file = page.locator('input[type="file"]');
    await file.setInputFiles({ name: "broken.zip", mimeType: "application/zip", buffer: broken });
    await page.locator(".problem", { hasText: "damaged" }).waitFor();
    await file.setInputFiles({ name: "run.zip", mimeType: "application/zip", buffer: capsule });
    await page.waitForURL(new RegExp(`/page/runs/${asked.run_id}`));
    await page.locator(".trow").first().waitFor();
    assert.deepEqual((await api(there, `/runs/${asked.run_id}`)).output.table, asked.table);
  } finally {
    await there.stop();
  }
});

inPage("another reading is chosen with one click", {}, async (page) => {
  const form = new FormData();
  form.append("name", "rides");
  form.append("file", new Blob(["start_station,end_station,duration\nA,B,10\nA,C,20\nB,C,30\n"]), "rides.csv");
  await fetch(`${server.url}/datasets`, { method: "POST", body: form });
  await page.goto(`${server.url}/page/ask?data=rides`);
  const turn = await ask(page, "how many rides by station");
  const choices = turn.locator(".try button");
  const said = (await choices.nth(1).textContent()).trim();
  await choices.nth(1).click();
  const second = page.locator(".turn").nth(1);
  await second.locator(".known.verified, .known.checked").waitFor();
  const { output, input } = await api(server, `/runs/${runOf(page)}`);
  assert.equal(input.reading, 2);
  assert.equal(output.reading, said);
  assert.deepEqual(output.table.rows, [["C", 2], ["B", 1]]);
});

inPage("what continues an answer is offered under it, and is answered with one click, also after a reload", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  await ask(page, "How many orders are there by status?");
  const next = page.locator(".next:not([hidden]) .chip");
  await next.first().waitFor();
  const offered = await next.allTextContents();
  assert.deepEqual(offered, (await api(server, `/runs/${runOf(page)}/follow-ups`)).questions);
  assert.ok(offered.includes("only completed"), offered.join());
  await page.getByRole("button", { name: "only completed" }).click();
  const second = page.locator(".turn").nth(1);
  await second.locator(".known.verified").waitFor();
  assert.match(await second.locator(".sentence").textContent(), /3,408/);
  await second.locator(".next .chip").first().waitFor();
  assert.equal(await page.locator(".turn").first().locator(".next").count(), 0, "what was continued is not offered again");
  await page.reload();
  await second.locator(".next .chip").first().click();
  const third = page.locator(".turn").nth(2);
  await third.locator(".known.verified").waitFor();
  const { output } = await api(server, `/runs/${runOf(page)}`);
  assert.match(output.assumptions.map((each) => each.text).join(), /continues .only completed/);
  assert.match(output.reading, /status is completed/);
});

inPage("what was asked in a thread is not offered again", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  const offered = page.locator(".suggest .chip");
  await offered.first().waitFor();
  const first = await offered.first().textContent();
  const before = await offered.count();
  await offered.first().click();
  await page.locator(".turn .known").waitFor();
  assert.equal(await offered.count(), before - 1);
  assert.equal(await page.locator(".suggest").getByText(first, { exact: true }).count(), 0);
});

inPage("runs are listed and filtered", {}, async (page) => {
  await api(server, "/chat", { dataset_id: "support", message: "SQL: SELECT broken FROM tickets" });
  await page.goto(`${server.url}/page/runs`);
  await page.locator(".runlist a").first().waitFor();
  await page.getByRole("button", { name: "Failed" }).click();
  await page.waitForURL(/state=failed/);
  await page.locator(".runlist a").first().waitFor();
  const states = await page.locator(".runlist .state").evaluateAll((all) => all.map((each) => each.textContent));
  assert.ok(states.length > 0 && states.every((state) => state === "failed"), states.join());
  await page.getByLabel("Task").selectOption("sql/1");
  await page.waitForURL(/task=sql/);
  await page.locator(".runlist a", { hasText: "SELECT broken" }).first().waitFor();
});

inPage("files become a dataset, what was done to them is said, and they answer", {}, async (page) => {
  await page.goto(`${server.url}/page/data`);
  const lines = ["region,price", "North,10.5", "South,20", "South", "West,n/a", "West,7"];
  await page.locator('input[type="file"]').setInputFiles({ name: "Shop sales.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) });
  await page.waitForURL(/page\/data\/shop_sales/, { timeout: 60_000 });
  await page.locator(".cols-table").waitFor();
  const { tables } = await api(server, "/datasets/shop_sales/profile");
  assert.equal(await page.locator(".cols-table tbody tr").count(), tables[0].columns.length);
  assert.match(await page.locator(".cols-table").textContent(), new RegExp(`${tables[0].columns[1].nulls} empty`));
  assert.ok((await page.locator(".remarks li").count()) > 0);
  await page.getByRole("link", { name: "Ask this data" }).click();
  const turn = await ask(page, "average price by region");
  assert.match(await turn.locator(".sentence").textContent(), /South/);
});

inPage("files are dropped", {}, async (page) => {
  await page.goto(`${server.url}/page/data`);
  const carried = await page.evaluateHandle(() => {
    const all = new DataTransfer();
    all.items.add(new File(["city,people\nRome,3\nOslo,1\n"], "towns.csv", { type: "text/csv" }));
    all.items.add(new File(["city,trams\nOslo,6\n"], "trams.csv", { type: "text/csv" }));
    return all;
  });
  const zone = page.locator(".drop");
  await zone.dispatchEvent("dragover", { dataTransfer: carried });
  assert.match(await zone.getAttribute("class"), /is-over/);
  await zone.dispatchEvent("drop", { dataTransfer: carried });
  await page.waitForURL(/page\/data\/towns/, { timeout: 60_000 });
  await page.locator(".cols-table").waitFor();
  assert.deepEqual(await page.getByRole("tab").allTextContents(), ["towns 2", "trams 1"]);
});

inPage("a question of the data view is asked with one click", {}, async (page) => {
  await page.goto(`${server.url}/page/data/ecommerce`);
  await page.locator(".cols-table tbody tr").first().waitFor();
  await page.getByRole("button", { name: "What is the return rate by category?" }).click();
  await page.locator(".turn .known.verified").waitFor();
  assert.equal(await page.locator(".rel svg").count(), 0);
});

inPage("what was wrong is remembered, shown with the data, said otherwise and forgotten", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=sensors`);
  const turn = await ask(page, "What is the anomaly rate by location?");
  await turn.getByRole("button", { name: "This is wrong" }).click();
  await page.keyboard.type("locations A and B <b>are</b> one");
  await page.keyboard.press("Enter");
  await page.locator(".toast").waitFor();
  await page.goto(`${server.url}/page/data/sensors`);
  const note = page.locator(".notelist li");
  await note.waitFor();
  assert.match(await note.textContent(), /A and B <b>are<\/b> one/);
  await note.getByRole("button", { name: /^Edit/ }).click();
  await page.getByLabel("The note").fill("one place");
  await page.keyboard.press("Enter");
  await page.locator(".notelist li", { hasText: "One place." }).waitFor();
  await page.getByRole("button", { name: /^Forget/ }).click();
  await page.locator(".notelist").waitFor({ state: "detached" });
  assert.deepEqual((await api(server, "/notes?dataset_id=sensors")).notes, []);
  // It is a lesson as well, and tells which run taught it.
  const { lessons } = await api(server, "/lessons");
  const lesson = lessons.find((each) => each.fix === "locations A and B <b>are</b> one");
  assert.equal(lesson.task, "What is the anomaly rate by location?");
  await page.goto(`${server.url}/page/lessons/${lesson.id}`);
  await page.locator(`[data-lesson="${lesson.id}"] details[open]`).waitFor();
  assert.equal(await page.getByRole("link", { name: "The run it came from" }).getAttribute("href"), `/page/runs/${lesson.run}`);
});

inPage("markup in data, names and questions stays text", { refusals: true }, async (page) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  const evil = "<img src=x onerror=alert(1)>";
  let dialogs = 0;
  page.on("dialog", (dialog) => { dialogs += 1; dialog.dismiss(); });
  const turn = await ask(page, `SQL: SELECT '${evil}' AS "${evil}"`);
  assert.equal(await turn.locator("img").count(), 0);
  assert.deepEqual(await cells(turn.locator("table")), [[evil]]);
  await ask(page, `PYTHON:\nprint("${evil}")`);
  assert.equal(await page.locator(".turn img").count(), 0);
  await page.goto(`${server.url}/page/data/${encodeURIComponent(evil)}`);
  await page.locator(".problem").waitFor();
  assert.equal(dialogs, 0);
});

inPage("a thread is found again in the rail", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=ecommerce`);
  await ask(page, "What is the average order value by month?");
  await page.goto(server.url);
  await page.locator(".recent a", { hasText: "average order value by month" }).first().click();
  await page.locator(".turn .known").waitFor();
  assert.equal(await page.locator(".turn h2").first().textContent(), "What is the average order value by month?");
});

inPage("links, CSV and commands are copied whole", {}, async (page) => {
  await page.goto(`${server.url}/page/ask?data=support`);
  const turn = await ask(page, "tickets by priority");
  const copied = async (name) => {
    await turn.locator("summary").click();
    await turn.getByRole("button", { name, exact: true }).click();
    await page.locator(".toast").waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const { output } = await api(server, `/runs/${runOf(page)}`);
  assert.equal(await copied("SQL"), output.sql);
  assert.equal((await copied("Table as CSV")).trim().split("\n").length, output.table.row_count + 1);
  assert.equal(await copied("assay command"), "assay ask support 'tickets by priority'");
  assert.match(await copied("curl"), /^curl -s http:.*\/chat -H .*"message":"tickets by priority"/);
  await page.goto(await copied("Link"));
  await page.locator(".turn .known").waitFor();
});

for (const scheme of /** @type {const} */ (["light", "dark"])) {
  // 640 is a window of 1280 at 200 %.
  for (const width of scheme === "light" ? [1280, 640, 380] : [1280, 380]) {
    inPage(`every view is sound to see and to hear, ${scheme}, ${width} px`, { scheme, width }, async (page) => {
      // What is heard is the same at every width.
      const looked = (what) => sound(page, what, { heard: width !== 640 });
      await page.goto(server.url);
      await page.locator(".set li button").nth(5).waitFor();
      await looked("first visit");
      await page.goto(`${server.url}/page/ask?data=ecommerce`);
      for (const question of ["What was the revenue by category last month?", "best product", "SQL: SELECT nope FROM orders", "PYTHON:\norders.groupby('status').total.sum()"]) await ask(page, question);
      await looked("answers");
      const first = page.locator(".turn").first();
      for (const face of ["Table", "Chart", "Code"]) {
        await first.getByRole("tab", { name: face }).click();
        if (face === "Chart") await first.locator(".chart .s0").first().waitFor();
        await looked(face);
      }
      await first.getByRole("button", { name: "How do you know" }).click();
      await looked("checks");
      const run = runOf(page);
      await page.goto(`${server.url}/page/runs`);
      await page.locator(".runlist a").first().waitFor();
      await looked("runs");
      await page.goto(`${server.url}/page/runs/${run}?step=0`);
      await page.locator(".trow").first().waitFor();
      await looked("run");
      await page.goto(`${server.url}/page/data`);
      await page.locator(".cards a").first().waitFor();
      await looked("datasets");
      await page.goto(`${server.url}/page/data/ecommerce`);
      await page.locator(".cols-table").waitFor();
      await looked("dataset");
      await page.goto(`${server.url}/page/settings`);
      await page.locator(".settings li").first().waitFor();
      await looked("settings");
      if (width < 760) {
        await page.getByRole("button", { name: "Menu" }).click();
        await looked("menu");
        await page.getByRole("link", { name: "Runs", exact: true }).click();
        await page.locator(".runlist").waitFor();
      }
    });
  }
}

test("with a token the page asks for it, and what it sends is proven", async () => {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const guarded = await serve(["--require-token"]);
  const opened = await open(browser);
  try {
    const { stdout } = await promisify(execFile)(guarded.program, ["token", "create", "page", "--json", "--data-dir", guarded.folder]);
    const { page } = opened;
    await page.goto(guarded.url);
    await page.fill("#token", "not a token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".problem").waitFor();
    await page.fill("#token", JSON.parse(stdout).token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "What is the SLA compliance by priority?" }).click();
    await page.locator(".turn .known.verified").waitFor();
    await page.reload();
    await page.locator(".turn .known.verified").waitFor();
    assert.equal(await page.evaluate(() => document.cookie), "", "no script reads the cookie");
  } finally {
    await opened.close();
    await guarded.stop();
  }
});

test("two owners see what is theirs", async () => {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const guarded = await serve(["--require-token"]);
  const token = async (owner) => JSON.parse((await promisify(execFile)(guarded.program, ["token", "create", owner, "--owner", owner, "--scope", "write", "--json", "--data-dir", guarded.folder])).stdout).token;
  const [ada, bob] = await Promise.all([open(browser, { refusals: true }), open(browser, { refusals: true })]);
  try {
    for (const [{ page }, owner] of [[ada, "ada"], [bob, "bob"]]) {
      await page.goto(guarded.url);
      await page.fill("#token", await token(owner));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator(".set li button").first().waitFor();
    }
    await ada.page.goto(`${guarded.url}/page/ask?data=support`);
    await ask(ada.page, "tickets by priority");
    const run = runOf(ada.page);
    await bob.page.goto(`${guarded.url}/page/runs`);
    await bob.page.locator(".none").waitFor();
    assert.equal(await bob.page.locator(".nav .recent a").count(), 0);
    await bob.page.goto(`${guarded.url}/page/runs/${run}`);
    await bob.page.locator(".problem").waitFor();
    assert.doesNotMatch(await bob.page.locator("main").textContent(), /priority/);
    await ada.page.goto(`${guarded.url}/page/runs/${run}`);
    await ada.page.locator(".trow").first().waitFor();
    assert.deepEqual(ada.wrong, []);
  } finally {
    await Promise.all([ada.close(), bob.close()]);
    await guarded.stop();
  }
});

test("what a model writes is seen as it writes it, and its answer says who it was", async () => {
  const writer = await model('```python\nback = order_items.merge(orders, on="order_id")\nback[back.returned].groupby("category", as_index=False).price.sum()\n```');
  const asked = await serve([], { ASSAY_MODEL: "chat:slow", OPENAI_BASE_URL: writer.url });
  const opened = await open(browser);
  try {
    const { page } = opened;
    await page.goto(`${asked.url}/page/ask?data=ecommerce`);
    await page.fill("#question", "Which categories lose the most money to returns?");
    await page.press("#question", "Enter");
    await page.locator(".card.live .code", { hasText: "order_items.merge" }).waitFor({ timeout: 60_000 });
    assert.match(await page.locator(".card.live").textContent(), /A model is writing/);
    const known = page.locator(".turn .known.checked");
    await known.waitFor({ timeout: 60_000 });
    assert.match(await known.textContent(), /chat:slow, [\d,]+ tokens/);
    await page.getByRole("tab", { name: "Code" }).click();
    assert.match(await page.locator(".msg .code").first().textContent(), /order_items\.merge/);
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
    await asked.stop();
    writer.stop();
  }
});

test("attempts that fail are seen as they fail, grouped in the run, and told with what the model was sent", async () => {
  const code = (column) => `It is a sum.\n\n\`\`\`python\nback = order_items.merge(orders, on="order_id")\nback[back.returned].groupby("category", as_index=False).${column}.sum()\n\`\`\``;
  const writer = await model((asked) => (/no attribute|amount/.test(asked) ? code("price") : code("amount")), 15);
  const asked = await serve([], { ASSAY_MODEL: "chat:slow", OPENAI_BASE_URL: writer.url });
  const opened = await open(browser);
  const { page } = opened;
  try {
    await page.goto(`${asked.url}/page/ask?data=ecommerce`);
    await page.fill("#question", "Which categories lose the most money to returns?");
    await page.press("#question", "Enter");
    const failed = page.locator(".card.live .steps .bad");
    await failed.waitFor({ timeout: 60_000 });
    assert.match(await failed.textContent(), /Ran it in the sandbox: failed.*AttributeError/);
    await sound(page, "a live card");
    const turn = page.locator(".turn").first();
    await turn.locator(".known.checked, .known.unverified").waitFor({ timeout: 60_000 });
    await turn.getByRole("tab", { name: "Code" }).click();
    await turn.locator(".attempt summary").click();
    assert.match(await turn.locator(".attempt .code").textContent(), /amount/);
    const run = runOf(page);
    await page.goto(`${asked.url}/page/runs/${run}`);
    const chosen = page.locator('.trow[aria-selected="true"]');
    await chosen.waitFor();
    assert.match(await chosen.textContent(), /First attempt.*AttributeError/, "opened on the attempt that failed");
    assert.match(await page.locator(".trow.group").textContent(), /2 attempts/);
    assert.equal(await page.locator(".trow.attempt").count(), 2);
    await page.locator(".prompt .said", { hasText: "Question: Which categories lose" }).first().waitFor();
    assert.match(await page.locator(".detail .say").textContent(), /no attribute 'amount'/);
    await sound(page, "an attempt");
    await page.keyboard.press("r");
    await page.locator(".rawprompt .code", { hasText: '"messages"' }).waitFor();
    const { steps, artifacts } = await api(asked, `/runs/${run}`);
    const name = artifacts.find((file) => file.sha256 === steps.find((step) => step.request).request).name;
    assert.match(await page.locator(".rawprompt h3").first().textContent(), new RegExp(name));
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
    await asked.stop();
    writer.stop();
  }
});

test("what a model would have remembered is, with one click", async () => {
  const note = "There are 6417.\nNOTE: Most tickets come by Email.\n```sql\nSELECT channel, count(*) AS n FROM tickets GROUP BY 1 ORDER BY 2 DESC LIMIT 1\n```";
  const writer = await model((asked) => (/NOTE:/.test(asked) ? note : /\bYES\b/.test(asked) ? "YES" : "```python\nlen(tickets)\n```"), 0);
  const asked = await serve([], { ASSAY_MODEL: "chat:gpt-9", OPENAI_BASE_URL: writer.url });
  const opened = await open(browser);
  const { page } = opened;
  const notes = () => api(asked, "/notes?dataset_id=support");
  try {
    await page.goto(`${asked.url}/page/ask?data=support`);
    const turn = await ask(page, "what does the moon make of it");
    const offer = turn.locator(".facts", { hasText: "Most tickets come by Email" });
    await offer.waitFor();
    assert.deepEqual((await notes()).notes, [], "it counts for nothing yet");
    await sound(page, "a proposed note");
    await page.goto(`${asked.url}/page/data/support`);
    await page.getByRole("button", { name: "Drop: Most tickets come by Email." }).waitFor();
    await page.goBack();
    await offer.getByRole("button", { name: "Remember it" }).click();
    await page.locator(".toast", { hasText: "Remembered" }).waitFor();
    const { notes: kept, proposed } = await notes();
    assert.deepEqual([kept.map((each) => each.text), proposed], [["Most tickets come by Email."], []]);
    assert.equal(await offer.getByRole("button", { name: "Remember it" }).count(), 0);
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
    await asked.stop();
    writer.stop();
  }
});

test("tokens are seen and revoked in Settings, by whoever may administer", async () => {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const guarded = await serve(["--require-token"]);
  const made = async (...more) => JSON.parse((await promisify(execFile)(guarded.program, ["token", "create", ...more, "--json", "--data-dir", guarded.folder])).stdout).token;
  const opened = await open(browser, { refusals: true });
  const { page } = opened;
  const reads = async (token) => (await fetch(`${guarded.url}/datasets`, { headers: { Authorization: `Bearer ${token}` } })).status;
  try {
    const [admin, other] = [await made("boss", "--scope", "admin"), await made("laptop", "--owner", "ada")];
    await page.goto(guarded.url);
    await page.fill("#token", admin);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".set li button").first().waitFor();
    assert.equal(await reads(other), 200);
    await page.goto(`${guarded.url}/page/settings`);
    await page.getByRole("button", { name: "Revoke laptop" }).click();
    await page.getByRole("button", { name: "Revoke laptop" }).click();
    await page.locator("li", { hasText: "laptop" }).filter({ hasText: "revoked" }).waitFor();
    assert.equal(await reads(other), 401);
    await sound(page, "tokens");
    assert.doesNotMatch(await page.locator("main").textContent(), new RegExp(admin.split("_").at(-1)));
    assert.deepEqual(opened.wrong, []);
  } finally {
    await opened.close();
    await guarded.stop();
  }
});

test("the declarations of the documents are those of the program", async () => {
  const { declarations, written } = await import("./types.mjs");
  // Not `equal`, which would print both texts.
  assert.ok(await written() === declarations(/** @type {string} */ (process.env.ASSAY)), "they are stale: ASSAY=… node tests/types.mjs writes them");
});
