import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { dyno, emptyFolder, engine } from '../dyno.ts';
import type { Engine } from '../dyno.ts';
import { serve } from '../serve.ts';
import type { Served } from '../serve.ts';
import { go, hashOf, innocent, openTab } from './ui.ts';

// What somebody who is new here does with the page, one after the other.

let browser: BrowserContext;
let server: Engine;
let store: string;
let served: Served;

beforeAll(async () => {
  browser = await openBrowser({ offline: false, locale: 'en-US' });
  store = join(await emptyFolder(), 'store');
  mkdirSync(store);
  server = await engine(['--speed', '20']);
  const load = ['--max-tokens', '16', '--lenient', '--quiet', '--store', store, '-n', '40'];
  for (let i = 10; i < 30; i++) await dyno(['sim', ...load, '--concurrency', String(i), '--label', `load ${i}`]);
  for (const label of ['first', 'second'])
    await dyno(['sim', ...load, '--concurrency', '2,8,32', '--slo', 'ttft.p99<1ms', '--label', label]);
  served = await serve(store, ['--allow-target', new URL(server.url).host]);
});
afterAll(async () => {
  await browser.close();
  await served.stop();
  await server.stop();
});

const idOf = (label: string): string => readdirSync(store).find((name) => name.endsWith(`-${label}`))!;
const rows = (page: Page): Promise<string[]> => page.locator('.runs tbody tr .name a').allInnerTexts();

describe('the form', () => {
  test.each(['find', 'run', 'sweep', 'sim'])('%s can be sent as it stands', async (command) => {
    const { page, misdeeds } = await openTab(browser, served.url, '#/live');
    await page.check(`input[value=${command}]`);
    expect(await page.locator('#command-line').innerText()).toMatch(new RegExp(`^dyno ${command} `));
    const place = await page.locator('#start-run').boundingBox();
    expect(place!.y).toBeLessThan(900);
    await page.click('#start-run');
    await page.waitForFunction(() => /^#\/live\/.+/.test(location.hash));
    const id = decodeURIComponent((await hashOf(page)).split('/')[2]!);
    const stop = page.locator('#stop-run');
    await Promise.race([stop.click(), page.waitForSelector('#ended')]);
    await page.waitForSelector('#ended');
    expect(readdirSync(store)).toContain(id);
    expect(misdeeds).toEqual(innocent);
    await page.close();
  });
});

test('ticks, order and place in the list are as they were when one comes back', async () => {
  const { page } = await openTab(browser, served.url, '#/runs');
  await page.waitForSelector('.runs tbody tr');
  await page.click('.runs th button:has-text("Load")');
  await page.waitForFunction(() => location.hash.includes('sort=load.up'));
  const order = await rows(page);
  expect(order.indexOf('load 12')).toBeLessThan(order.indexOf('load 28'));
  await page.check('.runs tr:has-text("load 27") input[type=checkbox]');
  await page.locator('.runs tr:has-text("load 27")').scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, 600));
  const at = await page.evaluate(() => scrollY);
  expect(at).toBeGreaterThan(300);
  // What is kept is written a moment after one has stopped.
  await page.waitForFunction((y) => (history.state as { y?: number } | null)?.y === y, at);
  await page.evaluate(() => document.querySelector<HTMLElement>('.runs tbody tr:nth-child(12) .name a')!.click());
  await page.waitForSelector('.lead');
  await page.waitForFunction(() => scrollY === 0);
  await page.goBack();
  await page.waitForFunction((y) => Math.abs(scrollY - y) < 2, at);
  expect(await rows(page)).toEqual(order);
  expect(await page.isChecked('.runs tr:has-text("load 27") input[type=checkbox]')).toBe(true);
  await page.close();
});

test('a result to compare with is found by its words, those asked alike first', async () => {
  const { page, misdeeds } = await openTab(browser, served.url, `#/compare?id=${idOf('first')}`);
  await page.waitForSelector('.adding-list button');
  const groups = page.locator('.adding-list [role=group]');
  expect(await groups.first().innerText()).toMatch(/^Asked alike[^]*\nsecond\n/);
  expect(await groups.nth(1).innerText()).toMatch(/^Others[^]*\nload 14\n/);
  await page.fill('#add-result', 'no such words');
  await page.waitForSelector('.adding-list :text("Nothing has these words.")');
  await page.fill('#add-result', 'second');
  await page.click('.adding-list button:has-text("second")');
  await page.waitForSelector('.verdict-line');
  expect((await hashOf(page)).match(/id=/g)).toHaveLength(2);
  await page.click('.adding summary');
  await page.fill('#add-result', 'load 14');
  await page.click('.adding-list button:has-text("load 14")');
  await page.waitForFunction(() => location.hash.match(/id=/g)?.length === 3);
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('cards, price and power can be said later: the frontier is told by them, and kept beside the results', async () => {
  const ids = ['first', 'second'].map(idOf);
  const { page, misdeeds } = await openTab(browser, served.url, `#/compare?id=${ids[0]}&id=${ids[1]}`);
  await page.waitForSelector('#frontier table');
  expect(await page.locator('#frontier h3').first().innerText()).toContain('Throughput of the system');
  const said = { cards: '8', price: '12.5', power: '2400' };
  for (const form of [0, 1])
    for (const [name, value] of Object.entries(said)) {
      const machine = page.locator('.machine').nth(form);
      await machine.locator(`[name=${name}]`).fill(value);
    }
  await page.locator('.machine button').nth(0).click();
  await page.locator('.machine').nth(0).locator('button:disabled').waitFor();
  await page.locator('.machine').nth(1).locator('[name=cards]').fill('4');
  await page.locator('.machine button').nth(1).click();
  await page.waitForSelector('#frontier h3:has-text("Throughput per card")');
  await page.waitForSelector('#frontier h3:has-text("per watt")');
  const facts = JSON.parse(readFileSync(join(store, ids[1]!, 'facts.json'), 'utf8')) as { own: object };
  expect(facts.own).toEqual({ cards: 4, pricePerHour: 12.5, powerW: 2400 });
  await go(page, `#/run/${ids[0]}`);
  await page.waitForSelector('#frontier h3:has-text("Throughput per card")');
  expect(await page.locator('.machine [name=cards]').inputValue()).toBe('8');
  expect(misdeeds).toEqual(innocent);
  await page.close();
});

test('on a phone the rows of tables are cards: every cell is in sight and names its column', async () => {
  const { page } = await openTab(browser, served.url, '#/runs');
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [hash, table] of [
    ['#/runs', '.runs'],
    [`#/run/${idOf('first')}`, '[aria-label=Points] table'],
    [`#/run/${idOf('14')}`, '[aria-label=Distributions] table'],
    [`#/compare?id=${idOf('first')}&id=${idOf('second')}`, '.compare'],
  ] as const) {
    await go(page, hash);
    await page.waitForSelector(`${table} tbody tr`);
    const cells = await page.locator(`${table} tbody tr`).first().locator('td').all();
    expect(cells.length).toBeGreaterThan(1);
    for (const cell of cells) {
      const [box, name] = await Promise.all([cell.boundingBox(), cell.getAttribute('data-label')]);
      expect(name).not.toBeNull();
      expect([box!.x >= 0, box!.x + box!.width <= 390]).toEqual([true, true]);
    }
  }
  await page.close();
});

test('what is there to be copied is copied, also by a page that came from another machine', async () => {
  const { page } = await openTab(browser, served.url, '#/live');
  await page.waitForSelector('#command-line');
  const command = await page.locator('#command-line').innerText();
  // Over plain HTTP from elsewhere there is no clipboard to write to.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.evaluate(() => {
    document.addEventListener('copy', () => Object.assign(globalThis, { got: getSelection()!.toString() }));
  });
  await page.click('.said .copy');
  await page.waitForSelector('.toast:has-text("Copied")');
  const got = await page.evaluate(
    () => (globalThis as unknown as { got: string }).got || (document.activeElement as HTMLTextAreaElement).value,
  );
  expect(got).toBe(command);
  await page.close();
});
