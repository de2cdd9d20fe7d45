// Where one is, as the browser's address says, and how one gets elsewhere. Everything that can be seen has an address.

/** @type {(() => void)[]} */
const listeners = [];

export const ASK = "/page/ask";
export const DATA = "/page/data";
export const RUNS = "/page/runs";
export const SOLVE = "/page/solve";
export const LESSONS = "/page/lessons";
export const SETTINGS = "/page/settings";

/** The parts of the path behind `/page`, and what stands behind the question mark. */
export function here() {
  const parts = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  if (parts[0] === "page") parts.shift();
  return { parts, query: new URLSearchParams(location.search) };
}

/**
 * Goes somewhere, as a step that can be taken back.
 * @param {string} address
 * @param {unknown} [kept] with the entry of the history
 */
export function go(address, kept = null) {
  history.pushState(kept, "", address);
  told();
  scrollTo(0, 0);
}

/** Says where one is now, without going anywhere. */
export function note(/** @type {string} */ address, /** @type {unknown} */ kept = history.state) {
  history.replaceState(kept, "", address);
}

export function onMove(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

function told() {
  for (const listener of listeners) listener();
}

addEventListener("popstate", told);

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || !(link.pathname === "/" || link.pathname.startsWith("/page/")) || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
