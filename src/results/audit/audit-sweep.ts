import { verdictOf } from '../../core/index.ts';
import type { Finding, Summary } from '../../core/index.ts';
import { sweepRules } from './registry.ts';
import { findingOf } from './rule.ts';

/** Doubts about a whole sweep: what no single point can show. Points are read with the verdicts they carry. */
export function auditSweep(points: readonly Summary[]): Finding[] {
  const findings = sweepRules.flatMap((rule) => rule.check(points).map((doubt) => findingOf(rule, doubt)));
  return verdictOf(findings).findings;
}
