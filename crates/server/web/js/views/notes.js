// What is remembered about a dataset: notes that one sees, writes, says otherwise and takes away.

import * as api from "../api.js";
import { toast } from "../copy.js";
import { fill, html } from "../dom.js";
import { sentence } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";

/**
 * @param {string} dataset
 * @param {any[]} remembered
 * @param {any[]} [waiting] what models propose, which counts for nothing until somebody accepts it
 */
export function notes(dataset, remembered, waiting = []) {
  const place = html`<div class="in stack"></div>`;
  let list = remembered;
  const path = `/notes/${encodeURIComponent(dataset)}`;

  async function changed(/** @type {() => Promise<unknown>} */ act, /** @type {string} */ what) {
    try {
      await act();
      ({ notes: list, proposed: waiting } = await api.get(`/notes?dataset_id=${encodeURIComponent(dataset)}`));
      toast(what);
      draw();
    } catch (error) {
      place.append(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  }

  function draw() {
    const field = /** @type {HTMLInputElement} */ (html`<input class="field" aria-label=${`Something to remember about ${dataset}`} placeholder="returns spike in January: gifts" maxlength="400">`);
    const form = html`<form class="noteform">${field}<button class="btn" type="submit">Remember</button></form>`;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text) changed(() => api.post("/notes", { dataset_id: dataset, text }), "Remembered");
    });
    fill(place, list.length ? html`<ul class="notelist">${list.map((note) => html`<li><span>${sentence(note.text)}</span><span class="tools"><button type="button" class="btn bare icon" aria-label=${`Edit: ${note.text}`} title="Edit" @click=${(/** @type {Event} */ event) => edit(note, /** @type {HTMLElement} */ (event.currentTarget))}>${icon("edit")}</button><button type="button" class="btn bare icon" aria-label=${`Forget: ${note.text}`} title="Forget" @click=${() => changed(() => api.remove(`${path}/${note.id}`), "Forgotten")}>${icon("bin")}</button></span></li>`)}</ul>` : html`<p class="quiet small">What you write here is shown with the answers it touches. You can edit and delete it.</p>`, waiting?.length ? html`<div class="stack tight"><p class="quiet small">A model proposes:</p><ul class="notelist">${waiting.map((note) => html`<li><span>${sentence(note.text)}</span><span class="tools"><button type="button" class="btn bare icon" aria-label=${`Remember: ${note.text}`} title="Remember" @click=${() => changed(() => api.post(`${path}/${note.id}/accept`), "Remembered")}>${icon("check")}</button><button type="button" class="btn bare icon" aria-label=${`Drop: ${note.text}`} title="Drop" @click=${() => changed(() => api.post(`${path}/${note.id}/reject`), "Dropped")}>${icon("cross")}</button></span></li>`)}</ul></div>` : null, form);
  }

  function edit(/** @type {any} */ note, /** @type {HTMLElement} */ button) {
    const row = /** @type {HTMLElement} */ (button.closest("li"));
    const field = /** @type {HTMLInputElement} */ (html`<input class="field" aria-label="The note" maxlength="400">`);
    field.value = note.text;
    const form = html`<form class="noteform">${field}<button class="btn" type="submit">Keep</button></form>`;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) changed(() => api.put(`${path}/${note.id}`, { text: field.value.trim() }), "Changed");
    });
    field.addEventListener("keydown", (event) => { if (event.key === "Escape") draw(); });
    fill(row, form);
    field.focus();
  }

  draw();
  return place;
}
