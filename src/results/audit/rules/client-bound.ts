import type { ClientHealth, Phrase, Summary } from '../../../core/index.ts';
import type { Doubt, PointRule } from '../rule.ts';
import { percent, showMs } from '../wording.ts';

/** Share of one core per thread from which the client's own work delays its stamps. */
const busyCpuRatio = 0.9;
/** Below this a stall is within the noise of any host. */
const noticeableDelayMs = 20;
/** A stall matters when it is this much of what is being measured. */
const harmfulShare = 0.05;
/** Share of the time without a core from which the host is too busy for this client. */
const starvedRatio = 0.1;

/** Requests from which a run's own p99 means something (too-few-samples); below, its figures are means and medians. */
const requestsForTails = 1000;

/**
 * The event loop's delay that bears on a run's figures. One late tick in a hundred spoils a p99, and only a run of
 * 1,000 requests has one; the means and medians of a smaller run are moved by what happens one time in ten.
 */
export function harmfulDelay(point: Summary, client: ClientHealth): { delayMs: number | null; percentile: string } {
  const requests = point.latencyMs?.n ?? point.counts.ok;
  const known = client.loopDelayP90Ms ?? null;
  if (requests >= requestsForTails || known === null) return { delayMs: client.loopDelayP99Ms, percentile: 'p99' };
  return { delayMs: known, percentile: 'p90' };
}

/** Delay above which the client's own stalls show in what it measures; null = there is no yardstick. */
export function delayLimitMs(point: Summary): number | null {
  const yardstickMs = point.ttftMs?.p50 ?? point.latencyMs?.p50 ?? null;
  return yardstickMs === null ? null : Math.max(noticeableDelayMs, harmfulShare * yardstickMs);
}

/**
 * The load generator was the limit. Lateness is judged by the same yardstick as loop delay (more than 20 ms and more than
 * 5 % of the median TTFT) because it is the same stall seen on the sending side; only without a cap on requests in
 * flight, since under a cap asks leave late because the server is slow.
 */
export const clientBound: PointRule = {
  code: 'client-bound',
  severities: ['invalid'],
  meaning: {
    en: 'The client had no CPU to spare, or its event loop ran late by more than it was measuring: times and rates describe the client, not the server.',
    zh: '客户端 CPU 已满，或事件循环延迟超过被测量的时间：结果反映的是客户端而不是服务器。',
  },
  taughtBy:
    'evalscope recomputes a mean over all gaps after every request on the loop that stamps tokens: TTFT 113 ms beside 73 ms by vLLM bench on the same server.',
  check(point) {
    const { client } = point;
    if (client === null || !canBeTheCause(point.counts)) return null;
    const limitMs = delayLimitMs(point);
    const latenessMs =
      point.load.kind === 'open' && point.load.concurrency === null ? (point.latenessMs?.p99 ?? null) : null;
    // Of several machines each is judged by itself (sick-worker).
    const several = (point.workers?.length ?? 0) > 0;
    const signs = {
      ...(several ? { cpu: false, loop: false } : healthSigns(point, client)),
      late: limitMs !== null && latenessMs !== null && latenessMs > limitMs,
    };
    if (!signs.cpu && !signs.loop && !signs.late) return null;
    return doubt(point, signs, latenessMs, limitMs);
  },
};

/**
 * Without a single answer there are no times and rates to doubt: refusals come as fast as they are asked for, and getting ready takes a
 * whole core too. Only answers that were too late may be so because of the client.
 */
function canBeTheCause({ ok, byProblem }: Summary['counts']): boolean {
  return ok !== 0 || Object.keys(byProblem).some((code) => code.includes('timeout'));
}

/** Whether a client was at its limit, by its own health. */
export function healthSigns(point: Summary, client: ClientHealth): { cpu: boolean; loop: boolean } {
  const limitMs = delayLimitMs(point);
  const { delayMs } = harmfulDelay(point, client);
  const busiest = busiestThread(client);
  return {
    cpu: busiest !== null && busiest >= busyCpuRatio,
    loop: limitMs !== null && delayMs !== null && delayMs > limitMs,
  };
}

/** Share of a core that the busiest thread took; where threads are not told apart, their mean. */
function busiestThread({ cpuPerThread, cpuRatio, threads }: ClientHealth): number | null {
  const mean = cpuRatio === null ? null : cpuRatio / Math.max(1, threads);
  // One load thread: writing and collecting garbage beside it are the same client's work.
  if (cpuPerThread === undefined || cpuPerThread.length <= 1) return mean;
  return Math.max(...cpuPerThread);
}

/** What helps, by what was seen: a full core, a busy host, pauses for garbage, or simply too much at once. */
function adviceFor(client: ClientHealth, signs: { cpu: boolean; loop: boolean; late: boolean }): Phrase {
  const en: string[] = [];
  const zh: string[] = [];
  if (signs.cpu) {
    en.push(
      `Spread the load over more threads (--threads ${client.threads + 1}) or machines, or lower the rate or concurrency.`,
    );
    zh.push(`用更多线程（--threads ${client.threads + 1}）或机器分担负载，或降低速率、并发。`);
  }
  if ((client.cpuWaitRatio ?? 0) >= starvedRatio) {
    en.push(
      `Its threads waited for a core ${percent(client.cpuWaitRatio!)} of the time: keep other work off this host.`,
    );
    zh.push(`线程有 ${percent(client.cpuWaitRatio!)} 的时间在等待 CPU：请避免在本机运行其他任务。`);
  }
  if (signs.loop && (client.gc?.maxMs ?? 0) >= noticeableDelayMs) {
    en.push(`Collecting garbage stopped it for up to ${showMs(client.gc!.maxMs)}: --no-text keeps less in memory.`);
    zh.push(`垃圾回收最长停顿 ${showMs(client.gc!.maxMs)}：--no-text 可减少内存占用。`);
  }
  if (en.length === 0) {
    en.push('Use more client threads or machines, lower the rate or concurrency, and keep other work off this host.');
    zh.push('增加客户端线程或机器，降低速率或并发，并避免在本机运行其他任务。');
  }
  return {
    en: `${en.join(' ')} \`dyno selftest\` shows what this host can sustain.`,
    zh: `${zh.join('')}\`dyno selftest\` 可显示本机的承载能力。`,
  };
}

function doubt(
  point: Summary,
  signs: { cpu: boolean; loop: boolean; late: boolean },
  latenessMs: number | null,
  limitMs: number | null,
): Doubt {
  const { cpuRatio, loopDelayP99Ms, threads } = point.client!;
  const { delayMs, percentile } = harmfulDelay(point, point.client!);
  const en: string[] = [];
  const zh: string[] = [];
  if (signs.cpu) {
    const perThread = percent(busiestThread(point.client!)!);
    en.push(`its threads were ${perThread} busy`);
    zh.push(`线程 CPU 占用 ${perThread}`);
  }
  if (signs.loop) {
    en.push(`its event loop ran ${showMs(delayMs!)} late (${percentile})`);
    zh.push(`事件循环延迟 ${percentile} 为 ${showMs(delayMs!)}`);
  }
  if (signs.late) {
    en.push(`requests left ${showMs(latenessMs!)} late (p99)`);
    zh.push(`请求发出延迟 p99 为 ${showMs(latenessMs!)}`);
  }
  return {
    severity: 'invalid',
    message: {
      en: `The client itself was the limit: ${en.join(', ')}. Times and rates describe it, not the server.`,
      zh: `客户端自身成为瓶颈：${zh.join('，')}。时间与速率反映的是客户端而不是服务器。`,
    },
    evidence: {
      cpuRatio,
      loopDelayP99Ms,
      threads,
      latenessP99Ms: latenessMs,
      limitMs,
      gcMaxMs: point.client!.gc?.maxMs ?? null,
      cpuWaitRatio: point.client!.cpuWaitRatio ?? null,
    },
    advice: adviceFor(point.client!, signs),
  };
}
