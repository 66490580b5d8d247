// A server on the npm package `ws` that answers calls as a browser does and sends events in random fragments, with pings between
// them. Arguments: the package's folder and a seed. Prints `listening PORT`.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, seed] = process.argv.slice(2);
const { WebSocketServer } = await import(pathToFileURL(path.join(folder, "wrapper.mjs")).href);

let state = Number(seed) >>> 0;
// A linear congruential generator; its upper bits are good enough to choose by.
const below = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

let lastClose = null;

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: 200 << 20, skipUTF8Validation: false });
server.on("listening", () => console.log(`listening ${server.address().port}`));
server.on("connection", (socket) => {
  const pings = { sent: 0, answered: 0, wrong: 0 };
  const waiting = [];

  const ping = () => {
    const payload = Buffer.from(`${pings.sent} ${"p".repeat(below(100))}`);
    pings.sent += 1;
    waiting.push(payload);
    socket.ping(payload);
  };
  socket.on("pong", (payload) => {
    if (waiting.shift()?.equals(payload)) pings.answered += 1;
    else pings.wrong += 1;
  });

  // Fragments may cut a character.
  const send = (message) => {
    const bytes = Buffer.from(JSON.stringify(message));
    const cuts = below(3) === 0 ? Array.from({ length: below(5) }, () => below(bytes.length)) : [];
    cuts.sort((a, b) => a - b);
    let from = 0;
    for (const cut of cuts) {
      socket.send(bytes.subarray(from, cut), { binary: false, fin: false });
      from = cut;
      if (below(3) === 0) ping();
    }
    socket.send(bytes.subarray(from), { binary: false, fin: true });
  };

  const events = async (count) => {
    for (let n = 0; n < count; n += 1) {
      const size = below(50) === 0 ? 70000 : below(400);
      send({ method: "Outside.event", params: { n, text: "aß€😀"[below(3)].repeat(size) } });
      if (below(10) === 0) ping();
      if (below(20) === 0) await new Promise(setImmediate);
    }
  };

  socket.on("message", (data) => {
    const { id, method, params } = JSON.parse(data.toString());
    if (method === "Outside.events") void events(params.count);
    if (method === "Outside.close") return socket.close(params.code, params.reason);
    if (method === "Outside.end") return socket.terminate();
    send({ id, result: method === "Outside.report" ? { ...pings, lastClose } : params });
  });
  socket.on("close", (code) => {
    lastClose = code;
  });
  socket.on("error", (error) => console.error(`ws: ${error.message}`));
});
