import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

/** What a page did that it should not have done. */
export interface Misdeeds {
  console: string[];
  /** Requests that left this server. */
  outside: string[];
  failed: string[];
}

/** A tab on a served page that remembers every misdeed. */
export async function openTab(
  browser: BrowserContext,
  base: string,
  hash = '',
): Promise<{ page: Page; misdeeds: Misdeeds }> {
  const page = await browser.newPage();
  const misdeeds: Misdeeds = { console: [], outside: [], failed: [] };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') misdeeds.console.push(message.text());
  });
  page.on('pageerror', (error) => misdeeds.console.push(error.message));
  page.on('request', (request) => {
    const own = request.url().startsWith(new URL(base).origin) || /^(blob|data):/.test(request.url());
    if (!own) misdeeds.outside.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) misdeeds.failed.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${base}${hash}`);
  return { page, misdeeds };
}

/** Nothing of it. */
export const innocent: Misdeeds = { console: [], outside: [], failed: [] };

/** Goes to another place of the same page. */
export function go(page: Page, hash: string): Promise<void> {
  return page.evaluate((to) => void (location.hash = to), hash);
}

/** Where the page stands now, asked of the page itself: what the driver heard last may be behind. */
export function hashOf(page: Page): Promise<string> {
  return page.evaluate(() => location.hash);
}

/** Chooses language and theme by the buttons of the bar. */
export async function dress(page: Page, lang: 'en' | 'zh', theme: 'light' | 'dark'): Promise<void> {
  const now = await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]);
  if (now[0] !== (lang === 'zh' ? 'zh-CN' : 'en')) await page.click('#switch-language');
  if (now[1] !== theme) await page.click('#switch-theme');
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core calls serious or critical on the page as it stands, in a line each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
