import type { ThinkLaw } from '../../core/index.ts';
import { positiveDurationMs } from './readers.ts';
import { BadValue } from './setting.ts';

/** `5s`, `2s..8s` or `exponential(5s)`. */
export function thinkLaw(text: string): ThinkLaw {
  const trimmed = text.trim();
  const mean = /^exponential\(([^()]+)\)$/.exec(trimmed)?.[1];
  if (mean !== undefined) return { law: 'exponential', meanMs: positiveDurationMs(mean) };
  const [low, high, ...rest] = trimmed.split('..');
  if (high === undefined) return { law: 'fixed', ms: positiveDurationMs(trimmed) };
  const [minMs, maxMs] = [positiveDurationMs(low!), positiveDurationMs(high)];
  if (rest.length === 0 && minMs <= maxMs) return { law: 'uniform', minMs, maxMs };
  throw new BadValue(
    { en: `"${text}" is no think time`, zh: `"${text}" 不是有效的思考时间` },
    { en: 'Write 5s, 2s..8s or exponential(5s).', zh: '请写 5s、2s..8s 或 exponential(5s)。' },
  );
}
