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

type Collector = () => void;
let collector: Collector | null | undefined;

/**
 * Collects garbage now, where the engine lets us ask: what was left by starting up and by a warm-up is not collected in
 * the middle of the measured part, where a collection delays every stamp by tens of milliseconds.
 */
export function collectGarbage(): void {
  collector ??= findCollector();
  collector?.();
}

function findCollector(): Collector | null {
  try {
    // The only flag that is set: it adds a function to contexts made later, and changes nothing of how V8 works.
    v8.setFlagsFromString('--expose-gc');
    const found: unknown = vm.runInNewContext('gc');
    return typeof found === 'function' ? () => void found() : null;
  } catch {
    return null;
  }
}
