import type { ClientHealth, LoadShape, ProblemCode, Runner, RunPlan, StopSignals, Verdict } from '../../core/index.ts';
import { verdictOf } from '../../core/index.ts';
import { makeLoadRunner } from '../../client/load/index.ts';
import type { Secrets } from '../../client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../inputs/workload/index.ts';
import type { ServerStamp } from '../../client/protocol/index.ts';
import { PartTally } from './part-tally.ts';
import type { ErrorFigures } from './part-tally.ts';
import { selftestDoubts } from './selftest-doubts.ts';

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
  /** How the server stamps; null = it does not, as far as could be seen; absent = as the embedded engine does. */
  stamp?: ServerStamp | null;
  /** Told which part begins. */
  onPart?(part: SelftestPart): void;
  /** Where the load of each part is kept; absent = nowhere. */
  keep?: KeepPart;
}

/** The three loads, in their order. */
export type SelftestPart = 'streams' | 'schedule' | 'requests';

/** Runs the runner of a part to its end and keeps what comes out: whoever keeps it is the only reader of the runner. */
export type KeepPart = (plan: RunPlan, runner: Runner, stops: StopSignals) => Promise<unknown>;

/** What was found: `llmdyno.selftest/1`. */
export interface SelftestReport {
  schema: 'llmdyno.selftest/1';
  concurrency: number;
  /** How the server stamps its events; null = nothing in them is a time of this host. */
  stamp: { field: string | null; unit: 'ns' | 'us' | 'ms' | 's'; clock: ServerStamp['clock'] } | null;
  /** Receive stamp minus the server's own stamp. */
  timestampErrorMs: ErrorFigures;
  /** Send minus due, open loop. */
  scheduleSlipMs: ErrorFigures;
  /** scheduled = what the schedule drawn for that rate held; achieved = what was sent of it. */
  ratePerSec: { asked: number; scheduled: number | null; achieved: number | null };
  /** Median gap between tokens, as received. */
  tokenGapMs: number | null;
  eventsPerSec: number;
  /** Events per second of CPU time, extrapolated to a whole core. */
  eventsPerSecPerCore: number | null;
  requestsPerSecPerCore: number | null;
  /** Streams of this token speed that one core can hold before its own delays show (80 % of a core). */
  streamsPerCore: number | null;
  cpuRatio: number | null;
  /** Share of the time of the streams that the client was ready to run and had no core. */
  cpuWaitRatio: number | null;
  rssBytes: number | null;
  planned: number;
  ok: number;
  failed: number;
  byProblem: Partial<Record<ProblemCode, number>>;
  unaccounted: number;
  verdict: Verdict;
}

/** Above this share of a core every client begins to report its own delays. */
const kneeRatio = 0.8;

interface Part {
  tally: PartTally;
  health: ClientHealth | null;
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
  const reached = (1000 * streams.tally.ok) / Math.max(1, streams.tally.spanMs);
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
  const all = [streams, schedule, short];
  const rate = (count: number, { tally }: Part): number => (1000 * count) / Math.max(1, tally.spanMs);
  const eventsPerSec = rate(streams.tally.events, streams);
  const perCore = (ofAll: number, { health }: Part): number | null => {
    const ratio = health?.cpuRatio ?? 0;
    return ratio > 0 ? ofAll / ratio : null;
  };
  const sum = (of: (tally: PartTally) => number): number => all.reduce((total, { tally }) => total + of(tally), 0);
  const gapMs = streams.tally.medianGapMs;
  const eventsPerSecPerCore = perCore(eventsPerSec, streams);
  const found: Omit<SelftestReport, 'verdict'> = {
    schema: 'llmdyno.selftest/1',
    concurrency: ask.concurrency,
    stamp: toldStamp(ask.stamp),
    // A number that is no time of this host says nothing about this client.
    timestampErrorMs: (ask.stamp === null ? new PartTally() : streams.tally).figures('errors'),
    scheduleSlipMs: schedule.tally.figures('slips'),
    ratePerSec: { asked, scheduled: schedule.tally.duePerSec, achieved: schedule.tally.sentPerSec },
    tokenGapMs: gapMs,
    eventsPerSec,
    eventsPerSecPerCore,
    requestsPerSecPerCore: perCore(rate(short.tally.ok, short), short),
    streamsPerCore:
      eventsPerSecPerCore === null || gapMs === null
        ? null
        : Math.floor((kneeRatio * eventsPerSecPerCore * gapMs) / 1000),
    cpuRatio: streams.health?.cpuRatio ?? null,
    cpuWaitRatio: streams.health?.cpuWaitRatio ?? null,
    rssBytes: Math.max(...all.map(({ health }) => health?.rssMaxBytes ?? 0)) || null,
    planned: sum(({ recorded }) => recorded),
    ok: sum(({ ok }) => ok),
    failed: sum(({ failed }) => failed),
    byProblem: problemsOf(all),
    unaccounted: sum(({ lost }) => lost),
  };
  const doubts = selftestDoubts(found, {
    alien: ask.stamp === null && streams.tally.errors.n > 0,
    coarse: found.stamp?.unit === 'ms' && ask.stamp?.fraction !== true,
    interrupted: ask.stop.aborted,
  });
  return { ...found, verdict: verdictOf(doubts) };
}

function problemsOf(parts: readonly Part[]): SelftestReport['byProblem'] {
  const counts: SelftestReport['byProblem'] = {};
  for (const { tally } of parts) {
    for (const [code, count] of tally.byProblem) counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}

const unitNames: Record<number, NonNullable<SelftestReport['stamp']>['unit']> = {
  1: 'ns',
  1000: 'us',
  1_000_000: 'ms',
  1_000_000_000: 's',
};

function toldStamp(stamp: ServerStamp | null | undefined): SelftestReport['stamp'] {
  if (stamp === null) return null;
  const { key, nsPerUnit, clock } = stamp ?? { key: 'emit_ns', nsPerUnit: 1, clock: 'monotonic' };
  return { field: key, unit: unitNames[nsPerUnit]!, clock };
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
  if (ask.stop.aborted) return { tally: new PartTally(), health: null };
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
  const runner = makeLoadRunner({
    workload: () => fromPrompts(prompt, { offset: 0, cycle: true }),
    secrets: ask.secrets,
    ...(isForeign(ask.stamp) && { stamp: ask.stamp }),
  });
  const tally = new PartTally();
  const heard: Runner = {
    ...runner,
    async *run(...given) {
      for await (const ended of runner.run(...given)) {
        tally.add(ended.exchange);
        yield ended;
      }
    },
  };
  await (ask.keep ?? keepNowhere)(plan, heard, { drain: ask.stop, cancel: ask.stop });
  return { tally, health: runner.health() };
}

/** Whether the client has to be told how the server stamps. */
function isForeign(stamp: ServerStamp | null | undefined): stamp is ServerStamp {
  return stamp != null && !(stamp.key === 'emit_ns' && stamp.nsPerUnit === 1 && stamp.clock === 'monotonic');
}

const keepNowhere: KeepPart = async (plan, runner, stops) => {
  for await (const _ of runner.run(plan, stops, []));
};
