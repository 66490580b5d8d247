// Waits until the subtree of an element has not changed for a while, and says what kept changing when it does not.
// @ts-check

/** @typedef {{what: string, where: string, count: number}} Change */

/**
 * Quiet means: no node, text or attribute below the element changed, open shadow roots included. Values that are typed do not count.
 * @param {Selector} selector
 * @param {number} quietMs
 * @param {number} limitMs
 * @returns {Promise<any>}
 */
function settled(selector, quietMs, limitMs) {
  return guarded(() => new Settling(selector, quietMs, limitMs).result);
}

class Settling {
  /** @param {Selector} selector @param {number} quietMs @param {number} limitMs */
  constructor(selector, quietMs, limitMs) {
    this.selector = selector;
    this.quietMs = quietMs;
    this.changes = 0;
    this.start = performance.now();
    this.last = this.start;
    this.deadline = this.start + limitMs;
    /** @type {Map<string, Change>} */
    this.kinds = new Map();
    /** @type {WeakSet<Node>} */
    this.observed = new WeakSet();
    this.observer = new MutationObserver((records) => this.note(records));
    this.target = resolveOne(selector, true);
    this.observe(this.target);
    /** @type {Promise<any>} */
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.wait();
  }

  /** @param {Element | ShadowRoot} node */
  observe(node) {
    if (this.observed.has(node)) return;
    this.observed.add(node);
    this.observer.observe(node, { subtree: true, childList: true, attributes: true, characterData: true });
    const own = isElement(node) ? shadowOf(node) : null;
    if (own) this.observe(own);
    for (const element of queryCss(node, "*")) {
      const shadow = shadowOf(element);
      if (shadow) this.observe(shadow);
    }
  }

  wait() {
    const now = performance.now();
    const until = Math.min(this.last + this.quietMs, this.deadline);
    setTimeout(() => this.check(), Math.max(0, Math.ceil(until - now)));
  }

  check() {
    try {
      this.note(this.observer.takeRecords());
      if (!isConnected(this.target)) this.replace();
      const now = performance.now();
      const quiet = now - this.last;
      if (quiet >= this.quietMs) return this.finish({ is: "settled", quiet: Math.round(quiet), changes: this.changes });
      if (now >= this.deadline) return this.finish(this.restless(quiet));
      this.wait();
    } catch (error) {
      this.observer.disconnect();
      /** @type {any} */ (this.reject)(error);
    }
  }

  /** A framework may put a new element in the place of the old one, which is a change as well. */
  replace() {
    this.count("replaced", this.target);
    this.target = resolveOne(this.selector, true);
    this.observe(this.target);
  }

  /** @param {any} result */
  finish(result) {
    this.observer.disconnect();
    /** @type {any} */ (this.resolve)(result);
  }

  /** @param {number} quiet */
  restless(quiet) {
    const changes = [...this.kinds.values()].sort((a, b) => b.count - a.count).slice(0, 5);
    return { is: "restless", quiet: Math.round(quiet), total: this.changes, changes };
  }

  /** @param {MutationRecord[]} records */
  note(records) {
    for (const record of records) {
      const { target } = record;
      const where = isElement(target) ? target : composedParent(target) || this.target;
      if (record.type === "attributes") this.count(`attribute ${record.attributeName}`, where);
      else if (record.type === "characterData") this.count("text", where);
      else {
        if (record.addedNodes.length) this.count("added", where);
        if (record.removedNodes.length) this.count("removed", where);
        for (const node of record.addedNodes) if (isElement(node)) this.observeShadows(node);
      }
    }
  }

  /** @param {Element} node */
  observeShadows(node) {
    for (const tree of treesBelow(node)) if (isShadowRoot(tree)) this.observe(tree);
  }

  /** @param {string} what @param {Element} where */
  count(what, where) {
    this.changes += 1;
    this.last = performance.now();
    const tag = tagOf(where) + (attributeOf(where, "id") || "") + (attributeOf(where, "class") || "");
    const key = `${what} ${tag}`;
    const known = this.kinds.get(key);
    if (known) known.count += 1;
    else if (this.kinds.size < 100) this.kinds.set(key, { what, where: previewOf(where), count: 1 });
  }
}
