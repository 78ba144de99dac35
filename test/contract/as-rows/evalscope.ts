import { evalscopeFlags } from '../../../src/tools/evalscope/flags.ts';
import { bodies, count, first, most, printed, said, sent } from '../as-run.ts';
import type { Shown, ShownTool } from '../as-run.ts';

const common = 'evalscope perf --model m --dataset openqa --dataset-path DIR/qa.jsonl --outputs-dir DIR/outputs';
const trouble = (path: string): string => `${common} --url URL${path}/v1/chat/completions`;
const failures: Shown['effect'] = async (ran) => [
  printed(/Failed requests: (\d+)/)(ran),
  (await ran.kept()).problems[0],
];

const rows: readonly Shown[] = [
  { flag: '--model', words: '-n 1', effect: sent('model'), expected: 'm' },
  { flag: '--url', words: '-n 1', effect: (ran) => ran.seen[0]!.path, expected: '/v1/chat/completions' },
  { flag: '--number', words: '-n 5', effect: count, expected: 5 },
  {
    flag: '--dataset',
    words: '-n 3 --dataset line_by_line',
    effect: (ran) => String(said(ran)[0]),
    expected: '{"question":"short"}',
  },
  { flag: '--dataset-path', words: '-n 1', effect: said, expected: ['short'] },
  {
    flag: '--max-prompt-length',
    words: '-n 2 --max-prompt-length 10',
    effect: said,
    expected: ['short', 'short'],
  },
  {
    flag: '--min-prompt-length',
    words: '-n 1 --min-prompt-length 30',
    effect: said,
    expected: ['a much longer question that goes on and on'],
  },
  {
    flag: '--dataset-offset',
    words: '-n 1 --dataset-offset 1',
    effect: said,
    expected: ['a question of middle length'],
  },
  { flag: '--prompt', words: '-n 2 --prompt hello', effect: said, expected: ['hello', 'hello'] },
  {
    flag: '--parallel',
    words: '-n 8 --parallel 4 --url URL/gather/4/v1/chat/completions',
    effect: most,
    expected: 4,
  },
  {
    flag: '--api',
    words: '-n 1 --api openai_embedding --url URL/v1/embeddings',
    effect: (ran) => first(ran)['input'] !== undefined && first(ran)['messages'] === undefined,
    expected: true,
  },
  {
    flag: '--api-key',
    words: '-n 1 --api-key sk-x',
    effect: (ran) => ran.seen[0]!.headers['authorization'],
    expected: 'Bearer sk-x',
  },
  {
    flag: '--headers',
    words: '-n 1 --headers x-a=1 x-b=2',
    effect: ({ seen }) => [seen[0]!.headers['x-a'], seen[0]!.headers['x-b']],
    expected: ['1', '2'],
  },
  { flag: '--stop', words: '-n 1 --stop END STOP', effect: sent('stop'), expected: ['END', 'STOP'] },
  { flag: '--stop-token-ids', words: '-n 1 --stop-token-ids 1 2', effect: sent('stop_token_ids'), expected: [1, 2] },
  { flag: '--max-tokens', words: '-n 1 --max-tokens 7', effect: sent('max_tokens'), expected: 7 },
  { flag: '--min-tokens', words: '-n 1 --min-tokens 3', effect: sent('min_tokens'), expected: 3 },
  { flag: '--temperature', words: '-n 1 --temperature 0.5', effect: sent('temperature'), expected: 0.5 },
  { flag: '--top-p', words: '-n 1 --top-p 0.9', effect: sent('top_p'), expected: 0.9 },
  { flag: '--top-k', words: '-n 1 --top-k 5', effect: sent('top_k'), expected: 5 },
  {
    flag: '--frequency-penalty',
    words: '-n 1 --frequency-penalty 0.1',
    effect: sent('frequency_penalty'),
    expected: 0.1,
  },
  {
    flag: '--repetition-penalty',
    words: '-n 1 --repetition-penalty 1.1',
    effect: sent('repetition_penalty'),
    expected: 1.1,
  },
  { flag: '--logprobs', words: '-n 1 --logprobs', effect: sent('logprobs'), expected: true },
  { flag: '--n-choices', words: '-n 1 --n-choices 2', effect: sent('n'), expected: 2 },
  { flag: '--seed', words: '-n 1 --seed 9', effect: sent('seed'), expected: 9 },
  { flag: '--extra-args', words: '-n 1 --extra-args {"a":1}', effect: sent('a'), expected: 1 },
  {
    flag: '--query-template',
    words: '-n 1 --query-template @DIR/template.json',
    effect: sent('top_p'),
    expected: 0.25,
  },
  { flag: '--stream', words: '-n 1 --stream', effect: sent('stream'), expected: true },
  { flag: '--no-stream', words: '-n 1 --no-stream', effect: sent('stream'), expected: undefined },
  {
    flag: '--warmup-num',
    words: '-n 2 --warmup-num 3',
    effect: (ran) => [count(ran), printed(/Total requests: (\d+)/)(ran)],
    expected: [5, '2'],
  },
  {
    flag: '--open-loop',
    words: '-n 6 --open-loop --rate 400',
    effect: printed(/ Number of concurrency: (.*)/),
    expected: '-1',
  },
  {
    flag: '--rate',
    words: '-n 4 --rate 200 --parallel 2',
    effect: async (ran) => {
      const { load } = (await ran.kept()).plan;
      return [load.kind, load.concurrency, load.ratePerSec];
    },
    expected: ['open', 2, 200],
  },
  { flag: '--no-test-connection', words: '-n 1 --no-test-connection', effect: (ran) => ran.asked, expected: 1 },
  {
    flag: '--sleep-interval',
    words: '--parallel 1 2 -n 1 1 --sleep-interval 0',
    effect: (ran) => ran.out.match(/Benchmarking summary/g)!.length,
    expected: 2,
  },
  {
    flag: '--prefix-length',
    words: '-n 2 --dataset random --min-prompt-length 4 --max-prompt-length 5 --prefix-length 6',
    effect: (ran) => new Set(said(ran).map((text) => String(text).slice(0, 12))).size,
    expected: 1,
  },
  {
    flag: '--connect-timeout',
    base: `${common} --url SILENT/v1/chat/completions --no-test-connection`,
    words: '-n 1 --connect-timeout 0.1',
    effect: failures,
    expected: ['1', 'connect-timeout'],
  },
  {
    flag: '--read-timeout',
    base: trouble('/stall'),
    words: '-n 1 --read-timeout 0.1 --no-stream --no-test-connection',
    effect: failures,
    expected: ['1', 'timeout-read'],
  },
  {
    flag: '--total-timeout',
    base: trouble('/drip'),
    words: '-n 1 --total-timeout 0.1 --no-stream --no-test-connection',
    effect: failures,
    expected: ['1', 'timeout-total'],
  },
  {
    flag: '--duration',
    words: '-n 1000000 --duration 0.2',
    effect: (ran) => count(ran) > 0 && count(ran) < 1000,
    expected: true,
  },
  {
    flag: '--name',
    words: '-n 1 --name mine --no-timestamp --outputs-dir DIR/named',
    effect: (ran) => ran.list('named'),
    expected: ['mine'],
  },
  {
    flag: '--outputs-dir',
    words: '-n 1 --no-timestamp --outputs-dir DIR/chosen',
    effect: async (ran) => (await ran.list('chosen/m/parallel_1_number_1')).toSorted(),
    expected: ['benchmark_percentile.json', 'benchmark_summary.json'],
  },
  {
    flag: '--no-timestamp',
    words: '-n 1 --outputs-dir DIR/stamped',
    effect: async (ran) => /^\d{8}_\d{6}$/.test((await ran.list('stamped'))[0]!),
    expected: true,
  },
  {
    // Limits count tokens where there is a tokenizer: five letters are fewer than three tokens.
    flag: '--tokenizer-path',
    words: '-n 2 --max-prompt-length 3 --tokenizer-path ESTIMATE',
    effect: (ran) => new Set(bodies(ran).map((body) => JSON.stringify(body['messages']))).size,
    expected: 1,
  },
];

export const evalscopeRows: ShownTool = {
  tool: 'evalscope perf',
  table: evalscopeFlags,
  base: trouble(''),
  rows,
};
