import { describe, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import type { Comparison } from '../../src/results/measure/index.ts';
import { dyno, emptyFolder, start, summaryOf } from '../e2e/dyno.ts';
import type { Done } from '../e2e/dyno.ts';

/**
 * What is said of a real vLLM whose state is known: LLMDYNO_REAL_VLLM=URL names one that is up (prefix cache on, as it is by
 * itself, and --enable-prompt-tokens-details); LLMDYNO_REAL_VLLM_PID=PID is its process, which is then stopped for a while and,
 * at the very end, ended. docs/validation/verdicts.md says how one is started; give client and server a core each (taskset).
 */
const url = process.env['LLMDYNO_REAL_VLLM'];
const pid = Number(process.env['LLMDYNO_REAL_VLLM_PID']);
const store = await emptyFolder();
const lengths = ['--input-tokens', '256', '--output-tokens', '32'];

const run = (label: string, ...words: string[]): string[] => [
  'run',
  url!,
  '--store',
  store,
  '--label',
  label,
  '--json',
  ...words,
];
const codes = ({ verdict }: Summary): string[] => verdict.findings.map(({ code }) => code);
const measured = async (label: string, ...words: string[]): Promise<{ done: Done; summary: Summary }> => {
  const done = await dyno(run(label, ...words));
  return { done, summary: summaryOf(done) };
};
const compared = async (...labels: string[]): Promise<Comparison> =>
  JSON.parse((await dyno(['compare', ...labels, '--store', store, '--json', '--lenient'])).out) as Comparison;
const codesOf = ({ findings }: Comparison): string[] => findings.map(({ code }) => code);

test('LLMDYNO_REAL_VLLM names a server, or none is asked', () => {
  expect(url ?? 'http:').toMatch(/^http/);
});

describe.runIf(url !== undefined)('a real vLLM', () => {
  const closed = ['--concurrency', '8', '-n', '120', ...lengths];

  test('the same command three times asks other prompts each time: nothing comes from the cache, and all can be compared', async () => {
    for (const label of ['first', 'second', 'third'])
      expect(codes((await measured(label, ...closed)).summary)).not.toContain('cached-prompts');
    const comparison = await compared('first', 'third');
    expect(comparison.comparable).toBe(true);
    expect(codesOf(comparison)).not.toContain('cache-differs');
  });
  test('the same prompts twice come from the cache, and a comparison of cold and warm is refused', async () => {
    const seed = String(1 + Math.floor(Math.random() * 1e9));
    const cold = await measured('cold', ...closed, '--prompt-seed', seed);
    const warm = await measured('warm', ...closed, '--prompt-seed', seed);
    expect(codes(cold.summary)).not.toContain('cached-prompts');
    expect(codes(warm.summary)).toContain('cached-prompts');
    const comparison = await compared('cold', 'warm');
    expect([comparison.comparable, codesOf(comparison).includes('cache-differs')]).toEqual([false, true]);
  });
  test('asked for 0.8 of what it takes it is stable, for 1.2, 1.5 and 2 times as much overloaded', async () => {
    const { summary: full } = await measured('full', '--concurrency', '256', '-n', '1200', ...lengths);
    const takes = (full.steady ?? full).requestsPerSec!;
    const asked = async (share: number): Promise<Summary> =>
      (await measured(`at ${share}`, '--rate', (share * takes).toFixed(2), '--duration', '30s', ...lengths)).summary;
    expect((await asked(0.8)).flow!.state).toBe('stable');
    for (const share of [1.2, 1.5, 2]) {
      const point = await asked(share);
      expect([point.flow!.state, point.steady, codes(point).includes('overloaded')]).toEqual([
        'overloaded',
        null,
        true,
      ]);
      expect(Math.abs(point.flow!.answeredPerSec! / takes - 1)).toBeLessThan(0.2);
    }
  });
  test('answers of tokens without text are answers, and gaps are as long as tokens take', async () => {
    const body = ['--body', '{"logit_bias":{"2":100}}', '--ignore-eos'];
    const { summary } = await measured('textless', '--concurrency', '4', '-n', '40', '--max-tokens', '40', ...body);
    expect(summary.counts).toMatchObject({ ok: 40, failed: 0 });
    expect(codes(summary)).toContain('textless-answers');
    expect(summary.itlMs!.mean! / summary.tpotMs!.mean!).toBeCloseTo(1, 1);
  });

  describe.runIf(Number.isInteger(pid) && pid > 1)('whose process may be stopped', () => {
    test('for four seconds: all streams fell silent at once, and the figures without it are told', async () => {
      const under = start(run('stopped', '--concurrency', '8', '--duration', '14s', ...lengths));
      await new Promise((resolve) => setTimeout(resolve, 6000));
      process.kill(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 4000));
      process.kill(pid, 'SIGCONT');
      const summary = summaryOf(await under.done);
      expect(codes(summary)).toContain('server-silent');
      expect(summary.silences![0]!.toMs - summary.silences![0]!.fromMs).toBeGreaterThan(3000);
      expect(summary.undisturbed!.requestsPerSec!).toBeGreaterThan(summary.requestsPerSec!);
    });
    test('for ever: no answer since then, not valid, exit 5', async () => {
      const under = start(run('ended', '--concurrency', '8', '-n', '2000', ...lengths));
      await new Promise((resolve) => setTimeout(resolve, 6000));
      process.kill(pid, 'SIGKILL');
      const done = await under.done;
      const summary = summaryOf(done);
      expect([done.code, summary.verdict.valid]).toEqual([5, false]);
      expect(codes(summary)).toContain('server-gone');
    });
  });
});
