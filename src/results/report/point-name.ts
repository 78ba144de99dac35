import { dimensionPhrase, isGrid, joined, placeName, placesOf, printable, say } from '../../core/index.ts';
import type { Lang, Phrase, Summary, Sweep } from '../../core/index.ts';
import { labels } from './labels.ts';

/** What a point differs in: its concurrency or its rate; null = not known. */
export function variableOf(sweep: Sweep, point: Summary): number | null {
  if (isGrid(sweep.points)) return null;
  return loadVariable(sweep) === 'rate' ? point.load.ratePerSec : point.load.concurrency;
}

/** The load by which the points of a sweep are ordered. Records of before said `concurrency` where lengths varied. */
export function loadVariable(sweep: Sweep): 'rate' | 'concurrency' {
  const { names } = placesOf(sweep.points);
  if (names.includes('concurrency')) return 'concurrency';
  if (names.includes('rate')) return 'rate';
  // A benchmark that sends everything at once has a rate, and no concurrency.
  if (sweep.points.every(({ load, server }) => load.concurrency === null && server?.['requestRate'] === 'inf'))
    return 'rate';
  return sweep.variable === 'rate' ||
    sweep.points.every(({ load }) => load.concurrency === null && load.ratePerSec !== null)
    ? 'rate'
    : 'concurrency';
}

/** The short name of a point in a header: the values of what varies; of a single one its load. */
export function pointName(sweep: Sweep, point: Summary): string {
  const places = placesOf(sweep.points);
  if (places.names.length > 0) return printable(placeName(places, point));
  const value = variableOf(sweep, point) ?? (point.server?.['requestRate'] === 'inf' ? 'inf' : null);
  return value === null ? printable(point.label ?? point.runId) : String(value);
}

/** What stands above the names of points: the dimensions that vary, or the load. */
export function placeTitle(sweep: Sweep): Phrase {
  const { names } = placesOf(sweep.points);
  const grid = isGrid(sweep.points);
  const shown = (names.length > 0 ? names : [loadVariable(sweep)]).filter((name) => !(grid && name === 'output'));
  const phrases = shown.map((name) => (grid && name === 'input' ? labels.lengths : dimensionPhrase(name)));
  return joined(phrases, ' · ', ' · ');
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

/** The load of a point in labels. */
export function loadText(summary: Summary, lang: Lang): string {
  const { kind, concurrency, ratePerSec, stream } = summary.load;
  const parts = [
    kind === null ? null : say(labels[kind], lang),
    ratePerSec === null ? null : `${ratePerSec} ${say(labels.rate, lang)}`,
    concurrency === null
      ? null
      : `${say(kind === 'open' ? labels.concurrencyCap : labels.concurrency, lang)} ${concurrency}`,
    stream === null ? null : say(stream ? labels.streamed : labels.notStreamed, lang),
  ];
  return parts.filter((part) => part !== null).join(', ');
}
