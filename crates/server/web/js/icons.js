// Drawings: icons on a grid of 16, and the octagon that is the mark of the page and of how an answer is known.

import { html } from "./dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  ask: "M3 3h10v7.5H7.5L4.5 13v-2.500H3z",
  data: "M3 4c0-1.100 2.200-2 5-2s5 .9 5 2-2.200 2-5 2-5-.9-5-2zM3 4v4c0 1.100 2.200 2 5 2s5-.9 5-2V4M3 8v4c0 1.100 2.200 2 5 2s5-.9 5-2V8",
  runs: "M2 4h6M5 8h6M8 12h6",
  solve: "M5.500 5 2.500 8l3 3M10.500 5l3 3-3 3",
  lesson: "M8 4C6.500 3 4.500 2.800 2.500 3v9.200c2-.2 4 0 5.500 1 1.500-1 3.500-1.200 5.500-1V3c-2-.2-4 0-5.500 1zM8 4v9.200",
  settings: "M2 5h5M11 5h3M2 11h2M8 11h6M9 3.200a1.800 1.800 0 1 1 0 3.600 1.800 1.800 0 0 1 0-3.600zM6 9.200a1.800 1.800 0 1 1 0 3.600 1.800 1.800 0 0 1 0-3.600z",
  check: "M3 8.500 6.300 12 13 4.500",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  up: "M8 13V3M4 7l4-4 4 4",
  right: "M6 4l4 4-4 4",
  arrow: "M3 8h10M9.500 4.500 13 8l-3.500 3.500",
  copy: "M6 6h7.500v7.500H6zM3.800 10H2.500V2.500H10v1.300",
  link: "M6.800 9.200a2.600 2.600 0 0 0 3.800.2l2-2a2.600 2.600 0 0 0-3.700-3.700l-.9.9M9.200 6.800a2.600 2.600 0 0 0-3.800-.2l-2 2a2.600 2.600 0 0 0 3.700 3.700l.9-.9",
  plus: "M8 3v10M3 8h10",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  stop: "M4.500 4.500h7v7h-7z",
  clock: "M8 2.200a5.800 5.800 0 1 1 0 11.600A5.800 5.800 0 0 1 8 2.200zM8 5v3.300l2.200 1.300",
  circle: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  again: "M13 3.500v3H10M13 6.500A5.200 5.200 0 1 0 13.200 9",
  fork: "M5 3.200v9.600M5 9c0-2 6-1.500 6-4.500M5 1.800v.1M11 3v.1",
  download: "M8 2.500v7.500M4.800 7 8 10.200 11.200 7M3 13.300h10",
  upload: "M8 10.500V3M4.800 6 8 2.800 11.200 6M3 13.300h10",
  warn: "M8 2.500 14.300 13.300H1.700zM8 6.500v3.200M8 11.400v.2",
  note: "M8 2.200a5.800 5.800 0 1 1 0 11.600A5.800 5.800 0 0 1 8 2.200zM8 7.400v3.400M8 5.100v.2",
  edit: "M10.500 3l2.500 2.500L6 12.500 3 13l.5-3zM9 4.500 11.500 7",
  key: "M5.200 5.700a2.300 2.300 0 1 1 0 4.600 2.300 2.300 0 0 1 0-4.600zM7.500 8H14v2M11.500 8v1.600",
  num: "M6.500 3 5.300 13M10.700 3 9.500 13M3 6.200h10.300M2.700 9.800H13",
  text: "M3.500 4.800V3.200h9v1.600M8 3.200v9.600M6.300 12.800h3.400",
  date: "M2.700 4h10.600v9.300H2.700zM2.700 7h10.600M5.500 2.300V5M10.500 2.300V5",
  bool: "M5 5h6a3 3 0 0 1 0 6H5a3 3 0 0 1 0-6zM11 7.300v1.400",
  sum: "M12 4.500V3H4.200l4 5-4 5H12v-1.500",
  thumb: "M9.700 9.800v2.400c0 .9-.6 1.400-1.400 1.400L5.800 9.200V3h5.400l1.600 5.200c.2.9-.4 1.600-1.200 1.600zM5.800 9.200H3.200V3h2.600",
  file: "M4 2.300h5l3 3v8.400H4zM9 2.300v3h3",
  search: "M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.500 3.500",
  bin: "M3 4.500h10M6.500 4.500V3h3v1.500M4.300 4.500l.6 8.800h6.200l.6-8.800",
  sun: "M8 5.300a2.700 2.700 0 1 1 0 5.400 2.700 2.700 0 0 1 0-5.400zM8 1.800v1M8 13.200v1M1.800 8h1M13.200 8h1M3.600 3.600l.7.7M11.700 11.700l.7.7M3.600 12.400l.7-.7M11.700 4.300l.7-.7",
};

/**
 * @param {string} name
 * @param {string} [more] further classes
 */
export function icon(name, more = "") {
  return html`<svg class=${`ic ${more}`} viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name] ?? PATHS.circle}></path></svg>`;
}

const OCTAGON = "M8 2.500h8L21.500 8v8L16 21.500H8L2.500 16V8z";
const TICK = "m7.600 12.400 3 3 5.800-6.400";

/**
 * How an answer is known, as a shape: filled, outlined, dashed, or with a bar. The word stands beside it.
 * @param {string} level
 */
export function seal(level) {
  if (level === "verified") {
    return html`<svg class="seal" viewBox="0 0 24 24" aria-hidden="true"><path class="full" d=${OCTAGON}></path><path class="cut" d=${TICK}></path></svg>`;
  }
  const inner = { checked: TICK, unverified: "M9.700 9.600c0-1.300 1-2.200 2.300-2.200s2.300.9 2.300 2.100c0 1.700-2.300 1.900-2.300 3.700M12 16v.2" }[level] ?? "M8 12h8";
  return html`<svg class=${`seal ${level}`} viewBox="0 0 24 24" aria-hidden="true"><path class="edge" d=${OCTAGON}></path><path class="line" d=${inner}></path></svg>`;
}

/** The mark of the program: the octagon with an A cut out. */
export function brand() {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path class="full" d=${OCTAGON}></path><path class="cut" d="M8.400 16.600 12 7.200l3.600 9.400M9.800 13.400h4.400"></path></svg>`;
}
