// Draws every kind of chart at its edges (2 and 20 series, 2 and 40 points, both languages), to be looked at.
//   node bench/charts.mjs OUT_DIR [--lang en] [--theme dark] [--width 1350] [--scale 1] [--only NAME]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const out = process.argv[2] ?? 'charts-out';
const word = (name, usual) =>
  process.argv.includes(`--${name}`) ? process.argv[process.argv.indexOf(`--${name}`) + 1] : usual;
mkdirSync(out, { recursive: true });
const root = new URL('..', import.meta.url).pathname;
// Beside dist/, so that the font is found as the product finds it.
const bundle = join(root, 'dist', 'bench', 'charts.js');
await build({
  stdin: {
    contents: `
      export { chartMatrix } from './test/laws/chart-matrix.ts';
      export { figureSvg } from './src/results/report/chart/index.ts';
      export { pngOf } from './src/results/picture/index.ts';`,
    resolveDir: root,
    loader: 'ts',
  },
  bundle: true,
  outfile: bundle,
  format: 'esm',
  platform: 'node',
  external: ['@resvg/resvg-js'],
  logLevel: 'warning',
});
const { chartMatrix, figureSvg, pngOf } = await import(pathToFileURL(bundle).href);
const only = word('only', null);
const theme = word('theme', 'light');
for (const { name, figure } of chartMatrix()) {
  if (only !== null && !name.startsWith(only)) continue;
  for (const lang of word('lang', 'en,zh').split(',')) {
    const svg = await figureSvg(figure, { lang, theme, width: Number(word('width', 1350)) });
    const { bytes, missing } = pngOf(svg, Number(word('scale', 1)));
    writeFileSync(join(out, `${name}-${lang}.png`), bytes);
    writeFileSync(join(out, `${name}-${lang}.svg`), svg);
    if (missing.length > 0) console.log(`${name}-${lang}: no glyph for ${missing.join(' ')}`);
  }
}
