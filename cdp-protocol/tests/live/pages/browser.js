// Work beyond the document: the network, workers, navigation, media and devices.
busy.network = async () => {
  const aborted = new AbortController();
  const ask = new XMLHttpRequest();
  ask.open("POST", "/data?xhr");
  ask.send("body");
  const asked = [
    fetch("/data"), fetch("/away"), fetch("/missing"), fetch("/slow").then((answer) => answer.text()), fetch("/cut").then((answer) => answer.text()), fetch("/cached"),
    fetch("/auth"), fetch("/data", { method: "PUT", body: JSON.stringify({ a: 1 }), headers: { "content-type": "application/json" } }),
    fetch(`http://127.0.0.1:${location.port}/data`, { headers: { "x-own": "1" } }), fetch("http://127.0.0.1:1/refused"), fetch("data:text/plain,a"),
    fetch(URL.createObjectURL(new Blob(["blob"]))), fetch("/slow", { signal: aborted.signal }), fetch("/made-up"), fetch("http://nowhere.invalid/"),
  ];
  aborted.abort();
  const image = new Image();
  image.src = `/dot.svg?${round}`;
  image.loading = "lazy";
  image.fetchPriority = "low";
  get("area").append(image);
  navigator.sendBeacon("/data", "beacon");
  await Promise.allSettled(asked);
  await quiet(fetch("/cached"));
};

busy.sockets = async () => {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  await new Promise((done) => (socket.onopen = socket.onerror = done));
  for (let n = 0; n < 30; n++) socket.send(n % 2 ? `text ${n}` : new Uint8Array([n]));
  await new Promise((done) => { let left = 30; socket.onmessage = () => --left || done(); setTimeout(done, 1000); });
  socket.close(1000, "done");
  new WebSocket("ws://127.0.0.1:1/").onerror = () => {};
  const source = new EventSource("/stream");
  await new Promise((done) => { source.addEventListener("tick", done); setTimeout(done, 1000); });
  source.close();
  if (window.WebTransport) {
    const transport = new WebTransport("https://127.0.0.1:1/");
    quiet(transport.ready);
    quiet(transport.closed);
    await wait(20);
    try { transport.close(); } catch {}
  }
};

busy.workers = async () => {
  const worker = new Worker("/worker.js");
  const shared = new SharedWorker("/worker.js");
  const answered = (port) => Promise.race([new Promise((done) => (port.onmessage = done)), wait(2000)]);
  worker.onerror = (event) => event.preventDefault();
  worker.postMessage("hello");
  shared.port.postMessage("hello");
  await Promise.all([answered(worker), answered(shared.port)]);
  worker.postMessage("throw");
  await wait(50);
  worker.terminate();
};

busy.serviceWorker = async () => {
  const registration = await navigator.serviceWorker.register("/service.js");
  await Promise.race([navigator.serviceWorker.ready, wait(2000)]);
  (registration.active ?? registration.installing)?.postMessage("throw");
  await wait(100);
};

busy.navigation = async () => {
  history.pushState({}, "", `?${round}`);
  history.replaceState({}, "", `?replaced-${round}`);
  location.hash = `part-${round}`;
  get("link").click();
  const inside = get("inside");
  for (const url of ["/empty?a", "about:blank", "data:text/html,<p>data", `http://127.0.0.1:${location.port}/empty`, "/download", "/missing", "/empty?b"]) {
    inside.src = url;
    await Promise.race([new Promise((done) => (inside.onload = done)), wait(300)]);
  }
  const written = inside.contentDocument;
  written?.open();
  written?.write("<p>written<meta http-equiv=refresh content='30; url=/data'>");
  written?.close();
  inside.style.width = `${100 + (round % 50)}px`;
  get("form").requestSubmit();
  await wait(50);
  inside.contentWindow.location.href = "/empty?c";
  await wait(50);
  const added = document.createElement("iframe");
  added.srcdoc = "<p>srcdoc";
  get("area").append(added);
  await wait(50);
  added.remove();
};

busy.popups = async () => {
  const popup = open("/empty?popup", "popup", "width=200,height=100,left=5");
  await wait(200);
  popup?.close();
};

busy.dialogs = () => [alert("alert"), confirm("sure?"), prompt("name?", "none")];

busy.audio = async () => {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const gain = context.createGain();
  const change = context.createConstantSource();
  tone.connect(gain).connect(context.destination);
  change.connect(gain.gain);
  quiet(context.resume());
  tone.start();
  await wait(50);
  change.disconnect(gain.gain);
  gain.disconnect();
  await quiet(Promise.race([context.suspend(), wait(200)]));
  await quiet(Promise.race([context.close(), wait(200)]));
  const offline = new OfflineAudioContext(1, 100, 8000);
  offline.createBufferSource().connect(offline.destination);
  await quiet(offline.startRendering());
};

busy.media = async () => {
  const sound = new Audio("/tone.wav");
  await quiet(Promise.race([sound.play(), wait(1000)]));
  sound.playbackRate = 2;
  await wait(100);
  sound.pause();
  const broken = document.createElement("video");
  broken.src = "/data";
  get("area").append(broken);
  await quiet(Promise.race([broken.play(), wait(500)]));
};

busy.keys = async () => {
  const user = { id: new Uint8Array([1, 2]), name: "a", displayName: "A" };
  const made = await navigator.credentials.create({ publicKey: {
    rp: { name: "busy", id: "localhost" }, user, challenge: new Uint8Array(8), pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  } });
  await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(8), rpId: "localhost", userVerification: "required" } });
  const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  await quiet(PublicKeyCredential.signalCurrentUserDetails?.({ rpId: "localhost", userId: encode(user.id), name: "b", displayName: "B" }));
  await wait(50);
  await quiet(PublicKeyCredential.signalUnknownCredential?.({ rpId: "localhost", credentialId: encode(made.rawId) }));
};

busy.tools = async () => {
  const context = document.modelContext ?? navigator.modelContext;
  const stopped = new AbortController();
  context?.registerTool?.({ name: "gone", description: "Goes", inputSchema: { type: "object" }, execute: async () => "" }, { signal: stopped.signal });
  stopped.abort();
  context?.registerTool?.({ name: "add", description: "Adds", inputSchema: { type: "object", properties: { a: { type: "number" } } }, execute: async ({ a }) => ({ content: [{ type: "text", text: `${a + 1}` }] }) });
  await wait(50);
};

busy.reports = async () => {
  document.write; // A use that is looked at, but not made.
  const seen = new ReportingObserver(() => {}, { buffered: true });
  seen.observe();
  const old = new XMLHttpRequest();
  old.open("GET", "/data?sync", false);
  quiet(old.send());
  performance.mark("here");
  performance.measure("since", "here");
  const shift = document.createElement("div");
  shift.style.height = `${20 + (round % 10)}px`;
  document.body.prepend(shift);
  await painted();
  shift.remove();
  navigator.vibrate?.(1);
  screen.orientation?.lock && (await quiet(screen.orientation.lock("portrait")));
};
