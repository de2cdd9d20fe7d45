// Runs: everything that was done, newest first, filtered by what it was and what became of it.

import * as address from "../address.js";
import * as api from "../api.js";
import { toast } from "../copy.js";
import { fill, html } from "../dom.js";
import { isOver } from "../fold.js";
import { duration, moment } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";

const LIMIT = 50;
/** How often what goes on is looked at. */
const AGAIN_MS = 2000;

/** @type {Record<string, [string, string, string]>} kind, picture, word */
const STATES = {
  pending: ["off", "clock", "queued"],
  running: ["run", "", "running"],
  waiting: ["wait", "warn", "waiting for you"],
  succeeded: ["ok", "check", "succeeded"],
  failed: ["bad", "cross", "failed"],
  rejected: ["off", "circle", "refused"],
  cancelled: ["off", "stop", "stopped"],
  interrupted: ["wait", "again", "interrupted"],
};

/** @type {[string, string][]} */
const FILTERS = [["", "All"], ["pending,running,waiting,interrupted", "Open"], ["succeeded", "Succeeded"], ["rejected", "Refused"], ["failed", "Failed"], ["cancelled", "Stopped"]];

/** @type {[string, string][]} */
const TASKS = [["", "Every task"], ["ask/1", "Questions"], ["sql/1", "SQL"], ["program/1", "Programs"], ["plan/1", "Plans"], ["solve/1", "Solve"], ["eval/1", "Evaluations"]];

/** A state as a word beside a shape. */
export function stateOf(/** @type {string} */ state) {
  const [kind, picture, word] = STATES[state] ?? ["off", "circle", state];
  return html`<span class=${`state ${kind}`}>${picture ? icon(picture) : html`<span class="dot live" aria-hidden="true"></span>`}${word}</span>`;
}

/** `ask/1` as people call it. */
export function taskOf(/** @type {string} */ task) {
  return task.split("/")[0];
}

/** How long a run took, or has taken until now. */
export function worked(/** @type {any} */ run) {
  const end = run.finished_at ? Date.parse(run.finished_at) : isOver(run.state) ? NaN : Date.now();
  return end - Date.parse(run.created_at);
}

/** @param {import("../main.js").Frame} frame */
export async function show(frame) {
  const { query } = address.here();
  const { signal } = frame;
  const wanted = { state: query.get("state") ?? "", task: query.get("task") ?? "" };
  const asked = (/** @type {string | null} */ cursor) => {
    const parts = new URLSearchParams({ limit: String(LIMIT) });
    if (wanted.state) parts.set("state", wanted.state);
    if (wanted.task) parts.set("task", wanted.task);
    if (cursor) parts.set("cursor", cursor);
    return api.get(`/runs?${parts}`, signal);
  };
  /** @type {import("../../types/api").Runs["runs"]} */
  let runs = [];
  let next = /** @type {string | null} */ (null);

  const list = html`<div></div>`;
  const said = html`<div></div>`;
  const capsule = /** @type {HTMLInputElement} */ (html`<input type="file" accept=".zip,application/zip" class="vh" tabindex="-1" aria-hidden="true">`);
  capsule.addEventListener("change", async () => {
    const file = capsule.files?.[0];
    if (!file) return;
    fill(said, html`<div class="banner" role="status">${icon("clock")}<div><b>Checking ${file.name}</b><p>Each part is held against its hash before the run is taken in.</p></div></div>`);
    const form = new FormData();
    form.append("file", file, file.name);
    try {
      const taken = await api.upload("/runs/import", form);
      toast(taken.was_here ? "It was here before" : "Imported");
      if (!signal.aborted) address.go(`${address.RUNS}/${taken.run}`);
    } catch (error) {
      capsule.value = "";
      if (!signal.aborted) fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  });
  const filters = html`<div class="seg" role="group" aria-label="State">${FILTERS.map(([state, name]) => html`<button type="button" aria-pressed=${String(state === wanted.state)} @click=${() => filter({ state })}>${name}</button>`)}</div>`;
  const tasks = /** @type {HTMLSelectElement} */ (html`<select aria-label="Task" @change=${() => filter({ task: tasks.value })}>${TASKS.map(([task, name]) => html`<option value=${task} selected=${task === wanted.task}>${name}</option>`)}</select>`);
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><h1>Runs</h1><p class="lede">Whatever was asked is a run: recorded step by step, and kept.</p></div><div class="tools"><button type="button" class="btn" @click=${() => capsule.click()}>${icon("upload")}Import a capsule</button>${capsule}</div></div>${said}<div class="filters">${filters}<span class="pick bare-pick">${tasks}${icon("down")}</span></div>${list}</div></main>`);

  function filter(/** @type {{state?: string, task?: string}} */ change) {
    const parts = new URLSearchParams(Object.entries({ ...wanted, ...change }).filter(([, value]) => value));
    address.go(`${address.RUNS}${parts.size ? `?${parts}` : ""}`);
  }

  function draw() {
    if (!runs.length) {
      const isAll = !wanted.state && !wanted.task;
      fill(list, html`<div class="none"><b>${isAll ? "No runs yet" : "No run is like that"}</b><p>${isAll ? "Each question you ask becomes one." : "Choose another state or task."}</p>${isAll ? html`<a class="btn" href="/">Ask a question</a>` : html`<a class="btn" href=${address.RUNS}>Show all</a>`}</div>`);
      return;
    }
    const focused = document.activeElement?.getAttribute("data-run");
    fill(list, html`<ul class="card runlist">${runs.map((run) => html`<li><a href=${`${address.RUNS}/${run.id}`} data-run=${run.id} data-row><span class="what"><b>${(run.title ?? run.task).split("\n")[0]}</b><small>${taskOf(run.task)} · ${moment(run.created_at)} · <code>${run.id.slice(-8)}</code></small></span>${stateOf(run.state)}<span class="ms">${duration(worked(run))}</span></a></li>`)}</ul>`, next ? html`<p class="more"><button type="button" class="btn" @click=${more}>Show earlier ones</button></p>` : null);
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-run="${CSS.escape(focused)}"]`))?.focus();
  }

  async function more() {
    const page = await asked(next);
    runs = [...runs, ...page.runs];
    next = page.next;
    draw();
  }

  const first = await asked(null);
  runs = first.runs;
  next = first.next;
  draw();
  const timer = setInterval(async () => {
    if (signal.aborted) return clearInterval(timer);
    if (document.hidden) return;
    try {
      const page = await asked(null);
      const fresh = new Map(page.runs.map((/** @type {any} */ run) => [run.id, run]));
      const before = JSON.stringify(runs);
      const known = new Set(runs.map((run) => run.id));
      runs = [...page.runs.filter((/** @type {any} */ run) => !known.has(run.id)), ...runs.map((run) => fresh.get(run.id) ?? run)];
      if (JSON.stringify(runs) !== before || runs.some((run) => !isOver(run.state))) draw();
    } catch (error) {
      if (signal.aborted) return;
      clearInterval(timer);
      list.prepend(problemBox(error instanceof Error ? error.message : String(error), null, html`<button type="button" class="btn" @click=${() => address.go(location.pathname + location.search)}>Try again</button>`));
    }
  }, AGAIN_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}
