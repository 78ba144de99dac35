import type { Phrase } from '../../core/index.ts';
import { growth, meanMax } from './statistics.ts';
import type { TelemetryLine } from './telemetry-line.ts';

type ServerLine = Extract<TelemetryLine, { kind: 'server' }>;
type MissingLine = Extract<TelemetryLine, { kind: 'missing' }>;

/** The stretch that figures are taken over, on the run's clock. */
export interface Window {
  fromMs: number;
  toMs: number;
}

/** From this share on the KV cache counts as full. */
const fullRatio = 0.99;

/** summary.server: what /metrics said while the run was measured; null = nobody was asked. */
export function summariseServer(
  lines: readonly ServerLine[],
  missing: readonly MissingLine[],
  window: Window,
): Record<string, unknown> | null {
  if (lines.length === 0 && missing.length === 0) return null;
  const inside = lines.filter((line) => line.atMs >= window.fromMs && line.atMs <= window.toMs);
  // Counters grow between readings, so the ones just outside bound what happened inside.
  const before = lines.findLast((line) => line.atMs < window.fromMs);
  const after = lines.find((line) => line.atMs > window.toMs);
  const counted = [...(before === undefined ? [] : [before]), ...inside, ...(after === undefined ? [] : [after])];
  const grown = (key: CounterKey): number | null => growth(counted.map((line) => line[key]));
  const full = inside.find((line) => (line.kvUsageRatio ?? 0) >= fullRatio);
  const kv = meanMax(inside.map((line) => line.kvUsageRatio));
  const hits = grown('prefixHitsTotal');
  const queries = grown('prefixQueriesTotal');
  const generationTokens = grown('generationTokensTotal');
  const figures = {
    running: meanMax(inside.map((line) => line.running)),
    waiting: meanMax(inside.map((line) => line.waiting)),
    kvUsageRatio: kv === null ? null : { ...kv, fullFromMs: full === undefined ? null : full.atMs - window.fromMs },
    kvCapacityTokens: lines.at(-1)?.kvCapacityTokens ?? null,
    preemptions: grown('preemptionsTotal'),
    prefixHitRatio: hits !== null && queries !== null && queries > 0 ? Math.min(1, hits / queries) : lastKnown(inside),
    promptTokens: grown('promptTokensTotal'),
    generationTokens,
  };
  const front = frontOf(counted, window, generationTokens);
  const starts = [...new Set(counted.map((line) => line.startedAtSec).filter((at) => at !== undefined))];
  // Behind one address now one server answers, now another: an earlier start time that comes back is no restart.
  const last = counted.findLast((line) => line.startedAtSec !== undefined)?.startedAtSec;
  const fresh =
    last === starts[0]
      ? undefined
      : counted.find((line) => line.startedAtSec !== undefined && line.startedAtSec !== starts[0]);
  const story = storyOf(figures, inside.length);
  return {
    story: story.en,
    zh: { story: story.zh },
    flavour: lines[0]?.flavour ?? null,
    url: lines[0]?.url ?? null,
    scrapes: inside.length,
    ...figures,
    ...(front !== null && { front }),
    ...(starts.length > 0 && { startedAtSec: starts[0], restartedAtMs: fresh === undefined ? null : fresh.atMs }),
    missing: missing.map((line) => ({ atMs: line.atMs, who: line.who, why: line.why.en, zh: { why: line.why.zh } })),
  };
}

/** Readings closer together than this are left out, because their share of processor time is too rough. */
const leastFrontMs = 400;

/**
 * What the processes that answer HTTP took of a core each, between one reading and the next: the busiest of them in its
 * busiest stretch, and the mean. Several are told apart by their place on the page.
 */
function frontOf(
  lines: readonly ServerLine[],
  window: Window,
  tokens: number | null,
): { processes: number; busiestRatio: number; meanRatio: number; usPerToken: number | null } | null {
  const told = lines.filter((line) => (line.cpuSecondsTotals?.length ?? 0) > 0);
  const processes = told[0]?.cpuSecondsTotals?.length ?? 0;
  let busiestRatio = 0;
  let usedSec = 0;
  let spanSec = 0;
  for (const [i, line] of told.entries()) {
    const before = told[i - 1];
    if (before === undefined || line.atMs - before.atMs < leastFrontMs) continue;
    // CPU time used before the load came or after it went does not belong to the load.
    if (before.atMs < window.fromMs - leastFrontMs || line.atMs > window.toMs + leastFrontMs) continue;
    const sec = (line.atMs - before.atMs) / 1000;
    const used = line.cpuSecondsTotals!.map((total, n) => total - (before.cpuSecondsTotals![n] ?? total));
    if (used.some((one) => one < 0) || used.length !== before.cpuSecondsTotals!.length) continue;
    busiestRatio = Math.max(busiestRatio, ...used.map((one) => one / sec));
    usedSec += used.reduce((sum, one) => sum + one, 0);
    spanSec += sec;
  }
  if (spanSec === 0) return null;
  const usPerToken = tokens !== null && tokens > 0 ? (usedSec * 1e6) / tokens : null;
  return { processes, busiestRatio, meanRatio: usedSec / spanSec / processes, usPerToken };
}

type CounterKey =
  | 'preemptionsTotal'
  | 'prefixHitsTotal'
  | 'prefixQueriesTotal'
  | 'promptTokensTotal'
  | 'generationTokensTotal';

function lastKnown(lines: readonly ServerLine[]): number | null {
  return lines.findLast((line) => line.prefixHitRatio !== null)?.prefixHitRatio ?? null;
}

interface Figures {
  waiting: { mean: number; max: number } | null;
  running: { mean: number; max: number } | null;
  kvUsageRatio: { mean: number; max: number; fullFromMs: number | null } | null;
  preemptions: number | null;
  prefixHitRatio: number | null;
}

/** One line that says what mattered: "KV full from 41 s, 37 preemptions". */
function storyOf(figures: Figures, scrapes: number): Phrase {
  const { kvUsageRatio: kv, preemptions, waiting, running, prefixHitRatio } = figures;
  const en: string[] = [];
  const zh: string[] = [];
  const tell = (english: string, chinese: string): void => {
    en.push(english);
    zh.push(chinese);
  };
  const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;
  if (scrapes === 0) return { en: 'no metrics while the run was measured', zh: '测量期间没有服务器指标' };
  if (kv !== null && kv.fullFromMs !== null) {
    const seconds = Math.round(kv.fullFromMs / 1000);
    tell(`KV full from ${seconds} s`, `KV 自 ${seconds} s 起占满`);
  } else if (kv !== null) tell(`KV at most ${percent(kv.max)}`, `KV 最高 ${percent(kv.max)}`);
  if (preemptions !== null && preemptions > 0)
    tell(`${preemptions} preemption${preemptions === 1 ? '' : 's'}`, `抢占 ${preemptions} 次`);
  if (waiting !== null && waiting.max > 0) tell(`up to ${waiting.max} waiting`, `最多 ${waiting.max} 个排队`);
  else if (waiting !== null) tell('no queue', '无排队');
  if (running !== null) tell(`up to ${running.max} running`, `最多 ${running.max} 个运行`);
  if (prefixHitRatio !== null && prefixHitRatio > 0)
    tell(`prefix hits ${percent(prefixHitRatio)}`, `前缀命中 ${percent(prefixHitRatio)}`);
  return { en: en.join(', '), zh: zh.join('，') };
}
