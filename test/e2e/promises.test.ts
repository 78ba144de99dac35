import { describe, expect, test } from 'vitest';
import { dynoHere } from '../in-process.ts';
import { emptyFolder } from './dyno.ts';

// In virtual time: what a promise is held against is the same on every host.
const store = emptyFolder();

async function sim(...flags: string[]) {
  const engine = ['--profile', 'qwen1.5-7b-mindie-8x910b4', '--input-tokens', '100', '--output-tokens', '40'];
  const load = flags.includes('--concurrency') ? [] : ['--concurrency', '8'];
  return dynoHere(['sim', ...engine, '-n', '400', ...load, '--store', await store, '--quiet', ...flags]);
}

describe('a promise of --slo', () => {
  test('that is broken is told so and ends with 4; --lenient lets it pass, and the summary keeps it', async () => {
    const broken = await sim('--slo', 'latency.p50<1ms', '--slo', 'latency.p50<100s', '--label', 'promised');
    expect(broken.code).toBe(4);
    expect(broken.out).toMatch(/latency\.p50 < 1ms +[\d.,]+ ms +BROKEN/);
    expect(broken.out).toMatch(/latency\.p50 < 100s +[\d.]+ s +kept/);
    const lenient = await sim('--slo', 'latency.p50<1ms', '--lenient', '--json');
    expect(lenient.code).toBe(0);
    expect(JSON.parse(lenient.out)).toMatchObject({
      slo: [{ promise: 'latency.p50<1ms', kept: false, measured: expect.any(Number) as number }],
    });
    const junit = await dynoHere(['report', 'promised', '--as', 'junit', '--store', await store]);
    expect(junit.out).toMatch(/failure type="slo" message="latency\.p50 [\d.,]+ ms &gt; 1 ms: BROKEN"/);
  });

  test('that is kept ends with 0, and one that nobody can measure with 5', async () => {
    expect((await sim('--slo', 'latency.p99<100s')).code).toBe(0);
    const unknown = await sim('--slo', 'ttft.p99<100s', '--no-stream', '--lang', 'zh');
    expect(unknown.code).toBe(5);
    expect(unknown.out).toMatch(/ttft\.p99 < 100s +– +未知/);
  });

  test('has a column in a sweep, which says where it broke', async () => {
    const done = await sim('--concurrency', '4,8', '--slo', 'latency.p50<1ms', '--all');
    expect(done.code).toBe(4);
    expect(done.out).toContain('BROKEN latency.p50');
  });

  test('of dyno compare is one of every side but the baseline', async () => {
    await sim('--label', 'one');
    await sim('--label', 'two');
    const compare = async (...flags: string[]) =>
      dynoHere(['compare', 'one', 'two', '--store', await store, '--slo', ...flags]);
    const broken = await compare('latency.p50<1ms');
    expect(broken.code).toBe(4);
    expect(broken.out).toMatch(/B: latency\.p50 [\d.,]+ ms > 1 ms: BROKEN/);
    expect((await compare('latency.p50<100s')).code).toBe(0);
  });
});

describe('a condition of --fail-if', () => {
  test('that surely came true ends with 4, that surely did not with 0', async () => {
    const failed = await sim('--fail-if', 'latency.p50>1ms');
    expect([failed.code, failed.out]).toEqual([4, expect.stringMatching(/FAILED: latency\.p50>1ms \([\d.,]+ ms\)/)]);
    expect((await sim('--fail-if', 'latency.p50>100s')).code).toBe(0);
  });
  test('of which 400 requests are not sure ends with 5 and says how many would be', async () => {
    const { code, out } = await sim('--fail-if', 'failed>0.1%');
    expect(code).toBe(5);
    const needs = Number(/NOT SURE: failed>0\.1% \(0 %\): about [\d,]+ requests would tell \(-n (\d+)\)/.exec(out)![1]);
    // 0.999^n falls below 5 % at 2,995.
    expect(needs).toBeGreaterThan(2950);
    expect(needs).toBeLessThan(3050);
  });
  test('about a change is refused where there is no baseline', async () => {
    const { code, err } = await sim('--fail-if', 'outputTokensPerSec<-5%');
    expect([code, err]).toEqual([2, expect.stringContaining('no baseline')]);
  });
});
