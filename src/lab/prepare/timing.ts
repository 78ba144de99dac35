import { dueUnder } from '../../inputs/arrival/index.ts';
import { userError } from '../../core/index.ts';
import type { RateShape } from '../../core/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import type { Dataset, Slice } from '../../inputs/dataset/index.ts';
import { plainArrival } from './assemble-plan.ts';
import type { LoadPoint, PlanSettings, Timing } from './assemble-plan.ts';

/** Reads the times of a trace, from the file named or from the dataset itself; null = no trace was asked for. */
export async function traceGaps(settings: PlanSettings, dataset: Dataset, slice: Slice): Promise<number[] | null> {
  const { arrival } = settings;
  if (arrival?.process !== 'trace') return null;
  const source = arrival.file === null ? dataset : await openDataset(arrival.file);
  if (source.gapsMs === undefined)
    throw userError(
      'trace-without-times',
      arrival.file === null ? 'the dataset carries no times' : 'this file carries no times',
      arrival.file === null ? '数据集不含时间' : '该文件不含时间',
      'times are in mooncake:FILE, azure:FILE, burstgpt:FILE and requests:FILE (with "timestamp")',
      'mooncake:文件、azure:文件、burstgpt:文件、requests:文件（含 "timestamp"）带有时间',
      '--arrival',
    );
  return source.gapsMs(slice);
}

/** When asks come due where a trace or a shape says so; null = by the point's own rate or concurrency. */
export function timingOf(
  settings: PlanSettings,
  point: LoadPoint,
  gapsMs: readonly number[] | null,
  limits: { requests: number | null; durationMs: number | null },
): Timing | null {
  if (gapsMs !== null) {
    const speed = settings.speed ?? 1;
    const spanSec = gapsMs.reduce((sum, gap) => sum + gap, 0) / speed / 1000;
    const ratePerSec = spanSec > 0 ? rounded(gapsMs.length / spanSec) : null;
    return { arrival: { process: 'trace', gapsMs, speed }, ratePerSec };
  }
  const shape = shapeOf(settings, point);
  if (shape === null) return null;
  return { arrival: plainArrival(settings), shape, ratePerSec: rounded(meanRate(shape, limits)) };
}

function shapeOf({ ramp }: PlanSettings, { ratePerSec }: LoadPoint): RateShape | null {
  if (ramp === undefined) return null;
  if ('shape' in ramp) return ramp.shape;
  if (ratePerSec === null) return null;
  return { kind: 'stages', stages: [{ fromPerSec: 0, toPerSec: ratePerSec, forMs: ramp.riseMs, curve: 'linear' }] };
}

/** Asks per second over the run as planned: over the time that the count takes, or within the duration. */
function meanRate(
  shape: RateShape,
  { requests, durationMs }: { requests: number | null; durationMs: number | null },
): number {
  const due = dueUnder(shape);
  const endMs = Math.min(requests === null ? Infinity : due(requests), durationMs ?? Infinity);
  if (requests !== null && due(requests) <= endMs) return (requests / endMs) * 1000;
  // The number of asks within the duration: the inverse is known, so it is found by halving.
  let [low, high] = [0, 1];
  while (due(high) < endMs) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (due(middle) < endMs) low = middle;
    else high = middle;
  }
  return (low / endMs) * 1000;
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(6));
}
