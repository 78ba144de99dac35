import { verdictOf } from '../core/index.ts';
import type { Finding, Summary } from '../core/index.ts';
import { comparisonRules } from './registry.ts';
import { findingOf } from './rule.ts';

/** Doubts about setting points beside each other; the first is the baseline, each other one is compared with it. */
export function auditComparison(points: readonly Summary[]): Finding[] {
  const [baseline, ...others] = points;
  if (baseline === undefined) return [];
  const findings = others.flatMap((other) =>
    comparisonRules.flatMap((rule) => {
      const doubt = rule.check(baseline, other);
      return doubt === null ? [] : [findingOf(rule, doubt)];
    }),
  );
  return verdictOf(findings).findings;
}
