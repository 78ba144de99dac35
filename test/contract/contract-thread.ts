import { parentPort, workerData } from 'node:worker_threads';
import { serveLoadThread } from '../../src/load/index.ts';
import type { ThreadData } from '../../src/load/index.ts';
import { fromPrompts } from '../../src/workload/index.ts';
import { contractPrompts } from './contract-prompts.ts';

await serveLoadThread(parentPort!, workerData as ThreadData, () =>
  Promise.resolve((phase) => fromPrompts(contractPrompts, { offset: phase === 'warmup' ? 25 : 0, cycle: true })),
);
