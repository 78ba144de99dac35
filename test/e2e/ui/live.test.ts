import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { emptyFolder, engine, start } from '../dyno.ts';
import type { Engine } from '../dyno.ts';
import { serve } from '../serve.ts';
import type { Served } from '../serve.ts';
import { go, innocent, openTab } from './ui.ts';

let browser: BrowserContext;
let server: Engine;
let store: string;
let served: Served;

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = await emptyFolder();
  server = await engine(['--set', 'maxBatchSize=8']);
  served = await serve(store);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
  await server.stop();
});

/** A run of long answers that nobody needs to the end, and the page that watches it. */
async function watched(
  label: string,
): Promise<{ page: Page; misdeeds: typeof innocent; running: ReturnType<typeof start> }> {
  const load = ['--concurrency', '8', '--requests', '3000', '--max-tokens', '400', '--ignore-eos', '--lenient'];
  const running = start(['run', server.url, ...load, '--quiet', '--store', store, '--label', label]);
  const { page, misdeeds } = await openTab(browser, served.url, '#/live');
  await page.click(`.live-list a:has-text("${label}")`);
  await page.waitForFunction(() => Number(tileOf('Tokens/s now')) > 0);
  return { page, misdeeds, running };
}

/** Added to every page: the value of a tile by its name. */
declare function tileOf(name: string): string;
const helper = `globalThis.tileOf = (name) => [...document.querySelectorAll('.tile')]
  .find((tile) => tile.querySelector('.tile-name')?.textContent === name)
  ?.querySelector('.tile-value')?.textContent.replaceAll(',', '') ?? ''`;

beforeAll(() => browser.addInitScript(helper));

const line = (page: Page): Promise<string> => page.locator('.progress-line').innerText();

test('a server that stops in mid-run: the silence is told and not overstated, rates fall to zero, no time is left to tell; then it goes on', async () => {
  const { page, misdeeds, running } = await watched('silent');
  const heardMs = performance.now();
  // Every word of silence that the page says, as it says it.
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(globalThis, { said });
    const box = document.querySelector('#silence')!;
    const note = (): void => {
      if (box.textContent !== '') said.push(box.textContent);
    };
    new MutationObserver(note).observe(box, { childList: true, characterData: true, subtree: true });
  });
  server.signal('SIGSTOP');
  await page.waitForFunction(() => document.querySelector('#silence')?.textContent.includes('server is silent'));
  const [first] = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said);
  const [, seconds] = /nothing has come for ([\d.]+) s, 8 requests wait/.exec(first!) ?? [];
  // However late this host lets the page say it, it tells no longer silence than there was; its rate before was that of the last two seconds.
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(1000 * Number(seconds)).toBeLessThanOrEqual(performance.now() - heardMs + 2000);
  await page.waitForFunction(() => tileOf('Tokens/s now') === '0' && tileOf('Requests/s now') === '0');
  expect(await line(page)).toMatch(/ \/ 3,000 · [\d.]+ s so far$/);
  expect(await page.evaluate(() => tileOf('In flight'))).toBe('8');
  server.signal('SIGCONT');
  await page.waitForFunction(
    () => document.querySelector('#silence')?.textContent === '' && Number(tileOf('Tokens/s now')) > 0,
  );
  expect(misdeeds).toEqual(innocent);
  running.child.kill('SIGTERM');
  await running.done;
  await page.close();
});

test('Stop, then Cancel: every page sees the pending stop, and the run says how far it came', async () => {
  const { page, misdeeds, running } = await watched('stopped');
  const other = await openTab(browser, page.url());
  await other.page.waitForSelector('#stop-run');
  await page.click('#stop-run');
  for (const each of [page, other.page]) {
    await each.waitForSelector('#stopping');
    await each.waitForSelector('#cancel-run:not([disabled])');
  }
  await other.page.click('#cancel-run');
  await page.waitForSelector('#ended');
  await running.done;
  const id = readdirSync(store).find((name) => name.includes('stopped'))!;
  const { counts } = JSON.parse(readFileSync(join(store, id, 'summary.json'), 'utf8')) as {
    counts: Record<string, number>;
  };
  const asFarAs = `Stopped at ${counts['ok']} of 3,000`;
  await page.waitForSelector(`.lead:has-text("${asFarAs}")`);
  expect(await page.locator('#ended').innerText()).toBe('stopped');
  expect(readdirSync(join(store, id)).filter((name) => ['stop', 'cancel', 'live.json'].includes(name))).toEqual([]);
  await go(page, `#/run/${id}`);
  await page.waitForSelector(`.lead:has-text("${asFarAs}")`);
  expect(misdeeds).toEqual(innocent);
  await other.page.close();
  await page.close();
});
