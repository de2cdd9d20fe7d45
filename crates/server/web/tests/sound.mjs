// Whether what is shown is sound: nothing that axe complains of, and nothing that is wider than the window.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * @param {import("playwright-core").Page} page
 * @param {string} what
 * @param {{heard?: boolean}} [how] whether axe looks as well
 */
export async function sound(page, what, { heard = true } = {}) {
  if (heard) await hear(page, what);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${what} scrolls sideways`);
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} what
 */
async function hear(page, what) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run());
  const told = violations.map((each) => `${each.id}: ${each.nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
  assert.deepEqual(told, [], what);
}
