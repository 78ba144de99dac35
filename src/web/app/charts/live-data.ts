import { quantile } from '../../../core/index.ts';
import type { RunState } from '../../../core/index.ts';
import type { LiveSample } from '../../api/live-events.ts';
import type { RequestData } from '../state/request-data.ts';
import { rankOf, sampleName } from './sample-names.ts';

/** Lists for the live charts, all over the same seconds. */
export interface LiveSeries {
  seconds: number[];
  inFlight: number[];
  tokensPerSec: number[];
  donePerSec: number[];
  failedPerSec: number[];
  ttftP50Ms: (number | null)[];
  ttftP99Ms: (number | null)[];
}

const mostSteps = 240;

/**
 * A run so far in stretches of half a second or more. Tokens of an answer are spread evenly from its first output to its end, because
 * single stamps do not travel. `told` = what the client of a run under way said of itself: what it counted stands in place of what the
 * ended requests tell, and the stretch that is not over yet is left out.
 */
export function liveSeries(data: RequestData, startMs: number, told: readonly RunState[] = []): LiveSeries {
  const nowMs = told.at(-1)?.nowMs ?? null;
  let endMs = Math.max(startMs, nowMs ?? startMs);
  for (let row = 0; row < data.rows; row++) endMs = Math.max(endMs, data.at('endMs', row));
  const stepMs = Math.max(500, Math.ceil((endMs - startMs) / mostSteps / 500) * 500);
  const steps = Math.max(1, Math.ceil((endMs - startMs) / stepMs));
  const list = (): Float64Array => new Float64Array(steps);
  const [busy, tokens, done, failed] = [list(), list(), list(), list()];
  const ttfts: number[][] = Array.from({ length: steps }, () => []);
  const stepOf = (ms: number): number => Math.min(steps - 1, Math.max(0, Math.floor((ms - startMs) / stepMs)));
  for (let row = 0; row < data.rows; row++) {
    const [sent, first, end] = [data.at('sentMs', row), data.at('firstOutputMs', row), data.at('endMs', row)];
    if (Number.isNaN(sent)) continue;
    spread(busy, (sent - startMs) / stepMs, (end - startMs) / stepMs, 1);
    if (!data.isOk(row)) {
      failed[stepOf(end)]! += 1;
      continue;
    }
    done[stepOf(end)]! += 1;
    const count = data.at('outputTokens', row);
    if (!Number.isNaN(count)) {
      const from = Number.isNaN(first) ? end : first;
      const length = (end - from) / stepMs;
      if (length < 1e-6) tokens[stepOf(end)]! += count;
      else spread(tokens, (from - startMs) / stepMs, (end - startMs) / stepMs, count / length);
    }
    if (!Number.isNaN(first)) ttfts[stepOf(sent)]!.push(first - sent);
  }
  const perSec = 1000 / stepMs;
  const over = nowMs === null ? steps : Math.max(0, Math.floor((nowMs - startMs) / stepMs));
  countedByClient(told, { startMs, stepMs, over }, busy, tokens);
  const sorted = ttfts.map((values) => Float64Array.from(values).sort());
  const rate = (of: Float64Array): number[] => [...of.subarray(0, over)].map((value) => value * perSec);
  return {
    seconds: Array.from({ length: over }, (_, i) => ((i + 0.5) * stepMs) / 1000),
    inFlight: [...busy.subarray(0, over)],
    tokensPerSec: rate(tokens),
    donePerSec: rate(done),
    failedPerSec: rate(failed),
    ttftP50Ms: sorted.slice(0, over).map((values) => quantile(values, 0.5)),
    ttftP99Ms: sorted.slice(0, over).map((values) => quantile(values, 0.99)),
  };
}

/** Puts what the client counted into the steps that lie wholly within what it told. */
function countedByClient(
  told: readonly RunState[],
  { startMs, stepMs, over }: { startMs: number; stepMs: number; over: number },
  busy: Float64Array,
  tokens: Float64Array,
): void {
  if (told.length < 2) return;
  const counted = { busy: new Float64Array(busy.length), tokens: new Float64Array(tokens.length) };
  for (const [i, next] of told.entries()) {
    const before = told[i - 1];
    if (before === undefined) continue;
    const [from, to] = [(before.nowMs - startMs) / stepMs, (next.nowMs - startMs) / stepMs];
    spread(counted.busy, from, to, (before.inFlight + next.inFlight) / 2);
    const heard = (next.heardTokens ?? 0) - (before.heardTokens ?? 0);
    if (to > from) spread(counted.tokens, from, to, heard / (to - from));
  }
  const first = Math.max(0, Math.ceil((told[0]!.nowMs - startMs) / stepMs));
  if (first >= over) return;
  busy.set(counted.busy.subarray(first, over), first);
  if (told.every(({ heardTokens }) => heardTokens !== undefined))
    tokens.set(counted.tokens.subarray(first, over), first);
}

/** Output tokens/s and ended requests/s over the last seconds, by the requests that ended; for a client that tells nothing itself. */
export function endedPerSec(data: RequestData, nowMs: number, overMs = 3000): { tokens: number; requests: number } {
  let [tokens, requests] = [0, 0];
  for (let row = 0; row < data.rows; row++) {
    const ended = data.at('endMs', row);
    if (ended <= nowMs - overMs) continue;
    requests += 1;
    const count = data.at('outputTokens', row);
    if (data.isOk(row) && !Number.isNaN(count)) tokens += count;
  }
  return { tokens: (tokens * 1000) / overMs, requests: (requests * 1000) / overMs };
}

/** Adds `height` times the time between two edges to each step it touches. */
function spread(steps: Float64Array, from: number, to: number, height: number): void {
  const last = Math.min(steps.length - 1, Math.floor(to));
  for (let step = Math.max(0, Math.floor(from)); step <= last; step++)
    steps[step]! += height * Math.max(0, Math.min(to, step + 1) - Math.max(from, step));
}

/** One quantity of server or devices over time: a line for the server, one for each device. */
export interface SampleChart {
  /** As in `sample-names.ts`: "server running", "device powerW". */
  what: string;
  /** Index of each device; one empty name for the server. */
  lines: string[];
  /** Seconds, then a list for each line; null = that sample does not tell it. */
  data: [number[], ...(number | null)[][]];
}

/** Samples as charts, those with a name first, at most so many. */
export function sampleCharts(samples: readonly LiveSample[], startMs: number, most = 8): SampleChart[] {
  const keys = [...new Set(samples.flatMap(({ values }) => Object.keys(values)))];
  const charts = new Map<string, Map<string, string>>();
  for (const key of keys) {
    const [, index = '', quantity = ''] = /^device (\S+) (.*)$/s.exec(key) ?? [];
    const what = quantity === '' ? key : `device ${quantity}`;
    const lines = charts.get(what) ?? new Map<string, string>();
    charts.set(what, lines.set(index, key));
  }
  return [...charts]
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
    .slice(0, most)
    .map(([what, lines]) => {
      const { scale } = sampleName(what);
      const known = samples.filter(({ values }) => [...lines.values()].some((key) => Object.hasOwn(values, key)));
      const list = (key: string): (number | null)[] =>
        known.map(({ values }) => (Object.hasOwn(values, key) ? values[key]! * scale : null));
      return {
        what,
        lines: [...lines.keys()],
        data: [known.map(({ atMs }) => (atMs - startMs) / 1000), ...[...lines.values()].map(list)],
      };
    });
}
