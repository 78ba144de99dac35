import { describe, expect, test, vi } from 'vitest';
import type { ClientHealth } from '../../core/index.ts';
import { ClientWatch } from './client-watch.ts';
import { ConnectionTally } from './connection-tally.ts';
import { hostLimits, threadCpu } from './host-limits.ts';
import { joinedHealth } from './joined-health.ts';
import { ServerClock } from './server-clock.ts';

test('a watch tells loop delay, CPU, garbage, handles and ports of this process', () => {
  const watch = new ClientWatch();
  watch.start();
  const health = watch.stop(0, { opened: 3, reused: 4 });
  expect(health).toMatchObject({ threads: 1, connectionsOpened: 3, connectionsReused: 4 });
  expect(health.gc!.pauses).toBeGreaterThanOrEqual(0);
  expect(health.rssMaxBytes).toBeGreaterThan(1e6);
  if (process.platform !== 'linux') return;
  expect(health.cpuPerThread).toHaveLength(1);
  expect(health.cpuPerThread![0]).toBeGreaterThanOrEqual(0);
  expect(health.fileHandlesLeft).toBeGreaterThan(0);
  expect(health.fileHandlesLeft).toBeLessThan(health.fileHandlesLimit!);
  expect(health.portsLeft).toBeLessThanOrEqual(health.portsLimit!);
});

test('the CPU of a thread only grows, and the room of a host is within its limits', () => {
  if (process.platform !== 'linux') return;
  const before = threadCpu()!;
  let after = before;
  // The system brings the figure up to date at its own ticks, so one short stretch of work may not show yet.
  for (let work = 0; work < 1e9 && after.runMs === before.runMs; work++) if (work % 1e5 === 0) after = threadCpu()!;
  expect(after.runMs).toBeGreaterThan(before.runMs);
  expect(hostLimits().portsLimit).toBeLessThanOrEqual(65_536);
});

test('making connections is told as means and the longest; TLS only where there was any', () => {
  const tally = new ConnectionTally();
  expect(tally.read()).toEqual({ sendBacklogMaxBytes: 0 });
  tally.add(10, null);
  tally.add(30, 20);
  tally.wrote(500);
  tally.wrote(0);
  expect(tally.read()).toEqual({
    sendBacklogMaxBytes: 500,
    connecting: { count: 2, meanMs: 20, maxMs: 30, tlsMeanMs: 20, tlsMaxMs: 20 },
  });
});

describe('several threads as one', () => {
  const of = (cpu: number, delay: number): ClientHealth => ({
    loopDelayP50Ms: delay,
    loopDelayP99Ms: delay,
    loopDelayMaxMs: delay,
    cpuRatio: cpu,
    threads: 1,
    connectionsOpened: 2,
    connectionsReused: 5,
    rssMaxBytes: 100,
    cpuPerThread: [cpu],
    gc: { pauses: 1, totalMs: 2, maxMs: delay },
    connecting: { count: 2, meanMs: delay, maxMs: delay, tlsMeanMs: null, tlsMaxMs: null },
    fileHandlesLeft: delay,
    fileHandlesLimit: 100,
  });
  test('delays are the worst, counts add up, each thread keeps its CPU, and the least room counts', () => {
    expect(joinedHealth([of(0.5, 3), of(0.95, 7)])).toMatchObject({
      loopDelayP99Ms: 7,
      cpuRatio: 1.45,
      cpuPerThread: [0.5, 0.95],
      threads: 2,
      connectionsOpened: 4,
      gc: { pauses: 2, totalMs: 4, maxMs: 7 },
      connecting: { count: 4, meanMs: 5, maxMs: 7, tlsMeanMs: null },
      fileHandlesLeft: 3,
    });
    expect(joinedHealth([])).toBeNull();
  });
});

test('Date headers cut to the second narrow the difference of the clocks', () => {
  vi.useFakeTimers();
  try {
    const clock = new ServerClock();
    const skewMs = 5300;
    for (let at = 0; at < 20_000; at += 137) {
      vi.setSystemTime(Date.UTC(2026, 10, 15, 7, 0, 0) + at);
      const told = Math.floor((Date.now() + skewMs) / 1000) * 1000;
      clock.saw(new Date(told).toUTCString());
    }
    expect(clock.skewMs).toBeGreaterThan(skewMs - 150);
    expect(clock.skewMs).toBeLessThan(skewMs + 150);
    expect(new ServerClock().skewMs).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});
