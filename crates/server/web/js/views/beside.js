// What can be named in a question: measures, tables and columns of a dataset. A click puts the name where one writes.

import * as api from "../api.js";
import { html } from "../dom.js";
import { count, shortDate } from "../format.js";
import { icon } from "../icons.js";

const OPEN_MAX = 2;

/** @type {Record<string, string>} */
const PICTURES = { int: "num", float: "num", decimal: "num", text: "text", json: "text", date: "date", time: "clock", timestamp: "date", bool: "bool" };

/** @param {{type: string, key?: boolean, unique?: boolean}} column */
export function pictureOf(column) {
  return column.key ? "key" : PICTURES[column.type] ?? "text";
}

/**
 * @param {string} dataset
 * @param {AbortSignal} signal
 * @param {(word: string) => void} insert
 */
export async function beside(dataset, signal, insert) {
  const name = encodeURIComponent(dataset);
  const [about, schema] = await Promise.all([api.get(`/datasets/${name}`, signal), api.get(`/datasets/${name}/schema`, signal)]);
  const targets = new Map(schema.relations.map((/** @type {any} */ link) => [`${link.from_table}.${link.from_column}`, link.to_table]));
  const entry = (/** @type {string} */ picture, /** @type {string} */ word, /** @type {string} */ note) => html`<li><button type="button" @click=${() => insert(word)}>${icon(picture)}<span>${word}</span><small>${note}</small></button></li>`;
  const tables = about.tables.map((/** @type {any} */ table, /** @type {number} */ at) => html`<details open=${at < OPEN_MAX}><summary>${icon("right")}<span>${table.name}</span><small>${count(table.rows)}</small></summary><ul class="cols">${table.columns.map((/** @type {any} */ column) => entry(pictureOf({ ...column, key: column.unique && targets.get(`${table.name}.${column.name}`) === undefined && /id$/i.test(column.name) }), column.name, noteOf(column, targets.get(`${table.name}.${column.name}`))))}</ul></details>`);
  const measures = (about.measures ?? []).map((/** @type {any} */ measure) => entry("sum", (measure.name ?? "").replaceAll("_", " "), measure.unit === "share" ? "%" : measure.unit ?? ""));
  const remembered = (about.remembered ?? about.notes ?? []).filter((/** @type {any} */ note) => note?.text);
  const aside = [
    html`<section><h2><a class="plain" href=${`/page/data/${name}`}>${dataset}</a></h2><p class="quiet tiny">${about.description ? `${about.description}. ` : ""}Click a name to put it in the question.</p></section>`,
    measures.length ? html`<section><h2>Measures</h2><ul class="cols">${measures}</ul></section>` : null,
    html`<section><h2>Tables</h2>${tables}</section>`,
    remembered.length ? html`<section><h2>Remembered</h2>${remembered.map((/** @type {any} */ note) => html`<p class="soft">${note.text}</p>`)}</section>` : null,
  ];
  return { aside, questions: schema.questions ?? [] };
}

/**
 * @param {any} column
 * @param {unknown} target
 */
function noteOf(column, target) {
  if (target) return `→ ${target}`;
  if (column.unit) return column.unit;
  if (column.type === "date" && column.min) return `${shortDate(column.min)} – ${shortDate(column.max)}`;
  if (column.type === "text" && column.values_complete) return `${column.distinct} values`;
  return "";
}
