import { placeName, placesOf, printable, userError, UserError } from '../../core/index.ts';
import type { DimensionValue, Places, Summary, Sweep } from '../../core/index.ts';

/** A word that names points inside of something: `SWEEP[concurrency=100,variant=A]`, or `SWEEP/POINT`. */
export type Address =
  | { base: string; where: readonly { name: string; value: string }[] }
  | { base: string; point: string };

/** Short and Chinese names that people give to dimensions. */
const aliases: Readonly<Record<string, string>> = {
  c: 'concurrency',
  parallel: 'concurrency',
  parallels: 'concurrency',
  并发: 'concurrency',
  n: 'requests',
  in: 'input',
  out: 'output',
  run: 'repetition',
};

/** The address in a word that ends in conditions; null = it has none. */
export function conditionsIn(word: string): Address | null {
  const match = /^(.+)\[([^[\]]+)\]$/s.exec(word);
  if (match === null) return null;
  const parts = match[2]!.split(/,(?=\s*[^,=]+=)/);
  const where = parts.map((part) => /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(part));
  if (where.some((one) => one === null))
    throw userError(
      'bad-address',
      `"${shown(word)}" is no address`,
      `"${shown(word)}" 不是有效的地址`,
      'Write SWEEP[concurrency=100,variant=A], or SWEEP/p02.',
      '写法：SWEEP[concurrency=100,variant=A] 或 SWEEP/p02。',
    );
  return { base: match[1]!, where: where.map((one) => ({ name: nameOf(one![1]!), value: one![2]! })) };
}

/** The address in `SWEEP/POINT`; null = the word has no such place. */
export function pointIn(word: string): Address | null {
  const at = word.lastIndexOf('/');
  return at < 1 || at === word.length - 1 ? null : { base: word.slice(0, at), point: word.slice(at + 1) };
}

function nameOf(word: string): string {
  const lower = word.toLowerCase();
  return Object.hasOwn(aliases, lower) ? aliases[lower]! : word;
}

/** The points of a sweep that an address means; a UserError that lists what there is where it means none, or too many. */
export function pointsAt(sweep: Sweep, address: Address): readonly Summary[] {
  const places = placesOf(sweep.points);
  if ('point' in address) {
    const found = sweep.points.filter((point, i) => isNamed(address.point, sweep, point, i, places));
    if (found.length === 1) return found;
    throw found.length === 0
      ? noSuchPoint(address.point, sweep, places)
      : severalPoints(
          address.point,
          found.map((point) => addressOf(sweep, point, places)),
        );
  }
  const unknown = address.where.find(({ name }) =>
    sweep.points.every((point) => !hasDimension(places.of(point), name)),
  );
  if (unknown !== undefined) throw noSuchDimension(unknown.name, sweep, places);
  const found = sweep.points.filter((point) =>
    address.where.every(({ name, value }) => holds(places.of(point), name, value)),
  );
  if (found.length === 0)
    throw noSuchPoint(address.where.map(({ name, value }) => `${name}=${value}`).join(','), sweep, places);
  return found;
}

function isNamed(word: string, sweep: Sweep, point: Summary, index: number, places: Places): boolean {
  const { runId } = point;
  const ordinal = `p${String(index + 1).padStart(2, '0')}`;
  return (
    runId === word ||
    ordinal === word ||
    String(index + 1) === word ||
    (word.length > 2 && runId.startsWith(`${sweep.id}-`) && runId.slice(sweep.id.length + 1) === word) ||
    placeName(places, point) === word ||
    point.asked?.variant === word ||
    point.label === word
  );
}

function hasDimension(values: ReadonlyMap<string, DimensionValue>, name: string): boolean {
  return [...values.keys()].some((key) => key.toLowerCase() === name.toLowerCase());
}

function holds(values: ReadonlyMap<string, DimensionValue>, name: string, wanted: string): boolean {
  const entry = [...values].find(([key]) => key.toLowerCase() === name.toLowerCase());
  if (entry === undefined) return false;
  const [, value] = entry;
  return typeof value === 'number' ? Number(wanted) === value : value.toLowerCase() === wanted.toLowerCase();
}

/** How a point is written, so that it can be typed again: by what tells it from the others, else by its place. */
export function addressOf(sweep: Sweep, point: Summary, places: Places = placesOf(sweep.points)): string {
  const values = places.of(point);
  const told = places.names.filter((name) => values.has(name)).map((name) => `${name}=${values.get(name)}`);
  const base = sweep.id;
  return told.length > 0 && told.every((one) => !/[[\],]/.test(one))
    ? `${base}[${told.join(',')}]`
    : `${base}/p${String(sweep.points.indexOf(point) + 1).padStart(2, '0')}`;
}

const shown = (word: string): string => printable(word).slice(0, 100);

function listOf(sweep: Sweep, places: Places): string {
  const all = sweep.points.slice(0, 8).map((point) => printable(addressOf(sweep, point, places)));
  return `${all.join('  ')}${sweep.points.length > all.length ? ' …' : ''}`;
}

function noSuchPoint(word: string, sweep: Sweep, places: Places): UserError {
  return userError(
    'no-such-point',
    `no point "${shown(word)}" in ${sweep.id}`,
    `${sweep.id} 中没有点 "${shown(word)}"`,
    `There are: ${listOf(sweep, places)}`,
    `已有：${listOf(sweep, places)}`,
  );
}

function severalPoints(word: string, found: readonly string[]): UserError {
  const list = found.slice(0, 8).map(printable).join('  ');
  return userError(
    'several-points',
    `"${shown(word)}" means ${found.length} points`,
    `"${shown(word)}" 对应 ${found.length} 个点`,
    `Name one of: ${list}`,
    `请指定其一：${list}`,
  );
}

function noSuchDimension(name: string, sweep: Sweep, places: Places): UserError {
  const list = [...new Set(sweep.points.flatMap((point) => [...places.of(point).keys()]))].map(printable).join(', ');
  return userError(
    'no-such-dimension',
    `the points of ${sweep.id} have no "${shown(name)}"`,
    `${sweep.id} 的点没有 "${shown(name)}"`,
    `They have: ${list}`,
    `可用：${list}`,
  );
}
