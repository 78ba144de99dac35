/**
 * Doubts about a result: findings with code, severity, evidence, cause and advice, for one point and for a sweep.
 *
 * Pure: reads summaries (and the plan of an own run), writes nothing. A rule says nothing when a figure it needs is
 * null: an import that does not tell its client's health is not accused of anything. `invalid` is kept for figures that
 * must not be used as they stand; everything that merely deserves care is warn or info.
 * Start reading at rule.ts (what a rule is) and registry.ts (the list); each rule is one file under rules/.
 */
export { auditComparison, auditedComparison } from './audit-comparison.ts';
export { auditPoints } from './audit-points.ts';
export type { PointAudit, SweepAudit } from './audit-points.ts';
export { auditSummary } from './audit-summary.ts';
export { auditSweep } from './audit-sweep.ts';
export { limits, parseLimit } from './limits.ts';
export { comparisonRules, neighbourRules, pointRules, sideRules, sweepRules } from './registry.ts';
export type { AuditContext, PointRule } from './rule.ts';
