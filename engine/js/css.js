// CSS selectors that reach through open shadow roots: matching is the browser's own, only combinators across hosts are evaluated here.
// @ts-check

/** @typedef {{css: string, scoped: boolean, at: number, combinator: string}} Compound `combinator` stands before it. */

/** Names from other tools that are no CSS, and what to use instead. @type {Record<string, string>} */
const FOREIGN_PSEUDOS = {
  "has-text": "filter by text instead", text: "locate by text instead", "text-is": "locate by exact text instead",
  "text-matches": "locate by a regular expression instead", contains: "filter by text instead", visible: "filter by visibility instead",
  "nth-match": "use nth instead", eq: "use nth instead", first: "use first instead", last: "use last instead",
};

/** @param {string} css @param {string} reason @param {number} [at] @returns {never} */
function refuseCss(css, reason, at) {
  const place = at === undefined ? "" : ` at character ${at + 1}`;
  return refuseSelector(`${JSON.stringify(css)} is not a valid CSS selector: ${reason}${place}`);
}

/**
 * Splits a selector list into compounds and combinators; the browser checks each compound.
 * @param {string} css
 * @returns {Compound[][]}
 */
function parseCss(css) {
  /** @type {Compound[][]} */
  const list = [];
  /** @type {Compound[]} */
  let complex = [];
  let start = 0;
  let combinator = "";
  let scoped = false;
  let text = "";
  /** @param {number} end */
  const endCompound = (end) => {
    if (text === "" && !scoped) return;
    const compound = { css: text || "*", scoped, at: start, combinator };
    checkCompound(css, compound, css.slice(start, end));
    complex.push(compound);
    [text, scoped, combinator] = ["", false, ""];
  };
  /** @param {number} at */
  const endComplex = (at) => {
    if (combinator.trim()) refuseCss(css, `nothing follows “${combinator}”`, at);
    if (!complex.length) refuseCss(css, css.trim() ? "a selector is missing" : "it is empty", css.trim() ? at : undefined);
    list.push(complex);
    [complex, combinator] = [[], ""];
  };
  let at = 0;
  while (at < css.length) {
    const char = css[at];
    if (/[\s,>+~]/.test(char)) {
      endCompound(at);
      if (char === ",") endComplex(at);
      else if (/\s/.test(char)) combinator ||= complex.length ? " " : "";
      else if (combinator.trim()) refuseCss(css, `“${char}” follows “${combinator}”`, at);
      else combinator = char;
      at += 1;
      continue;
    }
    if (text === "" && !scoped) start = at;
    const scope = /^:scope(?![\w-])/i.exec(css.slice(at, at + 7));
    const end = scope ? at + 6 : skipToken(css, at);
    if (scope) scoped = true;
    else text += css.slice(at, end);
    at = end;
  }
  endCompound(at);
  endComplex(at);
  return list;
}

/** The end of the token that begins at `at`: a string, a bracketed block, an escape, or one character. @param {string} css @param {number} at */
function skipToken(css, at) {
  const char = css[at];
  // A hexadecimal escape swallows one blank behind it.
  if (char === "\\") return at + /** @type {any} */ (/^\\(?:[0-9a-f]{1,6}\s?|[^]?)/i.exec(css.slice(at, at + 8)))[0].length;
  if (char === '"' || char === "'") {
    for (let end = at + 1; end < css.length; end++) {
      if (css[end] === "\\") end++;
      else if (css[end] === char) return end + 1;
    }
    return refuseCss(css, "a string is never closed", at);
  }
  const close = char === "[" ? "]" : char === "(" ? ")" : "";
  if (!close) return at + 1;
  let end = at + 1;
  while (end < css.length && css[end] !== close) end = skipToken(css, end);
  return end < css.length ? end + 1 : refuseCss(css, `“${char}” is never closed`, at);
}

/** @param {string} css @param {Compound} compound @param {string} source */
function checkCompound(css, compound, source) {
  try {
    document.createDocumentFragment().querySelector(compound.css);
  } catch {
    const pseudo = /::?([\w-]+)/g;
    for (const [, name] of source.matchAll(pseudo)) {
      if (Object.hasOwn(FOREIGN_PSEUDOS, name)) refuseCss(css, `“:${name}” is no CSS, ${FOREIGN_PSEUDOS[name]}`);
    }
    refuseCss(css, `“${source}” does not parse`, compound.at);
  }
}

/**
 * The elements below the scope that match, in order. Ancestors in the selector are below the scope as well.
 * @param {Scope} scope
 * @param {string} css
 * @returns {Element[]}
 */
function queryPiercing(scope, css) {
  const list = memo("css", css, () => parseCss(css));
  const trees = treesBelow(scope);
  const simple = list.every((complex) => complex.length === 1 && !complex[0].scoped && !complex[0].combinator);
  const unscoped = list.every((complex) => !complex[0].combinator && complex.every((compound) => !compound.scoped));
  if (trees.length === 1 && (simple || (unscoped && isDocument(scope)))) return queryCss(scope, css);
  /** @type {Set<Element>} */
  const found = new Set();
  for (const complex of list) {
    const last = complex[complex.length - 1];
    for (const tree of trees) {
      for (const element of queryCss(tree, last.css)) {
        if (!found.has(element) && matchesComplex(element, complex, complex.length - 1, scope)) found.add(element);
      }
    }
  }
  if (found.size < 2) return [...found];
  return elementsBelow(scope).filter((element) => found.has(element));
}

/** @param {Element} element @param {Compound[]} complex @param {number} index @param {Scope} scope @returns {boolean} */
function matchesComplex(element, complex, index, scope) {
  const { css, scoped, combinator } = complex[index];
  // Only `:scope` speaks of the scope; all else lies below it.
  if (scoped ? element !== scopeElement(scope) : element === scope) return false;
  if (css !== "*" && !matchesCss(element, css)) return false;
  if (!combinator) return true;
  /** @param {Element | null} candidate */
  const rest = (candidate) =>
    !!candidate && (index === 0 ? candidate === scopeElement(scope) : matchesComplex(candidate, complex, index - 1, scope));
  const parentWithin = (/** @type {Element} */ from) => (from === scope ? null : composedParent(from));
  if (combinator === ">") return rest(parentWithin(element));
  if (combinator === "+") return rest(previousElementOf(element));
  if (combinator === "~") {
    for (let before = previousElementOf(element); before; before = previousElementOf(before)) if (rest(before)) return true;
    return false;
  }
  for (let parent = parentWithin(element); parent; parent = parentWithin(parent)) if (rest(parent)) return true;
  return false;
}

/** @param {Scope} scope @returns {Element | null} */
function scopeElement(scope) {
  return isElement(scope) ? scope : isDocument(scope) ? documentElementOf(scope) : null;
}
