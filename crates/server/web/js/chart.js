// The server's drawing, put into the page without its own colours, so that the page's theme colours it.

import * as api from "./api.js";
import { fill, fresh, html } from "./dom.js";

/** A drawing is asked for in the width it has, rounded down, so that its letters are as large as the page's. */
const STEP = 20;
const WIDTH_MIN = 280;
const KEPT = new Set(["svg", "title", "desc", "g", "rect", "line", "path", "text", "tspan", "circle", "polyline", "polygon", "ellipse", "clippath", "defs"]);
const LEFT_OUT = new Set(["data-style", "font-family", "class", "href", "xlink:href"]);
const COLOURS = new Set(["fill", "stroke"]);

/**
 * A place that draws the chart of a run when it is seen, and again when its width needs another drawing.
 * @param {string} run
 */
export function chart(run) {
  const place = html`<div class="chart" aria-busy="true"><p class="quiet small">Drawing the chart</p></div>`;
  let drawn = 0;
  const watch = new ResizeObserver(async () => {
    const room = place.clientWidth;
    const width = Math.max(WIDTH_MIN, Math.floor(room / STEP) * STEP);
    if (!room || width === drawn) return;
    drawn = width;
    try {
      const svg = clean(await api.text(`/runs/${run}/chart.svg?width=${width}`));
      if (drawn === width) fill(place, svg);
    } catch (error) {
      fill(place, html`<p class="quiet small">The chart cannot be drawn: ${error instanceof Error ? error.message : error}.</p>`);
    }
    place.removeAttribute("aria-busy");
  });
  watch.observe(place);
  return place;
}

/**
 * Nothing but shapes and words stays, with the classes that say which colour each has.
 * @param {string} source
 */
export function clean(source) {
  // Styles would be complained of even where they only are read.
  const plain = source.replace(/<style>[^]*?<\/style>/g, "").replace(/<[a-z][^>]*>/g, (tag) => tag.replaceAll(" style=", " data-style="));
  const root = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
  const ids = new Map();
  const copy = (/** @type {Element} */ from) => {
    const name = from.localName.toLowerCase();
    if (!KEPT.has(name)) return null;
    const to = document.createElementNS("http://www.w3.org/2000/svg", from.localName);
    for (const attribute of from.attributes) {
      if (LEFT_OUT.has(attribute.name) || attribute.name.startsWith("on") || attribute.name.startsWith("xmlns")) continue;
      const isColour = COLOURS.has(attribute.name) && attribute.value !== "none" && from.hasAttribute("class");
      if (!isColour) to.setAttribute(attribute.name, attribute.value);
    }
    const classes = (from.getAttribute("class") ?? "").split(/\s+/).filter((each) => /^k?(i|f|l|g|s[0-7])$/.test(each));
    const style = from.getAttribute("data-style") ?? "";
    if (style.includes("paint-order")) classes.push("halo");
    if (style.includes("fill:var(--ground")) classes.push("g");
    if (classes.length) to.setAttribute("class", classes.join(" "));
    if (from.id) {
      ids.set(from.id, fresh("chart"));
      to.id = ids.get(from.id);
    }
    for (const child of from.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) to.append(child.textContent ?? "");
      else if (child instanceof Element) {
        const made = copy(child);
        if (made) to.append(made);
      }
    }
    return to;
  };
  const svg = /** @type {SVGElement} */ (copy(root) ?? document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  const named = svg.getAttribute("aria-labelledby");
  if (named) svg.setAttribute("aria-labelledby", named.split(/\s+/).map((id) => ids.get(id) ?? id).join(" "));
  for (const each of svg.querySelectorAll("[clip-path]")) {
    each.setAttribute("clip-path", (each.getAttribute("clip-path") ?? "").replace(/url\(#([^)]+)\)/, (_, id) => `url(#${ids.get(id) ?? id})`));
  }
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  return svg;
}
