// Prepares a frame for a picture and measures it; stands alone, so that frames without locators are not sent the rest.
// @ts-check

/**
 * Changes what is to look different and answers where things are then. Called with null, all is as it was before.
 * The built-ins of documents and elements are taken from their prototypes, since a page's names can stand before them.
 * @param {{still: boolean, hideCaret: boolean, style: string | null, masks: any[], color: string, element: any} | null} request
 */
async (request) => {
  /** @type {any} */
  const world = globalThis;
  world.__enginePicture?.();
  if (!request) return null;

  /** @type {(() => void)[]} */
  const undo = [];
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    world.__enginePicture = undefined;
    for (const step of undo.reverse()) {
      try {
        step();
      } catch {
        // The page has taken away what was to be put back.
      }
    }
  };
  world.__enginePicture = end;
  // A document that is left may come back from the browser's cache, and no call reaches it there.
  addEventListener("pagehide", end, true);
  undo.push(() => removeEventListener("pagehide", end, true));

  /** @param {any} prototype @param {string} name */
  const getter = (prototype, name) => Function.prototype.call.bind(/** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get);
  /** @param {any} prototype @param {string} name */
  const method = (prototype, name) => Function.prototype.call.bind(prototype[name]);
  const isDocument = (/** @type {any} */ root) => root === document;
  const rectOf = method(Element.prototype, "getBoundingClientRect");
  const html = getter(Document.prototype, "documentElement")(document);
  const body = getter(Document.prototype, "body")(document);

  await holdResizes();
  if (over) return null;
  const roots = request.still || request.style !== null ? rootsOf(document) : [];
  if (request.style !== null) addStyle(request.style);
  if (request.still) holdAnimations();
  if (request.hideCaret) hideCaret();
  await fontsLoaded();
  if (over) return null;
  if (request.masks.length) mask();
  return measures();

  /** Beyond the viewport a picture makes the browser resize the page for a moment, to 1×1 at times. The page is not told. */
  async function holdResizes() {
    const before = world.__engineResize;
    /** @type {number[]} */
    const size = before ? before.size : [innerWidth, innerHeight];
    const isSame = () => innerWidth === size[0] && innerHeight === size[1];
    let timer = 0;
    const hold = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      event.stopImmediatePropagation();
      if (timer) release();
    };
    hold.size = size;
    world.__engineResize = hold;
    // The events come with the frames after the picture, so it is over when there are no more of them.
    const release = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // Another picture may hold them by now.
        if (world.__engineResize !== hold) return;
        world.__engineResize = null;
        // A size that stays is news.
        if (!isSame()) dispatchEvent(new Event("resize"));
      }, 500);
    };
    undo.push(release);
    // The picture before this one may not have left the page yet.
    for (let frames = 0; before && !isSame() && frames < 30; frames++) await nextFrame();
  }

  /** A page that is not drawn has no frames. @returns {Promise<void>} */
  function nextFrame() {
    return new Promise((resolve) => {
      requestAnimationFrame(() => resolve());
      setTimeout(resolve, 50);
    });
  }

  /** The document and every open shadow root in it. @param {Document} document @returns {any[]} */
  function rootsOf(document) {
    const shadowOf = getter(Element.prototype, "shadowRoot");
    const ofDocument = method(Document.prototype, "querySelectorAll");
    const ofFragment = method(DocumentFragment.prototype, "querySelectorAll");
    /** @type {any[]} */
    const roots = [document];
    for (const root of roots) {
      for (const element of (isDocument(root) ? ofDocument : ofFragment)(root, "*")) {
        const shadow = shadowOf(element);
        if (shadow) roots.push(shadow);
      }
    }
    return roots;
  }

  /** Constructed sheets change no node and need no permission of a content security policy. @param {string} css */
  function addStyle(css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    for (const root of roots) {
      const prototype = isDocument(root) ? Document.prototype : ShadowRoot.prototype;
      const { get, set } = /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, "adoptedStyleSheets"));
      set.call(root, [...get.call(root), sheet]);
      undo.push(() => set.call(root, [...get.call(root)].filter((other) => other !== sheet)));
    }
  }

  /** Finite animations are brought to their end, infinite ones to where they have not begun; also those that begin meanwhile. */
  function holdAnimations() {
    /** @type {Map<Animation, any>} */
    const stopped = new Map();
    const ofDocument = method(Document.prototype, "getAnimations");
    const ofShadow = method(ShadowRoot.prototype, "getAnimations");
    const hold = () => {
      for (const root of roots) {
        for (const animation of (isDocument(root) ? ofDocument : ofShadow)(root)) {
          // What is driven by scrolling, or stands still, stays.
          if (!(animation.timeline instanceof DocumentTimeline) || animation.playState !== "running" || !animation.playbackRate) continue;
          try {
            if (animation.effect?.getComputedTiming().endTime === Infinity) {
              stopped.set(animation, animation.currentTime);
              animation.cancel();
            } else {
              animation.finish();
            }
          } catch {
            // Its effect has no end that it could be brought to.
          }
        }
      }
    };
    hold();
    for (const root of roots) {
      for (const type of ["animationstart", "transitionrun"]) {
        root.addEventListener(type, hold, true);
        undo.push(() => root.removeEventListener(type, hold, true));
      }
    }
    undo.push(() => {
      for (const [animation, time] of stopped) {
        animation.play();
        animation.currentTime = time;
      }
    });
  }

  /** By an animation, since it starts no transition and changes neither attribute nor style sheet. */
  function hideCaret() {
    let focused = getter(Document.prototype, "activeElement")(document);
    const shadowOf = getter(Element.prototype, "shadowRoot");
    const inShadow = getter(ShadowRoot.prototype, "activeElement");
    for (let inner = focused; inner; inner = shadowOf(inner) && inShadow(shadowOf(inner))) focused = inner;
    if (!focused) return;
    const hidden = { caretColor: "transparent" };
    const animation = method(Element.prototype, "animate")(focused, [hidden, hidden], { duration: 1, fill: "both" });
    undo.push(() => animation.cancel());
  }

  /** After three seconds the browser itself shows another font in place of one that has not come. */
  async function fontsLoaded() {
    // Asks for the layout, which asks for the fonts.
    if (html) rectOf(html);
    const fonts = getter(Document.prototype, "fonts")(document);
    if (fonts.status !== "loading") return;
    let timer;
    await Promise.race([fonts.ready, new Promise((resolve) => (timer = setTimeout(resolve, 3000)))]);
    clearTimeout(timer);
  }

  /** Covers elements with boxes in the top layer, in a shadow tree that the page's styles and listeners don't reach. */
  function mask() {
    if (!request || !html) return;
    if (!CSS.supports("color", request.color)) throw "the colour of the mask is not valid CSS";
    const host = method(Document.prototype, "createElement")(document, "x-picture-mask");
    host.style.cssText = "all: initial !important; display: block !important; position: absolute !important; width: 0 !important; height: 0 !important";
    const layer = method(Document.prototype, "createElement")(document, "div");
    layer.popover = "manual";
    // As large as the document, which nothing in it makes larger.
    layer.style.cssText = `position: absolute; inset: 0 auto auto 0; margin: 0; border: 0; padding: 0; width: ${whole("Width")}px; height: ${whole("Height")}px; max-width: none; max-height: none; overflow: clip; background: none; pointer-events: none`;
    host.attachShadow({ mode: "closed" }).append(layer);
    html.append(host);
    undo.push(() => host.remove());
    layer.showPopover();
    const origin = rectOf(layer);
    for (const selector of request.masks) {
      for (const element of world.__engine.elements(selector)) {
        const { left, top, width, height } = rectOf(element);
        if (!width || !height) continue;
        const box = method(Document.prototype, "createElement")(document, "div");
        box.style.cssText = `position: absolute; left: ${left - origin.left}px; top: ${top - origin.top}px; width: ${width}px; height: ${height}px`;
        box.style.backgroundColor = request.color;
        layer.append(box);
      }
    }
  }

  /** How wide or high the document is. @param {"Width" | "Height"} side */
  function whole(side) {
    const sizes = [html, body].flatMap((element) => (element ? ["scroll", "offset", "client"].map((kind) => element[kind + side] || 0) : []));
    return Math.max(...sizes, 0);
  }

  function measures() {
    const view = /** @type {VisualViewport} */ (visualViewport);
    const element = request && request.element ? world.__engine.element(request.element) : null;
    const box = element && rectOf(element);
    return {
      page: { width: whole("Width"), height: whole("Height") },
      view: { x: view.pageLeft, y: view.pageTop, width: view.width, height: view.height },
      zoom: view.scale,
      ratio: devicePixelRatio,
      inner: { width: innerWidth, height: innerHeight },
      scrolled: { x: scrollX, y: scrollY },
      box: box && { x: box.x, y: box.y, width: box.width, height: box.height },
    };
  }
}
