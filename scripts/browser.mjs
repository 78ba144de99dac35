// Finds Chromium for the tests that open a report in a real browser, or installs it where that is allowed and possible
// (Debian, as root). Gives its path, or null with the reason.
import { access } from 'node:fs/promises';
import { run } from './steps.mjs';

const places = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].filter(Boolean);

async function found() {
  for (const place of places) {
    const there = await access(place).then(
      () => true,
      () => false,
    );
    if (there) return place;
  }
  return null;
}

/** { path } or { path: null, why }. */
export async function browserPath() {
  const there = await found();
  if (there !== null) return { path: there };
  const isRoot = process.getuid?.() === 0;
  const hasApt = (await run('which', ['apt-get'])).code === 0;
  if (!isRoot || !hasApt) return { path: null, why: 'no Chromium was found; install it, or set CHROMIUM_PATH' };
  console.log('installing chromium with apt-get');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await run('apt-get', args, { env });
    if (code !== 0) return { path: null, why: `apt-get ${args[0]} failed: ${output.slice(-300)}` };
  }
  return { path: await found(), why: 'apt-get installed no Chromium where it is looked for' };
}
