import { describe, expect, test } from 'vitest';
import type { Summary } from '../../core/index.ts';
import { closedRun } from '../fit/index.ts';
import { builtinProfile } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { completeSummary } from './complete-summary.ts';
import type { Trial } from './trial.ts';
import { compareArms, nextArm } from './variants.ts';
import type { Arm, ArmVerdict } from './variants.ts';

const objective = { word: 'outputTokensPerSec', direction: 'most', pricePerHour: null } as const;
const load = { concurrency: 24, ratePerSec: null };
const base: EngineProfile = {
  ...builtinProfile('qwen1.5-7b-mindie-8x910b4'),
  // Identical runs differ by about this much on real machines.
  jitter: { stepSigma: 0.03, runSigma: 0.015 },
};
const slower: EngineProfile = {
  ...base,
  cost: {
    ...base.cost,
    aMs: base.cost.aMs * 1.1,
    cMsPerDecode: base.cost.cMsPerDecode * 1.1,
    p1MsPerPrefillToken: base.cost.p1MsPerPrefillToken * 1.1,
  },
};

function trialOf(
  arm: Arm,
  number: number,
  outputTokensPerSec: number,
  counts = { planned: 60, ok: 60, failed: 0 },
): Trial {
  const summary = completeSummary({ outputTokensPerSec, counts }, load, `${number}`) as Summary;
  return {
    number,
    phase: 'variant',
    variant: arm.name,
    settings: arm.settings,
    load,
    seed: number,
    outcome: 'ok',
    cause: null,
    figures: { outputTokensPerSec },
    predicted: null,
    summary,
    runId: null,
    restarted: true,
    startedAt: null,
    durationMs: null,
  };
}

const arms: Arm[] = [
  { name: 'a', settings: { x: 1 }, load },
  { name: 'b', settings: { x: 2 }, load },
];

/** One whole experiment in virtual time: five repeats of each arm in shuffled order, each with a seed of its own. */
function experiment(seed: number, profiles: Record<string, EngineProfile>): ArmVerdict {
  const trials: Trial[] = [];
  for (let arm = nextArm(arms, 5, trials, seed); arm !== null; arm = nextArm(arms, 5, trials, seed)) {
    const lengths = {
      inputTokens: Array<number>(60).fill(50),
      outputTokens: Array.from({ length: 60 }, (_, i) => 20 + (i % 20)),
    };
    const { outputTokensPerSec } = closedRun(
      profiles[arm.name]!,
      { concurrency: 24, ...lengths },
      seed * 100 + trials.length,
    );
    trials.push(trialOf(arm, trials.length + 1, outputTokensPerSec));
  }
  return compareArms(arms, trials, objective)[1]!.verdict;
}

describe('an experiment with variants', () => {
  test('two identical arms show no difference in at least 95 of 100 tries', () => {
    const verdicts = Array.from({ length: 100 }, (_, i) => experiment(i + 1, { a: base, b: base }));
    expect(verdicts.filter((verdict) => verdict === 'no-difference').length).toBeGreaterThanOrEqual(95);
  });

  test('an arm that is truly 10 % slower is found in at least 90 of 100 tries', () => {
    const verdicts = Array.from({ length: 100 }, (_, i) => experiment(i + 1, { a: base, b: slower }));
    expect(verdicts.filter((verdict) => verdict === 'worse').length).toBeGreaterThanOrEqual(90);
  });

  test('every round has each arm once, and rounds differ in order', () => {
    const order: string[] = [];
    const trials: Trial[] = [];
    for (let arm = nextArm(arms, 8, trials, 1); arm !== null; arm = nextArm(arms, 8, trials, 1)) {
      order.push(arm.name);
      trials.push(trialOf(arm, trials.length + 1, 100));
    }
    const rounds = Array.from({ length: 8 }, (_, i) => order.slice(2 * i, 2 * i + 2).join(''));
    expect(rounds.every((round) => round === 'ab' || round === 'ba')).toBe(true);
    expect(new Set(rounds).size).toBe(2);
  });

  test('a verdict is refused where failure rates differ, however fast the arm looks', () => {
    const values = [100, 101, 99, 100, 102];
    const trials = values.flatMap((value, i) => [
      trialOf(arms[0]!, 2 * i, value),
      trialOf(arms[1]!, 2 * i + 1, value * 1.5, { planned: 60, ok: 48, failed: 12 }),
    ]);
    expect(compareArms(arms, trials, objective)[1]!.verdict).toBe('failures-differ');
  });

  test('fewer than three good runs are too few', () => {
    const trials = [100, 101].flatMap((value, i) => [
      trialOf(arms[0]!, 2 * i, value),
      trialOf(arms[1]!, 2 * i + 1, value * 2),
    ]);
    expect(compareArms(arms, trials, objective)[1]!.verdict).toBe('too-few');
  });

  test('a time that falls is better where the least is asked', () => {
    const trials = [10, 10.1, 9.9, 10, 10.2].flatMap((value, i) => [
      trialOf(arms[0]!, 2 * i, value),
      trialOf(arms[1]!, 2 * i + 1, value * 0.8),
    ]);
    expect(compareArms(arms, trials, { ...objective, direction: 'least' })[1]!.verdict).toBe('better');
  });
});
