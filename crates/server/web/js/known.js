// The line under every answer: seal, word, reason, source; and what it opens to.

import { RUNS } from "./address.js";
import { html, fresh, marked } from "./dom.js";
import { count, counted, dated, duration, sentence } from "./format.js";
import { icon, seal } from "./icons.js";

/** @type {Record<string, string>} */
export const LEVELS = { verified: "Verified", checked: "Checked", unverified: "Unverified", refused: "Refused" };

/**
 * @param {import("../types/api").Answer} answer an answer that was given
 * @param {string} run
 */
export function knownLine(answer, run) {
  const level = answer.known?.level ?? "unverified";
  const id = fresh("checks");
  const checks = html`<ul class="checks" id=${id} hidden>${made(answer, run)}</ul>`;
  const button = html`<button type="button" class="btn bare" aria-expanded="false" aria-controls=${id}>How do you know${icon("down")}</button>`;
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    checks.hidden = isOpen;
  });
  const why = answer.known?.note ?? "neither recomputed nor checked";
  return [
    html`<div class=${`known ${level}`}>${seal(level)}<div><b>${LEVELS[level] ?? level}</b> <span class="why">${marked(sentence(dated(why)))}</span><div class="src">${source(answer)}</div></div>${button}</div>`,
    checks,
  ];
}

/** @param {import("../types/api").Answer} answer */
function source(answer) {
  const tables = tablesOf(answer);
  const from = tables.length ? tables.map((table, at) => [at ? ", " : "from ", html`<code>${table}</code>`]) : ["from ", html`<code>${answer.dataset.id}</code>`];
  const time = answer.cached ? "computed earlier" : duration(answer.timing_ms?.total ?? NaN);
  const asked = answer.model ? `${answer.model.name}, ${count(tokensOf(answer.model.cost))} tokens` : "no model";
  return [from, ` · ${time} · ${asked}`];
}

/** @param {import("../types/api").AnswerParts.Cost | undefined | null} cost */
export function tokensOf(cost) {
  if (!cost) return 0;
  const { input, output, cache_read, cache_write, reasoning } = cost.tokens;
  return input + output + cache_read + cache_write + reasoning;
}

/**
 * The tables that a plan names.
 * @param {import("../types/api").Answer} answer
 * @returns {string[]}
 */
function tablesOf(answer) {
  const found = new Set();
  const look = (/** @type {any} */ part) => {
    if (Array.isArray(part)) part.forEach(look);
    else if (part && typeof part === "object") {
      for (const [name, value] of Object.entries(part)) {
        if (name === "from" && typeof value === "string") found.add(value);
        else if (name === "col" && typeof value === "string" && value.includes(".")) found.add(value.split(".")[0]);
        else look(value);
      }
    }
  };
  look(answer.plan);
  return [...found];
}

/**
 * What was done to know it, and who did it.
 * @param {import("../types/api").Answer} answer
 * @param {string} run
 */
function made(answer, run) {
  /** @type {[string, import("./dom.js").Content, string][]} */
  const checks = [];
  if (answer.source === "model") checks.push(["ok", "A model wrote the code; it only proposes", answer.model?.name ?? "model"]);
  else if (answer.known?.level === "verified") checks.push(["ok", "The question has one reading", "planner"]);
  else checks.push(["ok", "The question was read without a model", "planner"]);
  if (answer.sql) checks.push(["ok", "The SQL passed the policy: one SELECT over the dataset’s tables", "guard"]);
  if (answer.known?.by === "oracle") checks.push(["ok", "An interpreter that knows no SQL computed the same result", `oracle${answer.timing_ms?.verify ? `, ${duration(answer.timing_ms.verify)}` : ""}`]);
  if (answer.known?.by === "invariants") checks.push(["ok", "The properties that such a result must have hold", "invariants"]);
  const ways = (answer.derivations ?? []).map((each) => LANGUAGES[each.language] ?? each.language);
  if (ways.length === 1 && answer.known?.level === "unverified") checks.push(["off", "Nothing written apart confirms it", "executed once"]);
  else if (ways.length > 1) {
    const agree = (answer.derivations ?? []).every((each) => each.agrees);
    checks.push([agree ? "ok" : "bad", `Written apart (${ways.join(", ")}) and executed: ${agree ? "the same result" : "not the same result"}`, counted(ways.length, "way")]);
  }
  if (answer.critique) checks.push([answer.critique.verdict === "YES" ? "ok" : "bad", answer.critique.reason, "critique"]);
  if (answer.cached) checks.push(["ok", "Answered before, over the same version of the data", "recalled"]);
  checks.push(["ok", ["Data as of version ", html`<code>${answer.dataset.version.slice(0, 8)}</code>`], answer.dataset.id]);
  const rows = checks.map(([state, text, by]) => html`<li class=${state}>${icon({ ok: "check", bad: "cross" }[state] ?? "circle")}<span>${text}</span><small>${by}</small></li>`);
  return [rows, html`<li class="off">${icon("runs")}<span><a href=${`${RUNS}/${run}`}>The run, step by step</a></span><small><code>${run.slice(-8)}</code></small></li>`];
}

/** @type {Record<string, string>} */
export const LANGUAGES = { sql: "SQL", python: "Python", plan: "A plan" };

/**
 * @param {string} why
 * @param {import("./dom.js").Content} [after]
 */
export function refusedLine(why, after = null) {
  return html`<div class="known refused">${seal("refused")}<div><b>Refused</b> <span class="why">${why}</span></div>${after}</div>`;
}
