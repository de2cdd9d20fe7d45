// The documents of the API as TypeScript declares them, from the JSON Schema that the program prints of its own types.
// `node tests/types.mjs` writes them; a test fails where they are not what the program has.

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../types/api.d.ts", import.meta.url));
/** What the page reads. */
const DOCUMENTS = ["answer", "sql", "execution", "datasets", "dataset", "dataset_schema", "profile", "notes", "remembered", "runs", "run", "replay", "models", "config"];

/** @param {string} name */
const title = (name) => name.split("_").map((part) => part[0].toUpperCase() + part.slice(1)).join("");

/**
 * @param {any} schema
 * @param {(name: string) => string} named
 * @returns {string}
 */
function typeOf(schema, named) {
  if (schema === true || schema === undefined) return "any";
  if (schema.$ref) return named(schema.$ref.split("/").at(-1));
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return [...new Set(several.map((/** @type {any} */ each) => typeOf(each, named)))].join(" | ");
  if (Array.isArray(schema.type)) return [...new Set(schema.type.map((/** @type {string} */ type) => typeOf({ ...schema, type }, named)))].join(" | ");
  switch (schema.type) {
    case "string": return "string";
    case "integer":
    case "number": return "number";
    case "boolean": return "boolean";
    case "null": return "null";
    case "array": {
      if (schema.prefixItems) return `[${schema.prefixItems.map((/** @type {any} */ each) => typeOf(each, named)).join(", ")}]`;
      const item = typeOf(schema.items, named);
      return item.includes("|") ? `(${item})[]` : `${item}[]`;
    }
    case "object": {
      if (!schema.properties) return schema.additionalProperties && schema.additionalProperties !== true ? `Record<string, ${typeOf(schema.additionalProperties, named)}>` : "Record<string, any>";
      const required = new Set(schema.required ?? []);
      return `{ ${Object.entries(schema.properties).map(([name, part]) => `${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${typeOf(part, named)}`).join("; ")} }`;
    }
    default: return "any";
  }
}

/** @param {string} program */
export function declarations(program) {
  const parts = DOCUMENTS.map((document) => {
    const schema = JSON.parse(execFileSync(program, ["schema", document], { encoding: "utf8", maxBuffer: 1 << 26 }));
    const inner = Object.entries(schema.$defs ?? {});
    // Two documents may call different things by one name, so that each has a room of its own.
    const lines = inner.map(([name, part]) => `  type ${name} = ${typeOf(part, (each) => each)};`);
    const within = inner.length ? `export namespace ${title(document)}Parts {\n${lines.join("\n")}\n}\n` : "";
    return `${within}export type ${title(document)} = ${typeOf({ ...schema, $defs: undefined }, (each) => `${title(document)}Parts.${each}`)};\n`;
  });
  return `// Made by tests/types.mjs from what \`assay schema\` prints; not written by hand.\n\n${parts.join("\n")}`;
}

/** What is in the file now. */
export async function written() {
  return readFile(FILE, "utf8").catch(() => "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(FILE, declarations(process.env.ASSAY ?? "assay"));
}
