import type { FindLimit, Summary } from '../../core/index.ts';
import { missedInWords } from '../../results/report/index.ts';

/** Findings that name what was full, by what they mean for a search. */
const named: readonly [FindLimit, readonly string[]][] = [
  ['client', ['client-bound', 'client-room']],
  ['front', ['front-bound']],
  ['kv', ['kv-bound']],
];
/** KV cache use from which requests are held back. */
const fullRatio = 0.95;

/** What the server said of itself; null = it did not. */
interface ServerLoad {
  runningMost: number;
  kvRatio: number | null;
  preemptions: number;
}

/**
 * What stands in the way of more load, judged at the least load that broke a promise: what findings call full; a full KV cache; no free
 * place in the batch, where no more run at once than at a smaller load though more are there; time per token alone, where every one more
 * makes each step longer; else prompts that wait for their turn.
 */
export function limitOf(points: readonly Summary[], breaksAt: number | null): FindLimit {
  if (breaksAt === null) return 'unknown';
  const broke = points.findLast((point) => loadOf(point) === breaksAt);
  if (broke === undefined) return 'unknown';
  const codes = new Set(broke.verdict.findings.map(({ code }) => code));
  const full = named.find(([, known]) => known.some((code) => codes.has(code)))?.[0];
  if (full !== undefined) return full;
  const seen = serverLoad(broke);
  if (seen !== null && ((seen.kvRatio ?? 0) >= fullRatio || seen.preemptions > 0)) return 'kv';
  const broken = (broke.slo ?? [])
    .filter(({ kept, promise }) => kept === false || missedInWords(broke, promise) !== null)
    .map(({ promise }) => promise);
  if (broken.length > 0 && broken.every((promise) => /^\s*(tpot|itl)/.test(promise))) return 'decode';
  if (seen === null || broken.length === 0) return 'unknown';
  const inFlight = broke.load.concurrency ?? broke.concurrencyAchieved ?? 0;
  if (seen.runningMost < inFlight) {
    const more = points.flatMap((point) => (loadOf(point) > breaksAt ? (serverLoad(point)?.runningMost ?? []) : []));
    // Places are all taken where more load does not make more of them run.
    if (more.every((most) => most <= seen.runningMost * 1.05)) return 'batch';
  }
  return broken.some((promise) => /^\s*ttft/.test(promise)) ? 'prefill' : 'unknown';
}

function loadOf({ load }: Summary): number {
  return load.ratePerSec ?? load.concurrency ?? 0;
}

/** From a server's metrics, or from a simulated engine itself. */
function serverLoad({ server }: Summary): ServerLoad | null {
  const pair = (key: string): { max?: unknown } => (server?.[key] ?? {}) as { max?: unknown };
  const figure = (value: unknown): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  const running = figure(pair('running').max) ?? figure(server?.['runningMost']);
  if (running === null) return null;
  const total = figure(server?.['kvTotalBlocks']);
  const peak = figure(server?.['kvPeakBlocks']);
  return {
    runningMost: running,
    kvRatio: figure(pair('kvUsageRatio').max) ?? (total === null || peak === null ? null : peak / total),
    preemptions: figure(server?.['preemptions']) ?? figure(server?.['preemptionsTotal']) ?? 0,
  };
}
