// A plain client of node:http for the tests of the simulated engine: it knows nothing of src/client/protocol.
import type { Agent, ClientRequest, IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import type { EngineProfile } from '../src/engine/sim/index.ts';
import type { EngineOptions, RunningEngine } from '../src/engine/http/index.ts';
import { startEngine } from '../src/engine/http/index.ts';

/** A quick engine in round numbers. */
export const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'quick',
  title: 'quick',
  model: 'quick-model',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 2, cMsPerDecode: 0.1, p1MsPerPrefillToken: 0.01, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: 4,
  maxPrefillTokens: null,
  kv: { blocks: 1000, blockSize: 16 },
  notes: [],
};

/** What came back. */
export interface ParsedEvent {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** What went wrong on the way; null = the answer came whole. */
  broke: string | null;
}

let running: RunningEngine[] = [];
/** Stops every engine that `start` started. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.map((engine) => engine.close()));
  running = [];
}

/** An engine ten times faster than real, unless told otherwise. */
export async function start(options: Partial<EngineOptions> = {}): Promise<RunningEngine> {
  const engine = await startEngine({ profile, speed: 10, ...options });
  running.push(engine);
  return engine;
}

/** How to call. */
export interface Sending {
  method?: string;
  agent?: Agent;
  /** Gets the request and what has come so far, after each read. */
  onRead?: (soFar: string, req: ClientRequest) => void;
}

/** Calls the engine and waits for the end, whatever it is; never rejects. */
export function call(engine: RunningEngine, path: string, body: unknown, sending: Sending = {}): Promise<ParsedEvent> {
  return new Promise((resolve) => {
    const method = sending.method ?? (body === undefined ? 'GET' : 'POST');
    const req = request(engine.url + path, { method, ...(sending.agent ? { agent: sending.agent } : {}) });
    const heard: ParsedEvent = { status: 0, headers: {}, body: '', broke: null };
    req.on('error', (error: NodeJS.ErrnoException) => resolve({ ...heard, broke: error.code ?? error.message }));
    req.on('response', (res) => {
      heard.status = res.statusCode!;
      heard.headers = res.headers;
      res.setEncoding('utf8');
      res.on('data', (text: string) => {
        heard.body += text;
        sending.onRead?.(heard.body, req);
      });
      res.on('error', (error: NodeJS.ErrnoException) => resolve({ ...heard, broke: error.code ?? error.message }));
      res.on('end', () => resolve(heard));
    });
    req.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** A chat body with whatever else is wanted in it. */
export const chat = (more: object = {}, content = 'Why is the sky blue?') => ({
  model: 'quick-model',
  messages: [{ role: 'user', content }],
  ...more,
});

/** The objects of a stream; [DONE] is left as it is. */
export const events = (body: string): any[] =>
  body
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => (event === 'data: [DONE]' ? '[DONE]' : JSON.parse(event.slice('data: '.length))));
