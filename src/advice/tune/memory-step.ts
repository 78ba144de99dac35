import type { TuneProblem } from './problem.ts';
import { loadNames, nearestIndex, pointAt } from './space.ts';
import type { Place } from './space.ts';
import type { TunePoint } from './setting.ts';
import type { Trial } from './trial.ts';

/** How much larger each raise is than the last, in steps of the knob: quick while nothing is known, single steps near the edge. */
const firstRaise = 1;

/**
 * The next value of a memory setting that is raised until the server is out of memory: doubled raises while all goes well, then
 * halved between what worked and what did not. null = no such setting, or its edge is found.
 */
export function memoryStep(problem: TuneProblem, trials: readonly Trial[]): TunePoint | null {
  const { space } = problem;
  const index = space.knobs.findIndex(({ raise }) => raise !== null);
  const knob = space.knobs[index];
  const base = trials.findLast(({ outcome }) => outcome === 'ok');
  if (knob === undefined || base === undefined) return null;
  const edge = memoryEdge(problem, trials);
  if (edge === null) return null;
  const { worked, failed, raises } = edge;
  const next = failed === null ? worked + firstRaise * 2 ** raises : Math.floor((worked + failed) / 2);
  const target = Math.min(next, (failed ?? knob.values.length) - 1);
  if (target <= worked) return null;
  const place = placeWith(problem, base, index, target);
  return place === null ? null : pointAt(space, place);
}

/** Where the edge of memory lies so far, as indexes of the knob's values. */
function memoryEdge(
  { space }: TuneProblem,
  trials: readonly Trial[],
): { worked: number; failed: number | null; raises: number } | null {
  const knob = space.knobs.find(({ raise }) => raise !== null);
  if (knob === undefined) return null;
  const indexes = (kept: readonly Trial[]): number[] =>
    kept.flatMap(({ settings }) => {
      const value = settings[knob.name];
      return value === undefined ? [] : [nearestIndex(knob, value)];
    });
  const worked = Math.max(-1, ...indexes(trials.filter(({ outcome }) => outcome === 'ok')));
  const bad = indexes(
    trials.filter(({ outcome }) => outcome === 'oom' || outcome === 'crashed' || outcome === 'not-ready'),
  );
  const failed = Math.min(...bad.filter((value) => value > worked), Infinity);
  if (worked < 0) return null;
  return {
    worked,
    failed: Number.isFinite(failed) ? failed : null,
    raises: trials.filter(({ phase, outcome }) => phase === 'memory' && outcome === 'ok').length,
  };
}

/** The problem with the memory setting held some steps below what failed, once its edge is known. */
export function withMemoryFound(problem: TuneProblem, trials: readonly Trial[]): TuneProblem {
  const { space } = problem;
  const knob = space.knobs.find(({ raise }) => raise !== null);
  const edge = memoryEdge(problem, trials);
  if (knob === undefined || edge?.failed == null) return problem;
  const most = Math.max(0, Math.min(edge.worked, edge.failed - knob.raise!.backSteps));
  const held = { ...knob, values: knob.values.slice(0, most + 1) };
  return { ...problem, space: { ...space, knobs: space.knobs.map((one) => (one === knob ? held : one)) } };
}

function placeWith({ space }: TuneProblem, base: Trial, index: number, value: number): Place | null {
  const place = space.knobs.map((knob, i) => {
    if (i === index) return value;
    const told =
      knob.where === 'load'
        ? knob.name === loadNames.rate
          ? base.load.ratePerSec
          : base.load.concurrency
        : base.settings[knob.name];
    return told == null ? 0 : nearestIndex(knob, told);
  });
  return pointAt(space, place) === null ? null : place;
}
