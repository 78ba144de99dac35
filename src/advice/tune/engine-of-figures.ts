import type { EngineProfile } from '../../engine/sim/index.ts';
import { schedulerSettings } from './engine-family.ts';
import type { EngineFamily } from './engine-family.ts';
import { kvAt } from './engine-model.ts';
import type { EngineModel, KnownKv } from './engine-model.ts';
import { leastSquares } from './least-squares.ts';
import { pointKey } from './setting.ts';
import type { TunePoint } from './setting.ts';
import { simulatePoint } from './simulate-point.ts';
import type { RequestLengths, SimulatedFigures } from './simulate-point.ts';
import type { Trial } from './trial.ts';

/** Figures that parameters are fitted to, and how closely a good model meets them (in logarithms). */
const fitted: readonly { words: readonly string[]; spread: number }[] = [
  { words: ['outputTokensPerSec'], spread: 0.03 },
  { words: ['tpot.mean', 'itl.mean'], spread: 0.03 },
  { words: ['ttft.mean'], spread: 0.2 },
];
/** How far parameters may be from the first guess before it costs as much as a misfit (in logarithms). */
const pulls = [1.2, 1, 1.2, 1.5];
const width = 0.15;
const iterations = 6;
const blockSize = 16;
/** Ratios (in logarithms) beyond which a miss is only a miss: a queue that grows without end has no length. */
const farthest = 1;
/** A fit that misses a throughput by more than this tries a limited KV cache as well. */
const shortfall = 0.06;
/** Four constants leave much unsaid. */
const elsewhere = 0.08;
const cacheParts = [0.3, 0.45, 0.6, 0.75, 0.9] as const;

/** The simulator fitted to the summaries of trials that ended well; null where there are fewer than two, or they say too little. */
export function engineOfFigures(
  family: EngineFamily,
  trials: readonly Trial[],
  lengths: RequestLengths,
  known: KnownKv | null,
): EngineModel | null {
  const usable = trials.filter(
    ({ outcome, figures, load }) =>
      outcome === 'ok' && figures['outputTokensPerSec'] != null && (load.concurrency ?? load.ratePerSec) !== null,
  );
  if (usable.length < 2) return null;
  const context = lengths.inputTokens + lengths.outputTokens;
  const start = firstGuess(usable, lengths);
  const whole = (kvTokens: number | null): { parameters: number[]; value: number; sims: Simulations } => {
    const sims = new Simulations(family, lengths, known, kvTokens);
    const residuals = (x: readonly number[]): number[] => [
      ...usable.flatMap((trial) => residualsOf(trial, sims.at(x, trial))),
      ...x.map((value, i) => (value - start[i]!) / pulls[i]!),
    ];
    const found = leastSquares(residuals, start, { iterations, width });
    return { parameters: found.at, value: found.value, sims };
  };
  let best = whole(null);
  if (known === null && misses(usable, best) > shortfall) {
    const mostBatch = Math.max(...usable.map((trial) => inFlightOf(trial)));
    for (const part of cacheParts) {
      const limited = whole(part * mostBatch * context);
      // One more parameter has to earn its place.
      if (limited.value + 2 < best.value) best = limited;
    }
  }
  const { parameters, sims } = best;
  return {
    predict: (point) => sims.at(parameters, point),
    elsewhere,
    misfit: misfitOf(usable, (trial) => sims.at(parameters, trial)),
  };
}

/** Simulated points by parameters; a point that only differs in what the simulator does not know is played once. */
class Simulations {
  readonly #played = new Map<string, SimulatedFigures | null>();

  constructor(
    private readonly family: EngineFamily,
    private readonly lengths: RequestLengths,
    private readonly known: KnownKv | null,
    private readonly kvTokens: number | null,
  ) {}

  at(x: readonly number[], point: TunePoint): SimulatedFigures | null {
    const profile = this.#profile(x, point);
    const key = `${x.join(' ')} ${pointKey({ settings: profile.scheduler!.settings, load: point.load })} ${profile.kv?.blocks ?? ''}`;
    let found = this.#played.get(key);
    if (found === undefined) {
      found = simulatePoint(profile, point.load, this.lengths);
      if (this.#played.size > 20_000) this.#played.clear();
      this.#played.set(key, found);
    }
    return found;
  }

  #profile(x: readonly number[], point: TunePoint): EngineProfile {
    const [aMs, cMs, p1Ms, kMs] = x.map((value) => Math.exp(value)) as [number, number, number, number];
    return {
      schema: 'llmdyno.engine-profile/1',
      name: 'tuned',
      title: 'calibrated by dyno tune',
      model: 'tuned',
      source: 'dyno tune',
      date: '2026',
      cost: { aMs, cMsPerDecode: cMs, p1MsPerPrefillToken: p1Ms, kMsPer1000KvTokens: kMs },
      jitter: { stepSigma: 0 },
      maxBatchSize: 4096,
      maxPrefillTokens: null,
      kv: this.#kvOf(point),
      scheduler: { name: this.family.scheduler, settings: schedulerSettings(this.family, point.settings) },
      notes: [],
    };
  }

  #kvOf(point: TunePoint): EngineProfile['kv'] {
    if (this.known !== null) return kvAt(this.family, this.known, point.settings);
    if (this.kvTokens === null) return null;
    return { blocks: Math.max(1, Math.ceil(this.kvTokens / blockSize)), blockSize };
  }
}

function residualsOf({ figures }: Trial, run: SimulatedFigures | null): number[] {
  return fitted.flatMap(({ words, spread }) => {
    const word = words.find((one) => (figures[one] ?? 0) > 0);
    if (word === undefined) return [];
    const ratio = run === null ? farthest : Math.log(run[word]! / figures[word]!);
    return [(farthest * Math.tanh(ratio / farthest)) / spread];
  });
}

function misses(trials: readonly Trial[], { parameters, sims }: { parameters: number[]; sims: Simulations }): number {
  const over = trials.map((trial) =>
    Math.log((sims.at(parameters, trial)?.['outputTokensPerSec'] ?? Infinity) / trial.figures['outputTokensPerSec']!),
  );
  return Math.max(...over);
}

/** Standard deviation of log(measured / predicted) of throughput and time per token, with a degree of freedom taken by each parameter. */
function misfitOf(trials: readonly Trial[], predict: (trial: Trial) => SimulatedFigures | null): number {
  const ratios = trials.flatMap((trial) => {
    const run = predict(trial);
    return fitted.slice(0, 2).flatMap(({ words }) => {
      const word = words.find((one) => (trial.figures[one] ?? 0) > 0);
      if (word === undefined) return [];
      return [run === null ? 1 : Math.log(run[word]! / trial.figures[word]!)];
    });
  });
  const squares = ratios.reduce((sum, ratio) => sum + ratio ** 2, 0);
  return Math.sqrt(squares / Math.max(1, ratios.length - pulls.length));
}

/** Requests decoding together, by Little's law where it is known. */
function inFlightOf({ load, figures }: Trial): number {
  const perSec = figures['outputTokensPerSec'] ?? null;
  const gapMs = figures['tpot.mean'] ?? figures['itl.mean'] ?? null;
  if (perSec !== null && gapMs !== null) return Math.max(1, (perSec * gapMs) / 1000);
  return load.concurrency ?? 1;
}

/** Logarithms of a, c, p1, k from the time per token at the least and the most loaded trial. */
function firstGuess(trials: readonly Trial[], lengths: RequestLengths): number[] {
  const sights = trials
    .map((trial) => ({ batch: inFlightOf(trial), gapMs: gapOf(trial) }))
    .toSorted((a, b) => a.batch - b.batch);
  const [low, high] = [sights[0]!, sights.at(-1)!];
  const slope = high.batch > low.batch * 1.2 ? (high.gapMs - low.gapMs) / (high.batch - low.batch) : 0;
  const cMs = Math.max(slope, (0.1 * low.gapMs) / low.batch);
  const aMs = Math.max(low.gapMs - cMs * low.batch, 0.15 * low.gapMs);
  const p1Ms = Math.max(0.5 * cMs, (0.3 * aMs) / lengths.inputTokens);
  const context = (lengths.inputTokens + lengths.outputTokens / 2) / 1000;
  return [aMs, cMs, p1Ms, (0.2 * cMs) / context].map((value) => Math.log(value));
}

function gapOf({ figures, load }: Trial): number {
  const told = figures['tpot.mean'] ?? figures['itl.mean'] ?? null;
  if (told !== null && told > 0) return told;
  return (1000 * (load.concurrency ?? 1)) / figures['outputTokensPerSec']!;
}
