import type { Finding } from '../../core/index.ts';
import { compareSweeps } from '../measure/index.ts';
import type { ComparedRun, ComparedSweep, Comparison, Gate, LoadFinding } from '../measure/index.ts';
import { comparisonRules, sideRules } from './registry.ts';
import { findingOf } from './rule.ts';
import type { Doubt, RuleFacts } from './rule.ts';

/** Doubts about setting one run beside another, and about each of the two in a comparison. `limits` as written; those of the plans count too. */
export function auditComparison(
  baseline: ComparedRun,
  candidate: ComparedRun,
  limits: readonly string[] = [],
): LoadFinding[] {
  const names = `${baseline.name} / ${candidate.name}`;
  const context = { limits: [...(baseline.plan?.limits ?? []), ...(candidate.plan?.limits ?? []), ...limits] };
  const between = comparisonRules.map((rule) => about(rule, rule.check(baseline, candidate, context), names));
  const sides = [baseline, candidate].flatMap((run) => sideRules.map((rule) => about(rule, rule.check(run), run.name)));
  return [...between, ...sides].filter((one) => one !== null);
}

/** Sweeps beside each other with the doubts about it: what every command and page shows of a comparison. */
export function auditedComparison(
  sweeps: readonly ComparedSweep[],
  gates: readonly Gate[],
  limits: readonly string[] = [],
): Comparison {
  return compareSweeps(sweeps, gates, (baseline, candidate) => auditComparison(baseline, candidate, limits));
}

function about(rule: RuleFacts, doubt: Doubt | null, whose: string): LoadFinding | null {
  if (doubt === null) return null;
  const finding: Finding = findingOf(rule, doubt);
  const { message, zh } = finding;
  return {
    finding: {
      ...finding,
      message: `${whose}: ${message}`,
      evidence: { of: whose, ...finding.evidence },
      zh: { ...zh, message: `${whose}：${zh.message}` },
    },
    about: whose,
  };
}
