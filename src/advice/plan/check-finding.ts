import type { Finding, Severity } from '../../core/index.ts';

/** What a check says of one field, in both languages: the message, then the rule behind it or the remedy. */
export interface Remark {
  code: string;
  severity: Severity;
  field: string;
  evidence?: Finding['evidence'];
  en: readonly [message: string, advice: string];
  zh: readonly [message: string, advice: string];
}

/** A remark as a finding; the field stands first in its message and in its evidence. */
export function findingOf(remark: Remark): Finding {
  return {
    code: remark.code,
    severity: remark.severity,
    message: `${remark.field}: ${remark.en[0]}`,
    evidence: { field: remark.field, ...remark.evidence },
    advice: remark.en[1],
    zh: { message: `${remark.field}：${remark.zh[0]}`, advice: remark.zh[1] },
  };
}
