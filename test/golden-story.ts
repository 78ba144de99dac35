import { EngineCore } from '../src/engine/sim/index.ts';
import type { EngineProfile, EngineRequest, SchedulerName, SettingValue } from '../src/engine/sim/index.ts';

/** A step takes 10 ms, 1 more for each decode and 0.1 for each prompt token, so that every time in a golden trace is sums on paper. */
export function goldenProfile(
  name: SchedulerName,
  settings: Record<string, SettingValue>,
  kv: EngineProfile['kv'] = null,
): EngineProfile {
  return {
    schema: 'llmdyno.engine-profile/1',
    name: 'golden',
    title: 'golden',
    model: 'golden',
    source: 'made up for tests',
    date: '2026',
    cost: { aMs: 10, cMsPerDecode: 1, p1MsPerPrefillToken: 0.1, kMsPer1000KvTokens: 0 },
    jitter: { stepSigma: 0 },
    maxBatchSize: 8,
    maxPrefillTokens: 100,
    kv,
    scheduler: { name, settings },
    notes: [],
  };
}

/** Every step as a line: when it began and ended, who made a token in it, how many prompt tokens it prefilled; rests too. */
export function goldenStory(profile: EngineProfile, requests: readonly EngineRequest[]): string[] {
  const core = new EngineCore({ profile, seed: 1 });
  const queue = [...requests];
  const lines: string[] = [];
  let nowMs = 0;
  for (;;) {
    while (queue.length > 0 && queue[0]!.arrivalMs <= nowMs) core.submit(queue.shift()!);
    const step = core.beginStep(nowMs);
    if (step === null && queue.length === 0) return lines;
    if (step === null) {
      nowMs = queue[0]!.arrivalMs;
      continue;
    }
    const rests = step.batchSize === 0;
    const endMs = rests ? Math.min(step.endMs, queue[0]?.arrivalMs ?? Infinity) : step.endMs;
    const made = core.endStep().map(({ id, finished }) => `${id}${finished ? '!' : ''}`);
    const what = rests ? 'rest' : `prefill ${step.prefillTokens}, tokens of ${made.join(' ') || 'nobody'}`;
    lines.push(`${nowMs.toFixed(1)}–${endMs.toFixed(1)} ${what}`);
    nowMs = endMs;
  }
}

/** A request of a golden trace. */
export const goldenRequest = (id: number, inputTokens: number, outputTokens: number, arrivalMs = 0): EngineRequest => ({
  id,
  inputTokens,
  outputTokens,
  arrivalMs,
});
