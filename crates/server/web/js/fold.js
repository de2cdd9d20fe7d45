// What the events of a run come to, told one after the other: its steps, its text as it is written, its end. Pure: the same
// events give the same picture, also after a reload.

/**
 * @typedef {object} Step
 * @property {number} index
 * @property {string} name
 * @property {"live" | "ok" | "failed"} state
 * @property {number | null} began when, by the server's clock
 * @property {number | null} ms
 * @property {number} attempts
 * @property {string} said what came of it, in the step's own words
 * @property {string} text what was written in it
 * @property {string} channel of what was written
 */

/**
 * @typedef {object} Picture
 * @property {string | null} run
 * @property {string} task
 * @property {any} input
 * @property {number | null} began
 * @property {boolean} queued
 * @property {number | null} place in the queue
 * @property {boolean} away whether the connection is lost
 * @property {Step[]} steps
 * @property {string} printed what the program printed
 * @property {string} state
 * @property {any} output
 * @property {any} problem
 * @property {string | null} thread
 * @property {any} approval what a person is asked
 * @property {any} told how far the task says it is
 */

/** More of what is written is not kept: its end is. */
const TEXT_MAX = 40_000;

/** @returns {Picture} */
export function blank() {
  return {
    run: null, task: "", input: null, began: null, queued: false, place: null, away: false, steps: [], printed: "",
    state: "pending", output: null, problem: null, thread: null, approval: null, told: null,
  };
}

/**
 * @param {Picture} picture
 * @param {any} event
 * @returns {Picture}
 */
export function told(picture, event) {
  const { type, data } = event;
  if (type === "away") return { ...picture, away: true };
  if (type === "again") return { ...blank(), run: event.run, thread: picture.thread };
  const now = { ...picture, run: event.run, away: false };
  const at = Date.parse(event.at);
  switch (type) {
    case "run.created":
      return { ...now, task: data.task, input: data.input, began: at, queued: true };
    case "run.queued":
      return { ...now, queued: true, place: data.position ?? null };
    case "run.started":
    case "run.resumed":
      return { ...now, state: "running", queued: false, place: null, approval: null };
    case "step.started":
      return { ...now, queued: false, steps: put(now.steps, data.index, { name: data.name, state: "live", began: at, text: "", channel: "" }) };
    case "step.retried":
    case "step.retry":
      return { ...now, steps: put(now.steps, data.index, { said: data.error ?? data.message ?? "tried again", attempts: (data.attempt ?? 1) + 1 }) };
    case "step.finished":
      return {
        ...now,
        steps: put(now.steps, data.index, {
          name: data.name, state: data.state === "ok" ? "ok" : "failed", ms: data.duration_ms, attempts: data.attempts ?? 1,
          said: data.problem?.message ?? data.error ?? "",
        }),
      };
    case "code.failed":
      // The step did what it had to; the code in it did not.
      return isOver(now.state) ? now : { ...now, steps: put(now.steps, data.index, { state: "failed", said: data.message }) };
    case "text.delta":
      return { ...now, steps: written(now.steps, data.text ?? "", data.channel ?? "") };
    case "output.chunk":
      return { ...now, printed: (now.printed + (data.text ?? "")).slice(-TEXT_MAX) };
    case "approval.requested":
      return { ...now, state: "waiting", approval: data };
    case "approval.given":
      return { ...now, state: "pending", queued: true, approval: null };
    case "solve.state":
      return { ...now, told: data };
    case "run.finished":
      return { ...now, queued: false, state: data.state, output: data.output ?? null, problem: data.problem ?? null, thread: data.thread_id ?? now.thread };
    default:
      return now;
  }
}

/**
 * @param {Step[]} steps
 * @param {number} index
 * @param {Partial<Step>} change
 */
function put(steps, index, change) {
  const old = steps.find((step) => step.index === index);
  const base = old ?? { index, name: "", state: /** @type {const} */ ("live"), began: null, ms: null, attempts: 1, said: "", text: "", channel: "" };
  const next = { ...base, ...change };
  return old ? steps.map((step) => (step === old ? next : step)) : [...steps, next];
}

/**
 * @param {Step[]} steps
 * @param {string} text
 * @param {string} channel
 */
function written(steps, text, channel) {
  const last = steps[steps.length - 1];
  if (!last) return steps;
  const before = last.channel === channel ? last.text : "";
  return [...steps.slice(0, -1), { ...last, channel, text: (before + text).slice(-TEXT_MAX) }];
}

/** Whether nothing more comes. */
export function isOver(/** @type {string} */ state) {
  return ["succeeded", "failed", "rejected", "cancelled"].includes(state);
}

/** @type {Record<string, [string, string]>} while it happens, and after */
const WORDS = {
  recall: ["Looking for an earlier answer", "Found an earlier answer"],
  sample: ["Taking example rows", "Took example rows"],
  model: ["A model is writing", "A model wrote"],
  execute: ["Running it in the sandbox", "Ran it in the sandbox"],
  verify: ["Computing it again, another way", "Computed it again, another way"],
  write: ["Writing every row", "Wrote every row"],
  remember: ["Keeping what was learned", "Kept what was learned"],
  approval: ["Waiting for you", "You decided"],
  cases: ["Answering the questions", "Answered the questions"],
};

/**
 * @param {string} name
 * @param {boolean} done
 * @param {string} [task] what it is a step of
 */
export function stepWords(name, done, task = "") {
  if (name === "recall" && task.startsWith("solve")) return done ? "Looked for lessons" : "Looking for lessons";
  const words = WORDS[name] ?? WORDS[name.split(/[.:/ ]/)[0]];
  if (words) return words[done ? 1 : 0];
  const plain = name.replaceAll(/[_.]/g, " ");
  return plain ? plain[0].toUpperCase() + plain.slice(1) : "Working";
}

/** What happens now, in a few words. */
export function status(/** @type {Picture} */ picture) {
  if (picture.away) return "Reconnecting; the run goes on";
  if (picture.queued) return picture.place ? `Queued, number ${picture.place} in line` : "Waiting for a free place";
  if (picture.state === "waiting") return "Waiting for you";
  const last = picture.steps[picture.steps.length - 1];
  if (last?.state === "live") return stepWords(last.name, false, picture.task);
  if (last) return "Putting the answer together";
  return picture.task.startsWith("ask") ? "Reading the question and the data" : "Preparing the data";
}
