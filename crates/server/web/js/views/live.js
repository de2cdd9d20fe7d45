// A run while it goes on: what happens now, for how long, what was done, what is being written; and Stop.

import { block } from "../code.js";
import { fill, html, marked } from "../dom.js";
import { isOver, status, stepWords } from "../fold.js";
import { duration, sentence } from "../format.js";
import { icon } from "../icons.js";

const TICK_MS = 100;

/**
 * @param {() => void} stop
 * @returns {{element: HTMLElement, show: (picture: import("../fold.js").Picture) => void, end: () => void}}
 */
export function live(stop) {
  const began = performance.now();
  const said = html`<b class="grow">Sending the question</b>`;
  const clock = html`<span class="clock">0.0 s</span>`;
  const button = /** @type {HTMLButtonElement} */ (html`<button type="button" class="btn stop" @click=${() => { button.disabled = true; fill(button, "Stopping"); stop(); }}>${icon("stop")}Stop</button>`);
  const steps = html`<ol class="steps" hidden></ol>`;
  const written = html`<div hidden></div>`;
  const element = html`<article class="card live" aria-busy="true" aria-label="Working" tabindex="-1"><div class="status"><span class="dot live" aria-hidden="true"></span>${said}${clock}${button}</div>${steps}${written}</article>`;

  /** @type {import("../fold.js").Picture | null} */
  let picture = null;
  let start = began;
  const timer = setInterval(tick, TICK_MS);

  function tick() {
    if (!element.isConnected && performance.now() - began > 1000) return clearInterval(timer);
    clock.textContent = duration(Math.max(performance.now() - start, 1));
    const going = steps.querySelector("[data-since]");
    if (going instanceof HTMLElement) going.textContent = duration(Math.max(performance.now() - Number(going.dataset.since), 1));
  }

  /** When a step began, by this page's clock. @type {Map<number, number>} */
  const since = new Map();

  function draw() {
    const shown = picture;
    if (!shown) return;
    said.textContent = status(shown);
    if (shown.began && start === began) start = Math.min(began, performance.now() - Math.max(0, Date.now() - shown.began));
    steps.hidden = !shown.steps.length;
    fill(steps, shown.steps.map((step) => {
      const isLive = step.state === "live";
      if (isLive && !since.has(step.index)) since.set(step.index, performance.now());
      const before = shown.steps.filter((each) => each.name === step.name && each.index < step.index).length;
      const again = before ? `, ${["second", "third", "fourth", "fifth"][before - 1] ?? `${before + 1}th`} time` : "";
      const words = isLive ? stepWords(step.name, false, shown.task) : stepWords(step.name, true, shown.task);
      const note = step.said || (step.attempts > 1 ? `${step.attempts} attempts` : "");
      return html`<li class=${isLive ? "on" : step.state === "ok" ? "ok" : "bad"}>${isLive ? html`<span class="dot live" aria-hidden="true"></span>` : icon(step.state === "ok" ? "check" : "cross")}<span>${words}${again}${step.state === "failed" ? ": failed" : ""}${note ? html`<small>${marked(sentence(note))}</small>` : null}</span><span class="ms" data-since=${isLive ? since.get(step.index) : null}>${step.ms === null ? "" : duration(step.ms)}</span></li>`;
    }));
    const last = shown.steps.findLast((step) => step.text);
    // A model fences its code; the fence is no part of it.
    const text = (last?.text ?? "").replace(/^\s*```\w*\n/, "").replace(/\n```\s*$/, "\n") || shown.printed;
    written.hidden = !text;
    if (text) {
      const atEnd = isAtEnd(written.firstElementChild);
      const code = block(text, last?.text ? languageOf(last.channel, text) : "text", { flush: true, label: last?.text ? "What the model writes" : "Printed" });
      if (shown.steps.some((step) => step.state === "live")) code.append(html`<span class="caret" aria-hidden="true"></span>`);
      fill(written, code);
      if (atEnd) code.scrollTop = code.scrollHeight;
    }
  }

  return {
    element,
    show(next) {
      picture = next;
      draw();
      if (isOver(next.state)) clearInterval(timer);
    },
    end() {
      clearInterval(timer);
    },
  };
}

/** @param {Element | null} box */
function isAtEnd(box) {
  return !box || box.scrollHeight - box.scrollTop - box.clientHeight < 24;
}

/**
 * @param {string} channel
 * @param {string} text
 * @returns {import("../code.js").Language}
 */
function languageOf(channel, text) {
  if (channel === "plan" || /^\s*[{[]/.test(text)) return "json";
  if (channel !== "code") return "text";
  return /\b(select|with)\b/i.test(text.slice(0, 200)) && !/\b(import|def|print)\b/.test(text) ? "sql" : "python";
}
