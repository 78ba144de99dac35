import { expect, test } from 'vitest';
import { samplePoint } from '../../test/sample-point.ts';
import { dimensionsOf, isGrid, placeName, placesOf } from './dimensions.ts';
import type { Summary } from './summary.ts';

const base = samplePoint();
const at = (concurrency: number | null, more: Partial<Summary> = {}): Summary =>
  samplePoint({ load: { ...base.load, concurrency }, ...more });
const planned = (count: number, more: Partial<Summary> = {}): Summary =>
  at(8, { counts: { ...base.counts, planned: count }, ...more });
const lengths = (input: string | null, output: string | null): Partial<Summary> => ({
  lengthsAsked: { input, output },
});
/** The dimensions that tell points apart, and what each point is called. */
function told(points: Summary[]): [readonly string[], string[]] {
  const places = placesOf(points);
  return [places.names, points.map((point) => placeName(places, point))];
}

test('points are called by what differs between them, in the order of the columns, and by nothing else', () => {
  expect(told([at(1)])).toEqual([[], ['']]);
  expect(told([at(1), at(8)])).toEqual([['concurrency'], ['1', '8']]);
  const variant = (name: string, concurrency: number): Summary =>
    at(concurrency, {
      asked: { variant: name, settings: { tp: name === 'A' ? '1' : '2' } },
      ...lengths('100', String(concurrency)),
    });
  expect(told([variant('A', 1), variant('B', 8)])).toEqual([
    ['variant', 'tp', 'concurrency', 'output'],
    ['A · tp=1 · 1 · 1', 'B · tp=2 · 8 · 8'],
  ]);
});

test('numbers of requests tell apart only what nothing else does, and what even they do not are repetitions', () => {
  expect(told([planned(10), planned(20)])).toEqual([['requests'], ['n=10', 'n=20']]);
  expect(told([planned(10), at(9)])).toEqual([['concurrency'], ['8', '9']]);
  expect(told([planned(10), planned(10), planned(20)])).toEqual([
    ['requests', 'repetition'],
    ['n=10 · #1', 'n=10 · #2', 'n=20 · #1'],
  ]);
  expect(told([planned(10), planned(10)])).toEqual([['repetition'], ['#1', '#2']]);
});

test('lengths are one name, numbers where they are numbers, and a grid where both differ', () => {
  const grid = [at(8, lengths('4000', '2000')), at(8, lengths('100..200', '50'))];
  expect(told(grid)[1]).toEqual(['4000→2000', '100..200→50']);
  expect(dimensionsOf(grid[0]!).get('input')).toBe(4000);
  expect(dimensionsOf(at(8, lengths('5', null))).get('input')).toBe(5);
  expect(dimensionsOf(grid[1]!).get('input')).toBe('100..200');
  // Told by a chunk log of before among the server's facts.
  expect(dimensionsOf(at(8, { server: { chunkSize: 64, generateSize: 'x' } })).get('input')).toBe(64);
  expect(dimensionsOf(at(8, { server: { chunkSize: 64, generateSize: 'x' } })).has('output')).toBe(false);
  expect([
    isGrid(grid),
    isGrid([grid[0]!, at(8, lengths('1', '2000'))]),
    isGrid([at(8, lengths('4000', '1')), grid[0]!]),
  ]).toEqual([true, false, false]);
});

test('what only some points say of themselves is no difference, and neither is a load that a table does not know', () => {
  expect(told([at(1, { model: 'm' }), at(2, { model: null })])[0]).toEqual(['concurrency']);
  expect(told([at(1, { model: 'a' }), at(2, { model: 'b' })])[0]).toEqual(['model', 'concurrency']);
  const row = (label: string): Summary => at(null, { label, source: { tool: 'table', file: null } });
  expect(told([row('A'), row('B')])).toEqual([['variant'], ['A', 'B']]);
  expect(told([row('A'), at(8, { label: 'x', source: { tool: 'table', file: null } })])[0]).toEqual(['variant']);
  // A label is a name only where the point says nothing else.
  expect(dimensionsOf(at(8, { label: 'A' })).has('variant')).toBe(false);
  expect(dimensionsOf({ ...row('A'), ...lengths(null, null) }).has('variant')).toBe(false);
  const byRate: Summary = { ...row('A'), load: { kind: 'open', concurrency: null, ratePerSec: 3, stream: null } };
  expect(dimensionsOf(byRate).has('variant')).toBe(false);
});

test('a rate says so beside a concurrency, and a stream says whether it is one', () => {
  const rate = (ratePerSec: number, concurrency: number | null, stream: boolean): Summary =>
    samplePoint({ load: { kind: 'open', concurrency, ratePerSec, stream } });
  expect(told([rate(1, 4, true), rate(2, 8, false)])[1]).toEqual(['stream · 1/s · 4', 'no stream · 2/s · 8']);
  expect(told([rate(1, null, true), rate(2, null, true)])[1]).toEqual(['1', '2']);
});
