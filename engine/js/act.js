// One attempt at an action, from the selector to the point where input may begin, in one call.
// @ts-check

/**
 * @typedef {object} AttemptRequest
 * @property {string} action
 * @property {string[]} [checks] in the order they are made; "stable" always comes first
 * @property {number | null} [scroll] how often this was tried, or null not to scroll
 * @property {{x: number, y: number} | null} [position] offset from the padding box
 * @property {boolean} [strict]
 * @property {boolean} [hit] test what the pointer would reach, and watch the input
 * @property {boolean} [steady] the box must be the same when the input comes as it is now
 * @property {boolean} [trial] the watched input never reaches the page
 * @property {boolean} [force] no checks and no hit test
 * @property {number} [token] names the watch of the input
 * @property {boolean} [commit] false: do nothing yet that the page's scripts would see
 * @property {any} [value] the text, the choices, or what files there are
 */

/** Actions of the pointer and the gesture that is watched for them; null: the point alone is wanted. @type {Record<string, string | null>} */
const POINTER_ACTIONS = {
  click: "mouse", dblclick: "mouse", check: "mouse", uncheck: "mouse", drag: "mouse", hover: "hover", tap: "touch", drop: null,
};

/**
 * @param {Selector} selector
 * @param {AttemptRequest} request
 * @returns {Promise<any>}
 */
async function attempt(selector, request) {
  return guarded(async () => {
    const element = withCache(() => resolveOne(selector, request.strict !== false));
    const early = withCache(() => prepare(element, request));
    if (early) return early;
    if (!request.force && request.checks && request.checks.includes("stable")) {
      const found = await stability(element);
      if (found === "detached") return { is: "detached" };
      if (found === "moving") return { is: "not", state: "stable", element: previewOf(element) };
    }
    const failed = request.force ? null : withCache(() => failedCheck(element, request.checks || []));
    return failed || perform(element, request);
  });
}

/** Turns a refusal into its result. @param {() => any} work @returns {Promise<any>} */
async function guarded(work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error.result;
    throw error;
  }
}

/** What can be said before any check: nothing to do, or never possible. @param {Element} element @param {AttemptRequest} request @returns {any} */
function prepare(element, request) {
  switch (request.action) {
    case "check":
    case "uncheck":
      return checkedAlready(element, request.action === "check");
    case "fill":
      fillTarget(element, String(request.value));
      return null;
    case "clear":
      fillTarget(element, "");
      return null;
    case "select_option":
      if (!(controlOf(element) instanceof HTMLSelectElement)) throw unfit(element, "it is no <select> element");
      return null;
    case "set_input_files":
      return fileTarget(element, request.value || {});
    default:
      return null;
  }
}

/** @param {Element} element @param {boolean} wanted */
function checkedAlready(element, wanted) {
  const control = controlOf(element);
  const state = checkedState(control);
  if (state === undefined) throw unfit(control, "it is no checkbox or radio button");
  if (state === wanted) return { is: "done", element: previewOf(element), changed: false };
  if (!wanted && (roleOf(control) === "radio" || (control instanceof HTMLInputElement && control.type === "radio"))) {
    throw unfit(control, "a radio button cannot be unchecked; check another one of its group");
  }
  return null;
}

/** @param {Element} element @param {{count?: number, directory?: boolean}} files */
function fileTarget(element, files) {
  const input = controlOf(element);
  if (!(input instanceof HTMLInputElement) || input.type !== "file") throw unfit(input, "it is no <input type=file>");
  const directory = /** @type {any} */ (input).webkitdirectory;
  if ((files.count || 0) > 1 && !input.multiple && !directory) throw unfit(input, "it takes a single file only");
  if (files.directory && !directory) throw unfit(input, "it takes files, not a directory");
  if (files.directory === false && directory && files.count) throw unfit(input, "it takes a directory, not files");
  return { is: "ready", element: previewOf(input), token: hold(input), multiple: input.multiple, directory };
}

/** @param {Element} element @param {AttemptRequest} request @returns {any} */
function perform(element, request) {
  if (!isConnected(element)) return { is: "detached" };
  if (Object.hasOwn(POINTER_ACTIONS, request.action)) return withCache(() => aim(element, request));
  switch (request.action) {
    case "fill":
      return fill(element, String(request.value), request);
    case "clear":
      return fill(element, "", request);
    case "focus":
    case "press": {
      const focused = moveFocus(element, request.action === "press");
      return { is: request.action === "press" ? "ready" : "done", element: previewOf(element), focused };
    }
    case "blur":
      if (element instanceof HTMLElement || element instanceof SVGElement) blurOf(element);
      return { is: "done", element: previewOf(element) };
    case "select_option":
      return selectOptions(element, request.value);
    case "select_text":
      return selectText(element);
    case "scroll_into_view":
      withCache(() => bringIntoView(element, request.scroll || 0, request.position));
      return { is: "done", element: previewOf(element), box: boxOf(element) };
    default:
      throw new Error(`there is no action "${request.action}"`);
  }
}

/** @param {Element} element */
function selectText(element) {
  const target = controlOf(element);
  if (isEntry(target) && !(target instanceof HTMLSelectElement)) {
    return selectAll(target) ? { is: "done", element: previewOf(target) } : { is: "not", state: "focused", element: previewOf(target) };
  }
  selectContents(target);
  return { is: "done", element: previewOf(target) };
}

/** Scrolls, finds the point, tests what it hits and watches for the input. @param {Element} element @param {AttemptRequest} request @returns {any} */
function aim(element, request) {
  const pass = typeof request.scroll === "number" ? request.scroll : null;
  // A later alignment that does not help must not leave the page somewhere else each time.
  const restore = pass ? scrollKeeper(element) : () => {};
  if (pass !== null) bringIntoView(element, pass, request.position);
  const point = pointAt(element, request.position);
  if (point === "visible") return { is: "not", state: "visible", element: previewOf(element) };
  if (point === "offscreen") {
    restore();
    return { is: "offscreen", element: previewOf(element) };
  }
  const gesture = POINTER_ACTIONS[request.action];
  const target = hitTargetOf(element);
  const viaLabel = gesture === "mouse" || gesture === "touch";
  if (request.hit !== false && !request.force) {
    const by = coveredBy(target, point.x, point.y, viaLabel);
    if (by !== null) {
      restore();
      return { is: "covered", by, element: previewOf(element) };
    }
  }
  const watched = gesture && !request.force && request.hit !== false;
  const options = { viaLabel, steady: !!request.steady, trial: !!request.trial, clicks: request.action === "dblclick" ? 2 : 1 };
  return {
    is: "ready", element: previewOf(element), x: point.x, y: point.y, width: innerWidth, height: innerHeight, box: boxOf(element),
    token: watched ? armWatch(gesture, target, options, request.token) : null,
  };
}

/** @param {Element} element @returns {{x: number, y: number, width: number, height: number}} */
function boxOf(element) {
  const { x, y, width, height } = rectOf(element);
  return { x, y, width, height };
}
