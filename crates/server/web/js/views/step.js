// What one step of a run took and gave, as people read it: the prompt and the reply of a model in their parts, code with the
// line that failed, tables, what was printed; anything else by its names.

import * as api from "../api.js";
import { block, pretty, remarksOf } from "../code.js";
import { fill, html, marked } from "../dom.js";
import { bytes, count, counted, duration, sentence } from "../format.js";
import { seal } from "../icons.js";
import { isUnwell } from "../journal.js";
import { LEVELS } from "../known.js";
import { grid } from "../table.js";

/** Longer values are shown in part, and whole when raw. */
const VALUE_MAX = 4000;
/** A part of a prompt with more lines is folded. */
const LINES_MAX = 12;

/** What came of a step, in a few words. */
export function noteOf(/** @type {any} */ step) {
  const { output } = step;
  const retried = step.attempts > 1 ? `${step.attempts} attempts; ` : "";
  if (step.state === "live") return "";
  if (step.said) return retried + step.said;
  if (output?.problem?.message) return retried + output.problem.message;
  const error = errorOf(output);
  if (error) return `${retried}${output.outcome ?? "failed"}: ${error.split("\n")[0]}`;
  if (output?.table) return `${retried}${counted(output.table.row_count, "row")}, ${counted(output.table.columns.length, "column")}`;
  if (output?.Ok?.level) return `${retried}${output.Ok.level}`;
  if (output?.tokens) return `${retried}${count(output.tokens.input ?? 0)} tokens in, ${count(output.tokens.output ?? 0)} out`;
  return retried + (output?.outcome ?? "");
}

/** The words of what went wrong, which is a text or says more. */
function errorOf(/** @type {any} */ output) {
  const error = output?.error;
  return typeof error === "string" ? error : error?.message ?? "";
}

/** Which line it says that it happened on. */
function lineIn(/** @type {string} */ error) {
  return Number(/\(line (\d+)/.exec(error)?.[1] ?? 0);
}

/** What running a reply's code gave, but what stands beside the code already. */
export function ran(/** @type {any} */ given) {
  const { error, findings, outcome, ...rest } = given ?? {};
  if (typeof error !== "string" || (!lineIn(error) && !findings?.length)) return output(given);
  return Object.values(rest).some((each) => each && !(Array.isArray(each) && !each.length)) ? output(rest) : null;
}

/** How many tokens went in and came out. */
function tokensOf(/** @type {any} */ output) {
  const { input = 0, cache_read = 0, cache_write = 0, output: out = 0, reasoning = 0 } = output?.tokens ?? {};
  return { into: input + cache_read + cache_write, out: out + reasoning };
}

/**
 * A request to a model, once it is there.
 * @param {string} run
 * @param {{name: string, bytes: number, sha256: string} | undefined} file
 * @param {any} output of the step, which counts the tokens
 */
export function prompt(run, file, output) {
  if (!file) return null;
  const path = `/runs/${run}/artifacts/${encodeURIComponent(file.name)}`;
  const tokens = tokensOf(output).into;
  const place = html`<div class="prompt"><p class="soft">Reading ${bytes(file.bytes)}.</p></div>`;
  const size = html`<span></span>`;
  api.get(path).then((request) => {
    const messages = request.messages ?? [];
    size.textContent = counted(messages.length, "message");
    fill(place, request.system ? folded("System", request.system) : null, messages.map(message));
  }, (error) => fill(place, html`<p class="soft">${sentence(error instanceof Error ? error.message : String(error))}</p>`));
  return html`<div class="msg"><header><b>Prompt</b>${size}<span class="end">${tokens ? counted(tokens, "token") : ""} <a download href=${path} aria-label=${`${file.name}, to keep`}>JSON</a></span></header>${place}</div>`;
}

/** @param {any} said */
function message(said) {
  const text = typeof said.text === "string" ? said.text : "";
  // The tables are described between marks; who reads along knows them.
  const [, before, data, after] = /^([^]*?)<data>\n?([^]*?)<\/data>([^]*)$/.exec(text) ?? [null, text, "", ""];
  const who = said.role === "assistant" ? html`<p class="who">The model said</p>` : null;
  const calls = said.tool_calls ?? said.calls ?? [];
  const results = said.results ?? said.tool_results ?? [];
  return html`<div class="said">${who}${prose(before)}${data ? folded("Data", data) : null}${prose(after)}${calls.length ? block(pretty(calls), "json", { label: "Tool calls" }) : null}${results.length ? block(pretty(results), "json", { label: "What tools gave" }) : null}</div>`;
}

/**
 * @param {string} name
 * @param {string} text
 */
function folded(name, text) {
  return html`<details class="fold"><summary>${name}, ${counted(text.trim().split("\n").length, "line")}</summary>${block(text.trim(), "text", { label: name })}</details>`;
}

/**
 * Words and code as they were written between fences.
 * @param {string} text
 * @param {import("../code.js").Remark[]} [remarks] on the last piece of code
 */
export function prose(text, remarks = []) {
  const pieces = text.trim().split(/^```(\w*)[^\n]*\n([^]*?)(?:^```[^\S\n]*$|(?![^]))/m);
  const last = pieces.length - 2;
  const parts = [];
  for (let at = 0; at < pieces.length; at += 3) {
    const words = pieces[at].trim();
    if (words) parts.push(words.split("\n").length > LINES_MAX ? folded("Text", words) : words.split(/\n{2,}/).map((paragraph) => html`<p class="lines">${marked(paragraph)}</p>`));
    if (at + 2 < pieces.length) parts.push(block(pieces[at + 2], language(pieces[at + 1]), { numbered: true, remarks: at + 2 === last ? remarks : [] }));
  }
  return parts;
}

/** @returns {import("../code.js").Language} */
function language(/** @type {string} */ name) {
  return /** @type {any} */ ({ sql: "sql", python: "python", py: "python", json: "json", sh: "shell", bash: "shell" })[name.toLowerCase()] ?? "text";
}

/**
 * What a model replied, and under its code what became of that.
 * @param {any} output
 * @param {any} [ran] what running it gave
 */
export function reply(output, ran = null) {
  const text = typeof output?.text === "string" ? output.text : "";
  const code = /```\w*[^\n]*\n([^]*?)(?:```|$)/.exec(text)?.[1] ?? "";
  const error = errorOf(ran);
  const line = lineIn(error);
  const remarks = ran?.findings?.length ? remarksOf(code, ran.findings) : line ? [{ line, text: error.replace(/ \(line \d+[^)]*\)/, ""), severity: /** @type {const} */ ("error") }] : [];
  const { out } = tokensOf(output);
  const calls = output?.tool_calls?.length ? block(pretty(output.tool_calls), "json", { label: "Tool calls" }) : null;
  return html`<div class="msg"><header><b>Reply</b>${output?.ms ? html`<span>${duration(output.ms)}</span>` : null}<span class="end">${out ? counted(out, "token") : ""}</span></header><div class="prompt">${text.includes("```") ? prose(text, remarks) : text ? html`<p class="lines">${text}</p>` : null}${calls}${output?.stop === "length" ? html`<p class="soft">It was cut off at its limit.</p>` : null}</div></div>`;
}

/** What a step gave, as people read it. */
export function output(/** @type {any} */ given) {
  if (given === null || given === undefined) return html`<p class="soft">It gave nothing to show.</p>`;
  if (given?.Ok?.level) return html`<div class=${`known only ${given.Ok.level}`}>${seal(given.Ok.level)}<div><b>${LEVELS[given.Ok.level]}</b> <span class="why">${sentence(given.Ok.note)}</span></div></div>`;
  if (typeof given === "string") return block(given, "text");
  if (typeof given !== "object") return value(given);
  const { table, error, text, stdout, stderr, usage, isolation, result, findings, outcome, ...rest } = given;
  const parts = [];
  if (isUnwell(given) && outcome) rest.outcome = outcome;
  if (typeof error === "string" && error) parts.push(html`<div class="msg"><header><b>Error</b></header>${block(error, "text", { label: "Error" })}</div>`);
  else if (error) parts.push(html`<div class="msg"><header><b>${error.type ?? "Error"}</b>${error.line ? html`<span>line ${error.line}</span>` : null}</header>${block(error.traceback || error.message || "", "text", { label: "Error" })}</div>`);
  if (findings?.length) parts.push(html`<ul class="remarks framed">${findings.map((/** @type {any} */ finding) => html`<li><span class="tag">${finding.severity}</span><span>${marked(sentence(finding.message))}</span><small>${finding.rule}</small></li>`)}</ul>`);
  if (typeof text === "string") parts.push(reply({ text, ...rest }));
  if (typeof text === "string") for (const name of ["tool_calls", "stop", "tokens", "ms"]) delete rest[name];
  if (table?.columns) parts.push(html`<div class="framed">${grid(table)}</div>`);
  if (stdout) parts.push(html`<div class="msg"><header><b>Printed</b></header>${block(stdout, "text", { label: "Printed" })}</div>`);
  if (result && result.kind !== "none") parts.push(result.table?.columns ? html`<div class="framed">${grid(result.table)}</div>` : block(pretty(result), "json", { label: "Result" }));
  // A traceback that stands above is not shown twice.
  if (stderr && !(error?.traceback && stderr.includes(error.traceback))) parts.push(html`<div class="msg"><header><b>Error output</b></header>${block(stderr, "text", { label: "Error output" })}</div>`);
  const more = Object.fromEntries(Object.entries(rest).filter(([, said]) => said !== null && said !== false && said !== 0 && said !== "" && !(Array.isArray(said) && !said.length)));
  if (usage?.wall_ms) more.used = `${duration(usage.wall_ms)}, ${duration(usage.cpu_ms)} of a processor, ${bytes(usage.memory_peak_bytes)} at most`;
  if (isolation) more.isolation = `${isolation.tier}, memory by ${isolation.memory}, ${isolation.warm ? "a warm kernel" : "a fresh kernel"}`;
  if (Object.keys(more).length) parts.push(keyValues(more));
  return parts;
}

/**
 * @param {any} object
 * @returns {import("../dom.js").Content}
 */
export function keyValues(object) {
  if (!object || typeof object !== "object") return value(object);
  const LANGUAGE = /** @type {Record<string, import("../code.js").Language>} */ ({ sql: "sql", code: "python" });
  const short = Object.entries(object).filter(([name, said]) => !(name in LANGUAGE) && (said === null || typeof said !== "object") && String(said).length < 200);
  const long = Object.entries(object).filter(([name, said]) => !short.some(([other]) => other === name) && said !== null);
  return [
    short.length ? html`<dl class="kv">${short.map(([name, said]) => [html`<dt>${name.replaceAll("_", " ")}</dt>`, html`<dd>${said === null ? html`<i class="quiet">empty</i>` : /^[0-9a-f]{64}$/.test(String(said)) ? html`<code>${String(said).slice(0, 16)}</code>` : typeof said === "number" && /_ms$/.test(name) ? duration(said) : typeof said === "number" && /bytes/.test(name) ? bytes(said) : String(said)}</dd>`])}</dl>` : null,
    ...long.map(([name, said]) => html`<div class="msg"><header><b>${name.replaceAll("_", " ")}</b></header>${typeof said === "string" ? block(said.slice(0, VALUE_MAX), LANGUAGE[name] ?? "text", { label: name }) : block(pretty(said).slice(0, VALUE_MAX), "json", { label: name })}</div>`),
  ];
}

/**
 * @param {any} said
 * @returns {import("../dom.js").Content}
 */
export function value(said) {
  return typeof said === "object" && said ? keyValues(said) : block(String(said), "text");
}
