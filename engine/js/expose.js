// Makes a function of the page's own out of a binding of the same name, which takes one string and gives nothing.
// @ts-check

(/** @type {string} */ name) => {
  const page = /** @type {any} */ (globalThis);
  const send = page[name];
  if (typeof send !== "function" || "settle" in send) return;
  let last = 0;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  const exposed = async (/** @type {any[]} */ ...args) => {
    const sequence = ++last;
    // Throws for what is no JSON, before anybody waits.
    const payload = JSON.stringify({ sequence, args });
    return new Promise((resolve, reject) => {
      waiting.set(sequence, { resolve, reject });
      send(payload);
    });
  };
  Object.defineProperty(exposed, "name", { value: name });
  Object.defineProperty(exposed, "settle", {
    value: (/** @type {number} */ sequence, /** @type {boolean} */ done, /** @type {any} */ value) => {
      const call = waiting.get(sequence);
      waiting.delete(sequence);
      if (done) call?.resolve(value);
      else call?.reject(new Error(value));
    },
  });
  page[name] = exposed;
}
