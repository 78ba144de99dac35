import { verdictOf } from '../../core/index.ts';
import type { Finding, Summary } from '../../core/index.ts';
import { doubtsOf } from './audit-summary.ts';
import { auditSweep } from './audit-sweep.ts';
import { neighbourRules } from './registry.ts';
import { findingOf } from './rule.ts';
import type { AuditContext, Repaired } from './rule.ts';

/** What the audit says of one point: whether it may be used to compare or to fit, why, and what is right where it is wrong. */
export interface PointAudit {
  /** clean: no `invalid` finding; repairable: the right values follow from the data and stand in `repaired`; else unusable. */
  status: 'clean' | 'repairable' | 'unusable';
  findings: Finding[];
  repaired: Repaired | null;
}

/** The audit of a sweep's points, each seen beside its neighbours, and of the sweep as a whole. */
export interface SweepAudit {
  points: PointAudit[];
  findings: Finding[];
}

/** Audits points that belong together; `contexts` has one entry per point where something is known beside the summary. */
export function auditPoints(points: readonly Summary[], contexts: readonly AuditContext[] = []): SweepAudit {
  const audits = points.map((_, index) => auditAmong(points, index, contexts[index] ?? {}));
  const judged = points.map((point, i) => ({ ...point, verdict: verdictOf(audits[i]!.findings) }));
  return { points: audits, findings: auditSweep(judged) };
}

function auditAmong(points: readonly Summary[], index: number, context: AuditContext): PointAudit {
  const doubts = doubtsOf(points[index]!, context);
  for (const rule of neighbourRules) {
    const doubt = rule.check(points, index);
    if (doubt !== null) doubts.push({ rule, doubt });
  }
  const grave = doubts.filter(({ doubt }) => doubt.severity === 'invalid');
  const repairs = grave.flatMap(({ doubt }) => (doubt.repaired === undefined ? [] : [doubt.repaired]));
  const status = grave.length === 0 ? 'clean' : repairs.length === grave.length ? 'repairable' : 'unusable';
  return {
    status,
    findings: verdictOf(doubts.map(({ rule, doubt }) => findingOf(rule, doubt))).findings,
    repaired: status === 'repairable' ? (repairs[0] ?? null) : null,
  };
}
