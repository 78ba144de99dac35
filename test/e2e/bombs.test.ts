import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';
import type { Done } from './dyno.ts';

const mebi = 1024 * 1024;
const limitMiB = 512;
const long = process.env['LLMDYNO_LONG'] === '1';
let folder: string;

beforeAll(async () => {
  folder = await emptyFolder();
});

/** Runs a command whose heap is small, and says how much memory the process took at the most. */
async function limited(words: readonly string[]): Promise<Done & { peakMiB: number }> {
  const tell = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))";
  const options = `--max-old-space-size=300 --import=data:text/javascript,${encodeURIComponent(tell)}`;
  const done = await dyno([...words, '--store', join(folder, 'store')], { env: { NODE_OPTIONS: options } });
  return { ...done, peakMiB: Number(/peak (\d+)$/.exec(done.err)?.[1] ?? Infinity) / 1024 };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A zstd frame of blocks that each stand for 128 KiB of one byte: RFC 8878, 3.1.1.2, type RLE. */
function zstdBomb(byte: number, blocks: number): Uint8Array {
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50];
  const body = Buffer.alloc(blocks * 4);
  for (let i = 0; i < blocks; i++) {
    body.writeUIntLE((131_072 << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0), i * 4, 3);
    body[i * 4 + 3] = byte;
  }
  return Buffer.concat([Buffer.from(head), body]);
}

const cells = (count: number): string => '[],'.repeat(count);
const doubled = (merge: boolean): string =>
  [
    'a0: &a0 {k: 1}',
    ...Array.from({ length: 60 }, (_, i) => {
      const twice = `[*a${i}, *a${i}]`;
      return `a${i + 1}: &a${i + 1} ${merge ? `{<<: ${twice}, k${i}: 1}` : twice}`;
    }),
  ].join('\n');

describe('a file that stands for more than any memory holds is refused in words, within 512 MiB', () => {
  test.each<[string, () => readonly string[]]>([
    ['zstd', () => ['dataset', 'inspect', file('bomb.jsonl.zst', zstdBomb(0x61, 20_000))]],
    [
      'zstd with a window of 2 GiB',
      () => ['dataset', 'inspect', file('w.zst', Buffer.from('28b52ffd00a8010000', 'hex'))],
    ],
    ['gzip', () => ['dataset', 'inspect', file('bomb.jsonl.gz', gzipSync(Buffer.alloc(200 * mebi, 0x61)))]],
    ['a line of 40 MiB', () => ['dataset', 'inspect', file('line.jsonl', `{"prompt":[${cells(13 * mebi)}`)]],
    ['a line full of lists', () => ['dataset', 'inspect', file('lists.jsonl', `{"prompt":[${cells(5 * mebi)}[]]}`)]],
    ['an array of one element', () => ['dataset', 'inspect', file('a.json', `[{"prompt":[${cells(13 * mebi)}[]]}]`)]],
    ['a CSV row of commas', () => ['dataset', 'inspect', file('row.csv', `prompt\n${','.repeat(40 * mebi)}`)]],
    ['a CSV field', () => ['dataset', 'inspect', file('field.csv', `prompt\n"${'ab""'.repeat(10 * mebi)}`)]],
    ['a result file of lists', () => ['import', file('lists.json', `[${cells(20 * mebi)}[]]`)]],
    ['a result file nested deeply', () => ['import', file('deep.json', '['.repeat(mebi))]],
    ['a plan of aliases', () => ['run', file('aliases.yaml', doubled(false))]],
    ['a plan of merges', () => ['run', file('merges.yaml', doubled(true))]],
    ['a plan nested deeply', () => ['run', file('deep.yaml', `url: ${'['.repeat(100_000)}`)]],
    ['a tune file of merges', () => ['tune', file('tune.yaml', doubled(true))]],
    ['a tune file without end', () => ['tune', '/dev/zero']],
    ['a wire of aliases', () => ['run', 'http://127.0.0.1:9', '--wire', file('wire.yaml', doubled(false))]],
    ['a profile nested deeply', () => ['sim', '--profile', file('profile.json', '['.repeat(mebi))]],
    ['a model nested deeply', () => ['plan', '--model-config', file('config.json', '['.repeat(mebi))]],
  ])('%s', async (_, words) => {
    const { code, err, peakMiB } = await limited(words());
    expect(err).not.toMatch(/has a bug|heap out of memory|at .*\.js:\d/);
    expect([1, 2]).toContain(code);
    expect(peakMiB).toBeLessThan(limitMiB);
  });
});

test('whatever stands in a file, every reader ends in words or with a result', async () => {
  const endings = ['jsonl', 'json', 'csv', 'zst', 'gz', 'parquet', 'yaml', 'db'] as const;
  const starts: Record<string, string> = { zst: '28b52ffd', gz: '1f8b08', parquet: '50415231', db: '53514c69746520' };
  const readers = [
    ['dataset', 'inspect'],
    ['import'],
    ['audit'],
    ['run'],
    ['tune'],
    ['plan', '--model-config'],
    ['sim', '--profile'],
    ['fit'],
    ['devices', '--from'],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...endings),
      fc.constantFrom(...readers),
      fc.oneof(
        fc.uint8Array({ maxLength: 400 }),
        fc.json().map((text) => Buffer.from(text)),
        fc.string().map(Buffer.from),
      ),
      async (ending, words, content) => {
        const path = file(`any.${ending}`, Buffer.concat([Buffer.from(starts[ending] ?? '', 'hex'), content]));
        const { code, err } = await limited([...words, path]);
        expect([words, code, err]).not.toEqual([words, 70, expect.anything()]);
        expect(code).not.toBeNull();
      },
    ),
    { numRuns: long ? 2000 : 40 },
  );
});
