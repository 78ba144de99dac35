import { inputTokensOf, outputTokensOf } from '../../core/index.ts';
import type { Exchange, Phrase } from '../../core/index.ts';
import { shown } from './stop-watch.ts';
import type { StopReason, StopWatch } from './stop-watch.ts';

/** What may be used up: requests that ended, tokens as counted, time since the first request, or money at a price. */
export type Budget =
  | { of: 'requests' | 'tokens' | 'output-tokens'; limit: number }
  | { of: 'time'; limitMs: number }
  | { of: 'cost'; limit: number; price: Price };

/** Money per hour of the run, or per million input and output tokens. */
export type Price = { perHour: number } | { perMillionInput: number; perMillionOutput: number };

/** Ends the run when the budget is used up; what is in flight then still ends, and is used beyond it. */
export function budgetWatch(budget: Budget): StopWatch {
  const used = { requests: 0, input: 0, output: 0 };
  let begunMs = Infinity;
  const add = (last: Exchange): void => {
    begunMs = Math.min(begunMs, last.dueMs);
    if (last.sentMs === null) return;
    used.requests++;
    used.input += inputTokensOf(last) ?? 0;
    used.output += outputTokensOf(last) ?? 0;
  };
  const spent = (nowMs: number): { now: number; limit: number; what: Phrase } => {
    const elapsedMs = nowMs - begunMs;
    switch (budget.of) {
      case 'requests':
        return { now: used.requests, limit: budget.limit, what: { en: 'requests', zh: '个请求' } };
      case 'tokens':
        return { now: used.input + used.output, limit: budget.limit, what: { en: 'tokens', zh: '个 token' } };
      case 'output-tokens':
        return { now: used.output, limit: budget.limit, what: { en: 'output tokens', zh: '个输出 token' } };
      case 'time':
        return { now: elapsedMs / 1000, limit: budget.limitMs / 1000, what: { en: 's', zh: '秒' } };
      case 'cost':
        return { now: costOf(budget.price, used, elapsedMs), limit: budget.limit, what: { en: 'money', zh: '费用' } };
    }
  };
  const judge = (nowMs: number): StopReason | null => {
    const { now, limit, what } = spent(nowMs);
    if (now < limit) return null;
    return {
      says: {
        en: `the budget is used up: ${shown(now)} of ${shown(limit)} ${what.en}`,
        zh: `预算已用完：${shown(now)} / ${shown(limit)} ${what.zh}`,
      },
      evidence: { used: now, limit },
    };
  };
  return {
    look(state, last) {
      add(last);
      return judge(state.nowMs);
    },
    // Time passes, and is paid for, whether or not anything ends.
    tick({ nowMs, due }) {
      if (due > 0) begunMs = Math.min(begunMs, nowMs);
      return begunMs === Infinity ? null : judge(nowMs);
    },
  };
}

function costOf(price: Price, used: { input: number; output: number }, elapsedMs: number): number {
  if ('perHour' in price) return (price.perHour * elapsedMs) / 3_600_000;
  return (used.input * price.perMillionInput + used.output * price.perMillionOutput) / 1e6;
}
