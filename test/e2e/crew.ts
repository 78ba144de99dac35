import { readdir, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange, Summary } from '../../src/core/index.ts';
import { start } from './dyno.ts';
import type { Done, Running } from './dyno.ts';

/** For a worker that is to be lost: soon. */
export const lostSoon = ['--lost-after', '3s'] as const;

/** A worker in a process of its own, waiting on a queue; on a busy machine it may be silent for long without being lost. */
export async function startWorker(
  redisUrl: string,
  queue: string,
  name: string,
  options: { env?: Record<string, string>; flags?: readonly string[] } = {},
): Promise<Running> {
  const flags = ['--queue', queue, '--name', name, ...(options.flags ?? ['--lost-after', '60s'])];
  const running = start(['worker', redisUrl, ...flags], options.env === undefined ? {} : { env: options.env });
  await running.until('err', /waits on queue/);
  return running;
}

/** Ends workers that a test started, frozen ones too. */
export async function dismiss(workers: readonly Running[]): Promise<void> {
  for (const { child } of workers) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  }
  await Promise.all(workers.map(({ done }) => done));
}

/** Resolves when the only run of a store has so many records (of a kind); a run that ends before is an error. */
export async function untilRecords(
  store: string,
  count: number,
  running: Running,
  which: (record: Exchange) => boolean = () => true,
): Promise<void> {
  let over = false;
  void running.done.then(() => {
    over = true;
  });
  for (;;) {
    if ((await recordsIn(store)).filter(which).length >= count) return;
    if (over) throw new Error(`the run ended before ${count} records: ${JSON.stringify(await running.done)}`);
    await pause(20);
  }
}

/** Resolves when the only run of a store has a record of an ask that was due at `dueMs` of its clock or later. */
export async function untilDue(store: string, dueMs: number, running: Running): Promise<void> {
  let over = false;
  void running.done.then(() => {
    over = true;
  });
  while (!(await recordsIn(store)).some((record) => record.dueMs >= dueMs)) {
    if (over) throw new Error(`the run ended before ${dueMs} ms: ${JSON.stringify(await running.done)}`);
    await pause(250);
  }
}

/** Every record in the folder of the store's only run; whole lines only. */
export async function recordsIn(store: string): Promise<Exchange[]> {
  const folders = await readdir(store).catch(() => []);
  const text = await readFile(join(store, folders[0] ?? '', 'exchanges.ndjson'), 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Exchange);
}

/** What must hold of every run whatever broke: each planned ask has one record on disk and stands in one count. */
export async function booksOf(store: string, done: Done): Promise<{ summary: Summary; problems: string[] }> {
  const summary = JSON.parse(done.out) as Summary;
  const { planned, ok, failed, cancelled, dropped, unaccounted } = summary.counts;
  const records = (await recordsIn(store)).filter(({ seq }) => seq >= 0);
  const problems: string[] = [];
  if (unaccounted !== 0) problems.push(`${unaccounted} unaccounted`);
  if (ok + failed + cancelled + dropped !== planned)
    problems.push(`counts do not add up: ${JSON.stringify(summary.counts)}`);
  if (records.length !== planned) problems.push(`${records.length} records of ${planned}`);
  if (new Set(records.map(({ seq }) => seq)).size !== records.length) problems.push('a number stands twice');
  return { summary, problems };
}

/** A TCP proxy that can be told to swallow everything, as a cut cable does: nothing is closed, nothing arrives. */
export interface CuttableProxy {
  port: number;
  cut(): void;
  mend(): void;
  /** Lets so many more pieces through from those who connected, then closes everything and is gone. */
  leaveAfter(pieces: number): void;
  close(): Promise<void>;
}

export async function cuttableProxy(toPort: number): Promise<CuttableProxy> {
  let isCut = false;
  let left = Infinity;
  const sockets = new Set<Socket>();
  const leave = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(toPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (piece) => {
        if (from === near && --left < 0) leave();
        else if (!isCut) to.write(piece);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        if (!isCut) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      // What was swallowed is gone: connections from before cannot go on in the middle of a word.
      for (const socket of sockets) socket.destroy();
    },
    leaveAfter: (pieces) => {
      left = pieces;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
