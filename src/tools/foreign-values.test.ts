import { expect, test } from 'vitest';
import { readForeign } from './foreign-flags.ts';
import { choiceOf, jsonOf, pairsOf, realIn, realOf, truthOf, wholeOf, wholesOf } from './foreign-values.ts';
import { vllmServeFlags } from './vllm/flags.ts';

const typed = (...words: string[]) => readForeign(vllmServeFlags, words);
const rate = '--request-rate';
const count = '--num-prompts';

test('whole numbers are whole, written out, and no less than they may be', () => {
  expect(wholeOf(typed(count, '7'), count, 7)).toBe(7);
  expect(wholeOf(typed(), count)).toBeUndefined();
  for (const wrong of ['6', '1.5', '', 'x', '1e3', '99999999999999999999'])
    expect(() => wholeOf(typed(count, wrong), count, 7)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('whole number of at least 7') as string }) as Error,
    );
  expect(wholeOf(typed(count, '0'), count)).toBe(0);
  expect(wholesOf(typed(), count)).toBeUndefined();
});

test('numbers may be infinite, never nothing', () => {
  expect([realIn('inf', rate), realIn('+Infinity', rate), realIn(' 2.5 ', rate), realIn('0', rate, 0)]).toEqual([
    Infinity,
    Infinity,
    2.5,
    0,
  ]);
  expect(realOf(typed(), rate)).toBeUndefined();
  for (const wrong of ['', ' ', 'x', 'nan']) expect(() => realIn(wrong, rate)).toThrow('is not a number');
  expect(() => realIn('-1', rate, 0)).toThrow('a number of at least 0');
});

test('objects, pairs, choices and truths are what they are called', () => {
  expect(jsonOf('{"a": 1}', '--extra-body')).toEqual({ a: 1 });
  for (const wrong of ['[1]', 'x', '1']) expect(() => jsonOf(wrong, '--extra-body')).toThrow('not a JSON object');
  const pairs = (text: string) => pairsOf(typed('--metadata', text), '--metadata');
  expect([pairs('a=b=c'), pairs('a='), pairsOf(typed(), '--metadata')]).toEqual([[['a', 'b=c']], [['a', '']], []]);
  for (const wrong of ['=b', 'ab']) expect(() => pairs(wrong)).toThrow('KEY=VALUE');
  const choice = (text: string) => choiceOf(typed('--backend', text), '--backend', ['vllm', 'openai']);
  expect([choice('openai'), choiceOf(typed(), '--backend', ['vllm'])]).toEqual(['openai', undefined]);
  expect(() => choice('other')).toThrow('one of: vllm, openai');
  const truth = (text: string) => truthOf(typed('--backend', text), '--backend');
  expect(['True', 'yes', '1', 'false', 'NO', '0'].map(truth)).toEqual([true, true, true, false, false, false]);
  expect(() => truth('maybe')).toThrow('True or False');
  expect(truthOf(typed(), '--backend')).toBeUndefined();
});
