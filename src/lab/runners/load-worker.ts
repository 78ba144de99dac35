import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../core/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import { serveLoadThread } from '../../client/load/index.ts';
import type { ThreadData } from '../../client/load/index.ts';
import type { PromptSource } from '../prepare/prompt-source.ts';

// The file that each load thread runs: it opens the dataset again for itself, so that prompts need not travel.
invariant(parentPort !== null, 'this file is run as a thread');
await serveLoadThread(parentPort, workerData as ThreadData, async (source) => {
  const { spec, options, offsets } = source as PromptSource;
  const dataset = await openDataset(spec, options);
  return (phase) => dataset.workload(offsets[phase]);
});
