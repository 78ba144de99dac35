import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineProfile } from '../../src/engine/sim/index.ts';

/** Writes an engine profile made up for a test, with these parts of its own; the path of its file. */
export function ownProfile(folder: string, parts: Pick<EngineProfile, 'cost' | 'maxBatchSize' | 'scheduler'>): string {
  const file = join(folder, 'small.json');
  const profile = {
    schema: 'llmdyno.engine-profile/1',
    name: 'small',
    title: 'small',
    model: 'small',
    source: 'made up for tests',
    date: '2026',
    jitter: { stepSigma: 0 },
    maxPrefillTokens: null,
    kv: { blocks: 4000, blockSize: 16 },
    notes: [],
    ...parts,
  };
  writeFileSync(file, JSON.stringify(profile));
  return file;
}
