import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { printable } from '../../core/index.ts';
import { storeModes } from '../../results/store/index.ts';
import type { Journal } from './journal.ts';
import { identityOf, isSameProcess } from '../../results/store/index.ts';
import type { ProcessIdentity } from '../../results/store/index.ts';
import { shellWord, shellWords } from './server-words.ts';
import type { ServerWords, StartWords } from './server-words.ts';
import type { Settings } from './setting.ts';
import type { TrialOutcome } from './trial.ts';

/** How a start went: up, or one of the outcomes with its cause. */
export type StartResult = { up: true } | { up: false; outcome: TrialOutcome; cause: string };

/** What servers say when they run out of memory. */
const outOfMemory =
  /out of memory|outofmemory|\boom\b|no available memory|memory is not enough|alloc(?:ation)? failed.*(?:hbm|memory)/i;
const pollMs = 100;
const mostLogBytes = 262_144;

/**
 * A shell that goes on only at a word from here, said once its pid is in the journal: whoever is killed before that
 * leaves no server that nobody knows of, as the shell then reads the end of its input and ends.
 */
const untilToldToGo = 'read -r DYNO_GO || exit 1; exec </dev/null; ';

/** One server between its start and its stop. */
export class Server {
  #child: ChildProcess | null = null;
  #identity: ProcessIdentity | null = null;
  #exit: { code: number | null; signal: string | null } | null = null;
  #logFrom = 0;
  #running = false;

  constructor(
    private readonly words: ServerWords,
    private readonly journal: Journal,
    private readonly logFile: string,
  ) {}

  get running(): boolean {
    return this.#running;
  }

  /** Starts it with the settings and waits until it says it is ready. */
  async start(settings: Settings, stop: AbortSignal): Promise<StartResult> {
    const { start } = this.words;
    if (start === null) return { up: true };
    const text = startText(start, settings);
    const stopText = start.stop === null ? defaultStop(start) : start.stop;
    this.#logFrom = await sizeOf(this.words.ready.logFile ?? this.logFile);
    this.#exit = null;
    await this.journal.write({ kind: 'starting', how: start.kind, stop: stopText });
    const env = { ...process.env, ...start.env, ...settingsEnv(this.words, settings) };
    const log = openSync(this.logFile, 'a', storeModes().file);
    const child = spawn('sh', ['-c', `${untilToldToGo}${text}`], {
      cwd: start.cwd ?? undefined,
      env,
      stdio: ['pipe', log, log],
      detached: true,
    });
    // Nobody reads any more: the shell ended by itself, which 'exit' tells.
    child.stdin?.on('error', () => {});
    closeSync(log);
    this.#child = child;
    this.#running = true;
    // The end of an earlier server may be told only after the next one was started.
    const ended = (code: number | null, signal: string | null): void => {
      if (this.#child === child) this.#exit = { code, signal };
    };
    child.once('exit', ended);
    child.once('error', (error) => ended(null, error.message));
    if (child.pid !== undefined) {
      this.#identity = await identityOf(child.pid);
      try {
        await this.journal.write({ kind: 'started', server: this.#identity, stop: stopText });
      } catch (error) {
        child.stdin?.end();
        throw error;
      }
      child.stdin?.end('go\n');
    }
    return this.#untilReady(start, stop);
  }

  async #untilReady(start: StartWords, stop: AbortSignal): Promise<StartResult> {
    const { ready } = this.words;
    const endMs = performance.now() + ready.timeoutMs;
    const stays = start.kind === 'command' || start.kind === 'docker' || start.kind === 'ssh';
    while (performance.now() < endMs) {
      if (stop.aborted) return { up: false, outcome: 'interrupted', cause: 'interrupted' };
      if (this.#exit !== null && (stays || this.#exit.code !== 0)) return this.#crash();
      if (await this.#saysReady()) return { up: true };
      await pause(pollMs);
    }
    const log = await this.log();
    if (outOfMemory.test(log)) return { up: false, outcome: 'oom', cause: causeIn(log) };
    return {
      up: false,
      outcome: 'not-ready',
      cause: `not ready within ${Math.round(ready.timeoutMs / 1000)} s${log.trim() === '' ? '' : `; last words: ${lastLine(log)}`}`,
    };
  }

  async #saysReady(): Promise<boolean> {
    const { url, log, address } = this.words.ready;
    if (log !== null && !(await this.log()).includes(log)) return false;
    if (url !== null) return answers(url);
    if (log !== null) return true;
    const kind = this.words.start?.kind;
    // A script and a unit are started once they came back.
    if ((kind === 'script' || kind === 'systemd') && this.#exit?.code !== 0) return false;
    return address === undefined ? kind === 'command' || this.#exit?.code === 0 : hears(address);
  }

  async #crash(): Promise<StartResult> {
    return { up: false, ...(await this.crashCause()) };
  }

  /** Whether the process is gone though nobody stopped it. */
  get died(): boolean {
    return (
      this.#running &&
      this.#exit !== null &&
      this.words.start?.kind !== 'script' &&
      this.words.start?.kind !== 'systemd'
    );
  }

  /** Why it died, from its own last words. */
  async crashCause(): Promise<{ outcome: TrialOutcome; cause: string }> {
    // The last words may still be on their way to the file.
    await pause(20);
    const log = await this.log();
    const how = this.#exit?.signal ?? `exit code ${this.#exit?.code ?? '?'}`;
    if (outOfMemory.test(log)) return { outcome: 'oom', cause: causeIn(log) };
    return { outcome: 'crashed', cause: `${how}${log.trim() === '' ? '' : `: ${lastLine(log)}`}` };
  }

  /** Whether it answers its health address, or, without one, whether its process lives. */
  async healthy(): Promise<boolean> {
    if (this.died) return false;
    const { url } = this.words.ready;
    return url === null ? true : answers(url);
  }

  /** Stops what was started here, by its own stop command and by pid, and nothing else. */
  async stop(): Promise<void> {
    const { start } = this.words;
    if (start === null || !this.#running) return;
    const stopText = start.stop ?? defaultStop(start);
    if (stopText !== null) await shell(stopText, start.cwd, start.stopTimeoutMs);
    if (this.#identity !== null && this.#child?.exitCode === null)
      await endProcess(this.#identity, start.stopTimeoutMs);
    this.#running = false;
    await this.journal.write({ kind: 'stopped', server: this.#identity });
    this.#child = null;
  }

  /** Ends it without waiting for it: this process is about to be gone. */
  stopNow(): void {
    const { start } = this.words;
    const child = this.#child;
    if (start === null || !this.#running) return;
    const stopText = start.stop ?? defaultStop(start);
    if (stopText !== null)
      spawn('sh', ['-c', stopText], { cwd: start.cwd ?? undefined, detached: true, stdio: 'ignore' }).unref();
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      // It ended by itself.
    }
  }

  /** What it has said since its start. */
  async log(): Promise<string> {
    const file = this.words.ready.logFile ?? this.logFile;
    try {
      const handle = await open(file, 'r');
      try {
        const { size } = await handle.stat();
        const from = size < this.#logFrom ? 0 : Math.max(this.#logFrom, size - mostLogBytes);
        const bytes = Buffer.alloc(Math.max(0, size - from));
        await handle.read(bytes, 0, bytes.length, from);
        return bytes.toString('utf8');
      } finally {
        await handle.close();
      }
    } catch {
      return '';
    }
  }
}

/** The shell text that starts a server with its settings filled in. */
export function startText(start: StartWords, settings: Settings): string {
  const filled = start.text.replaceAll(/\{(flags|[A-Za-z_][\w.-]*)\}/g, (whole, name: string, at: number) => {
    if (name === 'flags') return flagsOf(settings);
    if (!Object.hasOwn(settings, name)) return whole;
    // `{bind} vllm serve` is words; in `--model={model}` and in quotes it is a part of one.
    const [before, after] = [start.text[at - 1] ?? ' ', start.text[at + whole.length] ?? ' '];
    const alone = /\s/.test(before) && /\s/.test(after);
    return (alone ? shellWords : shellWord)(String(settings[name]));
  });
  if (start.kind === 'docker') return `exec docker run --rm --name ${dockerName} ${filled}`;
  if (start.kind === 'systemd') return `systemctl restart ${shellWord(filled)}`;
  return start.kind === 'script' ? filled : `exec ${filled}`;
}

/** Settings as flags of a command line: `--max-num-seqs 256`; true is the flag alone, false leaves it out. */
export function flagsOf(settings: Settings): string {
  return Object.entries(settings)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => {
      const flag = name.startsWith('-') ? name : `--${name.replaceAll('_', '-')}`;
      return value === true ? flag : `${flag} ${shellWord(String(value))}`;
    })
    .join(' ');
}

const dockerName = `dyno-tune-${process.pid}`;

function defaultStop(start: StartWords): string | null {
  if (start.kind === 'docker') return `docker stop ${dockerName}`;
  return start.kind === 'systemd' ? `systemctl stop ${shellWord(start.text)}` : null;
}

/** Settings for the server's environment: those that the file names, and all of them as DYNO_SET_name for scripts. */
export function settingsEnv(words: ServerWords, settings: Settings): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) env[`DYNO_SET_${name.replaceAll(/\W/g, '_')}`] = String(value);
  for (const [name, variable] of Object.entries(words.env)) {
    if (Object.hasOwn(settings, name)) env[variable] = String(settings[name]);
  }
  return env;
}

/** Ends a process and its group, gently first; only if it is still the very process that was started. */
export async function endProcess(identity: ProcessIdentity, patienceMs: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isSameProcess(identity))) return;
    try {
      process.kill(-identity.pid, signal);
    } catch {
      return;
    }
    const endMs = performance.now() + patienceMs;
    while (performance.now() < endMs && (await isSameProcess(identity))) await pause(20);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(5000), redirect: 'manual' });
    await reply.body?.cancel();
    return reply.status < 400;
  } catch {
    return false;
  }
}

/** Whether anybody answers at an address, whatever the answer. */
async function hears(address: string): Promise<boolean> {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(5000), redirect: 'manual' });
    await reply.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function shell(command: string, cwd: string | null, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: cwd ?? undefined, timeout: timeoutMs }, () => resolve());
  });
}

function lastLine(log: string): string {
  return printable(log.trimEnd().split('\n').at(-1) ?? '').slice(0, 300);
}

function causeIn(log: string): string {
  const line = log.split('\n').findLast((one) => outOfMemory.test(one)) ?? '';
  return printable(line.trim()).slice(0, 300);
}

function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, forMs);
  });
}
