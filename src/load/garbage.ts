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

/**
 * Asked before a collection: seconds after one, and again after each wave of answers, the engine would collect three times more to give memory
 * back, at 20 ms of the client's core each, and take the nursery down that was made for the load. That it does only where it may collect in
 * steps; collections that are needed are made in one go meanwhile. `keepHeapTight` ends it, after half a minute or with the run.
 */
export function putOffReducing(): void {
  v8.setFlagsFromString('--no-incremental-marking');
}

/** A run that lasts longer is watched for leaks. */
const shortRunMs = 30_000;

/**
 * In a long run, garbage that has grown old is collected as soon as the heap has grown by a tenth. The engine by itself
 * would let a small heap grow to four times its size first: memory that rises and falls for minutes looks like a leak, and each
 * of the rare collections takes longer. A short run is better off without any. Gives back what ends this.
 */
export function keepHeapTight(): () => void {
  const timer = setTimeout(() => {
    v8.setFlagsFromString('--heap-growing-percent=10');
    v8.setFlagsFromString('--incremental-marking');
  }, shortRunMs).unref();
  return () => {
    clearTimeout(timer);
    v8.setFlagsFromString('--heap-growing-percent=0');
    v8.setFlagsFromString('--incremental-marking');
  };
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
