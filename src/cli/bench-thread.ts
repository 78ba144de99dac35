import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../core/index.ts';
import { answerWork } from './bench-work.ts';
import type { BenchReply } from './bench-hand.ts';
import type { WorkerRules } from './worker-rules.ts';

// The file that a worker's thread for CPU work runs: beside it the worker stays in touch with Redis, however long a piece takes.
invariant(parentPort !== null, 'this file is run as a thread');
const port = parentPort;
port.on('message', (text: string) => {
  const tell = (reply: BenchReply): void => port.postMessage(reply);
  answerWork(text, workerData as Pick<WorkerRules, 'files'>).then(
    (answer) => tell({ answer }),
    (error: unknown) => tell({ broken: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
