// playwright-core as a measured client.
import { chromium } from 'playwright-core';
import { own, readArguments, run } from './common.mjs';

const words = readArguments();
await own(words, () => chromium.launch({ executablePath: words.endpoint }), (browser) => browser.newContext());
const browser = await chromium.connectOverCDP(words.endpoint);
const context = browser.contexts()[0];
await run(words, {
  async open() {
    const page = await context.newPage();
    await page.goto(words.url);
    return page;
  },
  raw: (page) => context.newCDPSession(page),
  onConsole: (page, seen) => page.on('console', (message) => seen(message.text())),
  log: (page, js) => page.evaluate(js),
  shot: (page) => page.screenshot({ fullPage: true, type: 'png', timeout: 120000 }),
});
process.exit(0);
