// Writes a document anew, in its place.
// @ts-check

/**
 * The page's globals and this script stay; listeners go, as the platform wants it.
 * @param {string} html
 */
function write(html) {
  document.open();
  // From here on everything that is told of loading is about what is written.
  /** @type {any} */ (globalThis).__engineVerdict(JSON.stringify({ token: 0, opened: true }));
  document.write(html);
  document.close();
}
