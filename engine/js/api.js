// The last part: defines what the engine calls.
// @ts-check

installListeners();
Object.defineProperty(globalThis, "__engine", {
  value: Object.freeze({ attempt, verdict, release, held, read, element, elements, settled, over, reveal }),
});
