import type { TuneProblem } from './problem.ts';
import { indexAtPart, nearestIndex, pointAt, spreadPlaces } from './space.ts';
import type { Knob, Place } from './space.ts';
import type { TunePoint } from './setting.ts';

/** Parts of each knob's range for the first trials: the middle, then high and low, knobs against each other. */
const partsOf = [
  [0.55, 0.85, 0.25],
  [0.5, 0.3, 0.75],
  [0.5, 0.75, 0.3],
  [0.5, 0.25, 0.7],
] as const;
const rateParts = [0.8, 0.92, 0.6] as const;
const loadPart = 0.25;

/** The first trials, before anything is known: what the file says to begin with, then spread so that the simulator can be fitted. */
export function calibrationPoints(problem: TuneProblem): TunePoint[] {
  const { space, family } = problem;
  if (space.knobs.length === 0) return [];
  const count = problem.budgetRuns >= 8 ? 3 : problem.budgetRuns >= 5 ? 2 : 1;
  const places = Array.from({ length: count }, (_, i) =>
    space.knobs.map((knob, k): number =>
      i === 0 && knob.start !== null ? nearestIndex(knob, knob.start) : partOf(knob, k, i),
    ),
  );
  const points = places.map((place) => pointAt(space, place) ?? nearestValid(problem, place));
  const [first, second, ...rest] = points.filter((point) => point !== null);
  if (first === undefined) return [];
  const batch = space.knobs.find(({ role }) => role === 'batch');
  const inFlight = second?.load.concurrency ?? null;
  if (
    problem.freeLoad &&
    family !== null &&
    batch !== undefined &&
    second !== undefined &&
    inFlight !== null &&
    inFlight > 8
  ) {
    // The server of the second trial under a quarter of the load shows what a small batch does, without a restart.
    const most = Math.min(inFlight, Number(second.settings[batch.name] ?? inFlight));
    const light = { ...second, load: { ...second.load, concurrency: Math.max(1, Math.round(loadPart * most)) } };
    return [first, second, light].slice(0, count);
  }
  return [first, ...(second === undefined ? [] : [second]), ...rest];
}

function partOf(knob: Knob, number: number, trial: number): number {
  if (!knob.ordered) return trial % knob.values.length;
  const strong = knob.role === 'batch' || knob.role === 'concurrency';
  const parts = strong ? partsOf[0] : knob.role === 'rate' ? rateParts : partsOf[1 + (number % 3)]!;
  return indexAtPart(knob, parts[trial % 3]!);
}

/** The valid place nearest to one that breaks a condition. */
function nearestValid({ space, seed }: TuneProblem, place: Place): TunePoint | null {
  const distance = (other: Place): number =>
    other.reduce((sum, index, i) => sum + Math.abs(index - place[i]!) / space.knobs[i]!.values.length, 0);
  const [best] = spreadPlaces(space, 400, seed).toSorted((a, b) => distance(a) - distance(b));
  return best === undefined ? null : pointAt(space, best);
}
