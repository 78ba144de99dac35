import { isObject, percentileRanks } from '../../core/index.ts';
import type { Counts, Distribution, PercentileKey, Summary } from '../../core/index.ts';
import type { TrialLoad } from './setting.ts';

/**
 * A whole summary from what an evaluate command printed, which may be only a part of one: a number where a distribution is
 * asked is its mean, what is missing is null, counts follow from each other. null = it is no summary at all.
 */
export function completeSummary(printed: unknown, load: TrialLoad, runId: string): Summary | null {
  if (!isObject(printed)) return null;
  const whole = isObject(printed['summary']) ? printed['summary'] : printed;
  const number = (key: string): number | null => finite(whole[key]);
  const distribution = (key: string): Distribution | null => distributionOf(whole[key]);
  const outputTokensPerSec = number('outputTokensPerSec');
  const requestsPerSec = number('requestsPerSec');
  const times = [distribution('ttftMs'), distribution('tpotMs'), distribution('itlMs'), distribution('latencyMs')];
  if (outputTokensPerSec === null && requestsPerSec === null && times.every((time) => time === null)) return null;
  const kind = load.ratePerSec === null ? 'closed' : 'open';
  return {
    schema: 'llmdyno.summary/1',
    runId,
    label: typeof whole['label'] === 'string' ? whole['label'].slice(0, 200) : null,
    source: { tool: 'evaluate', file: null },
    simulated: whole['simulated'] === true,
    partial: false,
    model: typeof whole['model'] === 'string' ? whole['model'].slice(0, 200) : null,
    startedAt: null,
    load: { kind, ...load, stream: null },
    counts: countsOf(whole['counts']),
    durationMs: number('durationMs'),
    inputCharsPerSec: null,
    outputCharsPerSec: null,
    requestsPerSec,
    inputTokensPerSec: number('inputTokensPerSec'),
    outputTokensPerSec,
    totalTokensPerSec: number('totalTokensPerSec'),
    concurrencyAchieved: number('concurrencyAchieved'),
    latencyMs: times[3]!,
    ttftMs: times[0]!,
    tpotMs: times[1]!,
    itlMs: times[2]!,
    latencyFromDueMs: distribution('latencyFromDueMs'),
    ttftFromDueMs: distribution('ttftFromDueMs'),
    latenessMs: distribution('latenessMs'),
    timeToAnswerMs: null,
    inputTokens: distribution('inputTokens'),
    outputTokens: distribution('outputTokens'),
    userTokensPerSec: distribution('userTokensPerSec'),
    cachedInputRatio: null,
    goodput: goodputOf(whole['goodput']),
    steady: null,
    percentileMethod: null,
    tokenSource: { input: null, output: null },
    printed: {},
    server: null,
    devices: null,
    client: null,
    verdict: { valid: true, findings: [] },
  };
}

function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function distributionOf(value: unknown): Distribution | null {
  const alone = finite(value);
  const fields = alone === null ? value : { mean: alone };
  if (!isObject(fields)) return null;
  const percentiles = Object.fromEntries(
    percentileRanks.map((rank) => [`p${rank}`, finite(fields[`p${rank}`])]),
  ) as Record<PercentileKey, number | null>;
  const told = { ...percentiles, mean: finite(fields['mean']), min: finite(fields['min']), max: finite(fields['max']) };
  if (Object.values(told).every((one) => one === null)) return null;
  return { ...told, n: Math.max(0, Math.round(finite(fields['n']) ?? 0)) };
}

function countsOf(value: unknown): Counts {
  const fields = isObject(value) ? value : {};
  const count = (key: string): number | null => {
    const told = finite(fields[key]);
    return told === null ? null : Math.max(0, Math.round(told));
  };
  const [failed, cancelled, dropped] = [count('failed') ?? 0, count('cancelled') ?? 0, count('dropped') ?? 0];
  const unaccounted = count('unaccounted') ?? 0;
  const planned = count('planned') ?? (count('ok') ?? 0) + failed + cancelled + dropped + unaccounted;
  const ok = count('ok') ?? Math.max(0, planned - failed - cancelled - dropped - unaccounted);
  return {
    planned,
    issued: count('issued') ?? planned - dropped,
    ok,
    failed,
    cancelled,
    dropped,
    unaccounted,
    byProblem: {},
  };
}

function goodputOf(value: unknown): Summary['goodput'] {
  if (finite(value) !== null) return { slo: [], requestsPerSec: finite(value), ratio: null };
  if (!isObject(value)) return null;
  return { slo: [], requestsPerSec: finite(value['requestsPerSec']), ratio: finite(value['ratio']) };
}
