import { randomStream } from '../../core/index.ts';
import { studentQuantile } from '../../results/measure/index.ts';
import type { Objective } from './goal-metrics.ts';
import type { Settings, TrialLoad } from './setting.ts';
import type { Trial } from './trial.ts';

/** One arm of an experiment without search. */
export interface Arm {
  name: string;
  settings: Settings;
  load: TrialLoad;
}

/** What can be said of an arm beside the first one. */
export type ArmVerdict = 'baseline' | 'better' | 'worse' | 'no-difference' | 'failures-differ' | 'too-few';

/** An arm with its figures and its verdict. */
export interface ArmResult {
  name: string;
  settings: Settings;
  ok: number;
  bad: number;
  /** Mean of the objective over its runs; null = none ended well. */
  mean: number | null;
  /** 99 % interval of its mean. */
  interval: readonly [number, number] | null;
  /** Against the first arm: ratio of means less 1, and its 99 % interval (shared among the comparisons). */
  changeRatio: number | null;
  changeInterval: readonly [number, number] | null;
  failedRatio: number | null;
  verdict: ArmVerdict;
}

/** One in a hundred comparisons of equal arms may come out as a difference. */
const falseAlarms = 0.01;
/** A difference smaller than this is told as none even when it is certain. */
const leastDifference = 0.005;
const leastRuns = 3;
/** Failure rates further apart than chance allows (two-sided 1 %), and by at least this. */
const failureGap = { z: 2.576, ratio: 0.005 };

/** The arm to run next: every round has each arm once, in an order of its own, so that drift hits all alike; null = done. */
export function nextArm(arms: readonly Arm[], repeats: number, trials: readonly Trial[], seed: number): Arm | null {
  const done = trials.filter(({ outcome }) => outcome !== 'interrupted').length;
  const round = Math.floor(done / arms.length);
  if (round >= repeats) return null;
  const random = randomStream(seed, `order of round ${round}`);
  const order = arms.map((_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return arms[order[done % arms.length]!]!;
}

/** Compares every arm with the first, on logarithms, with Welch's interval; a verdict is refused where failures differ. */
export function compareArms(arms: readonly Arm[], trials: readonly Trial[], objective: Objective): ArmResult[] {
  const looks = arms.map((arm) => looksOf(arm, trials, objective));
  const comparisons = Math.max(1, arms.length - 1);
  return arms.map((arm, i): ArmResult => {
    const own = looks[i]!;
    const base = looks[0]!;
    const change = i === 0 ? null : changeOf(base.logs, own.logs, falseAlarms / comparisons);
    return {
      name: arm.name,
      settings: arm.settings,
      ok: own.logs.length,
      bad: own.bad,
      mean: own.logs.length === 0 ? null : Math.exp(meanOf(own.logs)),
      interval: meanInterval(own.logs),
      changeRatio: change === null ? null : Math.exp(change.middle) - 1,
      changeInterval: change === null ? null : [Math.exp(change.low) - 1, Math.exp(change.high) - 1],
      failedRatio: own.issued === 0 ? null : own.failed / own.issued,
      verdict: i === 0 ? 'baseline' : verdictOf(base, own, change, objective),
    };
  });
}

interface Looks {
  logs: number[];
  bad: number;
  issued: number;
  failed: number;
}

function looksOf(arm: Arm, trials: readonly Trial[], objective: Objective): Looks {
  const own = trials.filter(({ variant, outcome }) => variant === arm.name && outcome !== 'interrupted');
  const values = own.map(({ outcome, figures }) => (outcome === 'ok' ? (figures[objective.word] ?? null) : null));
  const logs = values.filter((value) => value !== null && value > 0).map((value) => Math.log(value!));
  const counts = own.flatMap(({ summary }) => summary?.counts ?? []);
  return {
    logs,
    bad: own.length - logs.length,
    issued: counts.reduce((sum, { issued }) => sum + issued, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

interface LogChange {
  middle: number;
  low: number;
  high: number;
}

function verdictOf(base: Looks, own: Looks, change: LogChange | null, objective: Objective): ArmVerdict {
  if (failuresDiffer(base, own)) return 'failures-differ';
  if (change === null || Math.min(base.logs.length, own.logs.length) < leastRuns) return 'too-few';
  const small = Math.abs(Math.expm1(change.middle)) < leastDifference;
  if (small || (change.low <= 0 && change.high >= 0)) return 'no-difference';
  return change.middle > 0 === (objective.direction === 'most') ? 'better' : 'worse';
}

function failuresDiffer(base: Looks, own: Looks): boolean {
  if (base.bad !== own.bad && Math.abs(base.bad - own.bad) * 2 > Math.max(base.logs.length, own.logs.length))
    return true;
  if (base.issued === 0 || own.issued === 0) return false;
  const [p, q] = [base.failed / base.issued, own.failed / own.issued];
  const pooled = (base.failed + own.failed) / (base.issued + own.issued);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / base.issued + 1 / own.issued));
  return Math.abs(p - q) > failureGap.ratio && Math.abs(p - q) > failureGap.z * error;
}

function changeOf(base: readonly number[], own: readonly number[], alarms: number): LogChange | null {
  if (base.length < 2 || own.length < 2) return null;
  const [u, v] = [varianceOf(base) / base.length, varianceOf(own) / own.length];
  const middle = meanOf(own) - meanOf(base);
  const total = u + v;
  const freedom = total === 0 ? 1e6 : total ** 2 / (u ** 2 / (base.length - 1) + v ** 2 / (own.length - 1));
  const half = studentQuantile(1 - alarms / 2, Math.max(1, freedom)) * Math.sqrt(total);
  return { middle, low: middle - half, high: middle + half };
}

function meanInterval(logs: readonly number[]): readonly [number, number] | null {
  if (logs.length < 2) return null;
  const half = studentQuantile(1 - falseAlarms / 2, logs.length - 1) * Math.sqrt(varianceOf(logs) / logs.length);
  return [Math.exp(meanOf(logs) - half), Math.exp(meanOf(logs) + half)];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
