import { expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import { readAnswer } from './compute-job.ts';

const mistake = { code: 'x', message: { en: 'a', zh: 'b' }, hint: { en: 'c', zh: 'd' } };

function thrownBy(answer: unknown): UserError {
  try {
    readAnswer(JSON.stringify(answer));
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('the mistake that stood in the way of a worker is thrown here, and never ends in success', () => {
  expect(thrownBy({ mistakes: [mistake], exitCode: 3 })).toMatchObject({ mistakes: [mistake], exitCode: 3 });
  expect(thrownBy({ mistakes: [mistake], exitCode: 0 }).exitCode).toBe(2);
  expect(thrownBy({ mistakes: [mistake] }).exitCode).toBe(2);
});

test('what no worker of ours wrote is no answer, and throws nothing', () => {
  expect(readAnswer('{"done":{"a":1}}')).toEqual({ done: { a: 1 } });
  for (const text of [
    '',
    'x',
    'null',
    '7',
    '[]',
    '{}',
    '{"done":null}',
    '{"done":"x"}',
    '{"mistakes":[]}',
    '{"mistakes":{}}',
  ])
    expect(readAnswer(text), text).toBeNull();
});
