// Runs in every document before the page's own scripts: holds the first place in line for input and resizes, and does nothing until the engine asks.
// @ts-check

/** @type {any} */ (globalThis).__engineInput = null;
for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"]) {
  addEventListener(type, (event) => /** @type {any} */ (globalThis).__engineInput?.(event), { capture: true, passive: false });
}
for (const target of [globalThis, visualViewport]) {
  target?.addEventListener("resize", (event) => /** @type {any} */ (globalThis).__engineResize?.(event));
}
