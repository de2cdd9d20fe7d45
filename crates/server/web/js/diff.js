// Two texts, line by line: what went, what came, what stayed. Pure.

/** @typedef {{kind: "same" | "gone" | "come", text: string, before: number | null, after: number | null}} Line */

/** More lines than this on both sides are told as one gone and one come: the table of lengths would be too large. */
const CELLS_MAX = 4_000_000;

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[]}
 */
export function changes(before, after) {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const [left, right] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  /** @type {Line[]} */
  const all = [];
  const same = (/** @type {number} */ a, /** @type {number} */ b) => all.push({ kind: "same", text: now[b], before: a + 1, after: b + 1 });
  const gone = (/** @type {number} */ a) => all.push({ kind: "gone", text: old[a], before: a + 1, after: null });
  const come = (/** @type {number} */ b) => all.push({ kind: "come", text: now[b], before: null, after: b + 1 });
  for (let at = 0; at < head; at += 1) same(at, at);
  if (left.length * right.length > CELLS_MAX) {
    left.forEach((_, at) => gone(head + at));
    right.forEach((_, at) => come(head + at));
  } else {
    const common = lengths(left, right);
    let [a, b] = [0, 0];
    while (a < left.length || b < right.length) {
      if (a < left.length && b < right.length && left[a] === right[b]) same(head + a++, head + b++);
      else if (b >= right.length || (a < left.length && common[a + 1][b] >= common[a][b + 1])) gone(head + a++);
      else come(head + b++);
    }
  }
  for (let at = tail; at > 0; at -= 1) same(old.length - at, now.length - at);
  return all;
}

/** How many lines differ. */
export function changed(/** @type {Line[]} */ lines) {
  return Math.max(lines.filter((line) => line.kind === "gone").length, lines.filter((line) => line.kind === "come").length);
}

/** The longest common part of every two ends. */
function lengths(/** @type {string[]} */ left, /** @type {string[]} */ right) {
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let a = left.length - 1; a >= 0; a -= 1) {
    for (let b = right.length - 1; b >= 0; b -= 1) {
      table[a][b] = left[a] === right[b] ? table[a + 1][b + 1] + 1 : Math.max(table[a + 1][b], table[a][b + 1]);
    }
  }
  return table;
}

function linesOf(/** @type {string} */ text) {
  const clean = text.replace(/\s+$/, "");
  return clean ? clean.split("\n") : [];
}
