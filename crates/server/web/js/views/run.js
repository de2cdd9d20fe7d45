// One run as its journal: a timeline of its steps, and whatever one of them took and gave, formatted or raw.

import * as address from "../address.js";
import * as api from "../api.js";
import { block, pretty } from "../code.js";
import { toast } from "../copy.js";
import { fill, html, marked } from "../dom.js";
import { blank, isOver, told as fold, stepWords } from "../fold.js";
import { bytes, count, counted, duration, moment, sentence } from "../format.js";
import { icon, seal } from "../icons.js";
import { LEVELS, tokensOf } from "../known.js";
import { grid } from "../table.js";
import { card, problemBox } from "./answer.js";
import { approval } from "./approval.js";
import { lineOf, messageOf } from "./ask.js";
import { stateOf, taskOf, worked } from "./runs.js";

const TICK_MS = 250;
/** Longer values are shown in part, and whole when raw. */
const VALUE_MAX = 4000;

/**
 * A row of the timeline. The first is what was asked, the last what came of it.
 * @typedef {{id: string, name: string, note: string, kind: "ok" | "bad" | "live" | "off" | "wait", from: number | null, ms: number | null, step: any}} Row
 */

/**
 * @param {import("../main.js").Frame} frame
 * @param {string} id
 */
export async function show(frame, id) {
  const { signal } = frame;
  const { query } = address.here();
  /** @type {import("../../types/api").Run} */
  let run = await api.get(`/runs/${encodeURIComponent(id)}`, signal);
  let picture = blank();
  let chosen = query.get("step") ?? "";
  let isRaw = query.has("raw");
  let notice = /** @type {HTMLElement | null} */ (null);
  let isFollowed = false;
  /** What is asked, as long as it is. */
  let asking = /** @type {{id: string, element: HTMLElement} | null} */ (null);

  const top = html`<div></div>`;
  const figures = html`<dl class="figures"></dl>`;
  const timeline = html`<section class="card timeline" aria-label="Steps"></section>`;
  const detail = html`<section class="card detail" aria-label="The chosen step"></section>`;
  const files = html`<div></div>`;
  frame.place(html`<main id="main" class="main" tabindex="-1" data-view="run"><div class="page">${top}${figures}<div class="split">${timeline}<div class="stack">${detail}${files}</div></div></div></main>`);

  const title = taskOf(run.task) === "program" ? lineOf(messageOf(run)) : (run.title ?? run.task).split("\n")[0];
  frame.title(title);
  document.addEventListener("keydown", onKey, { signal });
  draw();
  if (!isOver(run.state)) follow();

  async function follow() {
    isFollowed = true;
    frame.live(1);
    const timer = setInterval(drawTimes, TICK_MS);
    try {
      await api.follow(run.id, (event) => {
        picture = fold(picture, event);
        if (event.type === "approval.requested" || event.type === "approval.given") reload().catch(() => {});
        else if (["step.started", "step.finished", "run.started", "again"].includes(event.type)) draw();
        else if (event.type === "text.delta" || event.type === "output.chunk") drawWritten();
      }, signal);
      if (!signal.aborted) await reload();
    } catch (error) {
      if (!signal.aborted) say(problemBox(error instanceof Error ? error.message : String(error), null));
    } finally {
      clearInterval(timer);
      isFollowed = false;
      frame.live(-1);
    }
  }

  async function reload() {
    run = await api.get(`/runs/${run.id}`, signal);
    if (isOver(run.state)) picture = blank();
    draw();
  }

  function say(/** @type {HTMLElement | null} */ what) {
    notice = what;
    drawTop();
  }

  /**
   * Does something to the run, and says what came of it.
   * @param {string} what
   * @param {unknown} [body]
   */
  async function act(what, body) {
    try {
      const answered = await api.post(`/runs/${run.id}/${what}`, body);
      if (what === "fork") return address.go(`${address.RUNS}/${answered.id}`);
      if (what === "replay") return say(replayed(answered.replay));
      toast({ cancel: "Stopping", resume: "Going on" }[what] ?? "Done");
      await reload();
      if (!isOver(run.state) && what === "resume" && !isFollowed) follow();
    } catch (error) {
      if (signal.aborted) return;
      say(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  }

  function draw() {
    drawTop();
    drawFigures();
    drawTimeline();
    drawDetail();
    drawFiles();
  }

  /** The same box as long as the same is asked, so that no button is taken from under the pointer. */
  function question() {
    const asked = run.state === "waiting" ? run.questions[0] : undefined;
    if (!asked) asking = null;
    else if (asking?.id !== asked.id) asking = { id: asked.id, element: approval(run.id, asked, () => reload().catch(() => {})) };
    return asking?.element ?? null;
  }

  function drawTop() {
    const data = run.input?.data?.names ?? run.input?.data ?? [];
    const isOpen = !isOver(run.state);
    const canResume = ["interrupted", "cancelled"].includes(run.state) || (run.state === "failed" && Boolean(run.problem));
    const isSolve = taskOf(run.task) === "solve";
    const mine = ["ask", "sql", "program"].includes(taskOf(run.task)) && data[0];
    fill(top, html`<div class="head"><div class="grow"><nav class="crumbs" aria-label="Where this is"><a href=${address.RUNS}>Runs</a><span aria-hidden="true">/</span><code>${run.id.slice(-8)}</code><span class="tag">${taskOf(run.task)}</span>${[data].flat().filter((/** @type {unknown} */ each) => typeof each === "string").map((/** @type {string} */ each) => html`<a class="tag" href=${`${address.DATA}/${encodeURIComponent(each)}`}>${each}</a>`)}</nav><h1>${title}</h1></div><div class="tools">${mine ? html`<a class="btn" href=${`${address.ASK}?data=${encodeURIComponent(data[0])}&runs=${run.id}`}>${icon("ask")}Show in Ask</a>` : null}${mine && !isOpen ? html`<button type="button" class="btn" @click=${() => { choose("request"); detail.querySelector("textarea")?.focus(); }}>${icon("edit")}Edit and run again</button>` : null}${isSolve ? html`<a class="btn" href=${`${address.SOLVE}/${run.id}`}>${icon("solve")}Show in Solve</a>` : null}<a class="btn" download href=${`/runs/${run.id}/capsule`}>${icon("download")}Capsule</a>${isOpen ? null : html`<a class="btn" href=${`${address.RUNS}/${run.id}?with=${run.forked_from?.run ?? ""}`}>Compare</a>`}${isOpen ? null : html`<button type="button" class="btn" @click=${() => act("replay")}>${icon("again")}Replay</button>`}${canResume ? html`<button type="button" class="btn" @click=${() => act("resume")}>Resume</button>` : null}${isOpen ? html`<button type="button" class="btn stop" @click=${() => act("cancel")}>${icon("stop")}Stop</button>` : null}</div></div>`, question(), notice);
  }

  function drawFigures() {
    const cost = run.output?.model?.cost;
    const steps = run.steps.length || picture.steps.length;
    const again = run.steps.reduce((/** @type {number} */ sum, /** @type {any} */ step) => sum + Math.max(0, step.attempts - 1), 0);
    const known = run.output?.known?.level;
    const isolation = run.output?.isolation?.tier;
    /** @type {[string, any, any][]} */
    const all = [
      ["State", stateOf(picture.state === "running" && !isOver(run.state) ? "running" : run.state), null],
      ["Took", html`<span data-worked>${duration(worked(run))}</span>`, null],
      ["Steps", String(steps), again ? counted(again, "retry", "retries") : null],
      ["Known", known ? LEVELS[known] : null, null],
      ["Tokens", cost ? count(tokensOf(cost)) : null, cost ? counted(cost.calls, "call") : null],
      ["Cost", cost?.usd !== null && cost?.usd !== undefined ? `${cost.usd.toFixed(4)} USD` : null, null],
      ["Isolation", isolation ?? null, isolation ? "no network" : null],
      ["Began", moment(run.created_at), null],
      ["Forked from", run.forked_from ? html`<a href=${`${address.RUNS}/${run.forked_from.run}`}><code>${run.forked_from.run.slice(-8)}</code></a>` : null, run.forked_from ? `after ${counted(run.forked_from.step, "step")}` : null],
    ];
    fill(figures, all.filter(([, value]) => value).map(([name, value, more]) => html`<div><dt>${name}</dt><dd>${value}${more ? html`<small> ${more}</small>` : null}</dd></div>`));
  }

  function drawTimes() {
    const place = figures.querySelector("[data-worked]");
    if (place) place.textContent = duration(worked(run));
    for (const each of timeline.querySelectorAll("[data-since]")) each.textContent = duration(Math.max(1, Date.now() - Number(each.getAttribute("data-since"))));
  }

  /** @returns {Row[]} */
  function rows() {
    const begin = Date.parse(run.created_at);
    /** @type {Row[]} */
    const all = [{ id: "request", name: "Request", note: taskOf(run.task), kind: "off", from: null, ms: null, step: null }];
    /** @type {any[]} what is recorded, or what was heard of since */
    const steps = picture.steps.length > run.steps.length ? picture.steps : run.steps;
    for (const step of steps) {
      const isLive = step.state === "live";
      const ms = step.duration_ms ?? step.ms ?? null;
      const from = step.finished_at ? Date.parse(step.finished_at) - (ms ?? 0) - begin : step.began ? step.began - begin : null;
      all.push({ id: String(step.index), name: stepWords(step.name, !isLive), note: noteOf(step), kind: isLive ? "live" : step.state === "ok" && !isUnwell(step.output) ? "ok" : "bad", from, ms, step });
    }
    if (isOver(run.state)) {
      const isBad = run.state === "failed";
      all.push({ id: "result", name: run.state === "cancelled" ? "Stopped" : isBad ? "Failed" : "Result", note: resultNote(run), kind: isBad ? "bad" : run.state === "succeeded" ? "ok" : "off", from: null, ms: null, step: null });
    }
    return all;
  }

  function selected(/** @type {Row[]} */ all) {
    return all.find((row) => row.id === chosen) ?? all.find((row) => row.kind === "bad" && row.step) ?? all.findLast((row) => row.kind === "live") ?? all[all.length - 1];
  }

  function drawTimeline() {
    const all = rows();
    const total = Math.max(worked(run), 1);
    const now = selected(all);
    const hadFocus = timeline.contains(document.activeElement);
    const bar = (/** @type {Row} */ row) => {
      if (row.from === null) return html`<span></span>`;
      const from = Math.max(0, Math.min(99, (row.from / total) * 100));
      const width = Math.max(0.8, Math.min(100 - from, ((row.ms ?? Math.max(0, Date.now() - Date.parse(run.created_at) - row.from)) / total) * 100));
      const kind = row.kind === "bad" ? "bad" : row.kind === "live" ? "live" : row.step?.name === "model" ? "live" : "calm";
      return html`<svg class="hbar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"></rect><rect class=${kind} x=${`${from.toFixed(2)}%`} width=${`${width.toFixed(2)}%`} height="100%" rx="2"></rect></svg>`;
    };
    const mark = (/** @type {Row} */ row) => row.kind === "live" ? html`<span class="dot live" aria-hidden="true"></span>` : icon({ ok: "check", bad: "cross", off: row.id === "request" ? "ask" : "circle", wait: "warn" }[row.kind] ?? "circle", row.kind);
    fill(timeline,
      html`<div class="rowhead"><span></span><span>Step</span><span>${duration(total)}</span><span class="ms">Time</span></div>`,
      html`<div role="listbox" aria-label="Steps">${all.map((row) => html`<button type="button" role="option" class="trow" data-row data-id=${row.id} data-kind=${row.kind} aria-selected=${String(row.id === now.id)} tabindex=${row.id === now.id ? 0 : -1} @click=${() => choose(row.id)}>${mark(row)}<span class="t"><b>${row.name}</b>${row.note ? html`<small>${row.note}</small>` : null}</span>${bar(row)}<span class="ms" data-since=${row.kind === "live" ? row.step.began : null}>${row.ms === null ? "" : duration(row.ms)}</span></button>`)}</div>`,
      html`<div class="legend hide-narrow"><span><kbd>j</kbd> <kbd>k</kbd> step</span><span><kbd>f</kbd> next failed</span><span><kbd>r</kbd> raw</span></div>`,
    );
    if (hadFocus) /** @type {HTMLElement | null} */ (timeline.querySelector('[aria-selected="true"]'))?.focus({ preventScroll: true });
  }

  function choose(/** @type {string} */ id, takeFocus = false) {
    chosen = id;
    note();
    drawTimeline();
    drawDetail();
    if (takeFocus) /** @type {HTMLElement | null} */ (timeline.querySelector('[aria-selected="true"]'))?.focus();
  }

  function note() {
    const parts = new URLSearchParams();
    if (chosen) parts.set("step", chosen);
    if (isRaw) parts.set("raw", "");
    address.note(`${address.RUNS}/${run.id}${parts.size ? `?${parts}` : ""}`);
  }

  function raw(/** @type {boolean} */ now) {
    isRaw = now;
    note();
    drawDetail();
  }

  function drawDetail() {
    const row = selected(rows());
    const value = row.id === "request" ? run.input : row.id === "result" ? { output: run.output, problem: run.problem } : row.step;
    const seg = html`<div class="seg" role="group" aria-label="How it is shown"><button type="button" aria-pressed=${String(!isRaw)} @click=${() => raw(false)}>Formatted</button><button type="button" aria-pressed=${String(isRaw)} @click=${() => raw(true)}>Raw</button></div>`;
    fill(detail, html`<div class="cap"><h2>${row.name}</h2><span class="grow"></span>${seg}</div>`, html`<div class="in">${isRaw ? block(pretty(value), "json", { label: "Raw" }) : formatted(row)}</div>`);
  }

  function drawWritten() {
    const place = detail.querySelector("[data-written]");
    const step = picture.steps[picture.steps.length - 1];
    if (place) place.textContent = step?.text || picture.printed;
  }

  /** @param {Row} row */
  function formatted(row) {
    if (row.id === "request") return html`<div class="codes">${again()}${keyValues(run.input)}</div>`;
    if (row.id === "result") {
      if (!run.output && run.problem) return problemBox(run.problem.message, run.problem.hint);
      const dataset = run.input?.data?.names?.[0] ?? run.input?.data?.[0] ?? "";
      if (!["answer", "sql", "execution"].includes(run.output?.kind) && run.state !== "cancelled") return html`<div class="codes">${run.output ? value(run.output) : html`<p class="soft">It gave nothing.</p>`}</div>`;
      const there = (/** @type {string} */ message) => address.go(`${address.ASK}?data=${encodeURIComponent(dataset)}&ask=${encodeURIComponent(message)}`);
      return html`<div class="inner">${card({ run: run.id, message: messageOf(run), dataset, state: run.state, output: run.output, problem: run.problem, face: "" }, { ask: there, write: there, face: () => {} })}</div>`;
    }
    const { step } = row;
    if (row.kind === "live") return html`<div class="codes"><p class="soft">It goes on. What it writes stands here.</p><pre class="code" tabindex="0" data-written>${step.text || picture.printed}</pre></div>`;
    const record = run.steps.find((/** @type {any} */ each) => each.index === step.index) ?? step;
    /** @type {[string, any][]} */
    const about = [["Step", `${record.index + 1}, ${record.name}`], ["Took", duration(record.duration_ms ?? record.ms ?? NaN)], ["Attempts", record.attempts > 1 ? String(record.attempts) : null], ["Finished", record.finished_at ? moment(record.finished_at) : null], ["Input", record.input_hash ? html`<code>${record.input_hash.slice(0, 16)}</code>` : null], ["Output", record.output_hash ? html`<code>${record.output_hash.slice(0, 16)}</code>` : null]];
    const request = record.request ? run.artifacts.find((/** @type {any} */ file) => file.sha256 === record.request) : null;
    if (request) about.push(["Prompt", html`<a download href=${`/runs/${run.id}/artifacts/${encodeURIComponent(request.name)}`}>${request.name}, ${bytes(request.bytes)}</a>`]);
    const fork = isOver(run.state) ? html`<div class="tools"><button type="button" class="btn" @click=${() => act("fork", { from_step: record.index })}>${icon("fork")}Fork from here</button></div>` : null;
    return html`<div class="codes"><dl class="kv">${about.filter(([, said]) => said).map(([name, said]) => [html`<dt>${name}</dt>`, html`<dd>${said}</dd>`])}</dl>${output(record.output)}${fork}</div>`;
  }

  /** What was asked, to be changed and run as a new run, which is then shown beside this one. */
  function again() {
    const task = taskOf(run.task);
    const data = run.input?.data?.names?.[0] ?? run.input?.data?.[0];
    const field = { ask: "question", sql: "sql", program: "code" }[task];
    if (!field || typeof run.input?.[field] !== "string" || (task !== "program" && typeof data !== "string")) return null;
    const area = /** @type {HTMLTextAreaElement} */ (html`<textarea class=${`field ${task === "ask" ? "" : "mono"}`} rows=${Math.min(16, run.input[field].split("\n").length + 1)} aria-label=${{ ask: "The question", sql: "The statement", program: "The program" }[task]} spellcheck=${task === "ask" ? "true" : "false"}></textarea>`);
    area.value = run.input[field];
    const said = html`<div></div>`;
    const button = /** @type {HTMLButtonElement} */ (html`<button type="submit" class="btn solid">Run as a new run</button>`);
    const form = html`<form class="stack">${area}${said}<div class="tools">${button}<span class="quiet tiny">This one stays, and the two are compared.</span></div></form>`;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!area.value.trim()) return area.focus();
      button.disabled = true;
      const input = task === "ask" ? { dataset_id: data, message: area.value, no_cache: true } : task === "sql" ? { dataset_id: data, sql: area.value } : { ...(typeof data === "string" ? { dataset_id: data } : {}), code: area.value, guard: run.input.guard ?? false };
      try {
        const begun = await api.post("/runs", { task: task === "program" ? "python" : task, input });
        address.go(`${address.RUNS}/${begun.run_id}?with=${run.id}`);
      } catch (error) {
        button.disabled = false;
        if (!signal.aborted) fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
      }
    });
    return form;
  }

  function drawFiles() {
    if (!run.artifacts.length) return fill(files);
    fill(files, html`<section class="card"><div class="cap"><h2>Files</h2><span class="tag">${run.artifacts.length}</span></div><ul class="filelist">${run.artifacts.map((/** @type {any} */ file) => html`<li>${icon("file")}<a download href=${`/runs/${run.id}/artifacts/${file.name.split("/").map(encodeURIComponent).join("/")}`}>${file.name}</a><small>${bytes(file.bytes)}</small></li>`)}</ul></section>`);
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
    const inList = timeline.contains(/** @type {Node} */ (event.target));
    if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const all = rows();
    const at = all.indexOf(/** @type {Row} */ (all.find((row) => row.id === selected(all).id)));
    const to = (/** @type {Row | undefined} */ row) => {
      if (!row) return;
      event.preventDefault();
      choose(row.id, true);
    };
    if (event.key === "j" || (inList && event.key === "ArrowDown")) to(all[at + 1]);
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) to(all[at - 1]);
    else if (inList && event.key === "Home") to(all[0]);
    else if (inList && event.key === "End") to(all[all.length - 1]);
    else if (event.key === "f") to(all.find((row, index) => index > at && row.kind === "bad") ?? all.find((row) => row.kind === "bad"));
    else if (event.key === "r") raw(!isRaw);
  }
}

/** What came of a step, in a few words. */
function noteOf(/** @type {any} */ step) {
  const { output } = step;
  const retried = step.attempts > 1 ? `${step.attempts} attempts; ` : "";
  if (step.state === "live") return "";
  if (step.said) return retried + step.said;
  if (output?.problem?.message) return retried + output.problem.message;
  if (output?.error?.message) return `${retried}${output.outcome ?? "failed"}: ${output.error.message.split("\n")[0]}`;
  if (output?.table) return `${retried}${counted(output.table.row_count, "row")}, ${counted(output.table.columns.length, "column")}`;
  if (output?.Ok?.level) return `${retried}${output.Ok.level}`;
  if (output?.tokens) return `${retried}${count(output.tokens.input ?? 0)} tokens in, ${count(output.tokens.output ?? 0)} out`;
  return retried + (output?.outcome ?? "");
}

/** Whether what a step gave tells of a failure. */
function isUnwell(/** @type {any} */ output) {
  return Boolean(output && typeof output === "object" && ["failed", "killed", "lost", "refused"].includes(output.outcome));
}

/** @param {import("../../types/api").Run} run */
function resultNote(run) {
  const text = run.output?.sentence ?? run.output?.refusal?.message ?? run.output?.error?.message ?? run.problem?.message ?? "";
  return text.split("\n")[0];
}

/** @param {import("../../types/api").Replay | undefined} replay */
function replayed(replay) {
  if (replay?.same) return html`<div class="banner ok" role="status">${icon("check")}<div><b>The same</b><p>The code, run against what was recorded, took ${counted(replay.steps, "step")} to the same end.</p></div></div>`;
  return html`<div class="banner" role="status">${icon("warn")}<div><b>Not the same</b><p>${marked(sentence(replay?.difference?.message ?? "the replay went another way"))}</p></div></div>`;
}

/** What a step gave, as people read it. */
function output(/** @type {any} */ given) {
  if (given === null || given === undefined) return html`<p class="soft">Its output is kept apart; see Raw.</p>`;
  if (given?.Ok?.level) return html`<div class=${`known only ${given.Ok.level}`}>${seal(given.Ok.level)}<div><b>${LEVELS[given.Ok.level]}</b> <span class="why">${sentence(given.Ok.note)}</span></div></div>`;
  if (typeof given === "string") return block(given, "text");
  if (typeof given !== "object") return value(given);
  const { table, error, text, stdout, stderr, usage, isolation, result, ...rest } = given;
  const parts = [];
  if (error) parts.push(html`<div class="msg"><header><b>${error.type ?? "Error"}</b>${error.line ? html`<span>line ${error.line}</span>` : null}</header>${block(error.traceback || error.message || "", "text", { label: "Error" })}</div>`);
  if (typeof text === "string") parts.push(html`<div class="msg"><header><b>Reply</b></header>${block(text, "text", { label: "Reply" })}</div>`);
  if (table?.columns) parts.push(html`<div class="framed">${grid(table)}</div>`);
  if (stdout) parts.push(html`<div class="msg"><header><b>Printed</b></header>${block(stdout, "text", { label: "Printed" })}</div>`);
  if (result && result.kind !== "none") parts.push(result.table?.columns ? html`<div class="framed">${grid(result.table)}</div>` : block(pretty(result), "json", { label: "Result" }));
  // A traceback that stands above is not shown twice.
  if (stderr && !(error?.traceback && stderr.includes(error.traceback))) parts.push(html`<div class="msg"><header><b>Error output</b></header>${block(stderr, "text", { label: "Error output" })}</div>`);
  const more = Object.fromEntries(Object.entries(rest).filter(([, said]) => said !== null && said !== false && said !== 0 && !(Array.isArray(said) && !said.length)));
  if (usage?.wall_ms) more.used = `${duration(usage.wall_ms)}, ${duration(usage.cpu_ms)} of a processor, ${bytes(usage.memory_peak_bytes)} at most`;
  if (isolation) more.isolation = `${isolation.tier}, memory by ${isolation.memory}, ${isolation.warm ? "a warm kernel" : "a fresh kernel"}`;
  if (Object.keys(more).length) parts.push(keyValues(more));
  return parts;
}

/**
 * @param {any} object
 * @returns {import("../dom.js").Content}
 */
function keyValues(object) {
  if (!object || typeof object !== "object") return value(object);
  const LANGUAGE = /** @type {Record<string, import("../code.js").Language>} */ ({ sql: "sql", code: "python" });
  const short = Object.entries(object).filter(([name, said]) => !(name in LANGUAGE) && (said === null || typeof said !== "object") && String(said).length < 200);
  const long = Object.entries(object).filter(([name, said]) => !short.some(([other]) => other === name) && said !== null);
  return [
    short.length ? html`<dl class="kv">${short.map(([name, said]) => [html`<dt>${name.replaceAll("_", " ")}</dt>`, html`<dd>${said === null ? html`<i class="quiet">empty</i>` : /^[0-9a-f]{64}$/.test(String(said)) ? html`<code>${String(said).slice(0, 16)}</code>` : typeof said === "number" && /_ms$/.test(name) ? duration(said) : typeof said === "number" && /bytes/.test(name) ? bytes(said) : String(said)}</dd>`])}</dl>` : null,
    ...long.map(([name, said]) => html`<div class="msg"><header><b>${name.replaceAll("_", " ")}</b></header>${typeof said === "string" ? block(said.slice(0, VALUE_MAX), LANGUAGE[name] ?? "text", { label: name }) : block(pretty(said).slice(0, VALUE_MAX), "json", { label: name })}</div>`),
  ];
}

/**
 * @param {any} said
 * @returns {import("../dom.js").Content}
 */
function value(said) {
  return typeof said === "object" && said ? keyValues(said) : block(String(said), "text");
}
