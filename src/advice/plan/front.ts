import type { PlanDocument } from './plan-schema.ts';

/**
 * Tokens per second that one process of vLLM that answers HTTP writes before it is what limits: some 50 to 65 µs of one core a token
 * (vLLM 0.25 on an H200 host, 2026-11-19: 15,000 to 20,000 tokens/s with a full core).
 */
export const frontTokensPerSec = 15_000;

/** More processes than this were never seen to help. */
const mostServers = 8;

/** What the cards may give at the best batch of the estimates; 0 where there are none. */
export function bestEstimate(plan: PlanDocument | null): number {
  return Math.max(0, ...(plan?.estimates?.points ?? []).map((point) => point.outputTokensPerSec));
}

/** How many processes have to answer HTTP so that the cards are not held up by them. */
export function apiServersFor(tokensPerSec: number): number {
  return Math.min(mostServers, Math.max(1, Math.ceil(tokensPerSec / frontTokensPerSec)));
}
