import type { Phrase } from './phrase.ts';
import type { Summary } from './summary.ts';

/** What was asked of a point beyond its load and lengths; absent = nobody said. */
export interface PointAsked {
  engine?: string;
  /** A name among several ways of running the same thing: a binding, a build, a row of somebody's table. */
  variant?: string;
  /** Settings of the server, by its own names. */
  settings?: Readonly<Record<string, string>>;
  /** The accelerator, by a name of data/cards. */
  card?: string;
  /** How many of them hold the model. */
  cards?: number;
}

export type DimensionValue = string | number;

/** The dimensions that every point may have, in the order of names and columns; settings stand behind the variant. */
export const dimensionWords = {
  engine: { en: 'engine', zh: '引擎' },
  model: { en: 'model', zh: '模型' },
  tool: { en: 'tool', zh: '工具' },
  variant: { en: 'variant', zh: '变体' },
  stream: { en: 'streamed', zh: '流式' },
  rate: { en: 'requests/s', zh: '请求/秒' },
  concurrency: { en: 'concurrency', zh: '并发' },
  input: { en: 'input', zh: '输入' },
  output: { en: 'output', zh: '输出' },
  requests: { en: 'requests', zh: '请求数' },
  repetition: { en: 'repetition', zh: '重复' },
} as const satisfies Record<string, Phrase>;

/** What was asked of a point, by name; what nobody said is left out. The repetition hangs on the points beside it. */
export function dimensionsOf(point: Summary): Map<string, DimensionValue> {
  const { asked, load, counts } = point;
  const lengths = lengthsOf(point);
  const values: [string, DimensionValue | null | undefined][] = [
    ['engine', asked?.engine ?? point.engine?.server],
    ['model', point.model],
    ['tool', point.source.tool === 'table' ? null : point.source.tool],
    ['variant', asked?.variant ?? tableName(point)],
    ...Object.entries(asked?.settings ?? {}),
    ['stream', load.stream === null ? null : String(load.stream)],
    ['rate', load.ratePerSec],
    ['concurrency', load.concurrency],
    ['input', lengths.input],
    ['output', lengths.output],
    ['requests', counts.planned],
  ];
  return new Map(values.filter((entry): entry is [string, DimensionValue] => (entry[1] ?? null) !== null));
}

/** A row of a table that says no load is known by what stands in front of it. */
function tableName({ label, load, lengthsAsked }: Summary): string | null {
  return load.concurrency === null && load.ratePerSec === null && lengthsAsked === undefined ? label : null;
}

/** Lengths in the words of the plan; imports of before kept those of a chunk log among the server's facts only. */
function lengthsOf({ lengthsAsked, server }: Summary): { input: DimensionValue | null; output: DimensionValue | null } {
  const number = (key: string): number | null => {
    const value = server?.[key];
    return typeof value === 'number' ? value : null;
  };
  const told = (value: string | null): DimensionValue | null =>
    value !== null && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (lengthsAsked !== undefined) return { input: told(lengthsAsked.input), output: told(lengthsAsked.output) };
  return { input: number('chunkSize'), output: number('generateSize') };
}

/** Points told apart. */
export interface Places {
  /** The dimensions that vary, in their order. */
  names: readonly string[];
  /** The values of those, and of every other dimension that the point has. */
  of(point: Summary): ReadonlyMap<string, DimensionValue>;
}

const isLoad = (name: string): boolean => name === 'rate' || name === 'concurrency';

const incidental = new Set(['engine', 'model', 'tool', 'stream']);

const known = new WeakMap<readonly Summary[], Places>();

/**
 * What tells points apart. How many requests were planned counts only among points that nothing else tells apart, and
 * those that even this does not are repetitions of each other.
 */
export function placesOf(points: readonly Summary[]): Places {
  const before = known.get(points);
  if (before !== undefined) return before;
  const all = new Map(points.map((point) => [point, dimensionsOf(point)]));
  const every = [...new Set([...all.values()].flatMap((values) => [...values.keys()]))].toSorted(
    (a, b) => placeInOrder(a) - placeInOrder(b),
  );
  const differs = (name: string): boolean => {
    const told = [...all.values()].filter((point) => !isLoad(name) || point.has('rate') || point.has('concurrency'));
    const values = new Set(told.map((point) => point.get(name)));
    // A block tells more of itself than a table beside it: what only some points say is no difference.
    if (incidental.has(name)) values.delete(undefined);
    return values.size > 1;
  };
  const names = every.filter((name) => name !== 'requests' && differs(name));
  const groups = (by: readonly string[]): Map<string, Summary[]> =>
    grouped(points, (point) => keyOf(all.get(point)!, by));
  if (groups(names).size < points.length && groups([...names, 'requests']).size > groups(names).size)
    names.push('requests');
  const alike = groups(names);
  if (alike.size < points.length) {
    names.push('repetition');
    for (const group of alike.values())
      for (const [i, point] of group.entries()) all.get(point)!.set('repetition', i + 1);
  }
  const places: Places = { names, of: (point) => all.get(point) ?? dimensionsOf(point) };
  known.set(points, places);
  return places;
}

/** The values of some dimensions as one text that no other values give. */
export function keyOf(values: ReadonlyMap<string, DimensionValue>, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => values.get(name) ?? null));
}

function grouped<T>(list: readonly T[], of: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const key = of(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

/** Settings have no order of their own; they stand where the variant does. */
function placeInOrder(name: string): number {
  const at = Object.keys(dimensionWords).indexOf(name);
  return at === -1 ? Object.keys(dimensionWords).indexOf('variant') + 0.5 : at;
}

/** The name of a dimension for a reader; a setting has its own. */
export function dimensionPhrase(name: string): Phrase {
  return Object.hasOwn(dimensionWords, name)
    ? dimensionWords[name as keyof typeof dimensionWords]
    : { en: name, zh: name };
}

/** What tells a point from the others of its list, in few characters: `100`, `4000→2000`, `A · 100`, `10 · n=200`. */
export function placeName(places: Places, point: Summary): string {
  const values = places.of(point);
  const said = (name: string): DimensionValue => values.get(name) ?? '–';
  const parts = places.names.flatMap((name): string[] => {
    if (name === 'output' && places.names.includes('input')) return [];
    if (name === 'input' && places.names.includes('output')) return [`${said('input')}→${said('output')}`];
    if (name === 'requests') return [`n=${said(name)}`];
    if (name === 'repetition') return [`#${said(name)}`];
    if (name === 'stream') return [said(name) === 'true' ? 'stream' : 'no stream'];
    if (name === 'rate' && places.names.includes('concurrency')) return [`${said(name)}/s`];
    return [Object.hasOwn(dimensionWords, name) ? String(said(name)) : `${name}=${said(name)}`];
  });
  return parts.join(' · ');
}

/** Whether points are a grid of input and output lengths. */
export function isGrid(points: readonly Summary[]): boolean {
  const { names } = placesOf(points);
  return names.includes('input') && names.includes('output');
}
