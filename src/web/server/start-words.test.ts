import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StartAsk } from '../api/shapes.ts';
import { Refused } from './route.ts';
import { formWords, readStart } from './start-words.ts';

const asked = (words: StartAsk['words'], url = 'http://127.0.0.1:8000'): StartAsk => ({ command: 'sweep', url, words });

function mistakesOf(ask: StartAsk, allowed: readonly string[] | null = null): string[] {
  try {
    readStart(ask, allowed);
    return [];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.mistakes.map(({ place, message }) => `${place?.flag ?? ''} ${message.en}`);
  }
}

describe('what a form asks becomes a command', () => {
  test('in the words of the command line', () => {
    expect(
      readStart(
        asked({
          concurrency: '1,2',
          requests: '50',
          slo: ['ttft<2s', 'tpot<50ms'],
          'max-tokens': '8',
          'ignore-eos': true,
        }),
        null,
      ).shown,
    ).toEqual([
      'sweep',
      'http://127.0.0.1:8000/',
      '--concurrency=1,2',
      '--requests=50',
      '--slo=ttft<2s',
      '--slo=tpot<50ms',
      '--max-tokens=8',
      '--ignore-eos',
    ]);
  });

  test('a grid and headers without a secret, one flag for each line', () => {
    const words = { grid: ['input=10,20', 'output=5'], header: ['X-Team: night shift'], requests: '4' };
    expect(readStart(asked(words), null).shown.slice(2)).toEqual([
      '--grid=input=10,20',
      '--grid=output=5',
      '--header=X-Team: night shift',
      '--requests=4',
    ]);
  });

  test('no value can become a flag, a command or a file, whatever it is', () => {
    const names = formWords().map(({ name }) => name);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ minLength: 1 }), (name, text) => {
        let words: string[];
        try {
          words = [...readStart(asked({ [name]: text }), null).shown];
        } catch (error) {
          expect(error).toBeInstanceOf(Refused);
          return;
        }
        const [command, url, ...flags] = words;
        expect([command, url]).toEqual(['sweep', 'http://127.0.0.1:8000/']);
        for (const flag of flags) expect(flag.startsWith(`--${name}=`) || flag === `--${name}`).toBe(true);
        expect(flags.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['dataset', 'lines:/etc/passwd'],
    ['dataset', '../secret.jsonl'],
    ['dataset', 'synthetic:/etc/passwd'],
    ['dataset', 'images:..'],
    ['dataset', 'images:photos'],
    ['arrival', 'trace:/etc/passwd'],
    ['arrival', ' trace:/etc/passwd'],
    ['key-env', '/etc/passwd'],
    ['ca', '/etc/passwd'],
    ['out', '/tmp/x'],
    ['store', '/tmp/x'],
    ['header', 'X: env:SECRET'],
    ['header', 'Authorization: Bearer abc'],
    ['header', 'x-api-key: abc'],
    ['header', 'X-Forwarded: Bearer abc'],
    ['header', 'X-Amz-Signature: abc'],
    ['wire', 'x.yaml'],
    ['__proto__x', '1'],
  ])('--%s %s is refused: it would open a file or carry a secret', (name, text) => {
    expect(mistakesOf(asked({ [name]: text }))).not.toEqual([]);
  });

  test.each(['plan.yaml', 'http://user:pass@host/', 'file:///etc/passwd', ''])(
    'the address %s is no file and no secret',
    (url) => {
      const words = ((): string[] => {
        try {
          return [...readStart(asked({}, url), null).shown];
        } catch {
          return [];
        }
      })();
      expect(words.slice(1).every((word) => /^https?:\/\/[^/@]+\//.test(word))).toBe(true);
    },
  );

  test('a file may be named where it lies in the folder for datasets, as it stands or behind a format; nothing else of it', () => {
    const files = new Set(['data/questions.jsonl']);
    const refusals = (text: string): number => {
      try {
        readStart(asked({ dataset: text }), null, files);
        return 0;
      } catch (error) {
        return (error as Refused).mistakes.length;
      }
    };
    expect(['data/questions.jsonl', 'openqa:data/questions.jsonl', 'random'].map(refusals)).toEqual([0, 0, 0]);
    for (const text of [
      'data/../data/questions.jsonl',
      './data/questions.jsonl',
      'data/other.jsonl',
      'synthetic:data/questions.jsonl',
      'mix:data/questions.jsonl',
      'openqa:openqa:data/questions.jsonl',
      'openqa:',
      'data/questions.jsonl\0',
    ])
      expect([text, refusals(text)]).toEqual([text, 1]);
  });

  test('only a variable that was named at start is a key: any other would be sent to whoever the form names', () => {
    const refusals = (name: string): number => {
      try {
        readStart(asked({ 'key-env': name }), null, undefined, new Set(['MY_KEY']));
        return 0;
      } catch (error) {
        return (error as Refused).mistakes.length;
      }
    };
    expect(['MY_KEY', 'HOME', 'my_key', 'MY_KEY,HOME', '/etc/passwd', '__proto__'].map(refusals)).toEqual([
      0, 1, 1, 1, 1, 1,
    ]);
    expect(mistakesOf(asked({ 'key-env': 'MY_KEY' }))).toHaveLength(1);
    expect(formWords(undefined, new Set(['MY_KEY'])).find(({ name }) => name === 'key-env')?.choices).toEqual([
      'MY_KEY',
    ]);
  });

  test('a target that is not allowed is refused, one that is passes', () => {
    expect(mistakesOf(asked({}), ['10.0.0.7:8000'])).toEqual(['url is not among the targets of --allow-target']);
    expect(mistakesOf(asked({}, 'http://10.0.0.7:8000'), ['10.0.0.7:8000'])).toEqual([]);
  });

  test('all mistakes are told at once, in the words of the command line', () => {
    expect(
      mistakesOf(asked({ concurrency: 'x', requests: '-1', arrival: 'poisson' })).map((text) => text.split(' ')[0]),
    ).toEqual(['--concurrency', '--requests', '--arrival']);
  });
});
