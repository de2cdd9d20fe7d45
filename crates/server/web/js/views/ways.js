// Which models there are to choose from; and where there is none, the three ways to one.

import { SETTINGS } from "../address.js";
import { block } from "../code.js";
import { html } from "../dom.js";
import { bytes } from "../format.js";
import { icon } from "../icons.js";

/** @typedef {import("../../types/api").Models} Models */

/** The names that can be asked now: the default, those that settings define, those whose weights are here. */
export function askable(/** @type {Models | null} */ models) {
  if (!models) return [];
  const defined = models.models.filter((model) => model.key !== "missing").map((model) => model.name);
  const local = models.local.filter((weights) => weights.state === "there").map((weights) => `local:${weights.name}`);
  return [...new Set([models.default === "off" ? null : models.default, ...defined, ...local].filter((name) => name !== null))];
}

/**
 * A picker of models.
 * @param {Models | null} models
 * @param {string | null} chosen
 * @param {(name: string) => void} onChoose
 * @param {{off?: boolean, id?: string}} [how] `off`: that none is asked can be chosen too
 */
export function modelPicker(models, chosen, onChoose, how = {}) {
  const names = askable(models);
  if (chosen && chosen !== "off" && !names.includes(chosen)) names.push(chosen);
  const select = /** @type {HTMLSelectElement} */ (html`<select id=${how.id} aria-label=${how.id ? null : "Model"} @change=${() => onChoose(select.value)}>${how.off ? html`<option value="off">No model</option>` : null}${names.map((name) => html`<option value=${name}>${name}</option>`)}</select>`);
  select.value = chosen ?? (names.length && models?.default ? models.default : how.off ? "off" : names[0] ?? "");
  return { names, select, element: html`<span class="pick bare-pick">${select}${icon("down")}</span>` };
}

/** @param {Models | null} models */
export function threeWays(models) {
  const small = models?.local.toSorted((a, b) => a.bytes - b.bytes)[0];
  const way = (/** @type {string} */ title, /** @type {string} */ about, /** @type {string} */ command) => html`<section class="card way"><h2>${title}</h2><p>${about}</p>${block(command, "shell")}</section>`;
  return html`<div class="ways"><div class="sets">
${way("A provider’s", "Its key stays in the variable that it comes from.", "export ANTHROPIC_API_KEY=…\nassay model use anthropic:claude-sonnet-4-5")}
${way("One on this machine", small ? `${bytes(small.bytes)} to fetch, once. Nothing leaves this machine.` : "Nothing leaves this machine.", small ? `assay model pull ${small.name}\nassay model use local:${small.name}` : "assay model use ollama:qwen2.5-coder")}
${way("An assistant you have", "Whatever reads a prompt and prints a reply.", 'assay model use "command:claude -p"')}
</div><p class="soft small">Then start <code>assay serve</code> again. <a href=${SETTINGS}>Settings</a> shows which models can be asked, and tries them.</p></div>`;
}
