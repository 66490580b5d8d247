// DOM members by way of their prototypes, because named properties (`<form><input name=matches>`) shadow methods on forms and documents.
// @ts-check

/** @typedef {Document | ShadowRoot | Element} Scope A place below which selectors are resolved. */

/**
 * A method of a prototype as a function whose first argument is the receiver.
 * @param {any} prototype
 * @param {string} name
 * @returns {(self: any, ...rest: any[]) => any}
 */
function savedMethod(prototype, name) {
  return Function.prototype.call.bind(prototype[name]);
}

/**
 * A getter of a prototype as a function of the receiver.
 * @param {any} prototype
 * @param {string} name
 * @returns {(self: any) => any}
 */
function savedGetter(prototype, name) {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  return Function.prototype.call.bind(/** @type {any} */ (property).get);
}

const rawTagName = savedGetter(Element.prototype, "tagName");
const rawShadowRoot = savedGetter(Element.prototype, "shadowRoot");
const rawElementSlot = savedGetter(Element.prototype, "assignedSlot");
const rawTextSlot = savedGetter(Text.prototype, "assignedSlot");
const rawParentNode = savedGetter(Node.prototype, "parentNode");
const rawNodeType = savedGetter(Node.prototype, "nodeType");
const rawElementQueryAll = savedMethod(Element.prototype, "querySelectorAll");
const rawDocumentQueryAll = savedMethod(Document.prototype, "querySelectorAll");
const rawFragmentQueryAll = savedMethod(DocumentFragment.prototype, "querySelectorAll");
const rawAttributes = savedGetter(Element.prototype, "attributes");
const rawFromPoint = savedMethod(Document.prototype, "elementFromPoint");
const rawAllFromPoint = savedMethod(Document.prototype, "elementsFromPoint");
const rawActive = savedGetter(Document.prototype, "activeElement");
const rawById = savedMethod(Document.prototype, "getElementById");
const rawFragmentById = savedMethod(DocumentFragment.prototype, "getElementById");
const rawIsContentEditable = savedGetter(HTMLElement.prototype, "isContentEditable");

/** @type {(node: Node) => ChildNode | null} */
const firstChildOf = savedGetter(Node.prototype, "firstChild");
/** @type {(node: Node) => ChildNode | null} */
const nextSiblingOf = savedGetter(Node.prototype, "nextSibling");
/** @type {(node: Node) => string | null} */
const textContentOf = savedGetter(Node.prototype, "textContent");
/** @type {(node: Node) => boolean} */
const isConnected = savedGetter(Node.prototype, "isConnected");
/** @type {(node: Node) => Document | ShadowRoot | Node} */
const rootOf = savedMethod(Node.prototype, "getRootNode");
/** @type {(node: Node, other: Node) => boolean} */
const containsNode = savedMethod(Node.prototype, "contains");
/** @type {(node: Node, other: Node) => number} */
const positionOf = savedMethod(Node.prototype, "compareDocumentPosition");
/** @type {(element: Element, name: string) => string | null} */
const attributeOf = savedMethod(Element.prototype, "getAttribute");
/** @type {(element: Element, name: string) => boolean} */
const hasAttribute = savedMethod(Element.prototype, "hasAttribute");
/** @type {(element: Element) => string | null} */
const namespaceOf = savedGetter(Element.prototype, "namespaceURI");
/** @type {(element: Element, css: string) => boolean} */
const matchesCss = savedMethod(Element.prototype, "matches");
/** @type {(element: Element, css: string) => Element | null} */
const closestCss = savedMethod(Element.prototype, "closest");
/** @type {(element: Element) => Element | null} */
const firstElementOf = savedGetter(Element.prototype, "firstElementChild");
/** @type {(element: Element) => Element | null} */
const nextElementOf = savedGetter(Element.prototype, "nextElementSibling");
/** @type {(element: Element) => Element | null} */
const previousElementOf = savedGetter(Element.prototype, "previousElementSibling");
/** @type {(element: Element) => DOMRect} */
const rectOf = savedMethod(Element.prototype, "getBoundingClientRect");
/** @type {(element: Element) => DOMRectList} */
const rectsOf = savedMethod(Element.prototype, "getClientRects");
/** @type {(element: Element) => boolean} */
const checkVisibility = savedMethod(Element.prototype, "checkVisibility");
/** @type {(element: Element, options: ScrollIntoViewOptions) => void} */
const scrollElementIntoView = savedMethod(Element.prototype, "scrollIntoView");
/** @type {(element: Element) => number} */
const clientLeftOf = savedGetter(Element.prototype, "clientLeft");
/** @type {(element: Element) => number} */
const clientTopOf = savedGetter(Element.prototype, "clientTop");
/** @type {(element: Element) => number} */
const clientWidthOf = savedGetter(Element.prototype, "clientWidth");
/** @type {(element: Element) => number} */
const clientHeightOf = savedGetter(Element.prototype, "clientHeight");
/** @type {(element: HTMLElement | SVGElement, options?: FocusOptions) => void} */
const focusOn = (element, options) =>
  (element instanceof SVGElement ? SVGElement : HTMLElement).prototype.focus.call(element, options);
/** @type {(element: HTMLElement | SVGElement) => void} */
const blurOf = (element) =>
  (element instanceof SVGElement ? SVGElement : HTMLElement).prototype.blur.call(element);
/** @type {(element: HTMLElement) => string} */
const innerTextOf = savedGetter(HTMLElement.prototype, "innerText");
/** @type {(slot: Element, options?: AssignedNodesOptions) => Node[]} */
const assignedNodesOf = savedMethod(HTMLSlotElement.prototype, "assignedNodes");
/** @type {(document: Document) => Element | null} */
const documentElementOf = savedGetter(Document.prototype, "documentElement");
/** @type {(document: Document) => Element | null} */
const bodyOf = savedGetter(Document.prototype, "body");
/** @type {(element: Element) => number} */
const offsetWidthOf = savedGetter(HTMLElement.prototype, "offsetWidth");
/** @type {(element: Element) => number} */
const offsetHeightOf = savedGetter(HTMLElement.prototype, "offsetHeight");
/** @type {(document: Document) => Range} */
const createRange = savedMethod(Document.prototype, "createRange");
/** @type {(document: Document, xpath: string, scope: Node, resolver: null, type: number) => XPathResult} */
const evaluateXPath = savedMethod(Document.prototype, "evaluate");
/** @type {(target: EventTarget, event: Event) => boolean} */
const dispatchTo = savedMethod(EventTarget.prototype, "dispatchEvent");
/** @type {(target: EventTarget, type: string, listener: (event: any) => void, options: AddEventListenerOptions) => void} */
const listenTo = savedMethod(EventTarget.prototype, "addEventListener");
/** @type {(target: EventTarget, type: string, listener: (event: any) => void, options: EventListenerOptions) => void} */
const unlistenTo = savedMethod(EventTarget.prototype, "removeEventListener");

/** @param {Node | null | undefined} node @returns {node is Element} */
function isElement(node) {
  return !!node && rawNodeType(node) === 1;
}

/** @param {Node} node @returns {node is Text} */
function isText(node) {
  return rawNodeType(node) === 3;
}

/** @param {Node} node @returns {node is Document} */
function isDocument(node) {
  return rawNodeType(node) === 9;
}

/** @param {Node | null} node @returns {node is ShadowRoot} */
function isShadowRoot(node) {
  return node instanceof ShadowRoot;
}

/** The tag in capitals, also for SVG and XML. @param {Element} element @returns {string} */
function tagOf(element) {
  const tag = rawTagName(element);
  const first = tag.charCodeAt(0);
  return first >= 65 && first <= 90 ? tag : tag.toUpperCase();
}

/** @param {Element} element @returns {boolean} */
function isHtml(element) {
  return namespaceOf(element) === "http://www.w3.org/1999/xhtml";
}

/** @param {Element} element @returns {Attr[]} */
function attributesOf(element) {
  return Array.from(rawAttributes(element));
}

/** Closed shadow roots that were handed to `reveal`, by host. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
let hasClosedRoots = false;

/** From now on closed shadow roots are treated as open ones. @param {...ShadowRoot} roots */
function reveal(...roots) {
  for (const root of roots) closedRoots.set(root.host, root);
  hasClosedRoots ||= roots.length > 0;
}

/** The shadow root, if it is open or was revealed. @param {Element} element @returns {ShadowRoot | null} */
function shadowOf(element) {
  return rawShadowRoot(element) || (hasClosedRoots && closedRoots.get(element)) || null;
}

/** The slot a node is assigned to, in an open or revealed shadow root. @param {Node} node @returns {Element | null} */
function slotOf(node) {
  const slot = isElement(node) ? rawElementSlot(node) : isText(node) ? rawTextSlot(node) : null;
  return slot || !hasClosedRoots ? slot : closedSlotOf(node);
}

/** @param {Node} node @returns {Element | null} */
function closedSlotOf(node) {
  const parent = rawParentNode(node);
  const root = isElement(parent) ? closedRoots.get(parent) : null;
  if (!root || !(isElement(node) || isText(node))) return null;
  return queryCss(root, "slot").find((slot) => assignedNodesOf(slot).includes(node)) || null;
}

/** The parent element; the host for the top of a shadow root. Slots play no part. @param {Node} node @returns {Element | null} */
function composedParent(node) {
  const parent = rawParentNode(node);
  if (!parent) return null;
  if (rawNodeType(parent) === 1) return parent;
  return isShadowRoot(parent) ? parent.host : null;
}

/** The parent in the tree that is rendered: the slot comes before the host. @param {Node} node @returns {Element | null} */
function flatParent(node) {
  return slotOf(node) || composedParent(node);
}

/** @param {Node} node @returns {Node | null} */
function parentNodeOf(node) {
  return rawParentNode(node);
}

/** @param {Scope} scope @param {string} css @returns {Element[]} */
function queryCss(scope, css) {
  if (isElement(scope)) return Array.from(rawElementQueryAll(scope, css));
  return Array.from(isDocument(scope) ? rawDocumentQueryAll(scope, css) : rawFragmentQueryAll(scope, css));
}

/** @param {Node} root @param {string} id @returns {Element | null} */
function elementById(root, id) {
  if (isDocument(root)) return rawById(root, id);
  return isShadowRoot(root) ? rawFragmentById(root, id) : null;
}

/** @param {Document | ShadowRoot} root @param {number} x @param {number} y @returns {Element | null} */
function elementAt(root, x, y) {
  return isDocument(root) ? rawFromPoint(root, x, y) : root.elementFromPoint(x, y);
}

/** @param {Document | ShadowRoot} root @param {number} x @param {number} y @returns {Element[]} */
function elementsAt(root, x, y) {
  return isDocument(root) ? rawAllFromPoint(root, x, y) : root.elementsFromPoint(x, y);
}

/** The focused element, through open shadow roots. @returns {Element | null} */
function activeElement() {
  let active = rawActive(document);
  for (let root = active && shadowOf(active); root && root.activeElement; root = shadowOf(active)) active = root.activeElement;
  return active;
}

/** @param {Element} element @returns {boolean} */
function isContentEditable(element) {
  return element instanceof HTMLElement && rawIsContentEditable(element);
}

/** @param {Element} element @returns {Element[]} */
function childElementsOf(element) {
  const children = [];
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) children.push(child);
  return children;
}

/** @param {Node} node @returns {ChildNode[]} */
function childNodesOf(node) {
  const children = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) children.push(child);
  return children;
}

/**
 * Every element below the scope: a host's light children come first, then its open shadow content.
 * @param {Scope} scope
 * @returns {Element[]}
 */
function elementsBelow(scope) {
  return memo("below", scope, () => {
    const plain = queryCss(scope, "*");
    const own = isElement(scope) ? shadowOf(scope) : null;
    if (!own && !plain.some(shadowOf)) return plain;
    /** @type {Element[]} */
    const all = [];
    /** @type {Element[]} */
    const open = [];
    const leave = () => {
      for (const element of elementsBelow(/** @type {any} */ (shadowOf(/** @type {any} */ (open.pop()))))) all.push(element);
    };
    for (const element of plain) {
      while (open.length && !containsNode(open[open.length - 1], element)) leave();
      all.push(element);
      if (shadowOf(element)) open.push(element);
    }
    while (open.length) leave();
    if (own) for (const element of elementsBelow(own)) all.push(element);
    return all;
  });
}

/** The scope's own tree and every open shadow root below it. @param {Scope} scope @returns {Scope[]} */
function treesBelow(scope) {
  /** @type {Scope[]} */
  const trees = [scope];
  const own = isElement(scope) ? shadowOf(scope) : null;
  if (own) trees.push(own);
  for (const element of elementsBelow(scope)) {
    const shadow = shadowOf(element);
    if (shadow) trees.push(shadow);
  }
  return trees;
}

/** @type {Map<string, Map<any, any>> | null} */
let memos = null;

/**
 * Runs `work` with one shared cache. The work must be synchronous: nothing in the page changes meanwhile.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
function withCache(work) {
  if (memos) return work();
  memos = new Map();
  try {
    return work();
  } finally {
    memos = null;
  }
}

/**
 * The value computed once a key inside `withCache`; outside it is computed each time.
 * @template K, V
 * @param {string} kind
 * @param {K} key
 * @param {() => V} compute
 * @returns {V}
 */
function memo(kind, key, compute) {
  if (!memos) return compute();
  let values = memos.get(kind);
  if (!values) memos.set(kind, (values = new Map()));
  if (values.has(key)) return values.get(key);
  const value = compute();
  values.set(key, value);
  return value;
}
