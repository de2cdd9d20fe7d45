// Solve: a task and the tests that decide, and the programs that were made before. Where no model can be asked, how to get one.

import * as address from "../address.js";
import * as api from "../api.js";
import { block } from "../code.js";
import { fill, html } from "../dom.js";
import { duration, moment } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";
import { stateOf, worked } from "./runs.js";
import { askable, modelPicker, threeWays } from "./ways.js";

const RUNS_SHOWN = 12;
const TASK_EXAMPLE = "Write slug(text): lower case, letters and digits joined by single dashes. slug(\"Hello, World!\") == \"hello-world\"";
const TESTS_EXAMPLE = "from solution import slug\n\ndef test_words():\n    assert slug(\"Hello, World!\") == \"hello-world\"\n\ndef test_nothing():\n    assert slug(\"--\") == \"\"";

/** @param {import("../main.js").Frame} frame */
export async function show(frame) {
  const { signal } = frame;
  const [models, listed] = await Promise.all([
    /** @type {Promise<import("../../types/api").Models | null>} */ (api.get("/models", signal).catch(() => null)),
    api.get(`/runs?task=solve/1&limit=${RUNS_SHOWN}`, signal),
  ]);
  const before = listed.runs.length ? html`<section class="card"><div class="cap bare"><h2>Solved before</h2></div><ul class="runlist">${listed.runs.map((/** @type {any} */ run) => html`<li><a href=${`${address.SOLVE}/${run.id}`}><span class="what"><b>${(run.title ?? "").split("\n")[0]}</b><small>${moment(run.created_at)} · ${duration(worked(run))}</small></span>${stateOf(run.state)}</a></li>`)}</ul></section>` : null;
  const lede = html`<p class="lede">A model writes a program; the sandbox runs it against your tests until they hold. Only they, or examples in the task, make it <b>verified</b>.</p>`;
  const head = html`<div class="head"><div class="grow"><h1>Solve</h1>${lede}</div></div>`;
  if (!askable(models).length) {
    frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page">${head}<div class="none wide"><b>No model can be asked yet</b><p>The planner answers questions by itself; programs are written by a model. There are three ways to one.</p></div>${threeWays(models)}${before ? html`<div class="sect">${before}</div>` : null}</div></main>`);
    return;
  }

  const kept = history.state?.solve ?? {};
  const task = /** @type {HTMLTextAreaElement} */ (html`<textarea id="task" class="field" rows="4" required placeholder=${TASK_EXAMPLE}></textarea>`);
  const tests = /** @type {HTMLTextAreaElement} */ (html`<textarea id="tests" class="field mono" rows="11" spellcheck="false" placeholder=${TESTS_EXAMPLE}></textarea>`);
  const most = /** @type {HTMLInputElement} */ (html`<input id="tries" class="field short" type="number" min="1" max="50" value="10">`);
  const asks = /** @type {HTMLInputElement} */ (html`<input id="asks" type="checkbox">`);
  task.value = kept.task ?? "";
  tests.value = kept.tests ?? "";
  if (kept.max_iterations) most.value = String(kept.max_iterations);
  asks.checked = kept.ask ?? false;
  const picker = modelPicker(models, kept.model ?? null, () => {}, { id: "model" });
  const said = html`<div></div>`;
  const begin = /** @type {HTMLButtonElement} */ (html`<button type="submit" class="btn solid">Solve</button>`);
  const fromFile = /** @type {HTMLInputElement} */ (html`<input type="file" accept=".py,text/x-python" class="vh" tabindex="-1" aria-hidden="true">`);
  fromFile.addEventListener("change", async () => {
    const file = fromFile.files?.[0];
    if (file) tests.value = await file.text();
  });
  const form = html`<form class="card solveform"><div class="in stack">
<div><label for="task">Task</label>${task}</div>
<div><div class="labelled"><label for="tests">Tests <span class="quiet">they import from <code>solution</code>; plain asserts, functions, unittest or pytest</span></label><button type="button" class="text-btn" @click=${() => fromFile.click()}>From a file</button>${fromFile}</div>${tests}</div>
${said}<div class="options"><label for="model">Model</label>${picker.element}<label for="tries">Tries at most</label>${most}<label class="check">${asks}Ask me before code that the guard refuses</label><span class="grow"></span>${begin}</div></div></form>`;

  for (const area of [task, tests]) {
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) /** @type {HTMLFormElement} */ (form).requestSubmit();
    });
  }
  // A tab in the tests is a tab; Escape first leads on.
  let leaves = false;
  tests.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaves = true;
    else if (event.key === "Tab" && !event.shiftKey && !leaves && tests.value) {
      event.preventDefault();
      tests.setRangeText("    ", tests.selectionStart, tests.selectionEnd, "end");
    } else leaves = false;
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!task.value.trim()) return task.focus();
    begin.disabled = true;
    fill(begin, "Starting");
    const input = { task: task.value.trim(), ...(tests.value.trim() ? { tests: tests.value } : {}), max_iterations: Number(most.value) || 10, model: picker.select.value, ask: asks.checked };
    history.replaceState({ solve: input }, "");
    try {
      const begun = await api.post("/runs", { task: "solve", input });
      address.go(`${address.SOLVE}/${begun.run_id}`);
    } catch (error) {
      if (signal.aborted) return;
      begin.disabled = false;
      fill(begin, "Solve");
      fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  });

  const teaches = html`<section class="card"><div class="cap bare"><h2>What decides</h2></div><ul class="evidence">
<li>${icon("check", "ok")}<span>Your tests<small>executed in the sandbox; they decide</small></span></li>
<li>${icon("check", "ok")}<span>Examples in the task<small>such as <code>double(2) == 4</code>; they decide too</small></span></li>
<li>${icon("circle", "off")}<span>What the model says<small>counts for nothing</small></span></li></ul></section>`;
  const terminal = html`<section class="card"><div class="cap bare"><h2>From a terminal</h2></div><div class="in">${block('assay solve "…" \\\n  --tests tests.py --file out.py', "shell")}</div></section>`;
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page">${head}<div class="solvegrid"><div class="stack">${form}${before}</div><div class="stack">${teaches}${terminal}</div></div></div></main>`);
  if (matchMedia("(pointer: fine)").matches) task.focus({ preventScroll: true });
}
