// Data: which datasets there are; and of one, its columns with their gaps and shapes, its links, what was done to read it,
// what is remembered about it and what one can ask.

import * as address from "../address.js";
import * as api from "../api.js";
import { toast } from "../copy.js";
import { fill, fresh, html, marked } from "../dom.js";
import { bytes, cell, count, counted, dated, moment, percent, sentence, shortDate } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";
import { lineOf } from "./ask.js";
import { pictureOf } from "./beside.js";
import { notes } from "./notes.js";
import { relations } from "./relations.js";
import { dropZone } from "./upload.js";

const TOP_MAX = 3;
const EXAMPLES_MAX = 3;
const ASKED_MAX = 5;
const HIST = { width: 132, height: 30 };

/** @param {import("../main.js").Frame} frame */
export async function show(frame, /** @type {string | undefined} */ name) {
  if (name) return one(frame, name);
  const { datasets } = await api.get("/datasets", frame.signal);
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><h1>Data</h1><p class="lede">Files are read inside the sandbox, once for each version of their contents. What was done to read them is said.</p></div></div>
<ul class="cards">${datasets.map((/** @type {any} */ each) => html`<li class="card"><a class="setlink" href=${`${address.DATA}/${encodeURIComponent(each.id)}`}>${icon("data")}<b>${each.id}</b>${each.origin === "built-in" ? html`<span class="tag">built in</span>` : null}</a><p>${each.description ? `${each.description}.` : ""}</p><small>${counted(each.tables.length, "table")}${each.rows ? ` · ${counted(each.rows, "row")}` : ""}${each.bytes ? ` · ${bytes(each.bytes)}` : ""}${each.files === "changed" ? " · its files have changed since" : ""}</small></li>`)}</ul>
<section class="sect"><h2>Or bring your own</h2>${dropZone(frame)}</section></div></main>`);
}

/**
 * @param {import("../main.js").Frame} frame
 * @param {string} name
 */
async function one(frame, name) {
  const { signal } = frame;
  frame.title(name);
  const path = `/datasets/${encodeURIComponent(name)}`;
  const loading = html`<main id="main" class="main" tabindex="-1"><div class="page"><h1>${name}</h1><p class="lede">Reading it, which is done once.</p><div class="card skeleton" aria-busy="true"><span class="skel w1"></span><span class="skel w2"></span><span class="skel w3"></span></div></div></main>`;
  frame.place(loading);
  /** @type {[import("../../types/api").Dataset, import("../../types/api").Profile, import("../../types/api").DatasetSchema, import("../../types/api").Datasets, {threads: any[]}, any]} */
  const [about, profile, schema, all, { threads }, remembered] = await Promise.all([api.get(path, signal), api.get(`${path}/profile`, signal), api.get(`${path}/schema`, signal), api.get("/datasets", signal), api.get("/threads?limit=100", signal), api.get(`/notes?dataset_id=${encodeURIComponent(name)}`, signal)]);
  const asked = threads.filter((/** @type {any} */ each) => each.dataset_id === name);
  const listed = all.datasets.find((/** @type {any} */ each) => each.id === name);
  const isBuiltIn = listed?.origin === "built-in";
  const rows = profile.tables.reduce((/** @type {number} */ sum, /** @type {any} */ table) => sum + table.rows, 0);
  const read = listed?.read_at ? ` Read ${/^\d\d:/.test(moment(listed.read_at)) ? "today at " : ""}${moment(listed.read_at)}, inside the sandbox.` : isBuiltIn ? "" : " Read inside the sandbox.";
  const remarks = profile.remarks?.length ? profile.remarks : about.remarks ?? [];
  const remove = listed && !isBuiltIn ? html`<button type="button" class="btn bare" @click=${async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      fill(button, icon("bin"), "Remove for good?");
      return;
    }
    try {
      await api.remove(path);
      toast(`${name} removed`);
      address.go(address.DATA);
    } catch (error) {
      button.after(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  }}>${icon("bin")}Remove</button>` : null;

  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><nav class="crumbs" aria-label="Where this is"><a href=${address.DATA}>Data</a><span aria-hidden="true">/</span><span>${isBuiltIn ? "built in" : listed?.files_bytes ? `${counted(listed.paths?.length ?? 1, "file")}, ${bytes(listed.files_bytes)}` : "added"}</span></nav><h1>${name}</h1><p class="lede">${about.description ? `${about.description}. ` : ""}${counted(profile.tables.length, "table")}, ${counted(rows, "row")}.${read}</p></div><div class="tools">${remove}<a class="btn solid" href=${`${address.ASK}?data=${encodeURIComponent(name)}`}>Ask this data</a></div></div>
<div class="datagrid"><div class="stack">${columns(profile, schema)}${profile.relations.length ? html`<section class="card"><div class="cap"><h2>How the tables hang together</h2><span class="grow"></span><span class="quiet small">${isBuiltIn ? "declared" : "found in the values or declared"}</span></div><div class="in">${relations(profile.tables, profile.relations)}</div></section>` : null}${remarks.length ? done(remarks) : null}</div>
<div class="stack"><section class="card"><div class="cap bare"><h2>You can ask</h2></div><div class="in"><ul class="side-list">${schema.questions.map((/** @type {string} */ question) => html`<li><button type="button" @click=${() => address.go(`${address.ASK}?data=${encodeURIComponent(name)}`, { waiting: [question] })}>${question}</button></li>`)}</ul></div></section>
<section class="card"><div class="cap bare"><h2>Freshness</h2></div><div class="in"><dl class="kv">${newest(profile)}<dt>Files</dt><dd>${isBuiltIn ? "part of the program" : listed?.files === "changed" ? html`<span class="state wait">${icon("warn")}changed since read</span>` : html`<span class="state ok">${icon("check")}as read</span>`}</dd><dt>Version</dt><dd><code>${about.version.slice(0, 8)}</code></dd></dl></div></section>
${asked.length ? html`<section class="card"><div class="cap bare"><h2>Asked before</h2></div><div class="in"><ul class="side-list">${asked.slice(0, ASKED_MAX).map((/** @type {any} */ each) => html`<li><a href=${`${address.ASK}?data=${encodeURIComponent(name)}&thread=${encodeURIComponent(each.id)}`}>${lineOf(each.title ?? "")}<small>${moment(each.at)}</small></a></li>`)}</ul></div></section>` : null}
<section class="card"><div class="cap bare"><h2>Remembered</h2></div>${notes(name, remembered.notes, remembered.proposed)}</section>
<section class="card"><div class="cap bare"><h2>Datasets</h2></div><div class="in"><ul class="side-list">${all.datasets.filter((/** @type {any} */ each) => each.id !== name).map((/** @type {any} */ each) => html`<li><a href=${`${address.DATA}/${encodeURIComponent(each.id)}`}>${icon("data")}${each.id}<small>${counted(each.tables.length, "table")}</small></a></li>`)}</ul></div></section>
${dropZone(frame, true)}</div></div></div></main>`);
}

/** The latest day of the columns that tell of time. */
function newest(/** @type {import("../../types/api").Profile} */ profile) {
  const days = profile.tables.flatMap((/** @type {any} */ table) => table.columns.filter((/** @type {any} */ column) => column.time).map((/** @type {any} */ column) => String(column.max)));
  const last = days.sort().at(-1);
  return last ? [html`<dt>Newest day</dt>`, html`<dd>${dated(last.slice(0, 10))}</dd>`] : null;
}

/**
 * @param {import("../../types/api").Profile} profile
 * @param {import("../../types/api").DatasetSchema} schema
 */
function columns(profile, schema) {
  const stem = fresh("tables");
  const panel = html`<div role="tabpanel" id=${stem} class="scroll" tabindex="0"></div>`;
  const tabs = profile.tables.map((/** @type {any} */ table, /** @type {number} */ at) => html`<button type="button" role="tab" id=${`${stem}-${at}`} aria-controls=${stem} @click=${() => choose(at)}>${table.name} <span class="quiet">${count(table.rows)}</span></button>`);
  const list = html`<div class="tabs" role="tablist" aria-label="Tables">${tabs}</div>`;
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step + tabs.length) % tabs.length;
    tabs[next].focus();
    choose(next);
  });

  function choose(/** @type {number} */ at) {
    tabs.forEach((/** @type {HTMLElement} */ tab, /** @type {number} */ index) => {
      tab.setAttribute("aria-selected", String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${stem}-${at}`);
    const table = profile.tables[at];
    const known = schema.tables.find((/** @type {any} */ each) => each.name === table.name);
    fill(panel, html`<table class="cols-table"><thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Empty</th><th scope="col">Shape</th><th scope="col">Such as</th></tr></thead><tbody>${table.columns.map((/** @type {any} */ column) => row(column, table, known?.columns.find((/** @type {any} */ each) => each.name === column.name)))}</tbody></table>`);
  }

  choose(0);
  return html`<section class="card" aria-label="Columns"><div class="cap">${list}</div>${panel}</section>`;
}

/**
 * @param {any} column
 * @param {any} table
 * @param {any} known what the schema says of it
 */
function row(column, table, known) {
  const share = table.rows ? column.nulls / table.rows : 0;
  const facts = [column.unique && column.key ? "key" : null, column.references.length ? `→ ${column.references[0]}` : null, `${column.distinct_is_exact ? "" : "about "}${count(column.distinct)} distinct`].filter(Boolean).join(", ");
  const examples = [...new Set([column.example, ...(known?.examples ?? []), ...column.top.map((/** @type {any[]} */ each) => each[0])].filter((value) => value !== null && value !== undefined).map(String))].slice(0, EXAMPLES_MAX);
  return html`<tr><td class="c-name"><span class="cname">${icon(pictureOf(column))}${column.name}</span><span class="cdesc">${facts}${column.description ? html`<br>${column.description}` : null}</span></td><td class="c-type"><span class="tag mono">${column.type}</span>${column.unit ? html`<br><span class="quiet tiny">${column.unit}</span>` : null}</td><td class="w-null"><div class="nullcell"><svg class="hbar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"></rect><rect class="wait" width=${share ? `${Math.max(2, share * 100).toFixed(1)}%` : "0%"} height="100%" rx="2"></rect></svg>${column.nulls ? html`<span><b>${count(column.nulls)} empty</b><i>${percent(share)}</i></span>` : html`<span>none empty</span>`}</div></td><td class="w-hist">${shape(column, table)}</td><td class="c-ex"><span class="ex">${examples.join(", ")}</span></td></tr>`;
}

/**
 * The shape of a column: how many values lie where, or which are most frequent.
 * @param {any} column
 * @param {any} table
 */
function shape(column, table) {
  const ends = (/** @type {unknown} */ value) => (column.type === "date" || column.type === "timestamp" ? shortDate(value) : cell(value, column) ?? "");
  if (column.histogram.length) {
    const most = Math.max(...column.histogram, 1);
    const step = HIST.width / column.histogram.length;
    const bars = column.histogram.map((/** @type {number} */ each, /** @type {number} */ at) => {
      const high = each ? Math.max(1, (each / most) * HIST.height) : 0;
      return `M${(at * step).toFixed(2)} ${HIST.height}v-${high.toFixed(2)}h${(step - 1).toFixed(2)}v${high.toFixed(2)}z`;
    });
    return html`<div><svg class="hist" viewBox=${`0 0 ${HIST.width} ${HIST.height}`} preserveAspectRatio="none" role="img" aria-label=${`from ${ends(column.min)} to ${ends(column.max)}`}><path d=${bars.join("")}></path></svg><div class="hist-ends" aria-hidden="true"><span>${ends(column.min)}</span><span>${ends(column.max)}</span></div></div>`;
  }
  const top = column.top.slice(0, TOP_MAX);
  if (!top.length) return html`<span class="quiet tiny">each once</span>`;
  const rest = table.rows - column.nulls - top.reduce((/** @type {number} */ sum, /** @type {any[]} */ each) => sum + each[1], 0);
  return html`<div class="cats">${top.map((/** @type {any[]} */ [value, times]) => html`<span><svg aria-hidden="true"><rect width=${`${((times / Math.max(table.rows, 1)) * 100).toFixed(1)}%`} height="100%" rx="2"></rect></svg><i>${String(value)}</i><em>${count(times)}</em></span>`)}${rest > 0 && column.distinct > top.length ? html`<span><i class="quiet">others</i><em>${count(rest)}</em></span>` : null}</div>`;
}

/** @param {import("../../types/api").DatasetParts.Remark[]} remarks */
function done(remarks) {
  const where = (/** @type {any} */ remark) => {
    if (remark.rows?.length) return `${remark.rows.length === 1 ? "row" : "rows"} ${remark.rows.slice(0, 3).join(", ")}${(remark.count ?? remark.rows.length) > 3 ? ` and ${count((remark.count ?? remark.rows.length) - 3)} more` : ""}`;
    return remark.count ? count(remark.count) : "";
  };
  const isNews = (/** @type {any} */ remark) => /skip|ragged|short|lost|broken|unread|empty|set_aside|kept_as_text|invalid|damaged|truncated/.test(remark.code);
  return html`<section class="card"><div class="cap"><h2>What was done to read it</h2><span class="grow"></span><span class="tag">${counted(remarks.length, "remark")}</span></div><ul class="remarks">${remarks.map((remark) => html`<li>${icon(isNews(remark) ? "warn" : "note", isNews(remark) ? "" : "note")}<span>${remark.file && !remark.message.includes(remark.file) ? [html`<code>${remark.file}</code>`, remark.column ? [", ", html`<code>${remark.column}</code>`] : "", ": "] : null}${marked(remark.message)}</span><small>${where(remark)}</small></li>`)}</ul></section>`;
}

