import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { dyno, emptyFolder } from './dyno.ts';

const fixtures = join(import.meta.dirname, '../fixtures/dataset');
let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
});

describe('dyno dataset', () => {
  it('lists every kind and every name that can be fetched, in both languages', async () => {
    const [english, chinese] = [await dyno(['dataset', 'list']), await dyno(['dataset', 'list', '--lang', 'zh'])];
    for (const word of [
      'openqa',
      'sharegpt-chat',
      'mooncake',
      'shared-prefix',
      'continuation',
      'hc3-chinese',
      'longalpaca',
    ]) {
      expect(english.out).toContain(word);
      expect(chinese.out).toContain(word);
    }
    expect(chinese.out).toContain('纯文本');
  });

  it('inspects a packed file: how many, how long, what is wrong and where', async () => {
    const lines = ['{"question":"abcd"}', '{"question":"ab"}', '{"answer":"x"}'];
    const file = join(folder, 'three.jsonl.gz');
    writeFileSync(file, gzipSync(lines.join('\n')));
    const done = await dyno(['dataset', 'inspect', `openqa:${file}`, '--json']);
    expect(done.code).toBe(2);
    expect(JSON.parse(done.out)).toMatchObject({
      kind: 'openqa',
      prompts: 2,
      wrong: 1,
      mistakes: ['3: no field "question"; the fields there are: "answer"'],
      chars: { n: 2, mean: 3, min: 2, max: 4, total: 6 },
    });
  });

  it('counts tokens with a tokenizer, as the Rust library does', async () => {
    const file = join(folder, 'words.txt');
    writeFileSync(file, 'the old man\nthe man and the old day\n');
    const done = await dyno(['dataset', 'count', `lines:${file}`, '--tokenizer', join(fixtures, 'tiny-bpe'), '--json']);
    expect(JSON.parse(done.out)).toMatchObject({ tokens: { n: 2, min: 3, max: 6, total: 9 } });
    expect((await dyno(['dataset', 'count', `lines:${file}`])).code).toBe(2);
  });

  it('converts Parquet into lines that read back, and overwrites nothing', async () => {
    const out = join(folder, 'converted.jsonl');
    const args = ['dataset', 'convert', join(fixtures, 'questions.zstd.parquet'), '--as', 'openqa', '--out', out];
    expect((await dyno(args)).code).toBe(0);
    expect(readFileSync(out, 'utf8').split('\n')[1]).toBe('{"question":"二?"}');
    const again = await dyno(args);
    expect([again.code, again.err.includes('exists already')]).toEqual([2, true]);
  });

  it('samples made prompts by law', async () => {
    const done = await dyno(['dataset', 'sample', 'random', '--input-tokens', '3..3', '-n', '4', '--json']);
    const { prompts } = JSON.parse(done.out) as { prompts: { text: string }[] };
    expect(prompts.map(({ text }) => text.split(' ').length)).toEqual([3, 3, 3, 3]);
  });

  it('says what to fetch by hand where there is no network', async () => {
    const done = await dyno(['dataset', 'get', 'sharegpt', '--mirror', 'http://127.0.0.1:1', '--out', folder]);
    expect(done.code).toBe(3);
    expect(done.err).toContain('curl -L -o');
    expect(done.err).toContain('ShareGPT_V3_unfiltered_cleaned_split.json');
  });
});
