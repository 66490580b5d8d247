// Accessible names and descriptions after accname 1.2 and HTML-AAM; the comments name the steps of accname.
// @ts-check

/**
 * Where a traversal stands.
 * @typedef {object} Walk
 * @property {Set<Element>} seen elements whose own text was used already
 * @property {boolean} self the element is the one the innermost traversal began at
 * @property {boolean} reveal hidden elements count too: asked for, or the traversal began in a hidden element
 * @property {Element | null} labelledby the element that an `aria-labelledby` points at
 * @property {Element | null} label the native label being read
 * @property {boolean} native inside a legend, caption or title that names another element
 * @property {boolean} describedby inside the target of an `aria-describedby`
 */

const CONTENT_ROLES = setOf(
  "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab " +
    "tooltip treeitem",
);

/** Roles whose content counts inside another element's name, though not for their own. */
const INNER_CONTENT_ROLES = setOf(
  "caption code contentinfo definition deletion emphasis insertion list listitem mark none paragraph presentation region row rowgroup " +
    "section strong subscript superscript table term time",
);

const RANGE_ROLES = setOf("progressbar scrollbar slider spinbutton meter");
const PLACEHOLDER_TYPES = setOf("text password number search tel email url");

/** The accessible name, '' for none. @param {Element} element @param {boolean} [includeHidden] @returns {string} */
function nameOf(element, includeHidden) {
  return memo(includeHidden ? "nameHidden" : "name", element, () => {
    if (UNNAMED_ROLES.has(roleOf(element) || "")) return "";
    return flatten(alternativeOf(element, startWalk(!!includeHidden)));
  });
}

/** The accessible description, '' for none. @param {Element} element @returns {string} */
function descriptionOf(element) {
  const targets = referencesOf(element, "aria-describedby");
  if (targets.length) {
    const walk = { ...startWalk(false), describedby: true };
    return flatten(joinWords(targets.map((target) => alternativeOf(target, { ...walk, reveal: isHiddenForAria(target) }))));
  }
  const description = attributeOf(element, "aria-description");
  return flatten(description !== null ? description : attributeOf(element, "title") || "");
}

/** @param {boolean} reveal @returns {Walk} */
function startWalk(reveal) {
  return { seen: new Set(), self: true, reveal, labelledby: null, label: null, native: false, describedby: false };
}

/** Collapses white space; a no-break space stays what it is. @param {string} text @returns {string} */
function flatten(text) {
  const pieces = text.split("\u00a0");
  return pieces.map((piece) => piece.replace(/[\u200b\u00ad]/g, "").replace(/\s+/g, " ")).join("\u00a0").trim();
}

/** @param {string[]} words */
const joinWords = (words) => words.filter((word) => word).join(" ");

/** @param {string | null} text */
const isBlank = (text) => !text || !text.trim();

/** The elements an id list names, in the element's own root, without doubles. @param {Element} element @param {string} attribute @returns {Element[]} */
function referencesOf(element, attribute) {
  const ids = attributeOf(element, attribute);
  if (ids === null) return [];
  const property = attribute === "aria-labelledby" ? "ariaLabelledByElements" : attribute === "aria-describedby" ? "ariaDescribedByElements" : "";
  // Elements set by property leave the attribute empty.
  const reflected = property && ids === "" ? /** @type {any} */ (element)[property] : null;
  if (Array.isArray(reflected)) return reflected.filter(isElement);
  const root = rootOf(element);
  const found = new Set();
  for (const id of ids.split(/[ \t\n\f\r]+/)) {
    const target = id && elementById(root, id);
    if (target) found.add(target);
  }
  return [...found];
}

/** The text alternative of one element. @param {Element} element @param {Walk} walk @returns {string} */
function alternativeOf(element, walk) {
  if (walk.seen.has(element)) return "";
  const tag = tagOf(element);
  // 2A: hidden content counts only in a traversal that began in hidden content.
  if (UNSEEN_TAGS.has(tag) || (!walk.reveal && isHiddenForAria(element))) return finish(element, walk, "");

  // 2B: aria-labelledby, never followed twice.
  const labelledby = referencesOf(element, "aria-labelledby");
  if (labelledby.length && !walk.labelledby && !walk.describedby) {
    const name = joinWords(
      labelledby.map((target) =>
        alternativeOf(target, {
          ...walk, self: true, labelledby: target, label: null, native: false, reveal: walk.reveal || isHiddenForAria(target),
        }),
      ),
    );
    if (name) return name;
  }

  // 2C: the value of a control embedded in a name.
  const role = roleOf(element) || "";
  if (walk.label || walk.labelledby || !walk.self) {
    const ownLabel = !!walk.label && labelsOf(element).includes(walk.label);
    const ownReference = !!walk.labelledby && labelledby.includes(walk.labelledby);
    const value = ownLabel || ownReference ? undefined : embeddedValue(element, role, walk);
    if (value !== undefined) return finish(element, walk, value);
  }

  // 2D: aria-label. A slot has no box of its own and takes no name.
  const label = tag === "SLOT" ? null : attributeOf(element, "aria-label");
  if (!isBlank(label)) return finish(element, walk, /** @type {string} */ (label));

  // 2E: what HTML and SVG offer.
  if (!isNoRole(role)) {
    const native = nativeAlternative(element, tag, walk, labelledby.length > 0);
    if (native !== undefined) return finish(element, walk, native);
  }

  // 2F and 2H: content.
  const nested = !!walk.label || !!walk.labelledby || walk.describedby || walk.native;
  if (nested || tag === "SUMMARY" || CONTENT_ROLES.has(role) || (!walk.self && (!role || INNER_CONTENT_ROLES.has(role)))) {
    walk.seen.add(element);
    const content = contentOf(element, { ...walk, self: false });
    if (walk.self ? !isBlank(content) : content) return content;
  }

  // 2I: the tooltip.
  if (!isNoRole(role) || tag === "IFRAME" || tag === "FRAME") {
    const title = attributeOf(element, "title");
    if (!isBlank(title)) return finish(element, walk, /** @type {string} */ (title));
  }
  return finish(element, walk, "");
}

/** @param {Element} element @param {Walk} walk @param {string} text */
function finish(element, walk, text) {
  walk.seen.add(element);
  return text;
}

/** @param {Element} element @returns {Element[]} */
function labelsOf(element) {
  const labels = /** @type {any} */ (element).labels;
  return labels instanceof NodeList ? /** @type {Element[]} */ (Array.from(labels)) : [];
}

/** What an embedded control contributes; undefined when it is no control. @param {Element} element @param {string} role @param {Walk} walk */
function embeddedValue(element, role, walk) {
  if (role === "textbox" || role === "searchbox") {
    if (element instanceof HTMLInputElement) return element.type === "password" ? "" : element.value;
    return element instanceof HTMLTextAreaElement ? element.value : textContentOf(element) || "";
  }
  if (role === "combobox" || role === "listbox") {
    const chosen = chosenOptions(element, role);
    if (!chosen.length && element instanceof HTMLInputElement) return element.value;
    walk.seen.add(element);
    return joinWords(chosen.map((option) => alternativeOf(option, { ...walk, self: false })));
  }
  if (RANGE_ROLES.has(role)) {
    for (const attribute of ["aria-valuetext", "aria-valuenow"]) {
      const value = attributeOf(element, attribute);
      if (value !== null) return value;
    }
    if (element instanceof HTMLInputElement) return element.value;
    return attributeOf(element, "value") || "";
  }
  return role === "menu" ? "" : undefined;
}

/** @param {Element} element @param {string} role @returns {Element[]} */
function chosenOptions(element, role) {
  if (element instanceof HTMLSelectElement) {
    const chosen = Array.from(element.selectedOptions);
    return chosen.length || !element.options.length ? chosen : [element.options[0]];
  }
  const owned = [...elementsBelow(element)];
  for (const target of [...referencesOf(element, "aria-owns"), ...referencesOf(element, "aria-controls")]) owned.push(target, ...elementsBelow(target));
  const list = role === "combobox" ? owned.find((inner) => roleOf(inner) === "listbox") : element;
  if (!list) return [];
  const options = list === element ? owned : elementsBelow(list);
  return options.filter((option) => roleOf(option) === "option" && attributeOf(option, "aria-selected") === "true");
}

/** @param {Element} element @param {Walk} walk @returns {string | undefined} */
function labelText(element, walk) {
  const labels = labelsOf(element);
  if (!labels.length) return undefined;
  return joinWords(
    labels.map((label) =>
      alternativeOf(label, {
        ...walk, self: true, label, labelledby: null, native: false, describedby: false, reveal: walk.reveal || isHiddenForAria(label),
      }),
    ),
  );
}

/** A child that names its parent: legend, caption, title. @param {Element} element @param {string} tag @param {Walk} walk */
function namingChild(element, tag, walk) {
  const child = childElementsOf(element).find((inner) => tagOf(inner) === tag);
  if (!child) return undefined;
  return alternativeOf(child, { ...walk, self: true, native: true, reveal: walk.reveal || isHiddenForAria(child) });
}

/**
 * Step 2E; undefined when the element kind offers nothing and its content decides.
 * @param {Element} element
 * @param {string} tag
 * @param {Walk} walk
 * @param {boolean} referenced an `aria-labelledby` resolved, so labels and captions are passed over
 * @returns {string | undefined}
 */
function nativeAlternative(element, tag, walk, referenced) {
  const title = attributeOf(element, "title") || "";
  if (!isHtml(element)) return svgAlternative(element, tag, walk);
  const labels = referenced ? undefined : () => labelText(element, walk);
  if (element instanceof HTMLInputElement) {
    const type = element.type;
    if (type === "button" || type === "submit" || type === "reset") {
      if (!isBlank(element.value)) return element.value;
      return type === "submit" ? "Submit" : type === "reset" ? "Reset" : title;
    }
    if (type === "file") return (labels && labels()) || "Choose File";
    if (type === "image") {
      const alt = attributeOf(element, "alt");
      return (labels && labels()) || (isBlank(alt) ? "" : alt) || (isBlank(title) ? "" : title) || "Submit";
    }
  }
  if (tag === "BUTTON") return (labels && labels()) || undefined;
  if (tag === "OUTPUT") return (labels && labels()) || title || undefined;
  if (/^(TEXTAREA|SELECT|INPUT|METER|PROGRESS)$/.test(tag)) {
    const named = labels && labels();
    if (named) return named;
    const hint = attributeOf(element, "placeholder") || "";
    const takesHint = tag === "TEXTAREA" || (element instanceof HTMLInputElement && PLACEHOLDER_TYPES.has(element.type));
    return title || (takesHint ? hint : "");
  }
  if (tag === "FIELDSET" || tag === "FIGURE" || tag === "TABLE") {
    const child = tag === "FIELDSET" ? "LEGEND" : tag === "FIGURE" ? "FIGCAPTION" : "CAPTION";
    const name = referenced ? undefined : namingChild(element, child, walk);
    if (name) return name;
    return (tag === "TABLE" && attributeOf(element, "summary")) || title || undefined;
  }
  if (tag === "IMG" || tag === "AREA") {
    const alt = attributeOf(element, "alt");
    if (alt && !isBlank(alt)) return alt;
    return title || (tag === "IMG" ? "" : undefined);
  }
  return undefined;
}

/** @param {Element} element @param {string} tag @param {Walk} walk @returns {string | undefined} */
function svgAlternative(element, tag, walk) {
  if (namespaceOf(element) !== "http://www.w3.org/2000/svg") return undefined;
  const name = namingChild(element, "TITLE", walk);
  if (name) return name;
  const link = tag === "A" ? element.getAttributeNS("http://www.w3.org/1999/xlink", "title") : null;
  return link && !isBlank(link) ? link : undefined;
}
