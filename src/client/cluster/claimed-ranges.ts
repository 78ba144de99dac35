import type { PhaseName } from '../load/index.ts';
import type { RequestLedger } from './request-ledger.ts';

/**
 * Numbers that members of a closed loop have claimed, with their entries in the claims stream; a range is forgotten once all its
 * requests are done.
 */
export class ClaimedRanges {
  #ranges: { entry: string; from: number; to: number; phase: PhaseName }[] = [];

  add(range: { entry: string; from: number; to: number; phase: PhaseName }): void {
    this.#ranges.push(range);
  }

  /** Forgets ranges that are done; returns the first entry that is still needed, null = nothing was forgotten. */
  forget(phase: PhaseName | null, ledger: RequestLedger): string | null {
    const open = this.#ranges.findIndex((one) => one.phase === phase && !ledger.areDone(one.from, one.to));
    const gone = open === -1 ? this.#ranges.length - 1 : open;
    if (gone <= 0) return null;
    this.#ranges.splice(0, gone);
    return this.#ranges[0]!.entry;
  }
}
