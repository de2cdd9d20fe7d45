// The API as the page uses it: documents, problems, and a run's events, which are followed until the run has ended whatever
// the connection does.

/** A request that was not served, in the server's words. */
export class Refused extends Error {
  /**
   * @param {string} title
   * @param {string | null} hint
   * @param {string} code
   * @param {number} status
   */
  constructor(title, hint, code, status) {
    super(title);
    this.hint = hint;
    this.code = code;
    this.status = status;
  }
}

const PAUSE_FIRST_MS = 300;
const PAUSE_MAX_MS = 8000;

/** What proves that a request with the cookie comes from this page. */
let proof = "";

export function prove(/** @type {string} */ value) {
  proof = value;
}

/** Whether a token was needed to get here. */
export function isProven() {
  return Boolean(proof);
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function send(path, options = {}) {
  const headers = new Headers(options.headers);
  if (proof) headers.set("X-Assay-CSRF", proof);
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refused("the server does not answer", "start `assay serve` again; what was begun goes on then", "unreachable", 0);
  }
  if (response.ok) return response;
  let told = /** @type {any} */ ({});
  try {
    told = await response.json();
  } catch {
    // Something between here and the server answered in words of its own.
  }
  throw new Refused(told.title ?? `the server answered ${response.status}`, told.detail ?? null, told.code ?? "", response.status);
}

/** @param {string} path */
export async function get(path, /** @type {AbortSignal | undefined} */ signal = undefined) {
  return (await send(path, { signal })).json();
}

/** @param {string} path */
export async function text(path) {
  return (await send(path)).text();
}

/**
 * @param {string} path
 * @param {unknown} [body]
 */
export async function post(path, body) {
  const options = body === undefined ? { method: "POST" } : { method: "POST", ...json(body) };
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

/**
 * @param {string} path
 * @param {unknown} body
 */
export async function put(path, body) {
  return (await send(path, { method: "PUT", ...json(body) })).json();
}

/** @param {string} path */
export async function remove(path) {
  const response = await send(path, { method: "DELETE" });
  return response.status === 204 ? null : response.json();
}

/**
 * @param {string} path
 * @param {FormData} form
 */
export async function upload(path, form) {
  return (await send(path, { method: "POST", body: form })).json();
}

/** @param {unknown} body */
function json(body) {
  return { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/**
 * Asks, and tells every event until the run has ended.
 * @param {object} message
 * @param {(event: any) => void} heard
 * @param {AbortSignal} signal ends the listening, never the run
 */
export async function ask(message, heard, signal) {
  const response = await send("/chat/stream", { method: "POST", signal, ...json(message) });
  /** @type {string | null} */
  let run = null;
  const over = await read(response, signal, (event) => {
    run = event.run;
    heard(event);
  });
  if (over || signal.aborted) return;
  if (!run) throw new Refused("the connection was lost before the question had begun", "ask again", "lost", 0);
  await follow(run, heard, signal);
}

/** How often it is looked whether somebody has decided what a run waits for. */
const WAITING_MS = 1500;

/**
 * Tells every event of a run, from its first, until it has ended. After a break it begins again with `{type: "again"}`.
 * @param {string} run
 * @param {(event: any) => void} heard
 * @param {AbortSignal} signal
 */
export async function follow(run, heard, signal) {
  for (let pause = PAUSE_FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
    try {
      const response = await send(`/runs/${run}/events`, { signal });
      heard({ type: "again", run, data: {} });
      let waits = false;
      const over = await read(response, signal, (event) => {
        // Nobody works on a run that waits for a person, so that its stream ends there.
        waits = event.type === "approval.requested" || (waits && event.type !== "approval.given");
        heard(event);
      });
      if (over) return;
      while (waits && !signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, WAITING_MS));
        waits = (await get(`/runs/${run}/status`, signal)).state === "waiting";
        pause = PAUSE_FIRST_MS;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
      heard({ type: "away", run, data: {} });
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * One connection's worth of events. Whether the run ended in it.
 * @param {Response} response
 * @param {AbortSignal} signal
 * @param {(event: any) => void} heard
 */
async function read(response, signal, heard) {
  if (!response.body) return false;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return false;
      rest += value;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = parse(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (!event) continue;
        heard(event);
        if (event.type === "run.finished") return true;
      }
    }
  } catch (error) {
    if (signal.aborted) return true;
    return false;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {string} frame */
function parse(frame) {
  const data = frame.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
  return data.length ? JSON.parse(data.join("\n")) : null;
}
