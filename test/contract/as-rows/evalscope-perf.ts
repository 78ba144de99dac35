import { evalscopePerfFlags } from '../../../src/cli/as/evalscope-perf.ts';
import { count, printed, said, sent } from '../as-run.ts';
import type { ShownTool } from '../as-run.ts';

export const evalscopePerfRows: ShownTool = {
  tool: 'evalscope-perf',
  table: evalscopePerfFlags,
  base: 'evalscope-perf URL/v1/chat/completions m DIR/qa.jsonl',
  rows: [
    { flag: '--n', words: '--n 4', effect: count, expected: 4 },
    {
      flag: '--max-prompt-length',
      words: '--n 2 --max-prompt-length 10',
      effect: said,
      expected: ['short', 'short'],
    },
    { flag: '--stop', words: '--n 1 --stop END', effect: sent('stop'), expected: ['END'] },
    // What the wrapper always sent.
    { flag: '--stop', words: '--n 1', effect: sent('stop'), expected: ['<|im_end|>'] },
    {
      flag: '--read-timeout',
      base: 'evalscope-perf URL/stall/v1/chat/completions m DIR/qa.jsonl',
      words: '--n 1 --read-timeout=1',
      effect: async (ran) => [printed(/'Failed requests': ([\d.]+)/)(ran), (await ran.kept()).problems],
      expected: ['1.0', ['timeout-read']],
    },
    {
      flag: '--parallels',
      words: '--n 6 --parallels 2 --parallels 3',
      effect: async (ran) => [
        ran.out.match(/Running with parallel=\d+/g),
        (await ran.list('.')).filter((name) => /^m_qa_p[23]|png$/.test(name)).toSorted(),
      ],
      expected: [
        ['Running with parallel=2', 'Running with parallel=3'],
        ['m_qa_p2.txt', 'm_qa_p3.txt', 'performance_metrics.png'],
      ],
    },
  ],
};
