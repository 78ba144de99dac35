import { describe, expect, test } from 'vitest';
import { hearObject } from './openai-answer.ts';
import { OpenaiStreamListener } from './openai-listener.ts';
import { findStamp, stampNs } from './server-stamp.ts';
import type { ClockSpans, ServerStamp } from './server-stamp.ts';

// A host up for five days, at some moment of 2026.
const monotonicNs = 432_000_123_456_789n;
const realtimeNs = 1_794_736_800_123_456_789n;
const spans: ClockSpans = {
  monotonic: { fromNs: monotonicNs - 5_000_000n, toNs: monotonicNs + 1_000_000_000n },
  realtime: { fromNs: realtimeNs - 5_000_000n, toNs: realtimeNs + 1_000_000_000n },
};
const chunk = (more: object, delta: object = {}, content = ' word'): object => ({
  id: 'x',
  created: 1_794_736_800,
  choices: [{ index: 0, delta: { content, ...delta }, finish_reason: null }],
  ...more,
});
const role = { id: 'x', choices: [{ index: 0, delta: { role: 'assistant' } }] };
const usage = { id: 'x', choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };
const later = [0n, 20_000_000n, 40_000_000n];
const ways: [string, (i: bigint) => object, ServerStamp][] = [
  [
    'emit_ns as it is written here',
    (at) => chunk({ emit_ns: String(monotonicNs + at) }),
    { key: 'emit_ns', nsPerUnit: 1, clock: 'monotonic' },
  ],
  [
    'a bare number',
    (at) => chunk({ emit_ns: Number(monotonicNs + at) }),
    { key: 'emit_ns', nsPerUnit: 1, clock: 'monotonic' },
  ],
  [
    'another name',
    (at) => chunk({ t_us: Number((monotonicNs + at) / 1000n) }),
    { key: 't_us', nsPerUnit: 1000, clock: 'monotonic' },
  ],
  [
    'milliseconds of the wall',
    (at) => chunk({ sent: Number((realtimeNs + at) / 1_000_000n) }),
    { key: 'sent', nsPerUnit: 1_000_000, clock: 'realtime' },
  ],
  [
    'seconds with a fraction',
    (at) => chunk({ created: Number((realtimeNs + at) / 1000n) / 1e6 }),
    { key: 'created', nsPerUnit: 1_000_000_000, clock: 'realtime', fraction: true },
  ],
  [
    'milliseconds with a fraction',
    (at) => chunk({ at: Number((monotonicNs + at) / 1000n) / 1000 }),
    { key: 'at', nsPerUnit: 1_000_000, clock: 'monotonic', fraction: true },
  ],
  [
    'a member of the delta',
    (at) => chunk({}, { stamp: String(realtimeNs + at) }),
    { key: 'stamp', nsPerUnit: 1, clock: 'realtime' },
  ],
  ['the text itself', (at) => chunk({}, {}, ` ${monotonicNs + at}`), { key: null, nsPerUnit: 1, clock: 'monotonic' }],
  [
    'the finer of two',
    (at) => chunk({ ms: Number((realtimeNs + at) / 1_000_000n), ns: String(realtimeNs + at) }),
    { key: 'ns', nsPerUnit: 1, clock: 'realtime' },
  ],
];

describe('how a server stamps is found', () => {
  test.each(ways)('%s', (_, event, expected) => {
    expect(findStamp([role, ...later.map(event), usage], spans)).toEqual(expected);
  });

  test('nothing is guessed: whole seconds, counters, times of another host, and times that run backwards are none', () => {
    const none = (event: (at: bigint, i: number) => object): void =>
      expect(findStamp(later.map(event), spans)).toBe(null);
    none(() => chunk({}));
    none((_, i) => chunk({ n: i }));
    none((at) => chunk({ emit_ns: String(monotonicNs + at + 3_600_000_000_000n) }));
    none((at) => chunk({ emit_ns: String(monotonicNs - at) }));
    none((at, i) => chunk(i === 1 ? {} : { emit_ns: String(monotonicNs + at) }));
    none(() => chunk({ created_ms: Number(realtimeNs / 1_000_000n) }));
    // One event is too little to tell.
    expect(findStamp([chunk({ emit_ns: String(monotonicNs) })], spans)).toBe(undefined);
  });
});

test.each(ways)('events stamped by %s are heard alike one by one and by their shape', (_, event, stamp) => {
  const listener = new OpenaiStreamListener(stamp);
  const times: bigint[] = [];
  for (const at of [...later, ...later.map((ns) => ns + 60_000_000n)]) {
    const told = event(at);
    const [slow] = hearObject(told, stamp);
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(told)}\n\n`);
    const heard = listener.hear(bytes);
    expect(heard[0]).toEqual(slow);
    if (slow?.kind === 'stamp') times.push(slow.emitNs);
  }
  expect(times).toHaveLength(6);
  // To the unit that the server writes, each event is 20 ms after the one before.
  for (const [i, ns] of times.entries()) {
    if (i > 0)
      expect(Math.abs(Number(ns - times[i - 1]!) - 20_000_000)).toBeLessThanOrEqual(
        stamp.nsPerUnit === 1_000_000_000 ? 2000 : stamp.nsPerUnit,
      );
  }
});

test('a stamp is digits, perhaps with a fraction', () => {
  expect([stampNs('12', 1000), stampNs('1.5', 1_000_000_000), stampNs('0.000001', 1_000_000_000)]).toEqual([
    12_000n,
    1_500_000_000n,
    1000n,
  ]);
  expect(['', '-1', '1e9', 'soon', '1.', '12345678901234567890'].map((text) => stampNs(text, 1))).toEqual(
    Array(6).fill(null),
  );
});
