import { summariseDevices } from './summarise-devices.ts';
import { summariseServer } from './summarise-server.ts';
import type { Window } from './summarise-server.ts';
import type { TelemetryLine } from './telemetry-line.ts';

type Of<K extends TelemetryLine['kind']> = Extract<TelemetryLine, { kind: K }>;

/** summary.server and summary.devices out of a run's telemetry; outputTokens is what was generated within the window. */
export function summariseTelemetry(
  lines: readonly TelemetryLine[],
  window: Window,
  outputTokens: number | null,
): { server: Record<string, unknown> | null; devices: Record<string, unknown> | null } {
  const of = <K extends TelemetryLine['kind']>(kind: K): Of<K>[] =>
    lines.filter((line): line is Of<K> => line.kind === kind);
  const missing = of('missing');
  return {
    server: summariseServer(
      of('server'),
      missing.filter((line) => line.what === 'metrics'),
      window,
    ),
    devices: summariseDevices(
      of('devices'),
      of('host'),
      missing.filter((line) => line.what !== 'metrics'),
      window,
      outputTokens,
    ),
  };
}
