import { quantile } from '../../../core/index.ts';
import type { MeasuredRun } from './measured-run.ts';
import { figuresOf, meanOf, sortedOf } from './run-figures.ts';

/** One thing that a run shows: its value, and how far off (as a share) a right engine may be. */
interface Shown {
  value: number;
  spread: number;
}

/** Gaps that are sorted at most. */
const mostGaps = 6000;

/** What a run shows of its server, by name: figures of its requests, of the gaps between tokens, and of the server's own counters. */
export function sightOfRun(run: MeasuredRun): Map<string, Shown> {
  const figures = figuresOf(run);
  const ttft = sortedOf(run.requests.map(({ ttftMs }) => ttftMs));
  const tpot = sortedOf(
    run.requests.flatMap(({ outputTokens, latencyMs, ttftMs }) =>
      outputTokens > 1 ? [(latencyMs - ttftMs) / (outputTokens - 1)] : [],
    ),
  );
  const headers = sortedOf(run.requests.flatMap(({ headersMs }) => (headersMs === null ? [] : [headersMs])));
  const gaps = sortedOf(sampledGaps(run));
  const shown = new Map<string, Shown>();
  const show = (name: string, value: number | null, spread: number): void => {
    if (value !== null && value > 0) shown.set(name, { value, spread });
  };
  show('throughput', figures.outputTokensPerSec, 0.007);
  show('ttft mean', figures.ttftMeanMs, 0.03);
  show('ttft p90', quantile(ttft, 0.9), 0.05);
  show('ttft p99', figures.ttftP99Ms, 0.05);
  show('tpot mean', figures.tpotMeanMs, 0.015);
  show('tpot p90', quantile(tpot, 0.9), 0.03);
  show('latency p50', figures.latencyP50Ms, 0.015);
  show('latency p99', figures.latencyP99Ms, 0.03);
  if (headers.length > 0) {
    show('headers mean', meanOf(headers), 0.08);
    show('headers p90', quantile(headers, 0.9), 0.1);
  }
  show('gap p50', quantile(gaps, 0.5), 0.02);
  show('gap p99', quantile(gaps, 0.99), 0.08);
  show('cpu', run.server?.cpuMs ?? null, 0.1);
  show('engine tpot', run.server?.tpotMs ?? null, 0.02);
  return shown;
}

/** Gaps of so many of a run's requests, spread over it, as say enough of their distribution. */
function sampledGaps({ requests }: MeasuredRun): number[] {
  const each = Math.max(1, Math.ceil((requests.length * (requests[0]?.outputTokens ?? 1)) / mostGaps));
  const gaps: number[] = [];
  for (let i = 0; i < requests.length; i += each) for (const gap of requests[i]!.gapsMs) gaps.push(gap);
  return gaps;
}
