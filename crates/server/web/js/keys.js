// Keys that work everywhere, and the list of them. Single keys are silent while one writes.

import * as address from "./address.js";
import { html } from "./dom.js";

/** @type {Record<string, [string, string, string]>} by their letter: part, address, name */
const PLACES = {
  a: ["ask", "/", "Ask"],
  d: ["data", address.DATA, "Data"],
  r: ["runs", address.RUNS, "Runs"],
  s: ["solve", address.SOLVE, "Solve"],
  l: ["lessons", address.LESSONS, "Lessons"],
  ",": ["settings", address.SETTINGS, "Settings"],
};

/** How long the second key may wait for. */
const SECOND_MS = 1200;

let goes = 0;

/** Whether somebody writes there. */
function isWriting(/** @type {EventTarget | null} */ target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** @param {string[]} parts the views there are */
export function keys(parts) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Escape") return escape(event);
    if (isWriting(event.target)) return;
    const isSecond = Date.now() - goes < SECOND_MS;
    goes = 0;
    const place = isSecond ? PLACES[event.key] : undefined;
    if (place && parts.includes(place[0])) {
      event.preventDefault();
      return address.go(place[1]);
    }
    switch (event.key) {
      case "g":
        goes = Date.now();
        return;
      case "/":
        event.preventDefault();
        return write();
      case "?":
        event.preventDefault();
        return list(parts);
      case "y":
      case "n":
        // Only the focus moves: Enter decides.
        /** @type {HTMLElement | null} */ (document.querySelector(`.asks [data-decide="${event.key}"]`))?.focus();
        return;
      case "[":
      case "]":
        return step(event.key === "]" ? 1 : -1);
      default:
        if (/^[1-4]$/.test(event.key)) face(Number(event.key) - 1);
    }
  });
}

function write() {
  const area = document.getElementById("question");
  if (area) area.focus();
  else {
    address.go("/");
    setTimeout(() => document.getElementById("question")?.focus(), 200);
  }
}

/** To the Stop button of what goes on; a second Enter stops. */
function escape(/** @type {KeyboardEvent} */ event) {
  if (document.querySelector("dialog[open], details.menu[open], .nav.is-open")) return;
  const stop = document.querySelector(".card.live .btn.stop") ?? document.querySelector(".head .btn.stop");
  if (stop instanceof HTMLElement) {
    event.preventDefault();
    stop.focus();
  }
}

/** The answer that is looked at: the focused one, else the last. */
function card() {
  const focused = document.activeElement?.closest(".turn");
  return focused ?? [...document.querySelectorAll(".turn")].at(-1) ?? null;
}

function face(/** @type {number} */ at) {
  const tab = card()?.querySelectorAll('[role="tab"]')[at];
  if (tab instanceof HTMLElement) {
    tab.click();
    tab.focus();
  }
}

function step(/** @type {number} */ by) {
  const turns = [...document.querySelectorAll(".turn")];
  const now = document.activeElement?.closest(".turn");
  const at = now ? turns.indexOf(now) + by : by > 0 ? 0 : turns.length - 1;
  const next = turns[Math.max(0, Math.min(turns.length - 1, at))];
  const focusable = next?.querySelector(".card[tabindex]");
  if (focusable instanceof HTMLElement) {
    focusable.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }
}

/** @param {string[]} parts */
function list(parts) {
  document.querySelector("dialog.keys")?.remove();
  const row = (/** @type {string[]} */ names, /** @type {string} */ does) => html`<div><dt>${names.map((name) => html`<kbd>${name}</kbd>`)}</dt><dd>${does}</dd></div>`;
  const dialog = /** @type {HTMLDialogElement} */ (html`<dialog class="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl>${row(["/"], "write a question")}${row(["↵"], "ask")}${row(["Shift", "↵"], "a new line")}${row(["Esc"], "close; to the Stop button")}${row(["1", "2", "3", "4"], "faces of the answer")}${row(["[", "]"], "question before, after")}${Object.entries(PLACES).filter(([, place]) => parts.includes(place[0])).map(([key, place]) => row(["g", key], place[2]))}${parts.includes("runs") ? [row(["j", "k"], "next, previous step of a run"), row(["f"], "next failed step"), row(["r"], "raw"), row(["y", "n"], "to Approve, to Deny")] : null}${row(["?"], "this list")}</dl><form method="dialog"><button class="btn">Close</button></form></dialog>`);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
