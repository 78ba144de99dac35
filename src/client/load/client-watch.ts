import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import type { IntervalHistogram } from 'node:perf_hooks';

import type { ClientHealth } from '../../core/index.ts';
import { hostLimits, hostTicks, residentBytes, threadCpu } from './host-limits.ts';
import type { HostLimits } from './host-limits.ts';

const resolutionMs = 5;
/** Looking at the host takes milliseconds in which nothing is stamped: once at the first full load, then seldom. */
const firstSampleMs = 1000;
const sampleMs = 10_000;

/** What the session knows of its connections when the watch ends. */
export interface WatchedConnections extends Pick<
  ClientHealth,
  'connecting' | 'sendBacklogMaxBytes' | 'serverClockSkewMs' | 'pollRatio' | 'napRatio'
> {
  opened: number;
  reused: number;
}

/** Watches this thread and its process while it measures: a client at its limit reports its own delays as the server's. */
export class ClientWatch {
  /** Made by `start`, because a monitor stays a handle of the event loop until it is collected. */
  #delays: IntervalHistogram | null = null;
  readonly #gc = { pauses: 0, totalMs: 0, maxMs: 0 };
  #collector: PerformanceObserver | null = null;
  #cpu = process.cpuUsage();
  #thread = threadCpu();
  #ticks = hostTicks();
  #startedMs = performance.now();
  #rss = memory();
  #room: HostLimits = hostLimits();
  #sampler: NodeJS.Timeout | null = null;

  start(): void {
    this.#cpu = process.cpuUsage();
    this.#thread = threadCpu();
    this.#ticks = hostTicks();
    this.#startedMs = performance.now();
    this.#delays = monitorEventLoopDelay({ resolution: resolutionMs });
    this.#delays.enable();
    this.#collector = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#gc.pauses++;
        this.#gc.totalMs += duration;
        this.#gc.maxMs = Math.max(this.#gc.maxMs, duration);
      }
    });
    this.#collector.observe({ entryTypes: ['gc'] });
    this.#rss = memory();
    this.#room = hostLimits();
    this.#later(firstSampleMs);
  }

  #later(ms: number): void {
    this.#sampler = setTimeout(() => {
      this.#room = tightest(this.#room, hostLimits());
      this.#later(sampleMs);
    }, ms);
    this.#sampler.unref();
  }

  /** The health of the client since `start`; spunMs is CPU time spent only waiting for a due time. */
  stop(spunMs: number, { opened, reused, ...connections }: WatchedConnections): ClientHealth {
    this.#delays?.disable();
    this.#collector?.disconnect();
    if (this.#sampler !== null) clearTimeout(this.#sampler);
    this.#room = tightest(this.#room, hostLimits());
    const elapsedMs = performance.now() - this.#startedMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    const cpuMs = Math.max(0, (user + system) / 1000 - spunMs);
    const { socketBuffersBytes, ...room } = this.#room;
    return {
      loopDelayP50Ms: this.#delay(50),
      loopDelayP90Ms: this.#delay(90),
      loopDelayP99Ms: this.#delay(99),
      loopDelayMaxMs: this.#delay(100),
      cpuRatio: elapsedMs > 0 ? cpuMs / elapsedMs : null,
      threads: 1,
      connectionsOpened: opened,
      connectionsReused: reused,
      rssMaxBytes: mostMemory(this.#rss, memory()),
      ...this.#threadShare(elapsedMs, spunMs),
      ...this.#stolenShare(),
      gc: { ...this.#gc },
      ...connections,
      socketBuffersMaxBytes: socketBuffersBytes,
      ...room,
    };
  }

  #threadShare(elapsedMs: number, spunMs: number): Pick<ClientHealth, 'cpuPerThread' | 'cpuWaitRatio'> {
    const now = threadCpu();
    if (now === null || this.#thread === null || elapsedMs <= 0) return {};
    const runMs = Math.max(0, now.runMs - this.#thread.runMs - spunMs);
    return { cpuPerThread: [runMs / elapsedMs], cpuWaitRatio: (now.waitMs - this.#thread.waitMs) / elapsedMs };
  }

  #stolenShare(): Pick<ClientHealth, 'stolenRatio'> {
    const now = hostTicks();
    if (now === null || this.#ticks === null || now.all <= this.#ticks.all) return {};
    return { stolenRatio: Math.max(0, now.stolen - this.#ticks.stolen) / (now.all - this.#ticks.all) };
  }

  /** The histogram holds the time between two ticks of a timer; what is over the timer's period is delay. */
  #delay(percentile: number): number | null {
    if (this.#delays === null || this.#delays.count === 0) return null;
    return Math.max(0, this.#delays.percentile(percentile) / 1e6 - resolutionMs);
  }
}

interface Memory {
  /** null = not told. */
  nowBytes: number | null;
  /** The most that this process ever had. */
  peakBytes: number;
}

function memory(): Memory {
  return { nowBytes: residentBytes(), peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** The most memory held between two looks: the process's peak if it came between them, else what was seen at either end. */
function mostMemory(before: Memory, after: Memory): number | null {
  if (after.peakBytes > before.peakBytes) return after.peakBytes;
  const seen = Math.max(before.nowBytes ?? 0, after.nowBytes ?? 0);
  return seen === 0 ? null : seen;
}

/** The least room of two looks; what one look could not tell, the other tells. */
function tightest(before: HostLimits, now: HostLimits): HostLimits {
  const pick = (of: (...values: number[]) => number, a: number | null, b: number | null): number | null =>
    a === null || b === null ? (a ?? b) : of(a, b);
  return {
    fileHandlesLimit: now.fileHandlesLimit ?? before.fileHandlesLimit,
    fileHandlesLeft: pick(Math.min, before.fileHandlesLeft, now.fileHandlesLeft),
    portsLimit: now.portsLimit ?? before.portsLimit,
    portsLeft: pick(Math.min, before.portsLeft, now.portsLeft),
    socketBuffersBytes: pick(Math.max, before.socketBuffersBytes, now.socketBuffersBytes),
  };
}
