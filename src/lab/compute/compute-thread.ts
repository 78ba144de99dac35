import { Worker as Thread } from 'node:worker_threads';
import { BrokenPromise } from '../../core/index.ts';
import type { WorkerRules } from '../runners/worker-rules.ts';

/** What the thread says to a piece of work. */
export type ComputeReply = { answer: string } | { broken: string };

/** Does pieces of work in a thread of its own, one after the other. */
export interface ComputeThread {
  do(work: string): Promise<string>;
  /** Ends the thread; the piece under way fails with `why`. */
  drop(): Promise<void>;
}

/** Starts the thread when the first job comes; prompts are read only where `rules` allow. */
export function startComputeThread(why: string, rules: Pick<WorkerRules, 'files'> = { files: [] }): ComputeThread {
  let thread: Thread | null = null;
  let fail: (error: Error) => void = () => {};
  return {
    do(work) {
      thread ??= new Thread(new URL('../lib/compute-worker.js', import.meta.url), { workerData: rules });
      const mine = thread;
      return new Promise((resolve, reject) => {
        fail = reject;
        const forget = (error: Error): void => {
          if (thread === mine) thread = null;
          reject(error);
        };
        mine.removeAllListeners();
        mine.once('error', forget);
        mine.once('exit', () => forget(new Error(why)));
        mine.once('message', (reply: ComputeReply) => {
          if ('answer' in reply) resolve(reply.answer);
          else reject(new BrokenPromise(reply.broken));
        });
        mine.postMessage(work);
      });
    },
    async drop() {
      const mine = thread;
      thread = null;
      fail(new Error(why));
      await mine?.terminate();
    },
  };
}
