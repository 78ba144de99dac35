/** Cost per decode, per 1000 KV tokens, per prompt token and per prompt as shares of a, as engines have them. */
export const usualShares = { c: 0.003, k: 0.004, p1: 0.004, r: 0.02 } as const;
