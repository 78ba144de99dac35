import { describe, expect, test } from 'vitest';
import { closedRun } from '../fit/index.ts';
import { builtinProfile } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { completeSummary } from './complete-summary.ts';
import { readGoal } from './goal.ts';
import { figuresOf } from './goal-metrics.ts';
import { rankChosen } from './choose-best.ts';
import { nextStep } from './next-step.ts';
import { rangeEnds } from './range-ends.ts';
import { readTuneFile } from './read-tune-file.ts';
import type { TuneRequest } from './read-tune-file.ts';
import type { TunePoint } from './setting.ts';
import type { Trial } from './trial.ts';

const [inputTokens, outputTokens] = [186, 60];

/** What a client would see of a MindIE with these settings: played in virtual time, with the profile's own jitter. */
function play(base: EngineProfile, { settings, load }: TunePoint, seed: number): Record<string, unknown> {
  const { maxBatchSize, maxPrefillBatchSize, supportSelectBatch } = settings as Record<string, number>;
  const profile: EngineProfile = {
    ...base,
    kv: null,
    scheduler: {
      name: 'mindie',
      settings: {
        maxBatchSize: maxBatchSize!,
        maxPrefillBatchSize: maxPrefillBatchSize!,
        supportSelectBatch: supportSelectBatch!,
      },
    },
  };
  const count = 6 * load.concurrency!;
  const lengths = {
    inputTokens: Array<number>(count).fill(inputTokens),
    outputTokens: Array<number>(count).fill(outputTokens),
  };
  const run = closedRun(profile, { concurrency: load.concurrency!, ...lengths }, seed);
  return {
    outputTokensPerSec: run.outputTokensPerSec,
    ttftMs: run.ttftMeanMs,
    itlMs: (run.latencyMeanMs - run.ttftMeanMs) / (outputTokens - 1),
    inputTokens,
    outputTokens: { mean: outputTokens, p50: outputTokens, p90: outputTokens },
    counts: { planned: count, ok: count },
  };
}

function request(goal: string, concurrency = 'maxBatchSize-1'): TuneRequest {
  const file = `
engine: mindie
url: http://127.0.0.1:1025
apply: {config: [{file: config.json, set: {maxBatchSize: a, maxPrefillBatchSize: b, supportSelectBatch: c}}]}
start: {command: daemon}
space:
  maxBatchSize: {from: 16, to: 272, start: 200}
  maxPrefillBatchSize: maxBatchSize/2
load: {concurrency: ${concurrency}}
budget: {runs: 10}`;
  return readTuneFile(file, 'tune.yaml', readGoal(goal));
}

function trialOf(
  { problem }: TuneRequest,
  step: Extract<ReturnType<typeof nextStep>, { kind: 'measure' }>,
  profile: EngineProfile,
  number: number,
): Trial {
  const summary = completeSummary(play(profile, step.point, step.seed), step.point.load, `${number}`)!;
  const { point, phase, seed, predicted } = step;
  const figures = figuresOf(problem.objective, problem.slos, summary);
  return {
    number,
    phase,
    variant: null,
    ...point,
    seed,
    outcome: 'ok',
    cause: null,
    figures,
    predicted,
    summary,
    runId: null,
    restarted: true,
    startedAt: null,
    durationMs: null,
  };
}

/** A whole search in virtual time. */
function search(asked: TuneRequest, profile: EngineProfile): { trials: Trial[]; because: string } {
  const trials: Trial[] = [];
  for (;;) {
    const step = nextStep(asked.problem, trials);
    if (step.kind === 'stop') return { trials, because: step.because };
    trials.push(trialOf(asked, step, profile, trials.length + 1));
  }
}

/** The largest batch whose mean decode time keeps the limit, by trying every one without jitter. */
function trueLargest(profile: EngineProfile, limitMs: number, select: boolean): number {
  const calm = { ...profile, jitter: { stepSigma: 0 } };
  const keeps = (maxBatchSize: number): boolean => {
    const settings = { maxBatchSize, maxPrefillBatchSize: Math.floor(maxBatchSize / 2), supportSelectBatch: select };
    const { itlMs } = play(calm, { settings, load: { concurrency: maxBatchSize - 1, ratePerSec: null } }, 1);
    return (itlMs as number) < limitMs;
  };
  return Array.from({ length: 257 }, (_, i) => 272 - i).find(keeps) ?? 0;
}

const long = process.env['LLMDYNO_LONG'] === '1';
const served: [string, number][] = [['qwen1.5-14b-mindie-8x910b4', 36]];
const moreServed: [string, number][] = [
  ['qwen1.5-7b-mindie-8x910b4', 30],
  ['qwq-32b-mindie-atb-4x910b3', 40],
];
const patience = { timeout: 600_000 };

describe('searches under the limits of the guide, on a MindIE in virtual time', patience, () => {
  test.each(long ? [...served, ...moreServed] : served)(
    '%s, decode below %d ms: within 5 of the largest batch in at most 3 runs after calibration',
    (name, limitMs) => {
      const profile = builtinProfile(name);
      const truth = trueLargest(profile, limitMs, true);
      const { trials } = search(request(`decode-limit=${limitMs}ms`), profile);
      const calibrated = trials.findLastIndex(({ phase }) => phase === 'calibrate');
      const next = trials.slice(calibrated + 1, calibrated + 4).map(({ settings }) => Number(settings['maxBatchSize']));
      expect(truth).toBeGreaterThan(20);
      expect(Math.min(...next.map((batch) => Math.abs(batch - truth)))).toBeLessThanOrEqual(5);
      expect(trials.length).toBeLessThanOrEqual(10);
    },
  );

  test('a load above what any batch holds in time: what kept the limits under less of it is confirmed and told', () => {
    const asked = request('ttft=8s,decode=50ms', '1000');
    const { trials, because } = search(asked, builtinProfile('qwen1.5-7b-mindie-8x910b4'));
    const [best] = rankChosen(asked.problem, trials);
    expect(best!.confirmed).toBe(true);
    expect(best!.point.load.concurrency).toBeLessThan(200);
    expect(because).toBe('confirmed');
    // No fresh run went to settings that the trials had shown to be outside.
    for (const { phase, figures } of trials)
      if (phase === 'confirm') expect([figures['ttft.mean']! < 8000, figures['itl.mean']! < 50]).toEqual([true, true]);
  });

  test('a limit that no batch of the range keeps: nothing is confirmed, the nearest is told, and the range is offered to be widened', () => {
    const asked = request('decode-limit=50ms');
    const { trials, because } = search(asked, builtinProfile('qwen2-72b-mindie-8x910b4'));
    const [best] = rankChosen(asked.problem, trials);
    expect(because).toBe('nothing-feasible');
    expect(trials.filter(({ phase }) => phase === 'confirm')).toEqual([]);
    expect([best!.confirmed, best!.point.settings['maxBatchSize']]).toEqual([false, 16]);
    expect(rangeEnds(asked.problem, best!)).toEqual([
      { setting: 'maxBatchSize', value: 16, from: 16, to: 272, side: 'low', next: 4 },
    ]);
  });
});
