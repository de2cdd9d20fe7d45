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

const RETURNS = `\`\`\`python
items = order_items.merge(orders, on="order_id")
back = items[items.returned]
lost = (back.price * back.quantity * (1 - back.discount / 100)).groupby(back.category).sum()
lost.sort_values(ascending=False).rename("lost").reset_index()
\`\`\``;
/** What the model says; whether code went wrong before stands in what it is asked. */
function says(/** @type {string} */ asked) {
  if (/moon/.test(asked)) return "CANNOT: no table says anything about the moon.";
  if (/SLOWLY/.test(asked)) return `${RETURNS.replace("back = ", `# ${"one line after the other ".repeat(200)}\nback = `)}`;
  if (/returns\?/.test(asked)) return /amount/.test(asked) ? RETURNS : `I sum what came back.\n\n${RETURNS.replace("back.price *", "back.amount *")}`;
  if (/DANGEROUS/.test(asked)) return "```python\nimport os\n\n\ndef clean(path):\n    os.setsid()\n    return path.strip()\n```";
  if (/late\(tickets/.test(asked)) return REPLIES[Math.min(solved++, REPLIES.length - 1)];
  return "ready";
}
let solved = 0;
let slow = 0;

const writer = await model(says, 3);
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
  // The first question of all waits for the data to be read and for a cell.
  await api(server, "/chat", { dataset_id: "ecommerce", message: "How many orders are there?" });
  const asked = await open(browser, { ...size, scheme: "light" });
  await asked.page.goto(`${server.url}/page/ask?data=ecommerce`);
  await ask(asked.page, "What was the revenue by category last month?");
  await asked.page.locator(".next .chip").first().waitFor();
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

/** Files with what real ones have: empty cells, short lines, numbers for people, days in two orders. */
const EXPORT = ["order,day,region,price,note", ...Array.from({ length: 400 }, (_, at) => `${1000 + at},${1 + (at % 28)}/${1 + (at % 12)}/2026,${["North", "South", "West"][at % 3]},"${at % 40 ? `${(at * 37) % 900},${10 + (at % 80)}` : "n/a"}",${at % 7 ? "" : "gift"}`), "1400,1/2/2026,South"].join("\n");

async function upload() {
  const form = new FormData();
  form.append("name", "shop_export");
  form.append("file", new Blob([EXPORT]), "shop export.csv");
  await fetch(`${server.url}/datasets`, { method: "POST", body: form });
}

/** A run that waits for a person. */
async function waiting() {
  const begun = await api(server, "/runs", { task: "solve", input: { task: "DANGEROUS: write clean(path). clean(' a ') == 'a'", ask: true } });
  await until(async () => (await api(server, `/runs/${begun.run_id}`)).state === "waiting");
  return begun.run_id;
}

async function until(/** @type {() => Promise<boolean>} */ holds) {
  for (let left = 300; left > 0; left -= 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("it did not come to pass");
}

const RETURNED = "Which categories lose the most money to returns?";
/** Every view, by its name. @type {Record<string, (page: import("playwright-core").Page) => Promise<void>>} */
const VIEWS = {
  async first(page) {
    await page.goto(server.url);
    await page.locator(".set li button").nth(5).waitFor();
  },
  async ask(page) {
    await page.goto(`${server.url}/page/ask?data=ecommerce&model=off`);
    await ask(page, "What was the revenue by category last month?");
    const chart = await ask(page, "revenue by month and category");
    await chart.getByRole("tab", { name: "Chart" }).click();
    await chart.locator(".chart svg").waitFor();
    await ask(page, "profit by category");
    await ask(page, "SQL: SELECT nope FROM orders");
    await ask(page, "How many orders are there by status?");
    await page.locator(".next .chip").first().waitFor();
  },
  async byModel(page) {
    await page.goto(`${server.url}/page/ask?data=ecommerce`);
    const turn = await ask(page, RETURNED);
    await turn.getByRole("button", { name: "How do you know" }).click();
    const again = await ask(page, RETURNED);
    await again.getByRole("tab", { name: "Code" }).click();
    const refused = await ask(page, "What does the moon make of it?");
    await refused.locator(".known").waitFor();
    const program = await ask(page, "PYTHON:\nprint(len(orders))\n1 / 0");
    await program.getByRole("button", { name: "This is wrong" }).count();
  },
  async live(page) {
    await page.goto(`${server.url}/page/ask?data=ecommerce`);
    await page.fill("#question", `What is lost SLOWLY, part ${++slow}?`);
    await page.press("#question", "Enter");
    await page.locator(".card.live .code", { hasText: "after the other one line" }).waitFor();
  },
  async lists(page) {
    await page.goto(`${server.url}/page/data`);
    await page.locator(".cards a").nth(3).waitFor();
  },
  async data(page) {
    await page.goto(`${server.url}/page/data/ecommerce`);
    await page.locator(".cols-table").waitFor();
  },
  async uploaded(page) {
    await page.goto(`${server.url}/page/data/shop_export`);
    await page.locator(".remarks").waitFor();
  },
  async runs(page) {
    await page.goto(`${server.url}/page/runs`);
    await page.locator(".runlist a").nth(3).waitFor();
  },
  async run(page) {
    const { runs } = await api(server, "/runs?task=ask/1&state=succeeded");
    await page.goto(`${server.url}/page/runs/${runs.find((run) => run.title?.startsWith("What was the revenue")).id}`);
    await page.locator(".trow").first().waitFor();
  },
  async attempts(page) {
    const { run_id: id } = await api(server, "/chat", { dataset_id: "ecommerce", message: RETURNED, no_cache: true });
    await page.goto(`${server.url}/page/runs/${id}`);
    await page.locator(".prompt .said").first().waitFor();
  },
  async failed(page) {
    const { run_id: id } = await api(server, "/chat", { dataset_id: "ecommerce", message: "PYTHON:\nprint(len(orders))\norders.amount.sum()" });
    await page.goto(`${server.url}/page/runs/${id}`);
    await page.locator('.trow[aria-selected="true"]').waitFor();
  },
  async asks(page) {
    await page.goto(`${server.url}/page/runs/${await waiting()}`);
    await page.locator(".asks").waitFor();
  },
  async compare(page) {
    const sql = (/** @type {string} */ text) => api(server, "/chat", { dataset_id: "support", message: `SQL: ${text}` });
    const [was, is] = [await sql("SELECT priority, count(*) AS n FROM tickets GROUP BY 1 ORDER BY 1"), await sql("SELECT priority, count(*) AS n FROM tickets\nWHERE priority <> 'Low' AND sla_met GROUP BY 1 ORDER BY 1")];
    await page.goto(`${server.url}/page/runs/${is.run_id}?with=${was.run_id}`);
    await page.locator("h2", { hasText: "Steps" }).waitFor();
  },
  async solve(page) {
    await page.goto(`${server.url}/page/solve`);
    await page.locator("#task").waitFor();
  },
  async solved(page) {
    await page.goto(`${server.url}/page/solve/${await solve()}`);
    await page.locator(".lessonlist .brief").first().waitFor();
  },
  async lessons(page) {
    await page.goto(`${server.url}/page/lessons`);
    await page.locator(".lessonlist summary").first().click();
  },
  async settings(page) {
    await page.goto(`${server.url}/page/settings`);
    await page.locator(".settings li").first().waitFor();
    await page.getByRole("button", { name: "Test chat:scripted" }).click();
    await page.locator(".came .evidence").waitFor({ timeout: 60_000 });
  },
};

try {
  const only = process.argv[3]?.split(",");
  if (!only || only.includes("readme")) await readme();
  await upload();
  await solve();
  await api(server, "/notes", { dataset_id: "shop_export", text: "prices are gross" });
  for (const [scheme, width] of /** @type {const} */ ([["light", 1280], ["dark", 1280], ["light", 380], ["dark", 380], ["light", 640]])) {
    const { page, close } = await open(browser, { scheme, width });
    for (const [name, show] of Object.entries(VIEWS)) {
      if (only && !only.includes(name)) continue;
      await page.setViewportSize({ width, height: 900 });
      await show(page);
      await take(page, `${name}-${width}-${scheme}`, 3200);
    }
    await close();
  }
} finally {
  await browser.close();
  await server.stop();
  writer.stop();
}
