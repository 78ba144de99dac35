import type { Exchange } from '../core/index.ts';

/** Whether an engine kept up: it did, it fell behind and would catch up, or it would fall behind for ever. */
export type Saturation = 'stable' | 'backlogged' | 'overloaded';

/** Collects when asks came due and ended, and says how the engine bore it. */
export class SaturationWatch {
  readonly #dueMs: number[] = [];
  readonly #endMs: number[] = [];

  saw(exchange: Exchange): void {
    if (exchange.warmup || exchange.sentMs === null) return;
    this.#dueMs.push(exchange.dueMs);
    this.#endMs.push(exchange.endMs);
  }

  /**
   * Open loop: overloaded where requests pile up through the sending and fewer than nine in ten that came due were done by its end;
   * backlogged where they merely pile up. Closed loop: backlogged where more are in flight than the batch holds, or where the
   * steps left more than one in twenty waiting (the KV cache, or the prefill, is the limit).
   */
  read(
    load: { isOpen: boolean; concurrency: number | null; maxBatchSize: number },
    engine: { waitingMean: number; runningMean: number } = { waitingMean: 0, runningMean: 1 },
  ): Saturation | null {
    if (this.#dueMs.length < 8) return null;
    if (!load.isOpen) {
      const waits = engine.waitingMean > 0.05 * (engine.waitingMean + engine.runningMean);
      return waits || (load.concurrency ?? 0) > load.maxBatchSize ? 'backlogged' : 'stable';
    }
    const due = this.#dueMs.toSorted((a, b) => a - b);
    const ended = this.#endMs.toSorted((a, b) => a - b);
    const [fromMs, toMs] = [due[0]!, due.at(-1)!];
    const inFlight = (part: number): number => {
      const atMs = fromMs + part * (toMs - fromMs);
      return countUpTo(due, atMs) - countUpTo(ended, atMs);
    };
    const mean = (parts: readonly number[]): number =>
      parts.reduce((sum, part) => sum + inFlight(part), 0) / parts.length;
    const [early, late] = [mean([0.3, 0.35, 0.4, 0.45, 0.5]), mean([0.8, 0.85, 0.9, 0.95, 1])];
    const growing = late > 1.4 * early + 3 * Math.sqrt(early) + 3;
    if (!growing) return 'stable';
    return countUpTo(ended, toMs) < 0.9 * due.length ? 'overloaded' : 'backlogged';
  }
}

function countUpTo(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
