import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exchange } from '../../../test/made-exchanges.ts';
import type { Flow, Summary } from '../../core/index.ts';
import { makeMeter, summarise } from '../measure/index.ts';
import { auditSummary } from './index.ts';
import { samplePoint } from '../../../test/sample-point.ts';

const fixtures = new URL('../../../test/fixtures/h200-vllm/', import.meta.url);

/** The summary of a run of a real vLLM, out of when its requests were due, sent, first answered and over. */
function recorded(name: string, load: Summary['load']): Summary {
  const meter = makeMeter({
    load: { kind: load.kind === 'closed' ? 'closed' : 'open', concurrency: load.concurrency },
    stream: true,
  });
  const [, ...rows] = readFileSync(new URL(`${name}.csv`, fixtures), 'utf8')
    .trim()
    .split('\n');
  rows.forEach((row, seq) => {
    const [due, sent, first, end] = row.split(',').map(Number) as [number, number, number, number];
    meter.add(
      exchange(seq, sent, [first, end], { dueMs: due, outputTokens: { planned: 128, server: 128, client: null } }),
    );
  });
  return summarise(meter, { runId: name, simulated: false, load, planned: null });
}

const open = (ratePerSec: number): Summary['load'] => ({ kind: 'open', concurrency: null, ratePerSec, stream: true });
const told = (point: Summary) => auditSummary(point).find(({ code }) => code === 'overloaded');

describe('a real vLLM on an H200 that takes 52 requests a second', () => {
  test('asked for 62.5 a second it is overloaded: what it took is said, and no part is steady', () => {
    const point = recorded('open-1-2', open(62.5));
    expect(point.flow!.state).toBe('overloaded');
    expect(point.steady).toBeNull();
    expect(told(point)).toMatchObject({ severity: 'warn' });
    expect(Math.abs(point.flow!.answeredPerSec! / 52.1 - 1)).toBeLessThan(0.03);
    expect(told(point)!.advice).toContain('41.');
    expect(told(point)!.zh.advice).toContain('41.');
  });
  test('asked for 26 a second, or in a closed loop of 32, it is stable', () => {
    for (const point of [
      recorded('open-0-5', open(26)),
      recorded('sw-c32', { kind: 'closed', concurrency: 32, ratePerSec: null, stream: true }),
    ]) {
      expect(point.flow!.state).toBe('stable');
      expect(point.steady).not.toBeNull();
      expect(told(point)).toBeUndefined();
    }
  });
});

describe('overloaded', () => {
  const flow: Flow = {
    state: 'overloaded',
    rising: false,
    duePerSec: null,
    answeredPerSec: null,
    pilingRatio: null,
    openEarly: null,
    openLate: null,
    unserved: 120,
  };
  test('a closed loop whose requests time out says how many, and that fewer at a time are the way out', () => {
    expect(told(samplePoint({ flow }))!.message).toContain('120 of 1000 requests timed out');
    expect(told(samplePoint({ flow }))!.message).toContain('10 at a time');
  });
  test('nothing is said where the word is another, or where nobody looked', () => {
    expect(told(samplePoint({ flow: { ...flow, state: 'unknown' } }))).toBeUndefined();
    expect(told(samplePoint())).toBeUndefined();
  });
});
