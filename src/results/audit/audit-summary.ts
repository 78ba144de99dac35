import { verdictOf } from '../../core/index.ts';
import type { Finding, Summary } from '../../core/index.ts';
import { pointRules } from './registry.ts';
import { findingOf } from './rule.ts';
import type { AuditContext, Doubt, PointRule, RuleFacts } from './rule.ts';

/** Every doubt about one point, gravest first; `verdictOf` of core turns them into the verdict. */
export function auditSummary(summary: Summary, context: AuditContext = {}): Finding[] {
  return verdictOf(doubtsOf(summary, context).map(({ rule, doubt }) => findingOf(rule, doubt))).findings;
}

/** The doubts before they become findings, with the rule that raised each. */
export function doubtsOf(summary: Summary, context: AuditContext): { rule: RuleFacts; doubt: Doubt }[] {
  return [...pointRules, ...(context.rules ?? [])].flatMap((rule: PointRule) => {
    const doubt = rule.check(summary, context);
    return doubt === null ? [] : [{ rule, doubt }];
  });
}
