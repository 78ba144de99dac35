import type { RunPlan, StopRule, StoppedBecause } from '../../core/index.ts';
import { parseSlo } from '../../measure/index.ts';
import { budgetWatch } from './budget-watch.ts';
import { failureWatch } from './failure-watch.ts';
import { parseStop } from './parse-stop.ts';
import { saturationWatch } from './saturation-watch.ts';
import { sloWatch } from './slo-watch.ts';
import type { StopWatch } from './stop-watch.ts';

/** The stop rules of one run, and which of them ended it. */
export interface StopRules {
  rules: readonly StopRule[];
  /** The first rule that spoke; null = none did. */
  reason(): StoppedBecause | null;
}

/** Makes the rules of a plan. When one speaks no more is sent, and what is in flight ends. */
export function stopRulesOf(plan: RunPlan): StopRules {
  let spoken: StoppedBecause | null = null;
  const rules = (plan.stopWhen ?? []).flatMap((text) =>
    watchesOf(text, plan).map((watch): StopRule => (state, last) => {
      if (spoken !== null) return 'stop-sending';
      const reason = watch.look(state, last);
      if (reason === null) return 'go';
      spoken = {
        rule: text.trim(),
        atMs: state.nowMs,
        message: reason.says.en,
        evidence: reason.evidence,
        zh: reason.says.zh,
      };
      return 'stop-sending';
    }),
  );
  return { rules, reason: () => spoken };
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
      return plan.slo.flatMap((goal) => sloWatch(parseSlo(goal), planned) ?? []);
    }
  }
}
