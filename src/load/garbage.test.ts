import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { housekeeping } from './garbage.ts';

describe('housekeeping where nobody waits', () => {
  /** Collections of what is new, or of everything, that an act sets off by itself. */
  async function collections(act: () => void, kind: number): Promise<number> {
    let count = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries() as unknown as { detail: { kind: number } }[])
        if (detail.kind === kind) count++;
    });
    observer.observe({ entryTypes: ['gc'] });
    act();
    await sleep(20);
    observer.disconnect();
    return count;
  }

  it('collects what is new where there is much of it, and leaves little alone', async () => {
    housekeeping.beforeRun();
    await sleep(20);
    expect(await collections(housekeeping.whenQuiet, constants.NODE_PERFORMANCE_GC_MINOR)).toBe(0);
    // Eight megabytes, which the nursery has room for by now.
    const much = Array.from({ length: 8192 }, () => Array.from({ length: 128 }, (_, at) => at + 0.5));
    expect(await collections(housekeeping.whenQuiet, constants.NODE_PERFORMANCE_GC_MINOR)).toBe(1);
    expect(much).toHaveLength(8192);
  });

  it('collects everything before a run', async () => {
    expect(await collections(housekeeping.beforeRun, constants.NODE_PERFORMANCE_GC_MAJOR)).toBeGreaterThan(0);
  });
});
