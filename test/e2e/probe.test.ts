// A server is probed, and everything that was asked of it stays: lost probes named, repeated prompts told apart, the runs ready for another fit.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dyno, start } from './dyno.ts';

const folder = mkdtempSync(join(tmpdir(), 'llmdyno-probe-'));
const profile = join(folder, 'small.json');
writeFileSync(
  profile,
  JSON.stringify({
    schema: 'llmdyno.engine-profile/1',
    name: 'small',
    title: 'small',
    model: 'small',
    source: 'made up for tests',
    date: '2026',
    cost: { aMs: 20, cMsPerDecode: 0.2, p1MsPerPrefillToken: 0.2, kMsPer1000KvTokens: 0.5 },
    jitter: { stepSigma: 0 },
    maxBatchSize: 8,
    maxPrefillTokens: null,
    kv: { blocks: 4000, blockSize: 16 },
    scheduler: { name: 'vllm-v1', settings: { enable_prefix_caching: true } },
    notes: [],
  }),
);

interface Fitted {
  sweeps: {
    profile: { kv: { blocks: number } | null; maxBatchSize: number };
    maxBatchSizeFrom: string;
    kept: string;
    repeated: { promptTokens: number; freshMs: number; againMs: number; cachedShare: number };
    heldOut: { metrics: Record<string, { measured: number; predicted: number }> };
  }[];
}

it('a probed server: limits read from it, repeated prompts beside fresh ones, every probe kept as a point of one sweep', async () => {
  const engine = start(['engine', '--profile', profile, '--port', '0', '--speed', '20', '--json']);
  try {
    const { url } = JSON.parse(await engine.until('out', /\}\s*$/)) as { url: string };
    const store = ['--store', join(folder, 'store'), '--quiet', '--json'];
    const { out, code } = await dyno(['fit', url, '--probe', '--set', 'maxBatchSize=8', ...store]);
    expect(code).toBe(0);
    const [entry] = (JSON.parse(out) as Fitted).sweeps;
    expect(entry!.maxBatchSizeFrom).toBe('given');
    expect(entry!.profile).toMatchObject({ maxBatchSize: 8, kv: { blocks: 4000, blockSize: 16 } });
    // Whole blocks of 16 are kept, and at least one token is always computed.
    expect(entry!.repeated.cachedShare).toBeGreaterThan(0.9);
    expect(entry!.repeated.promptTokens).toBeGreaterThan(0);
    expect(Object.keys(entry!.heldOut.metrics)).toContain('ttftMs.mean');
    const sweep = JSON.parse((await dyno(['runs', 'show', entry!.kept, ...store])).out) as {
      points: { label: string; counts: { planned: number; ok: number } }[];
    };
    expect(sweep.points.map(({ label }) => label)).toEqual([
      '64 → 12, 1',
      '512 → 12, 1',
      '512 → 12, 1',
      '2048 → 12, 1',
      '64 → 384, 1',
      '64 → 128, 4',
      '64 → 128, 8',
      '1024 → 128, 4',
      '512 → 128, open',
      '256 → 64, 6',
    ]);
    for (const { counts } of sweep.points) expect(counts.ok).toBe(counts.planned);
  } finally {
    engine.child.kill();
    await engine.done;
  }
});
