import type { ParsedEvent } from './protocol.ts';

/**
 * Batch sizes and queue waits (µs on the wire), one of each or lists of them, and the times of steps where an answer in one
 * piece tells them (ms, or pairs of a token and its ms); null = the server does not tell.
 */
export function stepsOf(
  batch: unknown,
  waits: unknown,
  times: unknown = null,
): Extract<ParsedEvent, { kind: 'steps' }> | null {
  const numbers = (value: unknown): number[] =>
    (Array.isArray(value) ? value : [value]).filter(
      (item): item is number => typeof item === 'number' && Number.isFinite(item) && item >= 0,
    );
  const batchSize = numbers(batch);
  const queueWaitMs = numbers(waits).map((micros) => micros / 1000);
  const timesMs = Array.isArray(times)
    ? numbers(times.map((time: unknown) => (Array.isArray(time) ? (time.at(-1) as unknown) : time)))
    : [];
  if (batchSize.length === 0 && queueWaitMs.length === 0 && timesMs.length === 0) return null;
  return { kind: 'steps', batchSize, queueWaitMs, ...(timesMs.length > 0 && { timesMs }) };
}
