import { say } from '../core/index.ts';
import type { Exchange } from '../core/index.ts';
import { sightOf, traceOfExchanges } from '../fit/index.ts';
import type { ProbeSight, TracedRequest } from '../fit/index.ts';
import { loadPoints } from '../run/index.ts';
import type { Given } from './command.ts';
import { listenForInterrupts } from './interrupts.ts';
import { readPlanInput } from './plan-input.ts';
import { planPoint, prepare, runnerFor } from './prepare.ts';

/** One short run against the server: fixed lengths, so many in flight. */
export interface Probe {
  concurrency: number;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  /** Only to check the fit with, never to fit. */
  validates?: true;
}

/**
 * The probes for a server that takes `batch` at once. Alone at three prompt lengths: prefill and overhead. Alone with a long answer: the
 * bare step. Half and whole batch with short prompts: what a sequence costs. Half a batch with long prompts: what the KV cache costs.
 */
export function probesFor(batch: number): Probe[] {
  const half = Math.max(2, Math.round(batch / 2));
  return [
    ...[64, 512, 1536].map((inputTokens) => ({ concurrency: 1, inputTokens, outputTokens: 8, requests: 12 })),
    { concurrency: 1, inputTokens: 64, outputTokens: 384, requests: 3 },
    { concurrency: half, inputTokens: 64, outputTokens: 128, requests: 4 * half },
    { concurrency: batch, inputTokens: 64, outputTokens: 128, requests: 4 * batch },
    { concurrency: half, inputTokens: 1024, outputTokens: 128, requests: 2 * half },
    {
      concurrency: Math.max(2, Math.round(batch * 0.75)),
      inputTokens: 256,
      outputTokens: 64,
      requests: 2 * half,
      validates: true,
    },
  ];
}

/** What the probes showed, and the requests of the one that only validates. */
export interface Probed {
  sights: ProbeSight[];
  validation: TracedRequest[];
}

/** Runs the probes one after the other, each on an engine that the one before left idle. */
export async function probeServer(given: Given, probes: readonly Probe[]): Promise<Probed> {
  const probed: Probed = { sights: [], validation: [] };
  const interrupts = listenForInterrupts(given);
  try {
    for (const [i, probe] of probes.entries()) {
      if (interrupts.heard) break;
      tell(given, probe, i + 1, probes.length);
      const exchanges = await runProbe(given, probe, interrupts.stops);
      if (probe.validates === true) probed.validation = traceOfExchanges(exchanges);
      else {
        const sight = sightOf(probe.concurrency, exchanges);
        if (sight !== null) probed.sights.push(sight);
      }
    }
  } finally {
    interrupts.done();
  }
  return probed;
}

async function runProbe(
  given: Given,
  probe: Probe,
  stops: ReturnType<typeof listenForInterrupts>['stops'],
): Promise<Exchange[]> {
  const flags = new Map(
    [...given.flags].filter(([name]) => ['model', 'key-env', 'header', 'insecure', 'api'].includes(name)),
  );
  flags.set('concurrency', [String(probe.concurrency)]);
  flags.set('requests', [String(probe.requests)]);
  flags.set('input-tokens', [String(probe.inputTokens)]);
  flags.set('output-tokens', [String(probe.outputTokens)]);
  // No two probes have prompts in common: a server that keeps beginnings would skip their prefill.
  flags.set('seed', [String((probe.inputTokens * 1000 + probe.outputTokens) * 1000 + probe.concurrency)]);
  const { words } = readPlanInput({ ...given, flags }, {});
  const prepared = await prepare(words, given, 1);
  const plan = planPoint(prepared, loadPoints(words)[0]!, 0);
  const kit = await runnerFor(prepared, plan);
  const exchanges: Exchange[] = [];
  for await (const { exchange } of kit.run(plan, stops, [])) exchanges.push(exchange);
  return exchanges;
}

function tell(given: Given, probe: Probe, number: number, count: number): void {
  if (given.common.quiet) return;
  const { concurrency, inputTokens, outputTokens } = probe;
  given.io.err(
    `${say(
      {
        en: `probe ${number}/${count}: concurrency ${concurrency}, ${inputTokens} in, ${outputTokens} out`,
        zh: `探测 ${number}/${count}：并发 ${concurrency}，输入 ${inputTokens}，输出 ${outputTokens}`,
      },
      given.common.lang,
    )}\n`,
  );
}
