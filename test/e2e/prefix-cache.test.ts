import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { dyno, start } from './dyno.ts';
import { ownProfile } from './own-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'llmdyno-prefix-'));
const profile = ownProfile(folder, {
  cost: { aMs: 20, cMsPerDecode: 0.1, p1MsPerPrefillToken: 0.05, kMsPer1000KvTokens: 0 },
  maxBatchSize: 32,
  scheduler: { name: 'vllm-v1', settings: { enable_prefix_caching: true } },
});
const words =
  '--dataset shared-prefix:groups=3,prefix=256 --input-tokens 48 --output-tokens 8 --concurrency 1 --requests 24 --seed 7 --json --quiet'.split(
    ' ',
  );

function summaryOf(out: string): Summary {
  return JSON.parse(out) as Summary;
}

it('the live engine and virtual time find the same beginnings: 21 of 24 prompts of 304 tokens find 256', async () => {
  const engine = start(['engine', '--profile', profile, '--port', '0', '--speed', '10', '--json']);
  try {
    const { url } = JSON.parse(await engine.until('out', /\}\s*$/)) as { url: string };
    const live = summaryOf((await dyno(['run', url, ...words, '--store', join(folder, 'live')])).out);
    const virtual = summaryOf(
      (await dyno(['sim', '--profile', profile, ...words, '--store', join(folder, 'sim')])).out,
    );
    const off = summaryOf(
      (await dyno(['sim', '--profile', profile, ...words, '--set', 'enable_prefix_caching=false', '--store', folder]))
        .out,
    );
    expect(virtual.cachedInputRatio).toBeCloseTo((21 * 256) / (24 * 304), 10);
    expect(live.cachedInputRatio).toBeCloseTo(virtual.cachedInputRatio!, 10);
    // What the prompts allow is known from their text, so to a block of each prompt of 19.
    expect(virtual.eligibleInputRatio! - virtual.cachedInputRatio!).toBeLessThan(1 / 19);
    expect(virtual.eligibleInputRatio).toBeGreaterThan(virtual.cachedInputRatio! - 1 / 19);
    expect(live.eligibleInputRatio).toBeCloseTo(virtual.eligibleInputRatio!, 1);
    expect(off.cachedInputRatio).toBeNull();
    expect(off.eligibleInputRatio).toBeUndefined();
    expect(virtual.ttftMs!.mean).toBeLessThan(off.ttftMs!.mean!);
  } finally {
    engine.child.kill();
    await engine.done;
  }
});
