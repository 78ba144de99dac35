import type { LoadPart, WaitUntil } from './pacer.ts';

/** A number that is this place's; or `later`: none is known yet, whoever knows wakes the place; null = none is left. */
export type Claimed = number | 'later' | null;

/** Which numbered requests (or conversations) of a load one place may take: every number is exactly one place's. */
export interface Claims {
  /** The next number that nobody else takes. */
  claim(): Claimed;
  /** Whether number `seq` of a schedule is this place's; a time = that is decided only then. */
  owns(seq: number, atMs: number, nowMs: number): boolean | WaitUntil;
  /** This place's slots of a closed loop. */
  part(): LoadPart;
}

/** One of several threads that send a load together; `claimed` counts the numbers they took in memory that they share. */
export interface Place {
  index: number;
  of: number;
  claimed: { requests: Int32Array; conversations: Int32Array };
}

/** The place that sends all of a load. */
export function onlyPlace(): Place {
  return { index: 0, of: 1, claimed: { requests: new Int32Array(1), conversations: new Int32Array(1) } };
}

/** What a thread may take: the next number of all, each T-th of a schedule, and its part of the slots. */
export function claimsOf({ index, of }: Place, counter: Int32Array, concurrency: number | null): Claims {
  const part = { index, of, slots: partOf(concurrency ?? 0, index, of) };
  return {
    claim: () => Atomics.add(counter, 0, 1),
    owns: (seq) => seq % of === index,
    part: () => part,
  };
}

/** One of `of` parts of a number of slots; the first ones take one more where it does not divide. */
export function partOf(slots: number, index: number, of: number): number {
  return Math.floor(slots / of) + (index < slots % of ? 1 : 0);
}
