// Writes schemas/*.schema.json from the zod schemas of src/results/store, src/advice/plan, src/advice/tune, and scripts/document-schemas.ts. With --check it only compares, and fails on a difference.
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { bundled } from './bundled.mjs';

const root = new URL('..', import.meta.url);
const { documentJsonSchemas, jsonSchemas, planJsonSchemas, tuneJsonSchemas } = await bundled(`
  export { jsonSchemas } from './src/results/store/schema/index.ts';
  export { planJsonSchemas } from './src/advice/plan/index.ts';
  export { documentJsonSchemas } from './scripts/document-schemas.ts';
  export { tuneJsonSchemas } from './src/advice/tune/tune-document.ts';`);

const check = process.argv.includes('--check');
let stale = 0;
await mkdir(new URL('schemas/', root), { recursive: true });
for (const [name, schema] of Object.entries({
  ...jsonSchemas(),
  ...planJsonSchemas(),
  ...documentJsonSchemas(),
  ...tuneJsonSchemas(),
})) {
  const file = new URL(`schemas/${name}.schema.json`, root);
  const wanted = `${JSON.stringify(schema, null, 2)}\n`;
  if (!check) await writeFile(file, wanted);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== wanted) {
    stale += 1;
    console.error(`schemas/${name}.schema.json is not current: run node scripts/schemas.mjs`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
