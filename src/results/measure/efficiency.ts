import { isObject } from '../../core/index.ts';
import type { Summary } from '../../core/index.ts';

/** What is known of the machine beside its speed; null = not known. */
export interface MachineFacts {
  /** Of all cards together, in any currency. */
  pricePerHour: number | null;
  cards: number | null;
  /** Mean power of all cards together during the run. */
  powerW: number | null;
}

/** The machine behind a point. */
export type MachineOf = (point: Summary) => MachineFacts;

/** What was measured of the cards beside a run: how many worked, and what they drew together; null = nobody looked. */
export function measuredMachine({ devices }: Pick<Summary, 'devices'>): Pick<MachineFacts, 'cards' | 'powerW'> {
  const list: unknown = devices?.['devices'];
  const all = (Array.isArray(list) ? list : []).filter(isObject);
  // A host may hold cards that serve somebody else.
  const busy = all.filter((card) => (numberIn(card['utilizationRatio'], 'max') ?? 0) > 0);
  const watts = busy.map((card) => numberIn(card['powerW'], 'mean'));
  const known = watts.filter((one) => one !== null);
  return {
    cards: busy.length === 0 ? null : busy.length,
    powerW: known.length === 0 || known.length < watts.length ? null : known.reduce((sum, one) => sum + one, 0),
  };
}

function numberIn(pair: unknown, key: string): number | null {
  const value = isObject(pair) ? pair[key] : null;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Speed against what it costs; null where a fact or the speed is not known. */
export interface Efficiency {
  pricePerMillionOutputTokens: number | null;
  pricePerMillionTokens: number | null;
  outputTokensPerSecPerCard: number | null;
  outputTokensPerJoule: number | null;
}

/** Cost per million tokens, tokens per card and tokens per joule of a load point. */
export function efficiencyOf(
  summary: Pick<Summary, 'outputTokensPerSec' | 'totalTokensPerSec'>,
  facts: MachineFacts,
): Efficiency {
  const { pricePerHour, cards, powerW } = facts;
  const { outputTokensPerSec: output, totalTokensPerSec: total } = summary;
  const priced = (perSec: number | null): number | null =>
    pricePerHour === null || perSec === null || perSec <= 0 ? null : (pricePerHour / 3600 / perSec) * 1e6;
  return {
    pricePerMillionOutputTokens: priced(output),
    pricePerMillionTokens: priced(total),
    outputTokensPerSecPerCard: output === null || cards === null || cards <= 0 ? null : output / cards,
    outputTokensPerJoule: output === null || powerW === null || powerW <= 0 ? null : output / powerW,
  };
}
