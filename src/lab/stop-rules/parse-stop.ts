import { userError, UserError } from '../../core/index.ts';
import { durationMs } from '../settings/readers.ts';
import type { Budget, Price } from './budget-watch.ts';

/** One stop rule as asked for. */
export type StopWish =
  | { kind: 'failed'; limitRatio: number }
  | { kind: 'saturated'; windowMs: number }
  | { kind: 'slo-lost' }
  | { kind: 'budget'; budget: Budget };

const defaultWindowMs = 10_000;
const amounts: Record<string, number> = { '': 1, k: 1e3, M: 1e6, G: 1e9 };

/** Understands one word of --stop-when; a UserError says which there are. */
export function parseStop(text: string): StopWish {
  const trimmed = text.trim();
  if (trimmed === 'slo-lost') return { kind: 'slo-lost' };
  if (trimmed === 'saturated') return { kind: 'saturated', windowMs: defaultWindowMs };
  const [, name, value] = /^(failed|saturated|requests|tokens|output-tokens|time|cost)\s*>\s*(.+)$/.exec(trimmed) ?? [];
  if (name === undefined || value === undefined) throw mistaken(text);
  switch (name) {
    case 'failed':
      return { kind: 'failed', limitRatio: ratio(text, value) };
    case 'saturated':
      return { kind: 'saturated', windowMs: positive(text, time(text, value)) };
    case 'time':
      return { kind: 'budget', budget: { of: 'time', limitMs: positive(text, time(text, value)) } };
    case 'cost':
      return { kind: 'budget', budget: cost(text, value) };
    default:
      return {
        kind: 'budget',
        budget: { of: name as 'requests' | 'tokens' | 'output-tokens', limit: amount(text, value) },
      };
  }
}

function ratio(text: string, value: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)\s*%$/.exec(value) ?? [];
  const share = digits === undefined ? Number.NaN : Number(digits) / 100;
  if (!(share >= 0 && share < 1)) throw mistaken(text);
  return share;
}

function amount(text: string, value: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([kMG]?)$/.exec(value) ?? [];
  if (digits === undefined) throw mistaken(text);
  return positive(text, Number(digits) * amounts[unit!]!);
}

function time(text: string, value: string): number {
  try {
    return durationMs(value);
  } catch (error) {
    if (error instanceof UserError) throw mistaken(text);
    throw error;
  }
}

/** `5 at 3.2/h`, `5 at 0.5/Mtok`, `5 at 0.5+1.5/Mtok` (input, output). */
function cost(text: string, value: string): Budget {
  const [, limit, first, second, unit] =
    /^(\d+(?:\.\d+)?)\s+at\s+(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?\/(h|Mtok)$/.exec(value) ?? [];
  if (limit === undefined || (unit === 'h' && second !== undefined)) throw mistaken(text);
  const price: Price =
    unit === 'h'
      ? { perHour: Number(first) }
      : { perMillionInput: Number(first), perMillionOutput: Number(second ?? first) };
  return { of: 'cost', limit: positive(text, Number(limit)), price };
}

function positive(text: string, value: number): number {
  if (value > 0) return value;
  throw mistaken(text);
}

function mistaken(text: string): UserError {
  const shown = JSON.stringify(text.slice(0, 80));
  return userError(
    'bad-stop-rule',
    `${shown} is not a stop rule`,
    `${shown} 不是停止规则`,
    "Rules: 'failed>5%', 'saturated' (or 'saturated>20s'), 'slo-lost', 'requests>10k', 'tokens>1M', 'output-tokens>500k', 'time>30m', 'cost>5 at 3.2/h', 'cost>5 at 0.5+1.5/Mtok'.",
    "规则：'failed>5%'、'saturated'（或 'saturated>20s'）、'slo-lost'、'requests>10k'、'tokens>1M'、'output-tokens>500k'、'time>30m'、'cost>5 at 3.2/h'、'cost>5 at 0.5+1.5/Mtok'。",
    '--stop-when',
  );
}
