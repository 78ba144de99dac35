import { printable, say } from '../core/index.ts';
import type { Lang, Summary, Sweep } from '../core/index.ts';
import { words } from './words.ts';

/** What a point differs in: its concurrency or its rate; null = not known. */
export function variableOf(sweep: Pick<Sweep, 'variable'>, point: Summary): number | null {
  if (sweep.variable === 'grid') return null;
  return sweep.variable === 'rate' ? point.load.ratePerSec : point.load.concurrency;
}

/** The short name of a point in a header: the number alone. */
export function pointName(sweep: Pick<Sweep, 'variable'>, point: Summary): string {
  if (sweep.variable === 'grid') return `${point.lengthsAsked?.input ?? '–'}→${point.lengthsAsked?.output ?? '–'}`;
  const value = variableOf(sweep, point);
  return value === null ? printable(point.label ?? point.runId) : String(value);
}

/** The name of a sweep for a header. */
export function sweepName(sweep: Sweep): string {
  const [first] = sweep.points;
  return printable(sweep.title ?? first?.label ?? first?.model ?? sweep.id);
}

/** A sweep around one summary, for the tables that have a column per point. */
export function asSweep(summary: Summary): Sweep {
  const variable = summary.load.concurrency === null && summary.load.ratePerSec !== null ? 'rate' : 'concurrency';
  return {
    schema: 'llmdyno.sweep/1',
    id: summary.runId,
    title: summary.label,
    variable,
    points: [summary],
    findings: [],
  };
}

/** The load of a point in words. */
export function loadText(summary: Summary, lang: Lang): string {
  const { kind, concurrency, ratePerSec, stream } = summary.load;
  const parts = [
    kind === null ? null : say(words[kind], lang),
    ratePerSec === null ? null : `${ratePerSec} ${say(words.rate, lang)}`,
    concurrency === null
      ? null
      : `${say(kind === 'open' ? words.concurrencyCap : words.concurrency, lang)} ${concurrency}`,
    stream === null ? null : say(stream ? words.streamed : words.notStreamed, lang),
  ];
  return parts.filter((part) => part !== null).join(', ');
}
