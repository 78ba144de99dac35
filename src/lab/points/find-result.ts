import type { PromiseKept, Summary } from '../../core/index.ts';
import type { Found, Probe } from '../../advice/tune/index.ts';
import { parseSlo, withinLimit } from '../../results/measure/index.ts';
import type { FindResult } from '../../results/report/index.ts';
import { limitOf } from './load-limit.ts';

/** What a search saw and concluded, as it is told. `found` null = it was broken off. */
export function findResultOf(
  found: Found | null,
  looks: readonly Probe[],
  points: readonly Summary[],
  asked: { kind: FindResult['kind']; slo: readonly string[]; durationMs: number },
): FindResult {
  const probes = points.flatMap((summary, i) => {
    const look = looks[i];
    if (look === undefined) return [];
    const kept = look.cut !== true && (summary.slo ?? []).length > 0 && summary.slo!.every((one) => one.kept === true);
    return [{ value: look.load, kept, fresh: look.fresh, summary }];
  });
  const value = found?.load ?? null;
  const beyond = probes.filter((probe) => !probe.kept && (value === null || probe.value > value));
  const breaksAt = beyond.length === 0 ? null : Math.min(...beyond.map((probe) => probe.value));
  const least = probes.length === 0 ? null : Math.min(...probes.map((probe) => probe.value));
  const at = probes.filter((probe) => probe.value === (value ?? least)).map(({ summary }) => summary);
  return {
    kind: asked.kind,
    value,
    confirmed: found?.confirmed ?? false,
    breaksAt,
    limit: found?.atMost === true ? 'range' : limitOf(points, breaksAt),
    slo: asked.slo.map((promise) => together(promise, at)),
    probes,
    durationMs: asked.durationMs,
    outOfRuns: found?.outOfRuns ?? false,
  };
}

/** A promise over several runs at one load: the mean of what they measured. */
function together(promise: string, at: readonly Summary[]): PromiseKept {
  const values = at.flatMap(({ slo = [] }) => slo.filter((one) => one.promise === promise).map((one) => one.measured));
  if (values.length === 0 || values.includes(null)) return { promise, measured: null, kept: null };
  const measured = (values as number[]).reduce((sum, value) => sum + value, 0) / values.length;
  return { promise, measured, kept: withinLimit(parseSlo(promise), measured) };
}
