import { isGrid, joined, placesOf, quotedFigures } from '../../../core/index.ts';
import type { Phrase, Summary, Sweep } from '../../../core/index.ts';
import { promisesKept } from '../../measure/index.ts';
import { pointName } from '../point-name.ts';
import { loadInWords } from './asked.ts';
import { answerOf, findInWords, foundIn, speedAndLimitInWords, whyInWords } from './find.ts';
import { promiseWords } from './promise.ts';
import { rateInWords } from './run.ts';

/** The sweep as if this had been promised of every point of it; promises as `--slo` takes them. */
export function withPromises(sweep: Sweep, promises: readonly string[]): Sweep {
  const points = sweep.points.map((point) => {
    const { slo: promised, ...unpromised } = point;
    if (promises.length === 0) return promised === undefined ? point : unpromised;
    return { ...unpromised, slo: promisesKept(unpromised, promises) };
  });
  const { search: _, ...unsearched } = sweep;
  return { ...unsearched, points };
}

/** What a sweep amounts to: the best point, and why it is that one. */
export interface SweepAnswer {
  /** null = no point keeps what was promised, or nothing tells points apart by load. */
  best: Summary | null;
  /** Of a ladder of loads: the least load with 90 % of the most throughput, and the load with the most; null = it is none. */
  knee: Summary | null;
  peak: Summary | null;
  says: Phrase[];
}

/** The load to run at; of a search what it said at its end. */
export function sweepInWords(sweep: Sweep): SweepAnswer {
  const found = foundIn(sweep);
  const read = pointsInWords(sweep);
  if (found === null) return read;
  const says = [findInWords(found), speedAndLimitInWords(found), whyInWords(found)].filter((one) => one !== null);
  return { ...read, best: answerOf(found), says };
}

/**
 * What the points amount to. With promises: the highest load that keeps all of them, as do all loads below it. Without: where throughput has
 * its knee (the least load with 90 % of the best) and its peak. Points that differ in more than their load have the one with most throughput.
 */
function pointsInWords(sweep: Sweep): SweepAnswer {
  const points = sweep.points.filter(({ verdict }) => verdict.valid);
  if (points.length === 0)
    return {
      ...nowhere,
      says: [{ en: 'NOT VALID: no point can be used as it stands.', zh: '无效：没有一个点可直接使用。' }],
    };
  const ladder = isLadder(sweep.points) ? lastOfEach(points).toSorted((a, b) => loadOf(a) - loadOf(b)) : null;
  const promised = points[0]!.slo ?? [];
  const known = points.filter((point) => rateOf(point) !== null);
  const peak = known.toSorted((a, b) => rateOf(b)! - rateOf(a)!)[0];
  const turn =
    peak === undefined ? null : (ladder?.find((point) => (rateOf(point) ?? 0) >= 0.9 * rateOf(peak)!) ?? null);
  const marks = { knee: turn, peak: ladder === null ? null : (peak ?? null) };
  if (promised.length > 0) return { ...marks, ...withinPromises(sweep, ladder, points) };
  if (peak === undefined) return { ...nowhere, says: [] };
  if (ladder === null)
    return {
      ...marks,
      best: peak,
      says: [
        {
          en: `Most throughput: ${pointName(sweep, peak)}, ${rateText(peak).en}.`,
          zh: `吞吐最高：${pointName(sweep, peak)}，${rateText(peak).zh}。`,
        },
      ],
    };
  const knee = turn ?? peak;
  const says: Phrase[] =
    knee === peak
      ? [
          {
            en: `Most throughput: ${rateText(peak).en} at ${nameOf(peak).en}.`,
            zh: `吞吐最高：${nameOf(peak).zh}时 ${rateText(peak).zh}。`,
          },
        ]
      : [
          {
            en: `Knee at ${nameOf(knee).en}: ${rateText(knee).en}, 90 % of the most (${rateText(peak).en} at ${nameOf(peak).en}).`,
            zh: `拐点在 ${nameOf(knee).zh}：${rateText(knee).zh}，已达最高值的 90 %（${nameOf(peak).zh}时 ${rateText(peak).zh}）。`,
          },
        ];
  return { ...marks, best: knee, says: [...says, ...stillRising(ladder, peak, false)] };
}

const nowhere = { best: null, knee: null, peak: null };

function withinPromises(
  sweep: Sweep,
  ladder: readonly Summary[] | null,
  points: readonly Summary[],
): Pick<SweepAnswer, 'best' | 'says'> {
  const keeps = ({ slo = [] }: Summary): boolean => slo.length > 0 && slo.every(({ kept }) => kept === true);
  const promised = (points[0]!.slo ?? []).map((one) => promiseWords(one).promised);
  const under = joined(promised, ' and ', ' 且 ');
  const kept = points.filter(keeps);
  if (kept.length === 0)
    return { best: null, says: [{ en: `No point keeps ${under.en}.`, zh: `没有一个点满足 ${under.zh}。` }] };
  const broken = ladder?.findIndex((point) => !keeps(point)) ?? -1;
  const within = ladder === null ? kept : broken === -1 ? ladder : ladder.slice(0, broken);
  // A load that keeps them above one that does not is luck, or the lower one was disturbed.
  const best = (within.length > 0 ? within : kept).toSorted((a, b) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0))[0]!;
  const answer = ladder === null ? best : (within.at(-1) ?? best);
  const name = ladder === null ? { en: pointName(sweep, answer), zh: pointName(sweep, answer) } : nameOf(answer);
  const most = points.toSorted((a, b) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0))[0]!;
  return {
    best: answer,
    says: [
      {
        en: `${ladder === null ? 'Best' : 'Highest load'} within ${under.en}: ${name.en}, ${rateText(answer).en}.`,
        zh: `满足 ${under.zh} 的${ladder === null ? '最佳点' : '最高负载'}：${name.zh}，${rateText(answer).zh}。`,
      },
      ...(ladder === null ? [] : stillRising(ladder, most, true)),
    ],
  };
}

/** `rated`: with the throughput there, which no sentence has said yet. */
function stillRising(ladder: readonly Summary[], peak: Summary, rated: boolean): Phrase[] {
  if (ladder.length < 2 || ladder.at(-1) !== peak || rateOf(peak) === null) return [];
  const rate = rated ? { en: ` (${rateText(peak).en})`, zh: `（${rateText(peak).zh}）` } : { en: '', zh: '' };
  return [
    {
      en: `Throughput still rises at ${nameOf(peak).en}${rate.en}: the peak lies higher.`,
      zh: `到 ${nameOf(peak).zh}时吞吐仍在上升${rate.zh}：峰值在更高负载处。`,
    },
  ];
}

/** Whether nothing but the load tells the points apart. */
function isLadder(points: readonly Summary[]): boolean {
  const { names } = placesOf(points);
  return (
    !isGrid(points) &&
    names.every((name) => name === 'concurrency' || name === 'rate' || name === 'repetition') &&
    new Set(points.map(loadOf)).size > 1 &&
    points.every((point) => Number.isFinite(loadOf(point)))
  );
}

/** Of a load that was looked at again the last look: a search looks again with fresh prompts. */
function lastOfEach(points: readonly Summary[]): Summary[] {
  return [...new Map(points.map((point) => [loadOf(point), point])).values()];
}

function loadOf({ load }: Summary): number {
  return load.ratePerSec ?? load.concurrency ?? NaN;
}

function nameOf(point: Summary): Phrase {
  return loadInWords(point) ?? { en: point.runId, zh: point.runId };
}

function rateOf(point: Summary): number | null {
  const figures = quotedFigures(point);
  return figures.outputTokensPerSec ?? figures.requestsPerSec;
}

function rateText(point: Summary): Phrase {
  return rateInWords(quotedFigures(point));
}
