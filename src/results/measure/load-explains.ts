import type { Finding, Summary } from '../../core/index.ts';
import type { ComparedMetricRow, ComparedRun, MetricChange } from './compare.ts';

/** The word of the row that does not hang on how much load there was. */
export const perInFlight = 'outputTokensPerSec per request in flight';

/** In-flight requests that differ by less are the same load. */
const tolerance = 0.05;

/** Requests in flight on average: as measured, or by Little's law; null = not known. */
export function inFlightOf({
  concurrencyAchieved,
  counts,
  latencyMs,
  durationMs,
  requestsPerSec,
}: Summary): number | null {
  if (concurrencyAchieved !== null) return concurrencyAchieved;
  const latency = latencyMs?.mean ?? null;
  if (latency === null) return null;
  // An imported table may not say how many succeeded.
  const ok = counts.ok as number | null;
  if (ok !== null && durationMs !== null && durationMs > 0) return (ok * latency) / durationMs;
  return requestsPerSec === null ? null : (requestsPerSec * latency) / 1000;
}

/** What is told where sides held unlike numbers of requests in flight: the throughput of one request, and what load explains. */
export interface LoadShare {
  row: ComparedMetricRow | null;
  findings: { finding: Finding; about: string }[];
}

/**
 * Where the load that stood was not the same, throughput per request in flight is compared, and the throughput that the
 * baseline had at the candidate's load, where its other points lie around it.
 */
export function loadShare(runs: readonly ComparedRun[], load: number | null, curve: readonly Summary[]): LoadShare {
  // In an open loop the rate is the load, and what is in flight a result.
  if (runs.some(({ summary: { load: asked } }) => asked.kind === 'open' || asked.kind === 'replay'))
    return { row: null, findings: [] };
  const held = runs.map(({ summary }) => inFlightOf(summary));
  const [first] = held;
  if (first === null || first === undefined) return { row: null, findings: [] };
  const unlike = (other: number | null): other is number => other !== null && Math.abs(other / first - 1) > tolerance;
  if (!held.slice(1).some(unlike)) return { row: null, findings: [] };
  const values = runs.map(({ summary }, i) => {
    const [rate, inFlight] = [summary.outputTokensPerSec, held[i] ?? null];
    return rate === null || inFlight === null || inFlight <= 0 ? null : rate / inFlight;
  });
  const changes = values.slice(1).map((value): MetricChange => ({
    changeRatio: value === null || !values[0] ? null : value / values[0] - 1,
    interval: null,
    pValue: null,
    significant: false,
  }));
  const row: ComparedMetricRow = {
    metric: perInFlight,
    load,
    values,
    basis: 'whole',
    comparable: true,
    ...changes[0]!,
    changes,
  };
  const findings = runs.slice(1).flatMap((candidate, i) => {
    const [theirs, change] = [held[i + 1] ?? null, changes[i]!.changeRatio];
    if (!unlike(theirs) || change === null) return [];
    const finding = explained(runs[0]!, candidate, {
      inFlight: theirs / first - 1,
      each: change,
      expected: at(curve, theirs),
    });
    return [{ finding, about: `${runs[0]!.name} / ${candidate.name}` }];
  });
  return { row, findings };
}

/** The baseline's throughput at a load between two of its points; null = it has none around it. */
function at(curve: readonly Summary[], inFlight: number): number | null {
  const known = curve
    .map((point) => ({ x: inFlightOf(point), y: point.outputTokensPerSec }))
    .filter((point): point is { x: number; y: number } => point.x !== null && point.y !== null)
    .toSorted((a, b) => a.x - b.x);
  const above = known.findIndex(({ x }) => x >= inFlight);
  if (above < 1) return null;
  const [a, b] = [known[above - 1]!, known[above]!];
  return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (inFlight - a.x)) / (b.x - a.x);
}

function explained(
  baseline: ComparedRun,
  candidate: ComparedRun,
  { inFlight, each, expected }: { inFlight: number; each: number; expected: number | null },
): Finding {
  const whole = (1 + inFlight) * (1 + each) - 1;
  const share = Math.log(1 + inFlight) / Math.log(1 + whole);
  const sign = (ratio: number): string => `${ratio >= 0 ? '+' : ''}${(ratio * 100).toFixed(1)} %`;
  const same = Math.sign(inFlight) === Math.sign(whole) && Math.abs(whole) > 0.01;
  const verdict =
    same && share >= 0.5
      ? { en: 'most of the difference is load', zh: '差异大部分来自负载' }
      : same
        ? { en: 'less than half of the difference is load', zh: '负载只解释了不到一半的差异' }
        : { en: 'the load differs the other way', zh: '负载的差异方向相反' };
  const beside = expected === null ? null : candidate.summary.outputTokensPerSec! / expected - 1;
  const names = `${baseline.name} / ${candidate.name}`;
  return {
    code: 'load-explains',
    severity: 'info',
    message: `${names}: output tokens/s ${sign(whole)}, requests in flight ${sign(inFlight)}, per request in flight ${sign(each)}${beside === null ? '' : `, beside the baseline at that load (interpolated) ${sign(beside)}`}: ${verdict.en}.`,
    evidence: {
      throughput: whole,
      inFlight,
      perRequestInFlight: each,
      atInterpolatedLoad: beside,
      loadShare: same ? share : null,
    },
    advice: 'Compare at the same number of requests in flight before crediting the variant.',
    zh: {
      message: `${names}：输出 token/秒 ${sign(whole)}，在途请求 ${sign(inFlight)}，每个在途请求 ${sign(each)}${beside === null ? '' : `，与基线在该负载下（插值）相比 ${sign(beside)}`}：${verdict.zh}。`,
      advice: '请在相同的在途请求数下比较，再评价该变体。',
    },
  };
}
