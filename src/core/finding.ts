/** How much a doubt matters: invalid means the figures must not be used as they stand. */
export type Severity = 'info' | 'warn' | 'invalid';

/** The gravest first. */
export const severityRank: Readonly<Record<Severity, number>> = { invalid: 0, warn: 1, info: 2 };

/** One doubt about a result, with what it rests on and what to do. English at the top, Chinese beside it. */
export interface Finding {
  code: string;
  severity: Severity;
  message: string;
  /** The numbers it rests on. */
  evidence: Readonly<Record<string, number | string | boolean | null>>;
  advice: string;
  zh: { message: string; advice: string };
}

/** valid is false exactly when a finding is `invalid`. */
export interface Verdict {
  valid: boolean;
  findings: Finding[];
}

/** The verdict that a list of findings amounts to. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  return {
    valid: findings.every((finding) => finding.severity !== 'invalid'),
    findings: findings.toSorted((a, b) => severityRank[a.severity] - severityRank[b.severity]),
  };
}
