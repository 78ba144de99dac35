import { outputTokensOf } from '../../core/index.ts';
import type { ParsedCommand } from '../command.ts';
import { opener } from './chosen-prompts.ts';
import {
  choiceOf,
  pythonFloat,
  readForeign,
  realOf,
  requiredOf,
  servedOf,
  sumOf,
  vllm2023Flags,
  wholeOf,
} from '../../tools/index.ts';
import { measureAs, warnIgnored } from './measure-as.ts';
import type { AsMeasured } from '../../tools/index.ts';
import { tokenizerOr } from './tokenizer-word.ts';

/** Runs the benchmark_serving.py of 2023: ShareGPT against vLLM's /generate (or TGI), whole answers, a block without a head. */
export async function vllm2023(argv: readonly string[], given: ParsedCommand): Promise<number> {
  const typed = readForeign(vllm2023Flags, argv);
  warnIgnored(given, typed);
  const backend = choiceOf(typed, '--backend', ['vllm', 'tgi']) ?? 'vllm';
  const requests = wholeOf(typed, '--num-prompts', 1) ?? 1000;
  const rate = realOf(typed, '--request-rate', 0) ?? Infinity;
  const beam = typed.has('--use-beam-search');
  const best = wholeOf(typed, '--best-of', 1) ?? 1;
  const host = `http://${typed.last('--host') ?? 'localhost'}:${wholeOf(typed, '--port', 1) ?? 8000}`;
  const sampling = { n: 1, best_of: best, use_beam_search: beam, top_p: 1 };
  const { code } = await measureAs(given, {
    settings: {
      url: host + (backend === 'vllm' ? '/generate' : '/generate_stream'),
      api: backend === 'vllm' ? 'vllm-generate' : 'tgi',
      // Neither server asks which model is meant.
      model: 'default',
      dataset: `sharegpt:${requiredOf(typed, '--dataset')}`,
      tokenizer: tokenizerOr(given, requiredOf(typed, '--tokenizer')),
      shuffle: true,
      seed: wholeOf(typed, '--seed') ?? 0,
      requests,
      noStream: backend === 'vllm',
      ...(backend === 'vllm' && { temperature: beam ? 0 : 1, ignoreEos: true, body: sampling }),
      ...(Number.isFinite(rate) && rate > 0 && { rate: [rate], arrival: { process: 'poisson' } as const }),
      readTimeout: 10_800_000,
      timeout: 10_800_000,
    },
    open: opener({ most: requests, keep: () => true, rule: { en: "vLLM's length rules", zh: 'vLLM 的长度筛选规则' } }),
    points: [
      {
        load:
          Number.isFinite(rate) && rate > 0
            ? { concurrency: null, ratePerSec: rate }
            : { concurrency: requests, ratePerSec: null },
      },
    ],
    title: 'benchmark_serving.py',
    after: (measured) => {
      given.io.out(block2023(measured));
      return Promise.resolve();
    },
  });
  return code;
}

/** The six lines; tokens are those of the dataset, as that script never looks at what came back. */
export function block2023({ summary, exchanges }: AsMeasured): string {
  const lengths = new Map(
    exchanges.map((exchange) => [
      exchange.seq,
      {
        input: exchange.inputTokens.planned ?? exchange.inputTokens.server ?? 0,
        output: exchange.outputTokens.planned ?? outputTokensOf(exchange) ?? 0,
      },
    ]),
  );
  const served = servedOf(exchanges);
  const n = Math.max(1, served.length);
  const tokens = sumOf(served, (one) => lengths.get(one.seq)!.output);
  const totalSec = (summary.durationMs ?? 0) / 1000;
  const mean = (per: (length: { input: number; output: number }) => number): string =>
    (sumOf(served, (one) => one.latencyMs / 1000 / Math.max(1, per(lengths.get(one.seq)!))) / n).toFixed(2);
  return [
    `Total time: ${totalSec.toFixed(2)} s`,
    `Throughput: ${(totalSec === 0 ? 0 : summary.counts.planned / totalSec).toFixed(2)} requests/s`,
    `Average latency: ${mean(() => 1)} s`,
    `Average latency per token: ${mean(({ input, output }) => input + output)} s`,
    `Average latency per output token: ${mean(({ output }) => output)} s`,
    // A line that documents of the time show and the published script does not have; Python prints the float whole.
    `Completion tokens per second: ${pythonFloat(totalSec === 0 ? 0 : tokens / totalSec)} tokens/s`,
    '',
  ].join('\n');
}
