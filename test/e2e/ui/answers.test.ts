import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, openPage } from '../browser.ts';
import { dyno, emptyFolder } from '../dyno.ts';
import { serve } from '../serve.ts';
import type { Served } from '../serve.ts';
import { dress, innocent, openTab, seriousFaults } from './ui.ts';

// The terminal, the page and the HTML report begin with the same sentence, in both languages, and a picture follows soon.

const examples = join(import.meta.dirname, '../../../examples');
const comparisons = join(examples, 'comparisons');
let browser: BrowserContext;
let store: string;
let served: Served;
/** What the terminal printed when each was measured. */
const printed: Record<string, string> = {};

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = await emptyFolder();
  const load = ['--max-tokens', '16', '--lenient', '--quiet', '--store', store];
  const slo = ['--slo', 'ttft.p99<2s', '--slo', 'tpot.p99<1ms'];
  const measure = async (label: string, ...words: string[]): Promise<void> => {
    printed[label] = oneLine((await dyno(['sim', ...load, '-n', '400', ...words, '--label', label])).out);
  };
  await measure('eight', '--concurrency', '2,4,8,16,32,64,96,128', '--slo', 'ttft.p99<300ms');
  await measure('one', '--concurrency', '8', ...slo);
  await measure('two', '--concurrency', '8', '--set', 'maxBatchSize=4');
  await dyno(['import', join(comparisons, 't4-vllm-vs-xinference.md'), '--store', store, '--quiet']);
  await measure('over', '--rate', '200', '--duration', '20s');
  await measure('found', '--find', 'max', '--slo', 'ttft.p99<2s', '--slo', 'tpot.p99<30ms');
  for (let night = 1; night <= 5; night++)
    await measure(`nightly${night}`, '--concurrency', '16', ...(night > 3 ? ['--set', 'maxBatchSize=6'] : []));
  const tuned = ['tune', join(examples, '09-tune-mindie/tune.yaml'), '--simulate', 'qwen1.5-7b-mindie-8x910b4'];
  printed['tune'] = oneLine((await dyno([...tuned, '--runs', '4', '--quiet', '--store', store])).out);
  served = await serve(store);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
});

const idOf = (label: string): string => readdirSync(store).find((name) => name.endsWith(`-${label}`))!;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** What the terminal says of it, on one line. */
async function said(words: readonly string[], lang: 'en' | 'zh'): Promise<string> {
  return oneLine((await dyno([...words, '--store', store, '--lang', lang])).out);
}

/** The picture's top lies within the first 900 pixels, on a desk and on a phone. */
async function pictureSoon(page: Page, picture: string): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.waitForSelector(picture);
    await expect
      .poll(() => page.evaluate((name) => document.querySelector(name)!.getBoundingClientRect().top + scrollY, picture))
      .toBeLessThan(900);
  }
}

test.each(['one', 'eight', 'over', 'found'])(
  '%s: page and terminal say one sentence in both languages, and the first chart follows soon',
  async (label) => {
    const { page, misdeeds } = await openTab(browser, served.url, `#/run/${idOf(label)}`);
    const sentence = oneLine(await page.locator('.lead').innerText());
    // The terminal has the promises between two sentences of a search.
    for (const part of sentence.split(/(?<=\.) (?=[A-Z])/)) expect(printed[label]!).toContain(part);
    await dress(page, 'zh', 'light');
    const figures = (text: string): string[] => text.match(/[\d,.]*\d/g) ?? [];
    const chinese = oneLine(await page.locator('.lead').innerText());
    expect(chinese).toMatch(/[\u4e00-\u9fff]{4}/);
    // The same figures; the order of the words is that of the language.
    expect(figures(chinese).toSorted()).toEqual(figures(sentence).toSorted());
    await dress(page, 'en', 'light');
    await pictureSoon(page, '.figure .plot canvas');
    expect(misdeeds).toEqual(innocent);
    await page.close();
  },
);

test('a history names its largest change first, as the terminal does, with the curve below', async () => {
  const { page, misdeeds } = await openTab(browser, served.url, '#/trend?metric=latency.p50&label=nightly');
  for (const lang of ['en', 'zh'] as const) {
    await dress(page, lang, 'light');
    const sentence = oneLine(await page.locator('.lead').innerText());
    expect(sentence).toMatch(lang === 'en' ? /over 5 runs: .*worse since nightly4\.$/ : /5 次运行：.*自 nightly4 起/);
    const told = await said(['runs', '--trend', 'latency.p50', '--label', 'nightly'], lang);
    expect(told.replaceAll(' ', '')).toContain(sentence.replaceAll(' ', ''));
  }
  await dress(page, 'en', 'light');
  await pictureSoon(page, '.figure .plot canvas');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('of histories without a label only those of several runs are drawn, the longest first', async () => {
  const { page } = await openTab(browser, served.url, '#/trend?metric=latency.p50');
  await page.waitForSelector('.lead');
  expect(await page.locator('.lead').innerText()).toMatch(/over [3-9] runs/);
  expect(await page.locator('main').innerText()).toMatch(/\d+ more curves are left out/);
  await page.close();
});

test('a search over settings begins with its winner, as the terminal does, and the trials follow soon', async () => {
  const id = readdirSync(store).find((name) => name.endsWith('-tune'))!;
  const { page, misdeeds } = await openTab(browser, served.url, `#/tune/${id}`);
  const sentence = oneLine(await page.locator('#tune-answer').innerText());
  expect(sentence).toMatch(/tokens\/s/);
  expect(printed['tune']!).toContain(sentence);
  await pictureSoon(page, '.figure .plot canvas');
  await page.waitForSelector('#tune-apply:has-text("maxBatchSize")');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('a promise of a run is its first tile: kept or broken', async () => {
  const { page } = await openTab(browser, served.url, `#/run/${idOf('one')}`);
  const tiles = page.locator('.tiles').first().locator('.tile');
  expect(oneLine(await tiles.nth(0).innerText())).toMatch(/^ttft\.p99 < 2s kept [\d.]+ s?/);
  expect(oneLine(await tiles.nth(1).innerText())).toMatch(/^tpot\.p99 < 1ms BROKEN [\d.]+ ms$/);
  expect(await tiles.nth(1).getAttribute('class')).toContain('bad');
  await page.close();
});

test('the answer of a sweep moves as other limits are typed, and the address keeps them', async () => {
  const { page } = await openTab(browser, served.url, `#/run/${idOf('eight')}`);
  const answer = page.locator('#sweep-answer');
  await page.waitForSelector('#sweep-answer:has-text("within ttft.p99 < 300ms")');
  expect(await page.locator('[name=limit-ttft]').inputValue()).toBe('300');
  await page.fill('[name=limit-ttft]', '0.01');
  await page.waitForSelector('#sweep-answer:has-text("No point keeps ttft.p99 < 0.01ms")');
  await page.fill('[name=limit-ttft]', '90000');
  await page.fill('[name=limit-tpot]', '80000');
  await page.waitForSelector(
    '#sweep-answer:has-text("Highest load within ttft.p99 < 90000ms and tpot.p99 < 80000ms: 128 at once")',
  );
  const before = await answer.innerText();
  await page.reload();
  await page.waitForSelector('#sweep-answer');
  expect(await answer.innerText()).toBe(before);
  await page.fill('[name=limit-ttft]', '');
  await page.fill('[name=limit-tpot]', '');
  await page.waitForFunction(() =>
    /^(Knee|Most throughput)/.test(document.querySelector('#sweep-answer')?.textContent ?? ''),
  );
  await page.close();
});

test('a comparison says who is better in one sentence, as the terminal does, with a forest of changes coloured by verdict', async () => {
  const pair = [idOf('one'), idOf('two')];
  const { page, misdeeds } = await openTab(browser, served.url, `#/compare?id=${pair[0]}&id=${pair[1]}`);
  await page.waitForSelector('.forest li.worse');
  for (const lang of ['en', 'zh'] as const) {
    await dress(page, lang, 'light');
    const sentence = oneLine(await page.locator('.verdict-line').first().innerText());
    expect((await said(['compare', ...pair], lang)).replaceAll(' ', '')).toContain(sentence.replaceAll(' ', ''));
  }
  await dress(page, 'en', 'light');
  expect(oneLine(await page.locator('.forest li').first().innerText())).toMatch(/^tokens\/s −[\d.]+ % worse, certain$/);
  await pictureSoon(page, '.forest ol');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('where only summaries are known, the comparison says that nothing can be tested', async () => {
  const imported = readdirSync(store).filter((name) => name.startsWith('import-'));
  const { page } = await openTab(browser, served.url, `#/compare?id=${imported[0]}&id=${imported[1]}`);
  await page.waitForSelector('.verdict-line:has-text("nothing can be tested")');
  expect(await page.locator('main').innerText()).not.toContain('significant');
  await page.close();
});

test('the HTML report of a comparison has its sentence, then the changes coloured by verdict, on a phone too', async () => {
  const file = join(await emptyFolder(), 'compared.html');
  const pair = [idOf('one'), idOf('two')];
  await dyno(['compare', ...pair, '--store', store, '--as', 'html', '--out', file]);
  const { page, misdeeds } = await openPage(browser, file);
  const sentence = oneLine(await page.locator('#verdict strong [lang=en]').first().innerText());
  expect(await said(['compare', ...pair], 'en')).toContain(sentence);
  expect(oneLine(await page.locator('.forest li').first().innerText())).toMatch(/^tokens\/s −[\d.]+ % worse, certain$/);
  await pictureSoon(page, '.forest ol');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await seriousFaults(page)).toEqual([]);
  expect(misdeeds).toEqual({ console: [], requests: [] });
  await page.close();
});

test('the HTML report begins with the same sentence', async () => {
  const file = join(await emptyFolder(), 'report.html');
  await dyno(['report', idOf('eight'), '--store', store, '--as', 'html', '--out', file]);
  const { page, misdeeds } = await openPage(browser, file);
  const sentence = oneLine(await page.locator('#verdict strong [lang=en]').first().innerText());
  expect(sentence).toMatch(/^Highest load within ttft\.p99 < 300ms: \d+ at once, [\d,]+ tokens\/s\.$/);
  expect(printed['eight']!).toContain(sentence);
  await page.waitForSelector('.plot svg, .plot canvas');
  await pictureSoon(page, '.plot svg, .plot canvas');
  expect(misdeeds).toEqual({ console: [], requests: [] });
  await page.close();
});
