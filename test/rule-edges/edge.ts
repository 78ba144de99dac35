import { sampleDistribution, samplePoint } from '../sample-point.ts';
import type { ClientHealth, Distribution, Steady, Summary } from '../../src/core/index.ts';
import type { AuditContext } from '../../src/results/audit/index.ts';

/** What differs from a clean point, and what is known beside it. */
export type Case = Partial<Summary> | [Partial<Summary>, AuditContext];

/** Where a rule of points begins to speak. */
export interface Edge {
  /** Exactly at the limit, or where the limit itself still passes, just beyond it. */
  says: Case[];
  /** Just before it, for each condition of the rule. */
  silent: Case[];
  /** Figures without which the first of `says` cannot be told. */
  needs?: string[];
}

export const base = samplePoint();
export const counts = (changes: Partial<Summary['counts']>) => ({ counts: { ...base.counts, ...changes } });
export const lost = (failed: number, more: Partial<Summary['counts']> = {}) =>
  counts({ ok: 1000 - failed, failed, byProblem: { 'http-5xx': failed }, ...more });
export const load = (changes: Partial<Summary['load']>) => ({ load: { ...base.load, ...changes } });
export const dist = (name: keyof Summary, figures: Partial<Distribution>) => ({ [name]: sampleDistribution(figures) });
export const latency = (figures: Partial<Distribution>) => dist('latencyMs', figures);
export const client = (health: Partial<ClientHealth>) => ({
  client: { loopDelayP99Ms: 2, cpuRatio: 0.2, threads: 1, ...health } as ClientHealth,
});
export const steady = (changes: Partial<Steady>) => ({ steady: { fromMs: 0, toMs: 1, ...changes } as Steady });
