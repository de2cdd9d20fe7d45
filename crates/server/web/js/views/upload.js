// Files that become a dataset: dropped or chosen, sent, read in the sandbox.

import * as address from "../address.js";
import * as api from "../api.js";
import { toast } from "../copy.js";
import { fill, html } from "../dom.js";
import { bytes, counted } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";

/**
 * @param {import("../main.js").Frame} frame
 * @param {boolean} [isSmall]
 */
export function dropZone(frame, isSmall = false) {
  const input = /** @type {HTMLInputElement} */ (html`<input type="file" multiple class="vh" tabindex="-1" aria-hidden="true">`);
  const zone = html`<div class="drop"></div>`;
  const box = html`<div class="stack">${zone}</div>`;

  function rest() {
    fill(zone, icon("upload"), html`<p><b>Drop files</b> or <button type="button" class="text-btn" @click=${() => input.click()}>choose them</button></p>`, html`<p class="tiny quiet">${isSmall ? "to add a dataset" : "CSV, Parquet, Excel, JSON, DuckDB, SQLite, also zipped. They are read inside the sandbox and stay on this machine."}</p>`, input);
  }

  /** @param {File[]} files */
  async function send(files) {
    if (!files.length) return;
    const size = files.reduce((sum, file) => sum + file.size, 0);
    fill(zone, html`<span class="dot live" aria-hidden="true"></span>`, html`<p role="status"><b>Reading ${files.length === 1 ? files[0].name : counted(files.length, "file")}</b>, ${bytes(size)}</p>`, html`<p class="tiny quiet">inside the sandbox, once</p>`);
    box.querySelector(".problem")?.remove();
    const form = new FormData();
    form.append("name", nameOf(files[0].name));
    for (const file of files) form.append("file", file, file.name);
    try {
      const dataset = await api.upload("/datasets", form);
      toast(`${dataset.id} added`);
      if (!frame.signal.aborted) address.go(`${address.DATA}/${encodeURIComponent(dataset.id)}`);
    } catch (error) {
      box.append(problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
      rest();
    }
  }

  input.addEventListener("change", () => send([...(input.files ?? [])]));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("is-over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("is-over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("is-over");
    send([...(event.dataTransfer?.files ?? [])]);
  });
  rest();
  return box;
}

/** A dataset's name from a file's. */
export function nameOf(/** @type {string} */ file) {
  const stem = file.replace(/\.(gz|zip)$/i, "").replace(/\.[^.]+$/, "");
  const plain = stem.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40);
  return /^[a-z]/.test(plain) ? plain : `data_${plain || "set"}`;
}
