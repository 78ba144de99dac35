import { printable } from '../../../core/index.ts';
import type { Phrase, PromiseKept, Summary } from '../../../core/index.ts';
import { parseSlo } from '../../measure/index.ts';
import type { Slo } from '../../measure/index.ts';
import { countFigure, shareFigure, shortFigure, timeIn } from './short-figure.ts';

/** One promise in words, ready to be laid out. */
export interface PromiseWords {
  kept: boolean | null;
  /** What was promised: `ttft.p99 < 500ms`. */
  promised: Phrase;
  /** What came of it, with its unit; `–` = not known. */
  measured: string;
  /** kept, BROKEN, or not known. */
  verdict: Phrase;
  /** All of it in one line: `ttft.p99 33.6 ms > 30 ms: BROKEN`. */
  line: Phrase;
}

export const promiseVerdicts = {
  kept: { en: 'kept', zh: '达标' },
  broken: { en: 'BROKEN', zh: '未达标' },
  unknown: { en: 'not known', zh: '未知' },
} as const satisfies Record<string, Phrase>;

/** A promise and what became of it, in words. A time without a statistic is each request's promise, and says so. */
export function promiseWords({ promise, measured, kept }: PromiseKept): PromiseWords {
  const slo = parseSlo(promise);
  const each = slo.unit === 'ms' && slo.statistic === null;
  const verdict = promiseVerdicts[kept === null ? 'unknown' : kept ? 'kept' : 'broken'];
  const text = printable(slo.text.replace(/\s*(<=|>=|<|>)\s*/, ' $1 ').trim());
  const name = `${slo.metric}${slo.statistic === null ? '' : `.${slo.statistic}`}`;
  const [shown, limit] = measured === null ? ['–', limitOf(slo)] : apart(slo, measured);
  const relation = measured === null ? slo.op : measured < slo.limit ? '<' : measured > slo.limit ? '>' : '=';
  const [en, zh] = each
    ? [
        `${name} of every request, ${slo.op.startsWith('<') ? 'slowest' : 'fastest'}`,
        `每个请求的 ${name}，${slo.op.startsWith('<') ? '最慢' : '最快'}`,
      ]
    : [name, name];
  return {
    kept,
    promised: each ? { en: `${text} (every request)`, zh: `${text}（每个请求）` } : { en: text, zh: text },
    measured: shown,
    verdict,
    line: {
      en: `${en} ${shown} ${relation} ${limit}: ${verdict.en}`,
      zh: `${zh} ${shown} ${relation} ${limit}：${verdict.zh}`,
    },
  };
}

/** The promises of a summary in words; none where nothing was promised. */
export function promisesInWords({ slo }: Pick<Summary, 'slo'>): PromiseWords[] {
  return (slo ?? []).map(promiseWords);
}

/**
 * How many requests missed the promise for which a run was ended early, since no rest of it could have mended that; null = it was not ended
 * for this one. The figures of such a run are those of its beginning, and may look better than it was.
 */
export function missedInWords({ stoppedBecause }: Pick<Summary, 'stoppedBecause'>, promise: string): Phrase | null {
  if (stoppedBecause?.rule !== 'slo-lost' || !stoppedBecause.message.startsWith(`${parseSlo(promise).text} `))
    return null;
  const [missed, of] = [stoppedBecause.evidence['missed'], stoppedBecause.evidence['of']].map((n) =>
    countFigure(n ?? null),
  );
  return { en: `${missed} of ${of} missed it`, zh: `${of} 个中 ${missed} 个超出` };
}

/** Measured figure and limit; the figure has as many digits as it takes to tell it from the limit, at least three. */
function apart(slo: Slo, measured: number): [string, string] {
  const limit = limitOf(slo);
  const digits = [3, 4, 5, 6].find(
    (count) => measured === slo.limit || figureOf(slo, measured, count) !== figureOf(slo, slo.limit, count),
  );
  return [figureOf(slo, measured, digits ?? 9), limit];
}

/** The limit as it was typed, with a space before its unit. */
function limitOf({ text, unit }: Slo): string {
  const [, digits, word] = /([\d.]+)\s*([a-z%]*)\s*$/i.exec(text)!;
  return word === '' ? `${digits}${unit === 'perSec' ? '/s' : ''}` : `${digits} ${word}`;
}

/** A figure in the unit in which the promise is written. */
function figureOf(slo: Slo, value: number, digits: number): string {
  if (slo.unit === 'ms') return timeIn(value, unitOf(slo), digits);
  return slo.unit === 'ratio' ? shareFigure(value, digits) : `${shortFigure(value, digits)}/s`;
}

function unitOf({ text }: Slo): 'ms' | 's' | 'm' | 'h' {
  return (['ms', 's', 'm', 'h'] as const).find((unit) => new RegExp(`\\d\\s*${unit}\\s*$`, 'i').test(text)) ?? 'ms';
}
