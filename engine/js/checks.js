// The checks before an action: which element an action means, and the states it must be in.
// @ts-check

/** A frame that does not come within this many milliseconds is not waited for: hidden pages draw none. */
const FRAME_LIMIT = 250;

const BUTTONS = "button,[role=button],[role=checkbox],[role=radio]";
const BUTTONS_AND_LINKS = "button,[role=button],a,[role=link]";
const CONTROLS =
  "a,input,textarea,button,select,option,optgroup,[role=link],[role=button],[role=checkbox],[role=radio]";

/** @param {Element} element */
function isEntry(element) {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement || isContentEditable(element);
}

/** The control an element stands for: an icon stands for its button. @param {Element} element @returns {Element} */
function buttonOf(element) {
  return isEntry(element) ? element : closestCss(element, BUTTONS) || element;
}

/** As `buttonOf`, and the text of a label stands for the labelled control. @param {Element} element @returns {Element} */
function controlOf(element) {
  const control = buttonOf(element);
  if (matchesCss(control, CONTROLS) || isContentEditable(control)) return control;
  const label = closestCss(control, "label");
  return (label instanceof HTMLLabelElement && label.control) || control;
}

/** What must be hit when the pointer is pressed. @param {Element} element @returns {Element} */
function hitTargetOf(element) {
  return isEntry(element) ? element : closestCss(element, BUTTONS_AND_LINKS) || element;
}

/** @returns {Promise<void>} */
function nextFrame() {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve();
    };
    const frame = requestAnimationFrame(done);
    const timer = setTimeout(done, FRAME_LIMIT);
  });
}

/** Two frames with the same box. @param {Element} element @returns {Promise<"stable" | "moving" | "detached">} */
async function stability(element) {
  const target = buttonOf(element);
  await nextFrame();
  const before = rectOf(target);
  await nextFrame();
  if (!isConnected(target)) return "detached";
  return sameBox(before, rectOf(target)) ? "stable" : "moving";
}

/** @param {DOMRect} a @param {DOMRect} b */
function sameBox(a, b) {
  return a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
}

/** The result for the first check that fails, or null. @param {Element} element @param {string[]} checks @returns {any} */
function failedCheck(element, checks) {
  for (const check of checks) {
    if (check !== "stable" && !passes(element, check)) return { is: "not", state: check, element: previewOf(element) };
  }
  return null;
}

/** @param {Element} element @param {string} check @returns {boolean} */
function passes(element, check) {
  switch (check) {
    case "visible":
      return isVisible(element);
    case "enabled":
      return !isDisabled(controlOf(element));
    case "inert":
      return !isInert(element);
    case "editable":
      return isEditable(element);
    default:
      throw new Error(`there is no check "${check}"`);
  }
}

/** @param {Element} element @returns {boolean} */
function isEditable(element) {
  const control = controlOf(element);
  const readonly = isReadonly(control);
  if (readonly === undefined) {
    throw unfit(control, "it is no <input>, <textarea>, <select> or [contenteditable], and its role takes no aria-readonly");
  }
  return !readonly && !isDisabled(control);
}

/** A refusal that waiting cannot change. @param {Element} element @param {string} why @returns {Refusal} */
function unfit(element, why) {
  return new Refusal({ is: "unfit", why, element: previewOf(element) });
}
