import { userError, UserError } from '../../core/index.ts';
import type { FitPoint } from './fit-point.ts';

/** Share of the greatest throughput from which on a sweep counts as saturated. */
const plateauRatio = 0.9;

/** The sweep's knee: index of the lowest concurrency on the plateau; the last index = it never saturates. */
export function kneeOf(points: readonly FitPoint[]): number {
  const most = Math.max(...points.map((point) => point.outputTokensPerSec));
  const first = points.findIndex((point) => point.outputTokensPerSec >= plateauRatio * most);
  return Math.max(Math.min(1, points.length - 1), first);
}

/** Words that choose a point by its place on the curve. */
export const pointWords = ['lowest', 'middle', 'highest', 'half', 'knee', 'half-knee', 'below-knee'] as const;
type PointWord = (typeof pointWords)[number];

/**
 * Which points to fit, from `auto`, words and concurrencies. The rule looks at where points lie, never at how well they come out:
 * `auto` = {lowest, B/2, B} with B the largest batch that the sweep asks for, so that nothing is left to extrapolate and at least
 * one point is saturated if any is. `middle` is the knee, or, where the sweep never saturates, the point nearest half the highest.
 */
export function choosePoints(points: readonly FitPoint[], words: readonly string[]): number[] {
  const wanted = words.length === 0 || words[0] === 'auto' ? ['lowest', 'half', 'highest'] : words;
  const indices = new Set(wanted.map((word) => indexOf(points, word)));
  if (indices.size < wanted.length && wanted.every((word) => isWord(word))) {
    // Two words fell on one point: the free point nearest the middle takes its place.
    for (const index of byDistance(points, points.at(-1)!.concurrency / 2)) {
      if (indices.size < Math.min(wanted.length, points.length)) indices.add(index);
    }
  }
  return [...indices].toSorted((a, b) => a - b);
}

function isWord(word: string): word is PointWord {
  return (pointWords as readonly string[]).includes(word);
}

function indexOf(points: readonly FitPoint[], word: string): number {
  const last = points.length - 1;
  const knee = kneeOf(points);
  switch (word) {
    case 'lowest':
      return 0;
    case 'highest':
      return last;
    case 'half':
      return nearest(points, points[last]!.concurrency / 2);
    case 'knee':
      return knee;
    case 'half-knee':
      return nearest(points, points[knee]!.concurrency / 2);
    case 'below-knee':
      return Math.max(1, knee - 1);
    case 'middle':
      return knee < last ? knee : indexOf(points, 'half');
    default: {
      const index = points.findIndex((point) => point.concurrency === Number(word));
      if (index >= 0) return index;
      throw unknownPoint(word, points);
    }
  }
}

function byDistance(points: readonly FitPoint[], concurrency: number): number[] {
  const distance = (index: number): number => Math.abs(points[index]!.concurrency - concurrency);
  return points.map((_, i) => i).toSorted((a, b) => distance(a) - distance(b));
}

/** The point nearest to a concurrency, neither the first nor the last where others are there. */
function nearest(points: readonly FitPoint[], concurrency: number): number {
  return byDistance(points, concurrency).find((index) => index > 0 && index < points.length - 1) ?? 0;
}

function unknownPoint(word: string, points: readonly FitPoint[]): UserError {
  const known = points.map((point) => point.concurrency).join(', ');
  const shown = word.slice(0, 50);
  return userError(
    'unknown-fit-point',
    `the sweep has no usable point "${shown}"`,
    `扫描中没有可用的点 "${shown}"`,
    `Usable concurrencies: ${known}; words: auto, ${pointWords.join(', ')}.`,
    `可用的并发：${known}；可用的词：auto、${pointWords.join('、')}。`,
    '--points',
  );
}
