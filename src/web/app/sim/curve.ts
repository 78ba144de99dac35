import type { Summary } from '../../../core/index.ts';
import { quantile, randomStream } from '../../../core/index.ts';
import { closedRun, fitSweep, heldOutOf, usablePoints } from '../../../advice/fit/index.ts';
import type { EngineProfile } from '../../../engine/sim/index.ts';

/** What is to be simulated: a closed loop at several concurrencies. */
export interface CurveAsk {
  profile: EngineProfile;
  loads: readonly number[];
  inputTokens: number;
  outputTokens: number;
}

/** One load of a curve: the middle of several seeds, and the span of all of them. */
export interface CurvePoint {
  load: number;
  outputTokensPerSec: [number, number, number];
  ttftMeanMs: [number, number, number];
  latencyMeanMs: [number, number, number];
}

/** An engine fitted to a measured sweep, with what it predicts at the sweep's own loads. */
export interface FittedCurve {
  profile: EngineProfile;
  /** Loads it was fitted to. */
  used: number[];
  /** Mean relative error on the points it was not fitted to; null = all were used. */
  heldOutError: number | null;
  /** Low, middle and high of the 90 % interval. */
  points: { load: number; outputTokensPerSec: [number, number, number]; latencyMeanMs: [number, number, number] }[];
}

const seeds = 5;
const rounds = 6;
const [fewestRequests, mostRequests] = [120, 3000];

/** Answers of varied lengths around a mean, as real ones are: half to one and a half times of it. */
function lengthsAround(mean: number, count: number, seed: number, name: string): number[] {
  const stream = randomStream(seed, name);
  return Array.from({ length: count }, () => Math.max(1, Math.round(mean * (0.5 + stream.next()))));
}

/** One load of a curve, played in virtual time under several seeds. */
export function curvePoint({ profile, inputTokens, outputTokens }: CurveAsk, load: number): CurvePoint {
  const requests = Math.min(mostRequests, Math.max(fewestRequests, load * rounds));
  const runs = Array.from({ length: seeds }, (_, seed) =>
    closedRun(
      profile,
      {
        concurrency: load,
        inputTokens: lengthsAround(inputTokens, requests, seed, 'input'),
        outputTokens: lengthsAround(outputTokens, requests, seed, 'output'),
      },
      seed + 1,
    ),
  );
  const spread = (of: (run: (typeof runs)[number]) => number): [number, number, number] => {
    const values = Float64Array.from(runs, of).sort();
    return [values[0]!, quantile(values, 0.5)!, values.at(-1)!];
  };
  return {
    load,
    outputTokensPerSec: spread((run) => run.outputTokensPerSec),
    ttftMeanMs: spread((run) => run.ttftMeanMs),
    latencyMeanMs: spread((run) => run.latencyMeanMs),
  };
}

/** Fits an engine to the points of a measured sweep. Throws UserError where they are too few. */
export function fittedCurve(summaries: readonly Summary[]): FittedCurve {
  const { points } = usablePoints(summaries);
  const fit = fitSweep(points, { points: [], maxBatchSize: null, kv: null });
  const heldOut = fit.heldOut.length === 0 ? null : heldOutOf(fit);
  return {
    profile: fit.profile,
    used: fit.used.map(({ concurrency }) => concurrency),
    heldOutError: heldOut?.outputTokensPerSec?.mape ?? null,
    points: points.map((point) => {
      const predicted = fit.predict(point);
      const three = (name: 'outputTokensPerSec' | 'latencyMs.mean'): [number, number, number] => {
        const { value, interval } = predicted[name];
        return [interval[0], value, interval[1]];
      };
      return {
        load: point.concurrency,
        outputTokensPerSec: three('outputTokensPerSec'),
        latencyMeanMs: three('latencyMs.mean'),
      };
    }),
  };
}
