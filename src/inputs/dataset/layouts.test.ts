import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import type { Mistake } from '../../core/index.ts';
import { openDataset, openTokenizer } from './index.ts';

const fixtures = join(import.meta.dirname, '../../../test/fixtures/dataset');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llmdyno-layouts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;
function fileOf(content: string | Buffer, name = `${(made += 1)}.x`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
async function textsOf(spec: string, n: number, field?: string): Promise<(string | null)[]> {
  const dataset = await openDataset(spec, field === undefined ? {} : { field });
  await dataset.check({ offset: 0, count: n });
  const workload = dataset.workload(0);
  const texts: (string | null)[] = [];
  while (texts.length < n) texts.push((await workload.next())!.text);
  return texts;
}
async function mistakeOf(promise: Promise<unknown>): Promise<Mistake> {
  const failure: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof UserError) return failure.mistakes[0]!;
  throw new Error(`expected a UserError, got ${String(failure)}`);
}
const jsonl = (n: number): string => Array.from({ length: n }, (_, i) => `{"question":"question ${i}"}\n`).join('');

describe('packed files', () => {
  it('gzip is read as if it were not there, members one after the other too', async () => {
    const packed = Buffer.concat([gzipSync(jsonl(3)), gzipSync('{"question":"last"}\n')]);
    expect(await textsOf(fileOf(packed, 'a.jsonl.gz'), 5)).toEqual([
      'question 0',
      'question 1',
      'question 2',
      'last',
      'question 0',
    ]);
  });

  it('zstd of another packer is read to its end', async () => {
    const texts = await textsOf(join(fixtures, 'questions.jsonl.zst'), 2000);
    expect([texts[0], texts[1999]]).toEqual(['question 0', 'question 1999']);
  });

  it('a file cut off is told with the line it was cut after', async () => {
    const random = Array.from(
      { length: 5000 },
      (_, i) => `{"question":"${(i * 2654435761) % 4294967296} ${i}"}\n`,
    ).join('');
    const whole = gzipSync(random);
    const mistake = await mistakeOf(openDataset(`openqa:${fileOf(whole.subarray(0, whole.length - 2000))}`));
    expect(mistake.code).toBe('dataset-pack-broken');
    expect(mistake.message.en).toContain('ends too early');
    expect(mistake.place!.line).toBeGreaterThan(1);
    const zst = readFileSync(join(fixtures, 'questions.jsonl.zst'));
    expect((await mistakeOf(openDataset(`openqa:${fileOf(zst.subarray(0, zst.length - 300))}`))).code).toBe(
      'dataset-pack-broken',
    );
  });

  it('damage inside is told as damage', async () => {
    const bytes = gzipSync(jsonl(4000));
    bytes.fill(0xff, 200, 260);
    const mistake = await mistakeOf(openDataset(`openqa:${fileOf(bytes)}`));
    expect([mistake.code, mistake.message.en.includes('damaged')]).toEqual(['dataset-pack-broken', true]);
  });
});

describe('Parquet', () => {
  it.each(['snappy', 'gzip', 'zstd', 'brotli', 'none'])('with %s pages gives its rows in order', async (packing) => {
    const file = join(fixtures, `questions.${packing}.parquet`);
    expect(await textsOf(file, 6)).toEqual(['one?', '二?', 'three?', 'four?', 'five?', 'one?']);
    expect((await openDataset(file)).facts({ offset: 0, count: 6 })).toMatchObject({ items: 5, cycled: true });
  });

  it('with a wrong field or damage is told', async () => {
    const file = join(fixtures, 'questions.snappy.parquet');
    const wrong = await mistakeOf(textsOf(file, 1, 'answer'));
    expect([wrong.code, wrong.message.en]).toEqual([
      'dataset-wrong-field',
      'no field "answer"; the fields there are: "question", "n"',
    ]);
    const bytes = readFileSync(file);
    expect((await mistakeOf(openDataset(fileOf(bytes.subarray(0, 900))))).code).toBe('dataset-malformed-parquet');
  });
});

describe('folders of Hugging Face datasets', () => {
  const saved = join(fixtures, 'saved-to-disk');

  it('give the rows of all their Arrow files in order', async () => {
    expect(await textsOf(saved, 6)).toEqual(['one?', '二?', 'three?', 'four?', 'five?', 'one?']);
    expect((await openDataset(`openqa:${saved}`)).facts({ offset: 0, count: 6 })).toMatchObject({
      items: 5,
      cycled: true,
    });
    const first = await (await openDataset(`messages:${saved}`)).workload(0).next();
    expect(first!.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('cut off or leading elsewhere are told', async () => {
    const broken = mkdtempSync(join(folder, 'hf-'));
    const name = 'data-00000-of-00002.arrow';
    const bytes = readFileSync(join(saved, name));
    writeFileSync(join(broken, name), bytes.subarray(0, bytes.length - 200));
    writeFileSync(join(broken, 'state.json'), JSON.stringify({ _data_files: [{ filename: name }] }));
    expect((await mistakeOf(openDataset(broken))).code).toBe('dataset-malformed-arrow');
    writeFileSync(join(broken, 'state.json'), JSON.stringify({ _data_files: [{ filename: '../../x.arrow' }] }));
    expect((await mistakeOf(openDataset(broken))).code).toBe('dataset-not-a-file');
  });
});

describe('names of prompts', () => {
  it('are all different in a JSON array, on one line or on many', async () => {
    const rows = ['a', 'b', 'c'].map((question) => ({ question }));
    const ids = async (text: string): Promise<string[]> => {
      const workload = (await openDataset(fileOf(text, 'x.json'))).workload(0);
      const found: string[] = [];
      for (let i = 0; i < 3; i++) found.push((await workload.next())!.id);
      return found;
    };
    expect(await ids(JSON.stringify(rows))).toEqual(['line-1', 'line-1.2', 'line-1.3']);
    expect(await ids(JSON.stringify(rows, null, 1))).toEqual(['line-2', 'line-5', 'line-8']);
  });
});

describe('CSV', () => {
  it('has quotes, commas, line ends and doubled quotes inside fields; lines are counted through them', async () => {
    const file = fileOf('\uFEFFid,question\r\n1,"a, ""b""\nand c"\r\n\r\n2,plain\r\n', 'x.csv');
    expect(await textsOf(file, 2)).toEqual(['a, "b"\nand c', 'plain']);
    const dataset = await openDataset(file);
    const workload = dataset.workload(0);
    expect([(await workload.next())!.id, (await workload.next())!.id]).toEqual(['line-2', 'line-5']);
  });

  it('law: any table written by the rules comes back', async () => {
    const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 8 }),
        async (texts) => {
          const real = texts.map((text, i) => `${i}${text}`);
          const file = fileOf(`n,question\n${real.map((text, i) => `${i},${quote(text)}\n`).join('')}`, 'law.csv');
          expect(await textsOf(file, real.length)).toEqual(real);
        },
      ),
      { seed: 20_260_730, numRuns: 40 },
    );
  });

  it.each([
    ['too many columns', 'a,question\n1,x\n1,2,3\n', 3],
    ['text behind a quote', 'a,question\n1,"x"y\n', 2],
    ['a quote that never ends', 'a,question\n1,x\n2,"open\nand on\n', 3],
  ])('%s is told with its line', async (_, text, line) => {
    const mistake = await mistakeOf(textsOf(fileOf(text, 'bad.csv'), 3));
    expect([mistake.code, mistake.place?.line]).toEqual(['dataset-malformed-csv', line]);
  });
});

describe('JSON arrays', () => {
  it('law: any list of questions, however spaced, comes back element by element', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0, 2, '\t'),
        async (texts, space) => {
          const real = texts.map((text, i) => `${i}${text}]}",[{`);
          const file = fileOf(
            JSON.stringify(
              real.map((question) => ({ question, more: [{ a: ['}'] }] })),
              null,
              space,
            ),
            'law.json',
          );
          expect(await textsOf(`openqa:${file}`, real.length)).toEqual(real);
        },
      ),
      { seed: 20_260_731, numRuns: 40 },
    );
  });

  it.each([
    ['cut off', '[\n{"question":"a"},\n{"question"', 'dataset-malformed-array', 3],
    ['text behind it', '[{"question":"a"}]\n\nmore', 'dataset-malformed-array', 3],
  ])('%s is told with its line', async (_, text, code, line) => {
    const mistake = await mistakeOf(openDataset(`openqa:${fileOf(text)}`));
    expect([mistake.code, mistake.place?.line]).toEqual([code, line]);
  });
});

describe('order', () => {
  it('law: shuffled, every prompt comes up once per pass, in another order, the same for the same seed', async () => {
    const file = fileOf(jsonl(500), 'order.jsonl');
    const read = async (seed: number): Promise<(string | null)[]> => {
      const workload = (await openDataset(`openqa:${file}`, { shuffle: true, seed })).workload(0);
      return Promise.all(Array.from({ length: 500 }, async () => (await workload.next())!.text));
    };
    const [a, again, other] = [await read(1), await read(1), await read(2)];
    expect(a).toEqual(again);
    expect(new Set(a)).toEqual(new Set(other));
    expect(new Set(a).size).toBe(500);
    // The chance that a random order leaves more than 10 of 500 in place is below 1e-7 (Poisson with mean 1).
    expect(a.filter((text, i) => text === `question ${i}`).length).toBeLessThan(11);
    expect(a.filter((text, i) => text === other[i]).length).toBeLessThan(11);
  });
});

describe('tokenizers', () => {
  interface Counted {
    text: string;
    tokens: number;
    withSpecial: number;
  }
  it('count as the Rust library does', async () => {
    const tokenizer = await openTokenizer(join(fixtures, 'tiny-bpe'));
    const counted = JSON.parse(readFileSync(join(fixtures, 'tiny-bpe/counts.json'), 'utf8')) as Counted[];
    expect(counted.map(({ text }) => [tokenizer.count(text), tokenizer.countWithSpecial(text)])).toEqual(
      counted.map(({ tokens, withSpecial }) => [tokens, withSpecial]),
    );
  });

  it.each([
    ['a folder without one', () => folder, 'tokenizer-not-found'],
    ['nothing', () => join(folder, 'none'), 'tokenizer-not-found'],
    ['text', () => fileOf('hello'), 'tokenizer-not-one'],
    ['other JSON', () => fileOf('{"a": 1}'), 'tokenizer-not-one'],
    ['a model of no known kind', () => fileOf('{"model": {"type": "Nonsense", "vocab": {}}}'), 'tokenizer-not-one'],
  ])('%s is told as what it is', async (_, path, code) => {
    const mistake = await mistakeOf(openTokenizer(path()));
    expect([mistake.code, mistake.place?.flag]).toEqual([code, '--tokenizer']);
  });
});
