import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Exchange, Summary } from '../../core/index.ts';
import type { TelemetryLine } from './telemetry-line.ts';
import { summariseDevices } from './summarise-devices.ts';
import { summariseServer } from './summarise-server.ts';
import type { Window } from './summarise-server.ts';

/** A sampler under way beside a run, as the run holds it. Nothing here throws: telemetry never ends a run. */
export interface RunTelemetry {
  /** The run's clock is known now, its zero on CLOCK_MONOTONIC in decimal nanoseconds; `write` keeps each line from here on. */
  start(originNs: string | null, write: (line: string) => void): void;
  /** One exchange ended; tells when measuring began and ended. */
  saw(exchange: Exchange): void;
  /** Ends the sampler; resolves soon, whatever the tools do. */
  stop(): Promise<void>;
  /** What goes into the summary. */
  collect(
    summary: Pick<Summary, 'outputTokensPerSec' | 'durationMs' | 'flow' | 'ttftMs' | 'tpotMs' | 'latencyMs'>,
  ): Pick<Summary, 'server' | 'devices'>;
}

const readyWithinMs = 3000;
const goneWithinMs = 1500;
const mostLines = 200_000;

/**
 * Starts `command` (a sampler that takes its orders as the first line of stdin and prints TelemetryLines with atMs in ms of CLOCK_MONOTONIC) and waits until it is ready, so
 * that its start does not fall into the measured time. It ends when its stdin does, so it cannot outlive this process.
 */
export async function makeRunTelemetry(
  command: readonly string[],
  orders: object,
  env: NodeJS.ProcessEnv,
): Promise<RunTelemetry> {
  const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'], detached: true, env });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin!.on('error', () => {});
  child.stdin!.write(`${JSON.stringify(orders)}\n`);
  const lines: TelemetryLine[] = [];
  let originMs: number | null = null;
  let write: (line: string) => void = () => {};
  let early: TelemetryLine[] = [];
  let window: { fromMs: number; toMs: number } | null = null;
  const keep = (line: TelemetryLine, zeroMs: number): void => {
    const placed = { ...line, atMs: Math.round((line.atMs - zeroMs) * 1000) / 1000 };
    if (lines.length < mostLines) lines.push(placed);
    write(JSON.stringify(placed));
  };
  const hear = (line: TelemetryLine): void => {
    if (originMs === null) early.push(line);
    else keep(line, originMs);
  };
  await ready(child, hear, exited);
  return {
    start(originNs, keepLine) {
      write = keepLine;
      originMs = originNs === null ? 0 : Number(BigInt(originNs) / 1000n) / 1000;
      for (const line of early) keep(line, originMs);
      early = [];
    },
    saw({ warmup, sentMs, endMs }) {
      if (warmup || sentMs === null) return;
      window = { fromMs: Math.min(window?.fromMs ?? sentMs, sentMs), toMs: Math.max(window?.toMs ?? endMs, endMs) };
    },
    async stop() {
      child.stdin!.end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          child.kill('SIGKILL');
          resolve();
        }, goneWithinMs);
      });
      await Promise.race([exited, late]);
      clearTimeout(timer);
    },
    collect({ outputTokensPerSec, durationMs }) {
      const tokens =
        outputTokensPerSec === null || durationMs === null ? null : (outputTokensPerSec * durationMs) / 1000;
      return summariseTelemetry(lines, window ?? { fromMs: 0, toMs: 0 }, tokens);
    },
  };
}

/** Resolves with the sampler's first line, with its end, or when it takes too long. */
function ready(child: ChildProcess, hear: (line: TelemetryLine) => void, exited: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, readyWithinMs);
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
      const parts = (text + piece).split('\n');
      text = parts.pop()!;
      for (const part of parts) {
        const line = lineOf(part);
        if (line !== null) hear(line);
      }
      clearTimeout(timer);
      resolve();
    });
    void exited.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function lineOf(text: string): TelemetryLine | null {
  try {
    const line = JSON.parse(text) as TelemetryLine;
    return typeof line.kind === 'string' && typeof line.atMs === 'number' ? line : null;
  } catch {
    return null;
  }
}

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
