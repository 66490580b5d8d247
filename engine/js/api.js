// The last part: defines what the engine calls.
// @ts-check

installListeners("__engineInput" in globalThis);
Object.defineProperty(globalThis, "__engine", {
  value: Object.freeze({ attempt, verdict, release, held, read, element, elements, settled, over, reveal, shield, viewport, write }),
});
