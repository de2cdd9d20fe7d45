// How values are written: numbers with thousands, times and durations in few letters, empty cells by that word.

/** @param {number} ms */
export function duration(ms) {
  if (!Number.isFinite(ms)) return "";
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** @param {number} value */
export function count(value) {
  return value.toLocaleString("en-US");
}

/**
 * @param {number} amount
 * @param {string} one
 * @param {string} [many]
 */
export function counted(amount, one, many = `${one}s`) {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** @param {number} value */
export function bytes(value) {
  for (const [size, unit] of /** @type {[number, string][]} */ ([[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])) {
    if (value >= size) return `${(value / size).toFixed(value >= 10 * size ? 0 : 1)} ${unit}`;
  }
  return `${value} B`;
}

/** @param {number} share */
export function percent(share) {
  const value = share * 100;
  return `${value !== 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

/** The time of day, and the day where it is another. */
export function moment(/** @type {string} */ at) {
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return "";
  const clock = `${String(then.getHours()).padStart(2, "0")}:${String(then.getMinutes()).padStart(2, "0")}`;
  const today = new Date();
  if (then.toDateString() === today.toDateString()) return clock;
  return `${day(then)}, ${clock}`;
}

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/** @param {Date} then */
function day(then) {
  const year = then.getFullYear() === new Date().getFullYear() ? "" : ` ${then.getFullYear()}`;
  return `${then.getDate()} ${MONTHS[then.getMonth()]}${year}`;
}

/** `2026-06-30` as `30 Jun`; anything else as it is. */
export function shortDate(/** @type {unknown} */ value) {
  const parts = /^(\d{4})-(\d\d)-(\d\d)/.exec(String(value));
  return parts ? `${Number(parts[3])} ${MONTHS[Number(parts[2]) - 1].slice(0, 3)}` : String(value);
}

/** Days in a text as people write them: `2026-05-01 to 2026-05-31` is 1 to 31 May 2026. Tables keep theirs. */
export function dated(/** @type {string} */ text) {
  const ISO = String.raw`(\d{4})-(\d\d)-(\d\d)(?![\dT])`;
  const said = (/** @type {string} */ year, /** @type {string} */ month, /** @type {string} */ date) => `${Number(date)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
  return text
    .replace(new RegExp(`${ISO} to ${ISO}`, "g"), (_, y1, m1, d1, y2, m2, d2) => {
      const from = y1 !== y2 ? said(y1, m1, d1) : m1 !== m2 ? `${Number(d1)} ${MONTHS[Number(m1) - 1]}` : Number(d1) === Number(d2) ? "" : String(Number(d1));
      return from ? `${from} to ${said(y2, m2, d2)}` : said(y2, m2, d2);
    })
    .replace(new RegExp(ISO, "g"), (_, year, month, date) => said(year, month, date));
}

/** Whether a column is shown to the right. */
export function isNumber(/** @type {string} */ type) {
  return type === "int" || type === "float" || type === "decimal";
}

/** @typedef {import("../types/api").AnswerParts.Form} Form */

/**
 * A cell's text in its column's form, as sentences and charts write it; copies carry the exact value.
 * @param {unknown} value
 * @param {{name: string, type: string}} column
 * @param {Form | null} [form]
 */
export function cell(value, column, form = null) {
  if (value === null || value === undefined) return null;
  if (form?.period && typeof value === "string") return period(form.period, value);
  if (typeof value === "boolean" || !isNumber(column.type)) return String(value);
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  // Nothing says what the numbers are, so they have no thousands.
  if (!form) return Number.isInteger(number) ? String(value) : String(Number(number.toFixed(4)));
  if (form.bins) return bin(form.bins, number);
  if (form.percent) return `${fixed(number * 100, form.digits)} %`;
  if (form.plain) return String(value);
  const isWhole = /^-?\d+$/.test(String(value));
  return form.digits === 0 && isWhole ? grouped(String(value)) : fixed(number, form.digits);
}

/**
 * So many decimals, and thousands set apart; what would be nothing with so few has three digits that say something.
 * @param {number} number
 * @param {number} digits
 */
function fixed(number, digits) {
  const size = Math.abs(number);
  if (size >= 1e16 || (size > 0 && size < 1e-6)) return number.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  if (size > 0 && size < 0.5 * 10 ** -digits) return number.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  return number.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * A bin by its lower edge.
 * @param {{width: number, holds: "whole" | "fractions" | "years"}} bins
 * @param {number} edge
 */
function bin({ width, holds }, edge) {
  const end = Math.round((edge + width) * 1e9) / 1e9;
  if (holds === "years") return width === 10 ? `${edge}s` : `${edge}–${end - 1}`;
  const text = (/** @type {number} */ number) => (number + 0).toLocaleString("en-US", { maximumFractionDigits: 9 });
  if (holds === "fractions") return `[${text(edge)}, ${text(end)})`;
  if (width === 1) return text(edge);
  return `${text(edge)}${edge < 0 ? " to " : "–"}${text(end - 1)}`;
}

/**
 * A period by its first moment.
 * @param {string} grain
 * @param {string} start
 */
function period(grain, start) {
  const [year, month] = [start.slice(0, 4), Number(start.slice(5, 7)) || 1];
  if (grain === "year") return year;
  if (grain === "quarter") return `Q${Math.ceil(month / 3)} ${year}`;
  if (grain === "month") return `${MONTHS[month - 1].slice(0, 3)} ${year}`;
  return start.replace("T", " ");
}

/** Digits that may be too many for a number, with thousands. */
function grouped(/** @type {string} */ digits) {
  const parts = /^(-?)(\d+)(.*)$/.exec(digits);
  return parts ? parts[1] + parts[2].replace(/\B(?=(\d{3})+$)/g, ",") + parts[3] : digits;
}

/** @param {string} text */
export function sentence(text) {
  const trimmed = text.trim();
  if (!trimmed) return "";
  const first = /^`|^[a-z]+_/.test(trimmed) ? trimmed : trimmed[0].toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/**
 * @param {{columns: {name: string}[], rows: unknown[][]}} table
 * @param {string} [separator]
 */
export function csv(table, separator = ",") {
  const quote = (/** @type {unknown} */ value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /["\n\r]|^\s|\s$/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [table.columns.map((column) => column.name), ...table.rows];
  return lines.map((line) => line.map(quote).join(separator)).join("\n") + "\n";
}

/** @param {{columns: {name: string, type: string}[], rows: unknown[][]}} table */
export function markdown(table) {
  const plain = (/** @type {unknown} */ value) => String(value ?? "").replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (/** @type {unknown[]} */ cells) => `| ${cells.map(plain).join(" | ")} |`;
  const rule = `| ${table.columns.map((column) => (isNumber(column.type) ? "---:" : "---")).join(" | ")} |`;
  return [line(table.columns.map((column) => column.name)), rule, ...table.rows.map(line)].join("\n") + "\n";
}

/** A word as a shell reads it. */
export function quoted(/** @type {string} */ word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

