import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange, RandomStream } from '../../src/core/index.ts';
import { holderOf } from '../../src/results/store/index.ts';
import { start } from './dyno.ts';
import type { Done, Running } from './dyno.ts';

/** What is done to a process: one signal, Ctrl-C up to three times, or a sleep from which it wakes. */
export const blows = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGINT 2', 'SIGINT 3', 'SIGSTOP'] as const;
export type Blow = (typeof blows)[number];

/** A server of the test's own that knows what it was asked and when each answer was out. */
export interface Witness {
  url: string;
  /** Requests it was sent. */
  readonly asked: number;
  /** Moments (ms of CLOCK_MONOTONIC) at which answers had been written whole. */
  readonly ended: readonly number[];
  /** Answers under way. */
  readonly open: number;
  /** Called whenever an answer was written whole. */
  onAnswer: () => void;
  close(): Promise<void>;
}

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export async function witness(): Promise<Witness> {
  const ended: number[] = [];
  let [asked, open] = [0, 0];
  const server = createServer((ask, reply) => {
    if (ask.method === 'GET') {
      const models = JSON.stringify({ data: [{ id: 'm' }] });
      return void reply.writeHead(ask.url === '/v1/models' ? 200 : 404).end(ask.url === '/v1/models' ? models : '');
    }
    ask.resume();
    asked += 1;
    open += 1;
    reply.on('close', () => (open -= 1));
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (delta: object, finish: string | null): void =>
      void reply.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    let said = 0;
    const timer = setInterval(() => {
      said += 1;
      say({ content: 'w ' }, said === 4 ? 'length' : null);
      if (said < 4) return;
      clearInterval(timer);
      const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
      reply.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
      reply.end('data: [DONE]\n\n', () => {
        if (reply.destroyed && !reply.writableFinished) return;
        ended.push(monotonicMs());
        it.onAnswer();
      });
    }, 3);
    reply.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const it: Witness = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get asked() {
      return asked;
    },
    get open() {
      return open;
    },
    ended,
    onAnswer: () => {},
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return it;
}

/** Every file below a folder, with its size. */
export function filesBelow(dir: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of safely(() => readdirSync(dir, { recursive: true, encoding: 'utf8' }), [])) {
    const stat = safely(() => statSync(join(dir, name)), null);
    if (stat?.isFile() === true) found.set(name, stat.size);
  }
  return found;
}

/** Run folders of a store, of points inside their sweeps too: those that say what they ask. */
export function runFolders(store: string): string[] {
  return [...filesBelow(store).keys()]
    .filter((name) => name.endsWith('plan.json'))
    .map((name) => join(store, name.slice(0, -'/plan.json'.length)));
}

export function recordsOf(run: string): Exchange[] {
  const text = safely(() => readFileSync(join(run, 'exchanges.ndjson'), 'utf8'), '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exchange);
}

/** How much a command has done so far: answers it was given, files it has made, and each 4 KiB of them. */
function progressMeter(store: string, server: Witness | null): () => number {
  const before = server?.ended.length ?? 0;
  const seen = new Set<string>();
  let most = 0;
  return () => {
    let blocks = 0;
    for (const [name, size] of filesBelow(store)) {
      seen.add(name);
      blocks += Math.floor(size / 4096);
    }
    most = Math.max(most, blocks);
    return (server?.ended.length ?? 0) - before + seen.size + most;
  };
}

/** A command as a case gives it. */
export interface Command {
  words: readonly string[];
  store: string;
  server: Witness | null;
}

export interface Struck {
  done: Done & { signal: NodeJS.Signals | null };
  /** How much had been done when it was over. */
  progress: number;
  /** When the last signal was sent, ms of CLOCK_MONOTONIC. */
  struckMs: number;
  /** The longest that this process had no core meanwhile, as others on this machine had none. */
  starvedMs: number;
  /** Marks processes that descend from it. */
  tag: string;
}

let tags = 0;

/** Starts a command and strikes it when it has done so much; null = it is left in peace. */
export async function strike(
  { words, store, server }: Command,
  blow: { what: Blow; at: number; chance: RandomStream } | null,
): Promise<Struck> {
  const tag = `${process.pid}-${(tags += 1)}`;
  const running = start([...words, '--store', store], { env: { LLMDYNO_TEST_TAG: tag } });
  const signal = new Promise<NodeJS.Signals | null>((resolve) => running.child.once('exit', (_, by) => resolve(by)));
  const progress = progressMeter(store, server);
  let over = false;
  void running.done.then(() => (over = true));
  const until = async (reached: () => boolean): Promise<boolean> => {
    // A look reads every folder of the store: more often, and the looking takes more of the machine than what is looked at.
    while (!over && !reached()) await pause(4);
    return !over;
  };
  let struckMs = Infinity;
  const loop = monitorEventLoopDelay({ resolution: 10 });
  loop.enable();
  const hit = (name: NodeJS.Signals): void => {
    struckMs = monotonicMs();
    running.child.kill(name);
  };
  if (blow !== null && (await until(() => progress() >= blow.at))) {
    const [name, times = '1'] = blow.what.split(' ') as [NodeJS.Signals, string?];
    hit(name);
    for (let count = 1; count < Number(times); count += 1) {
      const next = progress() + blow.chance.below(3);
      if (await until(() => progress() >= next)) hit(name);
    }
    if (name === 'SIGSTOP') await sleepAndWake(running, server, blow.chance);
  }
  const starvedMs = loop.max / 1e6;
  loop.disable();
  return { done: { ...(await running.done), signal: await signal }, progress: progress(), struckMs, starvedMs, tag };
}

/** Lets the server write out what it still can, and then longer. */
async function sleepAndWake(running: Running, server: Witness | null, chance: RandomStream): Promise<void> {
  for (let turns = chance.below(60); turns > 0 || (server?.open ?? 0) > 0; turns -= 1) {
    await pause(5);
    // What does not read cannot be written to: a sleeper may hold answers back.
    if (turns < -200) break;
  }
  running.child.kill('SIGCONT');
}

/**
 * Answers that were out more than a second before the blow and are in no record. A second is the client's own: how late it read the
 * answers that it did keep, and how long nobody had a core on a machine that others use, is added.
 */
export function lost({ struckMs, starvedMs }: Struck, server: Witness, since: number, store: string): number {
  const ended = server.ended.slice(since).toSorted((a, b) => a - b);
  const kept = runFolders(store).flatMap((run) => {
    const { monotonicOriginNs } = JSON.parse(readFileSync(join(run, 'plan.json'), 'utf8')) as {
      monotonicOriginNs: string;
    };
    const originMs = Number(BigInt(monotonicOriginNs)) / 1e6;
    return recordsOf(run)
      .filter(({ outcome }) => outcome === 'ok')
      .map(({ endMs }) => originMs + endMs);
  });
  kept.sort((a, b) => a - b);
  const late = Math.max(0, ...kept.map((atMs, i) => atMs - (ended[i] ?? atMs)));
  return Math.max(0, ended.filter((atMs) => atMs + late + starvedMs + 1000 < struckMs).length - kept.length);
}

/** What is wrong with what a struck command left: how it ended, processes, locks. */
export async function remains({ done, tag }: Struck, what: Blow | null, store: string): Promise<string[]> {
  const wrong: string[] = [];
  if (done.code === 70 || /has a bug|at .*\.js:\d/.test(done.err)) wrong.push(`its own mistake: ${done.err}`);
  const own = what?.split(' ')[0];
  const answered = done.code === 0 || (done.code === 130 && own !== 'SIGKILL' && own !== 'SIGSTOP');
  // Before it listens to signals, and after it has stopped to, a signal ends it as it ends any process.
  const ended = done.code === null && done.signal === own;
  if (!answered && !ended) wrong.push(`ended with ${done.code} ${done.signal}: ${done.err}`);
  // A server that a tune started outlives it; the next start of dyno ends it.
  if (own !== 'SIGKILL' || ![...filesBelow(store).keys()].some((name) => name.endsWith('journal.ndjson'))) {
    const left = await lastingProcesses(tag);
    if (left.length > 0) wrong.push(`processes left: ${left.join(' ')}`);
  }
  wrong.push(...(await held(store)));
  if (done.code !== null && what !== 'SIGINT 3') wrong.push(...locks(store));
  return wrong;
}

/** Folders whose lock a living process holds; the lock of one that was killed is taken over by whoever comes next. */
export async function held(store: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const dir of foldersBelow(store)) {
    const holder = await holderOf(dir);
    if (holder !== null) wrong.push(`${dir} is held by ${holder.pid}`);
  }
  return wrong;
}

function locks(store: string): string[] {
  return [...filesBelow(store).keys()]
    .filter((name) => name.includes('lock.json'))
    .map((name) => `a lock is left: ${name}`);
}

function foldersBelow(store: string): string[] {
  const found = safely(() => readdirSync(store, { recursive: true, withFileTypes: true }), []);
  return found.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Processes of a command that do not end; those that are about to are waited for. */
export async function lastingProcesses(tag: string): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const left = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) =>
        safely(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
          .split('\0')
          .includes(`LLMDYNO_TEST_TAG=${tag}`),
      );
    if (left.length === 0 || tries > 400) return left;
    await pause(50);
  }
}

function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
