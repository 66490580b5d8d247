// Work inside the document. Each member of `busy` causes events of some domains; all may run again and again.
const get = (id) => document.getElementById(id);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const painted = () => Promise.race([new Promise(requestAnimationFrame), wait(100)]);
const quiet = (promise) => Promise.resolve(promise).catch(() => undefined);
const busy = {};
let round = 0;

get("cross").src = `http://127.0.0.1:${location.port}/frame?cross`;
get("host").attachShadow({ mode: "open" }).innerHTML = "<slot name=a></slot><i>shadow</i>";

busy.attributes = (count) => {
  for (let n = 0; n < count; n++) get("area").setAttribute(`data-${n % 7}`, `${round} ${n}`);
  get("area").removeAttribute("data-1");
};

busy.tree = () => {
  round++;
  const area = get("area");
  area.innerHTML = "<p>one</p><p>two<b>three<i>four</i></b></p><ul><li>a<li>b</ul><svg><path d='M0 0L9 9'/></svg>";
  area.querySelector("p").firstChild.data = `changed ${round}`;
  area.append(document.createComment("remark"), document.createElement("template"));
  area.querySelector("li").remove();
  area.querySelector("b").append(document.createElement("u"));
  get("inner").style.height = round % 2 ? "400px" : "4px";
  get("own").classList.toggle("marked");
  get("host").querySelector("b").slot = round % 2 ? "a" : "b";
  const host = document.createElement("div");
  area.append(host);
  host.attachShadow({ mode: round % 2 ? "open" : "closed" }).innerHTML = "<slot></slot><p>in a shadow</p>";
  host.remove();
  for (let n = 0; n < 10; n++) get("own").style.paddingLeft = `${n}px`;
};

busy.styles = async () => {
  const style = document.createElement("style");
  style.textContent = `#area p { color: rgb(${round % 255}, 0, 0) } #area > p { @starting-style { opacity: 0 } transition: opacity 1s }`;
  document.head.append(style);
  style.sheet.insertRule("#area b { color: red }");
  await painted();
  style.sheet.deleteRule(0);
  get("fading").classList.toggle("out");
  get("fading").classList.toggle("starting");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("i { color: blue }");
  document.adoptedStyleSheets = [sheet];
  get("host").shadowRoot.adoptedStyleSheets = [sheet];
  const face = new FontFace("given", "local('Arial'), url(/missing.woff2)");
  document.fonts.add(face);
  quiet(face.load());
  await painted();
  document.adoptedStyleSheets = [];
  style.remove();
  matchMedia("(min-width: 200px)").addListener(() => {});
};

busy.animations = async () => {
  const moving = get("area").animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 });
  await painted();
  moving.updatePlaybackRate(2);
  moving.effect.updateTiming({ duration: 500 });
  await painted();
  get("sliding").style.animationDuration = `${1 + (round % 3)}s`;
  await painted();
  moving.cancel();
};

busy.layers = async () => {
  const pen = get("canvas").getContext("2d");
  for (let n = 0; n < 5; n++) {
    pen.fillRect(n, n, 10, 10);
    get("dialog").showModal();
    get("popover").showPopover();
    await painted();
    get("popover").hidePopover();
    get("dialog").close();
    scrollTo(0, n * 10);
    await painted();
  }
};

busy.console = (count) => {
  for (let n = 0; n < count; n++) console.log("line %d of %s", n, "many", { n });
  const values = [1, -0, NaN, 10n, "text \ud83d \u0000", null, undefined, Symbol("s"), [1, , 3], new Map([[{}, new Set([1])]]), new Date(0),
    /x/g, new Error("error"), document.body, window, () => 1, new Proxy({}, {}), new Uint8Array(9), Promise.resolve(1), new WeakMap(), class A {},
    function* g() {}, new URL("http://a/"), new Blob(["a"]), document.querySelectorAll("p"), Object.create(null)];
  for (const value of values) console.log(value);
  console.debug("d"), console.info("i"), console.warn("w"), console.error("e"), console.trace("t"), console.dir({ a: 1 }), console.dirxml(document.body);
  console.group("g"), console.groupCollapsed("c"), console.groupEnd(), console.groupEnd(), console.table([{ a: 1 }, { b: 2 }]), console.assert(false, "no");
  console.count("n"), console.countReset("n"), console.time("t"), console.timeLog("t"), console.timeEnd("t"), console.timeStamp("s");
  if (round % 10 === 1) console.clear();
  console.profile("p"), console.profileEnd("p");
  // Numbered for the recorder. The name of a window outlives its document.
  if (window.bound) for (let n = 0; n < 20; n++) bound((name = String(Number(name) + 1)));
};

busy.exceptions = async () => {
  for (const thrown of [new TypeError("thrown"), "text", { some: "object" }, null, undefined, 5]) setTimeout(() => { throw thrown; });
  const rejected = Promise.reject(new Error("rejected", { cause: new Error("cause") }));
  Promise.reject(7);
  await wait(20);
  rejected.catch(() => {});
  try { new Function("syntax error here("); } catch {}
  await new Promise((done) => {
    const script = document.createElement("script");
    script.textContent = "let broken = ;";
    document.head.append(script);
    setTimeout(done);
  });
  eval("debugger; 1 //# sourceURL=evaluated.js");
  (function paused() { const local = { a: 1 }; debugger; return local; })();
};

busy.storage = async () => {
  for (const kept of [localStorage, sessionStorage]) {
    for (let n = 0; n < 20; n++) kept.setItem(`key ${n % 5}`, `${round} ${n}`);
    kept.removeItem("key 1");
    if (round % 2) kept.clear();
  }
  document.cookie = `round=${round}; max-age=600`;
  document.cookie = "bad=1; SameSite=None";
  await new Promise((done) => {
    const open = indexedDB.open("base", 1);
    open.onupgradeneeded = () => open.result.createObjectStore("things", { keyPath: ["id"], autoIncrement: false }).createIndex("by name", "name");
    open.onsuccess = () => {
      const change = open.result.transaction("things", "readwrite");
      change.objectStore("things").put({ id: round, name: "thing", data: new Date() });
      change.oncomplete = () => (open.result.close(), done());
      change.onabort = done;
    };
    open.onerror = done;
  });
  const cache = await caches.open(`cache ${round % 2}`);
  await cache.put("/kept", new Response("kept"));
  await cache.delete("/kept");
  if (round % 2) await caches.delete("cache 1");
  if (navigator.storageBuckets) {
    await navigator.storageBuckets.open("bucket");
    await navigator.storageBuckets.delete("bucket");
  }
};
