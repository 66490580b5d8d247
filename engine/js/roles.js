// Which ARIA role an element has, explicit or implied by HTML, and whether it is hidden from the accessibility tree.
// @ts-check

/** @param {string} words @returns {Set<string>} */
const setOf = (words) => new Set(words.split(" "));

const ROLES = setOf(
  "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary " +
    "contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img " +
    "insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter " +
    "navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search " +
    "searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time " +
    "timer toolbar tooltip tree treegrid treeitem",
);

const UNNAMED_ROLES = setOf(
  "caption code definition deletion emphasis generic insertion mark paragraph presentation strong subscript suggestion superscript term time",
);

const GLOBAL_ARIA = setOf(
  "aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto aria-grabbed aria-hidden " +
    "aria-keyshortcuts aria-live aria-owns aria-relevant",
);

const PLAIN_ROLES = {
  ARTICLE: "article", ASIDE: "complementary", BLOCKQUOTE: "blockquote", BUTTON: "button", CAPTION: "caption", CODE: "code",
  DATALIST: "listbox", DD: "definition", DEL: "deletion", DETAILS: "group", DFN: "term", DIALOG: "dialog", DT: "term", EM: "emphasis",
  FIELDSET: "group", FIGURE: "figure", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
  HR: "separator", HTML: "document", INS: "insertion", LI: "listitem", MAIN: "main", MARK: "mark", MATH: "math", MENU: "list",
  METER: "meter", NAV: "navigation", OL: "list", OPTGROUP: "group", OPTION: "option", OUTPUT: "status", P: "paragraph",
  PROGRESS: "progressbar", SEARCH: "search", STRONG: "strong", SUB: "subscript", SUP: "superscript", SVG: "img", TABLE: "table",
  TBODY: "rowgroup", TEXTAREA: "textbox", TFOOT: "rowgroup", THEAD: "rowgroup", TIME: "time", TR: "row", UL: "list",
};

/** @type {Record<string, string>} */
const INPUT_ROLES = {
  button: "button", checkbox: "checkbox", file: "button", hidden: "none", image: "button", number: "spinbutton", radio: "radio",
  range: "slider", reset: "button", submit: "button",
};

/** Roles that depend on more than the tag. @type {Record<string, (element: any) => string | null>} */
const COMPUTED_ROLES = {
  A: (element) => (hasAttribute(element, "href") ? "link" : null),
  AREA: (element) => (hasAttribute(element, "href") ? "link" : null),
  FOOTER: (element) => (isInSection(element) ? null : "contentinfo"),
  HEADER: (element) => (isInSection(element) ? null : "banner"),
  FORM: (element) => (hasNameAttribute(element) ? "form" : null),
  SECTION: (element) => (hasNameAttribute(element) ? "region" : null),
  IMG: (element) => (isDecorative(element) ? "presentation" : "img"),
  INPUT: inputRole,
  SELECT: (element) => (element.multiple || element.size > 1 ? "listbox" : "combobox"),
  TD: (element) => (isInGrid(element) ? "gridcell" : "cell"),
  TH: headerRole,
};

/** Tags that can have a role without saying so, for roles that depend on more than the tag. @type {Record<string, string>} */
const COMPUTED_TAGS = {
  banner: "header", button: "input", cell: "td", checkbox: "input", columnheader: "th", combobox: "select,input", contentinfo: "footer",
  form: "form", gridcell: "td", img: "img", link: "a,area", listbox: "select", radio: "input", region: "section", rowheader: "th",
  searchbox: "input", slider: "input", spinbutton: "input", textbox: "input",
};

/** A CSS selector that leaves out only elements which cannot have the role. @param {string} role @returns {string} */
function roleCss(role) {
  if (isNoRole(role)) return "*";
  const tags = Object.entries(PLAIN_ROLES).filter(([, plain]) => plain === role).map(([tag]) => tag.toLowerCase());
  return ["[role]", ...tags, ...(Object.hasOwn(COMPUTED_TAGS, role) ? [COMPUTED_TAGS[role]] : [])].join(",");
}

/** Parents whose explicit `presentation` a child of the tag inherits. @type {Record<string, string[]>} */
const REQUIRED_PARENTS = {
  DD: ["DL", "DIV"], DIV: ["DL"], DT: ["DL", "DIV"], LI: ["OL", "UL"], TBODY: ["TABLE"], TFOOT: ["TABLE"], THEAD: ["TABLE"],
  TD: ["TR"], TH: ["TR"], TR: ["THEAD", "TBODY", "TFOOT", "TABLE"],
};

/** @param {string | null} role */
const isNoRole = (role) => role === "none" || role === "presentation";

/** @param {Element} element @returns {string | null} */
function roleOf(element) {
  return memo("role", element, () => {
    const explicit = explicitRole(element);
    if (explicit && !(isNoRole(explicit) && keepsSemantics(element, explicit))) return explicit;
    return implicitRole(element);
  });
}

/** @param {Element} element @returns {string | null} */
function explicitRole(element) {
  const role = attributeOf(element, "role");
  if (!role) return null;
  return role.toLowerCase().split(/\s+/).find((token) => ROLES.has(token)) || null;
}

/** @param {Element} element @returns {string | null} */
function implicitRole(element) {
  const tag = tagOf(element);
  const computed = Object.hasOwn(COMPUTED_ROLES, tag) ? COMPUTED_ROLES[tag] : null;
  if (tag !== "SVG" && tag !== "MATH" && !isHtml(element)) return null;
  const role = computed ? computed(element) : Object.hasOwn(PLAIN_ROLES, tag) ? /** @type {any} */ (PLAIN_ROLES)[tag] : null;
  if (!role) return null;
  /** @type {Element} */
  let child = element;
  for (let parent = composedParent(child); parent; parent = composedParent(child)) {
    const parents = REQUIRED_PARENTS[tagOf(child)];
    if (!parents || !parents.includes(tagOf(parent))) break;
    const explicit = explicitRole(parent);
    if (isNoRole(explicit) && !keepsSemantics(parent, explicit)) return explicit;
    child = parent;
  }
  return role;
}

/** An element that is focusable or has global ARIA attributes cannot be presentational. @param {Element} element @param {string | null} explicit */
function keepsSemantics(element, explicit) {
  return hasGlobalAria(element, explicit) || isFocusable(element);
}

/** @param {Element} element @param {string | null} role @returns {boolean} */
function hasGlobalAria(element, role) {
  return attributesOf(element).some(({ name }) => {
    if (!name.startsWith("aria-")) return false;
    if (GLOBAL_ARIA.has(name)) return true;
    // A name given to an element whose implied role takes none does not make it meaningful.
    if (name === "aria-label" || name === "aria-labelledby") return !UNNAMED_ROLES.has(role || "");
    return name === "aria-roledescription" && role !== "generic";
  });
}

/** @param {Element} element @returns {boolean} */
function isFocusable(element) {
  if (isNativelyDisabled(element)) return false;
  const tag = tagOf(element);
  if (tag === "BUTTON" || tag === "DETAILS" || tag === "SELECT" || tag === "TEXTAREA") return true;
  if ((tag === "A" || tag === "AREA") && hasAttribute(element, "href")) return true;
  if (tag === "INPUT" && /** @type {HTMLInputElement} */ (element).type !== "hidden") return true;
  const index = attributeOf(element, "tabindex");
  return index !== null && !Number.isNaN(Number.parseInt(index, 10));
}

/** @param {Element} element */
function hasNameAttribute(element) {
  return hasAttribute(element, "aria-label") || hasAttribute(element, "aria-labelledby");
}

/** @param {Element} element */
function isDecorative(element) {
  return (
    attributeOf(element, "alt") === "" &&
    !attributeOf(element, "title") &&
    !hasGlobalAria(element, null) &&
    !hasAttribute(element, "tabindex")
  );
}

const SECTION_TAGS = setOf("ARTICLE ASIDE MAIN NAV SECTION");
const SECTION_ROLES = setOf("article complementary main navigation region");

/** @param {Element} element */
function isInSection(element) {
  for (let parent = composedParent(element); parent; parent = composedParent(parent)) {
    const role = explicitRole(parent);
    if (role ? SECTION_ROLES.has(role) : SECTION_TAGS.has(tagOf(parent))) return true;
  }
  return false;
}

/** @param {HTMLInputElement} input @returns {string} */
function inputRole(input) {
  const type = input.type;
  if (Object.hasOwn(INPUT_ROLES, type)) return INPUT_ROLES[type];
  if (!/^(email|tel|text|url|search)$/.test(type)) return "textbox";
  const list = attributeOf(input, "list");
  const options = list && elementById(rootOf(input), list);
  if (options && tagOf(options) === "DATALIST") return "combobox";
  return type === "search" ? "searchbox" : "textbox";
}

/** @param {Element} cell */
function isInGrid(cell) {
  const table = closestCss(cell, "table");
  const role = table && explicitRole(table);
  return role === "grid" || role === "treegrid";
}

/** @param {Element} header @returns {string | null} */
function headerRole(header) {
  const scope = (attributeOf(header, "scope") || "").toLowerCase();
  if (scope === "col" || scope === "colgroup") return "columnheader";
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  const before = previousElementOf(header);
  const after = nextElementOf(header);
  const row = composedParent(header);
  if (!before && !after && row && tagOf(row) === "TR") {
    const table = closestCss(row, "table");
    return table && queryCss(table, "tr").length <= 1 ? null : "columnheader";
  }
  /** @param {Element | null} cell */
  const isData = (cell) => !!cell && tagOf(cell) === "TD" && !!(textContentOf(cell) || firstElementOf(cell));
  if (isData(before) || isData(after)) return "rowheader";
  return "columnheader";
}

const UNSEEN_TAGS = setOf("STYLE SCRIPT NOSCRIPT TEMPLATE");

/** Not in the accessibility tree. @param {Element} element @returns {boolean} */
function isHiddenForAria(element) {
  return memo("ariaHidden", element, () => {
    const tag = tagOf(element);
    if (UNSEEN_TAGS.has(tag)) return true;
    // An area is never rendered itself: it is where its image is.
    if (tag === "AREA") {
      const image = imageOf(element);
      return !image || isHiddenForAria(image);
    }
    const style = styleOf(element);
    const isSlot = tag === "SLOT";
    if (style.display === "contents" && !isSlot) {
      for (const child of childNodesOf(element)) {
        if (isElement(child) && !isHiddenForAria(child)) return false;
        if (isText(child) && textRects(child).length) return false;
      }
      if (!shadowOf(element)) return true;
    } else if (!isSlot && !isStyleVisible(element) && !(tag === "OPTION" && closestCss(element, "select"))) {
      return true;
    }
    return isTreeHidden(element);
  });
}

/** The image that shows an area. @param {Element} area @returns {Element | null} */
function imageOf(area) {
  const map = closestCss(area, "map");
  const name = map && attributeOf(map, "name");
  return (name && queryCss(document, `img[usemap="#${CSS.escape(name)}"]`)[0]) || null;
}

/** An ancestor or the element itself takes its whole subtree out of the tree. @param {Element} element @returns {boolean} */
function isTreeHidden(element) {
  return memo("treeHidden", element, () => {
    const parent = composedParent(element);
    if (parent && shadowOf(parent) && parentNodeOf(element) === parent && !slotOf(element)) return true;
    if (styleOf(element).display === "none") return true;
    if ((attributeOf(element, "aria-hidden") || "").toLowerCase() === "true") return true;
    return !!parent && isTreeHidden(parent);
  });
}
