import { UserError } from '../core/index.ts';
import type { EngineProfile } from '../sim/index.ts';
import { choosePoints } from './choose-points.ts';
import { closedRun } from './closed-run.ts';
import type { RunFigures } from './closed-run.ts';
import type { FitPoint } from './fit-point.ts';
import { laplace, ninetyPercent, slopesAt, spreadOf } from './laplace.ts';
import type { Uncertainty } from './laplace.ts';
import { nelderMead } from './nelder-mead.ts';
import type { Minimum } from './nelder-mead.ts';
import { residualsOf, scoredMetrics, scoredNames } from './residuals.ts';
import type { ScoredMetric } from './residuals.ts';
import { loadsOf } from './sweep-loads.ts';
import { sweepModels } from './sweep-model.ts';
import type { LimitKind, SweepModel } from './sweep-model.ts';

/** What is asked of a fit of a sweep. */
export interface SweepFitOptions {
  /** `auto`, words and concurrencies; empty = auto. */
  points: readonly string[];
  /** What the user knows of the server; null = to be inferred. */
  maxBatchSize: number | null;
  kv: EngineProfile['kv'];
}

/** A prediction with the interval that holds the truth nine times out of ten. */
export interface Prediction {
  value: number;
  interval: [number, number];
}

/** An engine fitted to a sweep, ready to predict other concurrencies. */
export interface SweepFit {
  profile: EngineProfile;
  limit: LimitKind;
  /** The largest batch: given, or inferred; null = the sweep never reached it. */
  maxBatchSize: number | null;
  used: FitPoint[];
  heldOut: FitPoint[];
  /** 90 % intervals of the parameters, by name. */
  intervals: Record<string, [number, number]>;
  /** Root mean square of the logarithmic residuals at the used points. */
  residual: number;
  predict(point: FitPoint): Record<ScoredMetric, Prediction>;
}

/** Orders of the answers that are tried: who comes last decides how long a run drains, and no log tells it. */
const orders = 24;
/** How much better the KV cache must explain the used points before it is preferred to the batch size. */
const clearlyBetter = 0.7;

/** Fits an engine to the chosen points of a sweep; at least three are needed. */
export function fitSweep(points: readonly FitPoint[], options: SweepFitOptions): SweepFit {
  if (points.length < 3) throw tooFewPoints(points.length);
  const chosen = choosePoints(points, options.points);
  if (chosen.length < 2) throw tooFewPoints(chosen.length);
  const used = chosen.map((index) => points[index]!);
  const heldOut = points.filter((_, i) => !chosen.includes(i));
  const models = sweepModels(points, used, options);
  const fits = models.map((model) => fitModel(model, points, used));
  const best = fits.reduce((first, next) => (next.loss < clearlyBetter * first.loss ? next : first));
  return resultOf(best, points, used, heldOut);
}

interface ModelFit {
  model: SweepModel;
  at: number[];
  loss: number;
  orderSeed: number;
}

function runsAt(
  model: SweepModel,
  at: readonly number[],
  points: readonly FitPoint[],
  used: readonly FitPoint[],
  orderSeed: number,
): RunFigures[] {
  const profile = model.profile(at);
  const loads = loadsFor(points, used, orderSeed);
  return loads.map((load) => closedRun(profile, load));
}

/** Loads of some points, drawn with the lengths of the whole sweep's lowest point. */
function loadsFor(
  points: readonly FitPoint[],
  some: readonly FitPoint[],
  orderSeed: number,
): ReturnType<typeof loadsOf> {
  return loadsOf([points[0]!, ...some], orderSeed).slice(1);
}

function fitModel(model: SweepModel, points: readonly FitPoint[], used: readonly FitPoint[]): ModelFit {
  let loads = loadsFor(points, used, 1);
  const loss = (at: readonly number[]): number => {
    const profile = model.profile(at);
    let sum = model.prior(at) ** 2;
    used.forEach((point, i) => {
      for (const residual of residualsOf(point, closedRun(profile, loads[i]!))) sum += residual * residual;
    });
    return sum;
  };
  const width = model.steps.length;
  const search = (from: readonly number[], scale: number, evaluations: number): Minimum =>
    nelderMead(
      loss,
      from,
      model.steps.map((step) => step * scale),
      { evaluations: evaluations * width, tolerance: 1e-6 },
    );
  const first = model.starts.length === 1 ? 30 : 10;
  const candidates = model.starts.map((start) => search(start, 1, first)).toSorted((a, b) => a.value - b.value);
  let fit = candidates[0]!;
  let orderSeed = 1;
  for (let round = 0; round < 2; round++) {
    let least = Infinity;
    const from = round === 0 ? candidates.slice(0, 3) : [fit];
    let start = fit.at;
    for (let seed = 1; seed <= orders; seed++) {
      loads = loadsFor(points, used, seed);
      for (const { at } of from) {
        const value = loss(at);
        if (value < least) [least, orderSeed, start] = [value, seed, at];
      }
    }
    loads = loadsFor(points, used, orderSeed);
    fit = search(start, 0.25, 20);
  }
  return { model, at: fit.at, loss: fit.value, orderSeed };
}

function resultOf(fit: ModelFit, points: readonly FitPoint[], used: FitPoint[], heldOut: FitPoint[]): SweepFit {
  const { model, at, orderSeed } = fit;
  const steps = at.map((_, i) => (i === 2 ? 0.04 : 0.02));
  const residuals = (x: readonly number[]): number[] =>
    runsAt(model, x, points, used, orderSeed).flatMap((run, i) => residualsOf(used[i]!, run));
  const doubt = laplace(residuals, at, steps);
  const profile = model.profile(at);
  const count = residuals(at).length;
  return {
    profile,
    limit: model.limit,
    maxBatchSize: model.limit === 'batch' ? profile.maxBatchSize : null,
    used,
    heldOut,
    intervals: intervalsOf(model, at, doubt),
    residual: Math.sqrt(fit.loss / count),
    predict: (point) => predictAt(fit, points, point, doubt, steps),
  };
}

function intervalsOf(model: SweepModel, at: readonly number[], doubt: Uncertainty): Record<string, [number, number]> {
  return Object.fromEntries(
    model.names.map((name, i) => {
      const spread = ninetyPercent * Math.sqrt(doubt.covariance[i]![i]!);
      return [name, [Math.exp(at[i]! - spread), Math.exp(at[i]! + spread)]];
    }),
  );
}

function predictAt(
  { model, at, orderSeed }: ModelFit,
  points: readonly FitPoint[],
  point: FitPoint,
  doubt: Uncertainty,
  steps: readonly number[],
): Record<ScoredMetric, Prediction> {
  const logs = (x: readonly number[]): number[] => {
    const [run] = runsAt(model, x, points, [point], orderSeed);
    return scoredNames.map((name) => Math.log(scoredMetrics[name].predicted(run!)));
  };
  const here = logs(at);
  const slopes = slopesAt(logs, at, steps, here);
  const entries = scoredNames.map((name, k) => {
    const ownSlopes = slopes.map((row) => row[k]!);
    const spread = ninetyPercent * Math.hypot(doubt.sigma, spreadOf(doubt.covariance, ownSlopes));
    const interval: [number, number] = [Math.exp(here[k]! - spread), Math.exp(here[k]! + spread)];
    return [name, { value: Math.exp(here[k]!), interval }] as const;
  });
  return Object.fromEntries(entries) as Record<ScoredMetric, Prediction>;
}

function tooFewPoints(count: number): UserError {
  return new UserError({
    code: 'too-few-fit-points',
    message: { en: `only ${count} usable points; a fit needs three`, zh: `可用的点只有 ${count} 个，拟合需要三个` },
    hint: {
      en: 'Measure at least at a low, a middle and a saturating concurrency.',
      zh: '请至少测量低、中、饱和三个并发。',
    },
  });
}
