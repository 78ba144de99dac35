import { userError } from '../../core/index.ts';
import type { LengthLaw, UserError } from '../../core/index.ts';

const mostTokens = 10_000_000;

/** A length law from `512`, `100..500`, `normal(512,64)`, `lognormal(512,256,1..4096)` or `zipf(1.2,1..4096)`. */
export function lengthLaw(text: string): LengthLaw {
  const trimmed = text.trim().replaceAll(/\s+/g, '');
  const fixed = /^\d+$/.exec(trimmed);
  if (fixed !== null) return { law: 'fixed', tokens: count(text, trimmed) };
  const range = /^(\d+)\.\.(\d+)$/.exec(trimmed);
  if (range !== null) return { law: 'uniform', ...bounds(text, range[1]!, range[2]!) };
  const zipf = /^zipf\(([\d.]+),(\d+)\.\.(\d+)\)$/.exec(trimmed);
  if (zipf !== null) return { law: 'zipf', alpha: real(text, zipf[1]!), ...bounds(text, zipf[2]!, zipf[3]!) };
  const spread = /^(normal|lognormal)\(([\d.]+),([\d.]+)(?:,(\d*)\.\.(\d*))?\)$/.exec(trimmed);
  if (spread === null) throw bad(text);
  const [, law, mean, deviation, low, high] = spread;
  const [min, max] = [low, high].map((bound) => (bound === undefined || bound === '' ? null : count(text, bound)));
  if (min != null && max != null && min > max) throw bad(text);
  return {
    law: law === 'normal' ? 'normal' : 'lognormal',
    mean: real(text, mean!),
    deviation: real(text, deviation!),
    min: min ?? null,
    max: max ?? null,
  };
}

function bounds(text: string, low: string, high: string): { min: number; max: number } {
  const [min, max] = [count(text, low), count(text, high)];
  if (min > max) throw bad(text);
  return { min, max };
}

function count(text: string, digits: string): number {
  const value = Number(digits);
  if (value < 1 || value > mostTokens) throw bad(text);
  return value;
}

function real(text: string, digits: string): number {
  const value = Number(digits);
  if (!(value > 0) || value > mostTokens) throw bad(text);
  return value;
}

function bad(text: string): UserError {
  return userError(
    'bad-value',
    `"${text}" is no length`,
    `"${text}" 不是有效的长度`,
    'Write 512, 100..500, normal(512,64), lognormal(512,256) or zipf(1.2,1..4096); mean and deviation in tokens, bounds as a third value: normal(512,64,100..1000).',
    '请写 512、100..500、normal(512,64)、lognormal(512,256) 或 zipf(1.2,1..4096)；均值与标准差以 token 计，可加上下限：normal(512,64,100..1000)。',
  );
}
