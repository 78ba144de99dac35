import net from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Prompt, RunPlan } from '../core/index.ts';
import { protocolFor } from '../protocol/index.ts';
import { endpointOf } from './endpoint.ts';
import { widenNursery } from './garbage.ts';
import { Phase } from './phase.ts';
import { Pool } from './pool.ts';
import { requestWriter } from './request-text.ts';
import type { RunClock } from './run-clock.ts';
import { ServerClock } from './server-clock.ts';

/** From so many streams, or requests a second, on code that is not compiled yet is late by more than a timer is. */
const largeLoad = 100;
const answers = 1500;
const streams = 100;
const pieces = 6;
const keptEndings = 16;
/** Where it takes longer, the run does not wait for it. */
const longestMs = 3000;

let rehearsed = false;
/**
 * What was played last is kept alive: compiled code knows the shapes of the objects it met, and is thrown away with them, when the
 * collector finds none of a shape left.
 */
const kept: unknown[] = [];

/**
 * Before a large load, plays requests against a stand-in server on the loopback device of this process: the engine compiles what
 * runs often only once it has run often, and a run that begins with a thousand streams at once would stamp the tokens
 * of its first and its last tenth of a second late for that. Nothing is sent to the server under test, nothing is recorded;
 * once in a thread is enough.
 */
export async function rehearse(plan: RunPlan, clock: RunClock): Promise<void> {
  const { concurrency, ratePerSec } = plan.load;
  if (rehearsed || Math.max(concurrency ?? 0, ratePerSec ?? 0) < largeLoad) return;
  rehearsed = true;
  widenNursery();
  const server = await standIn();
  // Without a loopback device the run itself is the rehearsal.
  if (server === null) return;
  const target = { ...plainTarget, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  const endpoint = endpointOf(target);
  const pool = new Pool(endpoint, clock);
  const protocol = protocolFor(target);
  const write = requestWriter(endpoint, target, {});
  const played: RunPlan = {
    ...plan,
    target,
    load: { kind: 'closed', concurrency: streams, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
    generation: { ...plan.generation, stream: true },
    retries: 0,
  };
  let count = 0;
  const parts = {
    plan: played,
    clock,
    pool,
    settings: {
      protocol,
      timeouts: plan.timeouts,
      keepText: plan.keepText,
      originNs: clock.originNs,
      serverClock: new ServerClock(),
    },
    share: null,
    behind: null,
    encode: (ask: Parameters<typeof protocol.encode>[0]) => write(protocol.encode(ask, target)),
    emit: (ending: { record(): unknown }) => {
      kept[count++ % keptEndings] = [ending, ending.record()];
    },
  };
  const phase = new Phase(parts, () => ({ next: () => prompt }), { requests: answers, durationMs: null }, true);
  const limit = setTimeout(() => phase.cancelAll(), longestMs);
  try {
    await phase.ready();
    await phase.run(clock.nowMs());
  } finally {
    clearTimeout(limit);
    pool.close();
    server.close();
  }
}

const plainTarget = { api: 'openai-chat' as const, model: 'm', headers: {}, keyEnv: null, insecure: false };
const prompt: Prompt = {
  id: 'rehearsal',
  messages: [{ role: 'user', content: 'rehearsal' }],
  text: null,
  inputTokens: null,
  maxTokens: null,
  labels: {},
};

/** Answers every request on a connection with a short stream, a piece in each round; null = it cannot listen here. */
function standIn(): Promise<net.Server | null> {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      let left = pieces;
      const say = (): void => {
        left--;
        socket.write(left === pieces - 1 ? head + piece : left === 0 ? last : piece);
        if (left > 0) setImmediate(say);
      };
      say();
    });
  });
  return new Promise((resolve) => {
    // Also later on: where handles are short, connections of the rehearsal are refused, and that is all.
    server.on('error', () => resolve(null));
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const said = (content: string, finish: string | null): unknown => ({
  id: 'rehearsal',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const usage = { prompt_tokens: 1, completion_tokens: pieces, total_tokens: pieces + 1 };
const piece = chunk(event(said('word ', null)));
const last =
  chunk(event(said('', 'stop'))) +
  chunk(event({ id: 'rehearsal', object: 'chat.completion.chunk', choices: [], usage })) +
  chunk('data: [DONE]\n\n') +
  '0\r\n\r\n';
