import { jsonIn, makeScrub, problem, secretValues } from '../../core/index.ts';
import type { Problem, RunPlan } from '../../core/index.ts';
import { Connection } from './connection.ts';
import { ConnectionTally } from './connection-tally.ts';
import { contentDecoder } from './content-decoder.ts';
import type { ContentDecoder } from './content-decoder.ts';
import { endpointOf } from './endpoint.ts';
import { Http2Pool } from './http2/http2-pool.ts';
import { contentCoding } from './refusal.ts';
import { requestWriter } from './request-text.ts';
import type { Secrets } from './request-text.ts';
import { startClock } from './run-clock.ts';

const maxBodyBytes = 1024 * 1024;

/** What one question outside the load brought back. */
export interface Fetched {
  status: number | null;
  contentType: string;
  /** What the server calls itself; null = it does not say. */
  server: string | null;
  body: string;
  /** Why there was no complete answer; null = there was one, whatever its status. */
  problem: Problem | null;
}

/** Asks one thing over a connection of its own, through the same reader and the same causes as the load. */
export function fetchOnce(
  target: RunPlan['target'],
  call: { method: 'GET' | 'POST'; url: string; body: string },
  secrets: Secrets,
  timeoutMs: number,
): Promise<Fetched> {
  const clock = startClock();
  const scrub = makeScrub(secretValues({ ...target.headers, ...secrets }, jsonIn(call.body), [call.url]));
  const endpoint = endpointOf({ ...target, url: call.url }, secrets);
  const write = requestWriter(endpoint, target, secrets);
  const request = write({
    method: call.method,
    headers: [
      ['content-type', 'application/json'],
      ['accept', '*/*'],
    ],
    body: call.body,
  });
  return new Promise((resolve) => {
    const fetched: Fetched = { status: null, contentType: '', server: null, body: '', problem: null };
    const decoder = new TextDecoder();
    const streams = endpoint.http2 === true ? new Http2Pool(endpoint, clock) : null;
    const connection =
      streams?.take().connection ?? new Connection(endpoint, clock, new Uint8Array(64 * 1024), new ConnectionTally());
    let connected = false;
    const done = (why: Problem | null): void => {
      clearTimeout(timer);
      clearImmediate(late);
      unpacker?.close();
      connection.destroy();
      streams?.close();
      const { server, body } = fetched;
      const words = why?.words ?? null;
      resolve({
        ...fetched,
        server: server === null ? null : scrub(server),
        body: scrub(body),
        problem: why === null || words === null ? why : { ...why, words: scrub(words) },
      });
    };
    const hear = (piece: Uint8Array): void => {
      if (fetched.body.length < maxBodyBytes) fetched.body += decoder.decode(piece, { stream: true });
    };
    let unpacker: ContentDecoder | null = null;
    let late: NodeJS.Immediate | undefined;
    // Timers come before sockets: what arrived while this process was held up is read first.
    const timer = setTimeout(() => {
      late = setImmediate(() =>
        done(problem(connected ? 'timeout-total' : 'connect-timeout', `no answer within ${timeoutMs / 1000} s`)),
      );
    }, timeoutMs);
    connection.send(request, {
      connected: () => {
        connected = true;
      },
      touched: () => {},
      head: (head) => {
        fetched.status = head.status;
        fetched.contentType = head.headers.get('content-type') ?? '';
        fetched.server = head.headers.get('server') ?? null;
        const coding = contentCoding(head);
        const undecodable = (words: string): void =>
          done(problem('malformed-stream', `Content-Encoding ${coding}: ${words}`, head.status));
        if (coding !== null) unpacker = contentDecoder(coding, { decoded: hear, undecodable });
      },
      body: (piece) => (unpacker === null ? hear(piece) : unpacker.push(piece, 0)),
      end: () => (unpacker === null ? done(null) : unpacker.end(() => done(null))),
      broke: (why) => done(why),
      // A connection of its own never served before.
      stale: () => done(problem('reset')),
    });
  });
}
