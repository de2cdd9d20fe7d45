// Code as it is shown: words coloured by what they are, lines numbered where that helps, a remark under the line it is about.

import { html, marked } from "./dom.js";

/** @typedef {"sql" | "python" | "json" | "shell" | "text"} Language */
/** @typedef {{line: number, text: string, title?: string, severity?: "error" | "warning"}} Remark */

const SQL_WORDS = new Set(
  ("select from where group by order having limit offset join left right full inner outer cross on using as and or not in is null " +
    "between like ilike case when then else end with recursive union all except intersect distinct asc desc nulls first last cast " +
    "over partition rows range unbounded preceding following current row filter exists true false interval date timestamp qualify values any semi anti window lateral").split(" "),
);
const PYTHON_WORDS = new Set(
  ("and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
    "nonlocal not or pass raise return try while with yield match case True False None").split(" "),
);

/** @type {Record<string, RegExp>} */
const TOKENS = {
  sql: /(?<com>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<str>'(?:[^']|'')*'?)|(?<name>"(?:[^"]|"")*"?)|(?<num>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>[A-Za-z_][A-Za-z_0-9]*)/giu,
  python: /(?<com>#[^\n]*)|(?<str>[rbfu]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))|(?<num>\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>[A-Za-z_]\w*)/giu,
  json: /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<str>"(?:[^"\\\n]|\\.)*"?)|(?<num>-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|(?<word>\b(?:true|false|null)\b)/giu,
  shell: /(?<com>#[^\n]*)|(?<str>"(?:[^"\\]|\\.)*"?|'[^']*'?)/giu,
};

/** More is shown without colours. */
const COLOURED_MAX = 60_000;

/**
 * @param {string} text
 * @param {Language} language
 * @returns {{kind: string, text: string}[]}
 */
export function tokens(text, language) {
  const pattern = TOKENS[language];
  if (!pattern || text.length > COLOURED_MAX) return [{ kind: "", text }];
  const found = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) found.push({ kind: "", text: text.slice(from, match.index) });
    found.push({ kind: kind(match, text, language), text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ kind: "", text: text.slice(from) });
  return found;
}

/**
 * @param {RegExpMatchArray} match
 * @param {string} text
 * @param {Language} language
 */
function kind(match, text, language) {
  const groups = match.groups ?? {};
  if (groups.com !== undefined) return "com";
  if (groups.str !== undefined) return "str";
  if (groups.num !== undefined) return "num";
  if (groups.name !== undefined) return language === "json" ? "fn" : "";
  const word = match[0];
  if (language === "json") return "kw";
  const isWord = language === "sql" ? SQL_WORDS.has(word.toLowerCase()) : PYTHON_WORDS.has(word);
  const after = text.slice((match.index ?? 0) + word.length).match(/^\s*\(/);
  // CAST, COUNT and their kin are functions where something is handed to them.
  if (isWord && !(language === "sql" && after && /^(left|right|any|date|cast)$/i.test(word))) return "kw";
  return after ? "fn" : "";
}

/** @param {{kind: string, text: string}} token */
function coloured(token) {
  return token.kind ? html`<span class=${`tok-${token.kind}`}>${token.text}</span>` : token.text;
}

/**
 * A block of code that scrolls by itself.
 * @param {string} text
 * @param {Language} language
 * @param {{numbered?: boolean, flush?: boolean, remarks?: Remark[], label?: string}} [how]
 */
export function block(text, language, how = {}) {
  const clean = text.replace(/\s+$/, "");
  const remarks = how.remarks ?? [];
  const kind = `code ${how.flush ? "flush" : ""}`;
  const label = how.label ?? ({ sql: "SQL", python: "Python", json: "JSON", shell: "Command", text: "Text" })[language];
  if (!how.numbered && !remarks.length) {
    return html`<pre class=${kind} tabindex="0" role="group" aria-label=${label}>${tokens(clean, language).map(coloured)}</pre>`;
  }
  const lines = lined(tokens(clean, language));
  return html`<pre class=${kind} tabindex="0" role="group" aria-label=${label}>${lines.map((line, at) => {
    const said = remarks.filter((remark) => remark.line === at + 1);
    const tint = said.length ? (said.some((remark) => remark.severity !== "warning") ? "err" : "hit") : "";
    return [
      html`<span class=${`l ${tint}`}><span class="ln" aria-hidden="true">${at + 1}</span>${line.map(coloured)}${"\n"}</span>`,
      said.map((remark) => html`<span class=${`say ${remark.severity === "warning" ? "warn" : ""}`}>${remark.title ? html`<b>${remark.title} </b>` : null}${marked(remark.text)}</span>`),
    ];
  })}</pre>`;
}

/**
 * What changed from one text to another, with signs in the gutter.
 * @param {import("./diff.js").Line[]} lines
 * @param {Language} language
 * @param {{flush?: boolean, label?: string}} [how]
 */
export function changedBlock(lines, language, how = {}) {
  // Coloured as the whole texts they come from, so that a string over several lines stays one.
  const sides = /** @type {const} */ (["before", "after"]).map((side) => lined(tokens(lines.filter((line) => line[side] !== null).map((line) => line.text).join("\n"), language)));
  const [before, after] = [sides[0].values(), sides[1].values()];
  const rows = lines.map((line) => {
    const old = line.before === null ? null : before.next().value;
    const now = line.after === null ? null : after.next().value;
    const kind = { same: "", gone: "del", come: "add" }[line.kind];
    const sign = { same: String(line.after), gone: "-", come: "+" }[line.kind];
    return html`<span class=${`l ${kind}`}><span class="ln" aria-hidden="true">${sign}</span>${line.kind === "same" ? null : html`<span class="vh">${line.kind === "gone" ? "gone: " : "new: "}</span>`}${(now ?? old ?? []).map(coloured)}${"\n"}</span>`;
  });
  return html`<pre class=${`code ${how.flush ? "flush" : ""}`} tabindex="0" role="group" aria-label=${how.label ?? "Changes"}>${rows}</pre>`;
}

/**
 * Tokens cut at the ends of lines.
 * @param {{kind: string, text: string}[]} all
 */
function lined(all) {
  /** @type {{kind: string, text: string}[][]} */
  const lines = [[]];
  for (const token of all) {
    token.text.split("\n").forEach((text, at) => {
      if (at) lines.push([]);
      if (text) lines[lines.length - 1].push({ kind: token.kind, text });
    });
  }
  return lines;
}

/** Which line a byte of a text is on. */
export function lineOf(/** @type {string} */ text, /** @type {number} */ byte) {
  const before = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, byte));
  return before.split("\n").length;
}

/**
 * The guard's remarks on a text.
 * @param {string} text
 * @param {any[]} findings
 * @returns {Remark[]}
 */
export function remarksOf(text, findings) {
  return findings.map((finding) => ({
    line: finding.line ?? (finding.span ? lineOf(text, finding.span.start) : 1),
    text: finding.message,
    severity: finding.severity,
  }));
}

/** @param {unknown} value */
export function pretty(value) {
  return JSON.stringify(value, null, 2) ?? "";
}
