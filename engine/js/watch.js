// Judges the first trusted input event of an action before the page sees it, and swallows the whole gesture when it would go astray.
// @ts-check

/** A gesture whose release never comes is forgotten after this many milliseconds. */
const WATCH_LIMIT = 30000;
/** So long a swallowed gesture may still be going on after its release. */
const TAIL_LIMIT = 1000;

/** @type {Record<string, string[]>} */
const GESTURES = {
  mouse: ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"],
  hover: ["mousemove"],
  text: ["beforeinput"],
  touch: ["pointerdown", "pointerup", "touchstart", "touchend", "touchcancel"],
};
/** What a gesture begins with. */
const BEGINNINGS = ["pointerdown", "mousedown", "touchstart", "mousemove", "beforeinput"];
// The early script has listeners for these before the page has any; while nothing is watched they do nothing.
const STANDING = [...GESTURES.mouse];

/**
 * @typedef {object} Watch
 * @property {number} token
 * @property {string[]} types
 * @property {Element | null} target null: no event of the gesture belongs into this frame
 * @property {boolean} viaLabel
 * @property {DOMRect | null} box must be the same when the event comes
 * @property {boolean} trial swallow in any case
 * @property {number} ups releases of the button or finger still to come
 * @property {any} verdict
 * @property {boolean} listening
 * @property {boolean} told the verdict was handed out, or nobody will ask for it
 * @property {((verdict: any) => void)[]} waiters
 * @property {ReturnType<typeof setTimeout>} timer
 */

/** @type {Map<number, Watch>} */
const watches = new Map();
/** Elements kept for a later call, by token. @type {Map<number, Element>} */
const heldElements = new Map();
/** Tokens that were released before their watch was armed: whoever asked for it has gone. @type {Set<number>} */
const released = new Set();
/** Tokens that the caller did not choose are negative. */
let lastToken = 0;

const probeType = `probe-${Math.random().toString(36).slice(2)}`;
let probed = false;

/** @param {boolean} early whether the early script's listeners are there, which come before the page's own */
function installListeners(early) {
  if (early) /** @type {any} */ (globalThis).__engineInput = onInput;
  else for (const type of STANDING) listenTo(window, type, onInput, { capture: true, passive: false });
  listenTo(window, probeType, () => (probed = true), { capture: true });
}

/** `document.open()` removes every listener of the window. */
function ensureListeners() {
  probed = false;
  dispatchTo(window, new Event(probeType));
  if (!probed) installListeners(false);
}

/**
 * @param {string} gesture
 * @param {Element | null} target
 * @param {{viaLabel: boolean, steady: boolean, trial: boolean, clicks: number}} options
 * @param {number} [token] chosen by the caller, so that it can be released before this has answered
 * @returns {number} the token
 */
function armWatch(gesture, target, options, token = --lastToken) {
  if (released.delete(token)) return token;
  ensureListeners();
  /** @type {Watch} */
  const watch = {
    token, target, types: GESTURES[gesture], viaLabel: options.viaLabel, box: options.steady && target ? rectOf(target) : null, trial: options.trial,
    ups: options.clicks, verdict: null, listening: true, told: false, waiters: [], timer: setTimeout(() => end(watch, true), WATCH_LIMIT),
  };
  watches.set(token, watch);
  for (const type of watch.types) if (!STANDING.includes(type)) listenTo(window, type, onInput, { capture: true, passive: false });
  return token;
}

/**
 * Keeps from this frame a gesture that is meant for a frame inside of it. The browser decides by what it last drew which
 * frame's process gets the input, and that may be older than the last scroll.
 * @param {string} gesture
 * @param {number} clicks
 * @param {number} token
 */
function shield(gesture, clicks, token) {
  return armWatch(gesture, null, { viaLabel: false, steady: false, trial: false, clicks }, token);
}

/** @param {any} event */
function onInput(event) {
  if (!watches.size || !event.isTrusted) return;
  for (const watch of [...watches.values()]) {
    if (watch.listening && watch.types.includes(event.type)) onWatched(watch, event);
  }
}

/** @param {Watch} watch @param {any} event */
function onWatched(watch, event) {
  if (!watch.verdict) {
    decide(watch, judge(watch, event));
    // A gesture on its right way needs no more watching: what it does to the page is the page's business.
    if (watch.verdict.is === "hit" && !watch.trial) return end(watch, false);
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  // The click follows in the same task as the release of the button.
  const last = event.type === "pointerup" || event.type === "mousemove" || event.type === "beforeinput";
  if (last && --watch.ups <= 0) setTimeout(() => end(watch, false), 0);
}

/** @param {Watch} watch @param {any} event */
function judge(watch, event) {
  // Nor does a gesture belong here whose press went elsewhere: what follows would be no click.
  if (!watch.target || !BEGINNINGS.includes(event.type)) return { is: "astray" };
  if (!isConnected(watch.target)) return { is: "detached" };
  if (event.type === "beforeinput") return event.composedPath().includes(watch.target) ? { is: "hit" } : { is: "astray" };
  if (watch.box && !sameBox(watch.box, rectOf(watch.target))) return { is: "moved" };
  const point = (event.changedTouches && event.changedTouches[0]) || event;
  const by = withCache(() => coveredBy(watch.target, point.clientX, point.clientY, watch.viaLabel));
  return by === null ? { is: "hit" } : { is: "covered", by };
}

/** @param {Watch} watch @param {any} found */
function decide(watch, found) {
  watch.verdict = found;
  // The answer to the call for the verdict may be lost with the document; this leaves before the page hears of the input.
  const tell = /** @type {any} */ (globalThis).__engineVerdict;
  if (tell && found.is !== "unseen") tell(JSON.stringify({ token: watch.token, ...found }));
  watch.told ||= watch.waiters.length > 0;
  for (const resolve of watch.waiters.splice(0)) resolve(found);
}

/** Stops listening. The verdict stays until it was handed out. @param {Watch} watch @param {boolean} told */
function end(watch, told) {
  if (!watch.verdict) decide(watch, { is: "unseen" });
  watch.listening = false;
  watch.told ||= told;
  const needed = new Set([...watches.values()].flatMap((other) => (other.listening ? other.types : STANDING)));
  for (const type of watch.types) {
    if (!STANDING.includes(type) && !needed.has(type)) unlistenTo(window, type, onInput, { capture: true });
  }
  dropTold(watch);
}

/** @param {Watch} watch */
function dropTold(watch) {
  if (watch.listening || !watch.told) return;
  clearTimeout(watch.timer);
  watches.delete(watch.token);
}

/** What the first event of the gesture met; waits for that event. @param {number} token @returns {Promise<any>} */
function verdict(token) {
  const watch = watches.get(token);
  if (!watch) return Promise.resolve({ is: "unseen" });
  if (!watch.verdict) return new Promise((resolve) => watch.waiters.push(resolve));
  watch.told = true;
  dropTold(watch);
  return Promise.resolve(watch.verdict);
}

/** Ends the gesture. Without an event so far its verdict is `unseen`; the rest of a swallowed one is still swallowed. @param {number} token */
function release(token) {
  heldElements.delete(token);
  const watch = watches.get(token);
  if (!watch) {
    if (released.size > 100) released.clear();
    released.add(token);
    return { is: "unseen" };
  }
  const swallowing = watch.listening && watch.verdict;
  watch.told = true;
  if (swallowing) setTimeout(() => end(watch, true), TAIL_LIMIT);
  else end(watch, true);
  return watch.verdict;
}

/** Keeps an element for one later call of `held`. @param {Element} element @returns {number} */
function hold(element) {
  heldElements.set(--lastToken, element);
  return lastToken;
}

/** The element kept under a token, once. @param {number} token @returns {Element | null} */
function held(token) {
  const element = heldElements.get(token) || null;
  heldElements.delete(token);
  return element;
}
