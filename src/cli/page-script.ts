import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PageScript } from '../results/report/index.ts';

/** The browser side of HTML reports, as the build left it beside this file. */
export async function pageScript(): Promise<PageScript> {
  const code = await readFile(new URL('../page/report-page.js', import.meta.url), 'utf8');
  return { code, sha256: createHash('sha256').update(code).digest('base64') };
}
