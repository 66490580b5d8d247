// Resolves a selector, a JSON list of parts, to elements; each call looks anew.
// @ts-check

/** @typedef {{by: string, [key: string]: any}} Part */
/** @typedef {Part[]} Selector */

const LABELLED = "[aria-labelledby],[aria-label],button,meter,output,progress,select,textarea,input";

/** Parts that find elements below each element of the list so far. @type {Record<string, (scope: Scope, part: Part) => Element[]>} */
const FINDERS = {
  css: (scope, part) => queryPiercing(scope, part.css),
  text: (scope, part) => queryText(scope, part.text),
  role: queryRole,
  label: (scope, part) => queryLabel(scope, part.text),
  placeholder: (scope, part) => queryAttribute(scope, "placeholder", part.text),
  alt: (scope, part) => queryAttribute(scope, "alt", part.text),
  title: (scope, part) => queryAttribute(scope, "title", part.text),
  testid: (scope, part) => queryAttribute(scope, part.attribute, part.text),
  xpath: (scope, part) => queryXPath(scope, part.xpath),
  chain: (scope, part) => queryAll(part.selector, scope),
};

/** Parts that narrow, widen or cut the list so far. @type {Record<string, (list: Element[], part: Part, scope: Scope) => Element[]>} */
const FILTERS = {
  has: (list, part) => list.filter((element) => queryAll(part.selector, element).length > 0),
  hasNot: (list, part) => list.filter((element) => queryAll(part.selector, element).length === 0),
  hasText: (list, part) => filterText(list, part.text, true),
  hasNotText: (list, part) => filterText(list, part.text, false),
  visible: (list, part) => list.filter((element) => isVisible(element) === part.visible),
  and: (list, part, scope) => {
    const both = new Set(queryAll(part.selector, scope));
    return list.filter((element) => both.has(element));
  },
  or: (list, part, scope) => inOrder(new Set([...list, ...queryAll(part.selector, scope)]), scope),
  nth: (list, part) => {
    const element = list[part.index < 0 ? list.length + part.index : part.index];
    return element ? [element] : [];
  },
};

/** @param {Selector} selector @param {Scope} scope @returns {Element[]} */
function queryAll(selector, scope) {
  return withCache(() => {
    /** @type {Element[] | null} */
    let list = null;
    for (const part of selector) {
      if (Object.hasOwn(FINDERS, part.by)) {
        list = findBelow(list || [/** @type {any} */ (scope)], part);
      } else if (Object.hasOwn(FILTERS, part.by)) {
        // A selector that begins with a filter speaks of its scope.
        list = FILTERS[part.by](list || (isElement(scope) ? [scope] : []), part, scope);
      } else {
        refuseSelector(`there is no selector part "${part.by}"`);
      }
    }
    return list || [];
  });
}

/** @param {Scope[]} scopes @param {Part} part @returns {Element[]} */
function findBelow(scopes, part) {
  const find = FINDERS[part.by];
  if (scopes.length === 1) return find(scopes[0], part);
  /** @type {Set<Element>} */
  const found = new Set();
  for (const scope of scopes) for (const element of find(scope, part)) found.add(element);
  return [...found];
}

/** @param {Set<Element>} elements @param {Scope} scope @returns {Element[]} */
function inOrder(elements, scope) {
  const ordered = elementsBelow(scope).filter((element) => elements.has(element));
  // The scope itself may be among them.
  if (isElement(scope) && elements.has(scope)) ordered.unshift(scope);
  return ordered;
}

/** @param {Element[]} list @param {TextMatch} wanted @param {boolean} keep @returns {Element[]} */
function filterText(list, wanted, keep) {
  const matcher = textMatcher(wanted);
  return list.filter((element) => matcher.test(elementText(element)) === keep);
}

/** @param {Scope} scope @param {string} css @returns {Element[]} */
function candidates(scope, css) {
  const trees = treesBelow(scope);
  if (trees.length === 1) return queryCss(scope, css);
  return elementsBelow(scope).filter((element) => matchesCss(element, css));
}

/** @param {Scope} scope @param {string} attributes one name, or several with commas @param {TextMatch} wanted @returns {Element[]} */
function queryAttribute(scope, attributes, wanted) {
  const matches = attributeMatcher(wanted);
  const names = attributes.split(",").map((name) => name.trim()).filter((name) => name);
  if (!names.length) refuseSelector("the test id attribute has no name");
  return candidates(scope, names.map((name) => `[${CSS.escape(name)}]`).join(",")).filter((element) =>
    names.some((name) => {
      const value = attributeOf(element, name);
      return value !== null && matches(value);
    }),
  );
}

/** @param {Scope} scope @param {TextMatch} wanted @returns {Element[]} */
function queryLabel(scope, wanted) {
  const matcher = textMatcher(wanted);
  return candidates(scope, LABELLED).filter((element) => labelTexts(element).some(matcher.test));
}

/** The texts that label an element for `label` selectors. @param {Element} element @returns {string[]} */
function labelTexts(element) {
  const targets = referencesOf(element, "aria-labelledby");
  if (targets.length) return targets.map(elementText);
  const label = attributeOf(element, "aria-label");
  if (!isBlank(label)) return [/** @type {string} */ (label)];
  return labelsOf(element).map(elementText);
}

/** @param {Scope} scope @param {string} xpath @returns {Element[]} */
function queryXPath(scope, xpath) {
  const relative = !isDocument(scope) && xpath.startsWith("/") ? `.${xpath}` : xpath;
  try {
    const result = evaluateXPath(document, relative, scope, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    const found = [];
    for (let index = 0; index < result.snapshotLength; index++) {
      const node = result.snapshotItem(index);
      if (isElement(node)) found.push(node);
    }
    return found;
  } catch (error) {
    return refuseSelector(`${JSON.stringify(xpath)} is not an XPath that finds nodes: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {Scope} scope @param {Part} part @returns {Element[]} */
function queryRole(scope, part) {
  const { role, includeHidden } = part;
  if (!ROLES.has(role)) refuseSelector(`"${role}" is not an ARIA role`);
  for (const state of Object.keys(STATE_ROLES)) {
    if (part[state] !== undefined && part[state] !== null && !STATE_ROLES[state].has(role)) {
      refuseSelector(`"${state}" is only known for the roles ${[...STATE_ROLES[state]].join(", ")}, not for "${role}"`);
    }
  }
  /** @type {[string, (element: Element) => any][]} */
  const getters = [
    ["checked", checkedState], ["pressed", pressedState], ["selected", selectedState],
    ["expanded", expandedState], ["level", levelOf], ["disabled", isDisabled],
  ];
  const states = getters.filter(([state]) => part[state] !== undefined && part[state] !== null);
  const name = part.name ? nameMatcher(part.name) : null;
  const description = part.description ? nameMatcher(part.description) : null;
  return candidates(scope, roleCss(role)).filter(
    (element) =>
      roleOf(element) === role &&
      states.every(([state, get]) => get(element) === part[state]) &&
      (includeHidden || !isHiddenForAria(element)) &&
      (!name || name(nameOf(element, includeHidden))) &&
      (!description || description(descriptionOf(element))),
  );
}

/** The element a selector means. @param {Selector} selector @param {boolean} strict @returns {Element} */
function resolveOne(selector, strict) {
  const found = queryAll(selector, document);
  if (!found.length) throw new Refusal({ is: "missing" });
  if (strict && found.length > 1) {
    throw new Refusal({ is: "ambiguous", count: found.length, matches: found.slice(0, 10).map(previewOf) });
  }
  return found[0];
}
