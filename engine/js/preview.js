// How an element is shown in messages: one line of markup in which nothing that was typed, and no password, ever appears.
// @ts-check

const VOID_TAGS = setOf("AREA BASE BR COL EMBED HR IMG INPUT LINK META SOURCE TRACK WBR");
const SHOWN_VALUES = setOf("button submit reset checkbox radio image");

/** @param {string} text */
const oneLine = (text) => text.replace(/\n/g, "↵").replace(/\t/g, "⇆");

/** @param {string} text @param {number} most */
function cut(text, most) {
  return text.length > most ? text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "") + "…" : text;
}

/** @param {Node} node @returns {string} */
function previewOf(node) {
  if (isText(node)) return oneLine(`#text=${cut(node.data, 50)}`);
  if (!isElement(node)) return isDocument(node) ? "#document" : "#fragment";
  const tag = tagOf(node).toLowerCase();
  const shown = attributesOf(node)
    .filter(({ name }) => name !== "style" && !(name === "value" && holdsInput(node)))
    .map(({ name, value }) => (value === "" ? ` ${name}` : ` ${name}="${value}"`))
    .sort((a, b) => a.length - b.length);
  const open = cut(tag + shown.join(""), 500);
  if (VOID_TAGS.has(tag.toUpperCase())) return oneLine(`<${open}/>`);
  return oneLine(`<${open}>${previewContent(node)}</${tag}>`);
}

/** Scripts keep the `value` attribute in step with what is typed; hidden fields hold tokens. @param {Element} element */
function holdsInput(element) {
  return element instanceof HTMLInputElement && !SHOWN_VALUES.has(element.type);
}

/** @param {Element} element @returns {string} */
function previewContent(element) {
  const children = childNodesOf(element);
  if (!children.length) return "";
  if (children.length > 5 || !children.every(isText) || isContentEditable(element) || element instanceof HTMLTextAreaElement) return "…";
  return cut(children.map((child) => child.data).join(""), 50);
}
