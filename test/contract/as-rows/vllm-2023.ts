import { vllm2023Flags } from '../../../src/tools/vllm/flags.ts';
import { bodies, count, prompts, sent } from '../as-run.ts';
import type { ShownTool } from '../as-run.ts';

export const vllm2023Rows: ShownTool = {
  tool: 'benchmark_serving.py (2023)',
  table: vllm2023Flags,
  base: 'python benchmark_serving.py --host HOST --port PORT --dataset DIR/sharegpt.json --tokenizer ESTIMATE',
  rows: [
    { flag: '--host', words: '--num-prompts 1', effect: (ran) => ran.seen[0]!.path, expected: '/generate' },
    {
      flag: '--port',
      words: '--num-prompts 1',
      effect: (ran) =>
        ran.seen[0]!.headers['host'] === `127.0.0.1:${String(ran.seen[0]!.headers['host']).split(':')[1]}`,
      expected: true,
    },
    { flag: '--num-prompts', words: '--num-prompts 3', effect: count, expected: 3 },
    {
      flag: '--dataset',
      words: '--num-prompts 3',
      effect: (ran) => prompts(ran).toSorted(),
      expected: [1, 2, 3].map((i) => `${i} two three four five six`),
    },
    {
      // The answer's length is that of the dataset's answer, in tokens of this tokenizer.
      flag: '--tokenizer',
      words: '--num-prompts 3',
      effect: (ran) => [
        bodies(ran)
          .map((body) => Number(body['max_tokens']))
          .toSorted((a, b) => a - b),
        ran.err.includes('no tokenizer.json'),
      ],
      expected: [[9, 10, 11], false],
    },
    {
      flag: '--backend',
      words: '--num-prompts 1 --backend tgi',
      effect: (ran) => [ran.seen[0]!.path, 'inputs' in ran.seen[0]!.body],
      expected: ['/generate_stream', true],
    },
    { flag: '--best-of', words: '--num-prompts 1 --best-of 3', effect: sent('best_of'), expected: 3 },
    {
      flag: '--use-beam-search',
      words: '--num-prompts 1 --use-beam-search',
      effect: (ran) => [ran.seen[0]!.body['use_beam_search'], ran.seen[0]!.body['temperature']],
      expected: [true, 0],
    },
    {
      flag: '--request-rate',
      words: '--num-prompts 3 --request-rate 200',
      effect: async (ran) => {
        const { load } = (await ran.kept()).plan;
        return [load.kind, load.ratePerSec, load.arrival];
      },
      expected: ['open', 200, { process: 'poisson' }],
    },
    {
      flag: '--seed',
      words: '--num-prompts 3 --seed 5',
      effect: async (ran) => (await ran.kept()).plan.seed,
      expected: 5,
    },
  ],
};
