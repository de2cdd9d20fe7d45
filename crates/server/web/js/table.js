// A result as a table, sorted by its headers, and as bars beside its names.

import { html, fill } from "./dom.js";
import { cell, count, isNumber } from "./format.js";

/** @typedef {import("../types/api").AnswerParts.Table} Table */
/** @typedef {import("../types/api").AnswerParts.Form} Form */

const TEXT_MAX = 40;
/** More rows are shown when asked for. */
const ROWS_FIRST = 100;
const BARS_MAX = 12;

/**
 * @param {any} value
 * @param {{name: string, type: string}} column
 * @param {Form | null} [form]
 */
function shown(value, column, form) {
  const text = cell(value, column, form);
  if (text === null) return html`<i class="null">empty</i>`;
  if (text.length <= TEXT_MAX || isNumber(column.type)) return text;
  return html`<span class="cut" tabindex="0" title=${text}>${text}</span>`;
}

/**
 * The whole result.
 * @param {Table} table
 * @param {{forms?: Form[], csv?: (() => void) | null, name?: string}} [how]
 */
export function grid(table, how = {}) {
  const forms = how.forms ?? [];
  let order = /** @type {{at: number, down: boolean} | null} */ (null);
  let limit = ROWS_FIRST;
  const body = html`<tbody></tbody>`;
  const headers = table.columns.map((column, at) => html`<th scope="col" class=${isNumber(column.type) ? "num" : null}><button type="button" @click=${() => turn(at)}>${column.name}${unit(forms[at])}<span class="way" aria-hidden="true"></span></button></th>`);
  const foot = html`<div class="table-foot"></div>`;

  function turn(/** @type {number} */ at) {
    if (order?.at !== at) order = { at, down: true };
    else order = order.down ? { at, down: false } : null;
    draw();
  }

  function draw() {
    const rows = order ? [...table.rows].sort((a, b) => compare(a[/** @type {any} */ (order).at], b[/** @type {any} */ (order).at], table.columns[/** @type {any} */ (order).at]) * (/** @type {any} */ (order).down ? -1 : 1)) : table.rows;
    headers.forEach((header, at) => {
      const isHere = order?.at === at;
      if (isHere) header.setAttribute("aria-sort", order?.down ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
      fill(/** @type {HTMLElement} */ (header.querySelector(".way")), isHere ? (order?.down ? " ↓" : " ↑") : "");
    });
    fill(body, rows.slice(0, limit).map((row) => html`<tr>${row.map((value, at) => {
      const column = table.columns[at];
      return html`<td class=${isNumber(column.type) ? "num" : null}>${shown(value, column, forms[at])}</td>`;
    })}</tr>`));
    if (!table.rows.length) fill(body, html`<tr><td colspan=${table.columns.length} class="quiet">No rows.</td></tr>`);
    const more = table.rows.length > limit;
    const listed = more ? limit : table.rows.length;
    const isPart = table.truncated || more;
    fill(
      foot,
      html`<span>${isPart ? `first ${count(listed)} of ${count(table.row_count)} rows` : `${count(table.row_count)} ${table.row_count === 1 ? "row" : "rows"}`}</span>`,
      more ? html`<button type="button" class="text-btn" @click=${() => { limit = table.rows.length; draw(); }}>Show ${count(table.rows.length)}</button>` : null,
      how.csv ? html`<button type="button" class="text-btn" @click=${how.csv}>Copy as CSV</button>` : null,
    );
  }

  draw();
  return html`<div class="flush"><div class="scroll" tabindex="0" role="group" aria-label=${how.name ?? "Table"}><table><thead><tr>${headers}</tr></thead>${body}</table></div>${foot}</div>`;
}

/** @param {Form | null | undefined} form */
function unit(form) {
  return form?.unit ? html`<span class="unit">${form.unit}</span>` : null;
}

/**
 * @param {any} a
 * @param {any} b
 * @param {{type: string}} column
 */
function compare(a, b, column) {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (isNumber(column.type)) return Number(a) - Number(b);
  return String(a).localeCompare(String(b), "en");
}

/**
 * Names with bars that start at zero, where a result has that shape; nothing where it has not.
 * @param {Table} table
 * @param {string[] | null} focus the column of the names, and that of the numbers
 * @param {Form[]} forms
 */
export function bars(table, focus, forms) {
  const shape = shapeOf(table, focus);
  if (!shape) return null;
  const { label, value } = shape;
  const rows = table.rows.slice(0, BARS_MAX);
  const most = Math.max(...rows.map((row) => Number(row[value])));
  const width = (/** @type {any} */ number) => `${most > 0 ? Math.max(0, (Number(number) / most) * 100).toFixed(2) : 0}%`;
  const left = table.row_count - rows.length;
  const body = rows.map((row) => html`<tr><td class="label">${shown(row[label], table.columns[label], forms[label])}</td><td class="bar"><svg class="hbar" aria-hidden="true"><rect class="fill" width=${width(row[value])} height="100%" rx="2"></rect></svg></td><td class="num">${shown(row[value], table.columns[value], forms[value])}</td></tr>`);
  return html`<div class="flush"><div class="scroll" tabindex="0" role="group" aria-label="Answer"><table class="bars"><thead><tr><th scope="col">${table.columns[label].name}</th><td></td><th scope="col" class="num">${table.columns[value].name}${unit(forms[value])}</th></tr></thead><tbody>${body}</tbody></table></div>${left > 0 ? html`<div class="table-foot"><span>and ${count(left)} more in the table</span></div>` : null}</div>`;
}

/**
 * @param {Table} table
 * @param {string[] | null} focus
 */
function shapeOf(table, focus) {
  if (table.rows.length < 2 || table.columns.length < 2) return null;
  const at = (/** @type {string | undefined} */ name) => table.columns.findIndex((column) => column.name === name);
  let value = at(focus?.[1]);
  if (value < 0 || !isNumber(table.columns[value].type)) value = table.columns.findLastIndex((column) => isNumber(column.type));
  let label = at(focus?.[0]);
  if (label < 0 || label === value) label = table.columns.findIndex((_, index) => index !== value);
  const names = new Set(table.rows.map((row) => row[label]));
  const fits = value >= 0 && label >= 0 && names.size === table.rows.length && table.rows.every((row) => row[value] !== null && Number(row[value]) >= 0);
  // A third column would be left out in silence.
  return fits && table.columns.length === 2 ? { label, value } : null;
}
