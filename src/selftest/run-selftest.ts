import type { ClientHealth, Finding, LoadShape, RunnerKit, RunPlan, Stops, Verdict } from '../core/index.ts';
import { verdictOf } from '../core/index.ts';
import { makeLoadRunner } from '../load/index.ts';
import type { Secrets } from '../load/index.ts';
import { fromPrompts, plainPrompt } from '../workload/index.ts';
import type { ServerStamp } from '../protocol/index.ts';
import { PartTally } from './part-tally.ts';
import type { ErrorFigures } from './part-tally.ts';

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
export type KeepPart = (plan: RunPlan, kit: RunnerKit, stops: Stops) => Promise<unknown>;

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
  /** Share of the time of the streams that the client was ready to run and had no core. */
  cpuWaitRatio: number | null;
  rssBytes: number | null;
  planned: number;
  ok: number;
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
    timestampErrorMs: streams.tally.figures('errors'),
    scheduleSlipMs: schedule.tally.figures('slips'),
    ratePerSec: { asked, achieved: schedule.tally.sentPerSec },
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
    unaccounted: sum(({ lost }) => lost),
  };
  return { ...found, verdict: verdictOf(doubts(found)) };
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

function doubts(found: Omit<SelftestReport, 'verdict'>): Finding[] {
  const { timestampErrorMs: error, tokenGapMs, cpuRatio, cpuWaitRatio } = found;
  const findings: Finding[] = [];
  const limitMs = tokenGapMs === null ? null : Math.max(1, 0.1 * tokenGapMs);
  if (error.n === 0) {
    findings.push({
      code: 'not-stamped',
      severity: 'invalid',
      message:
        'Nothing in the events of this server is the time of their emission on a clock of this host, so the receive error cannot be known.',
      evidence: { reads: 0 },
      advice:
        'Leave --url out (the embedded engine stamps), or let the server write CLOCK_MONOTONIC or CLOCK_REALTIME of this host into every event just before it is sent: "emit_ns":"<ns>" or any other member in ns, µs, ms or seconds with a fraction, or as the text itself.',
      zh: {
        message: '该服务器的事件中没有本机时钟的发出时间，无法得知接收误差。',
        advice:
          '不加 --url（内置引擎带时间戳），或让服务器在发送每个事件前写入本机的 CLOCK_MONOTONIC 或 CLOCK_REALTIME：字段 "emit_ns":"<纳秒>"，或任意名称、单位为 ns、µs、ms 或带小数的秒的字段，也可直接写在文本中。',
      },
    });
  }
  if (tokenGapMs !== null && error.p99 !== null && error.p99 > Math.max(1, tokenGapMs)) {
    const waited =
      cpuWaitRatio === null ? '' : ` It waited for a core ${(100 * cpuWaitRatio).toFixed(0)} % of the time.`;
    const waitedZh = cpuWaitRatio === null ? '' : `客户端有 ${(100 * cpuWaitRatio).toFixed(0)} % 的时间在等待 CPU 核。`;
    findings.push({
      code: 'late-tail',
      severity: 'warn',
      message: `One read in a hundred was stamped more than ${error.p99.toFixed(1)} ms late, longer than the gap between two tokens (${tokenGapMs.toFixed(1)} ms): the tails of gaps measured like this are partly the client's.${waited}`,
      evidence: { p99Ms: error.p99, tokenGapMs, cpuWaitRatio },
      advice: 'Keep other work off this host (or pin it to other cores) and measure again.',
      zh: {
        message: `百分之一的读取时间戳误差超过 ${error.p99.toFixed(1)} ms，大于两个 token 的间隔（${tokenGapMs.toFixed(1)} ms）：这样测得的间隔长尾部分来自客户端。${waitedZh}`,
        advice: '请停止本机其他负载（或绑定到其他核）后再测。',
      },
    });
  }
  if (found.stamp?.unit === 'ms') {
    findings.push({
      code: 'coarse-stamps',
      severity: 'info',
      message: 'The server cuts its stamps to the millisecond: errors below 1 ms are its rounding.',
      evidence: { field: found.stamp.field },
      advice: 'Let it write ns or µs.',
      zh: { message: '服务器的时间戳只精确到毫秒：小于 1 ms 的误差来自取整。', advice: '请让服务器写入 ns 或 µs。' },
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
  const kit = makeLoadRunner({
    workload: () => fromPrompts(prompt, { offset: 0, cycle: true }),
    secrets: ask.secrets,
    ...(isForeign(ask.stamp) && { stamp: ask.stamp }),
  });
  const tally = new PartTally();
  const heard: RunnerKit = {
    ...kit,
    async *run(...given) {
      for await (const ended of kit.run(...given)) {
        tally.add(ended.exchange);
        yield ended;
      }
    },
  };
  await (ask.keep ?? keepNowhere)(plan, heard, { sending: ask.stop, everything: ask.stop });
  return { tally, health: kit.health() };
}

/** Whether the client has to be told how the server stamps. */
function isForeign(stamp: ServerStamp | null | undefined): stamp is ServerStamp {
  return stamp != null && !(stamp.key === 'emit_ns' && stamp.nsPerUnit === 1 && stamp.clock === 'monotonic');
}

const keepNowhere: KeepPart = async (plan, kit, stops) => {
  for await (const _ of kit.run(plan, stops, []));
};
