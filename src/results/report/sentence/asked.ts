import { joined, printable } from '../../../core/index.ts';
import type { Distribution, Phrase, Summary } from '../../../core/index.ts';
import { countOf } from '../figure-text.ts';
import { countFigure, shortFigure } from './short-figure.ts';

/** What was asked, in one line: `Qwen2.5-7B at 10.0.0.7:8000 · 16 at once · 400 requests · 256 → 64 tokens`; several points share one load word. */
export function askedInWords(points: readonly Summary[], url: string | null = null): Phrase {
  const [first] = points;
  if (first === undefined) return { en: '', zh: '' };
  const host = url === null ? null : hostOf(url);
  const same = <T>(of: (point: Summary) => T): boolean => points.every((point) => of(point) === of(first));
  const model = same((point) => point.model) ? first.model : null;
  const named = printable(
    [same((point) => point.label) ? first.label : null, model].filter((one) => one !== null).join(' · '),
  );
  const who: Phrase = {
    en: host === null ? named : named === '' ? host : `${named} at ${host}`,
    zh: host === null ? named : named === '' ? host : `${named}（${host}）`,
  };
  const planned = countOf(first.counts, 'planned');
  const counted = planned !== null && same((point) => point.counts.planned) ? countFigure(planned) : null;
  const each = points.length > 1 ? { en: ' each', zh: '每点 ' } : { en: '', zh: '' };
  const lengths =
    same((point) => lengthOf(point, 'input')) && same((point) => lengthOf(point, 'output')) ? lengthsOf(first) : null;
  const parts: (Phrase | null)[] = [
    who.en === '' ? null : who,
    loadsInWords(points),
    counted === null
      ? null
      : { en: `${counted} ${planned === 1 ? 'request' : 'requests'}${each.en}`, zh: `${each.zh}${counted} 个请求` },
    lengths,
  ];
  return joined(
    parts.filter((part) => part !== null),
    ' · ',
    ' · ',
  );
}

/** The load of one point in words. */
export function loadInWords({ load }: Pick<Summary, 'load'>): Phrase | null {
  const { kind, concurrency, ratePerSec } = load;
  if (ratePerSec !== null) {
    const cap =
      concurrency === null
        ? { en: '', zh: '' }
        : { en: `, at most ${concurrency} at once`, zh: `，最多 ${concurrency} 并发` };
    return { en: `${ratePerSec}/s${cap.en}`, zh: `每秒 ${ratePerSec} 个${cap.zh}` };
  }
  if (concurrency !== null) return { en: `${concurrency} at once`, zh: `${concurrency} 并发` };
  return kind === 'replay' ? { en: 'replayed', zh: '按记录回放' } : null;
}

function loadsInWords(points: readonly Summary[]): Phrase | null {
  if (points.length === 1) return loadInWords(points[0]!);
  for (const [key, en, zh] of [
    ['ratePerSec', '/s', '/s'],
    ['concurrency', ' at once', ' 并发'],
  ] as const) {
    const loads = points.map(({ load }) => load[key]).filter((load) => load !== null);
    if (loads.length < points.length) continue;
    const [low, high] = [Math.min(...loads), Math.max(...loads)];
    const range = low === high ? String(low) : `${low} … ${high}`;
    return { en: `${range}${en}`, zh: `${range}${zh}` };
  }
  return null;
}

function lengthsOf(point: Summary): Phrase | null {
  const [input, output] = [lengthOf(point, 'input'), lengthOf(point, 'output')];
  if (input === null && output === null) return null;
  const lengths = {
    en: `${input ?? '–'} → ${output ?? '–'} tokens`,
    zh: `输入 ${input ?? '–'}、输出 ${output ?? '–'} Token`,
  };
  return { en: printable(lengths.en), zh: printable(lengths.zh) };
}

/** A length as it was asked, else its measured mean. */
function lengthOf(point: Summary, side: 'input' | 'output'): string | null {
  const asked = point.lengthsAsked?.[side];
  if (asked !== undefined && asked !== null) return asked;
  const measured: Distribution | null = side === 'input' ? point.inputTokens : point.outputTokens;
  return measured?.mean == null ? null : `~${shortFigure(measured.mean)}`;
}

function hostOf(url: string): string {
  try {
    return printable(new URL(url).host);
  } catch {
    return printable(url);
  }
}
