// The page: its frame, which view is shown, and the keys that work everywhere.

import * as address from "./address.js";
import { fill, html } from "./dom.js";
import { brand, icon } from "./icons.js";
import { keys } from "./keys.js";
import { problemBox } from "./views/answer.js";
import { show as ask } from "./views/ask.js";
import { show as compare } from "./views/compare.js";
import { show as data } from "./views/data.js";
import { show as lessons } from "./views/lessons.js";
import { show as run } from "./views/run.js";
import { show as runs } from "./views/runs.js";
import { show as settings } from "./views/settings.js";
import { show as solve } from "./views/solve.js";
import { show as solving } from "./views/solving.js";
import { session as signedIn, signIn } from "./views/signin.js";
import { recent } from "./views/threads.js";

/**
 * What a view is lent.
 * @typedef {object} Frame
 * @property {AbortSignal} signal ends when another view is shown
 * @property {(content: HTMLElement) => void} place
 * @property {(text: string) => void} title
 * @property {(change: number) => void} live how many runs of this page go on
 * @property {(text: string) => void} say for people who only hear the page
 * @property {(name: string, value: string) => void} remember
 * @property {(name: string) => string | null} remembered
 * @property {{owner: string, scope: string, token_needed: boolean}} session who is signed in
 * @property {() => void} asked says that a thread has changed
 */

/** @type {{part: string, name: string, picture: string, href: string, show: (frame: Frame, name?: string) => Promise<void>}[]} */
const VIEWS = [
  { part: "ask", name: "Ask", picture: "ask", href: "/", show: ask },
  { part: "data", name: "Data", picture: "data", href: address.DATA, show: data },
  { part: "runs", name: "Runs", picture: "runs", href: address.RUNS, show: showRuns },
  { part: "solve", name: "Solve", picture: "solve", href: address.SOLVE, show: (frame, name) => (name ? solving(frame, name) : solve(frame)) },
  { part: "lessons", name: "Lessons", picture: "lesson", href: address.LESSONS, show: lessons },
  { part: "settings", name: "Settings", picture: "settings", href: address.SETTINGS, show: settings },
];

/** Runs, one of them, or one beside another. */
async function showRuns(/** @type {Frame} */ frame, /** @type {string | undefined} */ name) {
  const other = address.here().query.get("with");
  return !name ? runs(frame) : other === null ? run(frame, name) : compare(frame, name, other);
}

const root = /** @type {HTMLElement} */ (document.getElementById("page"));
const spoken = /** @type {HTMLElement} */ (document.getElementById("spoken"));
const content = html`<div class="content"></div>`;
const links = VIEWS.map((view) => html`<a href=${view.href} data-part=${view.part}>${icon(view.picture)}${view.name}<span class="dot live" aria-hidden="true" hidden></span></a>`);
const foot = html`<div class="foot"><button type="button" class="text-btn" id="theme"></button><p>${location.hostname === "localhost" || location.hostname.startsWith("127.") || location.hostname === "[::1]" ? "Open on this machine only." : location.host}</p></div>`;
const threads = html`<div class="recent"></div>`;
const nav = html`<nav class="nav" id="nav" aria-label="Main">${links}${threads}${foot}</nav>`;
const opener = html`<button type="button" class="btn bare icon menu-btn" aria-label="Menu" aria-expanded="false" aria-controls="nav" @click=${() => open(!nav.classList.contains("is-open"))}>${icon("menu")}</button>`;

fill(root, html`<div class="app"><header class="rail"><a class="brand" href="/">${brand()}Assay</a>${opener}${nav}</header>${content}</div>`);

function open(/** @type {boolean} */ isOpen) {
  nav.classList.toggle("is-open", isOpen);
  opener.setAttribute("aria-expanded", String(isOpen));
}

document.addEventListener("click", (event) => {
  if (event.target instanceof Node && (!nav.contains(event.target) || (event.target instanceof Element && event.target.closest("a"))) && !opener.contains(event.target)) open(false);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && nav.classList.contains("is-open")) {
    open(false);
    opener.focus();
  }
});

/** @type {AbortController | null} */
let current = null;
let liveRuns = 0;
/** @type {any} */
let session = null;

async function show() {
  current?.abort();
  const { signal } = (current = new AbortController());
  session ??= await signedIn();
  if (signal.aborted) return;
  if (!session) return fill(content, signIn(show));
  recent(threads);
  const { parts } = address.here();
  const view = VIEWS.find((each) => each.part === (parts[0] ?? "ask"));
  for (const link of links) {
    if (link.dataset.part === view?.part) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  /** @type {Frame} */
  const frame = {
    signal,
    place: (element) => { if (!signal.aborted) fill(content, element); },
    session,
    asked: () => { recent(threads); },
    title: (text) => { if (!signal.aborted) document.title = `${text} · Assay`; },
    live,
    say: (text) => { spoken.textContent = text; },
    remember: (name, value) => { try { localStorage.setItem(`assay.${name}`, value); } catch { /* it is only forgotten */ } },
    remembered: (name) => { try { return localStorage.getItem(`assay.${name}`); } catch { return null; } },
  };
  document.title = view ? `${view.name} · Assay` : "Assay";
  if (!view) return frame.place(trouble("There is nothing at this address", "Begin with a question.", html`<a class="btn" href="/">Ask</a>`));
  view.show(frame, parts[1]).catch((error) => {
    if (signal.aborted) return;
    if (error?.status === 401) {
      session = null;
      return fill(content, signIn(show));
    }
    frame.place(trouble(error instanceof Error ? error.message : String(error), error?.hint ?? null, html`<button type="button" class="btn" @click=${show}>Try again</button>`));
  });
}

/**
 * @param {string} title
 * @param {string | null} hint
 * @param {HTMLElement} act
 */
function trouble(title, hint, act) {
  return html`<main id="main" class="main" tabindex="-1"><div class="page"><h1 class="vh">${title}</h1>${problemBox(title, hint, act)}</div></main>`;
}

function live(/** @type {number} */ change) {
  liveRuns = Math.max(0, liveRuns + change);
  const link = links.find((each) => each.dataset.part === "runs") ?? links[0];
  /** @type {HTMLElement} */ (link.querySelector(".dot")).hidden = liveRuns === 0;
}

const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
const themeButton = /** @type {HTMLElement} */ (document.getElementById("theme"));

function theme(/** @type {string} */ chosen) {
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  fill(themeButton, icon("sun"), `Theme: ${chosen}`);
  try {
    localStorage.setItem("assay.theme", chosen);
  } catch {
    // It holds for this page then.
  }
}

themeButton.addEventListener("click", () => {
  const now = /** @type {any} */ (document.documentElement.dataset.theme ?? "auto");
  theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});
let chosen = "auto";
try {
  chosen = localStorage.getItem("assay.theme") ?? "auto";
} catch {
  // The reader's own scheme then.
}
theme(THEMES.includes(/** @type {any} */ (chosen)) ? chosen : "auto");

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main")?.focus();
});

keys(VIEWS.map((view) => view.part));
address.onMove(show);
show();
