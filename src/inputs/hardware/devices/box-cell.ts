import type { ColumnKind, HeaderWord } from './box-columns.ts';
import {
  isNothing,
  toldBusId,
  toldBytes,
  toldCelsius,
  toldCount,
  toldNumber,
  toldPercent,
  toldWatts,
} from './reading.ts';

/** The texts of one cell by what they are; `clean` = every word of the header has its value and each looks as it should. */
export interface CellValues {
  values: Map<ColumnKind, string>;
  clean: boolean;
}

const pairKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>([
  'wattsPair',
  'memoryMb',
  'hbmMb',
  'memory',
  'pages',
  'otherMemory',
]);
const absorbing: readonly ColumnKind[] = ['name', 'processName', 'state', 'health'];
const side = String.raw`(?:\d+(?:\.\d+)?(?:[A-Za-z]+)?|\[?N\/A\]?|NA|-)`;
const pairPattern = new RegExp(String.raw`(?<!\S)(${side})\s*\/\s*(${side})(?!\S)`, 'g');

/** Reads a data cell under a header cell: values are counted and typed, never placed by their offset. */
export function readCell(cell: string, header: readonly HeaderWord[]): CellValues {
  const tokens = tokensOf(cell, header);
  if (header.length === 0) return { values: new Map(), clean: tokens.length === 0 };
  const dealt = deal(tokens, header);
  if (dealt !== null) return { values: dealt, clean: true };
  return { values: dealByShape(tokens, header), clean: false };
}

function tokensOf(cell: string, header: readonly HeaderWord[]): string[] {
  let text = cell.replaceAll(/(\d)\s+(W|MiB|MB|GiB|GB)(?=[\s/]|$)/g, '$1$2').trim();
  if (header.some((word) => pairKinds.has(word.kind))) text = text.replaceAll(pairPattern, '$1/$2');
  return text.split(/\s+/).filter((token) => token !== '');
}

/** One value for each word; what is too much goes to the one column that may hold several words. */
function deal(tokens: readonly string[], header: readonly HeaderWord[]): Map<ColumnKind, string> | null {
  const extra = tokens.length - header.length;
  if (extra < 0) return null;
  const absorber =
    extra === 0
      ? undefined
      : absorbing.map((kind) => header.findIndex((word) => word.kind === kind)).find((at) => at !== -1);
  if (extra > 0 && absorber === undefined) return null;
  const values = new Map<ColumnKind, string>();
  let at = 0;
  for (const [column, { kind }] of header.entries()) {
    const take = column === absorber ? 1 + extra : 1;
    const text = tokens.slice(at, at + take).join(' ');
    at += take;
    if (!fits(text, kind)) return null;
    if (kind !== 'word' && !(values.has(kind) && isNothing(text))) values.set(kind, text);
  }
  return values;
}

type Shape = 'bus' | 'pair' | 'percent' | 'celsius' | 'watts' | 'bare' | 'other';

/** Where the count is off, only values whose shape leaves no doubt are kept: as many of a shape as columns ask for. */
function dealByShape(tokens: readonly string[], header: readonly HeaderWord[]): Map<ColumnKind, string> {
  const values = new Map<ColumnKind, string>();
  // A column that may hold any word could be the one whose value is missing, so nothing beside it is beyond doubt.
  if (tokens.some(isNothing) || header.some(({ kind }) => kind === 'word' || kind === 'state')) return values;
  const missing = (shape: Shape): boolean =>
    header.filter((word) => shapeOfKind(word.kind) === shape).length !==
    tokens.filter((token) => shapeOf(token) === shape).length;
  for (const shape of ['bus', 'pair', 'percent', 'celsius', 'watts', 'bare'] as const) {
    const columns = header.filter((word) => shapeOfKind(word.kind) === shape);
    const found = tokens.filter((token) => shapeOf(token) === shape);
    // Where a single number is missing, a pair may have swallowed it: `3 / 21527` for `3  1805 / 21527`.
    if (missing(shape) || (shape === 'pair' && missing('bare'))) continue;
    for (const [at, { kind }] of columns.entries()) if (fits(found[at]!, kind)) values.set(kind, found[at]!);
  }
  return values;
}

function shapeOfKind(kind: ColumnKind): Shape {
  if (pairKinds.has(kind)) return 'pair';
  if (kind === 'bus') return 'bus';
  if (kind === 'utilization') return 'percent';
  if (kind === 'celsius') return 'celsius';
  if (kind === 'watts') return 'watts';
  return kind === 'name' || kind === 'health' || kind === 'state' || kind === 'processName' || kind === 'word'
    ? 'other'
    : 'bare';
}

function shapeOf(token: string): Shape {
  if (toldBusId(token) != null) return 'bus';
  if (/^[^/]+\/[^/]+$/.test(token)) return 'pair';
  if (/^\d+(?:\.\d+)?$/.test(token)) return 'bare';
  if (toldPercent(token, 'needed') != null) return 'percent';
  if (toldCelsius(token, 'needed') != null) return 'celsius';
  return toldWatts(token, 'needed') != null ? 'watts' : 'other';
}

/** Whether a text can be a value of a kind; the tool's words for "unknown" always can. */
function fits(text: string, kind: ColumnKind): boolean {
  if (pairKinds.has(kind) && isNothing(text)) return true;
  switch (kind) {
    case 'index':
    case 'card':
    case 'chip':
    case 'logical':
    case 'pid':
    case 'otherPid':
      return toldCount(text) !== undefined;
    case 'bus':
      return toldBusId(text) !== undefined;
    case 'aicore':
      return toldPercent(text) !== undefined;
    case 'utilization':
      return toldPercent(text, 'needed') !== undefined || /^[A-Z][a-z]+$/.test(text);
    case 'power':
      return toldWatts(text) !== undefined;
    case 'watts':
      return toldWatts(text, 'needed') !== undefined;
    case 'temperature':
      return toldCelsius(text) !== undefined;
    case 'celsius':
      return toldCelsius(text, 'needed') !== undefined;
    case 'health':
      return /^[A-Za-z]/.test(text) && toldBusId(text) === undefined;
    case 'wattsPair':
      return sides(text).every((one) => toldWatts(one) !== undefined) && /W|N\/?A|-/i.test(text);
    case 'memoryMb':
    case 'hbmMb':
    case 'memory':
    case 'otherMemory':
      return sides(text).every((one) => toldBytes(one, 'MiB') !== undefined);
    case 'pages':
      return sides(text).every((one) => toldNumber(one, /^$/, { least: 0, most: 1e12 }) !== undefined);
    case 'processMemory':
      return toldBytes(text, 'MiB') !== undefined;
    default:
      return true;
  }
}

/** Both sides of `used/total`; a text that is no pair gives sides that fit nothing. */
export function sides(text: string): [string, string] {
  const match = new RegExp(`^(${side})\\/(${side})$`).exec(text);
  return match === null ? ['?', '?'] : [match[1]!, match[2]!];
}
