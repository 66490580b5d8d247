// Brings an element into view without animation, with another alignment each time it is tried again.
// @ts-check

/** Sticky headers and footers cover one alignment or the other. @type {ScrollLogicalPosition[]} */
const ALIGNMENTS = ["center", "end", "center", "start"];

/**
 * @param {Element} element
 * @param {number} pass
 * @param {{x: number, y: number} | null | undefined} position the offset that matters, from the padding box
 */
function bringIntoView(element, pass, position) {
  const inMainFrame = window.parent === window;
  const inView = isInView(element, position);
  // Only the browser knows whether the frame itself is in view: `nearest` moves nothing that need not move.
  if (pass % ALIGNMENTS.length === 0 && inView && inMainFrame) return;
  const align = pass % ALIGNMENTS.length === 0 && inView ? "nearest" : ALIGNMENTS[pass % ALIGNMENTS.length];
  const shown = styleOf(element).display === "contents" ? firstBoxOf(element) : element;
  if (shown) scrollElementIntoView(shown, { block: align, inline: align, behavior: "instant" });
  if (position && !isInView(element, position)) scrollToPosition(element, position);
}

/** @param {Element} element @returns {Element | null} */
function firstBoxOf(element) {
  for (const child of childElementsOf(element)) {
    const box = styleOf(child).display === "contents" ? firstBoxOf(child) : isVisible(child) ? child : null;
    if (box) return box;
  }
  return null;
}

/** The whole element is in view, or it fills the view. @param {Element} element @param {{x: number, y: number} | null | undefined} position */
function isInView(element, position) {
  const view = windowOf(element);
  if (position) return typeof pointAt(element, position) === "object";
  const box = rectOf(element);
  const fits = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ start, /** @type {number} */ end) =>
    (from >= start && to <= end) || (from <= start && to >= end);
  return fits(box.left, box.right, view.left, view.right) && fits(box.top, box.bottom, view.top, view.bottom);
}

/** An element larger than its surroundings is in view long before the place in it is. @param {Element} element @param {{x: number, y: number}} position */
function scrollToPosition(element, position) {
  const scrollers = [...clippersOf(element), document.scrollingElement];
  for (const scroller of scrollers) {
    if (!scroller) continue;
    const box = rectOf(element);
    const isPage = scroller === document.scrollingElement;
    const edges = isPage ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : clipEdges(scroller);
    const x = box.left + clientLeftOf(element) + position.x;
    const y = box.top + clientTopOf(element) + position.y;
    const left = x < edges.left || x >= edges.right ? x - (edges.left + edges.right) / 2 : 0;
    const top = y < edges.top || y >= edges.bottom ? y - (edges.top + edges.bottom) / 2 : 0;
    if (Number.isFinite(left) && Number.isFinite(top)) scroller.scrollBy({ left, top, behavior: "instant" });
  }
}

/** Remembers where everything around an element is scrolled to. @param {Element} element @returns {() => void} puts it back */
function scrollKeeper(element) {
  /** @type {[Element, number, number][]} */
  const offsets = [];
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) offsets.push([at, at.scrollLeft, at.scrollTop]);
  return () => {
    for (const [at, left, top] of offsets) {
      if (at.scrollLeft !== left || at.scrollTop !== top) at.scrollTo({ left, top, behavior: "instant" });
    }
  };
}
