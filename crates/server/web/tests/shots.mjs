// Pictures of the page, of what the program really answers: `cargo xtask web --shots DIR`. Two are those of the README
// (`page-ask.png` and `page-data.png`, which lie in docs/), the others show every view in both schemes and widths.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { small } from "./png.mjs";
import { ask, browse, open, serve } from "./served.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("name the folder to put them in");
await mkdir(folder, { recursive: true });

const server = await serve();
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
    await page.goto(`${server.url}/page/settings`);
    await page.locator(".settings li").first().waitFor();
    await take(page, named("settings"), 2400);
    await close();
  }
} finally {
  await browser.close();
  await server.stop();
}
