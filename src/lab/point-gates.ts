import { makeTrace, parseRunGate, standingOf } from '../results/measure/index.ts';
import type { GateResult } from '../results/measure/index.ts';
import { readExchanges } from '../results/store/index.ts';
import type { MeasuredPoint } from './measure-point.ts';

/** What became of one --fail-if at one point. */
export type PointGate = Pick<GateResult, 'text' | 'state' | 'measured' | 'needs' | 'load'>;

/** Judges every point by its conditions, from its requests as they stand in its folder. */
export async function gatesOf(points: readonly MeasuredPoint[], conditions: readonly string[]): Promise<PointGate[]> {
  const gates: PointGate[] = [];
  if (conditions.length === 0) return gates;
  for (const { summary, dir } of points) {
    const { kind, concurrency } = summary.load;
    const trace = makeTrace({ kind: kind === 'closed' ? 'closed' : 'open', concurrency });
    for await (const exchange of readExchanges({ dir })) trace.add(exchange);
    for (const text of conditions) {
      const { state, measured, needs } = standingOf(parseRunGate(text).promise, summary, trace);
      const told = state === 'kept' ? 'passed' : state === 'broken' ? 'failed' : state;
      const load = points.length === 1 ? null : (summary.load.concurrency ?? summary.load.ratePerSec);
      gates.push({ text, state: told, measured, needs, load });
    }
  }
  return gates;
}
