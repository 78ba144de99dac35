import { expect, test } from 'vitest';
import type { RunPlan } from '../core/index.ts';
import type { CommandFile, ParsedCommand } from './command.ts';
import { mergeResumedFlags } from './resume.ts';

test('who goes on with a run asks on with the prompts of its plan', () => {
  const given = { flags: new Map() } as unknown as ParsedCommand;
  const merged = (plan: unknown): ParsedCommand =>
    mergeResumedFlags(given, 'run', {} as CommandFile, { command: null }, plan as RunPlan | null);
  expect(merged({ dataset: { settings: { seed: 77 } } }).flags.get('prompt-seed')).toEqual(['77']);
  expect(merged(null)).toBe(given);
  expect(merged({ dataset: {} })).toBe(given);
});
