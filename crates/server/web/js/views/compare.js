// Two runs side by side: what was asked, the code, what came of it, how long each step took. What is the same is said once.

import * as address from "../address.js";
import * as api from "../api.js";
import { block, changedBlock } from "../code.js";
import { changed, changes } from "../diff.js";
import { fill, html } from "../dom.js";
import { isOver, stepWords } from "../fold.js";
import { cell, count, counted, duration, isNumber, moment } from "../format.js";
import { icon } from "../icons.js";
import { LEVELS } from "../known.js";
import { lineOf, messageOf } from "./ask.js";
import { stateOf, taskOf, worked } from "./runs.js";

const LISTED_MAX = 50;
const ROWS_MAX = 200;
const AGAIN_MS = 700;

/**
 * @param {import("../main.js").Frame} frame
 * @param {string} id the later run
 * @param {string} other what it is held against; nothing where that is still to be chosen
 */
export async function show(frame, id, other) {
  const { signal } = frame;
  const get = (/** @type {string} */ run) => /** @type {Promise<import("../../types/api").Run>} */ (api.get(`/runs/${encodeURIComponent(run)}`, signal));
  const now = await get(id);
  const before = other ? await get(other) : null;
  const listed = (await api.get(`/runs?task=${encodeURIComponent(now.task)}&limit=${LISTED_MAX}`, signal)).runs.filter((/** @type {any} */ each) => each.id !== now.id);
  frame.title("Two runs");
  const choose = /** @type {HTMLSelectElement} */ (html`<select aria-label="Compare with" @change=${() => address.go(`${address.RUNS}/${now.id}?with=${choose.value}`)}><option value="" disabled selected=${!before}>Choose a run</option>${listed.map((/** @type {any} */ each) => html`<option value=${each.id} selected=${each.id === before?.id}>${`${moment(each.created_at)} · ${(each.title ?? "").split("\n")[0].slice(0, 60)} · ${each.id.slice(-8)}`}</option>`)}</select>`);
  const place = html`<div class="stack"></div>`;
  const swap = before ? html`<a class="btn" href=${`${address.RUNS}/${before.id}?with=${now.id}`}>Swap</a>` : null;
  frame.place(html`<main id="main" class="main" tabindex="-1" data-view="compare"><div class="page"><div class="head"><div class="grow"><nav class="crumbs" aria-label="Where this is"><a href=${address.RUNS}>Runs</a><span aria-hidden="true">/</span><a href=${`${address.RUNS}/${now.id}`}><code>${now.id.slice(-8)}</code></a><span class="tag">${taskOf(now.task)}</span></nav><h1>Two runs</h1></div><div class="tools"><span class="pick bare-pick wide-pick">${choose}${icon("down")}</span>${swap}</div></div>${place}</div></main>`);
  if (!before) {
    fill(place, html`<div class="none"><b>${listed.length ? "Choose what to compare it with" : "There is no other run of this kind"}</b><p>${listed.length ? "Runs of the same task are listed above." : "Edit and run again makes one."}</p></div>`);
    return;
  }
  draw(before, now);
  for (let [a, b] = [before, now]; !(isOver(a.state) && isOver(b.state)) && !signal.aborted; ) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (signal.aborted) return;
    [a, b] = await Promise.all([isOver(a.state) ? a : get(a.id), isOver(b.state) ? b : get(b.id)]);
    draw(a, b);
  }

  /**
   * @param {import("../../types/api").Run} a before
   * @param {import("../../types/api").Run} b after
   */
  function draw(a, b) {
    fill(place, facts(a, b), texts("Asked", asked(a), asked(b), languageOf(b)), code(a, b), results(a, b), printed(a, b), steps(a, b));
  }
}

/** What was written to get it. */
function asked(/** @type {any} */ run) {
  const text = taskOf(run.task) === "solve" ? [run.input.task, run.input.tests?.text].filter(Boolean).join("\n\n") : messageOf(run);
  return text.replace(/^(SQL|PYTHON):\s?\n?/, "");
}

/** @returns {import("../code.js").Language} */
function languageOf(/** @type {any} */ run) {
  return /** @type {any} */ ({ sql: "sql", program: "python" }[taskOf(run.task)] ?? "text");
}

/** @param {any[]} runs */
function facts(...runs) {
  const line = (/** @type {string} */ name, /** @type {(run: any) => import("../dom.js").Content} */ told) => {
    const values = runs.map(told);
    return values.some((value) => value !== null && value !== undefined && value !== "") ? html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td>${value ?? "–"}</td>`)}</tr>` : null;
  };
  const rows = (/** @type {any} */ run) => tableOf(run)?.row_count;
  return html`<section class="card"><div class="scroll" tabindex="0" role="group" aria-label="In short"><table class="twice"><thead><tr><td></td><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>
${line("Run", (run) => html`<a href=${`${address.RUNS}/${run.id}`}><code>${run.id.slice(-8)}</code></a>`)}
${line("What", (run) => lineOf(messageOf(run)).slice(0, 80) || run.title)}
${line("State", (run) => stateOf(run.state))}
${line("Took", (run) => duration(worked(run)))}
${line("Known", (run) => LEVELS[run.output?.known?.level] ?? null)}
${line("Rows", (run) => rows(run) === undefined ? null : count(rows(run)))}
${line("Data", (run) => run.output?.dataset ? html`<code>${run.output.dataset.version.slice(0, 8)}</code>` : null)}
${line("Model", (run) => run.output?.model?.name ?? null)}
</tbody></table></div></section>`;
}

/**
 * @param {string} name
 * @param {string} before
 * @param {string} after
 * @param {import("../code.js").Language} language
 */
function texts(name, before, after, language) {
  if (!before && !after) return null;
  if (before.trim() === after.trim()) return html`<section class="card"><div class="cap"><h2>${name}</h2><span class="tag">the same</span></div>${block(after, language, { flush: true, label: name })}</section>`;
  const lines = changes(before, after);
  return html`<section class="card" data-changed=${name}><div class="cap"><h2>${name}</h2><span class="tag">${counted(changed(lines), "line")} changed</span></div>${changedBlock(lines, language, { flush: true, label: `${name}: changes` })}</section>`;
}

/**
 * @param {any} a
 * @param {any} b
 */
function code(a, b) {
  if (["sql", "program"].includes(taskOf(b.task))) return null;
  const of = (/** @type {any} */ run) => run.output?.sql ?? run.output?.code?.text ?? (typeof run.output?.code === "string" ? run.output.code : "");
  const isSql = Boolean(b.output?.sql ?? a.output?.sql);
  return texts("Code", of(a), of(b), isSql ? "sql" : "python");
}

/** @param {any} run */
function tableOf(run) {
  return run.output?.table ?? run.output?.result?.table ?? null;
}

/**
 * Rows beside each other: by the texts and dates in them, which name a row; by their place where there are none.
 * @param {any} a
 * @param {any} b
 */
function results(a, b) {
  const [left, right] = [tableOf(a), tableOf(b)];
  if (!left && !right) return null;
  const named = (/** @type {any} */ table) => table.columns.map((/** @type {any} */ column) => column.name).join("\n");
  if (!left || !right || named(left) !== named(right)) return texts("Result", left ? written(left) : "", right ? written(right) : "", "text");
  const keys = right.columns.flatMap((/** @type {any} */ column, /** @type {number} */ at) => (isNumber(column.type) ? [] : [at]));
  const keyOf = (/** @type {any[]} */ row, /** @type {number} */ at) => keys.length ? JSON.stringify(keys.map((/** @type {number} */ key) => row[key])) : String(at);
  const old = new Map(left.rows.map((/** @type {any[]} */ row, /** @type {number} */ at) => [keyOf(row, at), row]));
  const rows = right.rows.map((/** @type {any[]} */ row, /** @type {number} */ at) => {
    const was = old.get(keyOf(row, at));
    old.delete(keyOf(row, at));
    return { was, row };
  });
  const all = [...rows, ...[...old.values()].map((was) => ({ was, row: null }))];
  const same = all.filter(({ was, row }) => was && row && JSON.stringify(was) === JSON.stringify(row)).length;
  if (same === all.length) return html`<section class="card"><div class="cap"><h2>Result</h2><span class="tag">the same</span><span class="quiet small">${counted(all.length, "row")}</span></div></section>`;
  const shown = all.slice(0, ROWS_MAX).map(({ was, row }) => html`<tr class=${!was ? "add" : !row ? "del" : null}>${right.columns.map((/** @type {any} */ column, /** @type {number} */ at) => {
    const text = (/** @type {any} */ from) => cell(from[at], column) ?? html`<i class="null">empty</i>`;
    const differs = was && row && JSON.stringify(was[at]) !== JSON.stringify(row[at]);
    return html`<td class=${isNumber(column.type) ? "num" : null}>${differs ? [html`<del>${text(was)}</del>`, " ", html`<ins>${text(row)}</ins>`] : text(row ?? was)}</td>`;
  })}<td class="how">${!was ? "new" : !row ? "gone" : ""}</td></tr>`);
  return html`<section class="card" data-changed="Result"><div class="cap"><h2>Result</h2><span class="tag">${counted(all.length - same, "row")} changed</span></div><div class="scroll" tabindex="0" role="group" aria-label="Result: changes"><table class="beside-rows"><thead><tr>${right.columns.map((/** @type {any} */ column) => html`<th scope="col" class=${isNumber(column.type) ? "num" : null}>${column.name}</th>`)}<td></td></tr></thead><tbody>${shown}</tbody></table></div>${all.length > ROWS_MAX ? html`<div class="table-foot"><span>first ${count(ROWS_MAX)} of ${count(all.length)} rows</span></div>` : null}</section>`;
}

/** @param {any} table */
function written(table) {
  return [table.columns.map((/** @type {any} */ column) => column.name).join(" | "), ...table.rows.slice(0, ROWS_MAX).map((/** @type {any[]} */ row) => row.map((value) => value ?? "empty").join(" | "))].join("\n");
}

/**
 * @param {any} a
 * @param {any} b
 */
function printed(a, b) {
  const of = (/** @type {any} */ run) => [run.output?.sentence, run.output?.refusal?.message, run.output?.stdout, run.output?.error?.message, run.problem?.message].filter(Boolean).join("\n");
  return texts(taskOf(b.task) === "program" ? "Printed" : "Said", of(a), of(b), "text");
}

/**
 * @param {any} a
 * @param {any} b
 */
function steps(a, b) {
  const most = Math.max(a.steps.length, b.steps.length);
  if (!most) return null;
  const told = (/** @type {any} */ step) => step ? [html`<td>${stepWords(step.name, true)}${step.state === "ok" ? null : html` <span class="state bad">${icon("cross")}failed</span>`}</td>`, html`<td class="num">${duration(step.duration_ms)}</td>`] : [html`<td class="quiet">–</td>`, html`<td></td>`];
  return html`<section class="card"><div class="cap"><h2>Steps</h2></div><div class="scroll" tabindex="0" role="group" aria-label="Steps"><table><thead><tr><th scope="col">Before</th><th scope="col" class="num">Time</th><th scope="col">After</th><th scope="col" class="num">Time</th></tr></thead><tbody>${Array.from({ length: most }, (_, at) => html`<tr>${told(a.steps[at])}${told(b.steps[at])}</tr>`)}</tbody></table></div></section>`;
}
