// The steps of a run as people follow them: what a model wrote and what became of it when it ran are one attempt, and the
// attempts at one thing stand together under it. Pure: the same steps give the same rows.

/** @typedef {import("./fold.js").Step | import("../types/api").RunParts.Step} Recorded */

/**
 * @typedef {object} Entry
 * @property {"step" | "group" | "attempt"} kind
 * @property {any[]} steps one; of an attempt what was written and what became of it; of a group those of all its attempts
 * @property {number} number of the attempt, or how many attempts a group has
 */

/** Whether what a step gave tells of a failure. */
export function isUnwell(/** @type {any} */ output) {
  if (!output || typeof output !== "object") return false;
  if (typeof output.outcome === "string") return ["failed", "killed", "lost", "refused"].includes(output.outcome);
  // What Solve runs has no outcome but an error, or evidence that fails.
  return Boolean(output.error) || (Array.isArray(output.evidence) && output.evidence.some((/** @type {any} */ each) => each.failed > 0));
}

/**
 * @param {any[]} steps
 * @returns {Entry[]}
 */
export function entries(steps) {
  /** @type {Entry[]} */
  const all = [];
  for (let at = 0; at < steps.length; ) {
    const pairs = attempts(steps, at);
    if (pairs.length < 2) {
      all.push({ kind: "step", steps: [steps[at]], number: 0 });
      at += 1;
      continue;
    }
    all.push({ kind: "group", steps: pairs.flat(), number: pairs.length });
    all.push(...pairs.map((pair, number) => ({ kind: /** @type {const} */ ("attempt"), steps: pair, number: number + 1 })));
    at += pairs.flat().length;
  }
  return all;
}

/**
 * What was written and run from here on, until it held.
 * @param {any[]} steps
 * @param {number} from
 */
function attempts(steps, from) {
  const pairs = [];
  for (let at = from; steps[at]?.name === "model"; at += 2) {
    const ran = steps[at + 1];
    if (ran?.name !== "execute") {
      // What is being written is the next attempt.
      if (pairs.length && steps[at].state === "live") pairs.push([steps[at]]);
      break;
    }
    pairs.push([steps[at], ran]);
    if (ran.state !== "live" && ran.state !== "failed" && !isUnwell(ran.output)) break;
  }
  return pairs;
}
