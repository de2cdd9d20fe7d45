// What a run waits for: what it is about to do, and the two buttons. Whoever presses first decides.

import * as api from "../api.js";
import { block } from "../code.js";
import { fill, html, marked } from "../dom.js";
import { sentence } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";

/** @type {Record<string, [string, string]>} what it asks, and why nothing happens by itself */
const ACTIONS = {
  run_code: ["Run this code?", "The guard sees something in it that a program should not need. It would run in the sandbox, without network and without your files."],
  write_file: ["Write this file?", "What is there is replaced."],
};

/**
 * @param {string} run
 * @param {{id: string, action: string, detail: string}} question
 * @param {(allowed: boolean) => void} onDone
 */
export function approval(run, question, onDone) {
  const [title, why] = ACTIONS[question.action] ?? [sentence(question.action.replaceAll("_", " ")), ""];
  // Findings come first, then an empty line, then the code.
  const [said, ...code] = question.action === "run_code" ? question.detail.split("\n\n") : [question.detail];
  const problem = html`<div></div>`;
  const deny = /** @type {HTMLButtonElement} */ (html`<button type="button" class="btn" data-decide="n" @click=${() => decide(false)}>Deny<kbd class="hide-narrow" aria-hidden="true">n</kbd></button>`);
  const approve = /** @type {HTMLButtonElement} */ (html`<button type="button" class="btn solid" data-decide="y" @click=${() => decide(true)}>Approve<kbd class="hide-narrow" aria-hidden="true">y</kbd></button>`);

  async function decide(/** @type {boolean} */ allowed) {
    deny.disabled = approve.disabled = true;
    fill(allowed ? approve : deny, allowed ? "Approving" : "Denying");
    try {
      await api.post(`/runs/${run}/${allowed ? "approve" : "deny"}`, { id: question.id });
      onDone(allowed);
    } catch (error) {
      deny.disabled = approve.disabled = false;
      fill(approve, "Approve");
      fill(deny, "Deny");
      fill(problem, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  }

  return html`<section class="banner asks" aria-label="Waiting for you">${icon("warn")}<div><b>${title}</b>${said.split("\n").filter(Boolean).map((line) => html`<p class="reason">${marked(sentence(line))}</p>`)}<p>${why}</p></div><div class="tools">${deny}${approve}</div>${code.length ? block(code.join("\n\n"), "python", { numbered: true, label: "The code" }) : null}${problem}</section>`;
}
