import type { RequestData } from '../state/request-data.ts';

const mostSteps = 400;

/** In flight (mean), finished and failed per second over the run, in stretches of equal length: seconds, then the lists. */
export function timelineData(data: RequestData, startMs: number): number[][] {
  let endMs = startMs;
  for (let row = 0; row < data.rows; row++) endMs = Math.max(endMs, data.at('endMs', row));
  const stepMs = Math.max(100, Math.ceil((endMs - startMs) / mostSteps / 100) * 100);
  const steps = Math.max(1, Math.ceil((endMs - startMs) / stepMs));
  const changes = new Float64Array(steps + 1);
  const busy = new Float64Array(steps);
  const [done, failed] = [new Float64Array(steps), new Float64Array(steps)];
  for (let row = 0; row < data.rows; row++) {
    const sent = data.at('sentMs', row);
    if (Number.isNaN(sent)) continue;
    const [from, to] = [(sent - startMs) / stepMs, (data.at('endMs', row) - startMs) / stepMs];
    const [first, last] = [Math.min(steps - 1, Math.floor(from)), Math.min(steps - 1, Math.floor(to))];
    if (first === last) busy[first]! += to - from;
    else {
      busy[first]! += first + 1 - from;
      busy[last]! += to - last;
      changes[first + 1]! += 1;
      changes[last]! -= 1;
    }
    if (data.isOk(row)) done[last]! += 1;
    else failed[last]! += 1;
  }
  let whole = 0;
  const perSec = 1000 / stepMs;
  const times: number[] = [];
  const lists: number[][] = [[], [], []];
  for (let step = 0; step < steps; step++) {
    whole += changes[step]!;
    times.push(((step + 0.5) * stepMs) / 1000);
    lists[0]!.push(busy[step]! + whole);
    lists[1]!.push(done[step]! * perSec);
    lists[2]!.push(failed[step]! * perSec);
  }
  return [times, ...lists];
}
