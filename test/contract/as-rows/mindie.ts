import { mindieFlags } from '../../../src/tools/mindie/flags.ts';
import { bodies, count, printed, said, sent, words } from '../as-run.ts';
import type { Shown, ShownTool } from '../as-run.ts';

const usual = '--ModelName m --WarmupSize 0 --SavePath DIR/instance';
const gsm8k = '--DatasetPath DIR/gsm8k.jsonl --DatasetType gsm8k';

const rows: readonly Shown[] = [
  { flag: '--TestType', words: '', effect: (ran) => ran.seen[0]!.path, expected: '/v1/chat/completions' },
  { flag: '--Http', words: '', effect: count, expected: 3 },
  { flag: '--ModelName', words: '', effect: sent('model'), expected: 'm' },
  {
    flag: '--DatasetType',
    words: '--DatasetType humaneval --DatasetPath DIR/custom.jsonl --RequestCount 1',
    effect: said,
    expected: ['short'],
  },
  {
    flag: '--DatasetPath',
    words: '',
    effect: said,
    expected: ['short', 'a question of middle length', 'a much longer question that goes on and on'],
  },
  { flag: '--RequestCount', words: '--RequestCount 2', effect: count, expected: 2 },
  { flag: '--MaxOutputLen', words: '--MaxOutputLen 9', effect: sent('max_tokens'), expected: 9 },
  { flag: '--MaxInputLen', words: '--MaxInputLen 2', effect: (ran) => said(ran)[2], expected: 'a much' },
  { flag: '--TaskKind', words: '--TaskKind text', effect: sent('stream'), expected: undefined },
  { flag: '--Concurrency', words: '--Concurrency 2', effect: printed(/ Concurrency \|\s+(\d+)/), expected: '2' },
  { flag: '--DoSampling', words: '--DoSampling True', effect: sent('temperature'), expected: undefined },
  { flag: '--SamplingParams', words: '--SamplingParams {"top_p":0.7}', effect: sent('top_p'), expected: 0.7 },
  { flag: '--WarmupSize', words: '--WarmupSize 2', effect: count, expected: 5 },
  {
    flag: '--RequestRate',
    words: '--RequestRate 90,95',
    effect: async (ran) => [
      count(ran),
      ran.out.match(/common metric result/g)!.length,
      (await ran.kept()).plan.load.ratePerSec,
    ],
    expected: [6, 2, 90],
  },
  {
    // Gaps of 0 to twice the mean, as that tool sleeps.
    flag: '--Distribution',
    words: '--RequestRate 500',
    effect: async (ran) => {
      const { plan, dueMs } = await ran.kept();
      const gaps = dueMs.slice(1).map((due, i) => due - dueMs[i]!);
      return [plan.load.arrival, gaps.every((gap) => gap >= 0 && gap <= 4)];
    },
    expected: [{ process: 'uniform' }, true],
  },
  {
    flag: '--Distribution',
    words: '--RequestRate 500 --Distribution poisson',
    effect: async (ran) => (await ran.kept()).plan.load.arrival,
    expected: { process: 'poisson' },
  },
  {
    flag: '--TestAccuracy',
    words: '--TestAccuracy True',
    effect: printed(/accuracy \|\s+(\S+)/),
    expected: '0.0%',
  },
  {
    // A ready management port means MindIE, whose /generate is vLLM's of old.
    flag: '--ManagementHttp',
    words: '--TestType vllm_client --ManagementHttp URL',
    effect: (ran) => ran.seen[0]!.path,
    expected: '/generate',
  },
  {
    flag: '--ManagementHttp',
    words: '--TestType vllm_client --ManagementHttp http://127.0.0.1:1',
    effect: (ran) => [ran.seen[0]!.path, ran.err.includes('does not answer 200')],
    expected: ['/v1/completions', true],
  },
  {
    // Input tokens are counted by the tokenizer found there.
    flag: '--ModelPath',
    words: '--ModelPath ESTIMATE --RequestCount 1',
    effect: (ran) => [printed(/InputTokens \|\s+([\d.]+) /)(ran), ran.err.includes('no tokenizer.json')],
    expected: ['1.0', false],
  },
  {
    flag: '--Tokenizer',
    words: '--Tokenizer True --RequestCount 1',
    effect: (ran) => typeof said(ran)[0],
    expected: 'string',
  },
  {
    flag: '--Tokenizer',
    words: '--Tokenizer False',
    effect: (ran) => [count(ran), ran.err.includes('--Tokenizer')],
    expected: [0, true],
    code: 2,
  },
  { flag: '--RequestNum', words: '--RequestRate 500 --RequestNum 1', effect: count, expected: 3 },
  {
    flag: '--RequestNum',
    words: '--RequestRate 500 --RequestNum 2',
    effect: (ran) => [count(ran), ran.err.includes('--RequestNum')],
    expected: [0, true],
    code: 2,
  },
  {
    flag: '--RequestTimeOut',
    words: '--Http URL/stall --RequestTimeOut 3 --RequestCount 1',
    effect: async (ran) => (await ran.kept()).problems[0],
    expected: 'timeout-total',
  },
  {
    flag: '--SavePath',
    words: '--SavePath DIR/saved --RequestCount 1',
    effect: async (ran) => (await ran.list('saved')).map((name) => name.replace(/_\d+\./, '.')).toSorted(),
    expected: ['result_common.csv', 'result_perf.csv', 'results_per_request.json'],
  },
  {
    flag: '--SyntheticConfigPath',
    base: `benchmark --TestType openai --Http URL --ModelPath DIR ${usual} --DatasetType synthetic`,
    words: '--SyntheticConfigPath DIR/synthetic.json',
    effect: (ran) => [count(ran), words(said(ran)[0]), bodies(ran)[0]!['max_tokens']],
    expected: [4, 5, 3],
  },
];

export const mindieRows: ShownTool = {
  tool: 'benchmark',
  table: mindieFlags,
  base: `benchmark --TestType openai --Http URL --ModelPath DIR ${usual} ${gsm8k}`,
  rows,
};
