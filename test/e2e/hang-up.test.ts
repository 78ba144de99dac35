import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { emptyFolder } from './dyno.ts';
import { recordsOf, runFolders, witness } from './kills.ts';

const main = join(import.meta.dirname, '../../dist/cli/main.js');
/** A pseudo-terminal of util-linux, where there is one; killed, it leaves what runs in it without a terminal. */
// `script` hands its command to $SHELL.
const env = { PATH: process.env['PATH'], LANG: 'C', SHELL: '/bin/sh' };
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { env }).status === 0;
const hasNohup = spawnSync('nohup', ['true'], { stdio: ['ignore', 'pipe', 'pipe'] }).status === 0;

/**
 * Does in a terminal what a shell does: hands the hang-up on to its command, which the kernel hangs up as well, so that it comes twice.
 * It outlives the terminal, and writes down how the command ended.
 */
const watcher = `
  const { spawn } = require('node:child_process');
  const { openSync, writeFileSync } = require('node:fs');
  const [ended, log, ...words] = process.argv.slice(2);
  const out = log === '' ? 'inherit' : openSync(log, 'w');
  const child = spawn(words[0], words.slice(1), { stdio: ['inherit', out, out] });
  process.once('SIGHUP', () => {
    process.on('SIGHUP', () => {});
    child.kill('SIGHUP');
    setTimeout(() => child.kill('SIGHUP'), 20);
  });
  child.on('exit', (code, signal) => writeFileSync(ended, JSON.stringify({ code, signal })));
`;

interface HungUp {
  code: number | null;
  signal: string | null;
  runs: { summary: Summary; records: number }[];
}

/** Takes the terminal away from a command once some of its answers are on disk. */
async function hungUp(
  before: readonly string[],
  verb: string,
  flags: readonly string[],
  log: boolean,
): Promise<HungUp> {
  const folder = await emptyFolder();
  const store = join(folder, 'store');
  const server = await witness();
  writeFileSync(join(folder, 'watcher.cjs'), watcher);
  const asked = [
    '--model',
    'm',
    '--no-preflight',
    '--metrics',
    'none',
    '--devices',
    'none',
    '--lenient',
    '--max-tokens',
    '4',
  ];
  const command = [...before, process.execPath, main, verb, server.url, ...asked, ...flags, '--store', store];
  const watched = [join(folder, 'watcher.cjs'), join(folder, 'ended'), log ? join(folder, 'log') : '', ...command];
  const line = [process.execPath, ...watched].map((word) => `'${word}'`).join(' ');
  const terminal = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['ignore', 'ignore', 'ignore'] });
  while (!runFolders(store).some((run) => recordsOf(run).length > 20)) await pause(20);
  terminal.kill('SIGKILL');
  while (!existsSync(join(folder, 'ended')) || readFileSync(join(folder, 'ended'), 'utf8') === '') await pause(50);
  await server.close();
  const runs = runFolders(store).map((run) => ({
    summary: JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as Summary,
    records: recordsOf(run).length,
  }));
  expect(readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('lock'))).toEqual([]);
  return { ...(JSON.parse(readFileSync(join(folder, 'ended'), 'utf8')) as Pick<HungUp, 'code' | 'signal'>), runs };
}

describe.runIf(hasTerminal)('a terminal that goes away', () => {
  test.each<[string, string, readonly string[]]>([
    ['a run', 'run', ['-n', '100000', '--concurrency', '4']],
    ['a run over threads, told as JSON', 'run', ['-n', '100000', '--concurrency', '4', '--threads', '2', '--json']],
    ['a sweep', 'sweep', ['-n', '100000', '--concurrency', '2,4']],
  ])('cancels %s, which keeps what was answered and ends with 130', async (_, verb, flags) => {
    const { code, signal, runs } = await hungUp([], verb, flags, false);
    expect({ code, signal }).toEqual({ code: 130, signal: null });
    expect(runs).toHaveLength(1);
    const [{ summary, records }] = runs as [HungUp['runs'][0]];
    expect(summary.partial).toBe(true);
    expect(summary.counts.ok).toBeGreaterThan(20);
    expect(summary.counts.ok + summary.counts.cancelled).toBe(100_000);
    expect(records).toBe(100_000);
  });

  test.runIf(hasNohup)('does not reach a run that nohup started', async () => {
    const { code, signal, runs } = await hungUp(['nohup'], 'run', ['-n', '400', '--concurrency', '4'], true);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(runs.map(({ summary }) => summary.counts.ok)).toEqual([400]);
  });
});
