/** How a length in tokens (of a prompt, of an answer) is drawn, one draw per prompt. Values are whole and at least 1. */
export type LengthLaw =
  | { law: 'fixed'; tokens: number }
  /** Every whole number from min to max, both included, is as likely as any other. */
  | { law: 'uniform'; min: number; max: number }
  /** Mean and standard deviation in tokens; draws outside min…max are drawn again. null = no bound but 1. */
  | { law: 'normal' | 'lognormal'; mean: number; deviation: number; min: number | null; max: number | null }
  /** Rank r of min…max (min is rank 1) has weight r^−alpha. */
  | { law: 'zipf'; alpha: number; min: number; max: number };

/** The lengths a plan asks for; null = as the dataset has them. */
export interface Lengths {
  input: LengthLaw | null;
  output: LengthLaw | null;
}

/** A law in the words of the command line. */
export function lengthText(law: LengthLaw): string {
  if (law.law === 'fixed') return String(law.tokens);
  if (law.law === 'uniform') return `${law.min}..${law.max}`;
  if (law.law === 'zipf') return `zipf(${law.alpha},${law.min}..${law.max})`;
  const bounds = law.min === null && law.max === null ? '' : `,${law.min ?? 1}..${law.max ?? ''}`;
  return `${law.law}(${law.mean},${law.deviation}${bounds})`;
}
