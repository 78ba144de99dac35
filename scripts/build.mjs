// Bundles into dist/ the command line (cli/main), the library (lib/index, declared in types/) and the processes and threads that they start (lib/): one file per lazily loaded command; packages that are dependencies stay outside,
// those that are only there to build (echarts, bullmq, ioredis) or quicker in one file (zod, yaml) are bundled in, with their licences in dist/THIRD-PARTY.txt.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildApp } from './app.mjs';
import { buildTypes } from './types.mjs';

const root = new URL('..', import.meta.url);
const out = new URL('../dist/', import.meta.url);
const { dependencies } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
await rm(out, { recursive: true, force: true });
const types = buildTypes(root.pathname, 'library/index.ts');
// Told once the rest is built.
types.catch(() => {});
const usual = {
  absWorkingDir: root.pathname,
  outdir: 'dist',
  bundle: true,
  sourcesContent: false,
  logLevel: 'warning',
  metafile: true,
};
const command = await build({
  ...usual,
  entryPoints: {
    'cli/main': 'src/cli/main.ts',
    'lib/index': 'src/library/index.ts',
    'lib/load-worker': 'src/lab/runners/load-worker.ts',
    'lib/compute-worker': 'src/lab/compute/compute-worker.ts',
    'lib/import-thread': 'src/lab/results/import-thread.ts',
    'lib/sampler': 'src/lab/runners/sampler.ts',
    'lib/experiment-process': 'src/lab/experiment-process.ts',
  },
  splitting: true,
  chunkNames: 'lib/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: Object.keys(dependencies),
  // Packages that are bundled as CommonJS (ioredis) ask for Node's own modules with require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  sourcemap: true,
});
// The script inside HTML reports.
const page = await build({
  ...usual,
  entryPoints: { 'page/report-page': 'src/results/report/page/page.ts' },
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  // `</script>` inside a string would end the script early; esbuild writes `<\/script>`.
  charset: 'ascii',
  legalComments: 'none',
});
// The page of `dyno ui`.
const app = await buildApp(root);
await types;
await chmod(new URL('cli/main.js', out), 0o755);
await writeFile(new URL('THIRD-PARTY.txt', out), await notices([command.metafile, page.metafile, app]));

/** Name, version and licence texts of every package whose code is inside dist/. */
async function notices(metafiles) {
  const inputs = metafiles.flatMap(({ inputs: files }) => Object.keys(files));
  const names = new Set(inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean));
  const parts = [];
  for (const name of [...names].toSorted((a, b) => (a < b ? -1 : 1))) {
    const read = (file) => readFile(new URL(`node_modules/${name}/${file}`, root), 'utf8');
    const { version, license } = JSON.parse(await read('package.json'));
    const texts = [];
    for (const file of ['LICENSE', 'LICENSE.txt', 'LICENSE.md', 'NOTICE'])
      await read(file).then(
        (text) => texts.push(text),
        () => null,
      );
    parts.push(`${name} ${version} (${license})\n\n${texts.join('\n\n')}`);
  }
  return `Code of these packages is bundled into llmdyno.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
