import { cholesky, randomStream, solve, solveTransposed } from '../../../core/index.ts';
import type { EngineProfile, FittedDoubt, FittedReach } from '../../../engine/sim/index.ts';
import type { MeasuredRun } from './measured-run.ts';
import { misfitOf, paceSpread, withEngine, withPace } from './misfit.ts';
import type { Misfit, RunsFitOptions } from './misfit.ts';
import { playRun } from './play-run.ts';
import { reachOf } from './reach.ts';
import { figureNames, figuresOf, meanOf } from './run-figures.ts';
import type { FigureName } from './run-figures.ts';

/** A constant as it was found. */
export interface FoundConstant {
  name: string;
  value: number;
  /** 90 % of what explains the runs lies in it. */
  interval: [number, number];
  /** The runs say much more of it than was thought before. */
  known: boolean;
}

/** A server fitted to all that its runs show. */
export interface RunsFit {
  profile: EngineProfile;
  constants: FoundConstant[];
  reach: FittedReach;
  doubt: FittedDoubt & { errors: Record<FigureName, number> };
}

/** Rounds of the search; steps of the first of them are wide, because cohorts of requests make the figures rough. */
const rounds = 12;
const wideRounds = 4;
const steps = { wide: 0.3, narrow: 0.15 };
/** Rounds at the end whose servers are averaged, because of servers that are about as good the best one is so by chance. */
const averaged = 6;
/** Parts of the way that a round tries, because a whole step often ends where only chance fits the figures. */
const lengths = [1, 0.5, 0.25];
const damping = 0.2;
/** No constant changes by more than this (of its logarithm) in a round. */
const mostChange = 0.5;
/** Pairs of servers that explain the runs, over which a prediction is spread; those of a pair lie on opposite sides, so that they share no bias. */
const drawnPairs = 5;
/** More than this share of what was not known before is left where the runs tell nothing of a constant. */
const knownShare = 0.6;

/** Fits all constants of a server to all that its runs show, at once. */
export function fitRuns(runs: readonly MeasuredRun[], options: RunsFitOptions): RunsFit {
  const misfit = misfitOf(runs, options);
  const { constants, at } = misfit;
  const found = searched(misfit);
  const lower = cholesky(normalOf(slopesAt(misfit, found, steps.narrow), 1));
  const reach = reachOf(runs);
  const spreads = spreadsOf(lower);
  const chance = randomStream(1, 'servers that explain the runs');
  const others = Array.from({ length: drawnPairs }).flatMap(() => {
    const away = solveTransposed(
      lower,
      found.map(() => chance.normal()),
    );
    const pace = paceSpread * chance.normal();
    return [1, -1].map((side) => {
      const drawn = at(found.map((value, i) => value + side * away[i]!));
      return partsOf(withPace(drawn, Math.exp(side * pace)));
    });
  });
  const told = constants.map(({ name, spread }, i): FoundConstant => ({
    name,
    value: Math.exp(found[i]!),
    interval: [Math.exp(found[i]! - 1.645 * spreads[i]!), Math.exp(found[i]! + 1.645 * spreads[i]!)],
    known: spreads[i]! < knownShare * spread && !(name === 'p1' && reach.promptsAlike),
  }));
  const p1Known = told.some(({ name, known }) => name === 'p1' && known);
  return {
    profile: at(found),
    constants: told,
    reach,
    doubt: { errors: errorsOf(runs, at(found)), others, p1Known },
  };
}

function partsOf({ cost, overheadMs, launch, front }: EngineProfile): FittedDoubt['others'][number] {
  return {
    cost,
    ...(overheadMs !== undefined && { overheadMs }),
    ...(launch !== undefined && { launch }),
    ...(front !== undefined && { front }),
  };
}

/** The mean of what Gauss and Newton's steps come by in the end: the figures are too rough for each step to have to be better. */
function searched(misfit: Misfit): readonly number[] {
  let x = misfit.usual;
  let here = misfit.residuals(x);
  const last: (readonly number[])[] = [];
  for (let round = 0; round < rounds; round++) {
    const slopes = slopesAt(misfit, x, round < wideRounds ? steps.wide : steps.narrow);
    const downhill = slopes.map((slope) => -dot(slope, here));
    const change = solve(normalOf(slopes, 1 + damping), downhill);
    const tried = lengths.map((length) => {
      const to = x.map((value, i) => value + length * Math.max(-mostChange, Math.min(mostChange, change[i]!)));
      const residuals = misfit.residuals(to);
      return { x: to, residuals, loss: dot(residuals, residuals) };
    });
    const least = tried.reduce((one, other) => (other.loss < one.loss ? other : one));
    x = least.x;
    here = least.residuals;
    if (round >= rounds - averaged) last.push(x);
  }
  return x.map((_, i) => meanOf(last.map((one) => one[i]!)));
}

function slopesAt({ slope }: Misfit, x: readonly number[], h: number): number[][] {
  return x.map((_, j) => slope(x, j, h));
}

function normalOf(slopes: readonly number[][], diagonal: number): number[][] {
  return slopes.map((row, i) => slopes.map((other, j) => dot(row, other) * (i === j ? diagonal : 1)));
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** Standard deviations where L·Lᵀ is the precision: its inverse is the sum of what each unit vector is solved to, times itself. */
function spreadsOf(lower: readonly (readonly number[])[]): number[] {
  const columns = lower.map((_, k) =>
    solveTransposed(
      lower,
      lower.map((__, i) => (i === k ? 1 : 0)),
    ),
  );
  return lower.map((_, i) => Math.sqrt(columns.reduce((sum, column) => sum + column[i]! ** 2, 0)));
}

function errorsOf(runs: readonly MeasuredRun[], profile: EngineProfile): Record<FigureName, number> {
  const played = (run: MeasuredRun): MeasuredRun => playRun(withEngine(profile, run.engine), run, { gaps: false });
  const pairs = runs.map((run) => [figuresOf(run), figuresOf(played(run))] as const);
  const errorOf = (name: FigureName): number => {
    const errors = pairs.map(([truth, guess]) => Math.log(guess[name] / truth[name])).filter(Number.isFinite);
    return Math.sqrt(dot(errors, errors) / Math.max(1, errors.length));
  };
  return Object.fromEntries(figureNames.map((name) => [name, errorOf(name)])) as Record<FigureName, number>;
}
