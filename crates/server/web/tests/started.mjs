// The real program on a free port over throw-away data.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_MS = 60_000;

/** The program under test. */
export function program() {
  const named = process.env.ASSAY;
  if (!named) throw new Error("ASSAY names no program: start this with `cargo xtask web`");
  return named;
}

/**
 * Starts `assay serve`; `url` is where it answers.
 * @param {string[]} [more] further arguments
 * @param {Record<string, string>} [variables]
 */
export async function started(more = [], variables = {}) {
  const folder = await mkdtemp(join(tmpdir(), "assay-page-"));
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ASSAY_(MODEL|DATA_DIR)|.*_API_KEY|.*_BASE_URL)$/.test(name)));
  const child = spawn(program(), ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder, ...more], { env: { ...environment, ...variables }, stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`the server does not answer: ${said}`)), START_MS);
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /listening on (http:\/\/\S+)/.exec(said);
      if (found) {
        clearTimeout(timer);
        resolve(found[1]);
      }
    });
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return {
    url,
    folder,
    program: program(),
    async stop() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
