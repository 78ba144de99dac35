import { expect, test } from 'vitest';
import { socketProblem } from './connect-problem.ts';
import { cachedLookup } from './endpoint.ts';

test('names that stop resolving in mid-run: known for half a minute, then the cause is told, and asked again each time', async () => {
  let now = 0;
  let works = true;
  let asked = 0;
  const lookup = cachedLookup(
    () => {
      asked++;
      const failure = Object.assign(new Error('getaddrinfo ENOTFOUND engine'), { code: 'ENOTFOUND' });
      return works ? Promise.resolve([{ address: '10.0.0.7', family: 4 }]) : Promise.reject(failure);
    },
    () => now,
  );
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      lookup('engine', { all: false }, (error, address) =>
        resolve(error === null ? String(address) : socketProblem(error, 'connecting').code),
      );
    });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['10.0.0.7', '10.0.0.7', '10.0.0.7']);
  expect(asked).toBe(1);
  works = false;
  now = 29_000;
  expect(await ask()).toBe('10.0.0.7');
  now = 31_000;
  expect([await ask(), await ask()]).toEqual(['dns', 'dns']);
  expect(asked).toBe(3);
  works = true;
  expect(await ask()).toBe('10.0.0.7');
});
