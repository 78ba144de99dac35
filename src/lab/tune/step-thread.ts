import { invariant, UserError } from '../../core/index.ts';
import { nextStep, requestsOfTrial } from '../../advice/tune/index.ts';
import type { NextStep, Trial, TrialRun, TuneRequest } from '../../advice/tune/index.ts';
import { openRun } from '../../results/store/index.ts';
import { readAnswer } from '../compute/compute-job.ts';
import { startComputeThread } from '../compute/compute-thread.ts';
import { toExactJson } from '../compute/exact-json.ts';
import { readRun } from '../fit/fit-runs-together.ts';

/** Decides what is tried next. */
export interface StepThread {
  /** null = somebody said stop meanwhile. */
  next(done: readonly Trial[]): Promise<NextStep | null>;
  close(): Promise<void>;
}

/**
 * Decides from the trials in `dir` and, where their server was real and is one that the simulator knows, from their requests.
 * A fit to requests takes seconds: it has a thread, so that an interrupt is heard meanwhile.
 */
export function openStepThread(
  { problem, server }: TuneRequest,
  dir: string,
  simulated: boolean,
  stop: AbortSignal,
): StepThread {
  const thread = startComputeThread('stopped');
  const keepsRequests =
    !simulated && server.evaluate === null && problem.family !== null && problem.family.scheduler !== 'continuous';
  const read = new Map<string, readonly TrialRun[]>();

  async function runsOf(done: readonly Trial[]): Promise<TrialRun[]> {
    const runs: TrialRun[] = [];
    for (const { number, outcome, runId } of keepsRequests ? done : []) {
      if (outcome !== 'ok' || runId === null) continue;
      const kept = read.get(runId) ?? (await requestsKept(dir, runId, number));
      read.set(runId, kept);
      runs.push(...kept);
    }
    return runs;
  }

  return {
    async next(done) {
      const runs = await runsOf(done);
      if (runs.length < 2) return nextStep(problem, done);
      const ended = (): void => void thread.drop();
      stop.addEventListener('abort', ended);
      try {
        const answer = readAnswer(await thread.do(toExactJson({ do: 'tune-step', problem, trials: done, runs })));
        invariant(answer !== null, 'a step is small');
        return answer.done as NextStep;
      } catch (error) {
        if (stop.aborted) return null;
        throw error;
      } finally {
        stop.removeEventListener('abort', ended);
      }
    },
    close: () => thread.drop(),
  };
}

/** The requests of a trial; none where its folder is gone or its answers do not tell their tokens. */
async function requestsKept(dir: string, runId: string, trial: number): Promise<TrialRun[]> {
  try {
    const run = await readRun(await openRun(dir, runId));
    return run === null ? [] : [requestsOfTrial(trial, run)];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
