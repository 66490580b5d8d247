// What text an element has, how text is normalised, and whether it matches what was asked for.
// @ts-check

/** @typedef {{text: string, exact?: boolean, regex?: undefined} | {regex: string, flags?: string, text?: undefined}} TextMatch */
/** @typedef {{test: (raw: string) => boolean, within: (raw: string) => boolean}} Matcher `within`: false rules out every part of the text. */

/** A result that ends a call early. */
class Refusal {
  /** @param {any} result */
  constructor(result) {
    this.result = result;
  }
}

/** @param {string} why @returns {never} */
function refuseSelector(why) {
  throw new Refusal({ is: "invalid", why });
}

/** @param {string} text @returns {string} */
function normalise(text) {
  return text.replace(/[\u200b\u00ad]/g, "").trim().replace(/\s+/g, " ");
}

/** @param {string} source @param {string} [flags] @returns {RegExp} */
function compileRegex(source, flags) {
  try {
    // A global or sticky regex keeps a position between tests.
    return new RegExp(source, (flags || "").replace(/[gy]/g, ""));
  } catch (error) {
    return refuseSelector(`/${source}/${flags || ""} is not a regular expression: ${/** @type {Error} */ (error).message}`);
  }
}

/** A matcher for text of elements: white space is normalised, except for regexes. @param {TextMatch} wanted @returns {Matcher} */
function textMatcher(wanted) {
  if (wanted.regex !== undefined) {
    const regex = compileRegex(wanted.regex, wanted.flags);
    return { test: (raw) => regex.test(raw), within: () => true };
  }
  const text = normalise(wanted.text);
  if (wanted.exact) return { test: (raw) => normalise(raw) === text, within: (raw) => normalise(raw).includes(text) };
  const lower = text.toLowerCase();
  const test = (/** @type {string} */ raw) => normalise(raw).toLowerCase().includes(lower);
  return { test, within: test };
}

/** A matcher for attributes: nothing is normalised. @param {TextMatch} wanted @returns {(value: string) => boolean} */
function attributeMatcher(wanted) {
  if (wanted.regex !== undefined) {
    const regex = compileRegex(wanted.regex, wanted.flags);
    return (value) => regex.test(value);
  }
  const text = wanted.text;
  if (wanted.exact) return (value) => value === text;
  const lower = text.toLowerCase();
  return (value) => value.toLowerCase().includes(lower);
}

/** A matcher for accessible names: both sides are normalised. @param {TextMatch} wanted @returns {(name: string) => boolean} */
function nameMatcher(wanted) {
  if (wanted.regex !== undefined) {
    const regex = compileRegex(wanted.regex, wanted.flags);
    return (name) => regex.test(normalise(name));
  }
  const text = normalise(wanted.text);
  if (wanted.exact) return (name) => normalise(name) === text;
  const lower = text.toLowerCase();
  return (name) => normalise(name).toLowerCase().includes(lower);
}

/** @param {Element} element @returns {boolean} */
function isTextless(element) {
  const tag = tagOf(element);
  return tag === "SCRIPT" || tag === "STYLE" || tag === "NOSCRIPT" || tag === "HEAD";
}

/**
 * The raw text of an element or shadow root: descendant text in order, open shadow content after the light children.
 * @param {Element | ShadowRoot} node
 * @returns {string}
 */
function elementText(node) {
  return memo("text", node, () => {
    if (isElement(node)) {
      if (isTextless(node)) return "";
      if (node instanceof HTMLInputElement) return /^(submit|button|reset)$/.test(node.type) ? node.value : "";
    }
    let text = "";
    for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) {
      if (isElement(child)) text += elementText(child);
      else if (isText(child)) text += child.data;
    }
    const shadow = isElement(node) ? shadowOf(node) : null;
    return shadow ? text + elementText(shadow) : text;
  });
}

/**
 * The smallest elements below the scope whose text matches: no child of theirs matches as well.
 * @param {Scope} scope
 * @param {TextMatch} wanted
 * @returns {Element[]}
 */
function queryText(scope, wanted) {
  const matcher = textMatcher(wanted);
  /** @type {Element[]} */
  const found = [];
  /** @param {Element | ShadowRoot} node @returns {boolean} */
  const visit = (node) => {
    const text = elementText(node);
    if (!matcher.within(text)) return false;
    const at = found.length;
    const matches = matcher.test(text);
    const below = isElement(node) && isTextless(node) ? false : visitBelow(node);
    // Text that stands in a shadow root itself makes the host the smallest element.
    if (!isElement(node)) return below;
    if (matches && !below) found.splice(at, 0, node);
    return matches;
  };
  /** @param {Scope} node @returns {boolean} */
  const visitBelow = (node) => {
    let any = false;
    for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) {
      if (isElement(child) && visit(child)) any = true;
    }
    const shadow = isElement(node) ? shadowOf(node) : null;
    return (!!shadow && visit(shadow)) || any;
  };
  visitBelow(scope);
  return found;
}
