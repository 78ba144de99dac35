import v8 from 'node:v8';
import vm from 'node:vm';

let collector: (() => void) | null | undefined;

/**
 * Collects garbage now, where the engine lets us ask: what was left by starting up and by a warm-up is not collected in
 * the middle of the measured part, where a collection delays every stamp by tens of milliseconds.
 */
export function collectGarbage(): void {
  collector ??= findCollector();
  collector?.();
}

/**
 * While a run is measured, garbage that has grown old is collected as soon as the heap has grown by a tenth. The engine by itself
 * would let a small heap grow to four times its size first: memory that rises and falls for minutes looks like a leak, and each
 * of the rare collections takes longer. Gives back what ends this.
 */
export function keepHeapTight(): () => void {
  v8.setFlagsFromString('--heap-growing-percent=10');
  return () => v8.setFlagsFromString('--heap-growing-percent=0');
}

function findCollector(): (() => void) | null {
  try {
    v8.setFlagsFromString('--expose-gc');
    const found: unknown = vm.runInNewContext('gc');
    v8.setFlagsFromString('--no-expose-gc');
    return typeof found === 'function' ? () => void found() : null;
  } catch {
    return null;
  }
}
