import { execFile } from 'node:child_process';
import { UserError } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';
import type { ConfigKeeper } from './config-keeper.ts';
import { evaluateByCommand } from './evaluate-command.ts';
import type { Journal } from './journal.ts';
import { settingsEnv } from './server.ts';
import type { Server } from './server.ts';
import type { ServerWords } from './server-words.ts';
import { settingsKey } from './setting.ts';
import type { Settings, TunePoint } from './setting.ts';
import type { TrialOutcome } from './trial.ts';

/** A point to measure, with everything a runner needs to know about it. */
export interface TrialRequest {
  number: number;
  point: TunePoint;
  seed: number;
  requests: number;
  runId: string;
  /** Folder of the tune: run folders go there. */
  dir: string;
  title: string;
}

/** What measuring a point came to. */
export interface TrialResult {
  outcome: TrialOutcome;
  cause: string | null;
  summary: Summary | null;
  runId: string | null;
  restarted: boolean;
}

/** Measures points one after the other. */
export interface TrialRunner {
  run(trial: TrialRequest, stop: AbortSignal): Promise<TrialResult>;
  /** Puts everything back; called once, whatever happened. */
  close(): Promise<void>;
  /** The same for a process that cannot wait. */
  closeNow(): void;
}

/** What the caller does with a real server: load it, and ask it one question. */
export interface TrialExecutor {
  measure(trial: TrialRequest): Promise<{ summary: Summary; runId: string }>;
  /** null = it answered; otherwise why not. */
  probe(): Promise<string | null>;
}

const bad = (outcome: TrialOutcome, cause: string, restarted: boolean): TrialResult => ({
  outcome,
  cause,
  summary: null,
  runId: null,
  restarted,
});

/** Points measured by the user's own command. */
export function evaluateRunner(evaluate: NonNullable<ServerWords['evaluate']>): TrialRunner {
  return {
    async run({ point, seed, runId }, stop) {
      const done = await evaluateByCommand(evaluate, point, seed, runId, stop);
      if ('summary' in done) return { outcome: 'ok', cause: null, summary: done.summary, runId: null, restarted: true };
      return bad(done.outcome, done.cause, true);
    },
    close: () => Promise.resolve(),
    closeNow: () => {},
  };
}

/** Points measured on a server that is edited, restarted and asked. */
export function serverRunner(
  words: ServerWords,
  executor: TrialExecutor,
  keeper: ConfigKeeper,
  server: Server,
  journal: Journal,
): TrialRunner {
  let applied: string | null = null;

  async function bringUp(settings: Settings, stop: AbortSignal): Promise<TrialResult | null> {
    await server.stop();
    applied = null;
    try {
      await keeper.apply(settings);
      if (words.script !== null) await runScript(words, settings);
    } catch (error) {
      return bad('not-applied', (error as Error).message.slice(0, 300), true);
    }
    const start = await server.start(settings, stop);
    if (!start.up) {
      await server.stop();
      return bad(start.outcome, start.cause, true);
    }
    const silent = await executor.probe();
    if (silent !== null) {
      const died = server.died ? await server.crashCause() : null;
      await server.stop();
      return died === null ? bad('lying-ready', silent, true) : bad(died.outcome, died.cause, true);
    }
    applied = settingsKey(settings);
    return null;
  }

  /** Whether the server as it stands can be asked; notes a server that went silent between trials. */
  async function stands(settings: Settings): Promise<boolean> {
    if (applied !== settingsKey(settings)) return false;
    if (await server.healthy()) return true;
    await journal.write({
      kind: 'health',
      message: 'the server stopped answering between two trials and is started again',
    });
    return false;
  }

  return {
    async run(trial, stop) {
      const { settings } = trial.point;
      const restart = !(await stands(settings));
      if (restart) {
        const failure = await bringUp(settings, stop);
        if (failure !== null) return failure;
      }
      try {
        const { summary, runId } = await executor.measure(trial);
        return await judge(summary, runId, restart, stop);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        if (server.died) return afterDeath(restart);
        if (error.exitCode !== 3) throw error;
        applied = null;
        return bad('stopped-answering', error.mistakes[0]?.message.en ?? error.message, restart);
      }
    },
    async close() {
      await server.stop();
      await keeper.restore();
    },
    closeNow() {
      server.stopNow();
      keeper.restoreNow();
    },
  };

  async function judge(summary: Summary, runId: string, restarted: boolean, stop: AbortSignal): Promise<TrialResult> {
    if (server.died) return { ...(await afterDeath(restarted)), summary, runId };
    if (stop.aborted) return { ...bad('interrupted', 'interrupted', restarted), summary, runId };
    if (summary.counts.ok === 0 || !(await server.healthy())) {
      applied = null;
      return { ...bad('stopped-answering', failuresOf(summary), restarted), summary, runId };
    }
    return { outcome: 'ok', cause: null, summary, runId, restarted };
  }

  async function afterDeath(restarted: boolean): Promise<TrialResult> {
    applied = null;
    const { outcome, cause } = await server.crashCause();
    return bad(outcome, cause, restarted);
  }
}

function failuresOf({ counts }: Summary): string {
  const problems = Object.entries(counts.byProblem).map(([code, count]) => `${code} ${count}`);
  return `${counts.ok} of ${counts.planned} requests ended well${problems.length === 0 ? '' : ` (${problems.join(', ')})`}`;
}

function runScript(words: ServerWords, settings: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...settingsEnv(words, settings) };
    const child = execFile('sh', ['-c', words.script!], { env, timeout: 600_000 }, (error, _, err) => {
      if (error === null) resolve();
      else reject(new Error(`apply.script: ${(err.trim().split('\n').at(-1) ?? '') || error.message}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(settings));
  });
}
