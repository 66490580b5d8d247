// Reads something from the elements a selector finds, without waiting.
// @ts-check

/** Readers of one element. @type {Record<string, (element: Element, arg: any) => any>} */
const READERS = {
  textContent: (element) => textContentOf(element),
  innerText: (element) => {
    if (!(element instanceof HTMLElement)) throw unfit(element, "it is no HTML element");
    return innerTextOf(element);
  },
  innerHTML: (element) => element.innerHTML,
  inputValue: (element) => {
    const control = controlOf(element);
    if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement) return control.value;
    throw unfit(control, "it is no <input>, <textarea> or <select> element");
  },
  attribute: (element, name) => attributeOf(element, name),
  enabled: (element) => !isDisabled(controlOf(element)),
  disabled: (element) => isDisabled(controlOf(element)),
  editable: (element) => isEditable(element),
  checked: (element) => {
    const control = controlOf(element);
    const state = checkedState(control);
    if (state === undefined) throw unfit(control, "it is no checkbox or radio button");
    return state;
  },
  focused: (element) => activeElement() === element && document.hasFocus(),
  boundingBox: (element) => (rectsOf(element).length ? boxOf(element) : null),
  role: (element) => roleOf(element),
  // As role selectors see it: what is hidden has none.
  name: (element) => nameOf(element),
  description: (element) => descriptionOf(element),
  preview: (element) => previewOf(element),
};

/** Readers of the whole list: never strict, and an empty list is an answer. @type {Record<string, (elements: Element[], arg: any) => any>} */
const LIST_READERS = {
  count: (elements) => elements.length,
  texts: (elements) => elements.map((element) => textContentOf(element) || ""),
  innerTexts: (elements) => elements.map((element) => (element instanceof HTMLElement ? innerTextOf(element) : textContentOf(element) || "")),
  previews: (elements, most) => elements.slice(0, most || 10).map(previewOf),
};

/**
 * @param {Selector} selector
 * @param {string} what
 * @param {any} [arg]
 * @param {boolean} [strict] several matches are an error, which is so unless false
 * @returns {any}
 */
function read(selector, what, arg, strict) {
  try {
    return withCache(() => ({ is: "value", value: readValue(selector, what, arg, strict !== false) }));
  } catch (error) {
    if (error instanceof Refusal) return error.result;
    throw error;
  }
}

/** @param {Selector} selector @param {string} what @param {any} arg @param {boolean} strict @returns {any} */
function readValue(selector, what, arg, strict) {
  if (Object.hasOwn(LIST_READERS, what)) return LIST_READERS[what](queryAll(selector, document), arg);
  if (what === "visible" || what === "hidden") {
    // What is not there is hidden.
    const element = resolveOptional(selector, strict);
    return (!!element && isVisible(element)) === (what === "visible");
  }
  if (!Object.hasOwn(READERS, what)) throw new Error(`there is nothing called "${what}" to read`);
  const value = READERS[what](resolveOne(selector, strict), arg);
  return value === undefined ? null : value;
}

/** @param {Selector} selector @param {boolean} strict @returns {Element | null} */
function resolveOptional(selector, strict) {
  try {
    return resolveOne(selector, strict);
  } catch (error) {
    if (error instanceof Refusal && error.result.is === "missing") return null;
    throw error;
  }
}

/**
 * The element itself, or null. Any other result is thrown as its JSON text, so that it arrives as an exception whose value is a string.
 * @param {Selector} selector
 * @param {boolean} [strict]
 * @returns {Element | null}
 */
function element(selector, strict) {
  try {
    return resolveOptional(selector, strict !== false);
  } catch (error) {
    if (error instanceof Refusal) throw JSON.stringify(error.result);
    throw error;
  }
}

/** All elements a selector finds. @param {Selector} selector @returns {Element[]} */
function elements(selector) {
  try {
    return queryAll(selector, document);
  } catch (error) {
    if (error instanceof Refusal) throw JSON.stringify(error.result);
    throw error;
  }
}
