// Taking things along: to the clipboard or as a file, and a short word that it was done.

import { fill, html } from "./dom.js";
import { icon } from "./icons.js";

const SHOWN_MS = 4000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Says that something was done. Never for errors. */
export function toast(/** @type {string} */ text) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  fill(place, html`<div class="toast">${text}<button type="button" @click=${() => fill(place)}>Close</button></div>`);
  clearTimeout(timer);
  timer = setTimeout(() => fill(place), SHOWN_MS);
}

/**
 * @param {string} text
 * @param {string} what
 */
export async function copied(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the right to the clipboard (not on loopback, no https) the old way still works.
    const area = /** @type {HTMLTextAreaElement} */ (html`<textarea class="vh" aria-hidden="true" readonly></textarea>`);
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(`${what} copied`);
}

/**
 * @param {string} text
 * @param {string} name
 * @param {string} type
 */
export function saved(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = /** @type {HTMLAnchorElement} */ (html`<a href=${address} download=${name}></a>`);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * A button that opens a list of things to do.
 * @param {{label: string, picture: string, narrow?: boolean}} face
 * @param {({name: string, act: () => void} | null | false | undefined)[]} entries
 */
export function menu(face, entries) {
  const details = /** @type {HTMLDetailsElement} */ (html`<details class="menu"><summary class="btn bare" aria-label=${face.label}>${icon(face.picture)}<span class="hide-narrow">${face.label}</span>${icon("down", "hide-narrow")}</summary><div class="menu-list" role="group" aria-label=${face.label}>${entries.map((entry) => entry ? html`<button type="button" @click=${() => { details.open = false; details.querySelector("summary")?.focus(); entry.act(); }}>${entry.name}</button>` : null)}</div></details>`);
  details.addEventListener("keydown", (event) => {
    const buttons = [...details.querySelectorAll(".menu-list button")].map((each) => /** @type {HTMLElement} */ (each));
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      details.open = true;
      const step = event.key === "ArrowDown" ? 1 : -1;
      buttons[(at + step + buttons.length) % buttons.length]?.focus();
    } else if (event.key === "Escape" && details.open) {
      event.stopPropagation();
      details.open = false;
      details.querySelector("summary")?.focus();
    }
  });
  return details;
}

// A list closes when one looks elsewhere.
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.menu[open]")) {
    if (event.target instanceof Node && !open.contains(event.target)) open.removeAttribute("open");
  }
});
