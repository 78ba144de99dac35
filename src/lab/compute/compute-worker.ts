import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../core/index.ts';
import { answerWork } from './compute-job.ts';
import type { ComputeReply } from './compute-thread.ts';
import type { WorkerRules } from '../runners/worker-rules.ts';

// The file that a worker's thread for CPU work runs: beside it the worker stays in touch with Redis, however long a piece takes.
invariant(parentPort !== null, 'this file is run as a thread');
const port = parentPort;
port.on('message', (text: string) => {
  const tell = (reply: ComputeReply): void => port.postMessage(reply);
  answerWork(text, workerData as Pick<WorkerRules, 'files'>).then(
    (answer) => tell({ answer }),
    (error: unknown) => tell({ broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
