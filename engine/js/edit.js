// Changing what a control holds: filling, selecting text, choosing options, moving the focus.
// @ts-check

const VALUE_TYPES = setOf("color date time datetime-local month range week");
const TYPED_TYPES = setOf("text email number password search tel url");

/** @param {Element} element @returns {boolean} */
function isTextInput(element) {
  return element instanceof HTMLInputElement && TYPED_TYPES.has(element.type);
}

/** @type {Record<string, string>} */
const FILL_ADVICE = { checkbox: "; use check() or uncheck()", radio: "; use check()", submit: "; use click()", button: "; use click()" };
/** @type {Record<string, string>} */
const FORM_ADVICE = {
  date: "; write 2026-01-31", time: "; write 23:59", "datetime-local": "; write 2026-01-31T23:59", month: "; write 2026-01",
  week: "; write 2026-W05", range: "; write a number",
};

/** Throws when the element can never be filled with the value. @param {Element} element @param {string} value @returns {Element} what is filled */
function fillTarget(element, value) {
  const target = controlOf(element);
  if (target instanceof HTMLInputElement) {
    const type = target.type;
    if (!VALUE_TYPES.has(type) && !TYPED_TYPES.has(type)) throw unfit(target, `an input of type "${type}" cannot be filled${FILL_ADVICE[type] || ""}`);
    if (type === "number" && value.trim() !== "" && Number.isNaN(Number(value.trim()))) {
      throw unfit(target, "an input of type \"number\" takes a number only");
    }
    if (VALUE_TYPES.has(type) && value.trim() !== "" && !acceptsValue(type, value.trim())) {
      throw unfit(target, `an input of type "${type}" does not take a value of this form${FORM_ADVICE[type] || ""}`);
    }
  } else if (!(target instanceof HTMLTextAreaElement) && !isContentEditable(target)) {
    const advice = target instanceof HTMLSelectElement ? "; choose with select_option()" : "";
    throw unfit(target, `it is no <input>, <textarea> or [contenteditable] element${advice}`);
  }
  return target;
}

/** The browser empties a date or time it cannot read. @param {string} type @param {string} value */
function acceptsValue(type, value) {
  if (type === "color") return true;
  if (type === "range") return !Number.isNaN(Number(value));
  const probe = document.createElement("input");
  probe.type = type;
  probe.value = value;
  return probe.value !== "";
}

/**
 * Prepares typing, or sets the value where nothing is typed. With `commit` false even that is only prepared: the answer to
 * the call that fires events may be lost with the document. With a token the typing is watched: it must reach this field.
 * @param {Element} element @param {string} value @param {{commit?: boolean, token?: number}} request
 */
function fill(element, value, request) {
  const target = fillTarget(element, value);
  if (target instanceof HTMLInputElement && VALUE_TYPES.has(target.type)) {
    if (request.commit === false) return { is: "ready", element: previewOf(target), commit: true };
    focusOn(target);
    target.value = target.type === "color" ? value.trim().toLowerCase() : value.trim();
    announce(target);
    return { is: "done", element: previewOf(target) };
  }
  if (!selectAll(target)) return { is: "not", state: "focused", element: previewOf(target) };
  // The page may have closed the field when it got the focus.
  if ((target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && (target.readOnly || target.disabled)) {
    return { is: "not", state: "editable", element: previewOf(target) };
  }
  const text = target instanceof HTMLInputElement && target.type === "number" ? value.trim() : value;
  if (request.token !== undefined) {
    const receiver = isEntry(target) ? target : editingHostOf(target);
    armWatch("text", receiver, { viaLabel: false, steady: false, trial: false, clicks: 1 }, request.token);
  }
  return { is: "ready", element: previewOf(target), insert: text === "" ? null : text, empty: isEmpty(target) };
}

/** Nothing is deleted from an empty field, so no event tells of it. @param {Element} target */
function isEmpty(target) {
  const text = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.value : textContentOf(target);
  return !text;
}

/** @param {Element} element */
function announce(element) {
  dispatchTo(element, new Event("input", { bubbles: true, composed: true }));
  dispatchTo(element, new Event("change", { bubbles: true }));
}

/** Focuses an element and selects all it holds. False when the page moved the focus on. @param {Element} target @returns {boolean} */
function selectAll(target) {
  if (target instanceof HTMLInputElement) {
    target.select();
    focusOn(target);
    return activeElement() === target;
  }
  if (target instanceof HTMLTextAreaElement) {
    target.setSelectionRange(0, target.value.length);
    focusOn(target);
    return activeElement() === target;
  }
  const host = editingHostOf(target);
  moveFocus(host);
  selectContents(target);
  return activeElement() === host;
}

/** Selects what a node holds, as with the mouse. @param {Node} node */
function selectContents(node) {
  const range = createRange(document);
  range.selectNodeContents(node);
  const selection = getSelection();
  if (!selection) return;
  selection.removeAllRanges();
  selection.addRange(range);
}

/** The outermost editable element: only it takes the focus. @param {Element} element @returns {Element} */
function editingHostOf(element) {
  let host = element;
  for (let parent = composedParent(host); parent && isContentEditable(parent); parent = composedParent(parent)) host = parent;
  return host;
}

/** @param {Element} element @param {boolean} [resetCaret] to the start, as when a person tabs in @returns {boolean} whether it has the focus */
function moveFocus(element, resetCaret) {
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) throw unfit(element, "it cannot take the focus");
  const active = activeElement();
  const had = active === element;
  if (!had && isContentEditable(element) && (active instanceof HTMLElement || active instanceof SVGElement)) blurOf(active);
  focusOn(element);
  // A blur handler of the element before may have taken the focus back.
  if (activeElement() !== element) focusOn(element);
  if (resetCaret && !had && isTextInput(element)) {
    try {
      /** @type {HTMLInputElement} */ (element).setSelectionRange(0, 0);
    } catch {
      // Numbers and e-mail addresses have no caret positions.
    }
  }
  return activeElement() === element;
}

/** @typedef {{valueOrLabel?: string, value?: string, label?: string, index?: number}} Choice All that is given must match. */

/** Chooses options; nothing changes unless all are there and enabled. @param {Element} element @param {Choice[] | null | undefined} choices */
function selectOptions(element, choices) {
  const select = controlOf(element);
  if (!(select instanceof HTMLSelectElement)) throw unfit(select, "it is no <select> element");
  const options = Array.from(select.options);
  let open = choices || [];
  /** @type {HTMLOptionElement[]} */
  const chosen = [];
  for (const [index, option] of options.entries()) {
    const met = open.filter((choice) => isChosen(option, index, choice));
    if (!met.length) continue;
    if (isNativelyDisabled(option)) {
      return { is: "not", state: "option_enabled", element: previewOf(select), why: `the option ${quote(option.label)} is disabled` };
    }
    chosen.push(option);
    open = select.multiple ? open.filter((choice) => !met.includes(choice)) : [];
    if (!open.length) break;
  }
  if (open.length) {
    const there = options.slice(0, 10).map((option) => quote(option.label)).join(", ") + (options.length > 10 ? ", …" : "");
    const why = `no option is ${open.map(describeChoice).join(", ")}; there ${options.length ? `are ${there}` : "are none"}`;
    return { is: "not", state: "option_present", element: previewOf(select), why };
  }
  if (!select.multiple && !chosen.length) select.selectedIndex = -1;
  else for (const option of options) option.selected = chosen.includes(option);
  announce(select);
  return { is: "done", element: previewOf(select), value: chosen.map((option) => option.value) };
}

/** @param {HTMLOptionElement} option @param {number} index @param {Choice} choice */
function isChosen(option, index, choice) {
  const { valueOrLabel, value, label } = choice;
  if (valueOrLabel !== undefined && option.value !== valueOrLabel && !hasLabel(option, valueOrLabel)) return false;
  if (value !== undefined && option.value !== value) return false;
  if (label !== undefined && !hasLabel(option, label)) return false;
  return choice.index === undefined || choice.index === index;
}

/** @param {HTMLOptionElement} option @param {string} label */
function hasLabel(option, label) {
  return option.label === label || normalise(option.label) === normalise(label);
}

/** @param {string} text */
const quote = (text) => `“${cut(normalise(text), 50)}”`;

/** @param {Choice} choice */
function describeChoice(choice) {
  return Object.entries(choice).map(([key, value]) => (key === "valueOrLabel" ? `“${value}”` : `${key} “${value}”`)).join(" and ");
}
