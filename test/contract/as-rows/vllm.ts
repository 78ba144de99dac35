import { vllmServeFlags } from '../../../src/tools/vllm/flags.ts';
import { bodies, count, first, most, printed, prompts, sent, words } from '../as-run.ts';
import type { Ran, Shown, ShownTool } from '../as-run.ts';
import { vllmFileRows } from './vllm-files.ts';

const random = '--num-prompts 1 --dataset-name random';
const repeated = '--num-prompts 1 --dataset-name prefix_repetition --prefix-repetition-num-prefixes 1';
const sharegpt = '--num-prompts 1 --dataset-name sharegpt --dataset-path DIR/sharegpt.json';
const arrivalOf = async (ran: Ran): Promise<unknown> => {
  const { load } = (await ran.kept()).plan;
  return [load.ratePerSec, load.arrival];
};

const rows: readonly Shown[] = [
  { flag: '--base-url', words: '--num-prompts 1', effect: (ran) => ran.seen[0]!.path, expected: '/v1/completions' },
  {
    flag: '--host',
    base: 'vllm bench serve --model m --dataset-name custom --dataset-path DIR/custom.jsonl',
    words: '--num-prompts 1 --host HOST --port PORT',
    effect: count,
    expected: 1,
  },
  {
    flag: '--port',
    base: 'vllm bench serve --model m --dataset-name custom --dataset-path DIR/custom.jsonl --host HOST',
    words: '--num-prompts 2 --port PORT',
    effect: count,
    expected: 2,
  },
  {
    flag: '--endpoint',
    words: '--num-prompts 1 --endpoint /v2/completions',
    effect: (ran) => ran.seen[0]!.path,
    expected: '/v2/completions',
  },
  {
    flag: '--backend',
    words: '--num-prompts 1 --backend openai-chat --endpoint /v1/chat/completions',
    effect: (ran) => 'messages' in first(ran),
    expected: true,
  },
  {
    flag: '--insecure',
    words: '--num-prompts 1 --base-url TLS --insecure',
    effect: (ran) => ran.seen.map(({ secure }) => secure),
    expected: [true],
  },
  {
    flag: '--insecure',
    words: '--num-prompts 1 --base-url TLS',
    effect: (ran) => [count(ran), /signed by nobody we trust/.test(ran.err)],
    expected: [0, true],
    code: 3,
  },
  { flag: '--model', words: '--num-prompts 1', effect: sent('model'), expected: 'm' },
  {
    flag: '--served-model-name',
    words: '--num-prompts 1 --served-model-name other',
    effect: sent('model'),
    expected: 'other',
  },
  { flag: '--num-prompts', words: '--num-prompts 4', effect: count, expected: 4 },
  {
    flag: '--dataset-name',
    words: '--num-prompts 1 --dataset-name sharegpt --dataset-path DIR/sharegpt.json',
    effect: prompts,
    expected: ['1 two three four five six'],
  },
  { flag: '--dataset-path', words: '--num-prompts 1', effect: prompts, expected: ['short'] },
  {
    flag: '--dataset',
    base: 'python3 benchmark_serving.py --base-url URL --model m --disable-shuffle',
    words: '--num-prompts 1 --dataset DIR/sharegpt.json',
    effect: prompts,
    expected: ['1 two three four five six'],
  },
  {
    flag: '--disable-shuffle',
    words: '--num-prompts 2',
    effect: prompts,
    expected: ['short', 'a question of middle length'],
  },
  { flag: '--no-oversample', words: '--num-prompts 9 --no-oversample', effect: count, expected: 3 },
  {
    flag: '--max-concurrency',
    words: '--num-prompts 8 --max-concurrency 2 --endpoint /gather/2/v1/completions',
    effect: most,
    expected: 2,
  },
  {
    flag: '--custom-output-len',
    words: '--num-prompts 1 --custom-output-len 33',
    effect: sent('max_tokens'),
    expected: 33,
  },
  { flag: '--output-len', words: '--num-prompts 1 --output-len 34', effect: sent('max_tokens'), expected: 34 },
  { flag: '--ignore-eos', words: '--num-prompts 1 --ignore-eos', effect: sent('ignore_eos'), expected: true },
  { flag: '--temperature', words: '--num-prompts 1 --temperature 0.3', effect: sent('temperature'), expected: 0.3 },
  { flag: '--top-p', words: '--num-prompts 1 --top-p 0.3', effect: sent('top_p'), expected: 0.3 },
  { flag: '--top-k', words: '--num-prompts 1 --top-k 3', effect: sent('top_k'), expected: 3 },
  { flag: '--min-p', words: '--num-prompts 1 --min-p 0.1', effect: sent('min_p'), expected: 0.1 },
  {
    flag: '--frequency-penalty',
    words: '--num-prompts 1 --frequency-penalty 1',
    effect: sent('frequency_penalty'),
    expected: 1,
  },
  {
    flag: '--presence-penalty',
    words: '--num-prompts 1 --presence-penalty 1',
    effect: sent('presence_penalty'),
    expected: 1,
  },
  {
    flag: '--repetition-penalty',
    words: '--num-prompts 1 --repetition-penalty 1.2',
    effect: sent('repetition_penalty'),
    expected: 1.2,
  },
  { flag: '--logprobs', words: '--num-prompts 1 --logprobs 3', effect: sent('logprobs'), expected: 3 },
  {
    flag: '--best-of',
    base: 'python3 benchmark_serving.py --base-url URL --model m --dataset-name sharegpt --dataset-path DIR/sharegpt.json',
    words: '--num-prompts 1 --best-of 2',
    effect: (ran) => [sent('best_of')(ran), sent('temperature')(ran)],
    expected: [2, 0],
  },
  { flag: '--extra-body', words: '--num-prompts 1 --extra-body {"a":2}', effect: sent('a'), expected: 2 },
  {
    flag: '--chat-template-kwargs',
    words: '--num-prompts 1 --chat-template-kwargs {"b":3}',
    effect: sent('chat_template_kwargs'),
    expected: { b: 3 },
  },
  {
    flag: '--header',
    words: '--num-prompts 1 --header X-A=1',
    effect: (ran) => ran.seen[0]!.headers['x-a'],
    expected: '1',
  },
  {
    flag: '--request-rate',
    words: '--num-prompts 3 --request-rate 100',
    effect: async (ran) => [printed(/RPS\):\s+([\d.]+)/)(ran), await arrivalOf(ran)],
    expected: ['100.00', [100, { process: 'poisson' }]],
  },
  {
    flag: '--burstiness',
    words: '--num-prompts 3 --request-rate 100 --burstiness 2',
    effect: async (ran) => [printed(/Burstiness factor: (.*)/)(ran), await arrivalOf(ran)],
    expected: ['2.0 (Gamma distribution)', [100, { process: 'gamma', shape: 2 }]],
  },
  {
    flag: '--num-warmups',
    words: '--num-prompts 2 --num-warmups 3',
    effect: (ran) => [count(ran), printed(/Successful requests:\s+(\d+)/)(ran)],
    expected: [5, '2'],
  },
  {
    flag: '--seed',
    words: '--num-prompts 1 --seed 5',
    effect: async (ran) => (await ran.kept()).plan.seed,
    expected: 5,
  },
  {
    flag: '--percentile-metrics',
    words: '--num-prompts 2 --percentile-metrics e2el',
    effect: (ran) => [ran.out.includes('E2EL'), ran.out.includes('TTFT')],
    expected: [true, false],
  },
  {
    flag: '--metric-percentiles',
    words: '--num-prompts 2 --metric-percentiles 25,50',
    effect: (ran) => ran.out.match(/P\d+ TTFT/g),
    expected: ['P25 TTFT', 'P50 TTFT'],
  },
  {
    flag: '--goodput',
    words: '--num-prompts 2 --goodput e2el:0.001',
    effect: printed(/goodput \(req\/s\):\s+([\d.]+)/),
    expected: '0.00',
  },
  {
    flag: '--random-input-len',
    words: `${random} --random-input-len 9 --random-output-len 4`,
    effect: (ran) => words(prompts(ran)[0]),
    expected: 9,
  },
  {
    flag: '--random-output-len',
    words: `${random} --random-input-len 9 --random-output-len 4`,
    effect: (ran) => [sent('max_tokens')(ran), sent('ignore_eos')(ran)],
    expected: [4, true],
  },
  {
    flag: '--input-len',
    words: `${random} --input-len 7`,
    effect: (ran) => words(prompts(ran)[0]),
    expected: 7,
  },
  {
    flag: '--random-range-ratio',
    words:
      '--num-prompts 20 --dataset-name random --random-input-len 4 --random-output-len 10 --random-range-ratio 0.5',
    effect: (ran) => {
      const lengths = bodies(ran).map((body) => Number(body['max_tokens']));
      return [Math.min(...lengths) >= 5, Math.max(...lengths) <= 15, new Set(lengths).size > 1];
    },
    expected: [true, true, true],
  },
  {
    flag: '--random-prefix-len',
    words: '--num-prompts 3 --dataset-name random --random-input-len 4 --random-prefix-len 6',
    effect: (ran) => [new Set(prompts(ran).map((text) => text.slice(0, 10))).size, words(prompts(ran)[0])],
    expected: [1, 10],
  },
  {
    flag: '--prefix-repetition-num-prefixes',
    words:
      '--num-prompts 12 --dataset-name prefix_repetition --prefix-repetition-num-prefixes 2 --prefix-repetition-prefix-len 8 --prefix-repetition-suffix-len 4 --prefix-repetition-output-len 3',
    effect: (ran) => new Set(prompts(ran).map((text) => text.slice(0, 12))).size,
    expected: 2,
  },
  {
    flag: '--prefix-repetition-prefix-len',
    words: `${repeated} --prefix-repetition-prefix-len 6 --prefix-repetition-suffix-len 4`,
    effect: (ran) => words(prompts(ran)[0]),
    expected: 10,
  },
  {
    flag: '--prefix-repetition-suffix-len',
    words: `${repeated} --prefix-repetition-prefix-len 6 --prefix-repetition-suffix-len 7`,
    effect: (ran) => words(prompts(ran)[0]),
    expected: 13,
  },
  {
    flag: '--prefix-repetition-output-len',
    words: `${repeated} --prefix-repetition-output-len 3`,
    effect: sent('max_tokens'),
    expected: 3,
  },
  {
    flag: '--sharegpt-output-len',
    words: `${sharegpt} --sharegpt-output-len 21`,
    effect: sent('max_tokens'),
    expected: 21,
  },
];

export const vllmRows: ShownTool = {
  tool: 'vllm bench serve',
  table: vllmServeFlags,
  base: 'vllm bench serve --base-url URL --model m --dataset-name custom --dataset-path DIR/custom.jsonl --disable-shuffle',
  rows: [...rows, ...vllmFileRows],
};
