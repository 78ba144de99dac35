import { printable } from '../../../core/index.ts';
import type { Phrase } from '../../../core/index.ts';
import type { ComparedMetricRow, Comparison, MetricChange } from '../../measure/index.ts';
import { firstSentence } from './run.ts';

/** What a comparison amounts to for one candidate. */
export interface CompareAnswer {
  tone: 'good' | 'warn' | 'bad';
  says: Phrase;
}

/** How one figure of a candidate stands to the baseline's. */
export type ChangeVerdict = 'better' | 'worse' | 'same' | 'untested' | 'incomparable' | 'unknown';

/** The metrics that a verdict rests on, in the order they are told, with what a reader calls them. */
export const comparedWords: Readonly<Record<string, Phrase>> = {
  outputTokensPerSec: { en: 'tokens/s', zh: '吞吐' },
  requestsPerSec: { en: 'requests/s', zh: '请求/s' },
  'ttft.p50': { en: 'TTFT p50', zh: 'TTFT p50' },
  'ttft.p99': { en: 'TTFT p99', zh: 'TTFT p99' },
  'tpot.p50': { en: 'TPOT p50', zh: 'TPOT p50' },
  'tpot.p99': { en: 'TPOT p99', zh: 'TPOT p99' },
  'latency.p50': { en: 'latency p50', zh: '延迟 p50' },
  'latency.p99': { en: 'latency p99', zh: '延迟 p99' },
  failed: { en: 'failed', zh: '失败' },
};
/** Those that the sentence names. */
export const headline = ['outputTokensPerSec', 'ttft.p99', 'tpot.p99', 'latency.p99'];

/** Everything where less is better; the rest is a rate. */
export function lessIsBetter(metric: string): boolean {
  return /^(ttft|tpot|itl|latency|lateness|failed)/.test(metric);
}

/** The verdict over one change; the word for it is in `changeWords`. */
export function changeVerdict(
  row: Pick<ComparedMetricRow, 'metric' | 'comparable'>,
  change: MetricChange,
): ChangeVerdict {
  if (change.changeRatio === null) return 'unknown';
  if (!row.comparable) return 'incomparable';
  if (change.interval === null) return 'untested';
  if (!change.significant) return 'same';
  return change.changeRatio < 0 === lessIsBetter(row.metric) ? 'better' : 'worse';
}

export const changeWords = {
  better: { en: 'better, certain', zh: '更好（确定）' },
  worse: { en: 'worse, certain', zh: '更差（确定）' },
  same: { en: 'no clear difference', zh: '无显著差异' },
  untested: { en: 'not tested', zh: '无法检验' },
  incomparable: { en: 'not comparable', zh: '不可比' },
  unknown: { en: '–', zh: '–' },
} as const satisfies Record<ChangeVerdict, Phrase>;

/** One sentence for each candidate against the baseline: better, worse or no clear difference, and how certain. */
export function compareInWords(comparison: Comparison): CompareAnswer[] {
  if (comparison.metrics.length === 0 || !comparison.comparable) return [incomparable(comparison)];
  return comparison.names.slice(1).map((_, i) => {
    const { tone, says } = candidateInWords(comparison, i);
    const load = loadInWords(comparison, i);
    return { tone, says: { en: `${says.en}${load.en}`, zh: `${says.zh}${load.zh}` } };
  });
}

/** What of a candidate's difference is load, where that is known and the same question everywhere; else nothing. */
function loadInWords({ names, findings }: Comparison, candidate: number): { en: string; zh: string } {
  const pair = `${names[0]} / ${names[candidate + 1]}: `;
  const about = findings.filter(({ code, message }) => code === 'load-explains' && message.startsWith(pair));
  const { inFlight, perRequestInFlight: each, loadShare: share } = about[0]?.evidence ?? {};
  if (about.length !== 1 || typeof inFlight !== 'number' || typeof each !== 'number') return { en: '', zh: '' };
  const most = typeof share === 'number' && share >= 0.5;
  const [more, rest] = [signedPercent(inFlight), signedPercent(each)];
  return {
    en: ` Requests in flight ${more}, per request in flight ${rest}${most ? ': most of the difference is load' : ''}.`,
    zh: `在途请求 ${more}，每个在途请求 ${rest}${most ? '：差异大部分来自负载' : ''}。`,
  };
}

function incomparable({ findings }: Comparison): CompareAnswer {
  const why = findings.find(({ severity }) => severity === 'invalid');
  return {
    tone: 'bad',
    says: {
      en: `Not comparable${why === undefined ? '.' : `: ${firstSentence(why.message)}`}`,
      zh: `不可比${why === undefined ? '。' : `：${firstSentence(why.zh.message)}`}`,
    },
  };
}

function candidateInWords(comparison: Comparison, candidate: number): CompareAnswer {
  const letter = letterOf(1 + (candidate % 25));
  const several = new Set(comparison.metrics.map(placeOf)).size > 1;
  const tested = (row: ComparedMetricRow | undefined): boolean => row?.changes[candidate]?.interval != null;
  const judged = headline
    .flatMap((metric) => comparison.metrics.filter((row) => row.metric === metric))
    .map((row) => {
      // Too few requests for a p99 may be enough for the median, which can have gone the other way.
      const median = comparison.metrics.find(
        (other) => other.metric === row.metric.replace('.p99', '.p50') && placeOf(other) === placeOf(row),
      );
      return !tested(row) && tested(median) ? median! : row;
    })
    .flatMap((row) => {
      const change = row.changes[candidate];
      if (change === undefined || change.changeRatio === null) return [];
      return [{ row, change, verdict: changeVerdict(row, change) }];
    });
  // A change that prints as 0 % is none to speak of, however certain it is.
  const differs = judged.filter(({ change }) => Math.abs(change.changeRatio!) >= 0.0005);
  const largest = (only: readonly ChangeVerdict[], most: number): Phrase => {
    const chosen = differs.filter(({ verdict }) => only.includes(verdict)).slice(0, most);
    const part = (lang: 'en' | 'zh'): string[] =>
      chosen.map(({ row, change }, at) => {
        // A metric is named once: tokens/s −33 % at 8, −31 % at 32.
        const name = chosen[at - 1]?.row.metric === row.metric ? '' : `${comparedWords[row.metric]![lang]} `;
        const where = several ? (lang === 'en' ? ` at ${placeOf(row)}` : `（${placeOf(row)}）`) : '';
        return `${name}${signedPercent(change.changeRatio)}${where}`;
      });
    return { en: part('en').join(', '), zh: part('zh').join('，') };
  };
  const has = (verdict: ChangeVerdict): boolean => differs.some((one) => one.verdict === verdict);
  // Some points may not be comparable, too; of the others nothing was tested.
  const only = judged.filter(({ verdict }) => verdict !== 'incomparable');
  if (only.length > 0 && only.every(({ verdict }) => verdict === 'untested')) {
    const differences = largest(['untested'], 3);
    const why: Phrase = wereTooShort(comparison)
      ? {
          en: 'A run is too short to say whether that is more than chance: leave -n out, or give a larger one',
          zh: '运行过短，无法判断是否超出偶然：请去掉 -n 或给出更大的值',
        }
      : {
          en: 'No spread is known here, so nothing can be tested; the differences stand as they were reported',
          zh: '没有离散信息，无法检验；差异仅为原始数据所示',
        };
    return {
      tone: 'warn',
      says: {
        en: `${letter} beside A: ${differences.en === '' ? 'the same figures' : differences.en}. ${why.en}.`,
        zh: `${letter} 与 A 相比：${differences.zh === '' ? '数字相同' : differences.zh}。${why.zh}。`,
      },
    };
  }
  if (!has('better') && !has('worse')) {
    const unsure = largest(['same', 'untested'], 3);
    return {
      tone: 'warn',
      says: {
        en: `No clear difference between A and ${letter}${unsure.en === '' ? '' : ` (${unsure.en}; not certain)`}.`,
        zh: `A 与 ${letter} 无显著差异${unsure.zh === '' ? '' : `（${unsure.zh}；均不确定）`}。`,
      },
    };
  }
  const [good, bad] = [largest(['better'], 3), largest(['worse'], 3)];
  if (has('better') && has('worse'))
    return {
      tone: 'warn',
      says: {
        en: `${letter} is better in ${good.en}, and worse in ${bad.en} (certain).`,
        zh: `${letter} 在 ${good.zh} 上更好，在 ${bad.zh} 上更差（确定）。`,
      },
    };
  const better = has('better');
  const certain = better ? good : bad;
  const rest = largest(['same', 'untested'], 2);
  return {
    tone: better ? 'good' : 'bad',
    says: {
      en: `${letter} is ${better ? 'better' : 'worse'}: ${certain.en}, certain${rest.en === '' ? '' : `; ${rest.en}, not certain`}.`,
      zh: `${letter} ${better ? '更好' : '更差'}：${certain.zh}，确定${rest.zh === '' ? '' : `；${rest.zh}，不确定`}。`,
    },
  };
}

/** Whether requests are at hand on both sides, of runs that lasted too short a time. */
function wereTooShort({ findings }: Comparison): boolean {
  const without = findings.filter(({ code }) => code === 'no-interval');
  return without.length > 0 && without.every(({ evidence }) => evidence['imported'] === false);
}

/** What the points of a row are called. */
export function placeOf({ place, load }: Pick<ComparedMetricRow, 'place' | 'load'>): string {
  return printable(place ?? (load === null ? '–' : String(load)));
}

/** A change in percent with its sign, a true minus, and at most three digits; a tenfold one as a factor. */
export function signedPercent(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return '–';
  if (ratio >= 9) return `×${Number((ratio + 1).toPrecision(3))}`;
  const value = Number((Math.abs(ratio) * 100).toPrecision(Math.abs(ratio) < 0.1 ? 2 : 3));
  return `${ratio < 0 ? '−' : '+'}${value} %`;
}

/** What a side of a comparison is called: A is the baseline. */
export function letterOf(side: number): string {
  return String.fromCodePoint(65 + (side % 26));
}
