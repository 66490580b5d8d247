// Adds a script or a style sheet to the document and waits until it is there.
// @ts-check

(/** @type {[string, string | null, string | null]} */ [kind, content, url]) => {
  const element = /** @type {any} */ (document.createElement(kind === "style" && url ? "link" : kind));
  const add = () => (document.head || document.documentElement).append(element);
  if (url) {
    return new Promise((resolve, reject) => {
      element.addEventListener("load", () => resolve(undefined), { once: true });
      element.addEventListener("error", () => reject(new Error(`${url} can't be loaded, or the document's policy forbids it`)), { once: true });
      if (kind === "style") element.rel = "stylesheet";
      element[kind === "style" ? "href" : "src"] = url;
      add();
    });
  }
  if (kind === "style") {
    element.textContent = content;
    add();
    if (!element.sheet) throw new Error("the document's policy forbids it");
    return;
  }
  // It runs while it is added, and what it throws is told meanwhile.
  /** @type {ErrorEvent | undefined} */
  let thrown;
  const note = (/** @type {ErrorEvent} */ event) => (thrown ??= event);
  element.text = `${content}\n;document.currentScript.hasRun = true;`;
  addEventListener("error", note, true);
  try {
    add();
  } finally {
    removeEventListener("error", note, true);
  }
  if (element.hasRun) delete element.hasRun;
  else throw new Error(thrown ? thrown.message : "the document's policy forbids it");
}
