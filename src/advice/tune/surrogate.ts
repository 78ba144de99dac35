import { normalQuantile } from '../../results/measure/index.ts';
import type { Slo } from '../../results/measure/index.ts';
import { engineOfFigures } from './engine-of-figures.ts';
import { engineOfRuns } from './engine-of-runs.ts';
import type { TrialRun } from './engine-of-runs.ts';
import type { EngineModel } from './engine-model.ts';
import { gaussianProcess } from './gaussian-process.ts';
import type { Posterior, Process, ProcessShape, Observation } from './gaussian-process.ts';
import { sloWord } from './goal-metrics.ts';
import { noiseOf } from './noise.ts';
import type { TuneProblem } from './problem.ts';
import type { SimulatedFigures, RequestLengths } from './simulate-point.ts';
import { scaleOf } from './scale.ts';
import type { Scale } from './scale.ts';
import { learntFigure } from './failures.ts';
import { worksChances } from './feasibility.ts';
import { coordinatesOf, loadNames, pointAt } from './space.ts';
import type { Place, Space } from './space.ts';
import type { Predicted, Trial } from './trial.ts';

/** What is believed of every place after the trials so far. */
export interface Surrogate {
  /** Of a figure on its own scale (scale.ts). */
  belief(word: string, place: Place): Posterior;
  /** Chance that the server works there at all. */
  feasibility(place: Place): number;
  /** Standard deviation of one look at a figure, in the same units. */
  noise(word: string): number;
  /** How much of the belief rests on the calibrated simulator, 0…1. */
  simulatorShare: number;
  model: EngineModel | null;
}

const simulatedShapes = ({ elsewhere }: Simulator): ProcessShape[] =>
  shapes([elsewhere], [elsewhere], [0.01, 0.03, 0.08, 0.2, 0.35], [0.2, 0.5]);
/** A simulator that meets the trials to a hundredth is not expected to bend away by a tenth: how its own misfit speaks against a shape. */
const leastMisfit = 0.02;

function shapeOdds(shape: ProcessShape, misfit: number): number {
  return -Math.log1p(shape.bendVariance / (2 * misfit + leastMisfit) ** 2);
}

const plainShapes = shapes([0.7], [0.3, 1], [0.1, 0.3, 0.8], [0.25, 0.6]);
/** The simulator is believed until the trials speak against it: its head start as a logarithm of odds. */
const simulatorHeadStart = 1.5;

/** Logarithm of the sum of the shapes' odds, so that they add up to one. */
function totalOdds(shapesOfIt: readonly ProcessShape[], misfit: number): number {
  return Math.log(shapesOfIt.reduce((sum, shape) => sum + Math.exp(shapeOdds(shape, misfit)), 0));
}

/** The model of the engine, each place played once. */
interface Simulator extends Pick<EngineModel, 'misfit' | 'elsewhere'> {
  simulate(place: Place): SimulatedFigures | null;
}

function shapes(
  levels: readonly number[],
  trends: readonly number[],
  bends: readonly number[],
  reaches: readonly number[],
): ProcessShape[] {
  return levels.flatMap((level) =>
    trends.flatMap((trend) =>
      bends.flatMap((bend) =>
        reaches.map((reach) => ({
          levelVariance: level ** 2,
          trendVariance: trend ** 2,
          bendVariance: bend ** 2,
          reach,
        })),
      ),
    ),
  );
}

/** Builds the beliefs: the simulator calibrated to the trials as a first guess, and what it misses learnt from the trials. */
export function makeSurrogate(
  problem: TuneProblem,
  trials: readonly Trial[],
  runs: readonly TrialRun[] = [],
): Surrogate {
  const { space } = problem;
  const model = engineModelOf(problem, trials, runs);
  const located = trials.flatMap((trial) => {
    const place = placeOf(space, trial);
    return place === null ? [] : [{ trial, place, at: coordinatesOf(space, place) }];
  });
  const ordered = space.knobs.map((knob) => knob.ordered);
  const simulated = new Map<string, SimulatedFigures | null>();
  const simulate = (place: Place): SimulatedFigures | null => {
    const key = place.join(',');
    if (!simulated.has(key)) {
      const point = model === null ? null : pointAt(space, place);
      simulated.set(key, point === null ? null : model!.predict(point));
    }
    return simulated.get(key)!;
  };
  const learnt = new Map<string, Learnt>();
  const learntOf = (word: string): Learnt => {
    let found = learnt.get(word);
    if (found === undefined) {
      found = learn(
        word,
        scaleOf(problem, word),
        located,
        ordered,
        noiseOf(word, trials),
        model === null ? null : { simulate, misfit: model.misfit, elsewhere: model.elsewhere },
      );
      learnt.set(word, found);
    }
    return found;
  };
  return {
    belief: (word, place) => learntOf(word).at(place, coordinatesOf(space, place)),
    feasibility: worksChances(space, located),
    noise: (word) => noiseOf(word, trials),
    get simulatorShare() {
      return model === null ? 0 : learntOf(problem.objective.word).simulatorShare;
    },
    model,
  };
}

/** A fit to all requests that misses its own runs by more than this does not understand the server. */
const understood = 0.1;

/** The engine as its requests tell it; as the summaries do where requests are not kept, or do not tell it as well. */
function engineModelOf(problem: TuneProblem, trials: readonly Trial[], runs: readonly TrialRun[]): EngineModel | null {
  const { family, kv } = problem;
  if (family === null) return null;
  const ofRuns = engineOfRuns(problem, family, trials, runs);
  if (ofRuns !== null && ofRuns.misfit <= understood) return ofRuns;
  const ofFigures = engineOfFigures(family, trials, problem.lengths ?? requestLengthsOf(trials), kv);
  return ofRuns !== null && ofRuns.misfit <= (ofFigures?.misfit ?? Infinity) ? ofRuns : ofFigures;
}

/** A trial and where it lies. */
export interface Located {
  trial: Trial;
  place: Place;
  at: number[];
}

interface Learnt {
  at(place: Place, coordinates: readonly number[]): Posterior;
  simulatorShare: number;
}

/** Averages over shapes, and over with and without the simulator, each weighed by how likely it makes what was seen. */
function learn(
  word: string,
  scale: Scale,
  located: readonly Located[],
  ordered: readonly boolean[],
  noise: number,
  simulator: Simulator | null,
): Learnt {
  const looks = located.flatMap(({ trial, place, at }) => {
    const value = trial.outcome === 'ok' ? learntFigure(word, trial) : null;
    return value === null ? [] : [{ place, at, value: scale.to(value) }];
  });
  const guess = (place: Place): number | null => {
    const value = simulator?.simulate(place)?.[word];
    return value === undefined || value <= 0 ? null : scale.to(value);
  };
  const middle = looks.length === 0 ? 0 : looks.reduce((sum, { value }) => sum + value, 0) / looks.length;
  const plain = looks.map(({ at, value }): Observation => ({ at, value: value - middle, noise: noise ** 2 }));
  const parts: { process: Process; weight: number; base(place: Place): number }[] = plainShapes.map((shape) => {
    const process = gaussianProcess(plain, ordered, word === 'failed' ? narrow(shape) : shape);
    return { process, weight: process.likelihood - Math.log(plainShapes.length), base: () => middle };
  });
  const guesses = looks.map(({ place }) => guess(place));
  if (simulator !== null && looks.length > 0 && guesses.every((value) => value !== null)) {
    const seen = looks.map(({ at, value }, i): Observation => ({ at, value: value - guesses[i]!, noise: noise ** 2 }));
    const around = simulatedShapes(simulator);
    const total = totalOdds(around, simulator.misfit);
    for (const shape of around) {
      const process = gaussianProcess(seen, ordered, shape);
      const odds = shapeOdds(shape, simulator.misfit) - total;
      const weight = process.likelihood + simulatorHeadStart + odds;
      parts.push({ process, weight, base: (place) => guess(place) ?? middle });
    }
  }
  const most = Math.max(...parts.map(({ weight }) => weight));
  const total = parts.reduce((sum, { weight }) => sum + Math.exp(weight - most), 0);
  const shares = parts.map(({ weight }) => Math.exp(weight - most) / total);
  const kept = parts.map((part, i) => ({ ...part, share: shares[i]! })).filter(({ share }) => share > 0.005);
  return {
    simulatorShare: shares.slice(plainShapes.length).reduce((sum, share) => sum + share, 0),
    at(place, coordinates) {
      let [weight, mean, square] = [0, 0, 0];
      for (const { process, share, base } of kept) {
        const belief = process.at(coordinates);
        const value = base(place) + belief.mean;
        weight += share;
        mean += share * value;
        square += share * (belief.variance + value ** 2);
      }
      mean /= weight;
      return { mean, variance: Math.max(1e-12, square / weight - mean ** 2) };
    },
  };
}

function narrow(shape: ProcessShape): ProcessShape {
  const less = 0.1;
  return {
    ...shape,
    levelVariance: shape.levelVariance * less ** 2,
    trendVariance: shape.trendVariance * less ** 2,
    bendVariance: shape.bendVariance * less ** 2,
  };
}

/** Where a trial lies in the space; null = its load was changed alone, outside of what is searched. */
export function placeOf(space: Space, { settings, load }: Pick<Trial, 'settings' | 'load'>): Place | null {
  const values: Record<string, unknown> = {
    ...settings,
    [loadNames.concurrency]: load.concurrency,
    [loadNames.rate]: load.ratePerSec,
  };
  const place = space.knobs.map((knob) => knob.values.findIndex((value) => value === values[knob.name]));
  if (place.includes(-1)) return null;
  const point = pointAt(space, place);
  if (point === null) return null;
  const same = point.load.concurrency === load.concurrency && point.load.ratePerSec === load.ratePerSec;
  return same ? place : null;
}

/** Chance that a figure truly keeps an SLO. */
export function meetsChance(problem: TuneProblem, slo: Slo, belief: Posterior): number {
  return normalChance(roomOf(problem, slo, belief));
}

/** How many standard deviations a figure is believed to be within an SLO; negative = outside. */
export function roomOf(
  problem: TuneProblem,
  slo: Slo,
  { mean, variance }: Posterior,
  marginOf = 0,
  extraVariance = 0,
): number {
  const limit = scaleOf(problem, sloWord(slo)).to(slo.limit);
  const sign = slo.op.startsWith('<') ? 1 : -1;
  return (sign * (limit - mean) - marginOf) / Math.sqrt(variance + extraVariance + 1e-12);
}

/** Logarithm of P(Z < z): far below zero by the tail's own series, where the chance itself is rounded to nothing. */
export function logNormalChance(z: number): number {
  if (z > -5) return Math.log(normalChance(z));
  return (-z * z) / 2 - Math.log(-z * Math.sqrt(2 * Math.PI)) + Math.log1p(-1 / (z * z));
}

/** P(Z < z) of a standard normal (Abramowitz and Stegun 7.1.26 is not exact enough in the tails; this is Zelen and Severo's). */
export function normalChance(z: number): number {
  if (z < 0) return 1 - normalChance(-z);
  const t = 1 / (1 + 0.231_641_9 * z);
  const tail =
    t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return 1 - (tail * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** What a surrogate expects at a place, for the table: middles with 90 % intervals of one look. */
export function predictedAt(problem: TuneProblem, surrogate: Surrogate, place: Place): Predicted {
  const words = [problem.objective.word, ...problem.slos.map((slo) => sloWord(slo))];
  const z = normalQuantile(0.95);
  return {
    by: surrogate.simulatorShare >= 0.5 ? 'simulator' : 'trials',
    figures: Object.fromEntries(
      words.map((word) => {
        const { mean, variance } = surrogate.belief(word, place);
        const half = z * Math.sqrt(variance + surrogate.noise(word) ** 2);
        const { back } = scaleOf(problem, word);
        return [word, { middle: back(mean), low: back(mean - half), high: back(mean + half) }];
      }),
    ),
  };
}

const assumed: RequestLengths = { inputTokens: 256, outputTokens: 256, outputSpread: 0.3 };

/** Lengths as the trials measured them; where none tells them, from throughput over requests, else an ordinary guess. */
function requestLengthsOf(trials: readonly Trial[]): RequestLengths {
  const told = trials.findLast(({ summary }) => (summary?.outputTokens?.mean ?? 0) >= 1)?.summary ?? null;
  const output = told?.outputTokens ?? null;
  const fromRates = trials
    .map(({ figures }) => (figures['outputTokensPerSec'] ?? NaN) / (figures['requestsPerSec'] ?? NaN))
    .find((ratio) => ratio >= 1 && Number.isFinite(ratio));
  const outputTokens = output?.mean ?? fromRates ?? assumed.outputTokens;
  const [p50, p90] = [output?.p50 ?? null, output?.p90 ?? null];
  const spread =
    p50 !== null && p90 !== null && p50 > 0 ? Math.min(0.9, Math.max(0, (p90 / p50 - 1) * 1.25)) : assumed.outputSpread;
  return {
    inputTokens: Math.max(1, Math.round(told?.inputTokens?.mean ?? assumed.inputTokens)),
    outputTokens: Math.max(1, Math.round(outputTokens)),
    outputSpread: spread,
  };
}
