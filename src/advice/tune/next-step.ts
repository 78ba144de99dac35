import { randomStream } from '../../core/index.ts';
import { calibrationPoints } from './calibration.ts';
import { sloWord } from './goal-metrics.ts';
import { memoryStep, withMemoryFound } from './memory-step.ts';
import { allowanceOf } from './noise.ts';
import { worthOf } from './problem.ts';
import type { TuneProblem } from './problem.ts';
import type { TrialRun } from './engine-of-runs.ts';
import { pointKey, settingsKey } from './setting.ts';
import type { TunePoint } from './setting.ts';
import { neighbours, pointAt, spreadPlaces } from './space.ts';
import type { Place } from './space.ts';
import { logNormalChance, makeSurrogate, normalChance, placeOf, predictedAt, roomOf } from './surrogate.ts';
import type { Surrogate } from './surrogate.ts';
import type { Predicted, Trial, TrialPhase } from './trial.ts';
import { confirmationOf, keepsAll } from './verdict.ts';

/** Why a search ended. */
export const stopReasons = [
  'confirmed',
  'nothing-better-expected',
  'budget-spent',
  'time-spent',
  'nothing-feasible',
  'nothing-works',
  'all-tried',
  'variants-done',
  'interrupted',
] as const;
export type StopReason = (typeof stopReasons)[number];

/** What to do next. */
export type NextStep =
  | { kind: 'measure'; phase: TrialPhase; point: TunePoint; seed: number; predicted: Predicted | null }
  | { kind: 'stop'; because: StopReason };

const usualGain = 0.01;
/** Chance of keeping the SLOs below which the space is given up. */
const leastHope = 0.02;
/** A model that misses by no more than this is believed where it gives a place at least this chance. */
const foreseen = { miss: 0.06, chance: 0.6 };

/**
 * The next trial, or the end: a pure function of the problem and what was tried so far, so that a search that was killed goes on
 * exactly where it was. `runs` = the requests of those trials that kept them.
 */
export function nextStep(asked: TuneProblem, all: readonly Trial[], runs: readonly TrialRun[] = []): NextStep {
  const trials = all.filter(({ outcome }) => outcome !== 'interrupted');
  const problem = withMemoryFound(asked, trials);
  const runsLeft = problem.budgetRuns - trials.length;
  const accepted = acceptedPoints(problem, trials);
  if (runsLeft <= 0) return { kind: 'stop', because: accepted.length > 0 ? 'confirmed' : 'budget-spent' };
  const first = calibrationPoints(asked)[trials.length];
  if (first !== undefined) return step(problem, trials, 'calibrate', first, null);
  const raised = memoryStep(asked, trials);
  if (raised !== null && runsLeft > problem.confirmRuns) return step(problem, trials, 'memory', raised, null);
  if (trials.length >= 6 && trials.every(({ outcome }) => outcome !== 'ok')) {
    return { kind: 'stop', because: 'nothing-works' };
  }
  const surrogate = makeSurrogate(problem, trials, runs);
  const pending = pendingConfirmation(problem, trials, surrogate);
  if (pending !== null) return confirm(problem, trials, pending, surrogate);
  const next = afterBeliefs(problem, trials, surrogate, accepted, runsLeft);
  if (next.kind === 'measure' || accepted.length > 0) return next;
  return confirmKept(problem, trials, runsLeft) ?? next;
}

/**
 * A trial that kept every limit outside of what is searched (under less load than the file asks for) is confirmed where nothing in the
 * space is left to hope for: settings that keep the limits at all are an answer.
 */
function confirmKept(problem: TuneProblem, trials: readonly Trial[], runsLeft: number): NextStep | null {
  if (problem.slos.length === 0) return null;
  const kept = trials.findLast(
    (trial) => keepsAll([trial], problem.slos) === true && placeOf(problem.space, trial) === null,
  );
  if (kept === undefined) return null;
  const { settings, load } = kept;
  const { fresh } = confirmationOf(kept, trials, problem.slos, problem.confirmRuns);
  const missing = problem.confirmRuns - fresh.length;
  if (missing <= 0 || missing > runsLeft || fresh.some((trial) => keepsAll([trial], problem.slos) !== true))
    return null;
  return step(problem, trials, 'confirm', { settings, load }, null);
}

function afterBeliefs(
  problem: TuneProblem,
  trials: readonly Trial[],
  surrogate: Surrogate,
  accepted: readonly TunePoint[],
  runsLeft: number,
): NextStep {
  const { confirmRuns, leastGain = usualGain } = problem;
  const ranked = rank(problem, trials, surrogate, accepted);
  if (ranked === null) return { kind: 'stop', because: 'all-tried' };
  const { explore, settle } = ranked;
  const feasible = trials.some(
    (trial) => keepsAll([trial], problem.slos) === true && placeOf(problem.space, trial) !== null,
  );
  const hopeless = ranked.mostHope < leastHope;
  if (!feasible && trials.length >= 5 && hopeless)
    return { kind: 'stop', because: accepted.length > 0 ? 'confirmed' : 'nothing-feasible' };
  if (accepted.length > 0) {
    const worth = settle.gain > leastGain && runsLeft >= confirmRuns;
    if (!worth) return { kind: 'stop', because: explore.gain > leastGain ? 'confirmed' : 'nothing-better-expected' };
    if (explore.gain > 2 * leastGain && runsLeft > confirmRuns)
      return measure(problem, trials, surrogate, explore.place, feasible);
    return confirm(problem, trials, settle.place, surrogate);
  }
  // Enough for one winner that fails and one that backs off.
  const reserve = problem.budgetRuns >= 8 ? 2 * confirmRuns : confirmRuns;
  const searched = explore.gain < leastGain || runsLeft <= reserve;
  // A run goes to settings that may pass: where none may, the next one looks for some.
  if (settle.chance < leastHope && explore.gain === 0) return { kind: 'stop', because: 'nothing-feasible' };
  if (!searched && runsLeft >= confirmRuns && isForeseen(surrogate, ranked)) {
    return confirm(problem, trials, settle.place, surrogate);
  }
  if (!searched || runsLeft < confirmRuns || settle.chance < leastHope)
    return measure(problem, trials, surrogate, explore.place, feasible);
  return confirm(problem, trials, settle.place, surrogate);
}

/** A fresh run at the place that is both the best to look at and likely to stand is not also made to choose it: its figures are foreseen. */
function isForeseen({ model }: Surrogate, { explore, settle }: Ranked): boolean {
  const isClose = model !== null && model.elsewhere + model.misfit <= foreseen.miss;
  return isClose && settle.chance >= foreseen.chance && explore.place.join() === settle.place.join();
}

function measure(
  problem: TuneProblem,
  trials: readonly Trial[],
  surrogate: Surrogate,
  place: Place,
  feasible: boolean,
): NextStep {
  const guided = surrogate.simulatorShare >= 0.5 || feasible;
  return step(
    problem,
    trials,
    guided ? 'search' : 'feasible-first',
    pointAt(problem.space, place)!,
    predictedAt(problem, surrogate, place),
  );
}

function confirm(problem: TuneProblem, trials: readonly Trial[], place: Place, surrogate: Surrogate): NextStep {
  return step(problem, trials, 'confirm', pointAt(problem.space, place)!, predictedAt(problem, surrogate, place));
}

/** Every trial has a seed of its own, so that no two ask the same. */
function step(
  problem: TuneProblem,
  trials: readonly Trial[],
  phase: TrialPhase,
  point: TunePoint,
  predicted: Predicted | null,
): NextStep {
  const random = randomStream(problem.seed, `seed of trial ${trials.length + 1}`);
  return { kind: 'measure', phase, point, seed: 1 + random.below(2 ** 31 - 2), predicted };
}

/** Points whose fresh runs keep every SLO at the 90 % bound. */
export function acceptedPoints({ slos, confirmRuns }: TuneProblem, trials: readonly Trial[]): TunePoint[] {
  const points = new Map(trials.filter(({ phase }) => phase === 'confirm').map((trial) => [pointKey(trial), trial]));
  return [...points.values()].filter((point) => confirmationOf(point, trials, slos, confirmRuns).accepted);
}

/** The point whose confirmation is under way and still worth a run; null = none. */
function pendingConfirmation(problem: TuneProblem, trials: readonly Trial[], surrogate: Surrogate): Place | null {
  const last = trials.at(-1);
  if (last === undefined || last.phase !== 'confirm') return null;
  const place = placeOf(problem.space, last);
  if (place === null || last.outcome !== 'ok') return null;
  const { fresh, accepted } = confirmationOf(last, trials, problem.slos, problem.confirmRuns);
  if (accepted || fresh.length > problem.confirmRuns) return null;
  const runs = Math.max(problem.confirmRuns, fresh.length + 1);
  const chance = Math.exp(logAcceptChance(problem, trials, surrogate, place, runs));
  return chance > (fresh.length < problem.confirmRuns ? 0.35 : 0.6) ? place : null;
}

/** Logarithm of the chance that so many fresh runs of a place would be accepted. */
function logAcceptChance(
  problem: TuneProblem,
  trials: readonly Trial[],
  surrogate: Surrogate,
  place: Place,
  runs: number,
): number {
  return problem.slos.reduce(
    (chance, slo) => {
      const word = sloWord(slo);
      const noise = surrogate.noise(word);
      const margin = word === 'failed' ? 0 : allowanceOf(word, trials, runs);
      return chance + logNormalChance(roomOf(problem, slo, surrogate.belief(word, place), margin, noise ** 2 / runs));
    },
    Math.log(surrogate.feasibility(place)),
  );
}

interface Looked {
  place: Place;
  value: number;
  spread: number;
  chance: number;
  logChance: number;
}

interface Choice {
  place: Place;
  /** Expected gain over the best so far, as a ratio. */
  gain: number;
  /** Chance that fresh runs of it would be accepted. */
  chance: number;
}

interface Ranked {
  /** The place that a look at is worth most. */
  explore: Choice;
  /** The place to confirm: best after weighing what it gives with the chance that it is accepted. */
  settle: Choice;
  mostHope: number;
}

const spreadCount = 140;
const strides = [1, 2, 4, 8, 16, 32, 64];
const climbs = 4;

function rank(
  problem: TuneProblem,
  trials: readonly Trial[],
  surrogate: Surrogate,
  accepted: readonly TunePoint[],
): Ranked | null {
  const { space, objective, confirmRuns } = problem;
  const tried = trials.flatMap((trial) => placeOf(space, trial) ?? []).length;
  const measured = trials.map((trial) => placeOf(space, trial)).filter((place) => place !== null);
  const value = (place: Place): number =>
    worthOf(problem, pointAt(space, place)!.settings, surrogate.belief(objective.word, place).mean);
  const logChance = (place: Place): number => logAcceptChance(problem, trials, surrogate, place, confirmRuns);
  const known = new Map<string, Looked>();
  const look = (place: Place): void => {
    const key = place.join(',');
    if (known.has(key)) return;
    const { variance } = surrogate.belief(objective.word, place);
    const spread = problem.largest === undefined ? Math.sqrt(variance) : 0;
    const likely = logChance(place);
    known.set(key, { place, value: value(place), spread, chance: Math.exp(likely), logChance: likely });
  };
  for (const place of spreadPlaces(space, spreadCount, problem.seed + tried)) look(place);
  for (const place of measured) look(place);
  if (known.size === 0) return null;
  const acceptedKeys = new Set(accepted.map((point) => pointKey(point)));
  const acceptedPlaces = accepted.map((point) => placeOf(space, point)).filter((place) => place !== null);
  const best = Math.max(
    ...acceptedPlaces.map(value),
    ...measured.filter((place) => Math.exp(logChance(place)) >= 0.5).map(value),
    -Infinity,
  );
  const floor = Math.max(...acceptedPlaces.map(value), -Infinity);
  const utility = ({ value: middle, logChance: likely }: Looked): number => middle + likely;
  // Before anything kept the SLOs there is nothing to gain on: the likely best is looked for, not the surely timid.
  const exploreScore = (one: Looked): number =>
    Number.isFinite(best) ? expectedGain(one.value - best, one.spread) * one.chance : utility(one);
  const settleScore = (one: Looked): number =>
    Number.isFinite(floor) ? expectedGain(one.value - floor, one.spread) * one.chance : utility(one);
  for (let i = 0; i < climbs; i++) {
    const now = [...known.values()];
    for (const top of [most(now, exploreScore), most(now, settleScore)])
      for (const place of neighbours(space, top.place, strides)) look(place);
  }
  const all = [...known.values()];
  const counts = new Map<string, number>();
  for (const place of measured) counts.set(place.join(','), (counts.get(place.join(',')) ?? 0) + 1);
  const untried = all.filter(({ place }) => !counts.has(place.join(',')));
  const open = all.filter(
    ({ place }) => !acceptedKeys.has(pointKey(pointAt(space, place)!)) && !rejected(problem, trials, place),
  );
  if (open.length === 0) return null;
  const explore = most(untried.length > 0 ? untried : open, exploreScore);
  const settle = most(open, settleScore);
  return {
    explore: {
      place: sparing(problem, trials, untried, explore, exploreScore),
      gain: untried.length === 0 ? 0 : Number.isFinite(best) ? exploreScore(explore) : Infinity,
      chance: explore.chance,
    },
    settle: {
      place: settle.place,
      gain: Number.isFinite(floor) ? settleScore(settle) : Infinity,
      chance: settle.chance,
    },
    mostHope: Math.max(...all.map((one) => one.chance)),
  };
}

/** Of choices almost as good as the best, one that needs no restart. */
function sparing<T extends { place: Place }>(
  { space }: TuneProblem,
  trials: readonly Trial[],
  choices: readonly T[],
  best: T,
  score: (choice: T) => number,
): Place {
  const running = trials.at(-1);
  if (running === undefined || running.outcome !== 'ok') return best.place;
  const now = settingsKey(running.settings);
  const near = choices.filter(
    (choice) =>
      score(choice) >= score(best) - 0.1 * Math.abs(score(best)) &&
      settingsKey(pointAt(space, choice.place)!.settings) === now,
  );
  return near.length === 0 ? best.place : most(near, score).place;
}

/** A place whose own fresh runs speak against it is not confirmed again. */
function rejected(problem: TuneProblem, trials: readonly Trial[], place: Place): boolean {
  const point = pointAt(problem.space, place)!;
  const key = pointKey(point);
  const tried = trials.filter((trial) => trial.phase === 'confirm' && pointKey(trial) === key);
  return tried.length > 0 && !confirmationOf(point, trials, problem.slos, problem.confirmRuns).accepted;
}

function most<T>(values: readonly T[], score: (value: T) => number): T {
  return values.reduce((best, value) => (score(value) > score(best) ? value : best));
}

/** Mean of max(0, gain) for a normal gain. */
function expectedGain(mean: number, spread: number): number {
  if (spread <= 0) return Math.max(0, mean);
  const z = mean / spread;
  return mean * normalChance(z) + (spread * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
