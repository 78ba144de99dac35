import type { Finding, Phrase, RunPlan, Severity, Summary } from '../../core/index.ts';
import type { ComparedRun } from '../measure/index.ts';

/** What is known about a run beside its summary; whatever is missing or null silences the rules that need it. */
export interface AuditContext {
  /** The plan of an own run; null for an import. */
  plan?: RunPlan | null;
  /** The run did not end by itself; summary.partial says the same. */
  interrupted?: boolean;
  /** Prompts repeated within the run; taken from the plan when not given. */
  datasetCycled?: boolean;
  /** Requests handed to the socket per second over the sending stretch; null = not measured. */
  sendsPerSec?: number | null;
  /** Rules of somebody's own, beside those of this room. */
  rules?: readonly PointRule[];
  /** Limits that were set for this audit, as written; those of the plan count too. */
  limits?: readonly string[];
}

/** One doubt before it is stamped with the rule's code. */
export interface Doubt {
  severity: Severity;
  /** What was seen and what causes it. */
  message: Phrase;
  evidence: Finding['evidence'];
  advice: Phrase;
  /** What the figures ought to be, where that follows from the data; only beside an `invalid`. */
  repaired?: Repaired;
}

/** Figures that follow from the rest of the data where the printed ones are wrong. */
export interface Repaired {
  requestsPerSec?: number;
  outputTokensPerSec?: number;
  durationMs?: number;
}

/** What the reference page tells of a rule; the same for rules on a point and on a sweep. */
export interface RuleFacts {
  /** Stable kebab-case name, listed in docs/reference/findings.md. */
  code: string;
  severities: readonly Severity[];
  /** What it looks for and why that spoils a figure. */
  meaning: Phrase;
  /** The published case that taught it. */
  taughtBy: string;
}

/** A doubt about one load point, judged from its summary alone. */
export interface PointRule extends RuleFacts {
  check(point: Summary, context: AuditContext): Doubt | null;
}

/** A doubt about one load point that only its neighbours in the sweep can raise. */
export interface NeighbourRule extends RuleFacts {
  check(points: readonly Summary[], index: number): Doubt | null;
}

/** Doubts about a sweep as a whole. */
export interface SweepRule extends RuleFacts {
  check(points: readonly Summary[]): Doubt[];
}

/** Doubts about setting one run beside another; the first is the baseline. */
export interface ComparisonRule extends RuleFacts {
  /** `context` holds the limits that were set for this comparison and in the plans of the two. */
  check(baseline: ComparedRun, other: ComparedRun, context: Pick<AuditContext, 'limits'>): Doubt | null;
}

/** A doubt about one side of a comparison. */
export interface SideRule extends RuleFacts {
  check(run: ComparedRun): Doubt | null;
}

/** The doubt as the rest of the house reads it. */
export function findingOf(rule: RuleFacts, doubt: Doubt): Finding {
  return {
    code: rule.code,
    severity: doubt.severity,
    message: doubt.message.en,
    evidence: doubt.evidence,
    advice: doubt.advice.en,
    zh: { message: doubt.message.zh, advice: doubt.advice.zh },
  };
}
