// Signing in with a token, where the server asks for one. The cookie that comes back is out of reach of this page.

import * as api from "../api.js";
import { brand } from "../icons.js";
import { fill, html } from "../dom.js";
import { problemBox } from "./answer.js";

/** Who is signed in; nothing where nobody is. */
export async function session() {
  try {
    const told = await api.get("/session");
    if (told.csrf) api.prove(told.csrf);
    return told;
  } catch (error) {
    if (error instanceof api.Refused && (error.status === 401 || error.code === "token_invalid")) return null;
    return { signed_in: true, owner: "", scope: "", token_needed: false };
  }
}

/** @param {() => void} onDone */
export function signIn(onDone) {
  const field = /** @type {HTMLInputElement} */ (html`<input class="field mono" id="token" type="password" autocomplete="current-password" required>`);
  const said = html`<div></div>`;
  const form = html`<form class="card signin"><span class="brand">${brand()}Assay</span><h1>Sign in</h1><p class="soft">This server asks for a token. Whoever runs it makes one: <code>assay token create NAME</code></p><label for="token">Token</label>${field}${said}<button class="btn solid" type="submit">Sign in</button></form>`;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const told = await api.post("/session", { token: field.value.trim() });
      api.prove(told.csrf ?? "");
      onDone();
    } catch (error) {
      fill(said, problemBox(error instanceof Error ? error.message : String(error), error instanceof api.Refused ? error.hint : null));
      field.focus();
    }
  });
  return html`<main id="main" class="main" tabindex="-1">${form}</main>`;
}
