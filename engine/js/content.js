// The content part of accessible names: children, slots, shadow content, owned elements and generated content, in rendered order.
// @ts-check

/**
 * @param {Element} element
 * @param {Walk} walk of the children
 * @returns {string}
 */
function contentOf(element, walk) {
  let text = pseudoText(element, "::before");
  const replaced = generatedText(styleOf(element).content);
  if (replaced !== undefined) {
    text += replaced;
  } else {
    for (const node of contentNodes(element)) text += nodeText(node, walk);
  }
  return text + pseudoText(element, "::after");
}

/** The nodes that stand in an element's place in the rendered tree. @param {Element} element @returns {Node[]} */
function contentNodes(element) {
  const assigned = element instanceof HTMLSlotElement ? assignedNodesOf(element) : [];
  if (assigned.length) return assigned;
  const shadow = shadowOf(element);
  // Light children of a shadow host come in where their slot stands.
  const nodes = childNodesOf(element).filter((child) => !slotOf(child) && (!shadow || isElement(child)));
  const closed = element instanceof HTMLDetailsElement && !element.open;
  return [
    ...(closed ? nodes.filter(isElement) : nodes),
    ...(shadow ? childNodesOf(shadow) : []),
    ...referencesOf(element, "aria-owns"),
  ];
}

/** @param {Node} node @param {Walk} walk @returns {string} */
function nodeText(node, walk) {
  if (isText(node)) return node.data;
  if (!isElement(node)) return "";
  const text = alternativeOf(node, walk);
  return styleOf(node).display !== "inline" || tagOf(node) === "BR" ? ` ${text} ` : text;
}

/** @param {Element} element @param {"::before" | "::after"} pseudo @returns {string} */
function pseudoText(element, pseudo) {
  const style = styleOf(element, pseudo);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none" || style.visibility !== "visible") return "";
  const text = generatedText(content, element) || "";
  return text && style.display !== "inline" ? ` ${text} ` : text;
}

/**
 * The text of a computed `content` value: the alternative behind `/` when there is one; undefined when it has no text at all.
 * @param {string} content
 * @param {Element} [element] whose attributes `attr()` reads
 * @returns {string | undefined}
 */
function generatedText(content, element) {
  if (!content || content === "none" || content === "normal") return undefined;
  /** @type {string[]} */
  let texts = [];
  const token = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|attr\(\s*([\w-]+)[^)]*\)|[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^)"])*\)|(\/)|[^\s"'/]+/g;
  for (const [, double, single, attribute, slash] of content.matchAll(token)) {
    if (slash) texts = [""];
    else if (attribute) texts.push((element && attributeOf(element, attribute)) || "");
    else if (double !== undefined || single !== undefined) texts.push(unescapeCss(double !== undefined ? double : single));
  }
  return texts.length ? texts.join("") : undefined;
}

/** @param {string} text @returns {string} */
function unescapeCss(text) {
  return text.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|([\s\S]))/g, (_, hex, char) =>
    hex ? String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)) : char,
  );
}
