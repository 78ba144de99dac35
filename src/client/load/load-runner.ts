import type {
  Ended,
  ResumePoint,
  Runner,
  RunPlan,
  RunState,
  StopRule,
  StopSignals,
  Workload,
} from '../../core/index.ts';
import type { Protocol, ServerStamp } from '../protocol/index.ts';
import { LoadSession, phasesOf } from './load-session.ts';
import type { PhaseName } from './load-session.ts';
import { ResultQueue } from './result-queue.ts';
import { rehearse } from './rehearsal.ts';
import type { Secrets } from './request-text.ts';
import { clockFrom, startClock } from './run-clock.ts';
import { runStateTracker } from './run-state-tracker.ts';

/** What the real runner is given besides the plan. */
export interface LoadParts {
  /** A fresh stream of prompts for each phase; warm-up and measuring ask different ones. */
  workload(phase: PhaseName): Workload;
  secrets: Secrets;
  /** Set for a run that goes on after an interruption. */
  behind?: ResumePoint | null;
  /** How the server stamps its events; absent = as servers made for this tool do, where it does. */
  stamp?: ServerStamp;
  /** A wire that a program brings; absent = the plan's. */
  protocol?: Protocol;
}

/** The real runner in this thread: a plan becomes requests over sockets, and their exchanges. */
export function makeLoadRunner(parts: LoadParts): Runner {
  const behind = parts.behind ?? null;
  const clock = behind === null ? startClock() : clockFrom(behind.clockMs);
  let session: LoadSession | null = null;
  let makeRecord: (() => (played: Ended) => void) | undefined;
  const idle = { due: 0, sent: 0, inFlight: 0 };
  const keeper = runStateTracker(() => ({ nowMs: clock.nowMs(), ...(session?.progress ?? idle) }));

  const run = (plan: RunPlan, stops: StopSignals, rules: readonly StopRule[]): AsyncIterable<Ended> => {
    const results = new ResultQueue<Ended>();
    const mine = new LoadSession({
      ...parts,
      workload: (phase) => parts.workload(phase),
      plan,
      clock,
      behind,
      emit: (ending) => {
        results.push(ending);
        const word = keeper.judge(ending, rules);
        if (word === 'stop-sending') mine.stopSending();
        if (word === 'cancel-all') mine.cancelAll();
      },
    });
    session = mine;
    const apply = (): void => {
      if (stops.cancel.aborted) mine.cancelAll();
      else if (stops.drain.aborted) mine.stopSending();
    };
    const live = async (): Promise<void> => {
      stops.drain.addEventListener('abort', apply);
      stops.cancel.addEventListener('abort', apply);
      try {
        for (const phase of phasesOf(plan, behind)) {
          if (phase === 'warmup' && stops.drain.aborted) continue;
          await mine.prepare(phase);
          await rehearse(plan, clock, phase, makeRecord);
          // A stop that came before or during the warm-up: nothing of the measured part is sent.
          apply();
          await mine.run(phase, null);
          // What is left of the warm-up is not recorded while the first tokens of the measured part are stamped.
          if (phase === 'warmup') await results.emptied();
        }
        results.close();
      } catch (failure) {
        results.fail(failure);
      } finally {
        stops.drain.removeEventListener('abort', apply);
        stops.cancel.removeEventListener('abort', apply);
        mine.close();
      }
    };
    void live();
    return results;
  };

  return {
    simulated: false,
    run,
    rehearseWith: (make) => {
      makeRecord = make;
    },
    monotonicOriginNs: clock.originNs.toString(),
    health: () => session?.health ?? null,
    state: (): RunState => keeper.state(),
  };
}
