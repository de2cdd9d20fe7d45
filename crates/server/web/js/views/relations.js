// How tables hang together, drawn: the table with the most links in the middle, the others around it, and lines from the
// column that names a row to the column that it names.

import { html, svg } from "../dom.js";
import { count } from "../format.js";

const BOX = 168;
const HEAD = 32;
const LINE = 20;
const GAP = 22;
const WIDTH = 704;
/** More tables are listed, not drawn. */
const TABLES_MAX = 9;
const COLUMNS_MAX = 6;

/**
 * @typedef {{from_table: string, from_column: string, to_table: string, to_column: string}} Link
 * @typedef {{name: string, rows: number, columns: {name: string, type: string, unit?: string | null, unique?: boolean}[]}} Shown
 * @typedef {{table: Shown, columns: Shown["columns"], x: number, y: number, high: number}} Box
 */

/**
 * @param {Shown[]} tables
 * @param {Link[]} links
 */
export function relations(tables, links) {
  const list = html`<ul class="links">${links.map((link) => html`<li><code>${link.from_table}.${link.from_column}</code> → <code>${link.to_table}.${link.to_column}</code></li>`)}</ul>`;
  if (tables.length > TABLES_MAX) return html`<div class="rel listed">${list}</div>`;
  const boxes = placed(tables, links);
  const high = Math.max(...boxes.map((box) => box.y + box.high)) + 2;
  const named = `${tables.length} tables: ${links.map((link) => `${link.from_table}.${link.from_column} names ${link.to_table}.${link.to_column}`).join("; ")}`;
  const drawing = html`<svg viewBox=${`0 0 ${WIDTH} ${high}`} role="img" aria-label=${named}></svg>`;
  drawing.append(...links.flatMap((link) => line(link, boxes)), ...boxes.map((box) => boxed(box, links)));
  return html`<div class="rel"><div class="drawn">${drawing}</div>${list}</div>`;
}

/**
 * @param {Shown[]} tables
 * @param {Link[]} links
 * @returns {Box[]}
 */
function placed(tables, links) {
  const degree = (/** @type {Shown} */ table) => links.filter((link) => link.from_table === table.name || link.to_table === table.name).length;
  const [hub, ...others] = [...tables].sort((a, b) => degree(b) - degree(a));
  /** @type {Shown[][]} */
  const columns = tables.length === 1 ? [[], [hub], []] : tables.length === 2 ? [[hub], [], others] : [[], [hub], []];
  if (tables.length > 2) others.forEach((table, at) => columns[at % 2 ? 2 : 0].push(table));
  const boxes = columns.map((column, at) => {
    let y = 1;
    return column.map((table) => {
      const shown = kept(table, links);
      const high = HEAD + shown.length * LINE + 8;
      const box = { table, columns: shown, x: [1, (WIDTH - BOX) / 2, WIDTH - BOX - 1][at], y, high };
      y += high + GAP;
      return box;
    });
  });
  const tall = Math.max(...boxes.map((column) => column.reduce((sum, box) => Math.max(sum, box.y + box.high), 0)));
  for (const column of boxes) {
    const end = column.reduce((sum, box) => Math.max(sum, box.y + box.high), 0);
    for (const box of column) box.y += Math.round((tall - end) / 2);
  }
  return boxes.flat();
}

/**
 * The columns that links stand on, and as many others as there is room for.
 * @param {Shown} table
 * @param {Link[]} links
 */
function kept(table, links) {
  const isLinked = (/** @type {{name: string}} */ column) => links.some((link) => (link.from_table === table.name && link.from_column === column.name) || (link.to_table === table.name && link.to_column === column.name));
  const linked = table.columns.filter(isLinked);
  const rest = table.columns.filter((column) => !isLinked(column));
  return [...linked, ...rest].slice(0, Math.max(linked.length, COLUMNS_MAX));
}

/**
 * @param {Box} box
 * @param {Link[]} links
 */
function boxed(box, links) {
  const { x, y, high, table, columns } = box;
  const short = (/** @type {string} */ text, /** @type {number} */ most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const note = (/** @type {Shown["columns"][number]} */ column) => {
    if (links.some((link) => link.from_table === table.name && link.from_column === column.name)) return "→";
    if (links.some((link) => link.to_table === table.name && link.to_column === column.name)) return "key";
    return column.unit ?? column.type;
  };
  return svg`<g><rect class="box" x=${x} y=${y} width=${BOX} height=${high} rx="6"></rect><path class="hd" d=${`M${x + 0.5} ${y + HEAD}V${y + 6.5}a6 6 0 0 1 6-6h${BOX - 13}a6 6 0 0 1 6 6V${y + HEAD}z`}></path><text class="tt" x=${x + 12} y=${y + 20}>${short(table.name, 16)}</text><text class="tn" x=${x + BOX - 12} y=${y + 20} text-anchor="end">${count(table.rows)}</text>${columns.map((column, at) => [svg`<text class="tc" x=${x + 12} y=${y + HEAD + 17 + at * LINE}>${short(column.name, 18)}</text>`, svg`<text class="tn" x=${x + BOX - 12} y=${y + HEAD + 17 + at * LINE} text-anchor="end">${short(note(column), 8)}</text>`])}</g>`;
}

/**
 * @param {Link} link
 * @param {Box[]} boxes
 */
function line(link, boxes) {
  const from = boxes.find((box) => box.table.name === link.from_table);
  const to = boxes.find((box) => box.table.name === link.to_table);
  if (!from || !to || from === to) return [];
  const high = (/** @type {Box} */ box, /** @type {string} */ name) => box.y + HEAD + 13 + box.columns.findIndex((column) => column.name === name) * LINE;
  const [y1, y2] = [high(from, link.from_column), high(to, link.to_column)];
  const toRight = to.x > from.x || (to.x === from.x && from.x < WIDTH / 2);
  const x1 = toRight ? from.x + BOX : from.x;
  const x2 = to.x > from.x ? to.x : to.x < from.x ? to.x + BOX : toRight ? to.x + BOX : to.x;
  const bend = to.x === from.x ? (toRight ? 60 : -60) : (x2 - x1) / 2;
  const foot = toRight ? 8 : -8;
  return [
    svg`<path class="edge" d=${`M${x1 + foot} ${y1}C${x1 + bend} ${y1} ${x2 - (to.x === from.x ? -bend : bend)} ${y2} ${x2} ${y2}`}></path>`,
    svg`<path class="edge" d=${`M${x1} ${y1 - 5}L${x1 + foot} ${y1}L${x1} ${y1 + 5}M${x1} ${y1}H${x1 + foot}`}></path>`,
    svg`<circle class="end" cx=${x2} cy=${y2} r="3.5"></circle>`,
  ];
}
