import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { dynoHere } from '../../test/in-process.ts';
import { cellsOf } from '../core/index.ts';
import { commands } from './commands.ts';
import { helpPage, helpScreen } from './help-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'dyno-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
const hostile = '\u001b]0;owned\u0007\u001b[31mx';

describe('help', () => {
  test('lists every command', async () => {
    const { out } = await dynoHere(['--help']);
    expect([...out.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)).toEqual(Object.keys(commands));
  });

  test.each(Object.keys(commands))('of dyno %s has examples, in both languages', async (name) => {
    expect((await dynoHere([name, '--help'])).out).toMatch(/Examples:\n {2}# /);
    expect((await dynoHere([name, '--help', '--lang', 'zh'])).out).toMatch(/示例:\n {2}# /);
  });

  test.each(Object.keys(commands))(
    'of dyno %s is one screen of 24 lines of 80 cells, and --help-all has every flag',
    async (name) => {
      const { command } = await commands[name]!.load();
      for (const lang of ['en', 'zh'] as const)
        expect(helpScreen(name, command, lang, 80).trimEnd().split('\n').length).toBeLessThanOrEqual(24);
      const all = helpPage(name, command, 'en', 80);
      expect(all).not.toContain('`');
      for (const flag of Object.values(command.flags)) expect(all).toContain(`--${flag.name}`);
      if (command.raw !== true) expect((await dynoHere([name, '--help-all'])).out).toBe(helpPage(name, command, 'en'));
    },
  );

  test('fits a terminal of 60 columns but for words that are longer, and loses nothing', async () => {
    const { command } = await commands['plan']!.load();
    const [narrow, whole] = [helpPage('plan', command, 'zh', 60), helpPage('plan', command, 'zh')];
    const prose = narrow.split('示例:')[0]!.split('\n');
    expect(prose.filter((line) => cellsOf(line) > 60)).toEqual([]);
    expect(narrow.replaceAll(/\s+/g, '')).toBe(whole.replaceAll(/\s+/g, ''));
  });
});

describe('mistakes on the command line', () => {
  test.each([
    [hostile],
    ['run', `--${hostile}`],
    ['run', `${hostile}.yaml`],
    ['tune', `${hostile}.yaml`],
    ['devices', '--from', hostile],
    ['runs', 'show', hostile],
    ['import', join(folder, hostile)],
    ['audit', join(folder, hostile)],
  ])('%j: no name of a file, flag or command reaches the terminal as it is', async (...words) => {
    const { out, err, code } = await dynoHere([...words, '--store', folder]);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: .+\n {2}→ .+\n/);
    expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test.each([
    ['worker redis://127.0.0.1:1 --lost-after', ['soon', '0', hostile]],
    ['worker redis://127.0.0.1:1 --queue', ['a/b', '', hostile]],
    ['engine --port', ['99999', '-1', '8000x']],
    ['engine --metrics-port', ['99999', 'x']],
    ['engine --speed', ['0', '-1', 'fast']],
    ['engine --seed', ['-1', '1.5']],
    ['engine --quirk', ['x']],
    ['ui --port', ['99999', 'x']],
    ['selftest --concurrency', ['0', '1.5', '100001']],
    ['selftest --gap', ['0', '11s', 'x']],
    ['selftest --duration', ['0', '2h', 'x']],
    ['selftest --proxy', ['ftp://a', 'http://a:b@c']],
    ['devices --watch --interval', ['0', '2h', 'x']],
    ['dataset sample builtin:questions --count', ['0', 'x']],
    ['plan --model llama-3-8b --card 910b4 --cards', ['two']],
    ['plan --model llama-3-8b --card 910b4 --decode-limit', ['soon']],
  ])("%s: a value that cannot be read is the user's mistake, and named", async (line, values) => {
    const words = line.split(' ');
    for (const value of values) {
      const { code, err } = await dynoHere([...words.slice(0, -1), `${words.at(-1)}=${value}`]);
      expect([code, err.split('\n')[0]]).toEqual([2, expect.stringMatching(new RegExp(`^error: ${words.at(-1)}: .`))]);
      expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  test('of all flags are told at once, before anything is looked up', async () => {
    const { code, err } = await dynoHere(['report', 'no-such-run', '--cards', '0', '--power=-1', '--store', folder]);
    expect([code, err.match(/^error: \S+/gm)]).toEqual([2, ['error: --cards:', 'error: --power:']]);
  });

  test('--lang before dyno as is its own and no word of the other tool', async () => {
    expect((await dynoHere(['--lang', 'zh', 'as', 'vllm', 'bench', 'serve', '--help'])).out).toContain('生效的选项：');
    const { err } = await dynoHere(['--lang=zh', 'as', 'vllm', 'bench', 'serve', '--backend', 'x']);
    expect(err.match(/^错误: \S+/gm)).toEqual(['错误: --backend:']);
  });

  test('are told in Chinese where that is asked for, those of flags too', async () => {
    const told = async (name: string, ...words: string[]): Promise<string> =>
      (await dynoHere([name, '--lang', 'zh', ...words])).err;
    expect(await told('run', '--concurency', '3')).toContain('没有选项 "--concurency" （是否想用 --concurrency？）');
    expect(await told('run', 'a', 'b')).toContain('参数过多：应为 1 个，给出了 2 个');
    expect(await told('run', '--model')).toContain('选项 "--model <value>" 缺少取值');
    expect(await told('compare')).toContain('缺少参数 "run"');
  });

  test.each([
    ['redis://:secret@10.0.0.5', 'a password on the command line can be read by everyone on this host'],
    ['http://10.0.0.5', '"http://10.0.0.5" is not the address of a Redis'],
  ])('the workers of dyno ui are refused before the page is up: %s', async (url, why) => {
    const { code, err } = await dynoHere(['ui', '--workers', url]);
    expect([code, err.split('\n')[0]]).toEqual([2, `error: --workers: ${why}`]);
    expect(err).not.toContain('secret');
  });

  test('a file with nothing in it to audit is told, not passed over', async () => {
    const file = join(folder, 'prose.md');
    writeFileSync(file, 'Nothing was measured.\n');
    expect(await dynoHere(['audit', file])).toMatchObject({
      code: 2,
      err: `${file}: nothing was found that could be audited\n`,
    });
  });
});
