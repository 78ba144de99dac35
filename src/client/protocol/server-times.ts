import type { ServerTimes } from '../../core/index.ts';
import type { ParsedEvent } from './protocol.ts';

/** vLLM's `metrics` of one request (`--enable-per-request-metrics`), in ms; null = none that can be read. */
export function metricsTimes(metrics: unknown): ParsedEvent | null {
  if (typeof metrics !== 'object' || metrics === null) return null;
  const told = metrics as Record<string, unknown>;
  return timesPart({
    queueMs: told['queue_time_ms'],
    prefillMs: told['time_to_first_token_ms'],
    decodeMs: told['generation_time_ms'],
  });
}

/** Times as a server told them, in ms; null = none of them is a time. */
export function timesPart(told: Partial<Record<keyof ServerTimes, unknown>>): ParsedEvent | null {
  const times: ServerTimes = {
    queueMs: timeIn(told.queueMs),
    prefillMs: timeIn(told.prefillMs),
    decodeMs: timeIn(told.decodeMs),
    totalMs: timeIn(told.totalMs),
  };
  return Object.values(times).every((time) => time === null) ? null : { kind: 'times', times };
}

function timeIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
