import type { PhaseName } from '../load/index.ts';
import type { Order } from './cluster-words.ts';

/** How far the previous controller got, as its orders in Redis tell. */
export interface FormerStand {
  /** The phase that was under way, or ended last; null = none had begun. */
  phase: Extract<Order, { say: 'begin' }> | null;
  /** Phases before it. */
  done: Set<PhaseName>;
  stop: 'stop-sending' | 'cancel-all' | null;
}

export function standOf(orders: readonly Order[]): FormerStand {
  const done = new Set(orders.flatMap((order) => (order.say === 'finish' ? [order.phase] : [])));
  const begun = orders.filter((order): order is Extract<Order, { say: 'begin' }> => order.say === 'begin');
  const phase = begun.findLast((order) => !done.has(order.phase)) ?? begun.at(-1) ?? null;
  if (phase !== null) done.delete(phase.phase);
  const stop = orders.findLast(({ say }) => say === 'stop-sending' || say === 'cancel-all')?.say;
  return { phase, done, stop: stop === 'stop-sending' || stop === 'cancel-all' ? stop : null };
}
