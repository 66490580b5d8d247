// ARIA and native states of elements: disabled, inert, read-only, checked, pressed, selected, expanded, level.
// @ts-check

const DISABLED_TAGS = setOf("BUTTON INPUT SELECT TEXTAREA OPTION OPTGROUP");
const DISABLED_ROLES = setOf(
  "application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader combobox grid listbox menu " +
    "menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader searchbox select slider spinbutton switch tablist textbox " +
    "toolbar tree treegrid treeitem",
);
const CHECKED_ROLES = setOf("checkbox menuitemcheckbox option radio switch menuitemradio treeitem");
const PRESSED_ROLES = setOf("button");
const SELECTED_ROLES = setOf("gridcell option row tab rowheader columnheader treeitem");
const EXPANDED_ROLES = setOf(
  "application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader menuitemcheckbox menuitemradio switch",
);
const LEVEL_ROLES = setOf("heading listitem row treeitem");
const READONLY_ROLES = setOf(
  "checkbox combobox grid gridcell listbox radiogroup slider spinbutton textbox columnheader rowheader searchbox switch treegrid",
);

/** @param {Element} element @returns {boolean} */
function isDisabled(element) {
  return isNativelyDisabled(element) || isAriaDisabled(element);
}

/** @param {Element} element @returns {boolean} */
function isNativelyDisabled(element) {
  const tag = tagOf(element);
  if (!DISABLED_TAGS.has(tag) || !isHtml(element)) return false;
  if (hasAttribute(element, "disabled")) return true;
  if (tag === "OPTION" && closestCss(element, "optgroup[disabled]")) return true;
  const fieldset = closestCss(element, "fieldset[disabled]");
  if (!fieldset) return false;
  const legend = childElementsOf(fieldset).find((child) => tagOf(child) === "LEGEND");
  return !legend || !containsNode(legend, element);
}

/** @param {Element} element @returns {boolean} */
function isAriaDisabled(element) {
  if (!DISABLED_ROLES.has(roleOf(element) || "")) return false;
  for (let at = /** @type {Element | null} */ (element); at; at = composedParent(at)) {
    const disabled = (attributeOf(at, "aria-disabled") || "").toLowerCase();
    if (disabled === "true") return true;
    if (disabled === "false") return false;
  }
  return false;
}

/** @param {Element} element @returns {boolean} */
function isInert(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = composedParent(at)) {
    if (hasAttribute(at, "inert")) return true;
  }
  return false;
}

/** Undefined when an element of this kind can neither be edited nor be read-only. @param {Element} element @returns {boolean | undefined} */
function isReadonly(element) {
  const tag = tagOf(element);
  if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT") return hasAttribute(element, "readonly");
  if (READONLY_ROLES.has(roleOf(element) || "")) return attributeOf(element, "aria-readonly") === "true";
  return isContentEditable(element) ? false : undefined;
}

/** Undefined when the element has no such state. @param {Element} element @returns {boolean | "mixed" | undefined} */
function checkedState(element) {
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
    return element.type === "checkbox" && element.indeterminate ? "mixed" : element.checked;
  }
  if (!CHECKED_ROLES.has(roleOf(element) || "")) return undefined;
  const checked = (attributeOf(element, "aria-checked") || "").toLowerCase();
  return checked === "true" ? true : checked === "mixed" ? "mixed" : false;
}

/** @param {Element} element @returns {boolean | "mixed" | undefined} */
function pressedState(element) {
  if (!PRESSED_ROLES.has(roleOf(element) || "")) return undefined;
  const pressed = (attributeOf(element, "aria-pressed") || "").toLowerCase();
  return pressed === "true" ? true : pressed === "mixed" ? "mixed" : false;
}

/** @param {Element} element @returns {boolean | undefined} */
function selectedState(element) {
  if (element instanceof HTMLOptionElement) return element.selected;
  if (!SELECTED_ROLES.has(roleOf(element) || "")) return undefined;
  return (attributeOf(element, "aria-selected") || "").toLowerCase() === "true";
}

/** Undefined also when a control that could expand does not say so. @param {Element} element @returns {boolean | undefined} */
function expandedState(element) {
  if (element instanceof HTMLDetailsElement) return element.open;
  if (!EXPANDED_ROLES.has(roleOf(element) || "")) return undefined;
  const expanded = attributeOf(element, "aria-expanded");
  return expanded === null ? undefined : expanded.toLowerCase() === "true";
}

/** The level, 0 for none. @param {Element} element @returns {number} */
function levelOf(element) {
  const heading = /^H([1-6])$/.exec(tagOf(element));
  if (heading && roleOf(element) === "heading") return Number(heading[1]);
  if (!LEVEL_ROLES.has(roleOf(element) || "")) return 0;
  const level = Number(attributeOf(element, "aria-level") || "");
  return Number.isInteger(level) && level >= 1 ? level : 0;
}

/** Which roles a state filter may be combined with. @type {Record<string, Set<string>>} */
const STATE_ROLES = {
  checked: CHECKED_ROLES, pressed: PRESSED_ROLES, selected: SELECTED_ROLES, expanded: EXPANDED_ROLES, level: LEVEL_ROLES,
};
