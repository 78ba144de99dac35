import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Summary } from '../../src/core/index.ts';
import { dyno, emptyFolder } from './dyno.ts';

const mebi = 1024 * 1024;
/** The budget is 256 MiB; how much more the process holds depends on when the collector comes: 860 to 1,288 MiB were seen, and 2,919 before there was a budget. */
const limitMiB = 1536;
let server: Server;
afterEach(() => void server.close());

/** A server whose every answer is a head, a piece so many times over, and an end; null = it has none. */
async function heavy(type: string, head: string, piece: string, times: number, end: string | null): Promise<string> {
  const bytes = Buffer.from(piece);
  server = createServer((ask, reply) => {
    ask.resume();
    reply.on('error', () => {});
    reply.writeHead(200, { 'content-type': type });
    reply.write(head);
    let left = times;
    const more = (): void => {
      while (left > 0 && !reply.destroyed) {
        left -= 1;
        if (!reply.write(bytes)) return void reply.once('drain', more);
      }
      if (left === 0 && end !== null) reply.end(end);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\ndata: [DONE]\n\n';
const aMebi = 'a'.repeat(mebi);
const words = 'word '.repeat(200);

test.each<[string, readonly string[], () => Promise<string>]>([
  [
    'events of 31 MiB',
    [],
    () =>
      heavy('text/event-stream', 'data: {"choices":[{"index":0,"delta":{"content":"', aMebi, 31, `"}}]}\n\n${last}`),
  ],
  [
    'whole answers of 31 MiB',
    ['--no-stream'],
    () => heavy('application/json', '{"choices":[{"message":{"content":"', aMebi, 31, '"}}]}'),
  ],
  [
    'reasoning without end, in small events of one shape',
    [],
    () => heavy('text/event-stream', '', event({ reasoning_content: words }).repeat(64), Infinity, null),
  ],
])('%s, on 20 streams at once: the largest fail, and memory stays bounded', async (_, flags, begin) => {
  const tell = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))";
  const options = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
  const asked = ['--model', 'm', '--no-preflight', '--metrics', 'none', '--devices', 'none', '--lenient', '--json'];
  const load = ['--concurrency', '20', '-n', '40', '--store', await emptyFolder(), ...flags];
  const done = await dyno(['run', await begin(), ...asked, ...load], { env: { NODE_OPTIONS: options } });
  expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: expect.any(String) });
  const { counts } = JSON.parse(done.out) as Summary;
  expect(counts.ok + counts.failed).toBe(40);
  expect(Object.keys(counts.byProblem)).toEqual(['answer-too-large']);
  expect(Number(/peak (\d+)/.exec(done.err)?.[1]) / 1024).toBeLessThan(limitMiB);
});
