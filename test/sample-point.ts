import { percentileRanks } from '../src/core/index.ts';
import type { Distribution, Summary } from '../src/core/index.ts';

/** A distribution for tests: the figures given, null elsewhere. */
export function sampleDistribution(figures: Partial<Distribution>): Distribution {
  const unknown = Object.fromEntries(percentileRanks.map((rank) => [`p${rank}`, null]));
  return { mean: null, min: null, max: null, ...unknown, n: 1000, ...figures } as Distribution;
}

/** A clean point for tests: 1,000 requests at concurrency 10, 2 s each, 100 tokens, in 200 s. */
export function samplePoint(changes: Partial<Summary> = {}): Summary {
  return {
    schema: 'llmdyno.summary/1',
    runId: 'sample',
    label: null,
    source: { tool: 'llmdyno', file: null },
    simulated: false,
    partial: false,
    model: 'm',
    startedAt: null,
    load: { kind: 'closed', concurrency: 10, ratePerSec: null, stream: true },
    counts: {
      planned: 1000,
      issued: 1000,
      ok: 1000,
      failed: 0,
      cancelled: 0,
      dropped: 0,
      unaccounted: 0,
      byProblem: {},
    },
    durationMs: 200_000,
    requestsPerSec: 5,
    inputTokensPerSec: null,
    outputTokensPerSec: 500,
    totalTokensPerSec: null,
    inputCharsPerSec: null,
    outputCharsPerSec: null,
    concurrencyAchieved: 10,
    latencyMs: sampleDistribution({ mean: 1990, p50: 1990, p99: 2500 }),
    ttftMs: sampleDistribution({ mean: 100, p50: 100, p99: 150 }),
    tpotMs: null,
    itlMs: null,
    latencyFromDueMs: null,
    ttftFromDueMs: null,
    latenessMs: null,
    timeToAnswerMs: null,
    inputTokens: sampleDistribution({ mean: 50 }),
    outputTokens: sampleDistribution({ mean: 100 }),
    userTokensPerSec: null,
    cachedInputRatio: null,
    goodput: null,
    steady: null,
    percentileMethod: null,
    tokenSource: { input: 'server', output: 'server' },
    printed: {},
    server: null,
    devices: null,
    client: null,
    verdict: { valid: true, findings: [] },
    ...changes,
  };
}
