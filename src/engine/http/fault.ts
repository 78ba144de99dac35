import type { RandomStream } from '../../core/index.ts';
import { mistake, randomStream, userError, UserError } from '../../core/index.ts';

/** Every fault that the engine can be told to have; cli.md and `dyno engine --help` use the same names. */
export const faultNames = [
  'reset',
  'stall',
  'drip',
  'truncate',
  'malformed',
  'stream-error',
  'empty',
  'html',
  '429',
  '500',
  '503',
  'runaway',
  'slow-start',
] as const;
export type FaultName = (typeof faultNames)[number];

/** A fault and the share of requests that have it. */
export interface Fault {
  name: FaultName;
  probability: number;
}

/** Reads "NAME:PROBABILITY", a probability being a number from 0 to 1 or a percentage. */
export function parseFault(text: string): Fault {
  const [name = '', amount = '', ...rest] = text.trim().split(':');
  const known = faultNames.find((fault) => fault === name);
  const match = /^(\d+(?:\.\d+)?|\.\d+)(e-?\d+)?(%?)$/i.exec(amount);
  const probability = match === null ? NaN : Number(match[1]! + (match[2] ?? '')) / (match[3] === '%' ? 100 : 1);
  if (known === undefined)
    throw new UserError(
      mistake(
        'unknown-fault',
        `there is no fault "${name}"`,
        `没有名为 "${name}" 的故障`,
        `Faults: ${faultNames.join(', ')}.`,
        `可用的故障：${faultNames.join('、')}。`,
        '--fault',
      ),
    );
  if (rest.length > 0 || !(probability >= 0 && probability <= 1))
    throw new UserError(
      mistake(
        'bad-fault',
        `"${text}" is not NAME:PROBABILITY with a probability from 0 to 1`,
        `"${text}" 不是 名称:概率 的形式，概率应在 0 到 1 之间`,
        `For example reset:0.01 or 429:2%. Faults: ${faultNames.join(', ')}.`,
        `例如 reset:0.01 或 429:2%。可用的故障：${faultNames.join('、')}。`,
        '--fault',
      ),
    );
  return { name: known, probability };
}

/** Throws a UserError when the probabilities add up to more than 1, because a request has at most one fault. */
export function checkFaults(faults: readonly Fault[]): void {
  const sum = faults.reduce((total, fault) => total + fault.probability, 0);
  if (sum <= 1 + 1e-9) return;
  throw userError(
    'fault-sum',
    `the faults' probabilities add up to ${sum.toFixed(3)}, above 1`,
    `各故障概率之和为 ${sum.toFixed(3)}，超过 1`,
    'A request has at most one fault; lower the probabilities.',
    '每个请求至多出现一种故障，请调低概率。',
    '--fault',
  );
}

/** The fault of one request, and where in its answer it strikes. */
export interface InjectedFault {
  name: FaultName;
  /** A number from 0 to 1 that decides the details. */
  roll: number;
}

/** Draws the fault of one request after the other; null = none. */
export function faultDice(faults: readonly Fault[], seed: number): () => InjectedFault | null {
  const random: RandomStream = randomStream(seed, 'engine faults');
  return () => {
    // Always two draws, so that a request's fault does not depend on the faults of earlier ones.
    let left = random.next();
    const roll = random.next();
    for (const { name, probability } of faults) {
      if (left < probability) return { name, roll };
      left -= probability;
    }
    return null;
  };
}
