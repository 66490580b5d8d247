// Computed style and visibility: what is rendered, what has a box, what its ancestors clip away.
// @ts-check

/** @typedef {{left: number, top: number, right: number, bottom: number}} Edges */

/** @param {Element} element @param {string} [pseudo] @returns {CSSStyleDeclaration} */
function styleOf(element, pseudo) {
  return memo("style" + (pseudo || ""), element, () => getComputedStyle(element, pseudo));
}

/** Neither `display:none`, `content-visibility` of an ancestor, nor `visibility`. @param {Element} element @returns {boolean} */
function isStyleVisible(element) {
  return memo("styleVisible", element, () => checkVisibility(element) && styleOf(element).visibility === "visible");
}

/** @param {Text} text @returns {DOMRect[]} */
function textRects(text) {
  const range = createRange(document);
  range.selectNode(text);
  return Array.from(range.getClientRects());
}

/**
 * The ancestors whose overflow clips an element, innermost first. Out-of-flow boxes escape those below their containing block.
 * @param {Element} element
 * @returns {Element[]}
 */
function clippersOf(element) {
  const clippers = [];
  let position = styleOf(element).position;
  for (let parent = flatParent(element); parent; parent = flatParent(parent)) {
    const style = styleOf(parent);
    const frames = style.transform !== "none" || style.filter !== "none" || style.perspective !== "none" || /paint|layout|strict|content/.test(style.contain);
    if (position === "fixed" && !frames) continue;
    if (position === "absolute" && !frames && style.position === "static") continue;
    position = style.position;
    if (style.overflowX === "visible" && style.overflowY === "visible") continue;
    if (style.display === "inline" || style.display === "contents" || !isHtml(parent)) continue;
    if (!isViewportScroller(parent)) clippers.push(parent);
  }
  return clippers;
}

/** The root's overflow, and the body's when the root has none, belong to the viewport. @param {Element} element @returns {boolean} */
function isViewportScroller(element) {
  const root = documentElementOf(document);
  if (element === root) return true;
  return element === bodyOf(document) && !!root && styleOf(root).overflowX === "visible" && styleOf(root).overflowY === "visible";
}

/** The padding box of a clipping ancestor; an axis that does not clip is unbounded. @param {Element} clipper @returns {Edges} */
function clipEdges(clipper) {
  const box = rectOf(clipper);
  const style = styleOf(clipper);
  // Layout sizes are untransformed; the scale of the border box maps them to the viewport.
  const wide = box.width / (offsetWidthOf(clipper) || box.width || 1);
  const high = box.height / (offsetHeightOf(clipper) || box.height || 1);
  const left = box.left + clientLeftOf(clipper) * wide;
  const top = box.top + clientTopOf(clipper) * high;
  const x = style.overflowX !== "visible";
  const y = style.overflowY !== "visible";
  return {
    left: x ? left : -Infinity,
    right: x ? left + clientWidthOf(clipper) * wide : Infinity,
    top: y ? top : -Infinity,
    bottom: y ? top + clientHeightOf(clipper) * high : Infinity,
  };
}

/** True when some ancestor shows nothing of its content: no scrolling can bring it into view. @param {Element} element @returns {boolean} */
function isClippedAway(element) {
  return clippersOf(element).some((clipper) => {
    const style = styleOf(clipper);
    return (style.overflowY !== "visible" && clientHeightOf(clipper) === 0) || (style.overflowX !== "visible" && clientWidthOf(clipper) === 0);
  });
}

/** A person could see the element after scrolling. Opacity does not count. @param {Element} element @returns {boolean} */
function isVisible(element) {
  return memo("visible", element, () => {
    if (styleOf(element).display === "contents") {
      for (const child of childNodesOf(element)) {
        if (isElement(child) && isVisible(child)) return true;
        if (isText(child) && textRects(child).some((rect) => rect.width > 0 && rect.height > 0)) return true;
      }
      return false;
    }
    if (!isStyleVisible(element)) return false;
    const rect = rectOf(element);
    return rect.width > 0 && rect.height > 0 && !isClippedAway(element);
  });
}
