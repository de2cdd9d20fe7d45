// One run as its journal: a timeline of its steps, and whatever one of them took and gave, formatted or raw.

import * as address from "../address.js";
import * as api from "../api.js";
import { block, pretty } from "../code.js";
import { toast } from "../copy.js";
import { fill, html, marked, svg } from "../dom.js";
import { blank, isOver, told as fold, stepWords } from "../fold.js";
import { bytes, count, counted, duration, moment, sentence } from "../format.js";
import { icon } from "../icons.js";
import { entries, isUnwell } from "../journal.js";
import { LEVELS, tokensOf } from "../known.js";
import { card, problemBox } from "./answer.js";
import { approval } from "./approval.js";
import { lineOf, messageOf } from "./ask.js";
import { stateOf, taskOf, worked } from "./runs.js";
import { keyValues, noteOf, output, prompt, ran, reply, value } from "./step.js";

const TICK_MS = 250;

/**
 * A row of the timeline. The first is what was asked, the last what came of it; attempts stand under what they are at.
 * @typedef {{id: string, name: string, note: string, kind: "ok" | "bad" | "live" | "off" | "again", level: "step" | "group" | "attempt", bars: Bar[], ms: number | null, steps: any[]}} Row
 * @typedef {{from: number, ms: number | null, kind: string}} Bar
 */

const ATTEMPTS = ["First", "Second", "Third", "Fourth", "Fifth"];

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
    fill(top, html`<div class="head over"><nav class="crumbs grow" aria-label="Where this is"><a href=${address.RUNS}>Runs</a><span aria-hidden="true">/</span><code>${run.id.slice(-8)}</code><span class="tag">${taskOf(run.task)}</span>${[data].flat().filter((/** @type {unknown} */ each) => typeof each === "string").map((/** @type {string} */ each) => html`<a class="tag" href=${`${address.DATA}/${encodeURIComponent(each)}`}>${each}</a>`)}</nav><div class="tools">${mine ? html`<a class="btn" href=${`${address.ASK}?data=${encodeURIComponent(data[0])}&runs=${run.id}`}>${icon("ask")}Show in Ask</a>` : null}${mine && !isOpen ? html`<button type="button" class="btn" @click=${() => { choose("request"); detail.querySelector("textarea")?.focus(); }}>${icon("edit")}Edit and run again</button>` : null}${isSolve ? html`<a class="btn" href=${`${address.SOLVE}/${run.id}`}>${icon("solve")}Show in Solve</a>` : null}<a class="btn" download href=${`/runs/${run.id}/capsule`}>${icon("download")}Capsule</a>${isOpen ? null : html`<a class="btn" href=${`${address.RUNS}/${run.id}?with=${run.forked_from?.run ?? ""}`}>Compare</a>`}${isOpen ? null : html`<button type="button" class="btn" @click=${() => act("replay")}>${icon("again")}Replay</button>`}${canResume ? html`<button type="button" class="btn" @click=${() => act("resume")}>Resume</button>` : null}${isOpen ? html`<button type="button" class="btn stop" @click=${() => act("cancel")}>${icon("stop")}Stop</button>` : null}</div><h1>${title}</h1></div>`, question(), notice);
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
    const plain = { level: /** @type {const} */ ("step"), bars: [], ms: null, steps: [] };
    /** @type {Row[]} */
    const all = [{ ...plain, id: "request", name: "Request", note: taskOf(run.task), kind: "off" }];
    /** @type {any[]} what is recorded, or what was heard of since */
    const steps = picture.steps.length > run.steps.length ? picture.steps : run.steps;
    for (const entry of entries(steps)) {
      const last = entry.steps[entry.steps.length - 1];
      const isLive = last.state === "live";
      const isBad = last.state === "failed" || isUnwell(last.output);
      const times = entry.steps.map(msOf);
      const row = { bars: entry.steps.flatMap(barOf), ms: isLive ? null : times.reduce((sum, each) => sum + each, 0), steps: entry.steps, level: entry.kind };
      if (entry.kind === "group") all.push({ ...row, id: `group-${entry.steps[0].index}`, name: isLive ? "Writing and running code" : "Wrote and ran code", note: counted(entry.number, "attempt"), kind: isLive ? "live" : isBad ? "bad" : "again" });
      else if (entry.kind === "attempt") all.push({ ...row, id: String(last.index), name: `${ATTEMPTS[entry.number - 1] ?? `${entry.number}th`} attempt`, note: noteOf(last), kind: isLive ? "live" : isBad ? "bad" : "ok" });
      else all.push({ ...row, id: String(last.index), name: stepWords(last.name, !isLive, taskOf(run.task)), note: noteOf(last), kind: isLive ? "live" : isBad ? "bad" : "ok" });
    }
    if (isOver(run.state)) {
      const isBad = run.state === "failed";
      all.push({ ...plain, id: "result", name: run.state === "cancelled" ? "Stopped" : isBad ? "Failed" : "Result", note: resultNote(run), kind: isBad ? "bad" : run.state === "succeeded" ? "ok" : "off" });
    }
    return all;
  }

  /** When a step was at work, from the run's beginning. @returns {Bar[]} */
  function barOf(/** @type {any} */ step) {
    const begin = Date.parse(run.created_at);
    const ms = step.duration_ms ?? step.ms ?? null;
    const from = step.finished_at ? Date.parse(step.finished_at) - (ms ?? 0) - begin : step.began ? step.began - begin : null;
    const kind = step.state === "failed" || isUnwell(step.output) ? "bad" : step.state === "live" || step.name === "model" ? "live" : "calm";
    return from === null ? [] : [{ from, ms, kind }];
  }

  function selected(/** @type {Row[]} */ all) {
    // What was written in an attempt is shown with what became of it.
    const holds = (/** @type {Row} */ row) => row.level !== "group" && row.steps.some((step) => String(step.index) === chosen);
    return all.find((row) => row.id === chosen) ?? all.find(holds) ?? firstBad(all) ?? all.findLast((row) => row.kind === "live") ?? all[all.length - 1];
  }

  function drawTimeline() {
    const all = rows();
    const total = Math.max(worked(run), 1);
    const now = selected(all);
    const hadFocus = timeline.contains(document.activeElement);
    const bar = (/** @type {Row} */ row) => {
      if (!row.bars.length) return html`<span></span>`;
      const drawing = html`<svg class="hbar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"></rect></svg>`;
      drawing.append(...row.bars.map(({ from, ms, kind }) => {
        const begin = Math.max(0, Math.min(99, (from / total) * 100));
        const width = Math.max(0.8, Math.min(100 - begin, ((ms ?? Math.max(0, Date.now() - Date.parse(run.created_at) - from)) / total) * 100));
        return svg`<rect class=${kind} x=${`${begin.toFixed(2)}%`} width=${`${width.toFixed(2)}%`} height="100%" rx="1"></rect>`;
      }));
      return drawing;
    };
    const mark = (/** @type {Row} */ row) => row.kind === "live" ? html`<span class="dot live" aria-hidden="true"></span>` : icon({ ok: "check", bad: "cross", again: "again", off: row.id === "request" ? "ask" : "circle" }[row.kind] ?? "circle", row.kind);
    fill(timeline,
      html`<div class="rowhead"><span></span><span>Step</span><span>${duration(total)}</span><span class="ms">Time</span></div>`,
      html`<div role="listbox" aria-label="Steps">${all.map((row) => html`<button type="button" role="option" class=${`trow ${row.level}`} data-row data-id=${row.id} data-kind=${row.kind} aria-selected=${String(row.id === now.id)} tabindex=${row.id === now.id ? 0 : -1} @click=${() => choose(row.id)}>${mark(row)}<span class="t"><b>${row.name}</b>${row.note ? html`<small>${row.note}</small>` : null}</span>${bar(row)}<span class="ms" data-since=${row.kind === "live" ? row.steps[row.steps.length - 1].began : null}>${row.ms === null ? "" : duration(row.ms)}</span></button>`)}</div>`,
      html`<div class="legend"><span class="key live">model</span><span class="key calm">own work</span><span class="key bad">failed</span></div>`, html`<div class="legend hide-narrow"><span><kbd>j</kbd> <kbd>k</kbd> step</span><span><kbd>f</kbd> next failed</span><span><kbd>r</kbd> raw</span></div>`,
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
    const whole = row.id === "request" ? run.input : row.id === "result" ? { output: run.output, problem: run.problem } : row.steps.length === 1 ? row.steps[0] : row.steps;
    const seg = html`<div class="seg" role="group" aria-label="How it is shown"><button type="button" aria-pressed=${String(!isRaw)} @click=${() => raw(false)}>Formatted</button><button type="button" aria-pressed=${String(isRaw)} @click=${() => raw(true)}>Raw</button></div>`;
    fill(detail, html`<div class="cap"><h2>${row.name}</h2><span class="grow"></span>${seg}</div>`, html`<div class="in">${isRaw ? [block(pretty(whole), "json", { label: "Raw" }), row.level === "group" ? null : row.steps.map(rawPrompt)] : formatted(row)}</div>`);
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
    if (row.level === "group") return html`<div class="codes"><p class="soft">What was written did not hold at once. Each attempt was told what went wrong with the one before.</p><ol class="tries">${rows().filter((each) => each.level === "attempt" && row.steps.includes(each.steps[0])).map((each) => html`<li><button type="button" class="chip" @click=${() => choose(each.id, true)}>${icon(each.kind === "bad" ? "cross" : each.kind === "ok" ? "check" : "clock", each.kind)}${each.name}</button><span class="soft small">${each.note}</span></li>`)}</ol></div>`;
    const step = row.steps[row.steps.length - 1];
    if (row.kind === "live") return html`<div class="codes"><p class="soft">It goes on. What it writes stands here.</p><pre class="code" tabindex="0" data-written>${step.text || picture.printed}</pre></div>`;
    const records = row.steps.map((each) => run.steps.find((/** @type {any} */ known) => known.index === each.index) ?? each);
    const [first, record] = [records[0], records[records.length - 1]];
    /** @type {[string, any][]} */
    const about = [["Step", records.map((each) => `${each.index + 1}, ${each.name}`).join("; ")], ["Took", duration(records.reduce((sum, each) => sum + msOf(each), 0))], ["Attempts", record.attempts > 1 ? String(record.attempts) : null], ["Finished", record.finished_at ? moment(record.finished_at) : null], ["Input", record.input_hash ? html`<code>${record.input_hash.slice(0, 16)}</code>` : null], ["Output", record.output_hash ? html`<code>${record.output_hash.slice(0, 16)}</code>` : null]];
    const fork = isOver(run.state) ? html`<div class="tools"><button type="button" class="btn" @click=${() => act("fork", { from_step: first.index })}>${icon("fork")}Fork from here</button></div>` : null;
    const isWritten = first.name === "model" && typeof first.output?.text === "string";
    const parts = isWritten ? [prompt(run.id, requestOf(first), first.output), reply(first.output, record === first ? null : record.output), record === first ? null : ran(record.output)] : output(record.output);
    return html`<div class="codes"><dl class="kv">${about.filter(([, said]) => said).map(([name, said]) => [html`<dt>${name}</dt>`, html`<dd>${said}</dd>`])}</dl>${parts}${fork}</div>`;
  }

  /** The file that holds what a model was sent. */
  function requestOf(/** @type {any} */ step) {
    return step.request ? run.artifacts.find((/** @type {any} */ file) => file.sha256 === step.request) : undefined;
  }

  function rawPrompt(/** @type {any} */ step) {
    const file = requestOf(step);
    if (!file) return null;
    const place = html`<div class="rawprompt"></div>`;
    api.get(`/runs/${run.id}/artifacts/${encodeURIComponent(file.name)}`).then((request) => fill(place, html`<h3>${file.name}</h3>`, block(pretty(request), "json", { label: "The request, raw" })), () => {});
    return place;
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

/** The first that failed: an attempt, where attempts did. */
function firstBad(/** @type {Row[]} */ all) {
  return all.find((row) => row.kind === "bad" && row.steps.length && row.level !== "group");
}

/** @returns {number} */
function msOf(/** @type {any} */ step) {
  return step.duration_ms ?? step.ms ?? 0;
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
