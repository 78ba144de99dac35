import type { Exchange, RunPlan } from '../../../src/core/index.ts';
import { makeLoadRunner } from '../../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../../src/inputs/workload/index.ts';
import { unrehearsed } from '../unrehearsed.ts';

/** Requests in flight at once, wherever faults are played. */
export const concurrency = 8;

/** All that became of the requests of a plan. */
export async function played(plan: RunPlan): Promise<Exchange[]> {
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    workload: () => fromPrompts([plainPrompt('p', 'hi')], { offset: 0, cycle: true }),
    secrets: {},
  });
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, { drain: signal, cancel: signal }, [])) exchanges.push(exchange);
  return exchanges;
}

/** How each ended: `ok`, or its cause. */
export const endsOf = (exchanges: readonly Exchange[]): string[] =>
  exchanges.map(({ outcome, problem }) => (outcome === 'ok' ? 'ok' : (problem?.code ?? outcome)));
