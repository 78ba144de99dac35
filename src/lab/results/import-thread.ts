import { parentPort, workerData } from 'node:worker_threads';
import { invariant } from '../../core/index.ts';
import { importWhole } from './import-whole.ts';
import type { WholeFile } from './import-whole.ts';

// The file that the thread for one large document runs: whoever waits for it goes on answering, and a document that stands for more
// than the thread's memory ends the thread and nothing else.
invariant(parentPort !== null, 'this file is run as a thread');
parentPort.postMessage(await importWhole(workerData as WholeFile));
