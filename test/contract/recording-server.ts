import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createTcp } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** One request as it arrived. */
export interface Recorded {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  inFlight: number;
  secure: boolean;
}

export interface RecordingServer {
  url: string;
  /** An https address where the connection is taken and nothing is ever said. */
  silentUrl: string;
  seen: Recorded[];
  close(): Promise<void>;
}

/**
 * A server that answers OpenAI's endpoints (and vLLM's and TGI's /generate) in one sentence and keeps what it was asked. Under
 * /stall it answers nothing, under /drip a blank at a time without end, under /gather/4 nothing before four are in flight; a
 * single "Hi" is answered everywhere.
 */
export async function recordingServer(
  options: { seen?: Recorded[]; tls?: { cert: string; key: string } } = {},
): Promise<RecordingServer> {
  const seen = options.seen ?? [];
  const { tls } = options;
  const server = tls === undefined ? createServer(answering(seen)) : createSecure(tls, answering(seen));
  const held = new Set<Socket>();
  const silent = createTcp((socket) => {
    held.add(socket);
    socket.on('error', () => {});
  });
  await listening(server);
  await listening(silent);
  const portOf = (of: Server): number => (of.address() as AddressInfo).port;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${portOf(server)}`,
    silentUrl: `https://127.0.0.1:${portOf(silent)}`,
    seen,
    close: async () => {
      for (const socket of held) socket.destroy();
      await new Promise<void>((resolve) => silent.close(() => resolve()));
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function answering(seen: Recorded[]): RequestListener {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  return (req, res) => {
    const parts: Buffer[] = [];
    inFlight++;
    res.on('close', () => inFlight--);
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const path = req.url!;
      if (req.method === 'GET') {
        res.statusCode = path.includes('health') && path.includes('/sick') ? 503 : 200;
        res.end(JSON.stringify({ data: [{ id: 'listed-model' }] }));
        return;
      }
      const text = Buffer.concat(parts).toString();
      const body = JSON.parse(text) as Record<string, unknown>;
      const secure = 'encrypted' in req.socket;
      seen.push({ path, headers: req.headers, body, inFlight, secure });
      const trial = text.includes('"Hi"');
      if (path.startsWith('/stall') && !trial) return;
      if (path.startsWith('/drip') && !trial) {
        res.setHeader('content-type', 'application/json');
        const timer = setInterval(() => res.write(' '), 10);
        res.on('close', () => clearInterval(timer));
        return;
      }
      waiting.push(() => {
        res.setHeader('content-type', body['stream'] === true ? 'text/event-stream' : 'application/json');
        res.end(answerTo(path, body));
      });
      const together = trial ? 1 : Number(/^\/gather\/(\d+)\//.exec(path)?.[1] ?? 1);
      if (waiting.length < together) return;
      const all = waiting.splice(0);
      // Long enough for more to come, where more than that many are sent.
      setTimeout(() => all.forEach((answer) => answer()), 8);
    });
  };
}

function answerTo(path: string, body: Record<string, unknown>): string {
  if (path.endsWith('/generate') || path.endsWith('/generate_stream')) return generated(path, body);
  const chat = path.includes('chat');
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  const choice = (text: string, finish: string | null, key: string): unknown => ({
    index: 0,
    ...(chat ? { [key]: { content: text } } : { text }),
    finish_reason: finish,
  });
  if (body['stream'] !== true) {
    return JSON.stringify({ choices: [choice('Hello there', 'stop', 'message')], usage });
  }
  const events = [
    { choices: [choice('Hello', null, 'delta')] },
    { choices: [choice(' there', 'stop', 'delta')] },
    { choices: [], usage },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** vLLM's /generate says the prompt again; TGI's ends with details. */
function generated(path: string, body: Record<string, unknown>): string {
  if ('prompt' in body) {
    const answer = JSON.stringify({ text: [`${String(body['prompt'])} Hello there`] });
    return body['stream'] === true ? `${answer}\0` : answer;
  }
  const last = {
    token: { id: 1, text: 'Hello there', special: false },
    generated_text: 'Hello there',
    details: { finish_reason: 'length', generated_tokens: 2, input_length: 5 },
  };
  return path.endsWith('_stream') ? `data: ${JSON.stringify(last)}\n\n` : JSON.stringify(last);
}
