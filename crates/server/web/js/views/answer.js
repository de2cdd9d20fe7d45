// What became of a question, a statement or a program: a card with up to four faces, and the line that says how it is known.

import { LESSONS, RUNS } from "../address.js";
import * as api from "../api.js";
import { chart } from "../chart.js";
import { block, pretty, remarksOf } from "../code.js";
import { copied, menu, saved, toast } from "../copy.js";
import { fill, fresh, html, marked } from "../dom.js";
import { counted, csv, dated, duration, markdown, quoted, sentence } from "../format.js";
import { icon } from "../icons.js";
import { LANGUAGES, knownLine, refusedLine } from "../known.js";
import { bars, grid } from "../table.js";

/**
 * What a card may ask of the thread it stands in.
 * @typedef {object} Thread
 * @property {(message: string, more?: {reading?: number}) => void} ask
 * @property {(message: string) => void} write puts a text where one writes
 * @property {(face: string) => void} face says which face is shown
 */

/**
 * @typedef {object} Told
 * @property {string} run
 * @property {string} message
 * @property {string} dataset
 * @property {string} state
 * @property {any} output
 * @property {any} problem
 * @property {string} face
 */

/**
 * @param {Told} told
 * @param {Thread} thread
 * @returns {HTMLElement}
 */
export function card(told, thread) {
  const { output } = told;
  if (told.state === "cancelled") return stopped(told, thread);
  if (output?.kind === "answer") return output.status === "refused" ? refusal(told, thread) : answer(told, thread);
  if (output?.kind === "sql") return statement(told, thread);
  if (output?.kind === "execution") return program(told, thread);
  return failed(told, thread);
}

/** What the card says to people who only hear it. */
export function heard(/** @type {Told} */ told) {
  const { output } = told;
  if (told.state === "cancelled") return "Stopped";
  if (output?.kind === "answer") return output.status === "refused" ? `Refused: ${output.refusal?.message}` : `Answered: ${output.sentence ?? output.summary ?? "see the table"}`;
  if (output?.outcome === "ok") return "Done";
  return `Failed: ${output?.error?.message ?? told.problem?.message ?? ""}`;
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function answer(told, thread) {
  const given = /** @type {import("../../types/api").Answer} */ (told.output);
  const { table } = given;
  const forms = given.forms ?? [];
  const answerFace = () => (table ? bars(table, given.focus, forms) ?? (isOne(table) ? null : grid(table, { forms, csv: takeCsv(told), name: "Answer" })) : null);
  /** @type {Face[]} */
  const faces = [{ id: "answer", name: "Answer", draw: () => [answerFace(), given.figures?.map((/** @type {any} */ figure) => html`<img class="figure" src=${fileOf(given.cached_from ?? told.run, figure.name)} alt=${`Picture ${figure.name} that the code drew`}>`)] }];
  if (table) faces.push({ id: "table", name: "Table", draw: () => grid(table, { forms, csv: takeCsv(told) }) });
  if (given.chart) faces.push({ id: "chart", name: "Chart", draw: () => chart(told.run) });
  faces.push({ id: "code", name: "Code", draw: () => code(told, thread) });
  const above = html`<p class="sentence">${spoken(given.sentence ?? given.summary ?? "The result is in the table.")}</p>`;
  return frame(told, thread, faces, above, facts(told, thread), knownLine(given, told.run));
}

/** @param {any} table */
function isOne(table) {
  return table.rows.length === 1 && table.columns.length === 1;
}

/**
 * The first name and number of a sentence stand out.
 * @param {string} text
 */
function spoken(text) {
  const first = /^(.{1,60}?) has the (highest|lowest|most|fewest|largest|smallest) ([^,;]{1,60}), ([^;(]+?)(?=[;(]|\.?$| \()/.exec(text);
  if (!first) return text;
  const rest = text.slice(first[0].length);
  return [html`<b>${first[1]}</b>`, ` has the ${first[2]} ${first[3]}, `, html`<b>${first[4]}</b>`, rest];
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function facts(told, thread) {
  const given = /** @type {import("../../types/api").Answer} */ (told.output);
  /** @type {[string, any][]} */
  const lines = [];
  if (given.reading) lines.push(["Read as", html`<dd>${marked(dated(given.reading))}</dd>`]);
  if (given.assumptions?.length) lines.push(["Assumed", html`<dd class="chips">${given.assumptions.map((/** @type {any} */ each) => assumed(each.text, () => thread.write(told.message)))}</dd>`]);
  const meant = (given.readings ?? []).filter((/** @type {any} */ each) => each.plan_hash !== given.plan_hash);
  if (meant.length) lines.push(["Or meant", html`<dd class="chips">${meant.map((/** @type {any} */ each) => html`<button type="button" class="chip" @click=${() => thread.ask(told.message, { reading: each.number })}>${dated(each.reading)}</button>`)}</dd>`]);
  const touching = given.notes_touching ?? [];
  const others = (given.notes ?? []).filter((/** @type {string} */ note) => !touching.includes(note));
  const noted = (/** @type {string} */ note) => html`<p>${marked(sentence(note))}</p>`;
  if (touching.length) lines.push(["Note", html`<dd>${touching.map(noted)}</dd>`]);
  if (others.length) lines.push(["Files", html`<dd><details><summary>${counted(others.length, "remark")} on how ${others.length === 1 ? "it was" : "they were"} read</summary>${others.map(noted)}</details></dd>`]);
  if (given.remembered?.length) lines.push(["Remembered", html`<dd>${given.remembered.map((/** @type {any} */ note) => html`<p>${note.text}</p>`)}</dd>`]);
  if (given.proposed_note) lines.push(["Worth a note", html`<dd>${proposed(given.proposed_note, told.dataset)}</dd>`]);
  return lines.length ? html`<dl class="facts">${lines.map(([name, value]) => [html`<dt>${name}</dt>`, value])}</dl>` : null;
}

/**
 * What was taken for granted, to be changed; where it is long, what it rests on stands beside it.
 * @param {string} text
 * @param {() => void} change
 */
function assumed(text, change) {
  const plain = dated(text).replace(/^([^=]{1,40}) = /, "$1 is ");
  const [, first, rest] = (plain.length > 60 && /^(.{8,60}?), (.+)$/.exec(plain)) || [null, plain, ""];
  return html`<span class="assumed"><button type="button" class="chip" @click=${change}><span>${marked(first)}</span>${icon("edit")}<span class="vh">, change the question</span></button>${rest ? html`<small>${marked(rest)}</small>` : null}</span>`;
}

/**
 * What the model would have remembered; nothing is until somebody says so.
 * @param {{id: number, text: string, sql: string}} note
 * @param {string} dataset
 */
function proposed(note, dataset) {
  const place = html`<div class="assumed"></div>`;
  const said = html`<p>${sentence(note.text)}</p>`;
  const path = `/notes/${encodeURIComponent(dataset)}/${note.id}`;
  const decide = async (/** @type {string} */ what, /** @type {string} */ done) => {
    try {
      await api.post(`${path}/${what}`);
      toast(done);
      fill(place, said);
    } catch (error) {
      place.append(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  };
  fill(place, said, html`<div class="chips"><button type="button" class="chip" @click=${() => decide("accept", "Remembered")}>${icon("plus")}Remember it</button><button type="button" class="chip" @click=${() => decide("reject", "Dropped")}>${icon("cross")}Drop it</button></div>`);
  return place;
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function code(told, thread) {
  const given = /** @type {import("../../types/api").Answer} */ (told.output);
  const attempts = given.attempts ?? [];
  const blocks = attempts.map((attempt, at) => html`<details class="msg attempt"><summary><b>Attempt ${at + 1}</b><span>${LANGUAGES[attempt.language] ?? attempt.language}, ${attempt.outcome}: ${firstLine(attempt.error ?? attempt.findings?.[0]?.message)}</span></summary>${block(attempt.text, attempt.language === "plan" ? "json" : attempt.language, { numbered: true, remarks: remarksOf(attempt.text, attempt.findings ?? []) })}${attempt.error ? html`<div class="bad-text">${attempt.error}</div>` : null}</details>`);
  if (blocks.length) blocks.unshift(html`<p class="soft small">${counted(attempts.length, "attempt")} came to nothing before${given.status === "refused" ? "" : " this one"}.</p>`);
  if (given.code && given.code.text !== given.sql) {
    const language = given.code.language === "plan" ? "json" : given.code.language;
    blocks.push(html`<div class="msg"><header><b>${LANGUAGES[given.code.language] ?? given.code.language}</b><span>by ${given.model?.name ?? "the model"}</span></header>${block(given.code.text, language, { numbered: language === "python" })}</div>`);
  }
  if (given.sql) {
    const by = given.source === "model" ? `by ${given.model?.name ?? "the model"}` : "compiled from the plan";
    blocks.push(html`<div class="msg"><header><b>SQL</b><span>${by}, ran in ${duration(given.timing_ms?.execute ?? NaN)}</span></header>${block(given.sql, "sql")}</div>`);
  }
  const plan = given.plan ? html`<div class="msg" hidden><header><b>Plan</b><span>what the question was read as</span></header>${block(pretty(given.plan), "json")}</div>` : null;
  const show = plan ? html`<button type="button" class="btn bare" aria-expanded="false" @click=${(/** @type {Event} */ event) => {
    plan.hidden = !plan.hidden;
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    button.setAttribute("aria-expanded", String(!plan.hidden));
    button.textContent = plan.hidden ? "Show the plan" : "Hide the plan";
  }}>Show the plan</button>` : null;
  const source = given.sql ? `SQL: ${given.sql}` : given.code?.language === "python" ? `PYTHON:\n${given.code.text}` : null;
  const edit = source ? html`<button type="button" class="btn" @click=${() => thread.write(source)}>${icon("edit")}Edit and run again</button>` : null;
  return html`<div class="codes">${blocks}${plan}<div class="tools">${edit}${show}</div></div>`;
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function refusal(told, thread) {
  const { refusal } = told.output;
  const readings = refusal.readings ?? [];
  const tries = [
    ...readings.map((/** @type {any} */ each) => html`<li><button type="button" @click=${() => thread.ask(told.message, { reading: each.number })}>${each.reading}${icon("arrow")}</button></li>`),
    ...(refusal.suggestions ?? []).map((/** @type {string} */ each) => html`<li><button type="button" @click=${() => thread.ask(each)}>${each}${icon("arrow")}</button></li>`),
  ];
  const advice = refusal.hint ? html`<p class="soft">${marked(sentence(refusal.hint))}</p>` : null;
  const lead = readings.length ? html`<p class="soft">Choose what you meant.</p>` : tries.length ? html`<p class="soft">This data can answer these.</p>` : null;
  const attempts = told.output.attempts?.length || told.output.sql ? code(told, thread) : null;
  const model = refusal.model_may_read ? html`<p class="soft small">A model may read this, and none was asked: <code>assay model list</code> shows which there are and how to ask one.</p>` : null;
  return html`<article class="card answer refusal" aria-label="Refused" tabindex="-1"><div class="body"><p class="what">${words(refusal)}</p>${understood(refusal)}${advice ?? lead}${tries.length ? html`<ul class="try">${tries}</ul>` : html`<p><a href=${`/page/data/${encodeURIComponent(told.dataset)}`}>See what is in the data</a></p>`}${model}${attempts}</div>${refusedLine("A guess would have looked like an answer.", html`<button type="button" class="btn bare" @click=${() => thread.write(told.message)}>Say what you meant</button>`)}</article>`;
}

/**
 * What the other words were taken for.
 * @param {import("../../types/api").AnswerParts.AnswerRefusal} refusal
 */
function understood(refusal) {
  const spans = (refusal.understood ?? []).map((span, at) => [at ? ", " : "", html`<b>${span.words}</b>`, ` ${span.meaning}`]);
  return spans.length ? html`<p class="soft small understood">Understood: ${spans}</p>` : null;
}

/**
 * The words that failed are marked.
 * @param {import("../../types/api").AnswerParts.AnswerRefusal} refusal
 */
function words(refusal) {
  const text = sentence(refusal.message);
  return text.split(/`([^`]+)`/).map((piece, at) => (at % 2 ? html`<mark>${piece}</mark>` : piece));
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function statement(told, thread) {
  const given = /** @type {import("../../types/api").Sql} */ (told.output);
  const shown = html`<div class="msg"><header><b>SQL</b><span>${given.outcome === "ok" ? `ran in ${duration(given.usage?.wall_ms ?? NaN)}` : given.outcome}</span></header>${block(given.sql, "sql", { numbered: true, remarks: sqlRemarks(given) })}</div>`;
  const edit = html`<div class="tools"><button type="button" class="btn" @click=${() => thread.write(`SQL: ${given.sql}`)}>${icon("edit")}Edit and run again</button></div>`;
  if (given.outcome !== "ok") {
    const isRefused = given.outcome === "refused";
    const title = isRefused ? "The policy refused the statement" : given.outcome === "killed" ? "The statement was stopped" : "The statement failed";
    return unwell(told, { title, said: isRefused ? "One SELECT over the dataset’s tables is allowed." : firstLine(given.error?.message), more: [shown, edit], isRefused });
  }
  const { table } = given;
  if (!table) return failed(told, thread);
  const take = { csv: takeCsv(told), forms: given.forms ?? [] };
  /** @type {Face[]} */
  const faces = [
    { id: "table", name: "Table", draw: () => grid(table, take) },
    { id: "code", name: "Code", draw: () => html`<div class="codes">${shown}${edit}</div>` },
  ];
  return frame(told, thread, faces, null, null, html`<div class="known plain">${icon("check")}<div><b>Ran as written</b> <span class="why">The policy allows it; nobody checked what it means.</span><div class="src">over <code>${told.dataset}</code> · ${duration(given.usage?.wall_ms ?? NaN)} · no model</div></div></div>`);
}

/** @param {import("../../types/api").Sql} given */
function sqlRemarks(given) {
  const remarks = remarksOf(given.sql, given.findings ?? []);
  const line = /\bLINE (\d+):/.exec(given.error?.message ?? "");
  if (given.outcome === "failed" && line) remarks.push({ line: Number(line[1]), text: (given.error?.message ?? "").split("\n\nLINE")[0].replaceAll("\n", " "), severity: "error" });
  return remarks;
}

/** @param {string | undefined} text */
function firstLine(text) {
  return (text ?? "").split("\n")[0];
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function program(told, thread) {
  const given = /** @type {import("../../types/api").Execution} */ (told.output);
  const source = told.message.replace(/^\s*python:\s*/i, "");
  const remarks = remarksOf(source, given.findings ?? []);
  if (given.error?.line) remarks.push({ line: given.error.line, title: given.error.type, text: given.error.message, severity: "error" });
  const shown = html`<div class="msg"><header><b>Python</b><span>${given.outcome === "ok" ? `ran in ${duration(given.usage?.wall_ms ?? NaN)}` : `${given.outcome} after ${duration(given.usage?.wall_ms ?? NaN)}`}</span></header>${block(source, "python", { numbered: true, remarks })}</div>`;
  const edit = html`<div class="tools"><button type="button" class="btn" @click=${() => thread.write(`PYTHON:\n${source}`)}>${icon("edit")}Edit and run again</button></div>`;
  const printed = given.stdout ? html`<div class="msg"><header><b>Printed</b>${given.stdout_truncated ? html`<span>cut</span>` : null}</header>${block(given.stdout, "text", { label: "Printed" })}</div>` : null;
  const complaints = given.stderr && given.outcome !== "ok" ? html`<details class="fold"><summary>Error output, ${counted(given.stderr.trim().split("\n").length, "line")}</summary>${block(given.stderr, "text", { label: "Error output" })}</details>` : null;
  if (given.outcome !== "ok") {
    const title = given.outcome === "refused" ? "The guard refused the program" : given.outcome === "failed" ? `${given.error?.type ?? "Error"}: ${given.error?.message ?? "the program failed"}` : sentence(given.error?.message ?? "the program was stopped");
    return unwell(told, { title, said: given.error?.line ? `On line ${given.error.line}.` : "", more: [shown, printed, complaints, edit], isRefused: given.outcome === "refused" });
  }
  const { result } = given;
  const table = result?.kind === "table" ? result.table : null;
  const value = result?.kind === "scalar" ? block(typeof result.value === "string" ? result.value : pretty(result.value), "text", { label: "Value" }) : null;
  const figure = result?.kind === "figure" ? html`<img class="figure" src=${fileOf(told.run, result.path)} alt="The picture that the program drew">` : null;
  const files = given.files.map((file) => html`<a class="chip" download href=${fileOf(told.run, file.path)}>${icon("file")}${file.path}</a>`);
  const first = () => [table ? grid(table, { csv: takeCsv(told) }) : null, value, figure, printed, files.length ? html`<div class="chips">${files}</div>` : null, !table && !value && !figure && !printed && !files.length ? html`<p class="soft">It ran to its end and printed nothing.</p>` : null];
  /** @type {Face[]} */
  const faces = [
    { id: "answer", name: "Result", draw: () => html`<div class="codes">${first()}</div>` },
    { id: "code", name: "Code", draw: () => html`<div class="codes">${shown}${edit}</div>` },
  ];
  return frame(told, thread, faces, null, null, html`<div class="known plain">${icon("check")}<div><b>Ran as written</b> <span class="why">In a sandbox without network or files of yours.</span><div class="src">over <code>${told.dataset}</code> · ${duration(given.usage?.wall_ms ?? NaN)} · no model</div></div></div>`);
}

/**
 * @param {Told} told
 * @param {{title: string, said: string, more: any[], isRefused?: boolean}} what
 */
function unwell(told, what) {
  const foot = what.isRefused ? refusedLine("Nothing was run.", runLink(told.run)) : html`<div class="known broke">${icon("cross")}<div><b>Failed</b> <span class="why">${sentence(what.said || "it did not come to its end")}</span></div>${runLink(told.run)}</div>`;
  return html`<article class="card answer" aria-label=${what.title} tabindex="-1"><div class="body"><p class="what">${marked(what.title)}</p>${what.isRefused && what.said ? html`<p class="soft">${what.said}</p>` : null}<div class="codes">${what.more}</div></div>${foot}</article>`;
}

/**
 * Where a file of a run is.
 * @param {string} run
 * @param {string} name
 */
function fileOf(run, name) {
  return `/runs/${run}/artifacts/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** @param {string} run */
function runLink(run) {
  return html`<a class="btn bare" href=${`${RUNS}/${run}`}>The run${icon("right")}</a>`;
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function failed(told, thread) {
  const problem = told.problem ?? { message: "the run gave no answer" };
  return html`<article class="card answer" aria-label="Failed" tabindex="-1"><div class="body">${problemBox(problem.message, problem.hint, html`<button type="button" class="btn" @click=${() => thread.ask(told.message)}>Ask again</button>`)}</div><div class="known broke">${icon("cross")}<div><b>Failed</b> <span class="why">What was recorded is kept.</span></div>${runLink(told.run)}</div></article>`;
}

/**
 * @param {Told} told
 * @param {Thread} thread
 */
function stopped(told, thread) {
  return html`<article class="card answer" aria-label="Stopped" tabindex="-1"><div class="known plain only">${icon("stop")}<div><b>Stopped</b> <span class="why">You stopped it. What was recorded until then is kept.</span></div><div class="tools"><button type="button" class="btn bare" @click=${() => thread.ask(told.message)}>Ask again</button>${runLink(told.run)}</div></div></article>`;
}

/**
 * @param {string} title
 * @param {string | null | undefined} hint
 * @param {import("../dom.js").Content} [act]
 */
export function problemBox(title, hint, act = null) {
  return html`<div class="problem" role="alert">${icon("cross")}<div><b>${marked(sentence(title))}</b>${hint ? html`<p>${marked(sentence(hint))}</p>` : null}</div>${act}</div>`;
}

/** @typedef {{id: string, name: string, draw: () => import("../dom.js").Content}} Face */

/**
 * A card with its faces as tabs.
 * @param {Told} told
 * @param {Thread} thread
 * @param {Face[]} faces
 * @param {HTMLElement | null} above stays while faces change
 * @param {HTMLElement | null} below
 * @param {import("../dom.js").Content} foot
 */
function frame(told, thread, faces, above, below, foot) {
  const stem = fresh("faces");
  const panel = html`<div role="tabpanel" id=${`${stem}-panel`}></div>`;
  const tabs = faces.map((face) => html`<button type="button" role="tab" id=${`${stem}-${face.id}`} aria-controls=${`${stem}-panel`} data-face=${face.id} @click=${() => show(face.id, true)}>${face.name}</button>`);
  const list = html`<div class="tabs" role="tablist" aria-label="Faces of the answer">${tabs}</div>`;
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = step ? tabs[(at + step + tabs.length) % tabs.length] : { Home: tabs[0], End: tabs[tabs.length - 1] }[event.key];
    if (!next) return;
    event.preventDefault();
    next.focus();
    show(next.dataset.face ?? "", true);
  });

  function show(/** @type {string} */ id, /** @type {boolean} */ chosen) {
    const face = faces.find((each) => each.id === id) ?? faces[0];
    for (const tab of tabs) {
      const isIt = tab.dataset.face === face.id;
      tab.setAttribute("aria-selected", String(isIt));
      tab.tabIndex = isIt ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `${stem}-${face.id}`);
    fill(panel, face.draw());
    panel.hidden = !panel.childNodes.length;
    if (chosen) thread.face(face.id === faces[0].id ? "" : face.id);
  }

  show(told.face, false);
  const wrong = told.output.kind === "answer" ? correction(told) : null;
  return html`<article class="card answer" tabindex="-1" aria-label=${told.output.question ?? told.message.split("\n")[0]}><div class="cap">${list}<span class="grow"></span><div class="tools">${take(told)}<button type="button" class="btn bare icon hide-narrow" aria-label="Copy link" title="Copy link" @click=${() => copied(linkTo(told), "Link")}>${icon("link")}</button>${wrong?.button}</div></div><div class="body">${above}${panel}${below}</div>${wrong?.form}${foot}</article>`;
}

/**
 * What was wrong with an answer becomes a note about its data, which is shown with the answers it touches.
 * @param {Told} told
 */
function correction(told) {
  const field = /** @type {HTMLInputElement} */ (html`<input class="field" aria-label="What was wrong?" placeholder="cancelled orders should not count as revenue" maxlength="400">`);
  const said = html`<div></div>`;
  const form = html`<form class="wrong" hidden><p><b>What was wrong?</b> <span class="soft">It is kept as a lesson and as a note about <code>${told.dataset}</code>; <a href=${LESSONS}>Lessons</a> shows both, to change or delete.</span></p>${field}${said}<div class="tools"><button class="btn solid" type="submit">Remember</button><button type="button" class="btn bare" @click=${close}>Cancel</button></div></form>`;
  const button = html`<button type="button" class="btn bare icon" aria-label="This is wrong" title="This is wrong" aria-expanded="false" @click=${() => (form.hidden ? open() : close())}>${icon("thumb")}</button>`;

  function open() {
    form.hidden = false;
    button.setAttribute("aria-expanded", "true");
    field.focus();
  }

  function close() {
    form.hidden = true;
    button.setAttribute("aria-expanded", "false");
    button.focus();
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return field.focus();
    try {
      const text = field.value.trim();
      await api.post("/notes", { dataset_id: told.dataset, text });
      await api.post("/lessons", { text, task: told.message.slice(0, 4000), run: told.run });
      field.value = "";
      fill(said);
      close();
      toast("Remembered");
    } catch (error) {
      fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  });
  return { button, form };
}

/** @param {Told} told */
function linkTo(told) {
  return `${location.origin}/page/ask?data=${encodeURIComponent(told.dataset)}&runs=${told.run}${told.face ? `:${told.face}` : ""}`;
}

/** @param {Told} told */
function takeCsv(told) {
  return () => {
    const table = tableOf(told);
    if (table) copied(csv(table), "CSV");
  };
}

/** @param {Told} told */
function tableOf(told) {
  return told.output.table ?? told.output.result?.table ?? null;
}

/** @param {Told} told */
function take(told) {
  const { output } = told;
  const table = tableOf(told);
  const source = output.sql ?? (output.kind === "execution" ? told.message.replace(/^\s*python:\s*/i, "") : output.code?.text);
  const body = JSON.stringify({ dataset_id: told.dataset, message: isContinued(told) ? `SQL: ${output.sql}` : told.message });
  const token = api.isProven() ? ` -H "Authorization: Bearer $ASSAY_TOKEN"` : "";
  const curl = `curl -s ${quoted(`${location.origin}/chat`)} -H 'Content-Type: application/json'${token} -d ${quoted(body)}`;
  return menu({ label: "Copy as", picture: "copy" }, [
    source && { name: output.kind === "execution" || (!output.sql && output.code?.language === "python") ? "Python" : "SQL", act: () => copied(source, "Code") },
    table && { name: "Table as CSV", act: () => copied(csv(table), "CSV") },
    table && { name: "Table as Markdown", act: () => copied(markdown(table), "Markdown") },
    table && { name: "Save the CSV", act: () => saved(csv(table), `${told.run.slice(-8)}.csv`, "text/csv") },
    output.chart && { name: "Save the chart", act: () => location.assign(`/runs/${told.run}/chart.svg`) },
    { name: "curl", act: () => copied(curl, "curl command") },
    command(told) && { name: "assay command", act: () => copied(/** @type {string} */ (command(told)), "Command") },
    { name: "Link", act: () => copied(linkTo(told), "Link") },
  ]);
}

/** Whether its words alone do not say what was asked, but its statement does. */
function isContinued(/** @type {Told} */ told) {
  return Boolean(told.output.sql) && (told.output.assumptions ?? []).some((/** @type {any} */ each) => each.code === "follow_up" || each.code === "reading_chosen");
}

/** @param {Told} told */
function command(told) {
  const data = quoted(told.dataset);
  if (isContinued(told)) return `assay sql ${data} ${quoted(told.output.sql)}`;
  if (told.output.kind === "answer") return `assay ask ${data} ${quoted(told.message)}`;
  if (told.output.kind === "sql") return `assay sql ${data} ${quoted(told.output.sql)}`;
  return null;
}
