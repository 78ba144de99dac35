import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BrokenPromise } from '../../core/index.ts';
import type { Prompt } from '../../core/index.ts';
import { openDataset, packageRoot } from './index.ts';

describe('the built-in questions', () => {
  it('are asked when no dataset is named: 60 English and 60 Chinese ones in turn', async () => {
    const dataset = await openDataset();
    const folder = join(packageRoot(), 'data/questions');
    const content = ['en', 'zh'].map((lang) => readFileSync(join(folder, `questions.${lang}.jsonl`)));
    expect(dataset.facts({ offset: 0, count: 120 })).toEqual({
      spec: 'builtin:questions',
      kind: 'builtin',
      name: 'questions',
      hash: createHash('sha256').update(Buffer.concat(content)).digest('hex'),
      items: 120,
      bytes: content[0]!.length + content[1]!.length,
      offset: 0,
      cycled: false,
    });
    const workload = dataset.workload(0);
    const prompts: Prompt[] = [];
    for (let i = 0; i < 122; i++) prompts.push((await workload.next())!);
    expect(prompts.slice(0, 4).map((p) => p.id)).toEqual(['en-1', 'zh-1', 'en-2', 'zh-2']);
    expect(prompts.slice(119).map((p) => p.id)).toEqual(['zh-60', 'en-1', 'zh-1']);
    const texts = prompts.slice(0, 120).map((p) => p.text!);
    expect(new Set(texts).size).toBe(120);
    expect(texts.filter((text) => text.length < 10 || text.length > 300)).toEqual([]);
    expect(texts.filter((text) => /\p{Script=Han}/u.test(text))).toHaveLength(60);
  });

  it('begin at an offset, and say when a run repeats them', async () => {
    const dataset = await openDataset('builtin:questions');
    expect(await dataset.workload(121).next()).toMatchObject({ id: 'zh-1' });
    expect(dataset.facts({ offset: 121, count: 121 })).toMatchObject({ offset: 1, cycled: true });
  });
});

describe('packageRoot', () => {
  it('is found from a bundle deep under dist, past package.json files of others and broken ones', () => {
    const root = mkdtempSync(join(tmpdir(), 'llmdyno-root-'));
    try {
      mkdirSync(join(root, 'dist/cli/deep'), { recursive: true });
      writeFileSync(join(root, 'package.json'), '{"name":"llmdyno"}');
      writeFileSync(join(root, 'dist/package.json'), '{"type":"module"}');
      writeFileSync(join(root, 'dist/cli/package.json'), 'not json');
      expect(packageRoot(pathToFileURL(join(root, 'dist/cli/deep/main.js')).href)).toBe(root);
      expect(() => packageRoot(pathToFileURL(join(tmpdir(), 'nowhere/x.js')).href)).toThrow(BrokenPromise);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
