import { vi } from 'vitest';

/** A host whose clock moves only when somebody waits or looks at it. */
export class QuietHost {
  #nowMs = 0;
  #timers: { atMs: number; act: () => void }[] = [];
  #immediates: (() => void)[] = [];

  constructor() {
    vi.stubGlobal('process', { ...process, hrtime: { bigint: () => this.#readNs() } });
    vi.stubGlobal('Atomics', {
      wait: (_array: unknown, _index: number, _value: number, ms: number) => (this.#nowMs += ms),
    });
    vi.stubGlobal('setTimeout', (act: () => void, ms: number) => this.at(this.#nowMs + ms, act));
    vi.stubGlobal('clearTimeout', (timer: unknown) => (this.#timers = this.#timers.filter((other) => other !== timer)));
    vi.stubGlobal('setImmediate', (act: () => void) => (this.#immediates.push(act), act));
    vi.stubGlobal('clearImmediate', (act: unknown) => {
      this.#immediates = this.#immediates.filter((other) => other !== act);
    });
  }

  /** Whoever looks at the clock again and again must see it move. */
  #readNs(): bigint {
    this.#nowMs += 0.001;
    return BigInt(Math.round(this.#nowMs * 1e6));
  }

  /** Whoever acts takes so long. */
  spend(ms: number): void {
    this.#nowMs += ms;
  }

  at(atMs: number, act: () => void): { atMs: number; act: () => void } {
    const timer = { atMs, act };
    this.#timers.push(timer);
    return timer;
  }

  /** Until nothing is left to happen. */
  run(): void {
    while (this.#timers.length + this.#immediates.length > 0) {
      const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs).toSorted((a, b) => a.atMs - b.atMs);
      this.#timers = this.#timers.filter((timer) => !due.includes(timer));
      for (const { act } of due) act();
      for (const act of this.#immediates.splice(0)) act();
      if (due.length === 0 && this.#immediates.length === 0 && this.#timers.length > 0)
        this.#nowMs = Math.max(this.#nowMs, Math.min(...this.#timers.map(({ atMs }) => atMs)));
    }
  }
}
