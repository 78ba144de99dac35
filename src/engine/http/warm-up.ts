import { Agent, request } from 'node:http';
import type { EngineProfile } from '../sim/index.ts';
import { startEngine } from './start-engine.ts';

const streams = 48;
const rounds = 5;
const body = JSON.stringify({
  model: 'warm-up',
  messages: [{ role: 'user', content: 'warm up '.repeat(20) }],
  max_tokens: 12,
  ignore_eos: true,
  stream: true,
  stream_options: { include_usage: true },
});
const profile: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'warm-up',
  title: 'warm-up',
  model: 'warm-up',
  source: 'made up',
  date: '2026',
  cost: { aMs: 1, cMsPerDecode: 0, p1MsPerPrefillToken: 0, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0 },
  maxBatchSize: streams,
  maxPrefillTokens: null,
  kv: null,
  notes: [],
};

/**
 * Plays a few answers with an engine of its own on the loopback device, as servers do before they are ready: until code has run
 * often it is not compiled, and the first batch of a cold engine leaves ten milliseconds after its step.
 */
export async function warmUp(): Promise<void> {
  const engine = await startEngine({ profile });
  const agent = new Agent({ keepAlive: true, maxSockets: streams });
  try {
    for (let i = 0; i < rounds; i++) await Promise.all(Array.from({ length: streams }, () => ask(engine.url, agent)));
  } finally {
    agent.destroy();
    await engine.close();
  }
}

/** Sends one request; a failure is ignored, because the answers are not used. */
function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const req = request(`${url}/v1/chat/completions`, { method: 'POST', agent }, (res) => {
      res.on('error', () => resolve());
      res.on('end', () => resolve());
      res.resume();
    });
    req.on('error', () => resolve());
    req.end(body);
  });
}
