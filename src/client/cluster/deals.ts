import { partOf } from '../../inputs/arrival/index.ts';
import type { Deal } from './cluster-words.ts';

/** The deal that an ask due at `atMs` of the phase falls under. */
function dealAt(deals: readonly Deal[], atMs: number): Deal | null {
  let found: Deal | null = null;
  for (const deal of deals) if (deal.fromMs <= atMs) found = deal;
  return found;
}

/** Whose ask number `seq` of an open loop is, when it is due at `atMs` of the phase; null = nobody's. */
export function ownerOf(deals: readonly Deal[], seq: number, atMs: number): string | null {
  const order = dealAt(deals, atMs)?.order ?? [];
  return order.length === 0 ? null : order[seq % order.length]!;
}

/** Splits a load over members: slots as evenly as they go, and asks only to those that have one. */
export function dealOver(
  members: readonly string[],
  concurrency: number | null,
  { number, fromMs }: Pick<Deal, 'number' | 'fromMs'>,
): Deal {
  if (concurrency === null) return { number, fromMs, order: [...members], slots: null };
  const slots: Record<string, number> = {};
  for (const [index, member] of members.entries()) slots[member] = partOf(concurrency, index, members.length);
  return { number, fromMs, order: members.filter((member) => slots[member]! > 0), slots };
}
