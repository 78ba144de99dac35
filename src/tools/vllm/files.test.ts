import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exchange, measured } from '../../../test/made-exchanges.ts';
import { vllmBlock } from './block.ts';
import { vllmFigures } from './figures.ts';
import { vllmJson } from './json-files.ts';

const two = measured([exchange(0, 0, [100, 150, 250]), exchange(1, 400, [600, 700, 1000])], 1000);

const written = (name: string): { json: Record<string, unknown>; log: string } => {
  const path = join(import.meta.dirname, '../../../test/fixtures/import/vllm', name);
  return {
    json: JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Record<string, unknown>,
    log: readFileSync(`${path}.log`, 'utf8'),
  };
};
const asVllm = {
  dialect: 'now',
  date: '',
  backend: 'openai',
  label: null,
  model: 'm',
  tokenizer: 't',
  numPrompts: 2,
  burstiness: 1,
} as const;
const shown = ['ttft', 'tpot', 'itl', 'e2el'] as const;
const waits = ['client_queue_time', 'e2el_including_client_queue'] as const;

// test/fixtures/import/README.md says how vLLM 0.32 was asked for these files.
test.each([
  [
    'closed',
    { metadata: [['tp', '1']], metrics: shown, percentiles: [50, 75, 90, 95, 99], detailed: false },
    4,
    Infinity,
  ],
  ['open-detailed', { metadata: [], metrics: shown, percentiles: [99], detailed: true }, null, 40],
  ['capped', { metadata: [], metrics: [...shown, ...waits], percentiles: [90, 99], detailed: false }, 3, 60],
] as const)(
  '%s: the keys of the file and the labels of the block are those that vLLM 0.32 wrote',
  (name, how, cap, rate) => {
    const theirs = written(name);
    const options = { ...asVllm, ...how, maxConcurrency: cap, requestRate: rate };
    const figures = vllmFigures(two, name === 'closed' ? { ttft: 30 } : null);
    expect(Object.keys(vllmJson(figures, options, two.exchanges, new Map()))).toEqual(Object.keys(theirs.json));
    const labels = (text: string): string[] =>
      text
        .slice(text.indexOf('============ Serving'))
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, 41).trimEnd());
    expect(labels(vllmBlock(figures, options))).toEqual(labels(theirs.log));
  },
);

test('waiting in the client runs from the beginning of the run, or from the time a rate says', () => {
  const late = [exchange(0, 10, [110]), exchange(1, 400, [600], { dueMs: 250 })];
  const closed = vllmFigures(measured(late, 600), null);
  expect(closed.samples.client_queue_time).toEqual([0, 390]);
  expect(closed.samples.e2el_including_client_queue).toEqual([100, 590]);
  const { plan, ...rest } = measured(late, 600);
  const open = vllmFigures({ ...rest, plan: { ...plan, load: { concurrency: 1, ratePerSec: 4 } as never } }, null);
  expect(open.samples.client_queue_time).toEqual([0, 150]);
  const json = vllmJson(
    open,
    { ...asVllm, metadata: [], metrics: [], percentiles: [], detailed: false, maxConcurrency: 1, requestRate: 4 },
    [
      ...late,
      exchange(2, 700, [], { outcome: 'failed', sentMs: null, problem: { code: 'dns', status: null, words: null } }),
    ],
    new Map(),
  );
  expect(json).toMatchObject({ latencies: [0.1, 0.2, 0], queue_times: [0, 0.15, 0] });
});
