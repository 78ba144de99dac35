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
