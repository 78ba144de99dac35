import { printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import type { TrendChange, TrendCurve } from '../../measure/index.ts';
import { comparedWords, lessIsBetter, signedPercent } from './compare.ts';
import { countFigure, shareFigure, shortFigure, timeFigure } from './short-figure.ts';

/** What a metric is called where nobody types it. */
export function metricTitle(metric: string): Phrase {
  const known = comparedWords[metric];
  if (known !== undefined) return known;
  const [name = '', statistic] = metric.split('.');
  const title = (comparedWords[`${name}.p50`] ?? comparedWords[name] ?? { en: name, zh: name }) as Phrase;
  const bare = (text: string): string => text.replace(/ p50$/, '');
  const tail = statistic === undefined ? '' : ` ${statistic}`;
  return { en: `${bare(title.en)}${tail}`, zh: `${bare(title.zh)}${tail}` };
}

/** A figure of a metric with its unit. */
export function metricFigure(metric: string, value: number | null): string {
  if (metric === 'failed') return shareFigure(value);
  return /^(ttft|tpot|itl|latency|lateness)/.test(metric) ? timeFigure(value) : shortFigure(value);
}

const rates: Readonly<Record<string, Phrase>> = {
  outputTokensPerSec: { en: 'tokens/s', zh: 'tok/s' },
  inputTokensPerSec: { en: 'input tokens/s', zh: '输入 tok/s' },
  totalTokensPerSec: { en: 'tokens/s in and out', zh: 'tok/s（输入加输出）' },
  requestsPerSec: { en: 'requests/s', zh: '请求/s' },
};

/** A figure with its name or its unit, whichever says more: `5,822 tokens/s`, `TTFT p99 431 ms`; `bare` = the figure as an interval repeats it. */
export function figureInWords(metric: string, value: number | null): Phrase & { bare: string } {
  const bare = metricFigure(metric, value);
  const rate = rates[metric];
  if (rate !== undefined) return { en: `${bare} ${rate.en}`, zh: `${bare} ${rate.zh}`, bare };
  const title = metricTitle(metric);
  return { en: `${title.en} ${bare}`, zh: `${title.zh} ${bare}`, bare };
}

/** What an axis of a metric is called, with its unit. */
export function axisTitle(metric: string): Phrase {
  const rate = rates[metric];
  if (rate !== undefined) return metric === 'requestsPerSec' ? rate : { en: rate.en, zh: `吞吐 (${rate.zh})` };
  const title = metricTitle(metric);
  const unit = metricFigure(metric, 1).endsWith(' ms') ? ' (ms)' : '';
  return { en: `${title.en}${unit}`, zh: `${title.zh}${unit}` };
}

/** A curve's news in one sentence each: how many runs, and every change with its size, its certainty and where it began. */
export function trendInWords(curve: TrendCurve, metric: string): Phrase[] {
  const { points, changes, name } = curve;
  const title = metricTitle(metric);
  const at = name === '' ? '' : printable(name);
  const used = points.filter(({ value }) => value !== null).length;
  const out = points.length - used;
  const left: Phrase =
    out === 0
      ? { en: '', zh: '' }
      : { en: ` (${out} more not valid or without it)`, zh: `（另有 ${out} 次无效或无此指标）` };
  const steady: Phrase = { en: 'no change that is certain', zh: '没有确定的变化' };
  const counted: Phrase =
    changes.length === 0
      ? steady
      : {
          en: `${changes.length} change${changes.length === 1 ? '' : 's'}, certain${largestOf(curve, metric).en}`,
          zh: `${changes.length} 处确定的变化${largestOf(curve, metric).zh}`,
        };
  const head: Phrase = {
    en: `${title.en} over ${countFigure(used)} run${used === 1 ? '' : 's'}${at === '' ? '' : ` at ${at}`}${left.en}: ${counted.en}.`,
    zh: `${title.zh}，${countFigure(used)} 次运行${at === '' ? '' : `（${at}）`}${left.zh}：${counted.zh}。`,
  };
  return [head, ...changes.map((change) => changeInWords(curve, change, metric))];
}

/** The change that matters most, for the first line; nothing where no size is known. */
function largestOf(curve: TrendCurve, metric: string): Phrase {
  const sized = curve.changes.filter(({ changeRatio }) => changeRatio !== null);
  const size = ({ changeRatio }: TrendChange): number => Math.abs(Math.log(Math.max(1e-9, 1 + changeRatio!)));
  const [largest] = sized.toSorted((a, b) => size(b) - size(a));
  if (largest === undefined) return { en: '', zh: '' };
  const { runId, label, startedAt } = curve.points[largest.at]!;
  // A label tells a run from the others only where they differ in it.
  const named = new Set(curve.points.map((point) => point.label)).size > 1;
  const name = printable((named ? label : startedAt?.slice(0, 10)) ?? runId);
  const much = signedPercent(largest.changeRatio);
  const worse = isWorse(curve, largest, metric);
  const several = curve.changes.length > 1;
  return {
    en: `${several ? '; the largest' : ''}: ${much}, ${worse ? 'worse' : 'better'} since ${name}`,
    zh: `${several ? '，最大一处' : ''}：自 ${name} 起 ${much}（${worse ? '更差' : '更好'}）`,
  };
}

function changeInWords(curve: TrendCurve, change: TrendChange, metric: string): Phrase {
  const { points } = curve;
  const before = points.slice(0, change.at).findLast(({ level }) => level !== null)?.level ?? null;
  const point = points[change.at]!;
  const after = point.level;
  const worse = isWorse(curve, change, metric);
  const { changeRatio, interval } = change;
  const range = interval === null ? '' : ` (${signedPercent(interval[0])} … ${signedPercent(interval[1])})`;
  const size = changeRatio === null ? '' : `, ${signedPercent(changeRatio)}${range}`;
  const since = printable((point.startedAt ?? point.runId).slice(0, 10));
  const figures = `${metricFigure(metric, before)} → ${metricFigure(metric, after)}${size}`;
  const verdict: Phrase = worse ? { en: 'worse', zh: '更差' } : { en: 'better', zh: '更好' };
  return {
    en: `${verdict.en} since ${since} (${printable(point.runId)}): ${figures}.`,
    zh: `${since}（${printable(point.runId)}）起${verdict.zh}：${figures}。`,
  };
}

/** Whether a change is for the worse. */
export function isWorse({ points }: TrendCurve, { at }: TrendChange, metric: string): boolean {
  const before = points.slice(0, at).findLast(({ level }) => level !== null)?.level ?? 0;
  return (points[at]!.level ?? 0) > before === lessIsBetter(metric);
}
