import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived. */
export interface Recorded {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  inFlight: number;
}

/** A server that answers OpenAI's two endpoints in one sentence and keeps what it was asked. */
export async function recordingServer(): Promise<{ url: string; seen: Recorded[]; close(): Promise<void> }> {
  const seen: Recorded[] = [];
  let inFlight = 0;
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    inFlight++;
    res.on('close', () => inFlight--);
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      if (req.method === 'GET') {
        res.end(JSON.stringify({ data: [{ id: 'listed-model' }] }));
        return;
      }
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      seen.push({ path: req.url!, headers: req.headers, body, inFlight });
      const chat = req.url!.includes('chat');
      const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
      const choice = (text: string, finish: string | null, key: string): unknown => ({
        index: 0,
        ...(chat ? { [key]: { content: text } } : { text }),
        finish_reason: finish,
      });
      // Long enough for several to be in flight.
      setTimeout(() => {
        if (body['stream'] !== true) {
          res.setHeader('content-type', 'application/json');
          res.end(JSON.stringify({ choices: [choice('Hello there', 'stop', 'message')], usage }));
          return;
        }
        res.setHeader('content-type', 'text/event-stream');
        const events = [
          { choices: [choice('Hello', null, 'delta')] },
          { choices: [choice(' there', 'stop', 'delta')] },
          { choices: [], usage },
        ];
        res.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
      }, 8);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
