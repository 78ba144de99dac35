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
import { handsOver } from '../../inputs/arrival/index.ts';
import type { Protocol, ServerStamp } from '../protocol/index.ts';
import { LoadSession, phasesOf } from './load-session.ts';
import type { PhaseName } from './load-session.ts';
import { ResultQueue } from './result-queue.ts';
import { rehearse } from './rehearsal.ts';
import type { Rehearsal } from './rehearsal.ts';
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
  /** Absent = `rehearse`; whoever reads no stamps needs none. */
  rehearsal?: Rehearsal;
}

const nothingYet = { due: 0, sent: 0, inFlight: 0, heardMs: 0, heardTokens: 0 };

/** The real runner in this thread: a plan becomes requests over sockets, and their exchanges. */
export function makeLoadRunner(parts: LoadParts): Runner {
  const { behind = null, rehearsal = rehearse } = parts;
  const clock = behind === null ? startClock() : clockFrom(behind.clockMs);
  let session: LoadSession | null = null;
  let makeRecord: (() => (played: Ended) => void) | undefined;
  const tracker = runStateTracker(() => {
    const { due, sent, inFlight, heardMs, heardTokens } = session?.progress ?? nothingYet;
    return { nowMs: clock.nowMs(), due, sent, inFlight, heardMs: heardMs > 0 ? heardMs : null, heardTokens };
  });

  const run = (plan: RunPlan, stops: StopSignals, rules: readonly StopRule[]): AsyncIterable<Ended> => {
    const results = new ResultQueue<Ended>();
    const mine = new LoadSession({
      ...parts,
      workload: (phase) => parts.workload(phase),
      plan,
      clock,
      behind,
      inStride: handsOver(plan) && phasesOf(plan, behind).length > 1,
      emit: (ending) => {
        results.push(ending);
        const verdict = tracker.judge(ending, rules);
        if (verdict === 'stop-sending') mine.stopSending();
        if (verdict === 'cancel-all') mine.cancelAll();
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
          const handedOver = mine.handsOver;
          await mine.prepare(phase);
          if (!handedOver) await rehearsal(plan, clock, phase, makeRecord);
          // The measured part takes over without a pause, so it is rehearsed now.
          if (phase === 'warmup' && mine.handsOver) await rehearsal(plan, clock, 'measure', makeRecord);
          // A stop that came before or during the warm-up: nothing of the measured part is sent.
          apply();
          await mine.run(phase, null);
          // What is left of the warm-up is not recorded while the first tokens of the measured part are stamped.
          if (phase === 'warmup' && !mine.handsOver) await results.emptied();
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
    state: (): RunState => tracker.state(),
  };
}
