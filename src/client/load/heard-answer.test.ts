import { expect, test } from 'vitest';
import { HeardAnswer } from './heard-answer.ts';

const heard = (keepsText: boolean): HeardAnswer => new HeardAnswer({ originNs: 0n }, keepsText);
const text = (said: string) => ({ kind: 'text', of: 'answer', text: said, events: 1, tokens: null }) as const;

test('an answer names as many steps as it likes', () => {
  const many = Array.from({ length: 300_000 }, (_, i) => i);
  const answer = heard(true);
  answer.take([{ kind: 'steps', batchSize: many, queueWaitMs: many, timesMs: many }], 0, 200);
  expect(answer.read().steps).toEqual({ batchSize: many, queueWaitMs: many, timesMs: many });
});

test('a reason for the end is a word, whatever a server says', () => {
  const answer = heard(true);
  answer.take([{ kind: 'finish', reason: 'stop'.repeat(250_000) }], 0, 200);
  expect(answer.read().finish).toHaveLength(200);
});

test.each([true, false])('text that is let go still counts its characters (kept: %s)', (keepsText) => {
  const answer = heard(keepsText);
  answer.take([text('héé'), { ...text('中文'), of: 'reasoning' }], 0, 200);
  expect(answer.bytes > 0).toBe(keepsText);
  answer.forgetText();
  answer.take([text('so on')], 0, 200);
  expect(answer.read()).toMatchObject({ text: '', reasoning: '', outputChars: 10 });
});
