import { say } from '../core/index.ts';
import type { Summary, Sweep } from '../core/index.ts';
import { countOf, fixed, secondsOf, sized, unknown } from './figure-text.ts';
import { cautions, findingLines } from './finding-text.ts';
import { pointName, sweepName } from './point-name.ts';
import { plainPainter } from './reported.ts';
import type { ReportOptions } from './reported.ts';
import { tableText } from './table.ts';
import { words } from './words.ts';

/** A sweep as one row per point; `!` marks a point that is not valid, `~` a partial one, `s` a simulated one. */
export function sweepText(sweep: Sweep, options: ReportOptions): string {
  const { lang } = options;
  const paint = options.paint ?? plainPainter;
  const head = [
    say(sweep.variable === 'rate' ? words.rate : words.concurrency, lang),
    say(words.ok, lang),
    say(words.failed, lang),
    say(words.duration, lang),
    say(words.inFlight, lang),
    say(words.requestRate, lang),
    say(words.outputRate, lang),
    say(words.latency, lang),
    'p50',
    'p90',
    'p99',
    say(words.ttft, lang),
    'p99',
    say(words.tpot, lang),
  ];
  const notes = sweep.points.flatMap((point) => {
    const name = pointName(sweep, point);
    const findings = point.verdict.findings.filter((finding) => finding.severity !== 'info');
    return [...cautions(point, lang, paint), ...findingLines(findings, lang, paint)].map((line) => `${name}: ${line}`);
  });
  const lines = [
    paint.strong(sweepName(sweep)),
    tableText(
      head,
      sweep.points.map((point) => pointRow(sweep, point)),
    ),
    ...notes,
    ...findingLines(sweep.findings, lang, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function pointRow(sweep: Sweep, point: Summary): string[] {
  const marks = `${point.verdict.valid ? '' : '!'}${point.partial ? '~' : ''}${point.simulated ? 's' : ''}`;
  return [
    `${pointName(sweep, point)}${marks === '' ? '' : ` ${marks}`}`,
    String(countOf(point.counts, 'ok') ?? unknown),
    String(countOf(point.counts, 'failed') ?? unknown),
    fixed(secondsOf(point.durationMs), 1),
    sized(point.concurrencyAchieved),
    sized(point.requestsPerSec),
    sized(point.outputTokensPerSec),
    sized(point.latencyMs?.mean),
    sized(point.latencyMs?.p50),
    sized(point.latencyMs?.p90),
    sized(point.latencyMs?.p99),
    sized(point.ttftMs?.p50),
    sized(point.ttftMs?.p99),
    sized(point.tpotMs?.p50),
  ];
}
