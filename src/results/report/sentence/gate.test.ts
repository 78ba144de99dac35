import { describe, expect, test } from 'vitest';
import { gateWords } from './gate.ts';
import type { GateOutcome } from './gate.ts';

const failed: GateOutcome = { text: 'ttft.p99<30ms', state: 'failed', measured: 33.6, needs: null, load: null };
const says = (change: Partial<GateOutcome>): string => gateWords({ ...failed, ...change }).en;

describe('a condition of a gate in one line', () => {
  test('what came of it, the condition as it was typed, and what was measured', () => {
    expect(gateWords(failed)).toEqual({
      en: 'FAILED: ttft.p99<30ms (33.6 ms)',
      zh: '未通过：ttft.p99<30ms (33.6 ms)',
    });
    expect(says({ state: 'passed', measured: 21 })).toBe('passed: ttft.p99<30ms (21.0 ms)');
    expect(says({ state: 'unknown', measured: null })).toBe('not known: ttft.p99<30ms');
  });

  test('the point it speaks of, by its place before its load', () => {
    expect(says({ load: 16 })).toBe('FAILED: ttft.p99<30ms @ 16 (33.6 ms)');
    expect(says({ load: 16, place: 'shanghai' })).toBe('FAILED: ttft.p99<30ms @ shanghai (33.6 ms)');
    expect(says({ place: 'shanghai' })).toBe('FAILED: ttft.p99<30ms @ shanghai (33.6 ms)');
  });

  test('where it is not sure, how many requests would tell, or why nobody can say', () => {
    expect(says({ state: 'unsure', needs: 4321 })).toBe(
      'NOT SURE: ttft.p99<30ms (33.6 ms): about 4,321 requests would tell (-n 4321)',
    );
    expect(says({ state: 'unsure' })).toBe(
      'NOT SURE: ttft.p99<30ms (33.6 ms): too near to tell, or no requests at hand',
    );
    // Only then: one that is decided needs no more of them.
    expect(says({ needs: 4321 })).toBe('FAILED: ttft.p99<30ms (33.6 ms)');
  });

  test('each figure in its own unit: a time, a share, a rate, a change with its sign', () => {
    expect(says({ text: 'failed<1%', measured: 0.0213 })).toBe('FAILED: failed<1% (2.13 %)');
    expect(says({ text: 'goodput>=95%', measured: 0.912 })).toBe('FAILED: goodput>=95% (91.2 %)');
    expect(says({ text: 'goodput>=20', measured: 18.25 })).toBe('FAILED: goodput>=20 (18.3)');
    expect(says({ text: 'outputTokensPerSec>1000', measured: 912.4 })).toBe('FAILED: outputTokensPerSec>1000 (912)');
    expect(says({ text: 'ttft.p99<+5%', measured: 0.084 })).toMatch(/\(\+8\.4/);
    expect(says({ text: 'outputTokensPerSec>-5%', measured: -0.1 })).toMatch(/\([-−]10/);
    expect(says({ text: 'ttft.p99<+5%', measured: 0 })).toMatch(/\(\+0/);
  });
});
