// The first visit: what one can ask, of what, and what will stand under every answer.

import { block } from "../code.js";
import { fill, html } from "../dom.js";
import { count } from "../format.js";
import * as api from "../api.js";
import { icon, seal } from "../icons.js";
import { LEVELS } from "../known.js";
import { dropZone } from "./upload.js";

const SETS_MAX = 6;
const QUESTIONS_MAX = 2;

/** @type {[string, string][]} */
const MEANING = [
  ["verified", "Computed a second time, without SQL, with the same result."],
  ["checked", "The result has the properties it must have, or two programs agree."],
  ["unverified", "Neither. The reason stands beside it."],
  ["refused", "The data cannot answer this. What it can answer stands below."],
];

/**
 * @param {object} how
 * @param {any[]} how.datasets
 * @param {{element: HTMLElement, hint: (question: string | undefined) => void}} how.box
 * @param {(message: string, dataset: string) => void} how.ask
 * @param {import("../main.js").Frame} how.frame
 */
export function hello(how) {
  const sets = how.datasets.slice(0, SETS_MAX).map((each, at) => {
    const rows = html`<small></small>`;
    const list = html`<ul aria-busy="true"><li class="waits"><span class="skel w1"></span></li><li class="waits"><span class="skel w2"></span></li></ul>`;
    api.get(`/datasets/${encodeURIComponent(each.id)}/schema`).then((schema) => {
      rows.textContent = `${count(schema.tables.reduce((/** @type {number} */ sum, /** @type {any} */ table) => sum + (table.rows ?? 0), 0))} rows`;
      list.removeAttribute("aria-busy");
      fill(list, schema.questions.slice(0, QUESTIONS_MAX).map((/** @type {string} */ question) => html`<li><button type="button" @click=${() => how.ask(question, each.id)}>${question}${icon("arrow")}</button></li>`));
      if (at === 0) how.box.hint(schema.questions[0]);
    }, () => { list.hidden = true; });
    return html`<section class="card set"><h3>${each.id}${rows}</h3><p>${each.description || `Tables: ${each.tables.join(", ")}`}${each.description ? "." : ""}</p>${list}</section>`;
  });
  const levels = MEANING.map(([level, text]) => html`<div class=${level}>${seal(level)}<b>${LEVELS[level]}</b><span>${text}</span></div>`);
  return html`<main id="main" class="main" tabindex="-1"><div class="hello"><h1>Ask your data a question.</h1><p class="lede">The answer is computed, checked and recorded on this machine, and says how it is known. When it is not sure, it says so.</p>${how.box.element}<section class="sect"><h2>Try one of these</h2><div class="sets">${sets}</div></section><section class="sect"><h2>Or bring your own</h2><div class="two">${dropZone(how.frame)}<div class="card terminal"><p><b>From a terminal</b></p><p class="soft small">The same answers, the same runs.</p>${block('assay data add sales/ --name shop\nassay ask shop "orders per month"', "shell")}</div></div></section><section class="sect"><h2>What stands under every answer</h2><div class="levels">${levels}</div></section></div></main>`;
}
