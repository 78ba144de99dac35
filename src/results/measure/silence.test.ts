import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import { problem } from '../../core/index.ts';
import type { Exchange } from '../../core/index.ts';
import { makeMeter } from './meter.ts';
import type { Reading } from './reading.ts';
import { SilenceBook } from './silence.ts';

/** A closed loop of `streams`, 20 tokens each every 50 ms; the server stands still from `atMs` for `forMs`. */
function played(streams: number, untilMs: number, atMs: number, forMs: number, firstMs = 100): Exchange[] {
  const still = (time: number): number => (time >= atMs ? time + forMs : time);
  const all: Exchange[] = [];
  for (let slot = 0; slot < streams; slot++) {
    for (let at = slot * 7; at < untilMs;) {
      const times = Array.from({ length: 20 }, (_, i) => at + firstMs + 50 * i);
      all.push(exchange(all.length, still(at), times.map(still)));
      at = times.at(-1)!;
    }
  }
  return all;
}

function read(exchanges: readonly Exchange[]): ReturnType<SilenceBook['read']> {
  const book = new SilenceBook();
  for (const one of exchanges) book.saw(one);
  return book.read();
}

function measured(exchanges: readonly Exchange[], concurrency: number): Reading {
  const meter = makeMeter({ load: { kind: 'closed', concurrency }, stream: true });
  for (const one of exchanges) meter.add(one);
  return meter.read();
}

describe('all streams silent at once', () => {
  test('a server that stands still for 6 s of 13: when, how long, how many waited', () => {
    const [silence, ...others] = read(played(8, 7000, 3000, 6000));
    expect(others).toEqual([]);
    expect(silence).toMatchObject({ waiting: 8, lost: 0, back: true });
    // To a tenth of a second at both ends.
    expect(Math.abs(silence!.fromMs - 3000)).toBeLessThanOrEqual(100);
    expect(Math.abs(silence!.toMs - 9000)).toBeLessThanOrEqual(100);
  });
  test('just beside the second that decides', () => {
    expect(read(played(8, 7000, 3000, 1200))).toHaveLength(1);
    expect(read(played(8, 7000, 3000, 800))).toEqual([]);
  });
  test('one waiting request cannot tell a silent server from a slow stream', () => {
    expect(read(played(1, 7000, 3000, 6000))).toEqual([]);
    expect(read(played(2, 7000, 3000, 6000))).toHaveLength(1);
  });
  test('a server that is silent for as long before its first output has a slow step, and no silence', () => {
    expect(read(played(8, 60_000, 2000, 4000, 1500))).toEqual([]);
    expect(read(played(8, 60_000, 2000, 5000, 1500))).toHaveLength(1);
  });
  test('the time to its first output is counted from the first send, not from the last before it', () => {
    const run = (sentMs: number) => [exchange(900, sentMs, [sentMs + 100, 1300]), ...played(8, 7000, 3000, 2000, 1000)];
    // Two seconds are less than three times that second, whoever was sent just before it ended.
    expect(read(run(0))).toEqual([]);
    expect(read(run(850))).toEqual([]);
  });
  test('one that speaks in bursts is none', () => {
    const bursts = Array.from({ length: 8 }, (_, i) => exchange(i, 0, [2000, 4000, 6100, 8000, 10_200, 12_000]));
    expect(read(bursts)).toEqual([]);
  });
  test('a run without a stop has none, and one stream that hangs is no silence of the others', () => {
    expect(read(played(8, 20_000, 1e9, 0))).toEqual([]);
    expect(read([...played(8, 20_000, 1e9, 0), exchange(999, 500, [700, 19_000])])).toEqual([]);
  });
  test('figures without it are those of the same run without the stop', () => {
    const [with6, never] = [measured(played(8, 7000, 3000, 6000), 8), measured(played(8, 7000, 1e9, 0), 8)];
    expect(Math.abs(with6.undisturbed!.requestsPerSec! / never.requestsPerSec! - 1)).toBeLessThan(0.03);
    expect(with6.requestsPerSec! / never.requestsPerSec!).toBeLessThan(0.6);
    expect(with6.undisturbed!.latencyMs!.max).toBeCloseTo(never.latencyMs!.max!, 6);
    expect(never.undisturbed).toBeUndefined();
    expect(never.silences).toBeUndefined();
  });
  test('a run that began later on its clock has the same figures', () => {
    const run = played(8, 7000, 3000, 6000);
    const later = run.map((one) =>
      exchange(
        one.seq,
        one.sentMs! + 5000,
        one.chunks.atMs.map((at) => at + 5000),
      ),
    );
    const figures = ({ durationMs, requestsPerSec, concurrencyAchieved, undisturbed, latencyMs }: Reading) =>
      JSON.parse(
        JSON.stringify({ durationMs, requestsPerSec, concurrencyAchieved, undisturbed, latencyMs }),
        (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e6) : value),
      ) as unknown;
    expect(figures(measured(later, 8))).toEqual(figures(measured(run, 8)));
  });
  test('the steady part lies beside it', () => {
    const { steady, silences } = measured(played(8, 12_000, 3000, 6000), 8);
    expect(steady!.fromMs >= silences![0]!.toMs || steady!.toMs <= silences![0]!.fromMs).toBe(true);
    expect(steady!.latencyMs!.max).toBeLessThan(1200);
  });
});

describe('a server that goes away', () => {
  const refused = (from: number, count: number): Exchange[] =>
    Array.from({ length: count }, (_, i) =>
      exchange(1000 + i, from + i, [], { outcome: 'failed', problem: problem('connect-refused'), endMs: from + i + 1 }),
    );
  const before = played(4, 4000, 1e9, 0);
  const lastMs = Math.max(...before.map(({ endMs }) => endMs));
  test('since when, and how many were refused', () => {
    const [silence, ...others] = read([...before, ...refused(lastMs + 10, 215)]);
    expect(others).toEqual([]);
    expect(silence).toMatchObject({ back: false, lost: 215, fromMs: lastMs });
  });
  test('one refusal at the end is a failure and no more', () => {
    expect(read([...before, ...refused(lastMs + 150, 1)])).toEqual([]);
    expect(read([...before, ...refused(lastMs + 150, 2)])).toHaveLength(1);
  });
  test('as many refused within a tenth of a second of the last answer', () => {
    const atOnce = refused(lastMs, 275).map((one) => ({ ...one, endMs: lastMs + 1 }));
    expect(read([...before, ...atOnce])).toMatchObject([{ back: false, lost: 275 }]);
  });
  test('resets in the last moment of a run are failures and no more', () => {
    const reset = refused(lastMs + 5, 5).map((one) => ({ ...one, problem: problem('reset') }));
    expect(read([...before, ...reset])).toEqual([]);
  });
  test('one that comes back is an outage', () => {
    const after = played(4, 4000, 1e9, 0).map((one) => ({
      ...one,
      sentMs: one.sentMs! + 9000,
      endMs: one.endMs + 9000,
      chunks: { ...one.chunks, atMs: one.chunks.atMs.map((at) => at + 9000) },
    }));
    const [silence] = read([...before, ...refused(lastMs + 150, 40), ...after]);
    expect(silence).toMatchObject({ back: true, lost: 40 });
  });
});

test('two halves of the records added together say what all of them say', () => {
  const all = played(8, 7000, 3000, 6000);
  const [a, b] = [new SilenceBook(), new SilenceBook()];
  all.forEach((one, i) => (i % 2 === 0 ? a : b).saw(one));
  a.merge(b);
  expect(a.read()).toEqual(read(all));
});
