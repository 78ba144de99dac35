// Chromium for the tests that open pages in a real browser.
import { debianProgram } from './debian-program.mjs';

/** { path } or { path: null, why }. */
export const browserPath = () =>
  debianProgram({
    name: 'Chromium',
    packageName: 'chromium',
    variable: 'CHROMIUM_PATH',
    places: [
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
  });
