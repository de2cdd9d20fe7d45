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

/** Whether numbers of a column are names (ids, years), which have no thousands. */
export function isName(/** @type {string} */ column) {
  return /(^|[_ ])(id|ids|year|no|number|code|zip)$/i.test(column) || /Id$/.test(column);
}

/** Whether a column is shown to the right. */
export function isNumber(/** @type {string} */ type) {
  return type === "int" || type === "float" || type === "decimal";
}

/**
 * A cell's text, not rounded beyond six digits after the point; copies carry the exact value.
 * @param {unknown} value
 * @param {{name: string, type: string}} column
 * @param {{percent?: boolean, digits?: number} | null} [form]
 */
export function cell(value, column, form = null) {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return String(value);
  if (isNumber(column.type)) {
    const number = Number(value);
    if (!Number.isFinite(number)) return String(value);
    if (form?.percent) return `${(number * 100).toFixed(1)} %`;
    if (isName(column.name)) return String(value);
    if (column.type === "int") return typeof value === "string" ? grouped(value) : count(number);
    if (column.type === "decimal" && typeof value === "string") return grouped(value);
    const digits = form?.digits ?? (Math.abs(number) >= 1 || number === 0 ? 2 : 4);
    const isWhole = Number.isInteger(number) && !form?.digits;
    return number.toLocaleString("en-US", { minimumFractionDigits: isWhole ? 0 : digits, maximumFractionDigits: isWhole ? 0 : digits });
  }
  return String(value);
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

