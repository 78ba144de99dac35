import { createRequire } from 'node:module';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openPage } from './browser.ts';
import { dyno, emptyFolder, engine } from './dyno.ts';
import { measureInto } from './measured-store.ts';

const hostile = '<img src=x onerror=alert(1)>"\'& 引擎';
let browser: BrowserContext;
let folder: string;
let sweepPage: string;
let runPage: string;
let manyPage: string;

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

beforeAll(async () => {
  browser = await openBrowser();
  folder = await emptyFolder();
  const server = await engine(['--speed', '20']);
  sweepPage = join(folder, 'sweep.html');
  const latest = ['report', 'latest', '--as', 'html', '--store', folder];
  await measureInto(folder, server.url, { sweep: hostile, run: 'one run' }, () =>
    dyno([...latest, '--out', sweepPage]),
  );
  runPage = join(folder, 'run.html');
  await dyno([...latest, '--out', runPage, '--lang', 'zh']);
  await server.stop();
  await dyno([
    'sim',
    '--concurrency',
    '64',
    '-n',
    '10000',
    '--max-tokens',
    '12',
    '--lenient',
    '--store',
    folder,
    '--quiet',
  ]);
  manyPage = join(folder, 'many.html');
  await dyno([...latest, '--out', manyPage]);
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
    expect(await page.locator('#verdict strong').innerText()).toMatch(
      /^Highest load within ttft\.p99 < 2s: \d+ at once, [\d,]+ tokens\/s\.$/,
    );
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
  test('nothing that axe knows of stands in the way of a screen reader or a keyboard, in both themes', async () => {
    for (const file of [sweepPage, runPage]) {
      const { page } = await openPage(browser, file);
      for (const theme of ['light', 'dark']) {
        await page.evaluate(readFileSync(axeFile, 'utf8'));
        const found = await page.evaluate(
          async () => (await (globalThis as unknown as { axe: Axe }).axe.run()).violations,
        );
        expect({ theme, found: found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`) }).toEqual({
          theme,
          found: [],
        });
        await page.focus('#switch-theme');
        await page.keyboard.press('Enter');
      }
      await page.close();
    }
  });
  test('a report of 10,000 requests has no more to draw than one of 1,000, and answers every action', async () => {
    const { page, misdeeds } = await openPage(browser, manyPage);
    const counted = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);
    expect(await counted()).toBeLessThan(6000);
    const drawn = await page.evaluate(() => {
      const figures = JSON.parse(document.querySelector('#figures')!.textContent) as {
        panels: { series?: { points: unknown[] }[]; rows?: unknown[] }[];
      }[];
      const points = (panel: (typeof figures)[number]['panels'][number]): number =>
        (panel.rows?.length ?? 0) + (panel.series ?? []).reduce((sum, one) => sum + one.points.length, 0);
      return figures.flatMap(({ panels }) => panels.map(points)).reduce((a, b) => a + b, 0);
    });
    expect(drawn).toBeLessThan(6000);
    expect(statSync(manyPage).size).toBeLessThan(2_000_000);
    const plot = page.locator('.plot').nth(1);
    const before = await plot.innerHTML();
    await plot.hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -600);
    await page.keyboard.up('Control');
    await page.waitForFunction((old) => document.querySelectorAll('.plot')[1]!.innerHTML !== old, before);
    expect(await counted()).toBeLessThan(6000);
    expect(misdeeds).toEqual({ console: [], requests: [] });
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
