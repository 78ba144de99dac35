import type { Summary } from '../../core/index.ts';

/** What is known of the machine beside its speed; null = not known. */
export interface MachineFacts {
  /** Of all cards together, in any currency. */
  pricePerHour: number | null;
  cards: number | null;
  /** Mean power of all cards together during the run. */
  powerW: number | null;
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
