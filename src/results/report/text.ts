import { printable, problems, say } from '../../core/index.ts';
import type { Distribution, Lang, Phrase, Summary } from '../../core/index.ts';
import { comparisonText } from './comparison-text.ts';
import { countOf, fixed, percent, secondsOf, sized, sizedTogether, unknown } from './figure-text.ts';
import { cautions, findingLines } from './finding-text.ts';
import { folded } from './folded.ts';
import { loadText } from './point-name.ts';
import { isComparison, plainPainter } from './reported.ts';
import type { Reporter, ReportOptions } from './reported.ts';
import { runInWords } from './sentence/run.ts';
import { limitInWords } from './sentence/limit.ts';
import { sweepText } from './sweep-text.ts';
import { telemetryWords } from './telemetry-text.ts';
import { tableText } from './table.ts';
import { clientLines } from './client-lines.ts';
import { promiseLines } from './promise-lines.ts';
import { labels } from './labels.ts';

/** Our own report for a terminal. */
export const text: Reporter = (what, options) => {
  if (isComparison(what)) return comparisonText(what, options);
  return what.schema === 'llmdyno.sweep/1' ? sweepText(what, options) : summaryText(what, options);
};

/** One load point: what to beware of first, then where the requests went, rates, distributions, doubts. */
export function summaryText(summary: Summary, options: ReportOptions): string {
  const { lang, columns } = options;
  const paint = options.paint ?? plainPainter;
  const fold = (lines: readonly string[]): string[] => lines.flatMap((line) => folded(line, columns));
  const table = distributionTable(summary, options);
  const limit = limitInWords(summary);
  const invalid = summary.verdict.findings.filter((finding) => finding.severity === 'invalid');
  const doubts = summary.verdict.findings.filter((finding) => finding.severity !== 'invalid');
  const title = printable([summary.label, summary.model].filter((part) => part !== null).join(' · '));
  const lines = [
    ...cautions(summary, lang, paint),
    ...findingLines(invalid, lang, paint, columns),
    paint.strong(title === '' ? printable(summary.runId) : title),
    ...fold([say(runInWords(summary).says, lang)]),
    loadText(summary, lang),
    ...sourceLine(summary, lang),
    '',
    ...fold(countLines(summary, lang)),
    '',
    ...promiseLines(summary, lang, paint),
    ...fold(steadyLines(summary, lang).map((line, i) => (i === 0 ? paint.strong(line) : line))),
    ...fold(rateLines(summary, lang)),
    ...fold(clientLines(summary, lang)),
    '',
    ...(table === null ? [] : [table]),
    ...fold([methodLine(summary, lang), ...telemetryWords(summary).map((phrase) => say(phrase, lang))]),
    ...fold(limit === null ? [] : [say(limit, lang)]),
    ...(doubts.length > 0 ? ['', ...findingLines(doubts, lang, paint, columns)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function sourceLine(summary: Summary, lang: Lang): string[] {
  const { tool, file } = summary.source;
  if (tool === 'llmdyno' && file === null) return [];
  return [`${say(labels.source, lang)}: ${printable(tool)}${file === null ? '' : ` ${printable(file)}`}`];
}

function countLines(summary: Summary, lang: Lang): string[] {
  const { counts } = summary;
  const kinds = ['planned', 'ok', 'failed', 'cancelled', 'dropped', 'unaccounted'] as const;
  const parts = kinds
    .filter((kind) => kind === 'planned' || kind === 'ok' || kind === 'failed' || countOf(counts, kind) !== 0)
    .map((kind) => `${say(labels[kind], lang)} ${countOf(counts, kind) ?? unknown}`);
  const causes = Object.entries(problems).flatMap(([code, phrase]) => {
    const count = Object.hasOwn(counts.byProblem, code) ? counts.byProblem[code as keyof typeof problems] : 0;
    return count !== undefined && count > 0 ? [`    ${count} × ${say(phrase, lang)} (${code})`] : [];
  });
  return [`${say(labels.requests, lang)}: ${parts.join(', ')}`, ...causes];
}

/** The figures to quote, where a part of the run is steady; what follows is then of the whole run. */
function steadyLines({ steady, durationMs }: Summary, lang: Lang): string[] {
  if (steady === null) return [];
  const seconds = (ms: number | null): string => fixed(secondsOf(ms), 1);
  const times: [Phrase, Distribution | null][] = [
    [labels.ttft, steady.ttftMs],
    [labels.tpot, steady.tpotMs],
    [labels.latency, steady.latencyMs],
  ];
  const shown = ['mean', 'p50', 'p90', 'p99'] as const;
  return [
    `${say(labels.steady, lang)} (${seconds(steady.toMs - steady.fromMs)} / ${seconds(durationMs)} ${say(labels.seconds, lang)}): ${say(labels.quote, lang)}`,
    [
      `${say(labels.requestRate, lang)}: ${sized(steady.requestsPerSec)}`,
      `${say(labels.outputRate, lang)}: ${sized(steady.outputTokensPerSec)}`,
      `${say(labels.inFlight, lang)}: ${sized(steady.concurrencyAchieved)}`,
    ].join(', '),
    ...times.flatMap(([name, dist]) => {
      if (dist === null) return [];
      const values = sizedTogether(shown.map((key) => dist[key]));
      return [
        `${say(name, lang)}: ${shown.map((key, i) => `${key === 'mean' ? say(labels.mean, lang) : key} ${values[i]}`).join(', ')}`,
      ];
    }),
    '',
    say(labels.wholeRun, lang),
  ];
}

function rateLines(summary: Summary, lang: Lang): string[] {
  const { goodput, flow, load } = summary;
  const rows: [Phrase, string][] = [
    [labels.duration, `${fixed(secondsOf(summary.durationMs), 3)} ${say(labels.seconds, lang)}`],
    [labels.inFlight, sized(summary.concurrencyAchieved)],
    [labels.requestRate, sized(summary.requestsPerSec)],
    [labels.outputRate, sized(summary.outputTokensPerSec)],
    [labels.inputRate, sized(summary.inputTokensPerSec)],
    [labels.totalRate, sized(summary.totalTokensPerSec)],
  ];
  if (summary.cachedInputRatio !== null) rows.push([labels.cached, percent(summary.cachedInputRatio)]);
  if (summary.accuracy !== undefined) {
    const { correct, of, ratio } = summary.accuracy;
    rows.push([labels.accuracy, `${percent(ratio)} (${correct}/${of})`]);
  }
  if (goodput !== null)
    rows.push([
      labels.goodput,
      `${sized(goodput.requestsPerSec)} ${say(labels.rate, lang)}, ${percent(goodput.ratio)} (${goodput.slo.map(printable).join(', ')})`,
    ]);
  if (flow !== undefined && load.kind !== 'closed') rows.push([labels.kept, say(labels[flow.state], lang)]);
  return rows.map(([name, value]) => `${say(name, lang)}: ${value}`);
}

/** The distributions; null = there is not a single one. */
function distributionTable(summary: Summary, { lang, columns }: ReportOptions): string | null {
  const all: [Phrase, Distribution | null][] = [
    [labels.latency, summary.latencyMs],
    [labels.ttft, summary.ttftMs],
    [labels.timeToAnswer, summary.timeToAnswerMs],
    [labels.tpot, summary.tpotMs],
    [labels.itl, summary.itlMs],
    [labels.latencyFromDue, summary.latencyFromDueMs],
    [labels.ttftFromDue, summary.ttftFromDueMs],
    [labels.lateness, summary.latenessMs],
    [labels.userSpeed, summary.userTokensPerSec],
    [labels.inputTokens, summary.inputTokens],
    [labels.outputTokens, summary.outputTokens],
  ];
  const shown = ['mean', 'min', 'p50', 'p90', 'p95', 'p99', 'max'] as const;
  const rows = all.filter((row): row is [Phrase, Distribution] => row[1] !== null);
  if (rows.length === 0) return null;
  return tableText(
    [say(labels.metric, lang), 'n', say(labels.mean, lang), ...shown.slice(1)],
    rows.map(([name, dist]) => [say(name, lang), String(dist.n)].concat(sizedTogether(shown.map((key) => dist[key])))),
    columns,
  );
}

function methodLine(summary: Summary, lang: Lang): string {
  const { input, output } = summary.tokenSource;
  return (
    `${say(labels.method, lang)}: ${printable(summary.percentileMethod ?? unknown)}; ` +
    `${say(labels.tokensBy, lang)}: ${input ?? unknown} / ${output ?? unknown}`
  );
}
