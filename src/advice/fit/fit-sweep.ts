import { userError, UserError } from '../../core/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { choosePoints, kneeOf } from './choose-points.ts';
import { engineGrid } from './engine-grid.ts';
import type { EngineGrid, GridEngine, GridRange } from './engine-grid.ts';
import { figuresOf } from './explained-figures.ts';
import type { ExplainedFigure } from './explained-figures.ts';
import type { FitPoint } from './fit-point.ts';
import { PointNoise } from './point-noise.ts';
import type { Explanation } from './point-noise.ts';
import { scoredNames } from './scored-metrics.ts';
import type { ScoredMetric } from './scored-metrics.ts';
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
  /** The average of the engines that explain the points, weighted by how well they do. */
  profile: EngineProfile;
  limit: LimitKind;
  /** The largest batch: given, or inferred; null = the sweep never reached it. */
  maxBatchSize: number | null;
  used: FitPoint[];
  heldOut: FitPoint[];
  /** 90 % intervals of the parameters, by name. */
  intervals: Record<string, [number, number]>;
  /** Root mean square of the logarithmic residuals at the used points, of the engine that explains them best. */
  residual: number;
  /** What all engines that explain the points say of another one, weighted by how well they do. */
  predict(point: FitPoint): Record<ScoredMetric, Prediction>;
}

/** The 0.95 quantile of the standard normal: ± this many standard deviations hold 90 %. */
const ninetyPercent = 1.645;
/** The first, wide look: c times the knee's batch, relative to a. */
const wideRatios = [0.03, 40] as const;
const wideNodes = { ratios: 10, limits: 5 };
/** The second look, where the first found engines that are not less likely than the best by more than e^-this. */
const closeNodes = { ratios: 5, limits: 7 };
const worthwhile = 8;
/** Engines below this weight are left out of predictions. */
const leastWeight = 1e-4;

/** Fits an engine to the chosen points of a sweep; at least three are needed. */
export function fitSweep(points: readonly FitPoint[], options: SweepFitOptions): SweepFit {
  if (points.length < 3) throw tooFewPoints(points.length);
  const chosen = choosePoints(points, options.points);
  if (chosen.length < 2) throw tooFewPoints(chosen.length);
  const used = chosen.map((index) => points[index]!);
  const heldOut = points.filter((_, i) => !chosen.includes(i));
  const sweep: Measured = { lowest: points[0]!, used, figures: figuresOf(points[0]!) };
  const noise = new PointNoise(used, points[kneeOf(points)]!.concurrency, sweep.figures);
  const families = sweepModels(points, options).map((model) => explained(model, sweep, noise));
  return resultOf(families, used, heldOut, noise);
}

/** What is fitted: the used points with what there is to explain, and the lowest one of all, which tells the answers' lengths. */
interface Measured {
  lowest: FitPoint;
  used: readonly FitPoint[];
  figures: readonly ExplainedFigure[];
}

interface Candidate extends Explanation {
  engine: GridEngine;
  /** Place in its grid. */
  place: number;
  weight: number;
}

/** The engines of one family that are worth a thought; weights are relative to all families once `resultOf` has scaled them. */
interface Family {
  model: SweepModel;
  grid: EngineGrid;
  candidates: Candidate[];
}

function explained(model: SweepModel, { lowest, used, figures }: Measured, noise: PointNoise): Family {
  const most = used.at(-1)!.concurrency;
  const wide: GridRange = {
    ratios: [wideRatios[0] / most, wideRatios[1] / most],
    limits: model.limits,
    nodes: wideNodes,
    orders: 1,
  };
  const first = candidatesOf(engineGrid(model, lowest, wide, figures), used, noise);
  const close: GridRange = { ...rangeAround(first, wide), nodes: closeNodes, orders: 2 };
  const grid = engineGrid(model, lowest, close, figures);
  return { model, grid, candidates: candidatesOf(grid, used, noise) };
}

function candidatesOf(grid: EngineGrid, used: readonly FitPoint[], noise: PointNoise): Candidate[] {
  const tables = used.map((point) => grid.logsAt(point));
  return grid.engines.map((engine, place) => {
    const explanation = noise.explain(tables.map((table) => table[place]!));
    return { ...explanation, engine, place, weight: Math.log(engine.prior) - explanation.misfit / 2 };
  });
}

/** The part of a range where engines are worth a thought, one step wider than they lie. */
function rangeAround(candidates: readonly Candidate[], range: GridRange): Pick<GridRange, 'ratios' | 'limits'> {
  const best = Math.max(...candidates.map(({ weight }) => weight));
  const good = candidates.filter(({ weight }) => weight > best - worthwhile).map(({ engine }) => engine);
  const around = (values: readonly number[], within: readonly [number, number], nodes: number): [number, number] => {
    const step = (within[1] / within[0]) ** (1 / (4 * (nodes - 1)));
    return [Math.max(within[0], Math.min(...values) / step), Math.min(within[1], Math.max(...values) * step)];
  };
  return {
    ratios: around(
      good.map(({ ratio }) => ratio),
      range.ratios,
      range.nodes.ratios,
    ),
    limits:
      range.limits === null
        ? null
        : around(
            good.map(({ limit }) => limit),
            range.limits,
            range.nodes.limits,
          ),
  };
}

function resultOf(families: Family[], used: FitPoint[], heldOut: FitPoint[], noise: PointNoise): SweepFit {
  const all = families.flatMap(({ candidates }) => candidates);
  const best = all.reduce((first, next) => (next.weight > first.weight ? next : first));
  const most = best.weight;
  const total = all.reduce((sum, { weight }) => sum + Math.exp(weight - most), 0);
  for (const candidate of all) candidate.weight = Math.exp(candidate.weight - most) / total;
  const shareOf = (family: Family): number => family.candidates.reduce((sum, { weight }) => sum + weight, 0);
  const shareOfKind = (limit: LimitKind): number =>
    families.reduce((sum, family) => sum + (family.model.limit === limit ? shareOf(family) : 0), 0);
  const [family] = families.toSorted(
    (a, b) => shareOfKind(b.model.limit) - shareOfKind(a.model.limit) || shareOf(b) - shareOf(a),
  ) as [Family];
  const { model } = family;
  const about = parametersOf(family);
  const value = (name: string): number => Math.exp(about[name]?.mean ?? 0);
  const profile = model.profile(value('aMs'), value('cMsPerDecode'), value(limitName(model)));
  // Where the points are further off than they should be, so are the predictions.
  const freedom = Math.max(1, noise.observations.length - Object.keys(about).length);
  const surprise = Math.max(1, Math.sqrt(best.misfit / freedom));
  return {
    profile,
    limit: model.limit,
    maxBatchSize: model.limit === 'batch' ? profile.maxBatchSize : null,
    used,
    heldOut,
    intervals: Object.fromEntries(
      Object.entries(about).map(([name, { mean, sigma }]) => {
        const spread = ninetyPercent * surprise * sigma;
        return [name, [Math.exp(mean - spread), Math.exp(mean + spread)]];
      }),
    ),
    residual: Math.sqrt(best.residuals.reduce((sum, r) => sum + r * r, 0) / best.residuals.length),
    predict: (point) => predictAt(families, point, noise, surprise),
  };
}

function limitName({ limit }: SweepModel): string {
  return limit === 'kv' ? 'kv.blocks' : 'maxBatchSize';
}

/** Mean and standard deviation of the logarithm of each parameter that was searched. */
function parametersOf({ model, candidates }: Family): Record<string, { mean: number; sigma: number }> {
  const total = candidates.reduce((sum, { weight }) => sum + weight, 0);
  const about = (of: (candidate: Candidate) => number): { mean: number; sigma: number } => {
    const mean = candidates.reduce((sum, candidate) => sum + candidate.weight * of(candidate), 0) / total;
    const variance = candidates.reduce((sum, c) => sum + c.weight * (of(c) - mean) ** 2, 0) / total;
    return { mean, sigma: Math.sqrt(variance) };
  };
  return {
    aMs: about(({ logA }) => logA),
    cMsPerDecode: about(({ logA, engine }) => logA + Math.log(engine.ratio)),
    ...(model.limits === null ? {} : { [limitName(model)]: about(({ engine }) => Math.log(engine.limit)) }),
  };
}

function predictAt(
  families: readonly Family[],
  point: FitPoint,
  noise: PointNoise,
  surprise: number,
): Record<ScoredMetric, Prediction> {
  const told = families.flatMap(({ grid, candidates }) => {
    const worth = candidates.filter(({ weight }) => weight > leastWeight);
    if (worth.length === 0) return [];
    const table = grid.logsAt(point);
    return worth.map((candidate) => ({
      weight: candidate.weight,
      logs: noise.figuresAt(table[candidate.place]!, point, candidate),
    }));
  });
  const total = told.reduce((sum, { weight }) => sum + weight, 0);
  const entries = scoredNames.map((name, k) => {
    const mean = told.reduce((sum, { weight, logs }) => sum + weight * logs[k]!, 0) / total;
    const apart = told.reduce((sum, { weight, logs }) => sum + weight * (logs[k]! - mean) ** 2, 0) / total;
    const spread = ninetyPercent * surprise * Math.sqrt(apart + noise.varianceAt(point, k));
    const interval: [number, number] = [Math.exp(mean - spread), Math.exp(mean + spread)];
    return [name, { value: Math.exp(mean), interval }] as const;
  });
  return Object.fromEntries(entries) as Record<ScoredMetric, Prediction>;
}

function tooFewPoints(count: number): UserError {
  return userError(
    'too-few-fit-points',
    `only ${count} usable points; a fit needs three`,
    `可用的点只有 ${count} 个，拟合需要三个`,
    'Measure at least at a low, a middle and a saturating concurrency.',
    '请至少测量低、中、饱和三个并发。',
  );
}
