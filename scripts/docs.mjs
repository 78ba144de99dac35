// Writes docs/reference from the code. With --check it only compares, and fails where a page is not current.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { bundled } from './bundled.mjs';
import { commandsPage } from './docs/commands-page.mjs';
import { errorsPage } from './docs/errors-page.mjs';
import { filesPage } from './docs/files-page.mjs';
import { exitCodesPage, findingsPage, problemsPage } from './docs/list-pages.mjs';

const root = new URL('..', import.meta.url);

/** The parts of the house that the pages tell of, bundled in memory. */
async function loadHouse() {
  const house = await bundled(`
    export { exitCodes, problems } from './src/core/index.ts';
    export { comparisonRules, limits, neighbourRules, pointRules, sideRules, sweepRules } from './src/results/audit/index.ts';
    export { jsonSchemas } from './src/results/store/schema/index.ts';
    export { commands } from './src/cli/commands.ts';
    export { commonFlags } from './src/cli/parse.ts';
    export { argumentTitle, flagTitle, helpWords } from './src/cli/help-page.ts';`);
  const loaded = await Promise.all(
    Object.entries(house.commands).map(async ([name, entry]) => [name, (await entry.load()).command]),
  );
  return { ...house, commandFiles: Object.fromEntries(loaded) };
}

const house = await loadHouse();
const pages = {
  'commands.md': commandsPage(house, 'en'),
  'commands.zh.md': commandsPage(house, 'zh'),
  'problems.md': problemsPage(house),
  'findings.md': findingsPage(house),
  'exit-codes.md': await exitCodesPage(house, root),
  'errors.md': await errorsPage(root),
  'files.md': await filesPage(house, root),
};

const check = process.argv.includes('--check');
const folder = new URL('docs/reference/', root);
let stale = 0;
await mkdir(folder, { recursive: true });
for (const [name, wanted] of Object.entries(pages)) {
  const file = new URL(name, folder);
  if (!check) await writeFile(file, wanted);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== wanted) {
    stale += 1;
    console.error(`docs/reference/${name} is not current: run npm run docs`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
