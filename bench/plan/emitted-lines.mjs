// Writes the command lines of `dyno plan --emit` for every model that data/ knows on some cards, one JSON object a line, with a folder of its config.json:
// what accepted-by-vllm.py and accepted-by-sglang.py then hand to the engines' own argument classes.
// Run: node bench/plan/emitted-lines.mjs OUT-FOLDER
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = process.argv[2];
if (out === undefined) throw new Error('name a folder to write to');
mkdirSync(out, { recursive: true });

const models = readdirSync(join(root, 'data/models'))
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(join(root, 'data/models', name), 'utf8')));
/** Card, cards in all and further words, each over every model. */
const rigs = [
  ['910b4-32g', 8, []],
  ['h200', 1, []],
  ['a100', 4, ['--kv-dtype', 'fp8']],
  ['mxc500-64g', 8, ['--tp', '4', '--dp', '2']],
];

const lines = [];
for (const { name, config } of models) {
  const folder = join(out, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  for (const [card, cards, words] of rigs) {
    for (const engine of ['vllm', 'sglang']) {
      const asked = ['plan', '--model', name, '--card', card, '--cards', String(cards), ...words];
      const lengths = ['--input-tokens', '512', '--output-tokens', '256', '--emit', engine];
      const ran = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...asked, ...lengths], {
        encoding: 'utf8',
      });
      const refused = /error: (.*)/.exec(ran.stderr)?.[1] ?? null;
      lines.push({
        model: name,
        folder,
        card,
        cards,
        engine,
        line: ran.status === 0 ? ran.stdout : null,
        status: ran.status,
        refused,
      });
    }
  }
}
writeFileSync(join(out, 'lines.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
console.log(
  `${lines.length} lines, ${lines.filter(({ line }) => line === null).length} of them refused by dyno plan itself`,
);
