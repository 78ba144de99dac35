import { userError } from '../../core/index.ts';
import type { RateShape, UserError } from '../../core/index.ts';
import { positiveDurationMs } from './readers.ts';

/** How asks come due, as it was said; the times of a trace are read later. */
export type AskedArrival =
  | { process: 'constant' | 'poisson' | 'uniform' }
  | { process: 'gamma'; shape: number }
  /** null = the dataset's own times. */
  | { process: 'trace'; file: string | null };

/** A rate that changes, as it was said: a rise to --rate within a time, or a whole shape. */
export type AskedRamp = { riseMs: number } | { shape: RateShape };

/** `poisson`, `constant`, `uniform`, `gamma(0.5)`, `trace` or `trace:FILE`. */
export function readArrival(text: string): AskedArrival {
  const word = text.trim();
  if (word === 'poisson' || word === 'constant' || word === 'uniform') return { process: word };
  if (word === 'trace') return { process: 'trace', file: null };
  if (word.startsWith('trace:') && word.length > 6) return { process: 'trace', file: word.slice(6) };
  const shape = Number(/^gamma\(\s*([\d.]+)\s*\)$/.exec(word)?.[1] ?? Number.NaN);
  if (shape >= 0.01 && shape <= 1000) return { process: 'gamma', shape };
  throw userError(
    'bad-value',
    `"${text}" is no arrival process`,
    `"${text}" 不是有效的到达过程`,
    'Choose poisson, constant, uniform, gamma(0.5) (below 1 burstier, 0.01 to 1000), trace (times of the dataset) or trace:FILE.',
    '可选 poisson、constant、uniform、gamma(0.5)（小于 1 更突发，0.01 至 1000）、trace（数据集自带时间）或 trace:文件。',
  );
}

/** `30s`, `linear(1,20,60s)`, `exponential(1,20,60s)`, `steps(5,10,20,30s)`, `spike(5,50,30s,5s)`, `sine(10,5,60s)`. */
export function readRamp(text: string): AskedRamp {
  const match = /^\s*([a-z]+)\(([^()]*)\)\s*$/.exec(text);
  if (match === null) return { riseMs: positiveDurationMs(text) };
  const parts = match[2]!.split(',').map((part) => part.trim());
  const shape = shapeOf(match[1]!, parts, text);
  return { shape };
}

function shapeOf(name: string, parts: readonly string[], text: string): RateShape {
  const rate = (i: number, least = 0): number => {
    const value = /^\d+(\.\d+)?$/.test(parts[i] ?? '') ? Number(parts[i]) : Number.NaN;
    if (!(value >= least) || value > 1e6) throw bad(text);
    return value;
  };
  const time = (i: number): number => positiveDurationMs(parts[i] ?? '');
  const hold = (perSec: number, forMs: number) =>
    ({ fromPerSec: perSec, toPerSec: perSec, forMs, curve: 'linear' }) as const;
  if (name === 'linear' && parts.length === 3 && rate(1) > 0) {
    return { kind: 'stages', stages: [{ fromPerSec: rate(0), toPerSec: rate(1), forMs: time(2), curve: 'linear' }] };
  }
  if (name === 'exponential' && parts.length === 3 && rate(0) > 0 && rate(1) > 0) {
    return {
      kind: 'stages',
      stages: [{ fromPerSec: rate(0), toPerSec: rate(1), forMs: time(2), curve: 'exponential' }],
    };
  }
  if (name === 'steps' && parts.length >= 2 && rate(parts.length - 2) > 0) {
    const forMs = time(parts.length - 1);
    return { kind: 'stages', stages: parts.slice(0, -1).map((_, i) => hold(rate(i), forMs)) };
  }
  if (name === 'spike' && parts.length === 4 && rate(0) > 0 && rate(1) > 0) {
    const [usual, high, afterMs, forMs] = [rate(0), rate(1), time(2), time(3)];
    return { kind: 'stages', stages: [hold(usual, afterMs), hold(high, forMs), hold(usual, afterMs)] };
  }
  if (name === 'sine' && parts.length === 3 && rate(0) > 0 && rate(1) <= rate(0)) {
    return { kind: 'sine', meanPerSec: rate(0), swingPerSec: rate(1), periodMs: time(2) };
  }
  throw bad(text);
}

function bad(text: string): UserError {
  return userError(
    'bad-value',
    `"${text}" is no shape of a rate`,
    `"${text}" 不是有效的速率形状`,
    'Write 30s (rise to --rate), linear(1,20,60s), exponential(1,20,60s), steps(5,10,20,30s), spike(5,50,30s,5s) or sine(10,5,60s); rates per second, the last rate above 0.',
    '请写 30s（升至 --rate）、linear(1,20,60s)、exponential(1,20,60s)、steps(5,10,20,30s)、spike(5,50,30s,5s) 或 sine(10,5,60s)；速率单位为每秒，最后的速率须大于 0。',
  );
}
