import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openBrowser } from '../browser.ts';
import { dyno, emptyFolder, engine, start } from '../dyno.ts';
import type { Engine } from '../dyno.ts';
import { serve } from '../serve.ts';
import { dress, go, hashOf, innocent, openTab, seriousFaults } from './ui.ts';
import type { Served } from '../serve.ts';

const comparisons = join(import.meta.dirname, '../../../examples/comparisons');
let browser: BrowserContext;
let server: Engine;
let store: string;
let served: Served;
let questions: string;

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = join(await emptyFolder(), 'store');
  mkdirSync(store);
  server = await engine(['--speed', '5']);
  const datasets = join(store, '../datasets');
  mkdirSync(datasets);
  questions = join(datasets, 'own.txt');
  writeFileSync(questions, 'Why is the sky blue?\nWhat is a dynamometer?\n');
  served = await serve(store, ['--datasets', datasets]);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
  await server.stop();
});

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name="${name}"]`, value);
}

/** Requests told so far, as the page says. */
const told = (page: Page): Promise<number> =>
  page
    .locator('.progress-line')
    .innerText()
    .then((text) => Number(/· ([\d,]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? 0));

test('a sweep is started from the form, watched through a reload, opened, compared with an imported one and downloaded', async () => {
  const { page, misdeeds } = await openTab(browser, served.url, '#/live');
  await page.waitForSelector('#start-run');
  await page.check('input[value=sweep]');
  await fill(page, { url: server.url, concurrency: '4,8', requests: '60', 'max-tokens': '48', label: 'from the form' });
  await fill(page, { dataset: `lines:${questions}`, slo: 'ttft<60s\nlatency<60s' });
  await page.waitForSelector(`datalist option[value="${questions}"]`, { state: 'attached' });
  const command = await page.locator('#command-line').innerText();
  expect(command).toBe(
    `dyno sweep ${server.url} --concurrency 4,8 --requests 60 --slo 'ttft<60s' --slo 'latency<60s' --max-tokens 48 --label 'from the form' --dataset lines:${questions}`,
  );
  expect(await page.locator('#plan-yaml').innerText()).toContain('slo: ["ttft<60s", "latency<60s"]');
  expect(await page.locator('#plan-yaml').innerText()).toContain('concurrency: [4, 8]');
  await page.click('#start-run');
  await page.waitForFunction(() => /^#\/live\/.+/.test(location.hash));
  await page.waitForFunction(() => /· [1-9]/.test(document.querySelector('.progress-line')?.textContent ?? ''));
  const before = await told(page);
  const point = await page.locator('.progress-line').innerText();
  await page.reload();
  // All that was told before the reload is told again, because events are read from the files.
  await page.waitForFunction(
    ([seen, first]) => {
      const text = document.querySelector('.progress-line')?.textContent ?? '';
      return Number(/· ([\d,]+)/.exec(text)?.[1] ?? 0) >= seen || text.split('·')[0] !== first.split('·')[0];
    },
    [before, point] as const,
  );
  const second = await openTab(browser, served.url, await hashOf(page));
  await page.waitForSelector('#ended');
  await second.page.waitForSelector('#ended');
  await second.page.close();
  await page.click('#open-result');
  await page.waitForSelector('.verdict');
  expect(await page.locator('h1').innerText()).toBe('from the form');
  expect(await page.locator('[aria-label=Points] tbody tr').count()).toBeGreaterThanOrEqual(2);

  await page.click('.menu summary');
  const [csv] = await Promise.all([page.waitForEvent('download'), page.click('.menu-list a:has-text("CSV")')]);
  const table = readFileSync((await csv.path())!, 'utf8');
  expect(table.split('\n').filter((line) => line !== '').length).toBeGreaterThanOrEqual(3);
  const [png] = await Promise.all([page.waitForEvent('download'), page.click('.menu-list a:has-text("PNG")')]);
  expect(
    readFileSync((await png.path())!)
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  await page.waitForSelector('.figure .plot canvas');
  const [picture] = await Promise.all([page.waitForEvent('download'), page.locator('.save-png').first().click()]);
  expect(
    readFileSync((await picture.path())!)
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');

  await go(page, '#/runs');
  await page.waitForSelector('.runs');
  const chooser = page.waitForEvent('filechooser');
  await page.click('button:has-text("Import")');
  await (await chooser).setFiles(join(comparisons, 't4-vllm-vs-xinference.md'));
  await page.waitForSelector('.runs .name a:has-text("vLLM")');
  for (const name of ['from the form', 'vLLM (T4'])
    await page.locator(`.runs tr:has-text("${name}") input[type=checkbox]`).first().check();
  await page.click('#compare-picked');
  await page.waitForSelector('.verdict');
  await page.waitForSelector('.figure .plot canvas');
  expect(await page.locator('.verdict').first().innerText()).toMatch(/comparable|nothing can be tested/i);
  expect(await page.locator('main h2').allInnerTexts()).toContain('Charts');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('files dropped on the list are imported', async () => {
  const { page } = await openTab(browser, served.url, '#/runs');
  await page.waitForSelector('.runs');
  const text = readFileSync(join(comparisons, 'mindie-910b4-vs-vllm-t4.md'), 'utf8');
  const data = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'dropped.md'));
    return transfer;
  }, text);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
  await page.waitForSelector('.runs .name a:has-text("MindIE")');
  await page.close();
});

test('a run started in a terminal appears live, and the page stops it gracefully', async () => {
  const { page, misdeeds } = await openTab(browser, served.url, '#/live');
  const load = [
    '--concurrency',
    '4',
    '--duration',
    '120',
    '--max-tokens',
    '32',
    '--lenient',
    '--quiet',
    '--store',
    store,
  ];
  const running = start(['run', server.url, ...load, '--label', 'by hand']);
  await page.click('.live-list a:has-text("by hand")');
  await page.waitForFunction(() => /· [1-9]/.test(document.querySelector('.progress-line')?.textContent ?? ''));
  for (const [lang, theme] of [
    ['en', 'light'],
    ['zh', 'dark'],
  ] as const) {
    await dress(page, lang, theme);
    await page.waitForSelector('.chart-grid canvas');
    const watched = lang === 'zh' ? '服务器：运行中的请求' : 'Server: requests running';
    await page.waitForSelector(`.chart-grid :text("${watched}")`);
    expect(await page.locator('.badge.live').innerText()).toMatch(lang === 'zh' ? /进行中/ : /live/i);
    expect(await seriousFaults(page)).toEqual([]);
  }
  await dress(page, 'en', 'light');
  await page.click('#stop-run');
  await page.waitForSelector('#ended');
  // As after one Ctrl-C: what was in flight was waited for, and all is accounted for.
  expect((await running.done).code).not.toBe(70);
  const id = readdirSync(store).find((name) => name.includes('by-hand'))!;
  const { counts, partial } = JSON.parse(readFileSync(join(store, id, 'summary.json'), 'utf8')) as {
    counts: Record<string, number>;
    partial: boolean;
  };
  expect(partial).toBe(true);
  expect(counts['ok']).toBeGreaterThan(0);
  expect(counts['unaccounted']).toBe(0);
  expect(readdirSync(join(store, id))).not.toContain('live.json');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('a mistake in the form is told in the words of the command line', async () => {
  const { page } = await openTab(browser, served.url, '#/live');
  await page.waitForSelector('#start-run');
  await fill(page, { url: server.url, concurrency: 'many', requests: '0' });
  await page.click('#start-run');
  await page.waitForSelector('form [role=alert]');
  const words = await page.locator('form [role=alert]').innerText();
  expect(words).toContain('--concurrency');
  expect(words).toContain('--requests');
  await page.close();
});

test('a plan answers as one types, with the figures of dyno plan', async () => {
  const flags = [
    '--model',
    'llama-3-8b',
    '--card',
    '910b4-32g',
    '--cards',
    '4',
    '--input-tokens',
    '186',
    '--output-tokens',
    '346',
    '--max-output-tokens',
    '512',
  ];
  const plan = JSON.parse((await dyno(['plan', ...flags, '--json'])).out) as { totalBlocks: number };
  const { page, misdeeds } = await openTab(browser, served.url, '#/plan');
  await page.fill('input[name=cards]', '4');
  await page.waitForFunction(
    (blocks) => document.querySelector('#plan-tiles .tile-value')?.textContent === blocks,
    plan.totalBlocks.toLocaleString('en-US'),
  );
  await page.selectOption('select[name=model]', 'qwen2-72b');
  await page.fill('input[name=cards]', '1');
  await page.waitForSelector('.answer [role=alert]');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('a simulation follows its sliders, and is fitted to a measured sweep', async () => {
  const { page, misdeeds } = await openTab(browser, served.url, '#/simulate?loads=1,8,64');
  await page.waitForFunction(() => /3 loads in/.test(document.querySelector('#sim-state')?.textContent ?? ''));
  await page.fill('input[name=maxBatchSize]', '4');
  await page.waitForFunction(() => location.hash.includes('set.maxBatchSize=4'));
  await page.waitForFunction(() => /3 loads in/.test(document.querySelector('#sim-state')?.textContent ?? ''));
  const mindie = readdirSync(store).find((name) => name.startsWith('import-') && name.includes('mindie-910b4-8'))!;
  await go(page, `#/simulate?measured=${mindie}&engine=fit`);
  await page.waitForSelector('.note.sim');
  expect(await page.locator('.note.sim').innerText()).toMatch(/error on the other points [\d.]+ %/);
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('opened by a link on another site or from a file, the page knows the browser that has its token, and no other', async () => {
  const file = join(await emptyFolder(), 'open.html');
  const lead = async (from: BrowserContext, to: string): Promise<Page> => {
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${to}">`);
    const page = await from.newPage();
    await page.goto(pathToFileURL(file).href);
    return page;
  };
  const { origin } = new URL(served.url);
  const stranger = await openBrowser({ offline: false, locale: 'en-US' });
  const refused = await lead(stranger, `${origin}/`);
  await refused.waitForFunction(() => document.body.textContent.includes('carries the token'));
  const led = await lead(stranger, served.url);
  await led.waitForSelector('#switch-language');
  const again = await lead(stranger, `${origin}/`);
  await again.waitForSelector('#switch-language');
  expect(again.url()).not.toContain('token');
  await stranger.close();
});

test('a server that goes away is told, and the page goes on when it is back', async () => {
  const kept = ['--token-file', join(await emptyFolder(), 'token')];
  const own = await serve(store, kept);
  const { page } = await openTab(browser, own.url, '#/runs');
  await page.waitForSelector('.runs tbody tr');
  await own.stop();
  await page.waitForSelector('[role=alert]');
  expect(await page.locator('[role=alert]').innerText()).toContain('dyno ui');
  const back = await serve(store, [...kept, '--port', new URL(own.url).port]);
  await page.click('[role=alert] button');
  await page.waitForSelector('[role=alert]', { state: 'detached' });
  await back.stop();
  await page.close();
});

test('a search in simulate mode is watched, held before its next trial, resumed and read to its end', async () => {
  const file = join(await emptyFolder(), 'tune.yaml');
  writeFileSync(
    file,
    [
      'engine: mindie',
      'url: http://127.0.0.1:1',
      'start: { command: none }',
      'space:',
      '  maxBatchSize: { from: 4, to: 64, start: 16 }',
      'load: { concurrency: 40 }',
      'workload: { input-tokens: 40, output-tokens: 16, lenient: true }',
      'budget: { runs: 7 }',
      '',
    ].join('\n'),
  );
  const { page, misdeeds } = await openTab(browser, served.url, '#/tune');
  const running = start(['tune', file, '--simulate', 'qwen1.5-7b-mindie-8x910b4', '--store', store, '--quiet']);
  await page.waitForSelector('.live-list a');
  await page.click('.live-list a');
  await page.waitForSelector('#trials tbody tr');
  // It may be over before the button is reached; a file that is there before the next trial holds it.
  const press = (): Promise<boolean> =>
    page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('#pause-tune');
      button?.click();
      return button !== null;
    });
  if (await press()) {
    const state = await page.waitForSelector('#tune-state.warn, #tune-state.good');
    if (await state.evaluate((element) => element.classList.contains('warn'))) await press();
  }
  expect((await running.done).code).toBe(0);
  await page.waitForSelector('#tune-state.good');
  await page.waitForSelector('.verdict');
  await page.waitForSelector('.figure .plot canvas');
  const id = decodeURIComponent((await hashOf(page)).split('/')[2]!.split('?')[0]!);
  const tune = JSON.parse(readFileSync(join(store, id, 'tune.json'), 'utf8')) as {
    trials: unknown[];
    best: { settings: { maxBatchSize: number } };
  };
  await page.waitForFunction((n) => document.querySelectorAll('#trials tbody tr').length === n, tune.trials.length);
  expect(await page.locator('.verdict').innerText()).toContain(String(tune.best.settings.maxBatchSize));
  await page.locator('#trials a').first().click();
  await page.waitForSelector('.tiles');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('dyno selftest --keep can be watched as it goes, and what it keeps is what it reports on', async () => {
  const own = await emptyFolder();
  const ui = await serve(own);
  const { page, misdeeds } = await openTab(browser, ui.url, '#/live');
  const running = start([
    'selftest',
    '--concurrency',
    '8',
    '--duration',
    '2',
    '--tokens',
    '20',
    '--keep',
    '--json',
    '--lenient',
    '--store',
    own,
  ]);
  const streams = await vi.waitUntil(() => readdirSync(own).find((name) => name.endsWith('selftest-streams')), 120_000);
  await vi.waitUntil(() => existsSync(join(own, streams, 'plan.json')), 120_000);
  await go(page, `#/live/${streams}`);
  await page.waitForFunction(() => /· [1-9]/.test(document.querySelector('.progress-line')?.textContent ?? ''));
  await page.waitForSelector('#ended');
  const report = JSON.parse((await running.done).out) as {
    planned: number;
    unaccounted: number;
    timestampErrorMs: { n: number };
  };
  const kept = readdirSync(own).filter((name) => name.includes('selftest'));
  expect(kept.map((name) => /selftest-[a-z]+$/.exec(name)?.[0]).toSorted()).toEqual([
    'selftest-requests',
    'selftest-schedule',
    'selftest-streams',
  ]);
  const exchangesOf = (name: string): { chunks: { emittedMs: number[] } }[] =>
    readFileSync(join(own, name, 'exchanges.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { chunks: { emittedMs: number[] } });
  expect(kept.flatMap(exchangesOf).length).toBe(report.planned);
  expect(report.unaccounted).toBe(0);
  const stamps = exchangesOf(streams).map(({ chunks }) => chunks.emittedMs.length);
  expect(stamps.reduce((sum, n) => sum + n, 0)).toBe(report.timestampErrorMs.n);
  expect(misdeeds).toEqual(innocent);
  await ui.stop();
  await page.close();
});
