import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { ClientHealth } from '../core/index.ts';

const resolutionMs = 5;
const sampleMs = 500;

/** Watches this process while it measures: a client at its limit reports its own delays as the server's. */
export class ClientWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: resolutionMs });
  #cpu = process.cpuUsage();
  #startedMs = performance.now();
  #rssMaxBytes = 0;
  #sampler: NodeJS.Timeout | null = null;

  start(): void {
    this.#cpu = process.cpuUsage();
    this.#startedMs = performance.now();
    this.#delays.reset();
    this.#delays.enable();
    const sample = (): void => {
      this.#rssMaxBytes = Math.max(this.#rssMaxBytes, process.memoryUsage.rss());
    };
    sample();
    this.#sampler = setInterval(sample, sampleMs);
    this.#sampler.unref();
  }

  /** The health of the client since `start`; spunMs is CPU time spent only waiting for a due time. */
  stop(spunMs: number, pool: { opened: number; reused: number }): ClientHealth {
    this.#delays.disable();
    if (this.#sampler !== null) clearInterval(this.#sampler);
    const elapsedMs = performance.now() - this.#startedMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    const cpuMs = Math.max(0, (user + system) / 1000 - spunMs);
    return {
      loopDelayP50Ms: this.#delay(50),
      loopDelayP99Ms: this.#delay(99),
      loopDelayMaxMs: this.#delay(100),
      cpuRatio: elapsedMs > 0 ? cpuMs / elapsedMs : null,
      threads: 1,
      connectionsOpened: pool.opened,
      connectionsReused: pool.reused,
      rssMaxBytes: Math.max(this.#rssMaxBytes, process.memoryUsage.rss()),
    };
  }

  /** The histogram holds the time between two ticks of a timer; what is over the timer's period is delay. */
  #delay(percentile: number): number | null {
    if (this.#delays.count === 0) return null;
    return Math.max(0, this.#delays.percentile(percentile) / 1e6 - resolutionMs);
  }
}
