import { isGrid, placeName, placesOf, printable } from '../../../core/index.ts';
import type { DimensionValue, Phrase, Places, Summary, Sweep } from '../../../core/index.ts';
import { loadVariable, sweepName } from '../point-name.ts';
import { chartLabels } from './chart-labels.ts';
import type { Axis } from './figure.ts';

/** Runs of the same thing: more than one where a point was repeated. */
export interface PlacedRuns {
  x: number;
  runs: Summary[];
}

/** What is drawn as one line: a sweep, or those of its points that only the x axis tells apart. */
export interface LoadLine {
  name: string;
  points: PlacedRuns[];
}

type XName = 'concurrency' | 'rate' | 'input' | 'output';

const axisNames: Record<XName, Phrase> = {
  concurrency: chartLabels.concurrency,
  rate: chartLabels.rate,
  input: chartLabels.askedInput,
  output: chartLabels.askedOutput,
};

/** The dimension along which points lie: the load, else a length; null = they differ in nothing that has a scale. */
function xNameOf(sweeps: readonly Sweep[]): XName | null {
  const load = sweeps[0] === undefined ? 'concurrency' : loadVariable(sweeps[0]);
  // Lines of one dot each tell nothing: single runs stand beside each other by name.
  if (sweeps.length > 1 && sweeps.every(({ points: list }) => list.length === 1)) return null;
  const points = sweeps.flatMap((sweep) => sweep.points.map((point) => placesOf(sweep.points).of(point)));
  const varies = (name: XName): boolean => {
    const values = new Set(points.map((place) => place.get(name)).filter((value) => typeof value === 'number'));
    return values.size > 1;
  };
  const lengths: XName[] = sweeps.some(({ points: list }) => isGrid(list)) ? [] : ['input', 'output'];
  return [load, ...lengths].find(varies) ?? (points.length === 1 ? load : null);
}

/** The axis of the points of some sweeps; null = there is none, and they stand beside each other by name. */
export function loadAxis(sweeps: readonly Sweep[]): (Axis & { key: XName }) | null {
  const key = xNameOf(sweeps);
  return key === null ? null : { key, name: axisNames[key] };
}

/** Whether the points of a sweep differ in no load and no length, so that they stand beside each other by name. */
export function isNamed(sweep: Sweep): boolean {
  return sweep.points.length > 1 && !isGrid(sweep.points) && xNameOf([sweep]) === null;
}

/** A line for each sweep and each way in which its points differ beside x; no two points of a line have one x. */
export function loadLines(sweeps: readonly Sweep[]): LoadLine[] {
  const key = xNameOf(sweeps);
  if (key === null) return [];
  return distinctNames(sweeps).flatMap(([name, sweep]) =>
    groupsOf(sweep, [key, 'repetition']).map(({ suffix, runs }) => {
      const at = new Map<number, Summary[]>();
      for (const point of runs) {
        const x = placesOf(sweep.points).of(point).get(key);
        if (typeof x !== 'number') continue;
        at.set(x, [...(at.get(x) ?? []), point]);
      }
      const points = [...at].map(([x, list]): PlacedRuns => ({ x, runs: list })).toSorted((a, b) => a.x - b.x);
      const own = sweeps.length > 1 || suffix === '' ? name : '';
      return { name: [own, suffix].filter((part) => part !== '').join(' · '), points };
    }),
  );
}

/** All points by name, repetitions of one together: what is left to show where no axis tells them apart. */
export function namedRuns(sweeps: readonly Sweep[]): { name: string; runs: Summary[] }[] {
  return distinctNames(sweeps).flatMap(([name, sweep]) =>
    groupsOf(sweep, ['repetition']).map(({ suffix, runs }) => {
      const own = sweeps.length > 1 || suffix === '' ? name : '';
      return { name: [own, suffix].filter((part) => part !== '').join(' · '), runs };
    }),
  );
}

/** The points of a sweep by everything in which they vary but some dimensions. */
function groupsOf(sweep: Sweep, but: readonly string[]): { suffix: string; runs: Summary[] }[] {
  const places = placesOf(sweep.points);
  const by: Places = { names: places.names.filter((name) => !but.includes(name)), of: (point) => places.of(point) };
  const groups = new Map<string, Summary[]>();
  for (const point of sweep.points) {
    const suffix = printable(placeName(by, point));
    const group = groups.get(suffix);
    if (group === undefined) groups.set(suffix, [point]);
    else group.push(point);
  }
  return [...groups].map(([suffix, runs]) => ({ suffix, runs }));
}

/** Each sweep with a name of its own, so that the legend tells two of the same name apart. */
export function distinctNames(sweeps: readonly Sweep[]): [string, Sweep][] {
  const seen = new Map<string, number>();
  return sweeps.map((sweep) => {
    const name = sweepName(sweep);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times === 1 ? name : `${name} (${times})`, sweep];
  });
}

/** Where a point lies, for a note about it. */
export function placeOf(sweep: Sweep, point: Summary): DimensionValue {
  const places = placesOf(sweep.points);
  return places.names.length > 0
    ? printable(placeName(places, point))
    : (point.load[loadKey(sweep)] ?? sweepName(sweep));
}

function loadKey(sweep: Sweep): 'concurrency' | 'ratePerSec' {
  return loadVariable(sweep) === 'rate' ? 'ratePerSec' : 'concurrency';
}
