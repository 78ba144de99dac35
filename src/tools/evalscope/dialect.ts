import { percentileRanks } from '../../core/index.ts';
import type { Distribution, Summary } from '../../core/index.ts';
import { dialectNotes, givenBack } from '../dialect.ts';
import { countOf, digitsFor, pointsOf, secondsOf } from '../../results/report/index.ts';
import type { Reporter } from '../../results/report/index.ts';

/**
 * The "Benchmarking summary" block of evalscope 0.5: its labels, units (seconds) and digits, one block per point.
 * A figure that is not known has no line. "Average time per output token" is that tool's own: duration over all
 * output tokens. Simulated, partial and invalid points say so on lines of their own, which no reader of v0.5 looks at.
 */
export const evalscope: Reporter = (what) => pointsOf(what).map(givenBack('evalscope', block)).join('\n');

function block(summary: Summary): string {
  const { counts, load } = summary;
  const number = (key: string, value: number | null | undefined, decimals: number): string | null =>
    digitsFor(summary, key, value, decimals);
  const whole = (key: string, value: number | null): string | null => number(key, value, 0);
  const seconds = (key: string, ms: number | null | undefined): string | null => number(key, secondsOf(ms), 3);
  const ended = endedOf(summary);
  const duration = seconds('durationMs', summary.durationMs);
  const packages = packagesOf(summary);
  const lines: [string, string | null][] = [
    ['Time taken for tests', duration === null ? null : `${duration} seconds`],
    ['Expected number of requests', whole('counts.planned', countOf(counts, 'planned'))],
    ['Number of concurrency', whole('load.concurrency', load.concurrency)],
    ['Total requests', whole('counts.ended', ended)],
    ['Succeed requests', whole('counts.ok', countOf(counts, 'ok'))],
    ['Failed requests', whole('counts.failed', countOf(counts, 'failed'))],
    ['Average QPS', number('requestsPerSec', summary.requestsPerSec, 3)],
    ['Average latency', seconds('latencyMs.mean', summary.latencyMs?.mean)],
    ['Throughput(average output tokens per second)', number('outputTokensPerSec', summary.outputTokensPerSec, 3)],
    ['Average time to first token', seconds('ttftMs.mean', summary.ttftMs?.mean)],
    ['Average input tokens per request', number('inputTokens.mean', summary.inputTokens?.mean, 3)],
    ['Average output tokens per request', number('outputTokens.mean', summary.outputTokens?.mean, 3)],
    ['Average time per output token', wallPerToken(summary)],
    ['Average package per request', packages === null ? null : '1.000'],
    ['Average package latency', packages],
  ];
  return [
    'Benchmarking summary: ',
    ...dialectNotes(summary).map((note) => ` ${note}`),
    ...lines.flatMap(([label, value]) => (value === null ? [] : [` ${label}: ${value}`])),
    ...percentiles(summary, 'Percentile of time to first token', 'ttftMs', summary.ttftMs),
    ...percentiles(summary, 'Percentile of request latency', 'latencyMs', summary.latencyMs),
    '',
  ].join('\n');
}

/** Requests that ended in any way but being dropped or lost. */
function endedOf({ counts }: Summary): number | null {
  const [ok, failed, cancelled] = [countOf(counts, 'ok'), countOf(counts, 'failed'), countOf(counts, 'cancelled')];
  return ok === null || failed === null ? null : ok + failed + (cancelled ?? 0);
}

function wallPerToken(summary: Summary): string | null {
  const rate = summary.outputTokensPerSec;
  return rate === null || rate <= 0 ? null : (1 / rate).toFixed(5);
}

/** Without streaming an answer is one package; how many a stream had is not in a summary. */
function packagesOf(summary: Summary): string | null {
  return summary.load.stream === false
    ? digitsFor(summary, 'latencyMs.mean', secondsOf(summary.latencyMs?.mean), 3)
    : null;
}

function percentiles(summary: Summary, title: string, key: string, dist: Distribution | null): string[] {
  const lines = percentileRanks.flatMap((rank) => {
    const digits = digitsFor(summary, `${key}.p${rank}`, secondsOf(dist?.[`p${rank}`]), 4);
    return digits === null ? [] : [`     p${rank}: ${digits}`];
  });
  return lines.length === 0 ? [] : [` ${title}: `, ...lines];
}
