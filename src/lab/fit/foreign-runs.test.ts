// What `vllm bench serve --save-detailed` keeps, written from a server with known constants: one fit of several files finds it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dynoHere } from '../../../test/in-process.ts';
import { playRun } from '../../advice/fit/index.ts';
import { builtinProfile } from '../../engine/sim/index.ts';
import { foreignRuns } from './foreign-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'dyno-foreign-'));
afterAll(() => rmSync(folder, { recursive: true }));

const profile = {
  ...builtinProfile('llama-3-8b-vllm-rtx4090'),
  jitter: { stepSigma: 0 },
  cost: { aMs: 12, cMsPerDecode: 0.05, p1MsPerPrefillToken: 0.06, kMsPer1000KvTokens: 0.05 },
};

/** One result file; `change` spoils it. */
function detailed(name: string, concurrency: number, count: number, input: number, change: object = {}): string {
  const asked = Array.from({ length: count }, () => ({
    sentMs: 0,
    promptTokens: input,
    cachedTokens: 0,
    outputTokens: 24,
  }));
  const { requests } = playRun(profile, { concurrency, requests: asked, warmup: [] });
  const seconds = Math.max(...requests.map(({ sentMs, latencyMs }) => sentMs + latencyMs)) / 1000;
  const file = join(folder, name);
  const each = <T>(of: (request: (typeof requests)[number]) => T): T[] => requests.map(of);
  writeFileSync(
    file,
    JSON.stringify({
      model_id: 'm',
      num_prompts: count,
      max_concurrency: concurrency,
      request_rate: 'inf',
      duration: seconds,
      completed: count,
      failed: 0,
      request_throughput: count / seconds,
      output_throughput: (24 * count) / seconds,
      input_lens: each(() => input),
      output_lens: each(() => 24),
      start_times: each(({ sentMs }) => 5000 + sentMs / 1000),
      ttfts: each(({ ttftMs }) => ttftMs / 1000),
      itls: each(({ gapsMs }) => gapsMs.map((gap) => gap / 1000)),
      errors: each(() => ''),
      ...change,
    }),
  );
  return file;
}

describe('files that tell each request', () => {
  const files = [detailed('a.json', 4, 16, 300), detailed('b.json', 4, 16, 1500), detailed('c.json', 16, 48, 200)];

  it('are runs as their client saw them, on the clock of their first request', async () => {
    const { runs } = (await foreignRuns(files, 'auto'))!;
    expect(runs.map(({ name, concurrency }) => [name, concurrency])).toEqual([
      ['a.json', 4],
      ['b.json', 4],
      ['c.json', 16],
    ]);
    expect(runs[1]!.requests[0]).toMatchObject({ sentMs: 0, promptTokens: 1500, outputTokens: 24, headersMs: null });
    expect(runs[1]!.requests.every(({ gapsMs }) => gapsMs.length === 23)).toBe(true);
  });

  it('one dyno fit takes all of them together, twice the same concurrency too, and finds what a prompt costs', async () => {
    const { out, code } = await dynoHere(['fit', ...files, '--set', 'max_num_seqs=64', '--json', '--store', folder]);
    const { sweeps, skipped } = JSON.parse(out) as {
      sweeps: { profile: { cost: { aMs: number; p1MsPerPrefillToken: number }; fit: { fittedTo: string } } }[];
      skipped: unknown[];
    };
    expect([code, skipped]).toEqual([0, []]);
    const { cost, fit } = sweeps[0]!.profile;
    expect(fit.fittedTo).toBe('3 runs together');
    expect(Math.abs(cost.aMs / 12 - 1)).toBeLessThan(0.1);
    expect(Math.abs(cost.p1MsPerPrefillToken / 0.06 - 1)).toBeLessThan(0.25);
  });

  it.each([
    ['no lengths', { input_lens: [] }],
    ['a length that no prompt has', { input_lens: Array.from({ length: 16 }, () => 1e300) }],
    ['more tokens than could be read', { output_lens: Array.from({ length: 16 }, () => 900_000) }],
    ['gaps below nothing', { itls: Array.from({ length: 16 }, () => Array.from({ length: 23 }, () => -1)) }],
  ])('a file with %s is none of them', async (_what, change) => {
    expect(await foreignRuns([files[0]!, detailed('d.json', 4, 16, 300, change)], 'auto')).toBeNull();
  });

  it('where they tell summaries only, the refusal says which files would do', async () => {
    const bare = { start_times: [], itls: [], ttfts: [] };
    const two = [detailed('e.json', 4, 16, 300, bare), detailed('f.json', 8, 16, 300, bare)];
    const { code, err } = await dynoHere(['fit', ...two, '--store', folder, '--lang', 'en']);
    expect(code).toBe(2);
    expect(err).toContain('vllm bench serve --save-detailed');
  });
});
