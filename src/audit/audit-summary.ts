import { verdictOf } from '../core/index.ts';
import type { Finding, Summary } from '../core/index.ts';
import { pointRules } from './registry.ts';
import { findingOf } from './rule.ts';
import type { AuditContext } from './rule.ts';

/** Every doubt about one point, gravest first; `verdictOf` of core turns them into the verdict. */
export function auditSummary(summary: Summary, context: AuditContext = {}): Finding[] {
  const findings: Finding[] = [];
  for (const rule of pointRules) {
    const doubt = rule.check(summary, context);
    if (doubt !== null) findings.push(findingOf(rule, doubt));
  }
  return verdictOf(findings).findings;
}
