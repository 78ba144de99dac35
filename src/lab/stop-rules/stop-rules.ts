import type { RunPlan, RunState, StopRule, StoppedBecause } from '../../core/index.ts';
import { parseSlo } from '../../results/measure/index.ts';
import { budgetWatch } from './budget-watch.ts';
import { failureWatch } from './failure-watch.ts';
import { parseStop } from './parse-stop.ts';
import { saturationWatch } from './saturation-watch.ts';
import { sloWatch } from './slo-watch.ts';
import type { StopReason, StopWatch } from './stop-watch.ts';

/** The stop rules of one run, and which of them ended it. */
export interface StopRules {
  rules: readonly StopRule[];
  /** Asks the rules that also judge while nothing ends; absent = there are none. */
  tick?(state: RunState): 'go' | 'stop-sending';
  /** The first rule that spoke; null = none did. */
  reason(): StoppedBecause | null;
}

/** Makes the rules of a plan. When one speaks no more is sent, and what is in flight ends. */
export function stopRulesOf(plan: RunPlan): StopRules {
  let spoken: StoppedBecause | null = null;
  const hear = (
    text: string,
    state: RunState,
    reason: StopReason | null,
  ): ReturnType<NonNullable<StopRules['tick']>> => {
    if (reason === null) return 'go';
    spoken = {
      rule: text.trim(),
      atMs: state.nowMs,
      message: reason.says.en,
      evidence: reason.evidence,
      zh: reason.says.zh,
    };
    return 'stop-sending';
  };
  const watches = (plan.stopWhen ?? []).flatMap((text) => watchesOf(text, plan).map((watch) => ({ text, watch })));
  const rules = watches.map(({ text, watch }): StopRule => (state, last) => {
    if (spoken !== null) return 'stop-sending';
    return hear(text, state, watch.look(state, last));
  });
  const ticking = watches.filter(({ watch }) => watch.tick !== undefined);
  const tick = (state: RunState): ReturnType<typeof hear> => {
    for (const { text, watch } of ticking) if (spoken === null) hear(text, state, watch.tick!(state));
    return spoken === null ? 'go' : 'stop-sending';
  };
  return { rules, ...(ticking.length > 0 && { tick }), reason: () => spoken };
}

function watchesOf(text: string, plan: RunPlan): StopWatch[] {
  const wish = parseStop(text);
  switch (wish.kind) {
    case 'failed':
      return [failureWatch(wish.limitRatio)];
    case 'saturated':
      return [saturationWatch(wish.windowMs)];
    case 'budget':
      return [budgetWatch(wish.budget)];
    case 'slo-lost': {
      const planned = plan.durationMs === null ? plan.requests : null;
      const opening = plan.load.kind === 'closed' ? (plan.load.concurrency ?? 0) : 0;
      return plan.slo.flatMap((goal) => sloWatch(parseSlo(goal), planned, opening) ?? []);
    }
  }
}
