import { expect, test } from 'vitest';
import type { TuneDocument } from '../../advice/tune/index.ts';
import { progressText } from './tune-text.ts';

function line(number: number, outcomes: string[], runs: number): string {
  const trials = outcomes.map((outcome, i) => ({ number: i + 1, outcome }));
  const document = { variants: [], budget: { runs }, trials, best: null } as unknown as TuneDocument;
  return progressText({ number, phase: 'search', title: 'a=1', trial: null, document, leftMs: null }, 'en');
}

test('the number of a trial is never beyond how many there may be, however often a search was interrupted', () => {
  expect(line(2, ['ok'], 2)).toBe('trial 2/2 search: a=1\n');
  expect(line(3, ['ok', 'interrupted'], 2)).toBe('trial 3/3 search: a=1\n');
  expect(line(4, ['interrupted', 'ok', 'interrupted'], 2)).toBe('trial 4/4 search: a=1\n');
});
