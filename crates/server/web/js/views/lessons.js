// Lessons and notes: what was learned from runs and what people said, with how often it was used and whether that helped. All
// of it can be said otherwise, put aside and forgotten.

import * as address from "../address.js";
import * as api from "../api.js";
import { block } from "../code.js";
import { toast } from "../copy.js";
import { fill, html } from "../dom.js";
import { counted, moment, sentence } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";
import { notes } from "./notes.js";

const LESSONS_MAX = 200;
const SEARCH_PAUSE_MS = 200;

/** @type {Record<string, [string, string, string]>} picture, class and word of each kind */
const KINDS = { success: ["check", "ok", "solution"], failure: ["warn", "wait", "error"], note: ["note", "off", "note"] };

/** @type {[string, string][]} */
const FILTERS = [["", "All"], ["success", "Solutions"], ["failure", "Errors"], ["note", "Notes"], ["hidden", "Hidden"]];

/** Whether it helped, in words. */
export function helpedOf(/** @type {any} */ lesson) {
  if (!lesson.used) return "not used yet";
  return lesson.helped ? `helped ${lesson.helped === lesson.used ? (lesson.used === 1 ? "once" : `every time, ${lesson.used}`) : `${lesson.helped} of ${counted(lesson.used, "time")}`}` : `used ${counted(lesson.used, "time")}, did not help`;
}

/**
 * One line about a lesson, where a run used or kept it.
 * @param {any} lesson
 * @param {string} how
 */
export function lessonRow(lesson, how) {
  const [picture, kind, word] = KINDS[lesson.kind] ?? KINDS.note;
  return html`<li class="brief">${icon(picture, kind)}<span>${titleOf(lesson)}<small>${word} ${how} · <a href=${`${address.LESSONS}/${lesson.id}`}>${helpedOf(lesson)}</a></small></span></li>`;
}

/** What it is about, on a line. */
function titleOf(/** @type {any} */ lesson) {
  const first = String(lesson.kind === "failure" && lesson.error_signature ? lesson.error_signature : lesson.kind === "note" ? lesson.fix ?? lesson.task : lesson.task).split("\n")[0];
  return first.length > 120 ? `${first.slice(0, 118)} …` : first;
}

/**
 * @param {import("../main.js").Frame} frame
 * @param {string} [open] the id of a lesson that is shown open
 */
export async function show(frame, open) {
  const { signal } = frame;
  const kindWanted = address.here().query.get("kind") ?? "";
  const list = html`<div></div>`;
  const search = /** @type {HTMLInputElement} */ (html`<input class="field search" type="search" aria-label="Look for a lesson" placeholder="KeyError in groupby">`);
  const filters = html`<div class="seg" role="group" aria-label="Kind">${FILTERS.map(([kind, name]) => html`<button type="button" aria-pressed=${String(kind === kindWanted)} @click=${() => address.go(`${address.LESSONS}${kind ? `?kind=${kind}` : ""}`)}>${name}</button>`)}</div>`;
  const about = html`<div class="stack"></div>`;
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><h1>Lessons</h1><p class="lede">What runs have taught and what you have said. A remembered program passes the tests again before it counts; what does not help is put aside.</p></div></div><div class="datagrid"><div><div class="filters">${filters}${search}</div>${list}</div><div class="stack">${about}</div></div></div></main>`);

  /** @type {any[]} */
  let lessons = [];
  let asked = 0;

  async function load() {
    const mine = (asked += 1);
    const words = search.value.trim();
    const found = await api.get(`/lessons?limit=${LESSONS_MAX}${words ? `&q=${encodeURIComponent(words)}` : ""}`, signal);
    if (mine !== asked) return;
    lessons = found.lessons;
    draw();
  }

  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load().catch(complain), SEARCH_PAUSE_MS);
  });

  function complain(/** @type {unknown} */ error) {
    if (signal.aborted) return;
    list.prepend(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
  }

  /**
   * @param {() => Promise<unknown>} act
   * @param {string} done
   */
  async function change(act, done) {
    try {
      await act();
      toast(done);
      await load();
    } catch (error) {
      complain(error);
    }
  }

  function draw() {
    const shown = lessons.filter((lesson) => kindWanted === "hidden" ? lesson.hidden : !kindWanted || lesson.kind === kindWanted);
    if (!shown.length) {
      const words = search.value.trim();
      fill(list, html`<div class="none"><b>${words || kindWanted ? "No lesson is like that" : "Nothing was learned yet"}</b><p>${words || kindWanted ? "Look for other words, or choose another kind." : "A solved task leaves its program, an error what mended it, and an answer you call wrong what you say of it."}</p>${words || kindWanted ? html`<a class="btn" href=${address.LESSONS}>Show all</a>` : html`<a class="btn" href=${address.SOLVE}>Solve a task</a>`}</div>`);
      return;
    }
    fill(list, html`<ul class="card lessonlist">${shown.map(row)}</ul>`);
  }

  /** @param {any} lesson */
  function row(lesson) {
    const [picture, kind, word] = KINDS[lesson.kind] ?? KINDS.note;
    const summary = html`<summary data-row>${icon(picture, kind)}<span>${titleOf(lesson)}<small>${word} · ${moment(lesson.created_at)} · ${helpedOf(lesson)}${lesson.imported ? " · from elsewhere" : ""}${lesson.by ? ` · found by its ${lesson.by}` : ""}</small></span>${lesson.hidden ? html`<span class="tag">hidden</span>` : null}${icon("right", "turn")}</summary>`;
    const details = /** @type {HTMLDetailsElement} */ (html`<details open=${lesson.id === open}>${summary}</details>`);
    let isFilled = false;
    const fillIn = () => {
      if (isFilled || !details.open) return;
      isFilled = true;
      details.append(inside(lesson));
    };
    details.addEventListener("toggle", fillIn);
    fillIn();
    return html`<li data-lesson=${lesson.id}>${details}</li>`;
  }

  /** @param {any} lesson */
  function inside(lesson) {
    const path = `/lessons/${lesson.id}`;
    const isProgram = lesson.kind === "failure" && lesson.fix && lesson.fix.includes("\n");
    const parts = [];
    if (lesson.kind !== "note") parts.push(html`<p class="soft lines">${lesson.task}</p>`);
    else if (lesson.task && lesson.task !== lesson.fix) parts.push(html`<p class="soft small">About: ${lesson.task}</p>`);
    if (lesson.error_signature) parts.push(html`<div class="msg"><header><b>Error</b></header>${block(lesson.error_signature, "text", { label: "Error" })}</div>`);
    if (lesson.code) parts.push(html`<div class="msg"><header><b>${lesson.kind === "success" ? "The program" : "What failed"}</b>${lesson.outcome ? html`<span>${lesson.outcome}</span>` : null}</header>${block(lesson.code, "python", { numbered: true })}</div>`);
    if (isProgram) parts.push(html`<div class="msg"><header><b>What mended it</b></header>${block(lesson.fix, "python", { numbered: true })}</div>`);
    const area = /** @type {HTMLTextAreaElement} */ (html`<textarea class=${`field ${isProgram ? "mono" : ""}`} rows=${isProgram ? 8 : 3} aria-label="What to do" maxlength="4000"></textarea>`);
    area.value = lesson.fix ?? "";
    const form = html`<form class="stack" hidden>${area}<div class="tools"><button type="submit" class="btn solid">Keep</button><button type="button" class="btn bare" @click=${() => { form.hidden = true; }}>Cancel</button></div></form>`;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (area.value.trim()) change(() => api.put(path, { fix: area.value.trim() }), "Changed");
      else area.focus();
    });
    const said = !isProgram && lesson.fix && lesson.kind !== "note" ? html`<p>${sentence(lesson.fix)}</p>` : null;
    const run = lesson.run ? html`<a class="btn bare" href=${`${address.RUNS}/${lesson.run}`}>${icon("runs")}The run it came from</a>` : null;
    const tools = html`<div class="tools">${run}<span class="grow"></span><button type="button" class="btn bare" @click=${() => { form.hidden = false; area.focus(); }}>${icon("edit")}${lesson.fix ? "Edit" : "Say what to do"}</button><button type="button" class="btn bare" @click=${() => change(() => api.put(path, { hidden: !lesson.hidden }), lesson.hidden ? "Found again" : "Put aside")}>${lesson.hidden ? "Find it again" : "Put aside"}</button><button type="button" class="btn bare" @click=${() => change(() => api.remove(path), "Forgotten")}>${icon("bin")}Forget</button></div>`;
    return html`<div class="codes">${parts}${said}${form}${tools}</div>`;
  }

  async function aboutData() {
    const { datasets } = await api.get("/datasets", signal);
    const all = await Promise.all(datasets.map(async (/** @type {any} */ each) => ({ id: each.id, notes: (await api.get(`/notes?dataset_id=${encodeURIComponent(each.id)}`, signal)).notes })));
    const filled = all.filter((each) => each.notes.length || each.proposed?.length);
    fill(about, html`<section class="card"><div class="cap bare"><h2>About your data</h2></div><div class="in small soft">${filled.length ? "Shown with the answers they touch." : "An answer you call wrong leaves a note here. They are shown with the answers they touch."}</div></section>`, filled.map((each) => html`<section class="card"><div class="cap bare"><h2><a class="plain" href=${`${address.DATA}/${encodeURIComponent(each.id)}`}>${each.id}</a></h2></div>${notes(each.id, each.notes, each.proposed)}</section>`));
  }

  await load();
  await aboutData();
  if (open) list.querySelector(`[data-lesson="${CSS.escape(open)}"]`)?.scrollIntoView({ block: "center" });
}
