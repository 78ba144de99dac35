import dns from 'node:dns';
import net from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Exchange, RunPlan } from '../../src/core/index.ts';
import { makeLoadRunner } from '../../src/client/load/index.ts';
import { fromPrompts, plainPrompt } from '../../src/inputs/workload/index.ts';
import { freePort } from '../free-port.ts';
import { smallPlan } from './runner-contract.ts';
import { unrehearsed } from './unrehearsed.ts';

const answer = JSON.stringify({
  choices: [{ message: { content: 'ab' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const reply = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

let server: Server | null = null;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
  server = null;
});

async function listen(serve: (socket: Socket) => void, port = 0): Promise<number> {
  server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function run(
  port: number,
  change: Partial<RunPlan>,
  prompt: string,
  onEnded: (exchange: Exchange) => void = () => {},
  { host = '127.0.0.1', drain = new AbortController().signal }: { host?: string; drain?: AbortSignal } = {},
): Promise<Exchange[]> {
  const base = smallPlan(`http://${host}:${port}/v1/chat/completions`);
  const plan: RunPlan = { ...base, generation: { ...base.generation, stream: false }, ...change };
  const runner = makeLoadRunner({
    rehearsal: unrehearsed,
    workload: () => fromPrompts([plainPrompt('p', prompt)], { offset: 0, cycle: true }),
    secrets: {},
  });
  const { signal } = new AbortController();
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, { drain, cancel: signal }, [])) {
    exchanges.push(exchange);
    onEnded(exchange);
  }
  return exchanges;
}

const causes = (exchanges: readonly Exchange[]): string[] =>
  [...new Set(exchanges.map(({ outcome, problem }) => (outcome === 'ok' ? 'ok' : problem!.code)))].toSorted();

describe('a server that answers before it has read the request', () => {
  const long = 'x'.repeat(2_000_000);
  /** Calls back once per request, when its head has come; the body is read or left as `reads` says. */
  const atHead =
    (act: (socket: Socket) => void, reads: boolean) =>
    (socket: Socket): void => {
      let left = 0;
      let head = '';
      socket.on('data', (bytes: Buffer) => {
        // The next request may follow in the read that ends this one's body.
        const body = Math.min(left, bytes.length);
        left -= body;
        head += bytes.toString('latin1', body);
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        left = Number(/content-length: (\d+)/i.exec(head)![1]) - (head.length - end - 4);
        head = '';
        if (!reads) socket.pause();
        act(socket);
      });
    };
  test('and goes on reading: the answer counts', async () => {
    const port = await listen(atHead((socket) => void socket.write(reply('200 OK', answer)), true));
    const exchanges = await run(port, { requests: 12 }, long);
    expect([exchanges.length, causes(exchanges)]).toEqual([12, ['ok']]);
  });
  test('with a refusal, and closes: the refusal is the cause, not the closing', async () => {
    const port = await listen(atHead((socket) => void socket.end(reply('413 Content Too Large', '{}')), false));
    const exchanges = await run(port, { requests: 12 }, long);
    expect([exchanges.length, causes(exchanges)]).toEqual([12, ['http-4xx']]);
  });
  test('with 100 Continue that nobody asked for, then the answer', async () => {
    const port = await listen(
      atHead((socket) => void socket.write(`HTTP/1.1 100 Continue\r\n\r\n${reply('200 OK', answer)}`), true),
    );
    expect(causes(await run(port, { requests: 12 }, long))).toEqual(['ok']);
  });
});

describe('a server that is restarted in mid-run', () => {
  const serve = (socket: Socket): void => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)![1]);
      if (text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      socket.write(reply('200 OK', answer));
    });
  };
  const goDown = (): void => {
    server!.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const open: RunPlan['load'] = {
    kind: 'open',
    concurrency: null,
    ratePerSec: 400,
    arrival: { process: 'constant' },
    dropLate: false,
  };

  test('every ask ends once; those in between fail by their cause, and after it all is well', async () => {
    const port = await listen(serve, await freePort());
    let phase: 'up' | 'down' | 'back' = 'up';
    let failed = 0;
    let refused = 0;
    let well = 0;
    const enough = new AbortController();
    const asked = 40_000;
    const exchanges = await run(
      port,
      { requests: asked, load: open },
      'hi',
      ({ seq, outcome, problem }) => {
        if (phase === 'up' && seq >= 100) {
          phase = 'down';
          goDown();
        }
        if (outcome === 'failed') failed++;
        if (problem?.code === 'connect-refused') refused++;
        if (phase === 'down' && failed >= 20 && refused > 0) {
          phase = 'back';
          void listen(serve, port);
        }
        if (phase === 'back' && outcome === 'ok' && ++well === 100) enough.abort();
      },
      { drain: enough.signal },
    );
    expect(exchanges.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: asked }, (_, i) => i),
    );
    const sent = exchanges.filter(({ problem }) => problem?.code !== 'not-sent');
    // A connection that the system had taken for a server which is gone now is reset while it is being made: connect-failed.
    const ofARestart = new Set(['ok', 'connect-refused', 'connect-failed', 'reset']);
    expect(causes(sent).filter((cause) => !ofARestart.has(cause))).toEqual([]);
    expect(sent.length).toBeLessThan(asked);
    expect(sent.toSorted((a, b) => a.seq - b.seq).at(-1)!.outcome).toBe('ok');
  });

  test('with --retry what found nobody is asked again until somebody is there', async () => {
    const port = await listen(serve, await freePort());
    server!.close();
    let tried = 0;
    const refusals = setInterval(() => {
      // The first attempts are refused at once; then the server comes up.
      if (++tried === 3) void listen(serve, port);
    }, 50);
    const exchanges = await run(port, { requests: 8, retries: 8 }, 'hi');
    clearInterval(refusals);
    expect(causes(exchanges)).toEqual(['ok']);
    expect(exchanges.every(({ attempts }) => attempts > 1)).toBe(true);
  });
});

describe('a name that is not known any more in mid-run', () => {
  test('only asks that need a new connection fail, as dns; when the name is back all is well, and none is lost', async () => {
    let asked = 0;
    // Every third answer ends its connection, so that the name is needed again and again.
    const port = await listen((socket) => {
      socket.on('data', () => {
        asked++;
        const last = asked % 3 === 0;
        socket.write(reply('200 OK', answer).replace('\r\n', last ? '\r\nConnection: close\r\n' : '\r\n'));
        if (last) socket.end();
      });
    });
    // What was looked up is remembered for half a minute; here that has always passed when the next connection is made.
    const real = performance.now.bind(performance);
    let ahead = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead);
    let lookups = 0;
    const lookup = vi.spyOn(dns.promises, 'lookup').mockImplementation(((hostname: string) => {
      lookups++;
      if (lookups > 12 && lookups <= 30)
        return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }));
      ahead += 31_000;
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    }) as never);
    const timeouts = { connectMs: null, ttftMs: null, readMs: null, totalMs: null };
    try {
      const all = await run(port, { requests: 200, timeouts }, 'hi', undefined, { host: 'model.example' });
      expect(all.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i));
      expect(causes(all)).toEqual(['dns', 'ok']);
      // Asks that come together share one question.
      const failed = all.filter(({ outcome }) => outcome === 'failed').length;
      expect(failed).toBeGreaterThanOrEqual(18);
      expect(failed).toBeLessThanOrEqual(18 * 8);
      expect(all.toSorted((a, b) => a.seq - b.seq).at(-1)!.outcome).toBe('ok');
      expect(lookups).toBeGreaterThan(30);
    } finally {
      lookup.mockRestore();
      now.mockRestore();
    }
  });
});
