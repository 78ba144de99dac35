import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/core/index.ts';
import { dyno } from './dyno.ts';
import { commandsIn, shellWithDyno } from './typed.ts';

test('the demo sweeps two simulated engines, compares them, and its last lines name folders that exist', async () => {
  const shell = await shellWithDyno();
  const store = join(shell.folder, 'a store');
  const done = await dyno(['demo', '--store', store]);
  expect(done.code).toBe(0);
  expect(done.out).toMatch(/^B (is|beside A)/m);
  const files = done.out.split('\n').filter((line) => /\.(html|png)$/.test(line));
  expect(files.map((file) => file.slice(file.lastIndexOf('/') + 1))).toEqual([
    'report.html',
    'comparison.png',
    'sweep.png',
    'sweep.png',
  ]);
  expect(files.map((file) => readFileSync(file).length > 20_000)).toEqual([true, true, true, true]);
  const folders = done.out.trimEnd().split('\n').slice(-2);
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
  // What it says to type next works as typed, but for the server, which is the user's.
  const commands = commandsIn(done.out);
  const finds = commands.filter((line) => line.startsWith('dyno find'));
  expect([commands.length > 1, finds.length]).toEqual([true, 1]);
  for (const line of commands)
    expect([line, (await shell.type(line)).code]).toEqual([line, finds.includes(line) ? exitCodes.unreachable : 0]);
});
