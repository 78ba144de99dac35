import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomStream } from '../../src/core/index.ts';
import type { RandomStream } from '../../src/core/index.ts';
import { dynoHere } from '../in-process.ts';

const files = process.env['LLMDYNO_LONG'] === '1' ? 100_000 : 600;
/** Another seed draws other files. */
const seed = Number(process.env['LLMDYNO_FILES_SEED'] ?? 33);
const mebi = 1024 * 1024;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llmdyno-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files of the fixtures, which are what others' programs wrote. */
const written = ((): { name: string; bytes: Buffer }[] => {
  const dir = join(import.meta.dirname, '../fixtures');
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:jsonl?|csv|md|log|txt|ya?ml|parquet|gz|zst|db|html)$/.test(name))
    .toSorted()
    .filter((name) => statSync(join(dir, name)).size <= 64 * 1024)
    .map((name) => ({ name, bytes: readFileSync(join(dir, name)) }));
})();

const readers = [
  ['import'],
  ['import'],
  ['audit'],
  ['dataset', 'inspect'],
  // A wire that there is not: nothing is sent, whatever stands in the file.
  ['run', '--api', 'none'],
  ['tune', '--dry-run'],
  ['plan', '--model-config'],
  ['sim', '-n', '4', '--profile'],
  ['fit'],
  ['devices', '--from'],
] as const;
const endings = ['jsonl', 'json', 'csv', 'md', 'log', 'zst', 'gz', 'parquet', 'yaml', 'db', 'html', ''];
const starts = ['', '28b52ffd', '1f8b0800', '50415231', '53514c69746520666f726d6174203300', 'efbbbf', 'fffe'];
const strange = [
  'NaN',
  '1e999',
  '-1',
  '9'.repeat(400),
  '__proto__',
  '\u0000',
  '\u001b[2J',
  '[',
  '{"',
  '&a [*a]',
  '<<: *a',
  '\ud800',
  '\u202e',
];

/** What stands in a file: nothing that anybody wrote, or what somebody wrote with some injuries. */
function content(chance: RandomStream): Buffer {
  if (chance.below(3) === 0) {
    const bytes = Buffer.from(Array.from({ length: chance.below(500) }, () => chance.below(256)));
    return Buffer.concat([Buffer.from(starts[chance.below(starts.length)]!, 'hex'), bytes]);
  }
  let { bytes } = written[chance.below(written.length)]!;
  for (let n = 1 + chance.below(4); n > 0; n -= 1) {
    const [at, to] = [chance.below(bytes.length + 1), chance.below(bytes.length + 1)].toSorted((a, b) => a - b) as [
      number,
      number,
    ];
    const put = [
      Buffer.from(strange[chance.below(strange.length)]!),
      Buffer.from([chance.below(256)]),
      bytes.subarray(at, Math.min(to, at + 2000)),
    ];
    const behind = [at, at + 1, Math.min(to, at + 40), bytes.length][chance.below(4)]!;
    bytes = Buffer.concat([bytes.subarray(0, at), put[chance.below(3)]!, bytes.subarray(behind)]);
  }
  return bytes;
}

test(
  `${files} files of random bytes and of injured words: every reader ends with a result or in words`,
  { timeout: 14_400_000 },
  async () => {
    const chance = randomStream(seed, 'files');
    const before = process.memoryUsage.rss();
    for (let number = 0; number < files; number += 1) {
      const path = join(folder, `any${number}.${endings[chance.below(endings.length)]}`);
      const words = readers[chance.below(readers.length)]!;
      writeFileSync(path, content(chance));
      const { code, err } = await dynoHere([...words, path, '--store', join(folder, 'store')]);
      const told = `${number}: dyno ${words.join(' ')} ${path}: ${code} ${err}`;
      // Nothing is there to be reached, so that 3 is no end; 1, 4 and 5 are verdicts of what was read.
      expect([0, 1, 2, 4, 5], told).toContain(code);
      expect(err, told).not.toMatch(/has a bug|\n +at .*:\d+:\d+/);
      // Whoever reads many files has to know which one it was; a card that was not named is no matter of the file.
      if (code === 2 && !/--(?:api|card|tokenizer)/.test(err)) expect(err, told).toContain(`any${number}.`);
      expect((process.memoryUsage.rss() - before) / mebi, told).toBeLessThan(512);
      rmSync(path);
    }
  },
);
