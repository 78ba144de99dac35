import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { dyno } from './dyno.ts';
import { commandsIn, shellWithDyno } from './typed.ts';
import type { Shell } from './typed.ts';

let shell: Shell;
/** Spaces and quotes: a command that forgets either is cut in two by the shell. */
let store: string;

beforeAll(async () => {
  shell = await shellWithDyno();
  store = join(shell.folder, "its own 'store'");
});

const engine = ['--profile', 'qwen1.5-7b-mindie-8x910b4', '--input-tokens', '64', '--output-tokens', '16', '-n', '60'];

describe.each(['en', 'zh'])('commands that are told at the end work as typed (%s)', (lang) => {
  test.each([
    ['a run', ['--concurrency', '4']],
    ['a sweep', ['--concurrency', '4,8']],
  ])('%s', async (_, load) => {
    const { out } = await dyno(['sim', ...engine, ...load, '--store', store, '--quiet', '--lang', lang]);
    const commands = commandsIn(out);
    expect(commands).toHaveLength(1);
    expect(await shell.type(commands[0]!)).toMatchObject({ code: 0, out: expect.stringContaining('SIMULATED') });
  });

  test('a tune', async () => {
    const file = join(shell.folder, 'tune.yaml');
    const lines = [
      'engine: mindie',
      'url: http://127.0.0.1:1',
      'start: { command: none }',
      'space: { maxBatchSize: { from: 4, to: 64, start: 16 } }',
      'load: { concurrency: 20 }',
      'workload: { input-tokens: 40, output-tokens: 16, lenient: true }',
      'budget: { runs: 3 }',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const simulate = ['--simulate', 'qwen1.5-7b-mindie-8x910b4', '--quiet', '--lang', lang];
    const { out } = await dyno(['tune', file, ...simulate, '--store', store]);
    const [answer, change] = out.split('\n');
    expect(answer).toMatch(lang === 'zh' ? /^最高：[\d,]+ tok\/s/ : /^Most: [\d,]+ tokens\/s/);
    expect(change).toMatch(lang === 'zh' ? /^改动：maxBatchSize 16 → \d+。$/ : /^Change: maxBatchSize 16 → \d+\.$/);
    const commands = commandsIn(out);
    expect(commands).toHaveLength(1);
    const shown = await shell.type(`${commands[0]!} --lang ${lang}`);
    expect(shown.code).toBe(0);
    expect(shown.out.split('\n').slice(0, 2)).toEqual([answer, change]);
  });
});
