// What a pointer at a place would reach, through shadow roots and slots, and whether that is the element meant.
// @ts-check

/** The element a pointer at (x, y) reaches, seen from the trees that hold the target. @param {Element} target @param {number} x @param {number} y @returns {Element | null} */
function reachedAt(target, x, y) {
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [];
  for (let root = rootOf(target); ; root = rootOf(root.host)) {
    if (isDocument(root)) roots.unshift(root);
    if (!isShadowRoot(root)) break;
    roots.unshift(root);
  }
  /** @type {Element | null} */
  let reached = null;
  for (const [index, root] of roots.entries()) {
    const stack = elementsAt(root, x, y);
    const single = elementAt(root, x, y);
    // The stack leaves out boxes of `display: contents` elements.
    if (single && stack[0] && composedParent(single) === stack[0] && styleOf(single).display === "contents") stack.unshift(single);
    // A host can stand before its own content.
    if (stack[0] && shadowOf(stack[0]) && roots.includes(/** @type {any} */ (shadowOf(stack[0]))) && stack[1] === single) stack.shift();
    const top = stack[0];
    if (!top) break;
    reached = top;
    const inner = roots[index + 1];
    if (inner && !(isShadowRoot(inner) && inner.host === top)) break;
  }
  return reached;
}

/**
 * Null when a pointer at (x, y) reaches the target, else a description of what it reaches.
 * @param {Element} target
 * @param {number} x
 * @param {number} y
 * @param {boolean} viaLabel a label of the target does as well, since it passes clicks on
 * @returns {string | null}
 */
function coveredBy(target, x, y, viaLabel) {
  const hit = reachedAt(target, x, y) || documentElementOf(document);
  if (!hit) return "the document, which is empty";
  /** @type {Element[]} */
  const path = [];
  for (let at = /** @type {Element | null} */ (hit); at; at = flatParent(at)) {
    if (at === target) return null;
    path.push(at);
  }
  if (viaLabel && isPassedOn(path, target)) return null;
  let description = previewOf(hit);
  for (let at = /** @type {Element | null} */ (target); at; at = flatParent(at)) {
    const common = path.indexOf(at);
    if (common < 0) continue;
    if (common > 1) description += ` from ${previewOf(path[common - 1])} subtree`;
    break;
  }
  return description;
}

/** A label on the way passes the click to the target, unless another control takes it first. @param {Element[]} path @param {Element} target */
function isPassedOn(path, target) {
  for (const element of path) {
    if (element instanceof HTMLLabelElement) return element.control === target;
    if (matchesCss(element, "a[href],button,input,select,textarea")) return false;
  }
  return false;
}

/**
 * The check of a frame's owner in the parent frame: it is visible, and a pointer reaches it.
 * @param {Element} element
 * @param {number} x in the viewport of the element's frame
 * @param {number} y
 */
function over(element, x, y) {
  if (!isVisible(element)) return { is: "not", state: "visible", element: previewOf(element) };
  const by = withCache(() => coveredBy(element, x, y, false));
  return by === null ? { is: "hit" } : { is: "covered", by };
}

/** The size of this frame's viewport. */
function viewport() {
  return [innerWidth, innerHeight];
}

/** @param {Element} element @returns {Edges[]} */
function fragmentsOf(element) {
  if (styleOf(element).display !== "contents") return Array.from(rectsOf(element));
  return childNodesOf(element).flatMap((child) => (isElement(child) ? fragmentsOf(child) : isText(child) ? textRects(child) : []));
}

/** @param {Edges} a @param {Edges} b @returns {Edges} */
function intersection(a, b) {
  return {
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  };
}

/** A fragment of less than a pixel cannot be aimed at. @param {Edges} box */
function hasArea(box) {
  return box.right > box.left && box.bottom > box.top && (box.right - box.left) * (box.bottom - box.top) > 0.99;
}

/** What can be seen of an element's surroundings: the viewport less what ancestors clip. @param {Element} element @returns {Edges} */
function windowOf(element) {
  return clippersOf(element).map(clipEdges).reduce(intersection, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
}

/**
 * Where to point at an element: the middle of its first fragment that can be seen, or the given offset from its padding box.
 * @param {Element} element
 * @param {{x: number, y: number} | null | undefined} position
 * @returns {{x: number, y: number} | "visible" | "offscreen"} the check that fails, if there is no such point
 */
function pointAt(element, position) {
  const view = windowOf(element);
  if (position) {
    const box = rectOf(element);
    const point = { x: box.left + clientLeftOf(element) + position.x, y: box.top + clientTopOf(element) + position.y };
    const inside = point.x >= view.left && point.x < view.right && point.y >= view.top && point.y < view.bottom;
    return inside ? rounded(point) : "offscreen";
  }
  const fragments = fragmentsOf(element).filter(hasArea);
  if (!fragments.length) return "visible";
  const seen = fragments.map((fragment) => intersection(fragment, view)).find(hasArea);
  return seen ? rounded({ x: (seen.left + seen.right) / 2, y: (seen.top + seen.bottom) / 2 }) : "offscreen";
}

/** Two decimals, towards zero: never over the edge. @param {{x: number, y: number}} point */
function rounded(point) {
  return { x: Math.trunc(point.x * 100) / 100, y: Math.trunc(point.y * 100) / 100 };
}
