import { readdirSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { dyno, emptyFolder } from '../dyno.ts';
import { serve } from '../serve.ts';
import type { Served } from '../serve.ts';
import { go, openTab } from './ui.ts';

let browser: BrowserContext;
let store: string;
let served: Served;

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = await emptyFolder();
  const load = ['--max-tokens', '16', '--lenient', '--quiet', '--store', store];
  await dyno(['sim', ...load, '-n', '60', '--concurrency', '2,4,8,16,32', '--label', 'five']);
  for (const label of ['one', 'two']) await dyno(['sim', ...load, '-n', '60', '--concurrency', '4', '--label', label]);
  served = await serve(store);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
});

const idOf = (label: string): string => readdirSync(store).find((name) => name.endsWith(`-${label}`))!;

async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const plots = [...document.querySelectorAll('.figure .plot')];
    return plots.length > 0 && plots.every((plot) => (plot.querySelector('canvas')?.width ?? 0) > 300);
  });
}

/** Pixels of the first figure as one text: to the right of a share of its width, or above a height in CSS px. */
const pixels = (page: Page, part: { rightOf: number } | { above: number }): Promise<string> =>
  page.evaluate((asked) => {
    const canvas = document.querySelector<HTMLCanvasElement>('#figure-sweep .plot canvas')!;
    const left = 'rightOf' in asked ? Math.ceil(canvas.width * asked.rightOf) : 0;
    const height = 'above' in asked ? Math.floor((asked.above * canvas.width) / canvas.clientWidth) : canvas.height;
    const { data } = canvas.getContext('2d')!.getImageData(left, 0, canvas.width - left, height);
    return [...data].join();
  }, part);

/** The first figure once it stands still: a chart is drawn in several frames, on a busy host with long waits between them. */
async function settled(page: Page): Promise<string> {
  let last = '';
  const still = async (): Promise<boolean> => {
    const now = await pixels(page, { rightOf: 0 });
    const same = now === last;
    last = now;
    return same;
  };
  await expect.poll(still, { timeout: 60_000, interval: 1000 }).toBe(true);
  return last;
}

test.each([
  ['x', 'x0:20.00-50.00', { rightOf: 1 / 3 }],
  ['y', 'y0:10.00-50.00', { above: 66 }],
] as const)(
  'a panel that is zoomed into along %s stays in its panel: no pixel beside it changes',
  async (_, zoom, beside) => {
    const { page } = await openTab(browser, served.url, `#/run/${idOf('five')}`);
    await drawn(page);
    const whole = await settled(page);
    const before = await pixels(page, beside);
    await go(page, `#/run/${idOf('five')}?zoom.sweep=${encodeURIComponent(zoom)}`);
    await page.waitForSelector('.figure-tools button:has-text("Reset zoom")');
    await expect.poll(async () => (await settled(page)) !== whole, { timeout: 60_000 }).toBe(true);
    expect((await pixels(page, beside)) === before).toBe(true);
    await page.close();
  },
);

test('two single runs are bars, with ink in each', async () => {
  const { page } = await openTab(browser, served.url, `#/compare?id=${idOf('one')}&id=${idOf('two')}`);
  await drawn(page);
  const colours = await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('#figure-comparison .plot canvas')!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map<string, number>();
    for (let at = 0; at < data.length; at += 4) {
      const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return ['0,99,166', '196,80,10'].map((colour) => counts.get(colour) ?? 0);
  });
  for (const inked of colours) expect(inked).toBeGreaterThan(5000);
  await page.close();
});
