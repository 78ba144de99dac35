import { isGrid, say } from '../../core/index.ts';
import type { Lang, Phrase, Summary, Sweep } from '../../core/index.ts';
import { countColumns } from './count-columns.ts';
import { countOf, fixed, secondsOf, sized, sizedTogether, unknown } from './figure-text.ts';
import { cautions, findingLines, simulationOf } from './finding-text.ts';
import { folded } from './folded.ts';
import { gridText } from './grid-text.ts';
import { placeTitle, pointName, sweepName } from './point-name.ts';
import { plainPainter } from './reported.ts';
import type { ReportOptions } from './reported.ts';
import { findLines } from './screen/find-screen.ts';
import { foundIn } from './sentence/find.ts';
import { promiseVerdicts } from './sentence/promise.ts';
import { sweepInWords } from './sentence/sweep.ts';
import { telemetryWords } from './telemetry-text.ts';
import { tableText } from './table.ts';
import { labels } from './labels.ts';

/** A sweep as one row per point; `!` marks a point that is not valid, `~` a partial one, `*` a simulated one. */
export function sweepText(sweep: Sweep, options: ReportOptions): string {
  const { lang } = options;
  const paint = options.paint ?? plainPainter;
  const columns = columnsOf(sweep, lang);
  const head = columns.flatMap(({ names }) => names);
  const alone = columns.flatMap(({ names, apart = names }) => apart);
  const rows = sweep.points.map((point) => columns.flatMap(({ of }) => of(point)));
  // A column of nothing says nothing; that of failures says so.
  const shown = head.flatMap((_, i) => (i < 3 || rows.some((row) => row[i] !== unknown) ? [i] : []));
  const only = (cells: readonly string[]): string[] => shown.map((i) => cells[i]!);
  const times = columns.flatMap(({ names, inMs = false }) => names.map(() => inMs));
  const isTimed = shown.some((i) => times[i]);
  // The tables of a grid have said all where nothing is known beyond a throughput.
  const table =
    isGrid(sweep.points) && shown.length <= 4
      ? []
      : [tableText(only(shown.length === head.length ? head : alone), rows.map(only), options.columns, only(alone))];
  const found = foundIn(sweep);
  const lines = [
    paint.strong(sweepName(sweep)),
    ...(found === null
      ? sweepInWords(sweep).says.flatMap((says) => folded(say(says, lang), options.columns))
      : [...findLines(found, options), '']),
    ...(isGrid(sweep.points) ? [gridText(sweep, options)] : []),
    ...table,
    ...(isTimed ? [paint.faint(say(labels.timesInMs, lang))] : []),
    ...pointNotes(sweep, (point) => [
      ...cautions(point, lang, paint),
      ...findingLines(
        point.verdict.findings.filter((finding) => finding.severity !== 'info'),
        lang,
        paint,
      ),
    ]),
    ...pointNotes(sweep, (point) => telemetryWords(point).map((phrase) => say(phrase, lang))),
    ...findingLines(sweep.findings, lang, paint, options.columns),
  ];
  return `${lines.join('\n')}\n`;
}

/** kept, or which promises a point broke; `–` where it cannot be shown. */
function brokenIn({ slo = [] }: Summary, lang: Lang): string {
  const broken = slo.filter(({ kept }) => kept === false).map(({ promise }) => promise.split(/[<>]/)[0]!.trim());
  if (broken.length > 0) return `${say(promiseVerdicts.broken, lang)} ${broken.join(' ')}`;
  return slo.length > 0 && slo.every(({ kept }) => kept === true) ? say(promiseVerdicts.kept, lang) : unknown;
}

/** What is to be said of points, each line once, with the points it is about. */
export function pointNotes(sweep: Sweep, linesOf: (point: Summary) => string[]): string[] {
  const about = new Map<string, string[]>();
  for (const point of sweep.points)
    for (const line of new Set(linesOf(point))) about.set(line, [...(about.get(line) ?? []), pointName(sweep, point)]);
  return [...about].map(([line, names]) => `${names.join(', ')}: ${line}`);
}

/** Columns whose figures have their decimals together. */
interface Columns {
  names: string[];
  /** Names that say enough without the column before. */
  apart?: string[];
  inMs?: true;
  of(point: Summary): string[];
}

function columnsOf(sweep: Sweep, lang: Lang): Columns[] {
  const one = (name: Phrase, of: (point: Summary) => string): Columns => ({
    names: [say(name, lang)],
    of: (point) => [of(point)],
  });
  const latency = say(labels.shortLatency, lang);
  const all: Columns[] = [
    one(placeTitle(sweep), (point) => `${pointName(sweep, point)}${marksOf(point)}`),
    one(labels.ok, ({ counts }) => String(countOf(counts, 'ok') ?? unknown)),
    ...countColumns(sweep.points).map(({ name, of }) => one(name, (point) => String(of(point) ?? unknown))),
    one(labels.shortDuration, ({ durationMs }) => fixed(secondsOf(durationMs), 1)),
    one(labels.shortInFlight, ({ concurrencyAchieved }) => sized(concurrencyAchieved)),
    one(labels.shortRequests, ({ requestsPerSec }) => sized(requestsPerSec)),
    one(labels.shortOutput, ({ outputTokensPerSec }) => sized(outputTokensPerSec)),
    {
      names: [latency, 'p50', 'p90', 'p99'],
      apart: [latency, ...['p50', 'p90', 'p99'].map((rank) => `${latency} ${rank}`)],
      inMs: true,
      of: ({ latencyMs: ms }) => sizedTogether([ms?.mean, ms?.p50, ms?.p90, ms?.p99]),
    },
    {
      names: ['ttft p50', 'p99'],
      apart: ['ttft p50', 'ttft p99'],
      inMs: true,
      of: ({ ttftMs: ms }) => sizedTogether([ms?.p50, ms?.p99]),
    },
    { names: ['tpot p50'], inMs: true, of: ({ tpotMs }) => [sized(tpotMs?.p50)] },
  ];
  const isPromised = sweep.points.some(({ slo }) => slo !== undefined);
  return isPromised ? [...all, { names: ['SLO'], of: (point) => [brokenIn(point, lang)] }] : all;
}

function marksOf(point: Summary): string {
  return `${point.verdict.valid ? '' : '!'}${point.partial ? '~' : ''}${simulationOf(point) === null ? '' : '*'}`;
}
