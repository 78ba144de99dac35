import { expect, test } from 'vitest';
import { safeGuesses } from './start-telemetry.ts';

test('a key that was given for TLS is never sent to a guessed page in the clear', () => {
  const url = 'https://host:1025/v1/chat/completions';
  expect(safeGuesses({ url, headers: { authorization: 'Bearer x' } })).toEqual([
    'https://host:1025/metrics',
    'https://host:1027/metrics',
  ]);
  expect(safeGuesses({ url, headers: {} })).toContain('http://host:1027/metrics');
});
