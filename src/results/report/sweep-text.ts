import { isGrid, say } from '../../core/index.ts';
import type { Lang, Summary, Sweep } from '../../core/index.ts';
import { countColumns } from './count-columns.ts';
import type { CountColumn } from './count-columns.ts';
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
  const counted = countColumns(sweep.points);
  const slo = sweep.points.some(({ slo: promises }) => promises !== undefined) ? ['SLO'] : [];
  const head = [
    say(placeTitle(sweep), lang),
    say(labels.ok, lang),
    ...counted.map(({ name }) => say(name, lang)),
    say(labels.shortDuration, lang),
    say(labels.shortInFlight, lang),
    say(labels.shortRequests, lang),
    say(labels.shortOutput, lang),
    say(labels.shortLatency, lang),
    'p50',
    'p90',
    'p99',
    'ttft p50',
    'p99',
    'tpot p50',
    ...slo,
  ];
  const timed = 6 + counted.length;
  const latency = say(labels.shortLatency, lang);
  const alone = [
    ...head.slice(0, 7 + counted.length),
    ...['p50', 'p90', 'p99'].map((rank) => `${latency} ${rank}`),
    'ttft p50',
    'ttft p99',
    'tpot p50',
    ...slo,
  ];
  const rows = sweep.points.map((point) => [
    ...pointRow(sweep, point, counted),
    ...slo.map(() => brokenIn(point, lang)),
  ]);
  // A column of nothing says nothing; that of failures says so.
  const shown = head.flatMap((_, i) => (i < 3 || rows.some((row) => row[i] !== unknown) ? [i] : []));
  const only = (cells: readonly string[]): string[] => shown.map((i) => cells[i]!);
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
    ...(shown.some((i) => i >= timed && i < head.length - slo.length)
      ? [paint.faint(say(labels.timesInMs, lang))]
      : []),
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

function pointRow(sweep: Sweep, point: Summary, counted: readonly CountColumn[]): string[] {
  const marks = `${point.verdict.valid ? '' : '!'}${point.partial ? '~' : ''}${simulationOf(point) === null ? '' : '*'}`;
  return [
    `${pointName(sweep, point)}${marks}`,
    String(countOf(point.counts, 'ok') ?? unknown),
    ...counted.map((column) => String(column.of(point) ?? unknown)),
    fixed(secondsOf(point.durationMs), 1),
    sized(point.concurrencyAchieved),
    sized(point.requestsPerSec),
    sized(point.outputTokensPerSec),
    ...sizedTogether([point.latencyMs?.mean, point.latencyMs?.p50, point.latencyMs?.p90, point.latencyMs?.p99]),
    ...sizedTogether([point.ttftMs?.p50, point.ttftMs?.p99]),
    sized(point.tpotMs?.p50),
  ];
}
