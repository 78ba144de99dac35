/** How long a user thinks before the next turn of a conversation, drawn anew for each turn. */
export type ThinkLaw =
  | { law: 'fixed'; ms: number }
  | { law: 'uniform'; minMs: number; maxMs: number }
  | { law: 'exponential'; meanMs: number };

/** A law of thinking in the words of the command line, in ms. */
export function thinkText(law: ThinkLaw): string {
  if (law.law === 'fixed') return `${law.ms}ms`;
  return law.law === 'uniform' ? `${law.minMs}ms..${law.maxMs}ms` : `exponential(${law.meanMs}ms)`;
}
