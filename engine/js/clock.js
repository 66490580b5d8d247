// The time of a document, told from outside: its date, its timers and what it draws go by it.
// @ts-check

(/** @type {string} */ command, /** @type {any} */ argument) => {
  const page = /** @type {any} */ (globalThis);
  if (!page.__engineClock) {
    const RealDate = Date;
    const { setTimeout, clearTimeout } = page;
    const realNow = RealDate.now.bind(RealDate);
    // Time since this document's began, when it last stood still or began to flow, and how far its date is from that.
    let base = 0;
    let since = realNow();
    let flowing = true;
    let offset = since;
    let last = 0;
    /** @type {any} */
    let alarm;
    /** @type {Map<number, {at: number, every: number | null, call: () => void}>} */
    const timers = new Map();

    const elapsed = () => (flowing ? base + (realNow() - since) : base);
    const now = () => offset + elapsed();
    /** @param {number} time */
    const settle = (time) => {
      base = time;
      since = realNow();
    };
    /** @param {number} limit */
    const next = (limit) => {
      /** @type {[number, {at: number, every: number | null, call: () => void}] | undefined} */
      let first;
      for (const entry of timers) if (entry[1].at <= limit && (!first || entry[1].at < first[1].at)) first = entry;
      return first;
    };
    /** @param {number} id @param {{at: number, every: number | null, call: () => void}} timer @param {number} time */
    const fire = (id, timer, time) => {
      if (timer.every === null) timers.delete(id);
      else timer.at = time + timer.every;
      try {
        timer.call();
      } catch (error) {
        // As the platform does: it is nobody's here.
        setTimeout(() => { throw error; });
      }
    };
    const arm = () => {
      clearTimeout(alarm);
      if (!flowing) return;
      const first = next(Infinity);
      if (first) alarm = setTimeout(wake, Math.max(0, first[1].at - elapsed()));
    };
    const wake = () => {
      const limit = elapsed();
      for (let due = next(limit); due; due = next(limit)) fire(due[0], due[1], elapsed());
      arm();
    };
    /** @param {any} callback @param {number} delay @param {number | null} every @param {any[]} args */
    const add = (callback, delay, every, args) => {
      const id = ++last;
      const call = typeof callback === "function" ? () => callback.apply(page, args) : () => (0, eval)(String(callback));
      timers.set(id, { at: elapsed() + delay, every, call });
      arm();
      return id;
    };
    /** @param {any} delay */
    const length = (delay) => Math.max(0, Number(delay) || 0);

    page.setTimeout = (/** @type {any} */ callback, /** @type {any} */ delay, /** @type {any[]} */ ...args) => add(callback, length(delay), null, args);
    page.setInterval = (/** @type {any} */ callback, /** @type {any} */ delay, /** @type {any[]} */ ...args) =>
      add(callback, Math.max(1, length(delay)), Math.max(1, length(delay)), args);
    page.requestAnimationFrame = (/** @type {any} */ callback) => add(() => callback(page.performance.now()), 16, null, []);
    page.requestIdleCallback = (/** @type {any} */ callback) =>
      add(() => callback({ didTimeout: false, timeRemaining: () => 50 }), 1, null, []);
    for (const name of ["clearTimeout", "clearInterval", "cancelAnimationFrame", "cancelIdleCallback"]) {
      page[name] = (/** @type {any} */ id) => void timers.delete(Number(id));
    }
    page.performance.now = () => elapsed();
    page.Date = new Proxy(RealDate, {
      construct: (target, args, as) => Reflect.construct(target, args.length ? args : [now()], as),
      apply: () => new RealDate(now()).toString(),
      get: (target, key) => (key === "now" ? () => Math.floor(now()) : Reflect.get(target, key)),
    });
    RealDate.prototype.constructor = page.Date;

    /** @type {Record<string, (argument: any) => any>} */
    const commands = {
      // A document that begins, or comes to it late.
      restore({ time, real, flows }) {
        settle(elapsed());
        flowing = flows;
        offset = time + (flows ? realNow() - real : 0) - base;
      },
      set(time) {
        offset = time - elapsed();
      },
      skip(length) {
        settle(elapsed() + length);
        // Each that is due by then, once.
        const limit = elapsed();
        for (const [id, timer] of [...timers].sort((a, b) => a[1].at - b[1].at)) {
          if (timer.at <= limit && timers.has(id)) fire(id, timer, limit);
        }
      },
      async run(length) {
        const end = elapsed() + length;
        const flowed = flowing;
        settle(elapsed());
        flowing = false;
        for (let due = next(end); due; due = next(end)) {
          base = Math.max(base, due[1].at);
          fire(due[0], due[1], due[1].at);
          // What was promised meanwhile comes first, as it does between timers.
          await new Promise((done) => setTimeout(done));
        }
        base = end;
        settle(end);
        flowing = flowed;
      },
      pause() {
        settle(elapsed());
        flowing = false;
      },
      resume() {
        settle(elapsed());
        flowing = true;
      },
    };
    Object.defineProperty(page, "__engineClock", {
      value: async (/** @type {string} */ command, /** @type {any} */ argument) => {
        await commands[command]?.(argument);
        arm();
      },
    });
  }
  return page.__engineClock(command, argument);
}
