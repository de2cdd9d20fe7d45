// Templates: html`<p class=${name} @click=${act}>${text}</p>` gives an element. Every value is text unless it is a node, so
// nothing that came from data, a model or a file can become markup.
//
//   name=${value}   an attribute, without quotes and as a whole; null and false leave it out, true writes it empty
//   @name=${act}    a listener
//   ${value}        a node, several in an array, or text; null, undefined and booleans are nothing

/** @typedef {Node | string | number | bigint | boolean | null | undefined} One */
/** @typedef {One | readonly any[]} Content several of them as well, also within one another */

const MARK = ":hole";
/** Attributes whose letters are not all small, which the parser makes them. */
const CASED = /** @type {Record<string, string>} */ ({ viewbox: "viewBox" });

/** @type {WeakMap<TemplateStringsArray, HTMLTemplateElement>} */
const known = new WeakMap();

/**
 * @param {TemplateStringsArray} strings
 * @param {...any} values
 * @returns {HTMLElement}
 */
export function html(strings, ...values) {
  const parts = copy(strings, values);
  const first = parts.firstElementChild;
  if (!first) throw new Error("a template has no element");
  return /** @type {HTMLElement} */ (first);
}

/**
 * The same for a part of a drawing, which only within one is read as such.
 * @param {TemplateStringsArray} strings
 * @param {...any} values
 * @returns {SVGElement}
 */
export function svg(strings, ...values) {
  const part = copy(strings, values, (text) => `<svg>${text}</svg>`).firstElementChild?.firstElementChild;
  if (!part) throw new Error("a template has no element");
  return /** @type {any} */ (part);
}

/**
 * @param {TemplateStringsArray} strings
 * @param {any[]} values
 * @param {(text: string) => string} within
 */
function copy(strings, values, within = (text) => text) {
  let template = known.get(strings);
  if (!template) {
    template = document.createElement("template");
    if (strings.some((part) => /="[^"<>]*$/.test(part))) throw new Error(`an attribute is given in part: ${strings[0]}`);
    const text = strings.reduce((text, part, at) => `${text}\u27e6${at - 1}\u27e7${part}`);
    // A browser complains about a path that is a hole, so that holes stand in attributes of another name; and it moves text
    // out of tables, but not comments.
    const named = text.replace(/([@\w-]+)=\u27e6(\d+)\u27e7/g, `$1${MARK}=$2`);
    template.innerHTML = within(named.replace(/\u27e6(\d+)\u27e7/g, "<!--$1-->").trim());
    known.set(strings, template);
  }
  const parts = /** @type {DocumentFragment} */ (document.importNode(template.content, true));
  const walker = document.createTreeWalker(parts, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  for (const node of found) {
    if (node instanceof Element) attributes(node, values);
    else /** @type {Comment} */ (node).replaceWith(...nodes(values[Number(node.nodeValue)]));
  }
  return parts;
}

/**
 * @param {Element} element
 * @param {any[]} values
 */
function attributes(element, values) {
  for (const { name, value } of [...element.attributes]) {
    if (!name.endsWith(MARK)) continue;
    element.removeAttribute(name);
    const given = values[Number(value)];
    const plain = name.slice(0, -MARK.length);
    if (plain.startsWith("@")) {
      if (given) element.addEventListener(plain.slice(1), given);
    } else if (given !== null && given !== undefined && given !== false) {
      element.setAttribute(CASED[plain] ?? plain, given === true ? "" : String(given));
    }
  }
}

/**
 * What can stand in a template as what can stand in a document.
 * @param {Content} value
 * @returns {(Node | string)[]}
 */
export function nodes(value) {
  if (value === null || value === undefined || typeof value === "boolean") return [];
  if (value instanceof Node) return [value];
  if (Array.isArray(value)) return value.flatMap(nodes);
  return [String(value)];
}

/**
 * @param {ParentNode & Node} place
 * @param {...Content} content
 */
export function fill(place, ...content) {
  place.replaceChildren(...nodes(content));
}

let ids = 0;

/** An id that no other element of the page has. */
export function fresh(/** @type {string} */ stem) {
  ids += 1;
  return `${stem}-${ids}`;
}

/**
 * `code` marks in a text that our own program wrote become <code>.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function marked(text) {
  return text.split(/`([^`]+)`/).map((piece, at) => (at % 2 ? html`<code>${piece}</code>` : piece));
}
