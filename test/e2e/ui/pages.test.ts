import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { dyno, emptyFolder, engine } from '../dyno.ts';
import { measureInto } from '../measured-store.ts';
import { serve } from '../serve.ts';
import { dress, go, hashOf, innocent, openTab, seriousFaults } from './ui.ts';
import type { Served } from '../serve.ts';

const hostile = '<img src=x onerror=alert(1)>"\'& 引擎';
const comparisons = join(import.meta.dirname, '../../../examples/comparisons');
let browser: BrowserContext;
let store: string;
let served: Served;
let sweep: string;
let run: string;
let imported: string[];

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = await emptyFolder();
  const server = await engine(['--speed', '20', '--fault', '500:0.05', '--model', hostile]);
  await measureInto(store, server.url, { sweep: 'a sweep', run: hostile });
  await dyno(['import', join(comparisons, 't4-vllm-vs-xinference.md'), '--store', store, '--quiet']);
  await dyno(['runs', 'tag', 'a sweep', hostile, '--store', store]);
  await server.stop();
  const names = readdirSync(store);
  sweep = names.find((name) => name.includes('a-sweep'))!;
  run = names.find((name) => name.includes('img-src'))!;
  imported = names.filter((name) => name.startsWith('import-'));
  served = await serve(store);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
});

/** Each page with what shows that it is whole. */
const pages = (): Record<string, { hash: string; whole: (page: Page) => Promise<unknown> }> => ({
  runs: { hash: '#/runs', whole: (page) => page.waitForSelector('.runs tbody tr:nth-child(4)') },
  sweep: { hash: `#/run/${sweep}`, whole: drawn },
  run: {
    hash: `#/run/${run}?request=3&from=0.01&to=0.2`,
    whole: (page) => Promise.all([drawn(page), page.waitForSelector('.gaps svg rect')]),
  },
  imported: { hash: `#/run/${imported[0]}`, whole: drawn },
  compare: { hash: `#/compare?id=${imported[0]}&id=${imported[1]}`, whole: drawn },
  'compare nothing': { hash: '#/compare', whole: (page) => page.waitForSelector('.adding-list button') },
  live: { hash: '#/live', whole: (page) => page.waitForSelector('#start-run') },
  trend: { hash: '#/trend?metric=latency.p99', whole: drawn },
  plan: { hash: '#/plan', whole: (page) => Promise.all([drawn(page), page.waitForSelector('#plan-tiles')]) },
  simulate: { hash: `#/simulate?measured=${sweep}&loads=1,4,16`, whole: drawn },
  tune: { hash: '#/tune', whole: (page) => page.waitForSelector('.empty') },
});

/** What reaches beyond a width, with where it ends. */
function beyond(page: Page, width: number): Promise<string[]> {
  return page.evaluate(
    (limit) =>
      [...document.querySelectorAll('body *')]
        .map((element) => ({ element, right: Math.round(element.getBoundingClientRect().right) }))
        .filter(({ right }) => right > limit)
        .map(({ element, right }) => `${element.tagName}.${element.className} ${right}`),
    width,
  );
}

/** Every figure on the page has been drawn and has ink in it. */
async function drawn(page: Page): Promise<void> {
  await page.waitForSelector('.figure .plot canvas');
  await page.waitForFunction(() => {
    const plots = [...document.querySelectorAll('.figure .plot')];
    return plots.every((plot) => (plot.querySelector('canvas')?.width ?? 0) > 300);
  });
}

describe.each([
  'runs',
  'sweep',
  'run',
  'imported',
  'compare',
  'compare nothing',
  'live',
  'trend',
  'plan',
  'simulate',
  'tune',
])('page %s', (name) => {
  test('in both languages and both themes: whole, no console error, no request elsewhere, no serious fault for axe-core', async () => {
    const { hash, whole } = pages()[name]!;
    const { page, misdeeds } = await openTab(browser, served.url, hash);
    for (const [lang, theme] of [
      ['en', 'light'],
      ['zh', 'dark'],
      ['zh', 'light'],
      ['en', 'dark'],
    ] as const) {
      await dress(page, lang, theme);
      await whole(page);
      expect(
        await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]),
      ).toEqual([lang === 'zh' ? 'zh-CN' : 'en', theme]);
      expect(await page.locator('main').innerText()).toMatch(lang === 'zh' ? /[\u4e00-\u9fff]{2}/ : /[a-z]{3}/);
      if (lang === 'zh' ? theme === 'dark' : theme === 'light') expect(await seriousFaults(page)).toEqual([]);
    }
    expect(misdeeds).toEqual(innocent);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    await page.close();
  });

  test('fits a phone: nothing is wider than the screen but what scrolls by itself', async () => {
    const { hash, whole } = pages()[name]!;
    const { page } = await openTab(browser, served.url, hash);
    await page.setViewportSize({ width: 390, height: 800 });
    await whole(page);
    await page
      .waitForFunction(() => document.documentElement.scrollWidth <= 390)
      .catch(async (cause: unknown) => {
        throw new Error(`too wide: ${(await beyond(page, 390)).join(', ')}`, { cause });
      });
    await page.close();
  });
});

test('a window that an address asks for beyond the end of a run ends with the chart', async () => {
  const { page } = await openTab(browser, served.url, `#/run/${run}?from=0.01&to=100000`);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForFunction(() => {
    const selects = [...document.querySelectorAll('.u-select')].map((part) => part.getBoundingClientRect());
    return selects.some(({ width }) => width > 50) && document.documentElement.scrollWidth <= 390;
  });
  await page.close();
});

test('a page left before its charts are there ends in silence: nothing is drawn into what is gone', async () => {
  const { page, misdeeds } = await openTab(browser, 'about:blank');
  const held: Route[] = [];
  const asked = new Promise<string>((resolve) => {
    void page.route(/\/draw-figure-[^/]*\.js$/, (route, request) => {
      held.push(route);
      resolve(request.url());
    });
  });
  // Paints can be held back by hand: the charts are to arrive after the page was left and before the paint that follows.
  await page.addInitScript(() => {
    const real = { requestAnimationFrame, setTimeout };
    const due: (() => void)[] = [];
    const later =
      (name: keyof typeof real) =>
      (...args: unknown[]): number =>
        due.push(() => void Reflect.apply(real[name], globalThis, args));
    const paints = (on: boolean): void => {
      Object.assign(
        globalThis,
        on ? real : { requestAnimationFrame: later('requestAnimationFrame'), setTimeout: later('setTimeout') },
      );
      if (on) for (const one of due.splice(0)) one();
    };
    Object.assign(globalThis, { paints });
  });
  const paints = (on: boolean): Promise<void> =>
    page.evaluate((now) => (globalThis as unknown as { paints(on: boolean): void }).paints(now), on);
  await page.goto(`${served.url}#/run/${sweep}`);
  const script = await asked;
  await paints(false);
  await go(page, '#/runs');
  await page.waitForSelector('.figure', { state: 'detached' });
  for (const route of held) await route.continue();
  await page.evaluate(`import(${JSON.stringify(script)}).then(() => null)`);
  await paints(true);
  await page.waitForSelector('.runs tbody tr');
  expect(misdeeds.console).toEqual([]);
  await page.close();
});

describe('strangers’ words', () => {
  test('are text on every page: nothing of them becomes an element or runs', async () => {
    const { page, misdeeds } = await openTab(browser, served.url, '#/runs');
    await page.waitForSelector('.runs tbody tr');
    expect(await page.locator('.runs').innerText()).toContain(hostile);
    await go(page, `#/run/${run}`);
    await page.waitForSelector('.verdict');
    expect(await page.locator('h1').innerText()).toBe(hostile);
    expect(await page.locator('.sim-line').innerText()).toContain('Simulated engine');
    await go(page, `#/compare?id=${run}&id=${sweep}`);
    await page.waitForSelector('.verdict');
    expect(await page.locator('main').innerText()).toContain(hostile);
    expect(await page.locator('main img').count()).toBe(0);
    expect(misdeeds).toEqual(innocent);
    await page.close();
  });
});

describe('the list', () => {
  test('is searched, filtered, tagged and walked through by keys; the address keeps it', async () => {
    const { page, misdeeds } = await openTab(browser, served.url, '#/runs');
    await page.waitForSelector('.runs tbody tr');
    const all = await page.locator('.runs tbody tr').count();
    await page.keyboard.press('/');
    await page.keyboard.type('sweep');
    await page.waitForFunction((before) => document.querySelectorAll('.runs tbody tr').length < before, all);
    await page.waitForFunction(() => location.hash.includes('q=sweep'));
    await page.reload();
    await page.waitForSelector('.runs tbody tr');
    expect(await page.locator('.runs tbody tr').count()).toBe(1);
    // How many are not valid depends on how busy this host was.
    const invalid = await page.evaluate(async () => {
      const list = (await (await fetch('/api/v1/runs')).json()) as { rows: { verdict: string }[] };
      return list.rows.filter(({ verdict }) => verdict === 'invalid').length;
    });
    await go(page, '#/runs?verdict=invalid');
    await page.waitForFunction((count) => document.querySelectorAll('.runs tbody tr').length === count, invalid);
    await go(page, '#/runs');
    await page.waitForFunction((before) => document.querySelectorAll('.runs tbody tr').length === before, all);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('c');
    await page.waitForFunction(() => location.hash.startsWith('#/compare?id='));
    // Two keys in one stroke, however long the page takes to answer the first.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('p')]);
    await page.waitForFunction(() => location.hash === '#/plan');
    expect(misdeeds).toEqual(innocent);
    await page.close();
  });

  test('takes a tag on and off', async () => {
    const { page } = await openTab(browser, served.url, '#/runs?q=sweep');
    await page.click('.tag.add');
    await page.keyboard.type('baseline');
    await page.keyboard.press('Enter');
    await page.click('.tag:has-text("baseline")');
    await page.waitForFunction(() => !document.body.textContent.includes('baseline'));
    await page.close();
  });

  test('deletes with undo', async () => {
    const { page } = await openTab(browser, served.url, `#/runs?q=${encodeURIComponent(run)}`);
    await page.click('.runs tbody tr button[aria-label^="Delete"]');
    await page.waitForSelector('.toast');
    expect(readdirSync(store)).not.toContain(run);
    await page.click('.toast button:has-text("Undo")');
    await page.waitForSelector('.runs tbody tr');
    expect(readdirSync(store)).toContain(run);
    await page.close();
  });
});

test('a search under way is held by a file in its folder, and goes on when the file is gone', async () => {
  const own = await emptyFolder();
  const id = '20261115-000000-abcd-tune';
  mkdirSync(join(own, id));
  const trial = {
    number: 1,
    phase: 'search',
    settings: { maxBatchSize: 16 },
    load: { concurrency: 8, ratePerSec: null },
    outcome: 'ok',
    cause: null,
    feasible: true,
    objective: 900,
    figures: { outputTokensPerSec: 900, 'latency.mean': 300 },
    predicted: null,
    runId: null,
    durationMs: 1000,
  };
  const tune = {
    schema: 'llmdyno.tune/1',
    name: hostile,
    running: true,
    simulated: true,
    startedAt: '2026-11-15T00:00:00.000Z',
    objective: { metric: 'outputTokensPerSec', direction: 'most' },
    slos: ['latency.mean<1s'],
    budget: { runs: 9, hours: null },
    best: { settings: trial.settings, confirmed: false, objective: { mean: 900, interval: null } },
    trials: [trial],
    words: { en: 'one trial so far', zh: '已有一次试验' },
  };
  writeFileSync(join(own, id, 'tune.json'), JSON.stringify(tune));
  const ui = await serve(own);
  const { page, misdeeds } = await openTab(browser, ui.url, '#/tune');
  await page.click('.live-list a');
  await page.click('#pause-tune');
  await page.waitForSelector('#tune-state.warn');
  expect(readdirSync(join(own, id))).toContain('pause');
  expect(await seriousFaults(page)).toEqual([]);
  await page.click('#pause-tune');
  await page.waitForSelector('#tune-state.live');
  expect(readdirSync(join(own, id))).not.toContain('pause');
  expect(await page.locator('h1').innerText()).toBe(hostile);
  expect(misdeeds).toEqual(innocent);
  await ui.stop();
  await page.close();
});

describe('a run', () => {
  test('percentiles of the whole run are those of its summary, and a brushed window has its own', async () => {
    const summary = JSON.parse(readFileSync(join(store, run, 'summary.json'), 'utf8')) as {
      counts: { ok: number };
      latencyMs: Record<string, number>;
    };
    const { page } = await openTab(browser, served.url, `#/run/${run}`);
    await page.waitForSelector('#window-figures td');
    const row = async (): Promise<string[]> =>
      page.locator('#window-figures tbody tr').first().locator('td').allInnerTexts();
    // The page reads records to the microsecond, so that its last digit may be the next one.
    const near = (shown: string, ms: number): void => {
      expect(shown).toMatch(/^[\d.]+ ms$/);
      expect(Math.abs(Number.parseFloat(shown) - ms)).toBeLessThan(ms >= 100 ? 0.6 : ms >= 10 ? 0.06 : 0.006);
    };
    const whole = await row();
    expect(whole[0]).toBe(String(summary.counts.ok));
    for (const [i, rank] of ['p50', 'p75', 'p90', 'p95'].entries()) near(whole[3 + i]!, summary.latencyMs[rank]!);
    await drawn(page);
    await page.locator('.explorer .u-over').scrollIntoViewIfNeeded();
    const box = (await page.locator('.explorer .u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.02, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => location.hash.includes('from='));
    await page.waitForFunction(
      (all) => document.querySelector('#window-figures tbody td')?.textContent !== all,
      whole[0],
    );
    const part = await row();
    expect(Number(part[0])).toBeGreaterThan(0);
    expect(Number(part[0])).toBeLessThan(summary.counts.ok);
    await page.close();
  });

  test('the table filters by cause and sorts; one request shows a bar for every gap', async () => {
    const lines = readFileSync(join(store, run, 'exchanges.ndjson'), 'utf8')
      .trim()
      .split('\n');
    const all = lines.map((line) => JSON.parse(line) as { seq: number; outcome: string; chunks: { atMs: number[] } });
    const failed = all.filter(({ outcome }) => outcome === 'failed').length;
    const { page } = await openTab(browser, served.url, `#/run/${run}`);
    await page.waitForSelector('#cause');
    if (failed > 0) {
      await page.selectOption('#cause', 'http-5xx');
      await page.waitForFunction((n) => document.querySelector('#rows-shown')?.textContent.startsWith(`${n} `), failed);
    }
    await go(page, `#/run/${run}?sort=latency.down`);
    const first = page.locator('.virtual tbody tr:not(.gap) .link').first();
    await first.click();
    await page.waitForSelector('.gaps svg rect');
    const seq = Number((await hashOf(page)).split('request=')[1]!.split('&')[0]);
    const bars = await page.locator('.gaps svg rect').count();
    expect(bars).toBe(all.find((one) => one.seq === seq)!.chunks.atMs.length);
    await page.close();
  });

  test('charts: log axes and hidden series stand in the address and come back with it', async () => {
    const { page } = await openTab(browser, served.url, `#/run/${sweep}`);
    await drawn(page);
    await page.locator('#figure-sweep input[type=checkbox], .figure input[type=checkbox]').nth(1).check();
    expect(await hashOf(page)).toMatch(/logy\.[a-z-]+=1/);
    await page.reload();
    await drawn(page);
    expect(await page.locator('.figure input[type=checkbox]').nth(1).isChecked()).toBe(true);
    await page.close();
  });
});

test('the first page needs at most 250 kB of JavaScript, compressed', async () => {
  const { page } = await openTab(browser, 'about:blank');
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) bodies.push(response.body());
  });
  await page.goto(served.url);
  await page.waitForSelector('.runs tbody tr');
  const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(250_000);
  await page.close();
});

test('an empty store and a run that is gone say what to do', async () => {
  const empty = await serve(await emptyFolder());
  const { page } = await openTab(browser, empty.url);
  await page.waitForSelector('.empty');
  expect(await page.locator('.empty').innerText()).toContain('dyno find');
  await go(page, '#/run/20200101-000000-dead');
  await page.waitForSelector('[role=alert]');
  expect(await page.locator('[role=alert]').innerText()).toContain('no such run');
  await empty.stop();
  await page.close();
});
