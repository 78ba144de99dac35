import type { RunState, StopRule } from '../../core/index.ts';
import type { LazyRecord } from './lazy-record.ts';

/** Keeps the state that stop rules look at, and asks them. */
export interface RunStateTracker {
  state(): RunState;
  /** The gravest word of the rules about an ask that is over; warm-up is not judged. */
  judge(ending: LazyRecord, rules: readonly StopRule[]): ReturnType<StopRule>;
}

/** `progress` says where the run stands; outcomes are counted here. */
export function runStateTracker(progress: () => Omit<RunState, 'ok' | 'failed'>): RunStateTracker {
  let ok = 0;
  let failed = 0;
  const state = (): RunState => ({ ...progress(), ok, failed });
  return {
    state,
    judge(ending, rules) {
      if (ending.warmup) return 'go';
      if (ending.outcome === 'ok') ok++;
      if (ending.outcome === 'failed') failed++;
      if (rules.length === 0) return 'go';
      const { exchange } = ending.record();
      const words = new Set(rules.map((rule) => rule(state(), exchange)));
      if (words.has('cancel-all')) return 'cancel-all';
      return words.has('stop-sending') ? 'stop-sending' : 'go';
    },
  };
}
