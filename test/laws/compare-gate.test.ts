import { describe, expect, test } from 'vitest';
import { auditedComparison } from '../../src/results/audit/index.ts';
import type { RunPlan } from '../../src/core/index.ts';
import { factsOfPlan, makeTrace, meterFor, parseGate, slicesOf, summarise } from '../../src/results/measure/index.ts';
import type { ComparedRun } from '../../src/results/measure/index.ts';
import { builtinProfile, makeSimRunner } from '../../src/engine/sim/index.ts';
import type { EngineProfile } from '../../src/engine/sim/index.ts';
import { plainPrompt } from '../../src/inputs/workload/index.ts';

// Two runs of the same engine in virtual time differ by their prompts, lengths of answers and jitter; a slower engine
// has every cost of a step multiplied. The bar: 0 false alarms or nearly so, and every true regression of 10 % found.
const usual = builtinProfile('qwen1.5-7b-mindie-8x910b4');
const slower: EngineProfile = {
  ...usual,
  cost: Object.fromEntries(
    Object.entries(usual.cost).map(([key, value]) => [key, typeof value === 'number' ? value / 0.9 : value]),
  ) as unknown as EngineProfile['cost'],
};

const plan = (seed: number): RunPlan => ({
  label: null,
  target: {
    url: 'http://virtual.invalid/',
    api: 'openai-chat',
    model: 'm',
    headers: {},
    keyEnv: null,
    insecure: false,
  },
  dataset: { spec: 't', kind: 't', name: 't', hash: null, items: null, bytes: null, offset: 0, cycled: false },
  generation: {
    stream: true,
    maxTokens: 512,
    minTokens: null,
    temperature: null,
    ignoreEos: false,
    stop: [],
    body: {},
  },
  load: { kind: 'closed', concurrency: 16, ratePerSec: null, arrival: { process: 'closed' }, dropLate: false },
  requests: 500,
  durationMs: null,
  warmup: null,
  timeouts: { connectMs: null, ttftMs: null, readMs: null, totalMs: null },
  seed,
  slo: [],
  keepText: false,
});

async function play(profile: EngineProfile, seed: number): Promise<ComparedRun> {
  const asked = plan(seed);
  let number = 0;
  const runner = makeSimRunner({
    profile,
    // The same text would be answered at the same length throughout a run.
    workload: () => ({
      next: () => ({ ...plainPrompt(`${seed}-${number}`, `why ${seed}.${number++}?`), inputTokens: 40 }),
    }),
  });
  const [meter, trace] = [meterFor(asked), makeTrace(asked.load)];
  const never = new AbortController().signal;
  for await (const { exchange } of runner.run(asked, { drain: never, cancel: never }, [])) {
    meter.add(exchange);
    trace.add(exchange);
  }
  const summary = summarise(meter, { ...factsOfPlan(asked), runId: `r${seed}`, simulated: true });
  return { id: `r${seed}`, name: `r${seed}`, summary, plan: asked, slices: slicesOf(trace) };
}

const gate = [parseGate('outputTokensPerSec<-5%'), parseGate('latency.mean>25%')];
const alone = (run: ComparedRun) => ({ id: run.id, name: run.name, points: [run] });
const fails = (a: ComparedRun, b: ComparedRun): boolean =>
  auditedComparison([alone(a), alone(b)], gate).gates.some(({ failed }) => failed);

describe('dyno compare --fail-if in virtual time', () => {
  const tries = process.env['LLMDYNO_LONG'] === '1' ? 100 : 12;
  test(`two equal runs pass in at least 95 of 100 tries, a 10 % slower engine fails in every one (${tries} tries)`, async () => {
    let [alarms, found] = [0, 0];
    for (let t = 0; t < tries; t++) {
      const baseline = await play(usual, 3 * t + 1);
      if (fails(baseline, await play(usual, 3 * t + 2))) alarms += 1;
      if (fails(baseline, await play(slower, 3 * t + 3))) found += 1;
    }
    expect(alarms).toBeLessThanOrEqual(Math.floor(tries * 0.05));
    expect(found).toBe(tries);
  }, 900_000);
});
