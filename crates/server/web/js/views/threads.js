// The latest threads, in the rail; where there is none, nothing.

import * as address from "../address.js";
import * as api from "../api.js";
import { fill, html } from "../dom.js";

const THREADS_MAX = 8;

/** @param {HTMLElement} place */
export async function recent(place) {
  let threads = [];
  try {
    ({ threads } = await api.get(`/threads?limit=${THREADS_MAX}`));
  } catch {
    // A rail without them is whole as well.
  }
  const open = address.here().query.get("thread");
  fill(place, threads.length ? [html`<h2>Recent threads</h2>`, html`<ul>${threads.map((/** @type {any} */ thread) => {
    const data = thread.dataset_id ? `data=${encodeURIComponent(thread.dataset_id)}&` : "";
    return html`<li><a href=${`${address.ASK}?${data}thread=${encodeURIComponent(thread.id)}`} aria-current=${thread.id === open ? "true" : null}><span>${(thread.title ?? thread.id).split("\n")[0]}</span></a></li>`;
  })}</ul>`] : []);
}

/** The runs of a thread, in order. */
export async function runsOf(/** @type {string} */ thread, /** @type {AbortSignal} */ signal) {
  const { messages } = await api.get(`/threads/${encodeURIComponent(thread)}/messages`, signal);
  return messages.filter((/** @type {any} */ message) => message.role === "user").map((/** @type {any} */ message) => message.run_id);
}
