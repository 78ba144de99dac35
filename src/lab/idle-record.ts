import type { Ended, RunPlan } from '../core/index.ts';
import { meterFor } from '../results/measure/index.ts';
import type { Shelf } from '../results/measure/index.ts';
import { answerBytes, exchangeBytes } from '../results/store/index.ts';

/** What a run does with every exchange, to no effect: lines that nobody keeps and figures that nobody reads. For a rehearsal. */
export function idleRecord(plan: RunPlan, shelf: Shelf): (ended: Ended) => void {
  const meter = meterFor(plan, shelf);
  return ({ exchange, answer }) => {
    exchangeBytes(exchange);
    if (answer !== null) answerBytes(answer);
    meter.add(exchange);
  };
}
