import { execFileSync } from 'node:child_process';
import v8 from 'node:v8';
import { afterEach, expect, test, vi } from 'vitest';
import { compileAsUsual, compileLater } from './compiling.ts';
import { collectAlone } from './garbage.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What is said to V8 meanwhile. */
function saidBy(act: () => void): string[] {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
  act();
  return set.mock.calls.map(([flag]) => flag);
}

/** V8's own list of its settings, with their usual values. */
const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });

test('the usual values are those that V8 itself names, and it knows every setting', () => {
  const usual = saidBy(compileAsUsual);
  expect(usual.length).toBeGreaterThan(0);
  for (const flag of usual) expect(options).toMatch(new RegExp(`default: ${flag}\\s`));
});

test('later is 200 times the usual', () => {
  const valuesOf = (flags: string[]): number[] => flags.map((flag) => Number(flag.split('=')[1]));
  const usual = valuesOf(saidBy(compileAsUsual));
  vi.restoreAllMocks();
  expect(valuesOf(saidBy(compileLater))).toEqual(usual.map((value) => 200 * value));
});

test('collecting alone ends with what V8 does by itself', () => {
  const [alone, together] = saidBy(() => collectAlone()());
  expect(alone).toBe('--no-parallel-scavenge');
  expect(options).toMatch(new RegExp(`default: ${together!}\\s`));
});
