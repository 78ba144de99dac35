import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../core/index.ts';
import type { Mistake, Workload } from '../../core/index.ts';
import { FileDataset } from './file-dataset.ts';
import { openDataset } from './index.ts';
import { openDataFile, scan } from './data-file.ts';
import { linesFormat } from './formats/lines-format.ts';
import { wordsFor } from './made-kinds.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llmdyno-dataset-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
/** A file with this content and its path. */
function fileOf(content: string | Buffer, name = `${(made += 1)}.jsonl`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function textsOf(workload: Workload, n: number): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  for (let i = 0; i < n; i++) texts.push((await workload.next())?.text ?? null);
  return texts;
}

/** The mistakes that a promise fails with. */
async function mistakesOf(promise: Promise<unknown>): Promise<readonly Mistake[]> {
  const failure: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof UserError)) throw new Error(`expected a UserError, got ${String(failure)}`);
  expect(failure.exitCode).toBe(2);
  for (const { message, hint } of failure.mistakes) {
    for (const words of [message.en, message.zh, hint.en, hint.zh]) expect(words.length).toBeGreaterThan(3);
    expect(message.zh).toMatch(/\p{Script=Han}/u);
    expect(hint.zh).toMatch(/\p{Script=Han}/u);
  }
  return failure.mistakes;
}
const codesOf = async (promise: Promise<unknown>): Promise<string[]> => (await mistakesOf(promise)).map((m) => m.code);
const everything = { offset: 0, count: null };

describe('reading', () => {
  it('openqa takes the question of each line, with BOM, CRLF, blank lines and no end of line at the end', async () => {
    const path = fileOf('\uFEFF{"question":"一"}\r\n\r\n  \t\n{"id":7,"question":"two\\nlines"}\r\n{"question":"3"}');
    const dataset = await openDataset(`openqa:${path}`);
    await dataset.check(everything);
    const workload = dataset.workload(0);
    expect(await workload.next()).toMatchObject({ id: 'line-1', messages: [{ role: 'user', content: '一' }] });
    expect(await workload.next()).toMatchObject({ id: 'line-4', text: 'two\nlines' });
    expect(await workload.next()).toMatchObject({ id: 'line-5', text: '3' });
    expect(await workload.next()).toMatchObject({ id: 'line-1' });
  });

  it('openqa takes another field when told to', async () => {
    const dataset = await openDataset(`openqa:${fileOf('{"input":"a","output":"b"}\n')}`, { field: 'input' });
    expect(await textsOf(dataset.workload(0), 1)).toEqual(['a']);
  });

  it('lines takes every line that is not blank as it stands, JSON too', async () => {
    const dataset = await openDataset(`lines:${fileOf('  first \n\n{"question":"x"}\nthird\n')}`);
    expect(await textsOf(dataset.workload(0), 4)).toEqual(['  first ', '{"question":"x"}', 'third', '  first ']);
  });

  it('a bare path is guessed by its first line, then by its name', async () => {
    const kindOf = async (path: string) => (await openDataset(path)).facts(everything).kind;
    expect(await kindOf(fileOf('\n{"question":"x"}\n', 'objects.txt'))).toBe('openqa');
    expect(await kindOf(fileOf('what is it?\n', 'plain.txt'))).toBe('lines');
    expect(await kindOf(fileOf('what is it?\n', 'no-extension'))).toBe('lines');
    expect(await kindOf(fileOf('what is it?\n', 'broken.jsonl'))).toBe('openqa');
    expect(await kindOf(fileOf('what is it?\n', 'odd:name.txt'))).toBe('lines');
  });

  it('puts size, number, content hash and base name into the facts, never a folder', async () => {
    const content = '{"question":"a"}\n\n{"question":"b"}\n';
    const path = fileOf(content, 'named.jsonl');
    const dataset = await openDataset(`openqa:${path}`);
    expect(dataset.facts({ offset: 3, count: 3 })).toEqual({
      spec: `openqa:${path}`,
      kind: 'openqa',
      name: 'named.jsonl',
      hash: createHash('sha256').update(content).digest('hex'),
      items: 2,
      bytes: 35,
      offset: 1,
      cycled: true,
    });
    expect(dataset.facts({ offset: 0, count: 2 }).cycled).toBe(false);
  });

  it('law: any slice of any file is that slice of its lines, repeated', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 12 }),
        fc.nat(40),
        async (questions, offset) => {
          const real = questions.map((question, i) => `${i} ${question}`);
          const path = fileOf(real.map((question) => JSON.stringify({ question })).join('\n\n'), 'law.jsonl');
          const expected = Array.from({ length: 30 }, (_, i) => real[(offset + i) % real.length]);
          const dataset = await openDataset(`openqa:${path}`);
          expect(await textsOf(dataset.workload(offset), 30)).toEqual(expected);
        },
      ),
      { seed: 20_260_707, numRuns: 30 },
    );
  });

  it('lines longer than a read, and files longer than memory is kept for, come out whole and in order', async () => {
    const long = (i: number): string => `${i}-${String.fromCodePoint(0x4e00 + i).repeat(1_000_000)}`;
    const path = fileOf([0, 1, 2, 3].map(long).join('\n'), 'long.txt');
    const dataset = await openDataset(`lines:${path}`);
    const texts = await textsOf(dataset.workload(2), 5);
    expect(texts.map((text) => text?.length)).toEqual([1_000_002, 1_000_002, 1_000_002, 1_000_002, 1_000_002]);
    expect(texts.map((text) => text?.[0])).toEqual(['2', '3', '0', '1', '2']);
    expect(texts[0] === long(2) && texts[3] === long(1)).toBe(true);
  });
});

describe('a file too large to be hashed and counted whole', () => {
  const opened = async (content: string) => {
    const file = await openDataFile(fileOf(content));
    const source = {
      spec: 'lines:x',
      kind: 'lines',
      format: linesFormat,
      file,
      scan: await scan(file, 4),
      shuffle: false,
      contextTokens: null,
      settings: {},
      context: {
        field: null,
        tokenizer: null,
        output: null,
        seed: 1,
        words: wordsFor(null),
        think: null,
        keepReasoning: false,
      },
    };
    return { dataset: new FileDataset(source), hash: source.scan.hash };
  };

  it('has a hash that says it is partial, over size and both ends', async () => {
    const { dataset, hash } = await opened('one\ntwo\n');
    const digest = createHash('sha256').update('8\none\ntwo\none\ntwo\n').digest('hex');
    expect(hash).toBe(`partial-sha256:${digest}`);
    expect(dataset.facts(everything)).toMatchObject({ items: null, bytes: 8, cycled: false });
  });

  it('is counted, and known to be cycled, where the check of a slice reaches its end', async () => {
    const { dataset } = await opened('one\ntwo\nthree\n');
    await dataset.check({ offset: 0, count: 2 });
    expect(dataset.facts({ offset: 0, count: 2 })).toMatchObject({ items: null, cycled: false });
    await dataset.check({ offset: 0, count: 200 });
    expect(dataset.facts({ offset: 0, count: 200 })).toMatchObject({ items: 3, cycled: true });
  });

  it('cycles and takes offsets past its end', async () => {
    const { dataset } = await opened('one\ntwo\nthree\n');
    expect(await textsOf(dataset.workload(7), 4)).toEqual(['two', 'three', 'one', 'two']);
  });

  it('of blank lines only ends in a mistake, not in a search for ever', async () => {
    const { dataset } = await opened('\n\n\n\n\n\n');
    expect(await codesOf(dataset.check(everything))).toEqual(['dataset-empty']);
    expect(await codesOf(Promise.resolve(dataset.workload(0).next()))).toEqual(['dataset-empty']);
  });
});

describe('mistakes of the whole', () => {
  it.each([
    ['a missing file', () => `openqa:${join(folder, 'none.jsonl')}`, 'dataset-not-found'],
    ['a missing file without kind', () => join(folder, 'none.jsonl'), 'dataset-not-found'],
    ['a file below a file', () => `lines:${join(fileOf('x'), 'y')}`, 'dataset-not-found'],
    ['a path with a NUL', () => 'lines:a\u0000b', 'dataset-not-found'],
    ['a folder', () => `openqa:${folder}`, 'dataset-not-a-file'],
    ['a device', () => 'lines:/dev/null', 'dataset-not-a-file'],
    ['an empty file', () => `openqa:${fileOf('')}`, 'dataset-empty'],
    ['a file of blank lines', () => `lines:${fileOf('\n \r\n\t\n')}`, 'dataset-empty'],
    ['a file of a byte-order mark only', () => `lines:${fileOf('\uFEFF\n')}`, 'dataset-empty'],
    ['cut-off gzip', () => `openqa:${fileOf(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]))}`, 'dataset-pack-broken'],
    ['UTF-16', () => `lines:${fileOf(Buffer.from('\uFEFFhallo', 'utf16le'))}`, 'dataset-packed'],
    ['an unknown kind', () => 'nokind:/x/y.json', 'dataset-unknown-kind'],
    ['a web address', () => 'https://host/x.jsonl', 'dataset-unknown-kind'],
    ['an unknown built-in', () => 'builtin:poems', 'dataset-unknown-kind'],
    ['nothing', () => '', 'dataset-unknown-kind'],
    ['a kind without a file', () => 'openqa', 'dataset-needs-file'],
    ['a kind with an empty file name', () => 'lines:', 'dataset-needs-file'],
  ])('%s is told as what it is', async (_what, spec, code) => {
    const mistakes = await mistakesOf(openDataset(spec()));
    expect(mistakes.map((m) => m.code)).toEqual([code]);
    expect(mistakes[0]?.place?.flag).toBe('--dataset');
  });

  it('a file that changes under the run is told, not read on', async () => {
    const path = fileOf('one\ntwo\n', 'changing.txt');
    const dataset = await openDataset(`lines:${path}`);
    appendFileSync(path, 'three\n');
    expect(await codesOf(dataset.check(everything))).toEqual(['dataset-changed']);
    expect(await codesOf(Promise.resolve(dataset.workload(0).next()))).toEqual(['dataset-changed']);
  });

  it('a line without end is refused before it fills the memory', async () => {
    const path = fileOf(Buffer.alloc(66 * 1024 * 1024, 'a'), 'endless.txt');
    const [mistake] = await mistakesOf(openDataset(`lines:${path}`));
    expect(mistake).toMatchObject({ code: 'dataset-line-too-long', place: { file: path, line: 1 } });
  });

  it('a hostile file name cannot write to the terminal or into the plan', async () => {
    const path = fileOf('hallo\n', 'a\u001B[31m\nb.txt');
    expect((await openDataset(`lines:${path}`)).facts(everything).name).toBe('a [31m b.txt');
    const [mistake] = await mistakesOf(openDataset(`lines:${path}x`));
    expect(mistake?.place?.file?.endsWith('a [31m b.txtx')).toBe(true);
  });
});

describe('mistakes of lines', () => {
  const check = async (content: string | Buffer, field?: string) =>
    (await openDataset(`openqa:${fileOf(content)}`, field === undefined ? {} : { field })).check(everything);

  it('each is told with file, number and what was expected, all of them at once', async () => {
    const path = fileOf('{"question":"ok"}\nno json\n\n[1]\n{"question":5}\n{"question":" "}\n{"q":"x"}\n');
    const mistakes = await mistakesOf((await openDataset(`openqa:${path}`)).check(everything));
    expect(mistakes.map((m) => [m.code, m.place?.line])).toEqual([
      ['dataset-malformed-line', 2],
      ['dataset-malformed-line', 4],
      ['dataset-wrong-field', 5],
      ['dataset-empty-prompt', 6],
      ['dataset-wrong-field', 7],
    ]);
    expect(new Set(mistakes.map((m) => m.place?.file))).toEqual(new Set([path]));
    expect(mistakes[0]?.message.en).toContain('expected one object per line with "question"');
    expect(mistakes[1]?.message.en).toContain('array');
    expect(mistakes[2]?.message.en).toContain('number');
  });

  it('at most ten are told', async () => {
    expect(await mistakesOf(check('oops\n'.repeat(50)))).toHaveLength(10);
  });

  it('a wrong field names the fields there are, once and not for every line', async () => {
    const mistakes = await mistakesOf(check('{"input":"a","output":"b"}\n'.repeat(30)));
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatchObject({ code: 'dataset-wrong-field', place: { line: 1, field: 'question' } });
    expect(mistakes[0]?.message.en).toContain('"input", "output"');
    expect(mistakes[0]?.hint.en).toContain('--field input');
  });

  it('a field is looked for in the line itself, not in what every object has', async () => {
    expect(await codesOf(check('{"question":"x"}\n', 'toString'))).toEqual(['dataset-wrong-field']);
    expect(await codesOf(check('{"question":"x"}\n', '__proto__'))).toEqual(['dataset-wrong-field']);
    await check('{"__proto__":"x"}\n', '__proto__');
  });

  it('hostile records are told or left harmless: NUL bytes, depth, prototypes, lone surrogates', async () => {
    const records = [
      '{"question":"a\u0000b"}',
      `{"question":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      '{"__proto__":{"question":"inherited"}}',
      '{"__proto__":{"polluted":1},"question":"own"}',
      '{"question":"\\ud800"}',
    ];
    const path = fileOf(records.join('\n'));
    const mistakes = await mistakesOf((await openDataset(`openqa:${path}`)).check(everything));
    expect(mistakes.map((m) => [m.code, m.place?.line])).toEqual([
      ['dataset-malformed-line', 1],
      ['dataset-wrong-field', 2],
      ['dataset-wrong-field', 3],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('bytes that are not UTF-8 are told with their line', async () => {
    const gbk = Buffer.concat([Buffer.from('ok\n'), Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a])]);
    const dataset = await openDataset(`lines:${fileOf(gbk)}`);
    const [mistake] = await mistakesOf(dataset.check(everything));
    expect(mistake).toMatchObject({ code: 'dataset-not-utf8', place: { line: 2 } });
  });

  it('only what the run needs is checked; what lies beyond is told when it is read, never skipped', async () => {
    const dataset = await openDataset(
      `openqa:${fileOf('{"question":"1"}\n{"question":"2"}\noops\n{"question":"4"}\n')}`,
    );
    await dataset.check({ offset: 0, count: 2 });
    await dataset.check({ offset: 3, count: 3 });
    expect(await codesOf(dataset.check({ offset: 1, count: 2 }))).toEqual(['dataset-malformed-line']);
    expect(await codesOf(dataset.check({ offset: 3, count: 9 }))).toEqual(['dataset-malformed-line']);
    const workload = dataset.workload(0);
    expect(await textsOf(workload, 2)).toEqual(['1', '2']);
    expect(await mistakesOf(Promise.resolve(workload.next()))).toMatchObject([{ place: { line: 3 } }]);
  });
});
