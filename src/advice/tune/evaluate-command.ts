import { spawn } from 'node:child_process';
import { jsonIn, printable } from '../../core/index.ts';
import { completeSummary } from './complete-summary.ts';
import type { ServerWords } from './server-words.ts';
import type { TunePoint } from './setting.ts';
import type { Summary } from '../../core/index.ts';
import type { TrialOutcome } from './trial.ts';

/** What an evaluate command came to. */
export type Evaluated = { summary: Summary } | { outcome: TrialOutcome; cause: string };

const mostBytes = 16 * 1024 * 1024;
const outcomeWords: ReadonlySet<string> = new Set([
  'crashed',
  'oom',
  'not-ready',
  'timeout',
  'stopped-answering',
  'error',
]);

/** Runs an evaluate command: settings, load and seed as one JSON object on stdin, a summary (or a part of one) on stdout. */
export function evaluateByCommand(
  { command, timeoutMs, cwd }: NonNullable<ServerWords['evaluate']>,
  point: TunePoint,
  seed: number,
  runId: string,
  stop: AbortSignal,
): Promise<Evaluated> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      cwd: cwd ?? undefined,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let out = '';
    let err = '';
    let ended: Evaluated | null = null;
    const end = (why: Evaluated): void => {
      ended ??= why;
      try {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It ended by itself in the meantime.
      }
    };
    const timer = setTimeout(
      () => end({ outcome: 'timeout', cause: `no answer within ${timeoutMs / 1000} s` }),
      timeoutMs,
    );
    const interrupted = (): void => end({ outcome: 'interrupted', cause: 'interrupted' });
    stop.addEventListener('abort', interrupted, { once: true });
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
      if (out.length > mostBytes) end({ outcome: 'error', cause: 'it printed too much' });
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      err = (err + piece).slice(-4000);
    });
    // A command that does not read its input is no mistake.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify({ schema: 'llmdyno.evaluate/1', ...point, seed })}\n`);
    child.once('error', (error) => end({ outcome: 'error', cause: error.message }));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      stop.removeEventListener('abort', interrupted);
      resolve(ended ?? readEvaluated(out, err, code, signal, point, runId));
    });
  });
}

function readEvaluated(
  out: string,
  err: string,
  code: number | null,
  signal: string | null,
  point: TunePoint,
  runId: string,
): Evaluated {
  const words = lastLine(err);
  if (code !== 0) {
    const oom = /out of memory|\boom\b/i.test(err);
    return {
      outcome: oom ? 'oom' : 'crashed',
      cause: `${signal ?? `exit code ${code}`}${words === '' ? '' : `: ${words}`}`,
    };
  }
  const printed = documentIn(out);
  if (
    typeof printed === 'object' &&
    printed !== null &&
    'error' in printed &&
    printed.error != null &&
    printed.error !== false
  ) {
    const told =
      'outcome' in printed && outcomeWords.has(String(printed.outcome)) ? (printed.outcome as TrialOutcome) : null;
    const cause = printable(typeof printed.error === 'string' ? printed.error : JSON.stringify(printed.error)).slice(
      0,
      300,
    );
    return { outcome: told ?? (/out of memory|\boom\b/i.test(cause) ? 'oom' : 'error'), cause };
  }
  const summary = completeSummary(printed, point.load, runId);
  if (summary !== null) return { summary };
  return { outcome: 'error', cause: `it printed no summary${words === '' ? '' : `: ${words}`}` };
}

/** The document on stdout: all of it, or its last line where a command talks before it answers. */
function documentIn(out: string): unknown {
  return jsonIn(out) ?? jsonIn(out.trimEnd().split('\n').at(-1) ?? '') ?? null;
}

function lastLine(text: string): string {
  return printable(text.trimEnd().split('\n').at(-1) ?? '').slice(0, 300);
}
