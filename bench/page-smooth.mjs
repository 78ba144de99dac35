// How long the browser is held up by a report of 10,000 requests: scrolling, zooming, hovering, switching.
//   npm run build && node bench/page-smooth.mjs [REQUESTS]      (needs Chromium; prints the longest task of each action)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { browserPath } from '../scripts/browser.mjs';

const requests = process.argv[2] ?? '10000';
const folder = mkdtempSync(join(tmpdir(), 'llmdyno-smooth-'));
const dyno = (...args) =>
  execFileSync(process.execPath, [new URL('../dist/cli/main.js', import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
dyno('sim', '--concurrency', '64', '-n', requests, '--lenient', '--store', folder, '--quiet');
const file = join(folder, 'report.html');
dyno('report', 'latest', '--as', 'html', '--out', file, '--store', folder, '--quiet');

const { path } = await browserPath();
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.addInitScript(() => {
  globalThis.tasks = [];
  new PerformanceObserver((list) =>
    globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({
    type: 'longtask',
    buffered: true,
  });
});
const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
async function longest(name, act) {
  await page.evaluate(() => (globalThis.tasks = []));
  await act();
  await settle();
  const tasks = await page.evaluate(() => globalThis.tasks);
  console.log(`| ${name} | ${tasks.length} | ${tasks.length === 0 ? 'below 50' : Math.max(...tasks).toFixed(0)} ms |`);
}
console.log(`${requests} requests; tasks of 50 ms and more, and the longest of them`);
await longest('open and draw', () => page.goto(`file://${file}`));
await longest('scroll to the end and back', async () => {
  for (let i = 0; i < 40; i++) await page.mouse.wheel(0, i < 20 ? 400 : -400);
});
const plots = page.locator('.plot');
for (let i = 0; i < (await plots.count()); i++) {
  const plot = plots.nth(i);
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await longest(`chart ${i + 1}: move over it`, async () => {
    for (let x = 0.1; x < 0.9; x += 0.02)
      await page.mouse.move(box.x + box.width * x, box.y + Math.min(200, box.height / 2));
  });
  await longest(`chart ${i + 1}: zoom`, async () => {
    await page.keyboard.down('Control');
    for (let step = 0; step < 10; step++) await page.mouse.wheel(0, step < 5 ? -200 : 200);
    await page.keyboard.up('Control');
  });
}
await longest('switch the language', () => page.click('#switch-language'));
await longest('switch the theme', () => page.click('#switch-theme'));
await browser.close();
rmSync(folder, { recursive: true, force: true });
