// A server is probed, and everything that was asked of it stays: lost probes named, repeated prompts told apart, the runs ready for another fit.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dyno, start } from './dyno.ts';
import { ownProfile } from './own-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'llmdyno-probe-'));
const profile = ownProfile(folder, {
  cost: { aMs: 20, cMsPerDecode: 0.2, p1MsPerPrefillToken: 0.2, kMsPer1000KvTokens: 0.5 },
  maxBatchSize: 8,
  scheduler: { name: 'vllm-v1', settings: { enable_prefix_caching: true } },
});

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

it('a probe that is stopped ends as interrupted, and says where what was asked is kept', async () => {
  const engine = start(['engine', '--profile', profile, '--port', '0', '--speed', '8', '--json']);
  try {
    const { url } = JSON.parse(await engine.until('out', /\}\s*$/)) as { url: string };
    const store = ['--store', join(folder, 'stopped'), '--lang', 'en'];
    const running = start(['fit', url, '--probe', ...store]);
    await running.until('err', /probe 2\/1\d/);
    running.child.kill('SIGINT');
    const { code, err } = await running.done;
    expect(code).toBe(130);
    const [, id] = /kept as (\S+): dyno fit \1/.exec(err) ?? [];
    const { points } = JSON.parse((await dyno(['runs', 'show', id!, '--json', ...store])).out) as { points: unknown[] };
    expect(points.length).toBeGreaterThan(0);
  } finally {
    engine.child.kill();
    await engine.done;
  }
});
