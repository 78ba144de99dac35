const nothing = new Int32Array(new SharedArrayBuffer(4));

/**
 * Gives the processor away for so long, and some 0.06 ms more. The kernel of a small host leaves a client that it has woken waiting for the
 * processor of the engine that woke it, though another one is idle.
 */
export function nap(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms);
}
