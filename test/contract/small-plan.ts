import type { RunPlan } from '../../src/core/index.ts';

/** A small plan; the url is filled in by whoever starts the server. */
export function smallPlan(url: string, change: Partial<RunPlan> = {}): RunPlan {
  return {
    label: null,
    target: { url, api: 'openai-chat', model: 'any', headers: {}, keyEnv: null, insecure: false },
    dataset: { spec: 'test', kind: 'test', name: 'test', hash: null, items: 50, bytes: null, offset: 0, cycled: true },
    generation: { stream: true, maxTokens: 8, minTokens: null, temperature: null, ignoreEos: true, stop: [], body: {} },
    load: { kind: 'closed', concurrency: 8, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
    requests: 60,
    durationMs: null,
    warmup: null,
    // Only against waiting for ever: tests of timeouts name their own.
    timeouts: { connectMs: 60_000, ttftMs: null, readMs: 60_000, totalMs: 120_000 },
    seed: 3,
    slo: [],
    keepText: true,
    ...change,
  };
}
