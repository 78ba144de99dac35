import type { ClientHealth, Exchange, Finding, LoadShape, RunnerKit, RunPlan, Stops, Verdict } from '../core/index.ts';
import { quantile, verdictOf } from '../core/index.ts';
import { makeLoadRunner } from '../load/index.ts';
import type { Secrets } from '../load/index.ts';
import { fromPrompts, plainPrompt } from '../workload/index.ts';
import { errorFigures, receiveErrors, slips } from './stamp-errors.ts';
import type { ErrorFigures } from './stamp-errors.ts';

/** What to measure the measurer at. */
export interface SelftestAsk {
  target: RunPlan['target'];
  secrets: Secrets;
  concurrency: number;
  /** Tokens of each answer of the paced part. */
  tokens: number;
  /** How long streams are kept up. */
  forMs: number;
  /** Asks per second of the open-loop part; null = half of what the closed loop reached. */
  ratePerSec: number | null;
  stop: AbortSignal;
  /** Told which part begins. */
  onPart?(part: SelftestPart): void;
  /** Where the load of each part is kept; absent = nowhere. */
  keep?: KeepPart;
}

/** The three loads, in their order. */
export type SelftestPart = 'streams' | 'schedule' | 'requests';

/** Runs the runner of a part to its end and keeps what comes out: whoever keeps it is the only reader of the runner. */
export type KeepPart = (plan: RunPlan, kit: RunnerKit, stops: Stops) => Promise<unknown>;

/** What was found: `llmdyno.selftest/1`. */
export interface SelftestReport {
  schema: 'llmdyno.selftest/1';
  concurrency: number;
  /** Receive stamp minus the server's own stamp. */
  timestampErrorMs: ErrorFigures;
  /** Send minus due, open loop. */
  scheduleSlipMs: ErrorFigures;
  ratePerSec: { asked: number; achieved: number | null };
  /** Median gap between tokens, as received. */
  tokenGapMs: number | null;
  eventsPerSec: number;
  /** Events per second of CPU time, extrapolated to a whole core. */
  eventsPerSecPerCore: number | null;
  requestsPerSecPerCore: number | null;
  /** Streams of this token speed that one core can hold before its own delays show (80 % of a core). */
  streamsPerCore: number | null;
  cpuRatio: number | null;
  rssBytes: number | null;
  planned: number;
  ok: number;
  unaccounted: number;
  verdict: Verdict;
}

/** Above this share of a core every client begins to report its own delays. */
const kneeRatio = 0.8;

interface Part {
  exchanges: Exchange[];
  health: ClientHealth | null;
  spanMs: number;
}

/** Measures the client against a stamped server: streams kept up, a schedule kept, and short requests in a row. */
export async function runSelftest(ask: SelftestAsk): Promise<SelftestReport> {
  const streams = await measure(
    ask,
    'streams',
    closed(ask.concurrency),
    { durationMs: ask.forMs, requests: null },
    ask.tokens,
  );
  const ended = streams.exchanges.filter(({ outcome }) => outcome === 'ok').length;
  const reached = (1000 * ended) / Math.max(1, streams.spanMs);
  const asked = ask.ratePerSec ?? Math.max(1, reached / 2);
  const open: LoadShape = {
    kind: 'open',
    concurrency: null,
    ratePerSec: asked,
    arrival: { process: 'poisson' },
    dropLate: false,
  };
  const schedule = await measure(
    ask,
    'schedule',
    open,
    { durationMs: Math.min(ask.forMs, 5000), requests: null },
    ask.tokens,
  );
  const short = await measure(
    ask,
    'requests',
    closed(Math.min(64, ask.concurrency)),
    { durationMs: 2000, requests: 20_000 },
    1,
  );
  return report(ask, { streams, schedule, short }, asked);
}

function report(
  ask: SelftestAsk,
  parts: { streams: Part; schedule: Part; short: Part },
  asked: number,
): SelftestReport {
  const { streams, schedule, short } = parts;
  const errors = receiveErrors(streams.exchanges);
  const events = streams.exchanges.reduce((sum, { chunks }) => sum + chunks.tokens.reduce((a, b) => a + b, 0), 0);
  const eventsPerSec = (1000 * events) / Math.max(1, streams.spanMs);
  const perCore = (rate: number, ratio: number | null | undefined): number | null =>
    ratio === null || ratio === undefined || ratio <= 0 ? null : rate / ratio;
  const everything = [streams, schedule, short].flatMap(({ exchanges }) => exchanges);
  const okOf = (part: Part): number => part.exchanges.filter(({ outcome }) => outcome === 'ok').length;
  const gapMs = medianGap(streams.exchanges);
  const eventsPerSecPerCore = perCore(eventsPerSec, streams.health?.cpuRatio);
  const sends = schedule.exchanges.filter(({ sentMs }) => sentMs !== null).map(({ sentMs }) => sentMs!);
  const sendSpanMs = span(sends);
  const found: Omit<SelftestReport, 'verdict'> = {
    schema: 'llmdyno.selftest/1',
    concurrency: ask.concurrency,
    timestampErrorMs: errorFigures(errors),
    scheduleSlipMs: errorFigures(slips(schedule.exchanges)),
    ratePerSec: {
      asked,
      achieved: sends.length > 1 && sendSpanMs > 0 ? (1000 * (sends.length - 1)) / sendSpanMs : null,
    },
    tokenGapMs: gapMs,
    eventsPerSec,
    eventsPerSecPerCore,
    requestsPerSecPerCore: perCore((1000 * okOf(short)) / Math.max(1, short.spanMs), short.health?.cpuRatio),
    streamsPerCore:
      eventsPerSecPerCore === null || gapMs === null
        ? null
        : Math.floor((kneeRatio * eventsPerSecPerCore * gapMs) / 1000),
    cpuRatio: streams.health?.cpuRatio ?? null,
    rssBytes: Math.max(...[streams, schedule, short].map(({ health }) => health?.rssMaxBytes ?? 0)) || null,
    planned: everything.length,
    ok: everything.filter(({ outcome }) => outcome === 'ok').length,
    unaccounted: lost(streams) + lost(schedule) + lost(short),
  };
  return { ...found, verdict: verdictOf(doubts(found)) };
}

/** Asks that came due and never came out: their numbers are missing from the sequence. */
function lost({ exchanges }: Part): number {
  return exchanges.reduce((most, { seq }) => Math.max(most, seq), -1) + 1 - exchanges.length;
}

function medianGap(exchanges: readonly Exchange[]): number | null {
  const gaps = exchanges.flatMap(({ chunks }) => chunks.atMs.slice(1).map((at, i) => at - chunks.atMs[i]!));
  return quantile(Float64Array.from(gaps).sort(), 0.5);
}

function doubts(found: Omit<SelftestReport, 'verdict'>): Finding[] {
  const { timestampErrorMs: error, tokenGapMs, cpuRatio } = found;
  const findings: Finding[] = [];
  const limitMs = tokenGapMs === null ? null : Math.max(1, 0.1 * tokenGapMs);
  if (error.n === 0) {
    findings.push({
      code: 'not-stamped',
      severity: 'invalid',
      message: 'The server does not stamp its chunks with emit_ns, so the receive error cannot be known.',
      evidence: { reads: 0 },
      advice: 'Use the embedded engine (leave --url out), or a server whose chunks carry "emit_ns".',
      zh: {
        message: '服务器的数据块没有 emit_ns 时间戳，无法得知接收误差。',
        advice: '使用内置引擎（不加 --url），或使用带 "emit_ns" 的服务器。',
      },
    });
  }
  if ((limitMs !== null && error.p50 !== null && error.p50 > limitMs) || (cpuRatio !== null && cpuRatio > 0.9)) {
    findings.push({
      code: 'client-bound',
      severity: 'invalid',
      message: `At ${found.concurrency} streams this client is at its limit: median stamp error ${error.p50?.toFixed(2)} ms, CPU ${((cpuRatio ?? 0) * 100).toFixed(0)} % of a core.`,
      evidence: { p50Ms: error.p50, limitMs, cpuRatio, concurrency: found.concurrency },
      advice: 'Use fewer streams on this host, or spread them over more machines.',
      zh: {
        message: `${found.concurrency} 路流时客户端已到极限：时间戳误差中位数 ${error.p50?.toFixed(2)} ms，CPU 占单核 ${((cpuRatio ?? 0) * 100).toFixed(0)} %。`,
        advice: '减少本机的并发流，或分散到多台机器。',
      },
    });
  }
  return findings;
}

function closed(concurrency: number): LoadShape {
  return { kind: 'closed', concurrency, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false };
}

async function measure(
  ask: SelftestAsk,
  part: SelftestPart,
  load: LoadShape,
  limits: Pick<RunPlan, 'durationMs' | 'requests'>,
  maxTokens: number,
): Promise<Part> {
  ask.onPart?.(part);
  const plan: RunPlan = {
    label: `selftest ${part}`,
    target: ask.target,
    dataset: {
      spec: 'selftest',
      kind: 'selftest',
      name: 'selftest',
      hash: null,
      items: 1,
      bytes: null,
      offset: 0,
      cycled: true,
    },
    generation: { stream: true, maxTokens, minTokens: null, temperature: null, ignoreEos: true, stop: [], body: {} },
    load,
    ...limits,
    warmup: null,
    timeouts: { connectMs: 10_000, ttftMs: null, readMs: 30_000, totalMs: 300_000 },
    seed: 1,
    slo: [],
    keepText: false,
  };
  const prompt = [plainPrompt('selftest', 'Count.')];
  const kit = makeLoadRunner({ workload: () => fromPrompts(prompt, { offset: 0, cycle: true }), secrets: ask.secrets });
  const exchanges: Exchange[] = [];
  const heard: RunnerKit = {
    ...kit,
    async *run(...given) {
      for await (const ended of kit.run(...given)) {
        exchanges.push(ended.exchange);
        yield ended;
      }
    },
  };
  await (ask.keep ?? keepNowhere)(plan, heard, { sending: ask.stop, everything: ask.stop });
  const sends = exchanges.flatMap(({ sentMs }) => (sentMs === null ? [] : [sentMs]));
  return { exchanges, health: kit.health(), spanMs: span([...sends, ...exchanges.map(({ endMs }) => endMs)]) };
}

const keepNowhere: KeepPart = async (plan, kit, stops) => {
  for await (const _ of kit.run(plan, stops, []));
};

/** From the least to the greatest; a loop, because spreading a million values into Math.max overflows the stack. */
function span(values: readonly number[]): number {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return values.length === 0 ? 0 : most - least;
}
