import { keyOf, placeName, placesOf } from '../../core/index.ts';
import type { DimensionValue, Finding, Places, Summary } from '../../core/index.ts';
import type { ComparedRun } from './compare.ts';

/** What pairing looks at: points of one side, with the name of the side. */
interface Side {
  name: string;
  points: readonly ComparedRun[];
}

/** Points that were asked the same, one of each side; undefined = that side has none. */
export interface PointPair {
  /** Concurrency or rate; null = not known, or not worth telling. */
  load: number | null;
  /** What the points are called where the load alone does not say it. */
  place: string | null;
  at: (ComparedRun | undefined)[];
}

/**
 * Pairs the points of the baseline, which is the first side, with those of the others by every dimension in which points
 * of one side differ. Numbers of requests and repetitions pair where they can and are told apart where several points
 * were asked the same. What finds no partner is told. Two single points are a pair whatever they were asked.
 */
export function pairPoints(sides: readonly Side[]): { pairs: PointPair[]; left: Finding[] } {
  if (sides.every(({ points }) => points.length === 1))
    return {
      pairs: [{ load: loadOf(sides[0]!.points[0]!), place: null, at: sides.map(({ points }) => points[0]) }],
      left: [],
    };
  const places = new Map(sides.map((side) => [side, placesOf(side.points.map(({ summary }) => summary))]));
  const told = [...places.values()].flatMap(({ names }) => [...names]);
  const names = [...new Set([...told, 'rate', 'concurrency'])].filter((name) => !loose.has(name));
  const valuesOf = (side: Side, run: ComparedRun): ReadonlyMap<string, DimensionValue> =>
    places.get(side)!.of(run.summary);
  const [baseline, ...others] = sides as [Side, ...Side[]];
  const rest = others.map((side) => ({ side, open: [...side.points] }));
  const alone: ComparedRun[] = [];
  const pairs: PointPair[] = [];
  // Equal numbers of requests find each other first, so that a short run is not compared with a long one beside its like.
  const partners = new Map<ComparedRun, (ComparedRun | undefined)[]>(
    baseline.points.map((run) => [run, others.map(() => undefined)]),
  );
  for (const strict of [true, false])
    for (const run of baseline.points) {
      const values = valuesOf(baseline, run);
      for (const [i, { side, open }] of rest.entries()) {
        if (partners.get(run)![i] !== undefined) continue;
        const at = open.findIndex((other) => {
          const theirs = valuesOf(side, other);
          const alike = keyOf(theirs, names) === keyOf(values, names);
          if (!alike || theirs.get('requests') === values.get('requests')) return alike;
          // Where numbers of requests tell points apart, a long run is no partner of a short one.
          return !strict && ![baseline, side].some((one) => places.get(one)!.names.includes('requests'));
        });
        if (at !== -1) partners.get(run)![i] = open.splice(at, 1)[0];
      }
    }
  for (const run of baseline.points) {
    const found = partners.get(run)!;
    if (found.every((one) => one === undefined)) alone.push(run);
    else pairs.push({ load: loadOf(run), place: placeOf(places.get(baseline)!, run.summary), at: [run, ...found] });
  }
  if (pairs.length === 0) return { pairs, left: [] };
  const left = [{ side: baseline, open: alone }, ...rest].flatMap(({ side, open }) =>
    open.length === 0
      ? []
      : [
          leftOut(
            side.name,
            open.map((run) => placeName(places.get(side)!, run.summary) || String(loadOf(run) ?? run.id)),
          ),
        ],
  );
  return { pairs: pairs.toSorted((a, b) => (a.load ?? 0) - (b.load ?? 0)), left };
}

/** Told of a point, but nobody asks for them in order to compare: they pair only where they can. */
const loose = new Set(['requests', 'repetition']);

/** The name of a point; null where it is its load alone. */
function placeOf(places: Places, point: Summary): string | null {
  const [only, ...more] = places.names;
  return only === undefined || (more.length === 0 && (only === 'concurrency' || only === 'rate'))
    ? null
    : placeName(places, point);
}

export function loadOf({ summary }: ComparedRun): number | null {
  return summary.load.concurrency ?? summary.load.ratePerSec;
}

function leftOut(name: string, points: readonly string[]): Finding {
  const shown = points.length > 12 ? `${points.slice(0, 12).join(', ')} … (${points.length})` : points.join(', ');
  return {
    code: 'left-out',
    severity: 'info',
    message: `${name}: left out ${shown}; no other side has a point that was asked the same.`,
    evidence: { run: name, points: shown },
    advice: 'Run the same loads, lengths and variants on both sides to compare them too.',
    zh: {
      message: `${name}：未比较 ${shown}；其他各方没有条件相同的点。`,
      advice: '如需比较，请在各方以相同的负载、长度与变体运行。',
    },
  };
}
