import { expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import { nextStep, readTuneFile } from '../../advice/tune/index.ts';
import { answerWork, readAnswer } from './compute-job.ts';
import { toExactJson } from './exact-json.ts';

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

test('the next step of a tune is the same wherever it is decided: its problem is plain data, formulas and all', async () => {
  const { problem } = readTuneFile(
    `url: http://127.0.0.1:1
space: {max_num_seqs: {from: 8, to: 64}, half: max_num_seqs/2}
load: {concurrency: 'min(half, 16) + 1'}
require: ['half > 2']`,
    'tune.yaml',
    null,
  );
  const elsewhere = await answerWork(toExactJson({ do: 'tune-step', problem, trials: [], runs: [] }), { files: [] });
  const here = nextStep(problem, []);
  expect(readAnswer(elsewhere)).toEqual({ done: here });
  // 0.55 of the way from 8 to 64 in logarithms is 25.
  expect(here).toMatchObject({ point: { settings: { max_num_seqs: 25, half: 12 }, load: { concurrency: 13 } } });
});
