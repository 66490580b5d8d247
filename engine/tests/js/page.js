// Runs the cases that the test serves, each in a fresh body, and posts what came out. Judging is the test's work.

const engine = globalThis.__engine;
/** Short names for the calls of the cases. */
const css = (text) => [{ by: "css", css: text }];
const CLICK = ["stable", "visible", "enabled", "inert"];
const FILL = ["visible", "enabled", "editable", "inert"];
const click = (selector, more) => engine.attempt(css(selector), { action: "click", checks: CLICK, scroll: 0, strict: true, hit: true, ...more });
const act = (action, selector, more) => engine.attempt(css(selector), { action, checks: [], scroll: 0, strict: true, hit: true, ...more });
const fill = (selector, value) => engine.attempt(css(selector), { action: "fill", checks: FILL, value });
const read = (selector, what, arg) => engine.read(css(selector), what, arg);
const one = (selector) => document.querySelector(selector);
/** Runs all of it and keeps the last value. */
const last = async (...steps) => {
  let value;
  for (const step of steps) value = await step();
  return value;
};

const RUNNERS = {
  name: () => ({ role: read("#t", "role").value, name: read("#t", "name").value }),
  select: (entry) => {
    try {
      return engine.elements(entry.selector).map((element) => element.id || element.localName);
    } catch (error) {
      return typeof error === "string" ? JSON.parse(error) : String(error);
    }
  },
  call: (entry) => (0, eval)(`(async () => (${entry.call}))()`),
};

async function run(entry) {
  document.body.removeAttribute("style");
  document.documentElement.removeAttribute("style");
  document.body.setHTMLUnsafe(entry.html);
  window.scrollTo({ left: 0, top: 0, behavior: "instant" });
  if (entry.setup) await (0, eval)(`(async () => {${entry.setup}})()`);
  try {
    const got = await RUNNERS[entry.kind](entry);
    return got === undefined ? null : got;
  } catch (error) {
    return `threw ${error && error.stack ? error.stack : error}`;
  }
}

(async () => {
  const cases = await (await fetch("/cases.json")).json();
  const results = [];
  for (const entry of cases) results.push(await run(entry));
  await fetch("/results", { method: "POST", body: JSON.stringify(results) });
})();
