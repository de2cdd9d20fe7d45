// Settings: who is signed in, which models can be asked, how this machine and its limits are set up; each setting with where
// its value comes from. They are changed where they lie, so that a page never changes what others rely on.

import * as api from "../api.js";
import { block } from "../code.js";
import { html, marked } from "../dom.js";
import { icon } from "../icons.js";
import { problemBox } from "./answer.js";

/** @type {Record<string, [string, string, string]>} */
const KEYS = { there: ["ok", "check", "key is there"], missing: ["off", "circle", "no key is set"], not_needed: ["off", "check", "needs no key"] };

/** @param {import("../main.js").Frame} frame */
export async function show(frame) {
  const { signal, session } = frame;
  /** @type {[import("../../types/api").Models, any]} */
  const [models, settings] = await Promise.all([api.get("/models", signal), api.get("/settings", signal).catch((error) => error)]);
  const state = (/** @type {string} */ key) => {
    const [kind, picture, word] = KEYS[key] ?? ["off", "circle", key];
    return html`<span class=${`state ${kind}`}>${icon(picture)}${word}</span>`;
  };
  const named = models.models.map((/** @type {any} */ model) => html`<li><span class="what"><b>${model.name}</b>${model.name === models.default ? html` <span class="tag">default</span>` : null}<small>${model.provider}:${model.model}${model.fallbacks?.length ? `, then ${model.fallbacks.join(", ")}` : ""}</small></span>${state(model.key)}</li>`);
  const providers = models.providers.map((/** @type {any} */ provider) => html`<li><span class="what"><b>${provider.name}</b><small>${provider.key_variable ? html`<code>${provider.key_variable}</code>` : "no key"}</small></span>${state(provider.key)}</li>`);
  frame.place(html`<main id="main" class="main" tabindex="-1"><div class="page"><div class="head"><div class="grow"><h1>Settings</h1><p class="lede">What is set, and where it comes from.</p></div></div><div class="datagrid"><div class="stack">
${settings instanceof Error ? problemBox(settings.message, settings instanceof api.Refused ? settings.hint : null) : html`<section class="card"><div class="cap"><h2>This server</h2></div><ul class="settings">${settings.settings.map((/** @type {any} */ each) => html`<li><span class="what"><code>${each.name}</code><small>${marked(each.about)}</small></span><span class="value">${each.value === null ? html`<i class="quiet">not set</i>` : html`<code>${each.value}</code>`}<small>${each.origin}</small></span></li>`)}</ul></section>`}
</div><div class="stack">
<section class="card"><div class="cap bare"><h2>Models</h2></div><div class="in"><p class="soft small">${models.default ? html`<code>${models.default}</code> is asked what the planner does not read, as ${models.default_origin} says.` : "None is asked: questions are read by the planner alone."}</p></div><ul class="settings">${named}${providers}</ul><div class="in small soft">Try one in a terminal:${block("assay model test NAME\nassay model use NAME", "shell")}</div></section>
<section class="card"><div class="cap bare"><h2>Who may call</h2></div><div class="in stack small soft"><p>${session.token_needed ? html`Signed in as <b>${session.owner}</b>, who may <b>${session.scope}</b>.` : "No token was made: whoever uses this machine may ask for anything."}</p>${block("assay token create NAME\nassay token list", "shell")}${session.token_needed ? html`<button type="button" class="btn" @click=${async () => { await api.remove("/session"); location.assign("/"); }}>Sign out</button>` : null}</div></section>
<section class="card"><div class="cap bare"><h2>For programs</h2></div><div class="in"><ul class="side-list"><li><a href="/docs" target="_blank">${icon("file")}Addresses of the API</a></li><li><a href="/openapi.json" target="_blank">${icon("file")}OpenAPI document</a></li><li><a href="/metrics" target="_blank">${icon("runs")}Metrics</a></li></ul></div></section>
</div></div></div></main>`);
}
