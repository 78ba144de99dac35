import { invariant, randomStream } from '../../core/index.ts';
import { valueOf } from './expression.ts';
import type { Expression } from './expression.ts';
import type { Settings, SettingValue, TrialLoad, TunePoint } from './setting.ts';

/** What a setting does to an engine, where that is known: lets the simulator stand in for it. */
export const roles = ['batch', 'prefill-batch', 'prefill-tokens', 'memory', 'concurrency', 'rate'] as const;
export type Role = (typeof roles)[number];

/** A setting that is searched over. */
export interface Knob {
  name: string;
  /** Every value it can take, lowest first for numbers; a long range is thinned by its step. */
  values: readonly SettingValue[];
  /** Values are numbers with an order; false = names without one. */
  ordered: boolean;
  role: Role | null;
  /** server = a change needs a restart; load = it does not. */
  where: 'server' | 'load';
  /** What it is now, or what to begin with; null = nobody said. */
  start: SettingValue | null;
  /** Raised until the server is out of memory, then so many steps back; null = searched like any other. */
  raise: { backSteps: number } | null;
}

/** A setting that follows from others. */
export interface Derived {
  name: string;
  where: 'server' | 'load';
  expression: Expression;
  /** Rounded down to a whole number, at least 1. */
  whole: boolean;
}

/** Everything that can be tried. */
export interface Space {
  knobs: readonly Knob[];
  derived: readonly Derived[];
  /** Settings that stay as they are. */
  fixed: Settings;
  /** Conditions between settings; a point that breaks one is never tried. */
  requires: readonly Expression[];
}

/** A point as indexes into the values of each knob. */
export type Place = readonly number[];

/** The load's two names among knobs and derived settings. */
export const loadNames = { concurrency: 'concurrency', rate: 'rate' } as const;

/** The settings and load at a place, everything derived filled in; null where a condition is broken. */
export function pointAt(space: Space, place: Place): TunePoint | null {
  const all: Record<string, SettingValue> = { ...space.fixed };
  const load: Record<string, SettingValue> = {};
  space.knobs.forEach((knob, i) => {
    const value = knob.values[place[i]!];
    invariant(value !== undefined, 'a place lies within its knobs');
    all[knob.name] = value;
    if (knob.where === 'load') load[knob.name] = value;
  });
  for (const { name, where, expression, whole } of space.derived) {
    const value = valueOf(expression, all);
    if (typeof value === 'number' && !Number.isFinite(value)) return null;
    const told = whole && typeof value === 'number' ? Math.max(1, Math.floor(value + 1e-9)) : value;
    all[name] = told;
    if (where === 'load') load[name] = told;
  }
  if (space.requires.some((rule) => valueOf(rule, all) !== true)) return null;
  const settings = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(load, name)));
  return { settings, load: loadOf(load) };
}

function loadOf(load: Readonly<Record<string, SettingValue>>): TrialLoad {
  const number = (value: SettingValue | undefined): number | null => (typeof value === 'number' ? value : null);
  return { concurrency: number(load[loadNames.concurrency]), ratePerSec: number(load[loadNames.rate]) };
}

/** Coordinates of a place: numbers between 0 and 1 (logarithmic where a range spans a factor of eight), indexes for names. */
export function coordinatesOf(space: Space, place: Place): number[] {
  return space.knobs.map((knob, i) => {
    const index = place[i]!;
    if (!knob.ordered) return index;
    const [low, high, value] = [knob.values[0], knob.values.at(-1), knob.values[index]] as [number, number, number];
    if (high === low) return 0;
    if (low > 0 && high / low >= 8) return Math.log(value / low) / Math.log(high / low);
    return (value - low) / (high - low);
  });
}

/** The place whose knob has the value nearest to a number. */
export function nearestIndex(knob: Knob, value: SettingValue): number {
  if (!knob.ordered || typeof value !== 'number') return Math.max(0, knob.values.indexOf(value));
  let best = 0;
  knob.values.forEach((other, i) => {
    if (Math.abs(Number(other) - value) < Math.abs(Number(knob.values[best]) - value)) best = i;
  });
  return best;
}

/** How many places there are, broken conditions included. */
export function sizeOf(space: Space): number {
  return space.knobs.reduce((product, knob) => product * knob.values.length, 1);
}

/** All places of a small space, or so many spread evenly over a large one (Halton, turned by the seed); only valid ones. */
export function spreadPlaces(space: Space, most: number, seed: number): Place[] {
  const size = sizeOf(space);
  const places: Place[] = [];
  const seen = new Set<string>();
  const keep = (place: Place): void => {
    const key = place.join(',');
    if (seen.has(key) || pointAt(space, place) === null) return;
    seen.add(key);
    places.push(place);
  };
  if (size <= most) {
    for (let n = 0; n < size; n++) keep(nthPlace(space, n));
    return places;
  }
  const random = randomStream(seed, 'turn of the spread');
  const turns = space.knobs.map(() => random.next());
  for (let n = 1; places.length < most && n < 8 * most; n++) {
    keep(
      space.knobs.map((knob, i) => {
        const part = (halton(n, primes[i % primes.length]!) + turns[i]!) % 1;
        return knob.ordered ? indexAtPart(knob, part) : Math.floor(part * knob.values.length);
      }),
    );
  }
  return places;
}

/** The index at a part of a knob's coordinate, 0 = lowest. */
export function indexAtPart(knob: Knob, part: number): number {
  const [low, high] = [knob.values[0], knob.values.at(-1)] as [number, number];
  const value = low > 0 && high / low >= 8 ? low * (high / low) ** part : low + (high - low) * part;
  return nearestIndex(knob, value);
}

/** Valid places around one: each knob alone moved by some of its steps, and every other name. */
export function neighbours(space: Space, place: Place, strides: readonly number[]): Place[] {
  const around: Place[] = [];
  space.knobs.forEach((knob, i) => {
    const others = knob.ordered
      ? strides.flatMap((stride) => [place[i]! - stride, place[i]! + stride])
      : knob.values.map((_, index) => index);
    for (const index of new Set(others)) {
      if (index < 0 || index >= knob.values.length || index === place[i]) continue;
      const moved = place.with(i, index);
      if (pointAt(space, moved) !== null) around.push(moved);
    }
  });
  return around;
}

function nthPlace(space: Space, n: number): Place {
  let rest = n;
  return space.knobs.map((knob) => {
    const index = rest % knob.values.length;
    rest = Math.floor(rest / knob.values.length);
    return index;
  });
}

const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29];

function halton(n: number, prime: number): number {
  let [result, part, rest] = [0, 1, n];
  while (rest > 0) {
    part /= prime;
    result += part * (rest % prime);
    rest = Math.floor(rest / prime);
  }
  return result;
}
