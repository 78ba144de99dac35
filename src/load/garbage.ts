import { constants, PerformanceObserver } from 'node:perf_hooks';
import type { PerformanceEntry } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';

/** The engine's largest nursery for new objects, and what one of those that are made for it takes. */
const nurseryBytes = 16 * 1024 * 1024;
const nurslingBytes = 1024;

/**
 * Makes the engine's nursery as large as it gets. It grows only when much of what lies in it is still in use, which is so when a
 * thousand streams begin: each step is a pause of milliseconds then, and the last one sets off a collection of everything.
 */
export function widenNursery(): void {
  const one = Array.from({ length: nurslingBytes / 8 }, () => 0);
  const nurslings: number[][] = [];
  for (let bytes = 0; bytes < 2 * nurseryBytes; bytes += nurslingBytes) nurslings.push(one.slice());
}

/** Collects everything; told so, only what is new. */
type Collector = (what?: { type: 'minor' }) => void;
let collector: Collector | null | undefined;

/**
 * Collects garbage now, where the engine lets us ask: what was left by starting up and by a warm-up is not collected in
 * the middle of the measured part, where a collection delays every stamp by tens of milliseconds.
 */
export function collectGarbage(): void {
  collector ??= findCollector();
  collector?.();
}

/** The same of what is new only: compiled code stays. */
export function collectNewGarbage(): void {
  collector ??= findCollector();
  collector?.({ type: 'minor' });
}

/** So much that is new is worth a collection where there is time for one. */
const worthBytes = 4 * 1024 * 1024;

/** What keeps collections out of the way of a process that serves others, which knows when it has time for them. */
export const housekeeping = {
  /** Before a load. Takes some tens of milliseconds. */
  beforeRun(): void {
    widenNursery();
    collectGarbage();
  },
  /** Takes a few milliseconds if there is something to do, and next to nothing otherwise. */
  whenQuiet(): void {
    if (newBytes() > worthBytes) collectNewGarbage();
  },
};

/**
 * Asked before a collection: what may come on top until the next one is a tenth, 8 MB at the least. The engine by itself would let a small heap
 * grow to four times its size: memory that rises and falls for minutes looks like a leak, and each of the rare collections takes longer.
 */
export function limitGrowth(): void {
  v8.setFlagsFromString('--heap-growing-percent=10');
}

/** A run that lasts longer than a short one is watched for leaks; a shorter one is better off without any collection of what is old, unless that is much. */
const usualTimes = { shortRunMs: 30_000, lookMs: 1000 };
const muchBytes = 32 * 1024 * 1024;
/** A little more than the engine lets come on top of so much before it collects what is old. */
const growthOn = (levelBytes: number): number => Math.max(9 * 1024 * 1024, 0.11 * levelBytes);

/**
 * Keeps the memory of a run level. Seconds after a collection, and again after each wave of answers, the engine would collect three times more to give
 * memory back, at 20 ms of the client's core each, and take the nursery down that was made for the load. It does that only where it may mark in
 * steps, and only so are collections that are needed short. So that is allowed for a moment when one is due, long enough for it to begin; in the first
 * half minute only when much has gathered; in a huge load always, where marking in one go takes longer than all that it saves. Gives back what ends it.
 */
export function keepHeapLevel(isHuge: boolean, { shortRunMs, lookMs } = usualTimes): () => void {
  markInSteps(isHuge);
  let levelBytes = oldBytes();
  let isShort = true;
  let ended = false;
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isOfAll)) return;
    markInSteps(false);
    levelBytes = oldBytes();
  });
  const look = (): void => {
    const grownBytes = oldBytes() - levelBytes;
    const mostBytes = isShort ? muchBytes : growthOn(levelBytes);
    if (grownBytes < mostBytes) return;
    markInSteps(true);
    // After a small collection the engine looks whether it is time for a large one, and begins to mark in the round that follows.
    collectNewGarbage();
    // Where that did not come about and much has gathered, it stays allowed until a collection.
    if (grownBytes < 2 * mostBytes) setImmediate(() => setImmediate(() => markInSteps(ended)));
  };
  const lengthener = setTimeout(() => {
    isShort = false;
    limitGrowth();
  }, shortRunMs).unref();
  const looker = isHuge ? null : setInterval(look, lookMs).unref();
  if (!isHuge) observer.observe({ entryTypes: ['gc'] });
  return () => {
    ended = true;
    clearTimeout(lengthener);
    if (looker !== null) clearInterval(looker);
    observer.disconnect();
    v8.setFlagsFromString('--heap-growing-percent=0');
    markInSteps(true);
  };
}

/** Has what is new collected by this thread alone: little is, under a light load, and helpers would take processors that the server may need. Gives back what ends it. */
export function collectAlone(): () => void {
  v8.setFlagsFromString('--no-parallel-scavenge');
  return () => v8.setFlagsFromString('--parallel-scavenge');
}

function markInSteps(may: boolean): void {
  v8.setFlagsFromString(may ? '--incremental-marking' : '--no-incremental-marking');
}

function isOfAll(entry: PerformanceEntry & { detail?: { kind?: number } }): boolean {
  return entry.detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** What is in use or garbage outside the nursery. */
function oldBytes(): number {
  return usedBytes((name) => !name.startsWith('new_'));
}

function newBytes(): number {
  return usedBytes((name) => name.startsWith('new_'));
}

function usedBytes(isMeant: (space: string) => boolean): number {
  let bytes = 0;
  for (const { space_name: name, space_used_size: used } of v8.getHeapSpaceStatistics())
    if (isMeant(name)) bytes += used;
  return bytes;
}

function findCollector(): Collector | null {
  try {
    v8.setFlagsFromString('--expose-gc');
    const found: unknown = vm.runInNewContext('gc');
    v8.setFlagsFromString('--no-expose-gc');
    return typeof found === 'function' ? (...what) => void found(...what) : null;
  } catch {
    return null;
  }
}
