import { quantile } from '../../core/index.ts';
import { EngineCore } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';

/** One closed-loop run to simulate: so many in flight until all lengths are done. */
export interface ClosedLoad {
  concurrency: number;
  inputTokens: readonly number[];
  outputTokens: readonly number[];
}

/** The figures that a sweep prints of a run. */
export interface RunFigures {
  outputTokensPerSec: number;
  latencyMeanMs: number;
  latencyP50Ms: number;
  latencyP90Ms: number;
  latencyP99Ms: number;
  ttftMeanMs: number;
}

/** Plays a closed loop in virtual time, start and drain included, and reads what a log would print. */
export function closedRun(profile: EngineProfile, load: ClosedLoad, seed = 1): RunFigures {
  const { inputTokens, outputTokens, concurrency } = load;
  const core = new EngineCore({ profile, seed, keepTimes: false });
  const overheadMs = profile.overheadMs ?? 0;
  const count = outputTokens.length;
  const sentMs = new Float64Array(count);
  const latencies = new Float64Array(count);
  let next = 0;
  let done = 0;
  let tokens = 0;
  let ttftMs = 0;
  let endMs = 0;
  const send = (nowMs: number): void => {
    sentMs[next] = nowMs;
    core.submit({ id: next, inputTokens: inputTokens[next]!, outputTokens: outputTokens[next]!, arrivalMs: nowMs });
    next++;
  };
  while (next < Math.min(concurrency, count)) send(0);
  core.beginStep(0);
  while (done < count) {
    const finishes = core.advance(Infinity);
    for (const finish of finishes) {
      latencies[finish.id] = finish.endMs - sentMs[finish.id]! + overheadMs;
      ttftMs += finish.firstTokenMs - sentMs[finish.id]! + overheadMs;
      tokens += outputTokens[finish.id]!;
      endMs = finish.endMs;
      done++;
    }
    for (let i = 0; i < finishes.length && next < count; i++) send(endMs);
    if (core.step === null && done < count) core.beginStep(endMs);
  }
  let sum = 0;
  for (const latency of latencies) sum += latency;
  const sorted = latencies.sort();
  return {
    outputTokensPerSec: (1000 * tokens) / endMs,
    latencyMeanMs: sum / count,
    latencyP50Ms: quantile(sorted, 0.5)!,
    latencyP90Ms: quantile(sorted, 0.9)!,
    latencyP99Ms: quantile(sorted, 0.99)!,
    ttftMeanMs: ttftMs / count,
  };
}
