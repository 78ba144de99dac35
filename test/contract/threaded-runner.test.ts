import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { startEngine } from '../../src/engine/http/index.ts';
import type { RunningEngine } from '../../src/engine/http/index.ts';
import { makeThreadedRunner } from '../../src/client/load/index.ts';
import { builtinProfile } from '../../src/engine/sim/index.ts';
import { runnerContract } from './runner-contract.ts';
import { talkContract } from './talk-contract.ts';

let engine: RunningEngine;
let entry: URL;
beforeAll(async () => {
  // Threads run plain JavaScript: the thread's file is bundled as the product's is.
  const outfile = join(mkdtempSync(join(tmpdir(), 'llmdyno-thread-')), 'thread.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'contract-thread.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  entry = pathToFileURL(outfile);
  engine = await startEngine({ profile: builtinProfile('qwen1.5-7b-mindie-8x910b4'), speed: 10, models: ['any'] });
});
afterAll(() => engine.close());

for (const threads of [2, 4]) {
  runnerContract(
    `sockets in ${threads} threads`,
    // The contract's prompts are made again in each thread: fifty questions, warm-up from the twenty-fifth on.
    () => Promise.resolve(makeThreadedRunner({ threads, entry, source: null, secrets: {} })),
    () => `${engine.url}/v1/chat/completions`,
    { rulesLag: true },
  );
  talkContract(
    `sockets in ${threads} threads`,
    () => Promise.resolve(makeThreadedRunner({ threads, entry, source: 'talks', secrets: {} })),
    () => `${engine.url}/v1/chat/completions`,
  );
}
