// Ask: a thread of questions over one dataset. What it shows is in its address (the thread, its runs, the face of each), so
// that a reload or a link loses nothing; questions that wait for the one before them are kept with the entry of the history.

import * as address from "../address.js";
import * as api from "../api.js";
import { fill, html } from "../dom.js";
import { blank, isOver, told as fold } from "../fold.js";
import { counted, moment, sentence } from "../format.js";
import { icon } from "../icons.js";
import { isUnwell } from "../journal.js";
import { copied } from "../copy.js";
import { card, heard, problemBox } from "./answer.js";
import { beside } from "./beside.js";
import { composer } from "./composer.js";
import { hello } from "./hello.js";
import { live } from "./live.js";
import { noteOf } from "./step.js";
import { runsOf } from "./threads.js";

/**
 * @typedef {object} Turn
 * @property {string} message
 * @property {number} [reading]
 * @property {string | null} run
 * @property {string} face
 * @property {"waiting" | "live" | "done"} state
 * @property {HTMLElement} element
 * @property {HTMLElement} place where its card stands
 * @property {boolean} [continued] whether a next question can continue it
 */

/**
 * @param {import("../main.js").Frame} frame
 */
export async function show(frame) {
  const { query } = address.here();
  const { signal } = frame;
  const datasets = (await api.get("/datasets", signal)).datasets;
  let refs = (query.get("runs") ?? "").split(",").filter(Boolean).map((ref) => ref.split(":"));
  const named = query.get("thread");
  if (named && !refs.length) refs = (await runsOf(named, signal)).map((/** @type {string} */ run) => [run]);
  /** @type {string[]} */
  const waiting = Array.isArray(history.state?.waiting) ? history.state.waiting : [];
  const first = datasets[0]?.id ?? "";
  let dataset = query.get("data") || (frame.remembered("dataset") ?? first);
  if (!query.get("data") && !datasets.some((/** @type {any} */ each) => each.id === dataset)) dataset = first;
  let thread = named;
  /** @type {Turn[]} */
  const turns = [];
  let model = query.get("model");
  /** What the data offers to ask. @type {string[]} */
  let questions = [];

  const list = html`<div class="turns"></div>`;
  const title = html`<h1></h1>`;
  const size = html`<span class="tag"></span>`;
  const suggestions = html`<div class="suggest" role="group" aria-label="Suggested questions"></div>`;
  const side = html`<aside class="beside" aria-label="What you can name"></aside>`;
  const models = await api.get("/models", signal).catch(() => null);
  const box = composer({ models, model, datasets, dataset, onAsk: (message) => ask(message), onDataset: choose, onModel: (name) => { model = name; if (threadPage.isConnected) noted(); } });
  const threadPage = html`<div class="ask"><main id="main" class="main" tabindex="-1"><div class="thread"><div class="thread-head">${title}${size}<span class="grow"></span><button type="button" class="btn bare hide-narrow" @click=${() => copied(location.href, "Link")}>${icon("link")}Copy link</button><a class="btn bare icon" href="/" aria-label="New thread" title="New thread">${icon("plus")}</a></div>${list}</div><div class="compose-wrap">${suggestions}<div class="compose-place"></div></div></main>${side}</div>`;

  const isThread = () => turns.length > 0 || Boolean(query.get("data"));
  if (isThread() || refs.length || waiting.length) openThread();
  else frame.place(hello({ frame, datasets, box, ask: (message, of) => { if (of !== dataset) choose(of); ask(message); } }));

  for (const [run, face] of refs) add({ message: "", run, face: face ?? "" });
  for (const turn of [...turns]) restore(turn);
  for (const message of waiting) ask(message);
  if (!refs.length && !waiting.length && matchMedia("(pointer: fine)").matches) box.focus();
  const begun = query.get("ask");
  if (begun && !refs.length) box.write(begun);

  function openThread() {
    if (threadPage.isConnected) return;
    /** @type {HTMLElement} */ (threadPage.querySelector(".compose-place")).append(box.element);
    frame.place(threadPage);
    describe();
    beside(dataset, signal, (word) => box.insert(word)).then((parts) => {
      fill(side, parts.aside);
      questions = parts.questions;
      suggest();
    }, () => {});
  }

  /** What the data offers and was not asked here yet. */
  function suggest() {
    const asked = new Set(turns.map((turn) => turn.message));
    const left = questions.filter((each) => !asked.has(each));
    fill(suggestions, left.map((each) => html`<button type="button" class="chip" @click=${() => ask(each)}>${each}</button>`));
    box.hint(left[0] ?? questions[0]);
  }

  function choose(/** @type {string} */ name) {
    dataset = name;
    frame.remember("dataset", name);
    box.choose(name);
    if (threadPage.isConnected) {
      // Another dataset is another thread: what was asked before was asked of the old one.
      address.go(`${address.ASK}?data=${encodeURIComponent(name)}`);
    }
  }

  function describe() {
    const first = turns.find((turn) => turn.message)?.message ?? `Ask ${dataset}`;
    // The first question stands below as a heading of its own.
    fill(title, html`<a class="plain" href=${`${address.DATA}/${encodeURIComponent(dataset)}`}>${dataset}</a>`);
    suggest();
    size.textContent = counted(turns.length, "question");
    size.hidden = !turns.length;
    frame.title(lineOf(first));
  }

  /** The address of what is shown, and what is not asked yet. */
  function noted() {
    const parts = [`data=${encodeURIComponent(dataset)}`];
    if (model) parts.push(`model=${encodeURIComponent(model)}`);
    if (thread) parts.push(`thread=${encodeURIComponent(thread)}`);
    const runs = turns.filter((turn) => turn.run).map((turn) => turn.run + (turn.face ? `:${turn.face}` : ""));
    if (runs.length) parts.push(`runs=${runs.join(",")}`);
    const kept = turns.filter((turn) => turn.state === "waiting" && !turn.run).map((turn) => turn.message);
    address.note(`${address.ASK}?${parts.join("&")}`, { waiting: kept });
  }

  /** @param {{message: string, run: string | null, face: string, reading?: number}} from */
  function add(from) {
    const heading = html`<h2>${from.message.split("\n")[0]}</h2>`;
    const time = html`<time></time>`;
    const place = html`<div class="place"></div>`;
    const element = html`<section class="turn"><header>${heading}${time}</header>${place}</section>`;
    /** @type {Turn} */
    const turn = { ...from, state: from.run ? "live" : "waiting", element, place };
    turns.push(turn);
    list.append(element);
    describe();
    return turn;
  }

  /**
   * @param {string} message
   * @param {{reading?: number}} [more]
   */
  function ask(message, more = {}) {
    const trimmed = message.trim();
    if (!trimmed) return;
    if (!threadPage.isConnected) history.pushState(null, "", `${address.ASK}?data=${encodeURIComponent(dataset)}`);
    openThread();
    box.clear();
    for (const each of turns) withoutNext(each);
    const turn = add({ message: trimmed, run: null, face: "", ...more });
    name(turn, trimmed, new Date().toISOString());
    noted();
    const isFree = !turns.some((each) => each.state === "live");
    if (isFree) begin(turn);
    else showWaiting(turn);
    turn.element.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  function showWaiting(/** @type {Turn} */ turn) {
    const before = turns.filter((each) => each.state === "waiting").indexOf(turn);
    fill(turn.place, html`<article class="card live"><div class="status"><span class="dot" aria-hidden="true"></span><b class="grow">${before > 0 ? `Waiting; ${counted(before + 1, "question")} before it` : "Waiting for the question before it"}</b><button type="button" class="btn" @click=${() => { turns.splice(turns.indexOf(turn), 1); turn.element.remove(); describe(); noted(); }}>Leave out</button></div></article>`);
  }

  function next() {
    if (turns.some((each) => each.state === "live")) return;
    const waits = turns.find((each) => each.state === "waiting");
    if (waits) begin(waits);
    turns.filter((each) => each.state === "waiting").forEach(showWaiting);
  }

  /** @param {Turn} turn */
  async function begin(turn) {
    turn.state = "live";
    let isStopped = false;
    const working = live(() => { isStopped = true; stop(turn); });
    fill(turn.place, working.element);
    let picture = blank();
    const hear = (/** @type {any} */ event) => {
      picture = fold(picture, event);
      if (picture.run && turn.run !== picture.run) {
        turn.run = picture.run;
        noted();
        if (isStopped) stop(turn);
      }
      working.show(picture);
      if (ranCode(event, picture)) became(picture.run, event.data.index).then((what) => what && hear(what), () => {});
    };
    frame.live(1);
    try {
      const message = { dataset_id: dataset, message: turn.message, ...(thread ? { thread_id: thread } : {}), ...(model ? { model } : {}), ...(turn.reading ? { reading: turn.reading } : {}) };
      await api.ask(message, hear, signal);
      thread = picture.thread ?? thread;
      if (!signal.aborted) finish(turn, picture.state, picture.output, picture.problem);
      frame.asked();
    } catch (error) {
      if (!signal.aborted) refuse(turn, error);
    } finally {
      frame.live(-1);
      working.end();
    }
    if (!signal.aborted) next();
  }

  function withoutNext(/** @type {Turn} */ turn) {
    turn.element.querySelector(".next")?.remove();
  }

  /** Under the last answer, and only there: what continues it. Whatever was refused since is not continued. */
  async function offer() {
    const turn = turns.findLast((each) => each.continued);
    for (const each of turns) if (each !== turn) withoutNext(each);
    if (!turn || turn.element.querySelector(".next") || turns.some((each) => each.state !== "done")) return;
    const place = html`<div class="next" hidden></div>`;
    turn.element.append(place);
    try {
      const { questions } = await api.get(`/runs/${turn.run}/follow-ups`, signal);
      if (!questions.length) return;
      fill(place, html`<span id=${`next-${turn.run}`}>Next</span>`, html`<div class="chips" role="group" aria-labelledby=${`next-${turn.run}`}>${questions.map((/** @type {string} */ question) => html`<button type="button" class="chip" @click=${() => ask(question)}>${question}</button>`)}</div>`);
      place.hidden = false;
    } catch {
      // An answer needs none.
      place.remove();
    }
  }

  /** @param {Turn} turn */
  function stop(turn) {
    if (turn.run) api.post(`/runs/${turn.run}/cancel`).catch(() => {});
  }

  /** @param {Turn} turn what stands in the address */
  async function restore(turn) {
    fill(turn.place, html`<div class="card skeleton" aria-busy="true"><span class="skel w3"></span><span class="skel w1"></span><span class="skel w2"></span></div>`);
    try {
      const run = await api.get(`/runs/${turn.run}`, signal);
      turn.message = messageOf(run);
      name(turn, turn.message, run.created_at);
      if (run.input?.thread) thread = run.input.thread;
      describe();
      if (isOver(run.state)) {
        finish(turn, run.state, run.output, run.problem, false);
        return;
      }
      const working = live(() => stop(turn));
      fill(turn.place, working.element);
      frame.live(1);
      let picture = blank();
      try {
        const hear = (/** @type {any} */ event) => {
          working.show((picture = fold(picture, event)));
          if (ranCode(event, picture)) became(picture.run, event.data.index).then((what) => what && hear(what), () => {});
        };
        await api.follow(/** @type {string} */ (turn.run), hear, signal);
      } finally {
        frame.live(-1);
        working.end();
      }
      if (signal.aborted) return;
      finish(turn, picture.state, picture.output, picture.problem);
      next();
    } catch (error) {
      if (!signal.aborted) refuse(turn, error);
    }
  }

  /** Whether code that a model wrote has run: what came of it stands in the run, not in its events. */
  function ranCode(/** @type {any} */ event, /** @type {import("../fold.js").Picture} */ picture) {
    return event.type === "step.finished" && event.data.name === "execute" && picture.steps.some((step) => step.name === "model");
  }

  async function became(/** @type {string | null} */ id, /** @type {number} */ index) {
    const run = await api.get(`/runs/${id}`, signal);
    const step = run.steps.find((/** @type {any} */ each) => each.index === index);
    return step && isUnwell(step.output) ? { type: "code.failed", run: id, at: step.finished_at, data: { index, message: noteOf(step) } } : null;
  }

  /**
   * @param {Turn} turn
   * @param {string} message
   * @param {string} at
   */
  function name(turn, message, at) {
    const heading = /** @type {HTMLElement} */ (turn.element.querySelector("h2"));
    heading.textContent = lineOf(message);
    /** @type {HTMLElement} */ (turn.element.querySelector("time")).textContent = moment(at);
  }

  /**
   * @param {Turn} turn
   * @param {string} state
   * @param {any} output
   * @param {any} problem
   * @param {boolean} [isNew]
   */
  function finish(turn, state, output, problem, isNew = true) {
    turn.state = "done";
    const hadFocus = turn.element.contains(document.activeElement);
    const told = { run: /** @type {string} */ (turn.run), message: turn.message, dataset, state, output, problem, face: turn.face };
    const element = card(told, {
      ask: (message, more) => ask(message, more),
      write: (message) => box.write(message),
      face: (face) => { turn.face = face; told.face = face; noted(); },
    });
    fill(turn.place, element);
    noted();
    turn.continued = Boolean(output?.kind === "answer" && output.status === "answered" && output.plan);
    offer();
    if (hadFocus) element.focus({ preventScroll: true });
    if (isNew) frame.say(sentence(heard(told)));
  }

  /**
   * @param {Turn} turn
   * @param {unknown} error
   */
  function refuse(turn, error) {
    turn.state = "done";
    const hint = error instanceof api.Refused ? error.hint : null;
    fill(turn.place, problemBox(error instanceof Error ? error.message : String(error), hint, html`<button type="button" class="btn" @click=${() => box.write(turn.message)}>Change it</button>`));
    noted();
    next();
  }
}

/** A message on one line. */
export function lineOf(/** @type {string} */ message) {
  const [line, next = ""] = message.split("\n");
  return /^(sql|python):\s*$/i.test(line) ? `${line.trim()} ${next}` : line;
}

/**
 * What was written to get a run.
 * @param {any} run
 */
export function messageOf(run) {
  const input = run.input ?? {};
  if (typeof input.question === "string") return input.question;
  if (typeof input.sql === "string") return `SQL: ${input.sql}`;
  if (typeof input.code === "string") return `PYTHON:\n${input.code}`;
  return run.title ?? "";
}
