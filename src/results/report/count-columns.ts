import type { Counts, Phrase, Summary } from '../../core/index.ts';
import { countOf } from './figure-text.ts';
import { labels } from './labels.ts';

/** A count of requests that did not come to an answer. */
export interface CountColumn {
  name: Phrase;
  of(point: Summary): number | null;
}

/**
 * What became of the requests that were not answered: the failed ones always; each other kind where a point has some;
 * and, where any were lost besides, all of them together, which people's own tables call failed.
 */
export function countColumns(points: readonly Summary[]): CountColumn[] {
  const kinds = (['unaccounted', 'dropped', 'cancelled'] as const).filter((kind) =>
    points.some(({ counts }) => (countOf(counts, kind) ?? 0) > 0),
  );
  const column = (kind: 'failed' | (typeof kinds)[number]): CountColumn => ({
    name: labels[kind],
    of: (point) => countOf(point.counts, kind),
  });
  return [
    column('failed'),
    ...kinds.map(column),
    ...(kinds.some((kind) => kind !== 'cancelled')
      ? [{ name: labels.missed, of: (point: Summary) => missedOf(point.counts) }]
      : []),
  ];
}

/** Requests that failed, were never sent though they were due, or were lost without a word; null = not known. */
export function missedOf(counts: Counts): number | null {
  const failed = countOf(counts, 'failed');
  return failed === null ? null : failed + (countOf(counts, 'unaccounted') ?? 0) + (countOf(counts, 'dropped') ?? 0);
}
