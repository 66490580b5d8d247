// Looks until something is so: with every frame that is drawn, and ten times a second where none is.
// @ts-check

(/** @type {() => any} */ get) => (/** @type {number} */ limit) => {
  const end = performance.now() + limit;
  return new Promise((resolve, reject) => {
    const look = async () => {
      try {
        const found = get();
        const value = await (typeof found === "function" ? found() : found);
        if (value) return resolve(value);
      } catch (error) {
        return reject(error);
      }
      if (performance.now() > end) return;
      let due = true;
      const next = () => {
        if (due) look();
        due = false;
      };
      requestAnimationFrame(next);
      setTimeout(next, 100);
    };
    look();
  });
}
