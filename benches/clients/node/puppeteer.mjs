// puppeteer-core as a measured client.
import puppeteer from 'puppeteer-core';
import { own, readArguments, run } from './common.mjs';

const words = readArguments();
// Root has no sandbox.
const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
await own(words, () => puppeteer.launch({ executablePath: words.endpoint, args }), (browser) => browser.createBrowserContext());
const browser = await puppeteer.connect({ browserWSEndpoint: words.endpoint, defaultViewport: null, protocolTimeout: 300000 });
await run(words, {
  async open() {
    const page = await browser.newPage();
    await page.goto(words.url);
    return page;
  },
  raw: (page) => page.createCDPSession(),
  onConsole: (page, seen) => page.on('console', (message) => seen(message.text())),
  log: (page, js) => page.evaluate(js),
  shot: (page) => page.screenshot({ fullPage: true, type: 'png' }),
});
process.exit(0);
