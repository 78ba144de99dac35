import { parentPort, workerData } from 'node:worker_threads';
import { serveLoadThread } from '../../src/client/load/index.ts';
import type { ThreadData } from '../../src/client/load/index.ts';
import { fromPrompts } from '../../src/inputs/workload/index.ts';
import { contractPrompts } from './contract-prompts.ts';
import { talkWorkload } from './contract-talks.ts';
import { unrehearsed } from './unrehearsed.ts';

await serveLoadThread(
  parentPort!,
  workerData as ThreadData,
  (source) =>
    Promise.resolve((phase) =>
      source === 'talks'
        ? talkWorkload()
        : fromPrompts(contractPrompts, { offset: phase === 'warmup' ? 25 : 0, cycle: true }),
    ),
  unrehearsed,
);
