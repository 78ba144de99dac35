import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openPage } from './browser.ts';
import { dyno, emptyFolder, engine } from './dyno.ts';

const hostile = '<img src=x onerror=alert(1)>"\'& 引擎';
let browser: BrowserContext;
let folder: string;
let sweepPage: string;
let runPage: string;

beforeAll(async () => {
  browser = await openBrowser();
  folder = await emptyFolder();
  const server = await engine(['--speed', '20']);
  const load = ['--max-tokens', '8', '--ignore-eos', '--lenient', '--store', folder, '--quiet'];
  await dyno([
    'sweep',
    server.url,
    ...load,
    '-n',
    '40',
    '--concurrency',
    '2,4,8',
    '--slo',
    'ttft.p99<2s',
    '--label',
    hostile,
  ]);
  sweepPage = join(folder, 'sweep.html');
  await dyno(['report', 'latest', '--as', 'html', '--out', sweepPage, '--store', folder]);
  await dyno(['run', server.url, ...load, '-n', '60', '--concurrency', '4', '--label', 'one run']);
  runPage = join(folder, 'run.html');
  await dyno(['report', 'latest', '--as', 'html', '--out', runPage, '--store', folder, '--lang', 'zh']);
  await server.stop();
});
afterAll(() => browser.close());

/** How many of the figures have been drawn: each plot holds a picture with ink of its own. */
const drawnPlots = (): [number, number] => {
  const plots = [...document.querySelectorAll('.plot')];
  const drawn = plots.filter(
    (plot) => plot.querySelectorAll('svg path').length > 3 || plot.querySelector('canvas') !== null,
  );
  return [drawn.length, plots.length];
};

describe('a report in a real browser', () => {
  test('opens with no console error and no request, every chart drawn, in English and light', async () => {
    const { page, misdeeds } = await openPage(browser, sweepPage);
    const [drawn, all] = await page.evaluate(drawnPlots);
    expect(all).toBeGreaterThanOrEqual(5);
    expect(drawn).toBe(all);
    expect(await page.locator('#verdict strong').innerText()).toMatch(/valid|Valid/);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
    expect(misdeeds).toEqual({ console: [], requests: [] });
    await page.close();
  });
  test('switches to Chinese and to dark, charts too, and back', async () => {
    const { page, misdeeds } = await openPage(browser, sweepPage);
    const chartText = (): Promise<string> => page.locator('.plot').first().innerText();
    const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await chartText()).toContain('Throughput');
    await page.click('#switch-language');
    expect(await chartText()).toContain('吞吐量');
    expect(await page.locator('#audit-title').innerText()).toBe('审计');
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
    const light = await background();
    await page.click('#switch-theme');
    expect([light, await background()]).toEqual(['rgb(255, 255, 255)', 'rgb(21, 25, 30)']);
    await page.click('#switch-language');
    expect(await chartText()).toContain('Throughput');
    expect(misdeeds).toEqual({ console: [], requests: [] });
    await page.close();
  });
  test('a label of a stranger is text everywhere and no script of it runs', async () => {
    const { page, misdeeds } = await openPage(browser, sweepPage);
    expect(await page.locator('h1').innerText()).toBe(hostile);
    expect(await page.locator('img').count()).toBe(0);
    expect(misdeeds.requests).toEqual([]);
    await page.close();
  });
  test('follows a dark system, and prints on white', async () => {
    const { page } = await openPage(browser, sweepPage);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(21, 25, 30)');
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
    expect(await page.locator('#switch-theme').isVisible()).toBe(false);
    await page.close();
  });
  test('one run is shown from the inside: distribution, course of time, every request', async () => {
    const { page, misdeeds } = await openPage(browser, runPage);
    const text = await page.locator('#charts').innerText();
    for (const title of ['不超过某值的请求占比', '运行过程', '逐个请求']) expect(text).toContain(title);
    expect(misdeeds).toEqual({ console: [], requests: [] });
    await page.close();
  });
  test('every control is reached by keyboard and has a name; the page has one h1 and a region per section', async () => {
    const { page } = await openPage(browser, sweepPage);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('skip');
    const nameless = await page.evaluate(
      () =>
        [...document.querySelectorAll('button, [role=img], [role=region]')].filter(
          (element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim() === '',
        ).length,
    );
    expect(nameless).toBe(0);
    expect(await page.locator('h1').count()).toBe(1);
    const unheaded = await page.evaluate(
      () =>
        [...document.querySelectorAll('section')].filter(
          (one) => !one.getAttribute('aria-labelledby') && !one.getAttribute('aria-label'),
        ).length,
    );
    expect(unheaded).toBe(0);
    await page.close();
  });
  test('fits a phone: nothing but tables is wider than the screen', async () => {
    const { page } = await openPage(browser, sweepPage);
    await page.setViewportSize({ width: 400, height: 800 });
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLElement>('.plot svg')].every((svg) => svg.getBoundingClientRect().width <= 400),
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await page.close();
  });
  test('is one file that names nothing outside itself', () => {
    const text = readFileSync(sweepPage, 'utf8');
    expect(text).not.toMatch(/<link\b|<script src|<iframe|@import|url\(["']?http/);
    expect(statSync(sweepPage).size).toBeLessThan(2_000_000);
  });
  test('a changed script does not run: the content policy names its hash', async () => {
    const changed = join(folder, 'changed.html');
    writeFileSync(changed, readFileSync(sweepPage, 'utf8').replace('<script>', '<script>document.title="owned";'));
    const { page } = await openPage(browser, changed);
    expect(await page.title()).not.toBe('owned');
    await page.close();
  });
});
