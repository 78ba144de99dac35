import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionTally } from './connection-tally.ts';
import { endpointsOf } from './endpoint.ts';
import { Pool } from './pool.ts';
import { startClock } from './run-clock.ts';

let server: Server;
let open: Set<Socket>;
let tally: ConnectionTally;
/** Beside what really passed. */
let passedMs: number;

beforeEach(async () => {
  open = new Set();
  tally = new ConnectionTally();
  passedMs = 0;
  server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

function poolOf(hasSpare: boolean): Pool {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { url, api: 'openai-chat' as const, model: 'm', headers: {}, keyEnv: null, insecure: false };
  const clock = startClock();
  return new Pool(endpointsOf(target, {})[0]!, { ...clock, nowMs: () => clock.nowMs() + passedMs }, tally, hasSpare);
}

/** Long enough for what was put off to happen, and for a refusal on this host to arrive. */
async function rounds(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

const made = (): number => tally.read().connecting?.count ?? 0;

describe('a pool with a spare', () => {
  it('whoever takes the last idle connection has another opened; nobody else has', async () => {
    const pool = poolOf(true);
    await pool.warm(1);
    const taken = [];
    for (let n = 1; n <= 4; n++) {
      taken.push(pool.take());
      await vi.waitFor(() => expect(made()).toBe(n + 1));
    }
    expect(taken.map(({ fresh }) => fresh)).toEqual([false, false, false, false]);
    for (const { connection } of taken) pool.give(connection);
    for (let n = 1; n <= 4; n++) expect(pool.take().fresh).toBe(false);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(pool.opened).toBe(5);
    pool.close();
  });

  it('one that would be too old when it is needed is replaced shortly before, another is not', async () => {
    const pool = poolOf(true);
    await pool.warm(1);
    pool.expect(25);
    await rounds();
    await rounds();
    expect(pool.opened).toBe(1);
    passedMs = 10_000;
    pool.expect(25);
    await vi.waitFor(() => expect(made()).toBe(2));
    await vi.waitFor(() => expect(open.size).toBe(1));
    expect(pool.take().fresh).toBe(false);
    pool.close();
  });

  it('closed before the spare is made or while it is, it leaves no connection behind', async () => {
    for (const spares of [0, 1]) {
      const pool = poolOf(true);
      await pool.warm(1);
      const { connection } = pool.take();
      while (pool.opened < 1 + spares) await new Promise((resolve) => setImmediate(resolve));
      pool.close();
      connection.destroy();
      await vi.waitFor(() => expect(open.size).toBe(0));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect([pool.opened, open.size]).toEqual([1 + spares, 0]);
    }
  });
});

it('a server that takes no spare is asked for one again only after an answer', async () => {
  const pool = poolOf(true);
  await pool.warm(1);
  const { connection } = pool.take();
  // Closed before the spare is opened, which waits for the round of the event loop to end.
  server.close();
  await rounds();
  const another = pool.take().connection;
  await vi.waitFor(() => expect(pool.opened).toBe(3));
  await rounds();
  pool.take().connection.destroy();
  await rounds();
  expect(pool.opened).toBe(4);
  pool.give(connection);
  expect(pool.take()).toEqual({ connection, fresh: false });
  await vi.waitFor(() => expect(pool.opened).toBe(5));
  another.destroy();
  connection.destroy();
  pool.close();
});

it('a pool without a spare opens what is asked for and no more', async () => {
  const pool = poolOf(false);
  await pool.warm(2);
  expect([pool.take().fresh, pool.take().fresh, pool.take().fresh]).toEqual([false, false, true]);
  await vi.waitFor(() => expect(made()).toBe(3));
  expect(pool.opened).toBe(3);
});
