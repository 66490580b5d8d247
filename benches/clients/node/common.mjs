// What the node clients share: arguments, the meter of the timed section, the one line of figures, and the scenarios, each
// written once over what a client can do.
import fs from 'node:fs';
import { performance } from 'node:perf_hooks';

const WARM_UP = 500;
const EVALUATE = { expression: '1+1', returnByValue: true };

/** `client SCENARIO ENDPOINT [key=value …]` */
export function readArguments() {
  const [scenario, endpoint, ...pairs] = process.argv.slice(2);
  const values = Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  return { scenario, endpoint, ...values };
}

function statusKb(key) {
  const found = fs.readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${key}:\\s+(\\d+)`));
  return found ? Number(found[1]) : 0;
}

/** Forgets the highest use of memory so far, starts the clocks, and gives what stops them. */
function startMeter() {
  fs.writeFileSync('/proc/self/clear_refs', '5');
  const resident = statusKb('VmRSS');
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return {
      wall_s: wall / 1e3, user_s: user / 1e6, sys_s: system / 1e6, cpu_s: (user + system) / 1e6,
      rss0_kb: resident, peak_kb: statusKb('VmHWM'),
    };
  };
}

function percentiles(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { p50_us: at(0.5), p99_us: at(0.99) };
}

function emit(n, ...figures) {
  console.log(JSON.stringify(Object.assign({ n }, ...figures)));
}

/**
 * The scenarios with a browser of the client's own, after which this ends the process. `start()` gives a browser, and
 * `newContext(browser)` a context, which has `newPage()` and `close()`.
 */
export async function own(words, start, newContext) {
  const scenario = { launch, evaluate, pages }[words.scenario];
  if (!scenario) return;
  await scenario(words, start, newContext);
  process.exit(0);
}

async function launch(words, start) {
  const stop = startMeter();
  const started = performance.now();
  const browser = await start();
  const launched = performance.now();
  const page = await browser.newPage();
  await page.goto(words.url);
  const loaded = performance.now();
  await browser.close();
  const ended = performance.now();
  emit(1, stop(), { launch_ms: launched - started, page_ms: loaded - launched, close_ms: ended - loaded });
}

/** Evaluates in the last of so many pages. */
async function evaluate(words, start, newContext) {
  const browser = await start();
  let page;
  for (let i = 0; i < Number(words.pages); i++) {
    page = await (await newContext(browser)).newPage();
    await page.goto(words.url);
  }
  const times = await timed(words, WARM_UP, async () => {
    const value = await page.evaluate('1+1');
    if (value !== 2) throw new Error(`expected 2, not ${value}`);
  });
  await browser.close();
  emit(Number(words.n), ...times);
}

/** Makes contexts with a page each; closing them is not measured. */
async function pages(words, start, newContext) {
  const browser = await start();
  await (await newContext(browser)).newPage();
  let context;
  const make = async () => {
    context = await newContext(browser);
    await context.newPage();
  };
  const times = await timed(words, 0, make, () => context.close());
  await browser.close();
  emit(Number(words.n), ...times);
}

/** Does something so many times and gives the meter's figures and the percentiles of it; `after` is not timed. */
async function timed(words, warmUp, once, after = () => {}) {
  for (let i = 0; i < warmUp; i++) await once();
  const n = Number(words.n);
  const times = new Float64Array(n);
  const stop = startMeter();
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    await once();
    times[i] = (performance.now() - start) * 1e3;
    await after();
  }
  return [stop(), percentiles(times)];
}

/**
 * Runs the scenario. A client gives `open()`, a page at the scenario's URL; `raw(page)`, a session whose `send(method, params)`
 * is not touched by the client's own layers; `onConsole(page, seen)`, its own way to console events; `log(page, js)`, its own way
 * to run a script; and `shot(page)`, a screenshot of the whole page as bytes.
 */
export async function run(words, client) {
  if (!['rtt', 'inflight', 'console', 'string', 'png'].includes(words.scenario)) {
    console.log(JSON.stringify({ unsupported: true }));
    return;
  }
  const n = Number(words.n);
  const page = await client.open();
  if (words.scenario === 'png') {
    const stop = startMeter();
    const png = Buffer.from(await client.shot(page));
    const figures = stop();
    if (png.readUInt32BE(0) !== 0x89504e47) throw new Error('no PNG');
    emit(1, figures, { payload: Math.ceil(png.length / 3) * 4, png: png.length });
    return;
  }
  if (words.scenario === 'console') {
    let received = 0, arrived;
    const all = new Promise((resolve) => (arrived = resolve));
    await client.onConsole(page, (text) => {
      if (text && ++received === n) arrived();
    });
    const stop = startMeter();
    const logged = client.log(page, words.js);
    await all;
    const figures = stop();
    await logged;
    emit(n, figures);
    return;
  }
  const session = await client.raw(page);
  const evaluate = async (params) => (await session.send('Runtime.evaluate', params)).result.value;
  const call = async () => {
    const value = await evaluate(EVALUATE);
    if (value !== 2) throw new Error(`expected 2, not ${value}`);
  };
  if (words.scenario === 'string') {
    const size = Number(words.size);
    await evaluate({ expression: "'w'.repeat(1000)", returnByValue: true });
    const stop = startMeter();
    const text = await evaluate({ expression: `'x'.repeat(${size})`, returnByValue: true });
    if (text.length !== size) throw new Error(`${text.length} characters`);
    emit(1, stop(), { payload: size });
    return;
  }
  if (words.scenario === 'rtt') {
    emit(n, ...(await timed(words, WARM_UP, call)));
    return;
  }
  for (let i = 0; i < WARM_UP; i++) await call();
  const stop = startMeter();
  let left = n;
  const worker = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: Number(words.depth) }, worker));
  emit(n, stop());
}
