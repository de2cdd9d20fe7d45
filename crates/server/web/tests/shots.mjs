// Pictures of the page, of what the program really answers: `cargo xtask web --shots DIR`. Three are those of the README
// (`page-ask.png`, `page-data.png` and `page-solve.png`, which lie in docs/), the others show every view in both schemes and
// widths. In Solve a scripted model on loopback writes; what its programs come to is what the sandbox says.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { small } from "./png.mjs";
import { api, ask, browse, model, open, serve } from "./served.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("name the folder to put them in");
await mkdir(folder, { recursive: true });

const TASK = "Which tickets missed their target\nWrite late(tickets, now): the ids of tickets that were resolved after their target, or are open and past it.\nTargets in hours: Critical 4, High 8, Medium 24, Low 72. Times are datetimes; an open ticket has no resolved_at.";
const TESTS = `from datetime import datetime, timedelta
from solution import late

NOW = datetime(2026, 6, 30, 12)

def ticket(priority, hours=None, age=100):
    created = NOW - timedelta(hours=age)
    resolved = created + timedelta(hours=hours) if hours is not None else None
    return {"ticket_id": 7, "priority": priority, "created_at": created, "resolved_at": resolved}

def test_in_time():
    assert late([ticket("High", hours=7)], NOW) == []

def test_open_ticket_past_its_target():
    assert late([ticket("High")], NOW) == [7]

def test_long_ticket_counts_whole_days():
    assert late([ticket("Medium", hours=26)], NOW) == [7]`;

const late = (/** @type {string} */ end, /** @type {string} */ hours) => `\`\`\`python
TARGET = {"Critical": 4, "High": 8, "Medium": 24, "Low": 72}


def late(tickets, now):
    """Ids of the tickets that missed, or are past, their target."""
    ids = []
    for ticket in tickets:
        end = ${end}
        hours = ${hours} / 3600
        if hours > TARGET[ticket["priority"]]:
            ids.append(ticket["ticket_id"])
    return ids
\`\`\``;
const SECONDS = "(end - ticket[\"created_at\"]).seconds";
const OPEN = 'ticket["resolved_at"] or now';
const REPLIES = [late('ticket["resolved_at"]', SECONDS), late(OPEN, SECONDS), late(OPEN, SECONDS.replace("seconds", "total_seconds()"))];

const writer = await model(REPLIES, 3);
const server = await serve([], { ASSAY_MODEL: "chat:scripted", OPENAI_BASE_URL: writer.url });
const browser = await browse();

/** The page as high as what it shows, so that nothing that stays in place hides anything. */
async function take(page, name, most) {
  const high = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...page.viewportSize(), height: Math.min(high, most) });
  await page.evaluate(() => {
    scrollTo(0, 0);
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
  });
  // Charts are drawn anew for another width, and toasts go.
  await page.waitForTimeout(500);
  await writeFile(join(folder, `${name}.png`), small(await page.screenshot()));
  console.log(`taken: ${name}.png`);
}

/** One question with its chart, and a dataset: what one sees first. */
async function readme() {
  const size = { width: 1240, height: 850 };
  const asked = await open(browser, { ...size, scheme: "light" });
  await asked.page.goto(`${server.url}/page/ask?data=ecommerce`);
  await ask(asked.page, "What was the revenue by category last month?");
  await take(asked.page, "page-ask", size.height);
  await asked.close();
  const { page, close } = await open(browser, { ...size, scheme: "dark" });
  await page.goto(`${server.url}/page/data/ecommerce`);
  await page.locator(".cols-table").waitFor();
  await take(page, "page-data", size.height);
  await close();
  const solved = await open(browser, { ...size, scheme: "light" });
  await solved.page.goto(`${server.url}/page/solve/${await solve()}`);
  await solved.page.locator(".lessonlist .brief").first().waitFor();
  await take(solved.page, "page-solve", 1000);
  await solved.close();
}

let solution = "";

/** A task that was solved, once. */
async function solve() {
  if (solution) return solution;
  const begun = await api(server, "/runs", { task: "solve", input: { task: TASK, tests: TESTS } });
  for (let left = 300; left > 0; left -= 1) {
    if ((await api(server, `/runs/${begun.run_id}`)).finished_at) return (solution = begun.run_id);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the task was not solved in time");
}

try {
  await readme();
  for (const [scheme, width] of /** @type {const} */ ([["light", 1280], ["dark", 1280], ["light", 380], ["dark", 380]])) {
    const { page, close } = await open(browser, { scheme, width });
    const named = (what) => `${what}-${width}-${scheme}`;
    await page.goto(server.url);
    await page.locator(".set li button").nth(5).waitFor();
    await take(page, named("first"), 1400);
    await page.goto(`${server.url}/page/ask?data=ecommerce`);
    await ask(page, "What was the revenue by category last month?");
    const chart = await ask(page, "revenue by month and category");
    await chart.getByRole("tab", { name: "Chart" }).click();
    await chart.locator(".chart svg").waitFor();
    await ask(page, "profit by category");
    const run = new URL(page.url()).searchParams.get("runs").split(",")[0].split(":")[0];
    await take(page, named("ask"), 2400);
    await ask(page, "SQL: SELECT nope FROM orders");
    await page.goto(`${server.url}/page/data/ecommerce`);
    await page.locator(".cols-table").waitFor();
    await take(page, named("data"), 2400);
    await page.goto(`${server.url}/page/runs`);
    await page.locator(".runlist a").nth(3).waitFor();
    await take(page, named("runs"), 1200);
    await page.goto(`${server.url}/page/runs/${run}`);
    await page.locator(".trow").first().waitFor();
    await take(page, named("run"), 2400);
    await page.goto(`${server.url}/page/solve`);
    await page.locator("#task").waitFor();
    await take(page, named("solve"), 1400);
    await page.goto(`${server.url}/page/solve/${await solve()}`);
    await page.locator(".lessonlist .brief").first().waitFor();
    await take(page, named("solved"), 2400);
    await page.goto(`${server.url}/page/lessons`);
    await page.locator(".lessonlist summary").first().click();
    await take(page, named("lessons"), 1800);
    const sql = (/** @type {string} */ text) => api(server, "/chat", { dataset_id: "support", message: `SQL: ${text}` });
    const [was, is] = [await sql("SELECT priority, count(*) AS n FROM tickets GROUP BY 1 ORDER BY 1"), await sql("SELECT priority, count(*) AS n FROM tickets\nWHERE priority <> 'Low' AND sla_met GROUP BY 1 ORDER BY 1")];
    await page.goto(`${server.url}/page/runs/${is.run_id}?with=${was.run_id}`);
    await page.locator('h2', { hasText: "Steps" }).waitFor();
    await take(page, named("compare"), 1800);
    await page.goto(`${server.url}/page/settings`);
    await page.locator(".settings li").first().waitFor();
    await page.getByRole("button", { name: "Test chat:scripted" }).click();
    await page.locator(".came .evidence").waitFor({ timeout: 60_000 });
    await take(page, named("settings"), 2400);
    await close();
  }
} finally {
  await browser.close();
  await server.stop();
  writer.stop();
}
