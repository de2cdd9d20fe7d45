// One task on its way: the loop as it goes round, each program with what came of it, what speaks for the last, what is left of
// the budget. While it goes on the document tells what was done, and the events what happens now.

import * as address from "../address.js";
import * as api from "../api.js";
import { block, changedBlock, remarksOf } from "../code.js";
import { copied, menu, saved } from "../copy.js";
import { changed, changes } from "../diff.js";
import { fill, html, marked } from "../dom.js";
import { blank, isOver, told as fold } from "../fold.js";
import { count, counted, duration, quoted, sentence } from "../format.js";
import { icon, seal } from "../icons.js";
import { tokensOf } from "../known.js";
import { problemBox } from "./answer.js";
import { approval } from "./approval.js";
import { lessonRow } from "./lessons.js";

const TICK_MS = 200;
const TITLE_MAX = 72;
const LOOP = ["Recall", "Plan", "Code", "Check", "Run", "Verify"];

/** @type {Record<string, string>} what is done where in the loop */
const WORDS = { Recall: "Looking for what was learned before", Plan: "The model is planning", Code: "The model is writing", Check: "Waiting for you", Run: "Running it against what decides", Verify: "Keeping what was learned", Reflect: "The model looks at what went wrong" };

/** @type {Record<string, [string, string]>} */
const EVIDENCE = {
  tests: ["Your tests", "these decide"],
  examples: ["Examples in the task", "these decide"],
  self_tests: ["Tests it wrote itself", "a hint, never a proof"],
  types: ["Types", "what the code says of itself"],
};

/** @type {Record<string, [string, string, string]>} by verdict: level, word, reason where the evidence has none */
const VERDICTS = {
  verified: ["verified", "Verified", "what decides was executed and holds"],
  no_evidence: ["unverified", "Unverified", "it ran, and there was nothing to hold it against"],
  failed: ["broke", "Failed", "nothing that was tried holds"],
};

/**
 * @param {import("../main.js").Frame} frame
 * @param {string} id
 */
export async function show(frame, id) {
  const { signal } = frame;
  let run = await api.get(`/runs/${encodeURIComponent(id)}`, signal);
  if (!String(run.task).startsWith("solve/")) return address.go(`${address.RUNS}/${run.id}`);
  let picture = blank();
  /** @type {number | null} which try is looked at; the last where none was chosen */
  let chosen = null;
  let isWhole = false;
  let said = /** @type {HTMLElement | null} */ (null);
  let reading = /** @type {Promise<void> | null} */ (null);
  let isStale = false;
  /** @type {Map<string, any>} */
  const lessons = new Map();

  const top = html`<div></div>`;
  const now = html`<div></div>`;
  const code = html`<section class="card"></section>`;
  const came = html`<div class="stack"></div>`;
  const tests = html`<div></div>`;
  const evidence = html`<section class="card" aria-label="Evidence"></section>`;
  const tries = html`<section class="card" aria-label="Iterations"></section>`;
  const plan = html`<div></div>`;
  const used = html`<div></div>`;
  const budget = html`<section class="card" aria-label="Budget"></section>`;
  frame.place(html`<main id="main" class="main" tabindex="-1" data-view="solving"><div class="page">${top}${now}<div class="solvegrid"><div class="stack">${code}${came}${tests}</div><div class="stack">${evidence}${tries}${plan}${used}${budget}</div></div></div></main>`);
  frame.title(titleOf(run));
  document.addEventListener("keydown", onKey, { signal });

  /** What is known of it: of one that goes on its state, of one that is over its document. */
  const state = () => run.output?.kind === "solution" ? run.output : run.progress ?? {};
  const history_ = () => /** @type {any[]} */ (state().history ?? []);
  const isLive = () => !isOver(run.state) && !isOver(picture.state) && run.state !== "interrupted";
  const task = () => String(run.input?.task ?? "");

  draw();
  learn();
  if (isLive()) follow();

  /** Reads the document again; what comes in meanwhile is read once more. */
  function refresh() {
    isStale = true;
    return (reading ??= read().finally(() => { reading = null; }));
  }

  async function read() {
    try {
      while (isStale) {
        isStale = false;
        run = await api.get(`/runs/${run.id}`, signal);
      }
      draw();
      if (isOver(run.state)) learn();
    } catch (error) {
      if (!signal.aborted) complain(error);
    }
  }

  async function follow() {
    frame.live(1);
    const timer = setInterval(tick, TICK_MS);
    try {
      await api.follow(run.id, (event) => {
        picture = fold(picture, event);
        if (event.type === "text.delta") return drawWriting();
        drawNow();
        if (["solve.state", "step.finished", "approval.requested", "approval.given"].includes(event.type)) refresh();
      }, signal);
      if (signal.aborted) return;
      await refresh();
      frame.say(sentence(spoken()));
    } catch (error) {
      if (!signal.aborted) complain(error);
    } finally {
      clearInterval(timer);
      frame.live(-1);
    }
  }

  function complain(/** @type {unknown} */ error) {
    said = problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null);
    drawNow();
  }

  async function act(/** @type {string} */ what) {
    try {
      await api.post(`/runs/${run.id}/${what}`);
      said = null;
      await refresh();
      if (what === "resume") follow();
    } catch (error) {
      if (!signal.aborted) complain(error);
    }
  }

  /** What lessons say, as far as they are still there. */
  async function learn() {
    const { lessons: named } = run.output ?? {};
    await Promise.all([...(named?.used ?? []), ...(named?.saved ?? [])].map(async (each) => {
      const found = await api.get(`/lessons/${each}`, signal).catch(() => null);
      if (found) lessons.set(each, found.lessons[0]);
    }));
    if (!signal.aborted) drawUsed();
  }

  function spoken() {
    if (run.state === "cancelled") return "Stopped";
    const [, word] = VERDICTS[run.output?.verdict] ?? ["", "Failed"];
    return `${word}, ${counted(history_().length, "try", "tries")}`;
  }

  function draw() {
    drawTop();
    drawNow();
    drawCode();
    drawTests();
    drawEvidence();
    drawTries();
    drawPlan();
    drawUsed();
    drawBudget();
  }

  function drawTop() {
    const [first, ...rest] = task().split("\n");
    const isLong = first.length > TITLE_MAX;
    const edit = html`<button type="button" class="btn" @click=${() => address.go(address.SOLVE, { solve: { task: task(), tests: run.input.tests?.text, max_iterations: run.input.max_iterations, model: run.input.model?.name, ask: run.input.consent === "ask" } })}>${icon("edit")}Edit and run again</button>`;
    const stop = isOver(run.state) ? null : html`<button type="button" class="btn stop" @click=${(/** @type {Event} */ event) => { const button = /** @type {HTMLButtonElement} */ (event.currentTarget); button.disabled = true; fill(button, "Stopping"); act("cancel"); }}>${icon("stop")}Stop</button>`;
    const resume = run.state === "interrupted" ? html`<button type="button" class="btn" @click=${() => act("resume")}>Resume</button>` : null;
    const lede = (isLong ? task() : rest.join("\n")).trim();
    fill(top, html`<div class="head"><div class="grow"><nav class="crumbs" aria-label="Where this is"><a href=${address.SOLVE}>Solve</a><span aria-hidden="true">/</span><code>${run.id.slice(-8)}</code><a href=${`${address.RUNS}/${run.id}`}>step by step</a></nav><h1>${titleOf(run)}</h1>${lede ? html`<p class="lede lines">${marked(lede)}</p>` : null}</div><div class="tools">${take()}${edit}${resume}${stop}</div></div>`);
  }

  function take() {
    const given = run.output?.code;
    const command = `assay solve ${quoted(task())}${run.input?.tests ? " --tests tests.py" : ""} --file solution.py${run.input?.model ? ` --model ${quoted(run.input.model.name)}` : ""}`;
    const input = { task: task(), tests: run.input?.tests?.text, max_iterations: run.input?.max_iterations };
    const curl = `curl -s ${quoted(`${location.origin}/runs`)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify({ task: "solve", input }))}`;
    return menu({ label: "Copy as", picture: "copy" }, [
      given && { name: "Code", act: () => copied(given, "Code") },
      given && { name: "Save the code", act: () => saved(`${given}\n`, "solution.py", "text/x-python") },
      { name: "assay command", act: () => copied(command, "Command") },
      { name: "curl", act: () => copied(curl, "curl command") },
      { name: "Link", act: () => copied(location.href, "Link") },
    ]);
  }

  /** Where in the loop it is: the name in `LOOP`, or the extra round of reflection. */
  function place() {
    if (run.state === "waiting" || picture.state === "waiting") return "Check";
    const step = picture.steps.findLast((each) => each.state === "live");
    if (step?.name === "recall") return history_().length ? "Reflect" : "Recall";
    if (step?.name === "execute") return "Run";
    if (step?.name === "remember" || step?.name === "write") return "Verify";
    if (step?.name !== "model") return null;
    if (step.channel === "code") return "Code";
    return step.channel === "reflection" || (!step.channel && history_().length) ? "Reflect" : "Plan";
  }

  function drawNow() {
    const question = run.state === "waiting" ? run.questions?.[0] : null;
    // A decision that is being made is not taken from under the pointer.
    if (question && now.querySelector(".asks")?.getAttribute("data-question") === question.id) return;
    if (question) {
      const banner = approval(run.id, question, () => refresh());
      banner.dataset.question = question.id;
      return fill(now, banner, said);
    }
    if (isLive()) {
      const at = place();
      const begun = history_().length + (at === "Run" || at === "Check" || at === "Verify" ? 0 : 1);
      const most = run.input?.max_iterations;
      const words = picture.away ? "Reconnecting; the run goes on" : run.state === "pending" || picture.queued ? (picture.place ? `Queued, number ${picture.place} in line` : "Waiting for a free place") : `${WORDS[at ?? ""] ?? "Preparing"}, try ${Math.max(1, Math.min(begun, most ?? begun))} of ${most ?? "?"}`;
      const names = at === "Reflect" || history_().length ? [...LOOP, "Reflect"] : LOOP;
      const before = at === "Reflect" ? names.length - 1 : at ? LOOP.indexOf(at) : -1;
      const loop = names.map((name, index) => name === at ? html`<li class="on" aria-current="step"><span class="dot live" aria-hidden="true"></span>${name}</li>` : index < before ? html`<li class="done">${icon("check")}${name}</li>` : html`<li>${icon("circle")}${name}</li>`);
      return fill(now, html`<section class="card live gap" aria-busy="true"><div class="status"><span class="dot live" aria-hidden="true"></span><b class="grow">${words}</b><span class="clock" data-clock>${clock()}</span></div><div class="in"><ol class="loop">${loop}</ol></div></section>`, said);
    }
    if (run.state === "interrupted") return fill(now, html`<div class="banner" role="status">${icon("again")}<div><b>Interrupted</b><p>Whoever worked on it went away. What was recorded is kept; Resume goes on from there.</p></div></div>`, said);
    if (run.state === "cancelled") return fill(now, html`<div class="card gap"><div class="known plain only">${icon("stop")}<div><b>Stopped</b> <span class="why">You stopped it. What was recorded until then is kept.</span></div></div></div>`, said);
    const given = run.output;
    if (given?.kind !== "solution") return fill(now, html`<div class="gap">${problemBox(run.problem?.message ?? "the run gave nothing", run.problem?.hint)}</div>`, said);
    const [level, word, usual] = VERDICTS[given.verdict] ?? VERDICTS.failed;
    const deciding = given.evidence.filter((/** @type {any} */ each) => ["tests", "examples"].includes(each.by));
    const why = given.verdict === "failed" && given.problem ? given.problem.message : deciding.length ? deciding.map((/** @type {any} */ each) => each.detail.split("\n")[0]).join("; ") : usual;
    const cost = given.model.cost;
    const src = [counted(given.iteration, "try", "tries"), duration(Date.parse(run.finished_at) - Date.parse(run.created_at)), given.model.name ? `${given.model.name}, ${count(tokensOf(cost))} tokens` : "no model", cost.calls === 0 ? "remembered, and checked again" : null].filter(Boolean).join(" · ");
    fill(now, html`<div class="card gap" data-verdict=${given.verdict}><div class=${`known only ${level}`}>${level === "broke" ? icon("cross") : seal(level)}<div><b>${word}</b> <span class="why">${sentence(why)}</span><div class="src">${src}</div></div>${given.verdict === "verified" ? html`<button type="button" class="btn" @click=${() => saved(`${given.code}\n`, "solution.py", "text/x-python")}>${icon("download")}solution.py</button>` : null}</div></div>`, said);
  }

  function clock() {
    return duration(Math.max(1, Date.now() - Date.parse(run.created_at)));
  }

  function tick() {
    const element = now.querySelector("[data-clock]");
    if (element) element.textContent = clock();
  }

  /** Which try is looked at, counted from 0; one more than there are while another is being written. */
  function looked() {
    return chosen ?? Math.max(0, history_().length - 1);
  }

  function writing() {
    const step = picture.steps.findLast((each) => each.state === "live");
    return isLive() && step?.name === "model" && step.text && chosen === null ? step : null;
  }

  function drawWriting() {
    const step = writing();
    if (!step) return;
    drawNow();
    drawCode();
  }

  function drawCode() {
    const step = writing();
    if (step) {
      const isCode = step.channel === "code";
      const old = code.querySelector(".code");
      const atEnd = !old || old.scrollHeight - old.scrollTop - old.clientHeight < 24;
      const text = block(step.text, isCode ? "python" : "text", { flush: true, label: "What the model writes" });
      text.append(html`<span class="caret" aria-hidden="true"></span>`);
      fill(code, html`<div class="cap"><h2>${isCode ? "solution.py" : step.channel === "plan" ? "The plan" : "What went wrong"}</h2><span class="tag">${`try ${history_().length + 1}`}</span><span class="grow"></span><span class="state run"><span class="dot live" aria-hidden="true"></span>being written</span></div>`, text);
      if (atEnd) text.scrollTop = text.scrollHeight;
      fill(came);
      return;
    }
    const tried = history_()[looked()];
    if (!tried) {
      fill(code, html`<div class="cap"><h2>solution.py</h2></div><div class="in soft">${isLive() ? "Nothing is written yet." : "No code came of it."}</div>`);
      return fill(came);
    }
    const before = history_().slice(0, looked()).findLast((each) => each.code)?.code;
    const lines = before === undefined ? null : changes(before, tried.code);
    const showsChanges = lines !== null && !isWhole;
    const toggle = lines ? html`<div class="seg" role="group" aria-label="What is shown"><button type="button" aria-pressed=${String(showsChanges)} @click=${() => { isWhole = false; drawCode(); }}>Changes</button><button type="button" aria-pressed=${String(!showsChanges)} @click=${() => { isWhole = true; drawCode(); }}>Whole file</button></div>` : null;
    const shown = !tried.code ? html`<div class="in soft">The reply held no code.</div>` : showsChanges ? changedBlock(lines, "python", { flush: true }) : block(tried.code, "python", { numbered: true, flush: true, remarks: remarksOf(tried.code, tried.findings), label: "The program" });
    const errors = tried.findings.filter((/** @type {any} */ each) => each.severity === "error").length;
    const guard = !tried.findings.length ? "Guard: nothing to say" : `Guard: ${errors ? counted(errors, "error") : counted(tried.findings.length, "remark")}`;
    fill(code, html`<div class="cap"><h2>solution.py</h2><span class="tag">${`try ${looked() + 1}`}</span><span class="grow"></span>${toggle}</div>`, shown, html`<div class="table-foot"><span>${guard}</span>${lines ? html`<span>${counted(changed(lines), "line")} changed</span>` : null}</div>`);
    const parts = [];
    if (tried.error) parts.push(html`<section class="card"><div class="cap"><h2>What went wrong</h2></div>${block(tried.error, "text", { flush: true, label: "What went wrong" })}${tried.reflection ? html`<div class="table-foot"><span>${sentence(tried.reflection)}</span></div>` : null}</section>`);
    if (tried.output) parts.push(html`<section class="card"><div class="cap"><h2>Printed</h2></div>${block(tried.output, "text", { flush: true, label: "Printed" })}</section>`);
    fill(came, parts);
  }

  function drawTests() {
    const given = run.input?.tests;
    fill(tests, given ? html`<section class="card"><div class="cap"><h2>Your tests</h2><span class="quiet small">${given.name}</span></div>${block(given.text, "python", { flush: true, label: "Your tests" })}</section>` : null);
  }

  function drawEvidence() {
    const list = /** @type {any[]} */ (run.output?.kind === "solution" && chosen === null ? run.output.evidence : history_()[looked()]?.evidence ?? []);
    const isVerified = run.output?.verdict === "verified" && (chosen === null || chosen === history_().length - 1);
    const has = new Set(list.map((each) => each.by));
    const rows = list.map((each) => {
      const total = each.passed + each.failed;
      const [name, what] = EVIDENCE[each.by] ?? [each.by, ""];
      const kind = each.failed || !total ? "bad" : "ok";
      const detail = each.failed ? each.detail.split("\n")[0] : what;
      return html`<li>${icon(kind === "ok" ? "check" : "cross", kind)}<span>${name}<small>${detail}</small></span><span class="small">${`${each.passed} of ${total}`}</span></li>`;
    });
    if (run.input?.tests && !has.has("tests")) rows.unshift(html`<li>${icon("circle", "off")}<span>Your tests<small>${history_().length ? "not executed for this one" : "these decide"}</small></span><span class="small quiet">–</span></li>`);
    if (!rows.length) rows.push(html`<li>${icon("circle", "off")}<span>Nothing yet<small>without tests or examples nothing can verify it</small></span></li>`);
    const word = isVerified ? html`<span class="state ok">${icon("check")}verified</span>` : isLive() ? html`<span class="state run"><span class="dot live" aria-hidden="true"></span>not verified yet</span>` : html`<span class="state off">${icon("circle")}not verified</span>`;
    fill(evidence, html`<div class="cap"><h2>Evidence</h2><span class="grow"></span>${word}</div>`, html`<ul class="evidence">${rows}</ul>`);
  }

  function drawTries() {
    const all = history_();
    const left = Math.max(0, (run.input?.max_iterations ?? 0) - all.length);
    const hadFocus = tries.contains(document.activeElement);
    const row = (/** @type {any} */ tried, /** @type {number} */ at) => {
      const deciding = tried.evidence.filter((/** @type {any} */ each) => ["tests", "examples"].includes(each.by));
      const passed = deciding.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.passed, 0);
      const total = deciding.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.passed + each.failed, 0);
      const holds = total > 0 && passed === total;
      const refused = tried.findings.some((/** @type {any} */ each) => each.severity === "error") && !total;
      const title = holds ? "Holds" : !tried.code ? "No code" : refused ? "Refused by the guard" : tried.error ? "Does not hold" : "Ran";
      const why = (refused ? tried.findings.find((/** @type {any} */ each) => each.severity === "error").message : tried.error ?? "").split("\n")[0];
      const state = total ? `${passed} of ${total}` : refused ? "not run" : tried.error ? "failed" : "ran";
      const kind = holds ? "ok" : tried.error || refused ? "bad" : "off";
      return html`<button type="button" class="iter" role="option" data-row data-at=${at} aria-selected=${String(at === looked())} tabindex=${at === looked() ? 0 : -1} @click=${() => choose(at)}><span class="n">${at + 1}</span><span>${title}${why ? html`<small class="clamp">${why}</small>` : null}</span><span class=${`state ${kind}`}>${icon(kind === "ok" ? "check" : kind === "bad" ? "cross" : "circle")}${state}</span></button>`;
    };
    const rows = all.map(row).reverse();
    fill(tries, html`<div class="cap"><h2>Tries</h2><span class="grow"></span><span class="quiet tiny">${isLive() ? `${left} left` : counted(all.length, "try", "tries")}</span></div>`, rows.length ? html`<div role="listbox" aria-label="Tries">${rows}</div>` : html`<div class="in small soft">The first one is on its way.</div>`);
    if (!rows.length && !isLive()) fill(tries, html`<div class="cap"><h2>Tries</h2></div><div class="in small soft">None came to an end.</div>`);
    if (hadFocus) /** @type {HTMLElement | null} */ (tries.querySelector('[aria-selected="true"]'))?.focus({ preventScroll: true });
  }

  function choose(/** @type {number} */ at, takeFocus = false) {
    chosen = at === history_().length - 1 ? null : at;
    drawTries();
    drawCode();
    drawEvidence();
    if (takeFocus) /** @type {HTMLElement | null} */ (tries.querySelector('[aria-selected="true"]'))?.focus();
  }

  function drawPlan() {
    const lines = /** @type {string[]} */ (state().plan ?? []);
    fill(plan, lines.length ? html`<section class="card"><div class="cap"><h2>Plan</h2></div><ol class="plan in small">${lines.map((line) => html`<li>${sentence(line)}</li>`)}</ol></section>` : null);
  }

  function drawUsed() {
    const named = run.output?.lessons;
    const rows = [...(named?.used ?? []).map((/** @type {string} */ each) => [each, "used"]), ...(named?.saved ?? []).map((/** @type {string} */ each) => [each, "kept"])];
    const known = rows.filter(([each]) => lessons.has(each));
    fill(used, known.length ? html`<section class="card"><div class="cap"><h2>Lessons</h2></div><ul class="lessonlist">${known.map(([each, how]) => lessonRow(lessons.get(each), how))}</ul></section>` : null);
  }

  function drawBudget() {
    const limits = run.input?.model?.budget ?? {};
    const replies = run.steps.filter((/** @type {any} */ step) => step.name === "model" && step.output?.tokens).map((/** @type {any} */ step) => step.output);
    const tokens = run.output?.model ? tokensOf(run.output.model.cost) : replies.reduce((/** @type {number} */ sum, /** @type {any} */ reply) => sum + tokensOf({ tokens: reply.tokens, calls: 1, usd: null }), 0);
    const seconds = replies.reduce((/** @type {number} */ sum, /** @type {any} */ reply) => sum + (reply.ms ?? 0), 0) / 1000;
    const usd = run.output?.model ? run.output.model.cost.usd : replies.reduce((/** @type {number | null} */ sum, /** @type {any} */ reply) => sum === null || reply.usd === null || reply.usd === undefined ? null : sum + reply.usd, 0);
    const bar = (/** @type {number} */ share) => html`<svg class="hbar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"></rect><rect class=${share >= 1 ? "wait" : "calm"} width=${`${Math.min(100, share * 100).toFixed(1)}%`} height="100%" rx="2"></rect></svg>`;
    const line = (/** @type {string} */ has, /** @type {string | null} */ of, /** @type {number | null} */ share) => html`<div>${share === null ? null : bar(share)}<p class="quiet tiny">${of ? `${has} of ${of}` : has}</p></div>`;
    const rounds = history_().length;
    const most = run.input?.max_iterations ?? rounds;
    fill(budget, html`<div class="cap"><h2>Budget</h2><span class="grow"></span><span class="quiet tiny">${run.input?.model?.name ?? "no model"}</span></div>`, html`<div class="in small stack">
${line(count(rounds), counted(most, "try", "tries"), most ? rounds / most : null)}
${line(limits.tokens_max ? count(tokens) : counted(tokens, "token"), limits.tokens_max ? counted(limits.tokens_max, "token") : null, limits.tokens_max ? tokens / limits.tokens_max : null)}
${line(limits.seconds_max ? String(Math.round(seconds)) : `${duration(seconds * 1000) || "0 s"} of the model`, limits.seconds_max ? `${limits.seconds_max} s` : null, limits.seconds_max ? seconds / limits.seconds_max : null)}
${usd !== null && (usd > 0 || limits.usd_max) ? line(`${usd.toFixed(4)} USD`, limits.usd_max ? `${limits.usd_max} USD` : null, limits.usd_max ? usd / limits.usd_max : null) : null}</div>`);
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const inList = tries.contains(/** @type {Node} */ (event.target));
    const by = { j: -1, k: 1, ArrowDown: inList ? -1 : 0, ArrowUp: inList ? 1 : 0 }[event.key] ?? 0;
    const next = looked() + by;
    if (by && history_()[next]) {
      event.preventDefault();
      choose(next, true);
    }
  }
}

/** The first words of a task. */
function titleOf(/** @type {any} */ run) {
  const first = String(run.input?.task ?? run.title ?? "Solve").split("\n")[0];
  if (first.length <= TITLE_MAX) return first;
  const begun = first.split(/[:;.] /)[0];
  return begun.length <= TITLE_MAX ? begun : `${first.slice(0, TITLE_MAX - 4).replace(/\s+\S*$/, "")} …`;
}
