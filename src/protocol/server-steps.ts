import type { Heard } from './protocol.ts';

/** Batch sizes and queue waits (µs on the wire), one of each or lists of them; null = the server does not tell. */
export function stepsOf(batch: unknown, waits: unknown): Extract<Heard, { kind: 'steps' }> | null {
  const numbers = (value: unknown): number[] =>
    (Array.isArray(value) ? value : [value]).filter(
      (item): item is number => typeof item === 'number' && Number.isFinite(item) && item >= 0,
    );
  const batchSize = numbers(batch);
  const queueWaitMs = numbers(waits).map((micros) => micros / 1000);
  return batchSize.length === 0 && queueWaitMs.length === 0 ? null : { kind: 'steps', batchSize, queueWaitMs };
}
