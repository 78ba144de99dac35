import { describe, expect, test } from 'vitest';
import { UserError } from '../../core/index.ts';
import { readGoal } from './goal.ts';
import { initFile, initNames } from './init-file.ts';
import { readTuneFile } from './read-tune-file.ts';
import { pointAt } from './space.ts';

function mistakesOf(text: string): string[] {
  try {
    readTuneFile(text, 'tune.yaml', null);
  } catch (error) {
    if (error instanceof UserError)
      return error.mistakes.map(({ code, place }) => `${place?.line ?? ''} ${place?.field ?? ''} ${code}`);
    throw error;
  }
  return [];
}

describe('a tune file', () => {
  test.each(initNames)('the file that --init %s prints can be read', (name) => {
    const request = readTuneFile(initFile(name), 'tune.yaml', null);
    expect(request.problem.space.knobs.length).toBeGreaterThan(0);
    expect(request.problem.family).not.toBeNull();
  });

  test('every mistake is told at once, with its line', () => {
    const text = `evaluate: ./run.sh
colour: red
space:
  a: {from: 10, to: 2}
`;
    // The shape is looked at first: a file with unknown fields is not read further.
    expect(mistakesOf(text)).toEqual(['2 colour unknown-setting']);
    const wrong = `evaluate: ./run.sh
space:
  a: {from: 10, to: 2}
  b: min(b,
  c: {from: 1, to: 8}
  d: c/2 + missing
require:
  - c <= nowhere
objective: fun
slo:
  - ttft.mean<8
  - failed<1%
`;
    expect(mistakesOf(wrong)).toEqual([
      '3 space.a bad-tune-file',
      '6 space.d unknown-setting',
      '8 require.0 unknown-setting',
      '10 slo bad-slo',
      '9 objective bad-objective',
    ]);
  });

  test('what does not go together is refused', () => {
    expect(mistakesOf('space: {a: [1, 2]}')).toEqual(['1 url bad-tune-file']);
    expect(mistakesOf('url: http://h\nstart: {script: up.sh}\nspace: {a: [1, 2]}')).toEqual([
      '2 start.stop bad-tune-file',
    ]);
    expect(mistakesOf('evaluate: x\nstart: {command: y}\nspace: {a: [1, 2]}')).toEqual(['1 evaluate bad-tune-file']);
    expect(mistakesOf('url: http://h\napply: {config: [{file: f, set: {a: b}}]}\nspace: {a: [1, 2]}')).toEqual([
      '1 start bad-tune-file',
    ]);
    expect(mistakesOf('evaluate: x\nslo: [ttft.p50>3s, ttft.p90<2s]\nspace: {a: [1, 2]}')).toEqual([
      '2 slo slos-contradict',
    ]);
    expect(mistakesOf('evaluate: x\nspace: [')).toEqual(['2  bad-yaml']);
  });

  test('SLOs that can both hold are taken', () => {
    expect(mistakesOf('evaluate: x\nslo: [ttft.p50<3s, ttft.p90<5s, requestsPerSec>2]\nspace: {a: [1, 2]}')).toEqual(
      [],
    );
    expect(mistakesOf('evaluate: x\nslo: [ttft.p90>1s, ttft.p50<2s]\nspace: {a: [1, 2]}')).toEqual([]);
  });

  test('ranges, lists, formulas, fixed values and loads become a space', () => {
    const { space } = readTuneFile(
      `evaluate: x
space:
  maxBatchSize: {from: 10, to: 100, step: 10}
  maxPrefillBatchSize: maxBatchSize/2
  ratio: {from: 2, to: 4}
  prefillTimeMsPerReq: ratio*50
  numa: [none, node0]
  policy: fcfs
require: [maxPrefillBatchSize <= 40]
load: {concurrency: maxBatchSize-1}
`,
      'tune.yaml',
      null,
    ).problem;
    expect(space.knobs.map(({ name, values }) => [name, values.length])).toEqual([
      ['maxBatchSize', 10],
      ['ratio', 3],
      ['numa', 2],
    ]);
    expect(pointAt(space, [4, 1, 1])).toEqual({
      settings: {
        policy: 'fcfs',
        maxBatchSize: 50,
        ratio: 3,
        numa: 'node0',
        maxPrefillBatchSize: 25,
        prefillTimeMsPerReq: 150,
      },
      load: { concurrency: 49, ratePerSec: null },
    });
    expect(pointAt(space, [8, 0, 0])).toBeNull();
  });

  test('the goals of the guide set SLOs, and what the file applies', () => {
    const text =
      'url: http://h\nengine: mindie\napply: {config: [{file: f, set: {supportSelectBatch: p}}]}\nstart: {command: c}\nspace: {maxBatchSize: {from: 1, to: 9}}\nslo: [itl.mean<1ms]';
    const told = (goal: string): unknown[] => {
      const { problem } = readTuneFile(text, 'tune.yaml', readGoal(goal));
      return [problem.slos.map((slo) => slo.text), problem.space.fixed];
    };
    expect(told('throughput')).toEqual([[], { supportSelectBatch: true }]);
    expect(told('decode-limit=50ms')).toEqual([['itl.mean<50ms'], { supportSelectBatch: true }]);
    expect(told('ttft=8s,decode=50ms')).toEqual([['ttft.mean<8s', 'itl.mean<50ms'], { supportSelectBatch: false }]);
    expect(() => readGoal('fast')).toThrow(UserError);
  });

  test('batches that the cache cannot hold are left out by the arithmetic of dyno plan', () => {
    const text = `evaluate: x
space: {maxBatchSize: {from: 100, to: 4000, step: 100}}
load: {concurrency: 1000}
plan: {model: llama-3-8b, cardMemoryGib: 32, cards: 2, idleGib: 3, weightsGib: 15, inputTokens: 186, outputTokens: 346}
`;
    const { problem } = readTuneFile(text, 'tune.yaml', null);
    // The guide's example with the right heads: 2176 blocks, and a prompt of 186 tokens takes two of 128.
    expect(problem.kv).toEqual({ blocks: 2176, blockSize: 128, memory: 17 });
    expect(problem.space.knobs[0]!.values.at(-1)).toBe(1000);
    expect(mistakesOf(text.replace('llama-3-8b', 'no-such-model'))[0]).toMatch(/^4 plan /);
  });
});
