import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage, housekeeping, keepHeapLevel, limitGrowth } from './garbage.ts';

/** Makes what grows old, 1 MB a round, of which the last 20 MB stay in use, until everything was collected; gives back how often it was. */
async function collectionsOfAll(rounds: number): Promise<number> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number } }[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  });
  observer.observe({ entryTypes: ['gc'] });
  const alive: number[][] = [];
  for (let round = 0; round < rounds && collections === 0; round++) {
    for (let i = 0; i < 1000; i++) alive.push(Array.from({ length: 128 }, (_, at) => at + 0.5));
    alive.splice(0, Math.max(0, alive.length - 20_000));
    await sleep(2);
  }
  observer.disconnect();
  return collections;
}

async function collectionsInRun(rounds: number, shortRunMs: number): Promise<number> {
  limitGrowth();
  collectGarbage();
  // What was just asked for is told a moment later.
  await sleep(20);
  const end = keepHeapLevel(false, { shortRunMs, lookMs: 10 });
  try {
    return await collectionsOfAll(rounds);
  } finally {
    end();
  }
}

describe('the heap of a run', () => {
  it('is collected when old garbage has gathered in a long run', async () => {
    expect(await collectionsInRun(200, 0)).toBeGreaterThan(0);
  });

  it('is left alone in a short run', async () => {
    expect(await collectionsInRun(25, 600_000)).toBe(0);
  });

  it('is collected in a short run, too, when much has gathered', async () => {
    expect(await collectionsInRun(150, 600_000)).toBeGreaterThan(0);
  });
});

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
