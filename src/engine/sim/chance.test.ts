import { describe, expect, it } from 'vitest';
import type { EngineProfile, EngineRequest } from './index.ts';
import { EngineCore, schedulerNames } from './index.ts';

/** Costs nothing for a sequence more: so that what moves the steps is chance alone. */
const noisy: EngineProfile = {
  schema: 'llmdyno.engine-profile/1',
  name: 'noisy',
  title: 'noisy',
  model: 'noisy',
  source: 'made up for tests',
  date: '2026',
  cost: { aMs: 20, cMsPerDecode: 0, p1MsPerPrefillToken: 0.2, kMsPer1000KvTokens: 0 },
  jitter: { stepSigma: 0.05, runSigma: 0.05 },
  maxBatchSize: 32,
  maxPrefillTokens: null,
  kv: { blocks: 4000, blockSize: 16 },
  notes: [],
};

const load: EngineRequest[] = Array.from({ length: 60 }, (_, id) => ({
  id,
  prompt: 7919 * id,
  inputTokens: 20 + ((37 * id) % 90),
  outputTokens: 5 + ((11 * id) % 40),
  arrivalMs: 31.7 * id,
}));

/** When each request's first token and end came after a moment, as one number; sums of fractions are a hair off. */
function played(core: EngineCore, requests: readonly EngineRequest[], fromMs: number, firstId = 0): number[] {
  const times: number[] = [];
  const queue = requests.map((request) => ({
    ...request,
    id: firstId + request.id,
    arrivalMs: fromMs + request.arrivalMs,
  }));
  while (queue.length > 0 || core.step !== null) {
    const nextMs = queue[0]?.arrivalMs ?? Infinity;
    const finishes = core.step === null ? [] : core.advance(nextMs);
    for (const { id, firstTokenMs, endMs } of finishes)
      times[id - firstId] = Math.round(1e4 * (firstTokenMs + 7 * endMs - 8 * fromMs)) / 1e4;
    if (finishes.length > 0) continue;
    for (; (queue[0]?.arrivalMs ?? Infinity) <= nextMs && queue.length > 0;) {
      const request = queue.shift()!;
      core.submit(request);
      if (core.step === null) core.beginStep(request.arrivalMs);
    }
  }
  return times;
}

describe('chance in the engine', () => {
  it.each(schedulerNames)(
    'under %s prompts that it has not had before fare the same whatever was served before, and differently once more',
    (name) => {
      const profile: EngineProfile = { ...noisy, scheduler: { name, settings: {} } };
      const fresh = played(new EngineCore({ profile, seed: 3 }), load, 0);
      const used = new EngineCore({ profile, seed: 3 });
      const others = load.map((request) => ({ ...request, prompt: -1 - request.id }));
      played(used, others, 0, 1000);
      expect(played(used, load, 1_000_000, 2000)).toEqual(fresh);
      expect(played(used, load, 2_000_000, 3000)).not.toEqual(fresh);
    },
  );

  it('a request that misses a step by a hair leaves the steps after it where they were', () => {
    const first = { id: 0, prompt: 1, inputTokens: 50, outputTokens: 40, arrivalMs: 0 };
    const ends = (arrivalMs: number): number[] => {
      const core = new EngineCore({ profile: noisy, seed: 4 });
      core.submit(first);
      const times: number[] = [];
      let late: EngineRequest | null = { id: 1, prompt: 2, inputTokens: 80, outputTokens: 30, arrivalMs };
      for (let nowMs = 0; ;) {
        if (late !== null && late.arrivalMs <= nowMs) {
          core.submit(late);
          late = null;
        }
        const step = core.beginStep(nowMs);
        if (step === null) return times;
        nowMs = step.endMs;
        for (const { id } of core.endStep()) if (id === 0) times.push(nowMs);
      }
    };
    const alone = ends(Infinity);
    const edge = alone[9]!;
    const [caught, missed] = [ends(edge), ends(edge + 1e-6)];
    expect(missed[9]).toBe(caught[9]);
    expect(missed[10]).toBe(alone[10]);
    expect(missed[10]).toBeLessThan(caught[10]!);
    for (let token = 11; token < 40; token++) expect(missed[token]).toBeCloseTo(caught[token]!, 9);
  });

  it('steps scatter by what the profile says, decodes and prompts alike', () => {
    const steps = { decode: [] as number[], prefill: [] as number[] };
    for (let seed = 1; seed <= 400; seed++) {
      const core = new EngineCore({ profile: { ...noisy, jitter: { stepSigma: 0.05 } }, seed });
      core.submit({ id: 0, inputTokens: 100, outputTokens: 3, arrivalMs: 0 });
      const first = core.beginStep(0)!;
      steps.prefill.push(first.endMs / 40);
      core.endStep();
      const second = core.beginStep(first.endMs)!;
      steps.decode.push((second.endMs - second.startMs) / 20);
    }
    for (const factors of Object.values(steps)) {
      const logs = factors.map(Math.log);
      const sigma = Math.sqrt(logs.reduce((sum, value) => sum + value * value, 0) / logs.length);
      // Four standard errors of a standard deviation from 400.
      expect(Math.abs(sigma / 0.05 - 1)).toBeLessThan(4 / Math.sqrt(800));
    }
  });
});
