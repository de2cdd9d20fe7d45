// Settings: who is signed in, which models can be asked and whether they do what is expected, what was spent, what isolates
// programs, how this machine and its limits are set up. They are changed where they lie, so that a page never changes what
// others rely on.

import * as api from "../api.js";
import { block } from "../code.js";
import { toast } from "../copy.js";
import { fill, html, marked } from "../dom.js";
import { bytes, count, counted, duration, moment, sentence } from "../format.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";
import { askable } from "./ways.js";

/** @type {Record<string, [string, string, string]>} */
const KEYS = { there: ["ok", "check", "key is there"], missing: ["off", "circle", "no key is set"], not_needed: ["off", "check", "needs no key"] };

/** What each check of a model is for. @type {Record<string, string>} */
const ABILITIES = { text: "Writes text", stream: "In pieces, as it writes", structured: "JSON as asked for", tools: "Calls tools" };

/** @param {import("../main.js").Frame} frame */
export async function show(frame) {
  const { signal, session } = frame;
  const isAdmin = session.scope === "admin";
  /** @type {[import("../../types/api").Models, any, any, any]} */
  const [models, settings, spending, limits] = await Promise.all([api.get("/models", signal), isAdmin ? api.get("/settings", signal) : null, api.get("/spending", signal), api.get("/limits", signal)]);
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><h1>Settings</h1><p class="lede">What is set, and where it comes from. <code>assay config show</code> says where to change it.</p></div></div><div class="datagrid"><div class="stack">
${modelsCard(models, signal)}
${!settings ? html`<section class="card"><div class="cap"><h2>This server</h2></div><div class="in soft small">How it is set up is shown to whoever may <b>admin</b>.</div></section>` : html`<section class="card"><div class="cap"><h2>This server</h2></div><ul class="settings">${settings.settings.map((/** @type {any} */ each) => html`<li><span class="what"><code>${each.name}</code><small>${marked(each.about)}</small></span><span class="value">${each.value === null ? html`<i class="quiet">not set</i>` : html`<code>${/_bytes$/.test(each.name) ? bytes(Number(each.value)) : each.value}</code>`}<small>${each.origin}</small></span></li>`)}</ul></section>`}
</div><div class="stack">
${spent(spending)}
${isAdmin ? isolation(signal) : null}
${bounds(limits)}
${callers(session, signal)}
<section class="card"><div class="cap bare"><h2>For programs</h2></div><div class="in"><ul class="side-list"><li><a href="/docs" target="_blank">${icon("file")}Addresses of the API</a></li><li><a href="/openapi.json" target="_blank">${icon("file")}OpenAPI document</a></li><li><a href="/metrics" target="_blank">${icon("runs")}Metrics</a></li></ul></div></section>
</div></div></div></main>`);
}

/**
 * @param {import("../../types/api").Models} models
 * @param {AbortSignal} signal
 */
function modelsCard(models, signal) {
  const state = (/** @type {string} */ key) => {
    const [kind, picture, word] = KEYS[key] ?? ["off", "circle", key];
    return html`<span class=${`state ${kind}`}>${icon(picture)}${word}</span>`;
  };
  const can = askable(models);
  const row = (/** @type {string} */ name, /** @type {import("../dom.js").Content} */ about, /** @type {import("../dom.js").Content} */ after) => html`<li><span class="what"><b>${name}</b>${name === models.default ? html` <span class="tag">default</span>` : null}<small>${about}</small></span>${after}${can.includes(name) ? tester(name, signal) : null}</li>`;
  const listed = new Set(models.models.map((model) => model.name));
  const other = models.default && models.default !== "off" && !listed.has(models.default) && !models.default.startsWith("local:") ? row(models.default, `as ${models.default_origin} says`, null) : null;
  const named = models.models.map((model) => row(model.name, `${model.provider}:${model.model}${model.fallbacks?.length ? `, then ${model.fallbacks.join(", ")}` : ""}`, state(model.key)));
  const local = models.local.map((weights) => row(`local:${weights.name}`, `${bytes(weights.bytes)}, runs on this machine`, weights.state === "there" ? html`<span class="state ok">${icon("check")}here</span>` : html`<span class="state off">${icon("circle")}<code>assay model pull ${weights.name}</code></span>`));
  const providers = models.providers.map((provider) => html`<li><span class="what"><b>${provider.name}</b><small>${provider.key_variable ? html`<code>${provider.key_variable}</code>` : "any model of its own"}</small></span>${state(provider.key)}</li>`);
  return html`<section class="card"><div class="cap bare"><h2>Models</h2></div><div class="in"><p class="soft small">${models.default && models.default !== "off" ? [html`<code>${models.default}</code>`, ` is asked what the planner does not read, as ${models.default_origin} says.`] : ["None is asked: questions are read by the planner alone. ", html`<code>assay model use NAME</code>`, " chooses one."]}</p></div><ul class="settings">${other}${named}${local}</ul><div class="cap bare sub"><h3>Whose models can be named</h3></div><ul class="settings">${providers}</ul></section>`;
}

/**
 * Who is signed in, and whose tokens there are.
 * @param {import("../main.js").Frame["session"]} session
 * @param {AbortSignal} signal
 */
function callers(session, signal) {
  const list = html`<ul class="settings" hidden></ul>`;
  const said = html`<div></div>`;
  const draw = async () => {
    const { tokens } = await api.get("/tokens", signal);
    list.hidden = !tokens.length;
    fill(list, tokens.map((/** @type {any} */ token) => html`<li><span class="what"><b>${token.name}</b><small>${token.owner === token.name ? "" : `${token.owner}, `}may ${token.scopes[token.scopes.length - 1] ?? "read"}; ${token.revoked_at ? `revoked ${moment(token.revoked_at)}` : token.expires_at ? `until ${moment(token.expires_at)}` : "does not expire"}</small></span>${token.revoked_at ? null : revoker(token)}</li>`));
  };
  const revoker = (/** @type {any} */ token) => html`<button type="button" class="btn bare" aria-label=${`Revoke ${token.name}`} @click=${async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      fill(button, "For good?");
      return;
    }
    try {
      await api.remove(`/tokens/${encodeURIComponent(token.id)}`);
      toast(`${token.name} may not call any more`);
      await draw();
    } catch (error) {
      fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    }
  }}>Revoke</button>`;
  // Nobody else may look at them.
  if (session.scope === "admin") draw().catch((error) => { if (!signal.aborted) fill(said, html`<p class="soft small">${sentence(error instanceof Error ? error.message : String(error))}</p>`); });
  return html`<section class="card"><div class="cap bare"><h2>Who may call</h2></div><div class="in stack small soft"><p>${session.token_needed ? ["Signed in as ", html`<b>${session.owner}</b>`, ", who may ", html`<b>${session.scope}</b>`, "."] : "No token was made: whoever uses this machine may ask for anything."}</p>${block("assay token create NAME", "shell")}${said}${session.token_needed ? html`<button type="button" class="btn" @click=${async () => { await api.remove("/session"); location.assign("/"); }}>Sign out</button>` : null}</div>${list}</section>`;
}

/**
 * A button that tries a model, and what came of it.
 * @param {string} name
 * @param {AbortSignal} signal
 */
function tester(name, signal) {
  const came = html`<div class="came" role="status"></div>`;
  const button = /** @type {HTMLButtonElement} */ (html`<button type="button" class="btn" aria-label=${`Test ${name}`} @click=${act}>Test</button>`);
  let timer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);

  async function act() {
    button.disabled = true;
    const began = performance.now();
    const clock = html`<span class="clock">0.0 s</span>`;
    fill(came, html`<p class="soft small">Asking it for text, pieces, JSON and a tool. ${clock}</p>`);
    timer = setInterval(() => { clock.textContent = duration(performance.now() - began); }, 200);
    signal.addEventListener("abort", () => clearInterval(timer));
    try {
      const test = await api.post("/models/test", { model: name });
      const tokens = Object.values(test.usage).reduce((sum, each) => sum + Number(each), 0);
      fill(came, html`<ul class="evidence">${test.checks.map((/** @type {any} */ check) => html`<li>${icon(check.ok ? "check" : "cross", check.ok ? "ok" : "off")}<span>${ABILITIES[check.id] ?? check.id}<small>${marked(check.note)}</small></span><span class="small quiet">${check.ms ? duration(check.ms) : ""}</span></li>`)}</ul>`, html`<p class="small"><b>${test.ok ? "It works" : "It does not do what is expected of it"}</b>, ${counted(tokens, "token")}.</p>`);
    } catch (error) {
      fill(came, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
    } finally {
      clearInterval(timer);
      button.disabled = false;
    }
  }

  return [button, came];
}

/** What models have used today and may use. */
function spent(/** @type {any} */ spending) {
  const { day, run } = spending;
  const bar = (/** @type {number} */ used, /** @type {number | null} */ most) => most ? html`<svg class="hbar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"></rect><rect class=${used >= most ? "wait" : "calm"} width=${`${Math.min(100, (used / most) * 100).toFixed(1)}%`} height="100%" rx="2"></rect></svg>` : null;
  const limits = [run.tokens_max ? counted(run.tokens_max, "token") : null, run.usd_max ? `${run.usd_max} USD` : null, run.seconds_max ? `${run.seconds_max} s` : null].filter(Boolean);
  return html`<section class="card"><div class="cap bare"><h2>Spent today</h2></div><div class="in small stack"><div>${bar(day.tokens, day.tokens_max)}<p>${day.tokens_max ? `${count(day.tokens)} of ${counted(day.tokens_max, "token")}` : counted(day.tokens, "token")}, ${counted(day.calls, "reply", "replies")} <span class="quiet">since midnight, UTC</span></p></div><div>${bar(day.usd, day.usd_max)}<p>${day.usd.toFixed(4)}${day.usd_max ? ` of ${day.usd_max}` : ""} USD <span class="quiet">of models with prices</span></p></div><p class="soft">${limits.length ? `One run may use ${limits.join(", ")}.` : "No budget was set for one run."} ${day.tokens_max || day.usd_max ? "" : ["None for a day: ", html`<code>budget.day.usd</code>`, " sets one."]}</p></div></section>`;
}

/** How much of everything one may have. */
function bounds(/** @type {any} */ limits) {
  const may = (/** @type {any} */ program) => `${duration(program.cpu_ms)} of a processor, ${duration(program.wall_ms)}, ${bytes(program.memory_bytes)}`;
  return html`<section class="card"><div class="cap bare"><h2>Limits</h2></div><div class="in"><dl class="kv"><dt>Runs</dt><dd>${count(limits.runs_at_once)} at once, ${count(limits.runs_waiting_max)} waiting</dd><dt>Files</dt><dd>${bytes(limits.upload_bytes_max)} together</dd><dt>Message</dt><dd>${bytes(limits.message_bytes_max)}</dd><dt>Answer</dt><dd>${may(limits.analysis)}</dd><dt>Program</dt><dd>${may(limits.program)}</dd></dl></div></section>`;
}

/** @param {AbortSignal} signal */
function isolation(signal) {
  const place = html`<div class="in small stack"><p class="soft">Making a cell and looking at it.</p></div>`;
  api.get("/isolation", signal).then((probe) => {
    const unwell = probe.checks.filter((/** @type {any} */ check) => check.status !== "ok");
    fill(place, html`<p><span class=${`state ${probe.ok ? "ok" : "bad"}`}>${icon(probe.ok ? "check" : "cross")}${probe.ok ? probe.tier : "programs cannot be run here"}</span></p>`, probe.memory ? html`<p class="soft">Memory: ${marked(probe.memory)}</p>` : null, html`<p class="soft">${probe.checks.length - unwell.length} of ${counted(probe.checks.length, "layer")} as they should be.</p>`, unwell.length ? html`<ul class="stack">${unwell.map((/** @type {any} */ check) => html`<li><b>${sentence(check.message ?? check.id)}</b>${check.fix ? html`<small class="soft"> ${marked(check.fix)}</small>` : null}</li>`)}</ul>` : null);
  }, (error) => {
    if (!signal.aborted) fill(place, html`<p class="soft">${sentence(error instanceof Error ? error.message : String(error))}</p>`);
  });
  return html`<section class="card"><div class="cap bare"><h2>Isolation</h2></div>${place}</section>`;
}
