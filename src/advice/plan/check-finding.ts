import type { Finding, Severity } from '../../core/index.ts';

/** What is said where a rule is broken, in both languages: the message, then the rule behind it or the remedy. */
export interface Broken {
  evidence?: Finding['evidence'];
  en: readonly [message: string, advice: string];
  zh: readonly [message: string, advice: string];
  /** Where it is not the rule's own. */
  field?: string;
  severity?: Severity;
}

/** What a check says of one field; of a whole plan the field is null. */
export interface Remark extends Omit<Broken, 'field'> {
  code: string;
  severity: Severity;
  field: string | null;
}

/** A rule over what is known; null = it holds, or nothing is known of it. */
export type Rule<Facts> = (facts: Facts) => Remark | null;

const ruleOf =
  (severity: Severity) =>
  <Facts>(code: string, field: string | null, broken: (facts: Facts) => Broken | null): Rule<Facts> =>
  (facts) => {
    const said = broken(facts);
    return said === null ? null : { code, severity, field, ...said };
  };

export const invalid = ruleOf('invalid');
export const warn = ruleOf('warn');
export const info = ruleOf('info');

/** What these rules find, in their order. */
export function findingsBy<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Finding[] {
  return rules.flatMap((rule) => rule(facts) ?? []).map(findingOf);
}

/** A remark as a finding; its field stands first in its message and in its evidence. */
export function findingOf({ code, severity, field, evidence, en, zh }: Remark): Finding {
  const about = field === null ? { en: '', zh: '' } : { en: `${field}: `, zh: `${field}：` };
  return {
    code,
    severity,
    message: `${about.en}${en[0]}`,
    evidence: { ...(field !== null && { field }), ...evidence },
    advice: en[1],
    zh: { message: `${about.zh}${zh[0]}`, advice: zh[1] },
  };
}
