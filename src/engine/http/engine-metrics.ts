/** A histogram in Prometheus' sense. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.sum += value;
    this.count++;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.counts[at]!++;
  }
}

const shortSec = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
const firstTokenSec = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const longSec = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960];

const tokenCounts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

/** The last so many values, and their mean: what MindIE's /metrics-json tells. */
export class LastValues {
  readonly #values: number[] = [];
  #next = 0;

  constructor(private readonly most = 1000) {}

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.most;
  }

  /** null = there is none yet. */
  mean(): number | null {
    const { length } = this.#values;
    return length === 0 ? null : this.#values.reduce((sum, value) => sum + value, 0) / length;
  }
}

/** How requests ended, in vLLM's words. */
export type FinishedReason = 'stop' | 'length' | 'abort';

/** What the engine counts besides its core's own counters; times are wall-clock seconds, as a server would see them. */
export class EngineMetrics {
  readonly timeToFirstTokenSec = new Histogram(firstTokenSec);
  readonly interTokenSec = new Histogram(shortSec);
  readonly latencySec = new Histogram(longSec);
  /** From a request's arrival to the beginning of its first step. */
  readonly queueSec = new Histogram(longSec);
  readonly promptTokens = new Histogram(tokenCounts);
  readonly generationTokens = new Histogram(tokenCounts);
  readonly lastFirstTokenMs = new LastValues();
  readonly lastBetweenTokensMs = new LastValues();
  readonly finished: Record<FinishedReason, number> = { stop: 0, length: 0, abort: 0 };
}
