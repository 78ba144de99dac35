import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';

const places = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A browser of its own with no profile, and with no network unless told. */
export async function openBrowser(more: { offline?: boolean; locale?: string } = {}): Promise<BrowserContext> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined)
    throw new Error('no Chromium: run npm test, which installs it, or set CHROMIUM_PATH');
  const profile = await mkdtemp(join(tmpdir(), 'llmdyno-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    timeout: 150_000,
    offline: true,
    viewport: { width: 1280, height: 900 },
    ...more,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-gpu'],
  });
  // Only against waiting for ever: a busy machine may take its time.
  context.setDefaultTimeout(150_000);
  return context;
}

/** What a page did that it should not have done. */
export interface Misdeeds {
  console: string[];
  requests: string[];
}

/** Opens a file and listens for errors and for requests that leave the file. */
export async function openPage(browser: BrowserContext, file: string): Promise<{ page: Page; misdeeds: Misdeeds }> {
  const page = await browser.newPage();
  const misdeeds: Misdeeds = { console: [], requests: [] };
  const url = `file://${file}`;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') misdeeds.console.push(message.text());
  });
  page.on('pageerror', (error) => misdeeds.console.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url) misdeeds.requests.push(request.url().slice(0, 200));
  });
  await page.goto(url);
  return { page, misdeeds };
}
