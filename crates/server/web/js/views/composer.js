// Where one writes: a box that grows, the dataset it is about, the model that may be asked, and Ask.

import { fill, html } from "../dom.js";
import { icon } from "../icons.js";
import { modelPicker } from "./ways.js";

const LINES_MAX = 8;

/**
 * @param {object} how
 * @param {any[]} how.datasets
 * @param {string} how.dataset
 * @param {any} how.models those that can be asked, if that is known
 * @param {string | null} how.model
 * @param {(message: string) => void} how.onAsk
 * @param {(dataset: string) => void} how.onDataset
 * @param {(model: string) => void} how.onModel
 */
export function composer(how) {
  const area = /** @type {HTMLTextAreaElement} */ (html`<textarea id="question" rows="1" placeholder="Ask, or continue this one" aria-describedby="question-keys"></textarea>`);
  const picker = /** @type {HTMLSelectElement} */ (html`<select aria-label="Dataset" @change=${() => how.onDataset(picker.value)}></select>`);
  const options = (/** @type {string} */ chosen) => {
    const names = how.datasets.map((each) => each.id);
    if (chosen && !names.includes(chosen)) names.push(chosen);
    fill(picker, names.map((name) => html`<option value=${name} selected=${name === chosen}>${name}</option>`));
    picker.value = chosen;
  };
  options(how.dataset);
  const picked = modelPicker(how.models, how.model, how.onModel, { off: true });
  const models = picked.names.length ? picked.element : null;
  const form = html`<form class="composer"><label class="vh" for="question">Your question</label>${area}<div class="row"><span class="pick">${icon("data")}${picker}${icon("down")}</span>${models}<span class="grow"></span><span class="tiny quiet hide-narrow" id="question-keys"><kbd>/</kbd> to write <kbd>↵</kbd> to ask</span><button class="btn solid" type="submit">Ask</button></div></form>`;

  function grow() {
    const lines = area.value.split("\n").length;
    area.rows = Math.min(LINES_MAX, Math.max(1, lines));
    // A long line that wraps counts as well: CSS cannot say so everywhere, so the height is measured.
    while (area.rows < LINES_MAX && area.scrollHeight > area.clientHeight + 2) area.rows += 1;
    area.classList.toggle("mono", /^\s*(sql|python):/i.test(area.value));
  }

  area.addEventListener("input", grow);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    /** @type {HTMLFormElement} */ (form).requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (area.value.trim()) how.onAsk(area.value);
    else if (area.dataset.hint) how.onAsk(area.dataset.hint);
  });

  return {
    element: form,
    focus: () => area.focus({ preventScroll: true }),
    choose: options,
    clear() {
      area.value = "";
      grow();
    },
    /** A real question of this data stands there until one writes, and is asked where nothing was written. */
    hint(/** @type {string | undefined} */ question) {
      if (question) area.placeholder = question;
      area.dataset.hint = question ?? "";
    },
    write(/** @type {string} */ message) {
      area.value = message;
      grow();
      area.focus();
      area.setSelectionRange(message.length, message.length);
    },
    insert(/** @type {string} */ word) {
      const { selectionStart: from, selectionEnd: to, value } = area;
      const before = from && !/\s$/.test(value.slice(0, from)) ? " " : "";
      area.setRangeText(`${before}${word} `, from, to, "end");
      grow();
      area.focus();
    },
  };
}
