import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

const mostBytes = 4 * 1024 * 1024;

/** How running a tool ended. Text is what it printed, whatever the ending. */
export interface ToolRun {
  outcome: 'ok' | 'failed' | 'timeout' | 'missing' | 'too-long';
  code: number | null;
  out: string;
  err: string;
  tookMs: number;
}

/**
 * Runs a tool in a process group of its own, in the C locale, and never waits longer than timeoutMs: a tool that hangs is
 * killed with everything it started. Never throws.
 */
export function runTool(
  command: string,
  args: readonly string[],
  options: {
    timeoutMs: number;
    env?: Readonly<Record<string, string | undefined>>;
    cwd?: string;
    /** Ends the tool early. */
    stop?: AbortSignal;
  },
): Promise<ToolRun> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const text = { out: '', err: '' };
    let settled = false;
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...(options.env ?? process.env), LC_ALL: 'C', LANG: 'C' },
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    });
    const done = (outcome: ToolRun['outcome'], code: number | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      options.stop?.removeEventListener('abort', end);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ outcome, code, ...text, tookMs: performance.now() - startedMs });
    };
    const kill = (outcome: ToolRun['outcome']): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
      done(outcome, null);
    };
    const end = (): void => kill('timeout');
    const timer = setTimeout(end, options.timeoutMs);
    options.stop?.addEventListener('abort', end, { once: true });
    const hear = (where: 'out' | 'err') => (piece: string) => {
      text[where] += piece;
      if (text.out.length + text.err.length > mostBytes) kill('too-long');
    };
    child.stdout.setEncoding('utf8').on('data', hear('out'));
    child.stderr.setEncoding('utf8').on('data', hear('err'));
    child.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'ENOENT' ? 'missing' : 'failed', null));
    child.once('close', (code) => done(code === 0 ? 'ok' : 'failed', code));
  });
}
