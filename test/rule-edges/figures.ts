import type { Distribution, Summary } from '../../src/core/index.ts';
import { counts, dist, latency, load, lost, steady } from './edge.ts';
import type { Edge } from './edge.ts';

const by = (tool: string) => ({ source: { tool, file: null } });
const gaps = (figures: Partial<Distribution>) => dist('itlMs', figures);
const cut = (p99: number, failed: number, more: Partial<Summary> = {}) => ({
  ...by('evalscope'),
  ...lost(failed),
  ...latency({ mean: 1990, p99 }),
  ...more,
});
const tokens = (mean: number) => dist('outputTokens', { mean });
/** Ten slots, of which a table without counts says only the rate and the latency. */
const uncounted = (requestsPerSec: number, mean: number, failed = 0) => ({
  ...by('sglang'),
  ...counts({ planned: null as never, ok: null as never, failed }),
  durationMs: null,
  requestsPerSec,
  ...latency({ mean }),
});
/** One request that timed out held the clock of a run of ours. */
const held = (toMs: number, slowestMs: number, more: Partial<Summary> = {}) => ({
  durationMs: 100_000,
  ...steady({ toMs }),
  ...latency({ mean: 1990, max: slowestMs }),
  ...counts({ ok: 995, failed: 5, byProblem: { 'timeout-read': 5 } }),
  ...more,
});
const printed = (digits: Record<string, string>, more: Partial<Summary> = {}) => ({ printed: digits, ...more });
const mention = (where: 'block' | 'table', digits: string, log: string, key = 'durationMs') => ({
  printed: { [key]: log },
  alsoPrinted: [{ key, digits, line: 3, where }],
});
const unstreamed = (digits: Record<string, string>) =>
  printed(digits, { ...by('evalscope'), ...load({ stream: false }) });
const whole = { 'ttftMs.max': '300', 'ttftMs.min': '100', 'itlMs.max': '60', 'itlMs.min': '2' };

/** Rules that doubt what the figures say of themselves and of each other. */
export const edgesOfFigures: Record<string, Edge> = {
  'unaccounted-requests': { says: [counts({ unaccounted: 1 })], silent: [{}] },
  // 9.95 of 10 were in flight where start and drain of 1,000 leave 9.95.
  'lost-client-workers': {
    says: [{ ...by('evalscope'), ...counts({ unaccounted: 1 }), ...latency({ mean: 1989 }) }],
    silent: [
      { ...by('evalscope'), ...counts({ unaccounted: 1 }), ...latency({ mean: 1991 }) },
      { ...by('evalscope'), ...latency({ mean: 1989 }) },
      { ...by('guidellm'), ...counts({ unaccounted: 1 }), ...latency({ mean: 1989 }) },
    ],
    needs: ['load.concurrency', 'latencyMs.mean', 'counts.unaccounted'],
  },
  'stuck-request': {
    says: [held(90_000, 5000), { ...by('vllm'), ...counts({ failed: 1 }), outputTokensPerSec: 502.6 }],
    silent: [
      held(90_000, 5001),
      held(90_001, 4000),
      held(90_000, 5000, counts({ ok: 994, failed: 6, byProblem: { 'timeout-read': 6 } })),
      held(90_000, 5000, lost(5)),
      held(90_000, 5000, counts({ planned: 100, ok: 98, failed: 2, byProblem: { 'timeout-read': 2 } })),
      { ...by('vllm'), ...counts({ failed: 1 }), outputTokensPerSec: 502.4 },
      { ...by('vllm'), outputTokensPerSec: 502.6 },
    ],
    needs: ['durationMs', 'steady', 'latencyMs.max', 'outputTokens.mean'],
  },
  'in-flight-low': {
    says: [uncounted(2.99, 2000), uncounted(3.99, 2000, 1), { ...by('sglang'), ...latency({ mean: 1889 }) }],
    silent: [
      uncounted(3, 2000),
      uncounted(4, 2000, 1),
      { ...by('sglang'), ...latency({ mean: 1890 }) },
      latency({ mean: 1000 }),
    ],
    needs: ['load.concurrency', 'latencyMs.mean', 'requestsPerSec'],
  },
  'in-flight-impossible': {
    says: [latency({ mean: 2041 })],
    silent: [latency({ mean: 2040 })],
    needs: ['load.concurrency', 'latencyMs.mean'],
  },
  // A usual timeout of 30 s: 3 % below it, and 10 % where one in a hundred was lost; half a percent above it.
  'censored-percentiles': {
    says: [
      cut(29_100, 9),
      cut(30_150, 9),
      cut(29_100, 2),
      ...[60, 120, 180, 300, 600, 900, 1200, 1800, 3600].map((timeoutSec) => cut(970 * timeoutSec, 9)),
      cut(27_000, 10),
      cut(29_100, 0, counts({ unaccounted: 2 })),
      cut(29_100, 9, counts({ failed: 1, planned: null as never })),
      cut(29_100, 9, { ...by('llmdyno'), ...lost(9, { byProblem: { 'timeout-read': 9 } }) }),
    ],
    silent: [
      cut(29_099, 9),
      cut(30_151, 9),
      cut(29_100, 1),
      cut(26_999, 10),
      cut(29_100, 0),
      cut(29_100, 0, counts({ failed: null as never, unaccounted: 1 })),
      cut(29_100, 0, counts({ failed: 1, unaccounted: null as never })),
      cut(29_100, 9, by('llmdyno')),
      cut(29_100, 9, counts({ failed: 9, planned: 0 })),
    ],
    needs: ['latencyMs.p99', 'latencyMs'],
  },
  'rate-identity': {
    says: [{ requestsPerSec: 5.01 }, { ...by('aiperf'), requestsPerSec: 5.25 }],
    silent: [{ ...by('aiperf'), requestsPerSec: 5.24 }],
    needs: ['requestsPerSec', 'durationMs', 'counts.ok'],
  },
  'throughput-identity': {
    says: [{ outputTokensPerSec: 500.1 }, { ...counts({ failed: 1 }), outputTokensPerSec: 497 }],
    silent: [
      { ...counts({ failed: 1 }), outputTokensPerSec: 497.6 },
      { ...counts({ failed: 1 }), outputTokensPerSec: 510 },
      { ...by('guidellm'), outputTokensPerSec: 510 },
    ],
    needs: ['outputTokensPerSec', 'outputTokens.mean', 'durationMs'],
  },
  'figures-disagree': {
    says: [
      mention('block', '7', '5'),
      unstreamed({ 'server.packagesPerRequest': '1.5' }),
      unstreamed({ 'ttftMs.mean': '5', 'latencyMs.mean': '7' }),
      unstreamed({ 'server.packageLatencyMs': '5', 'latencyMs.mean': '7' }),
      unstreamed({ 'ttftMs.mean': '300', 'latencyMs.mean': '1' }),
      unstreamed({ 'ttftMs.mean': '200', 'latencyMs.mean': '2' }),
      unstreamed({ 'ttftMs.mean': '3000', 'latencyMs.mean': '1' }),
    ],
    silent: [
      mention('block', '6', '5'),
      mention('table', '7', '5'),
      unstreamed({ 'server.packagesPerRequest': '1.0' }),
      unstreamed({ 'ttftMs.mean': '6', 'latencyMs.mean': '7' }),
      unstreamed({ 'ttftMs.mean': '5' }),
      // Milliseconds beside seconds.
      unstreamed({ 'ttftMs.mean': '301', 'latencyMs.mean': '1' }),
      unstreamed({ 'ttftMs.mean': '2999', 'latencyMs.mean': '1' }),
      printed({ 'ttftMs.mean': '5', 'latencyMs.mean': '7' }, by('evalscope')),
      printed({ 'ttftMs.mean': '5', 'latencyMs.mean': '7' }, load({ stream: false })),
    ],
  },
  'counts-disagree': {
    says: [
      printed({ 'counts.ended': '1001' }),
      printed({ 'counts.planned': '999' }),
      printed({ 'counts.ended': '950' }, counts({ ok: 900, failed: 50, cancelled: 50 })),
    ],
    silent: [
      printed({ 'counts.ended': '1000', 'counts.planned': '1000' }, counts({ ok: 900, failed: 50, cancelled: 50 })),
      printed({ 'counts.planned': '1001' }),
      printed({ 'counts.ended': '1000' }, counts({ cancelled: null as never })),
    ],
    needs: ['counts.ok', 'counts.failed'],
  },
  'counts-impossible': { says: [{ impossibleCounts: 1 }], silent: [{ impossibleCounts: 0 }, {}] },
  'percentiles-impossible': {
    says: [
      dist('ttftMs', { p50: 100, p90: 99 }),
      dist('ttftMs', { min: 100, p50: 99 }),
      dist('ttftMs', { p99: 100, max: 99 }),
      dist('ttftMs', { mean: 998, min: 1000 }),
      dist('ttftMs', { mean: 1002, max: 1000 }),
      dist('ttftMs', { mean: 979, p50: 2000 }),
      latency({ mean: 1990, p50: 202_002 }),
      latency({ mean: 5000, p99: 202_002 }),
    ],
    silent: [
      dist('ttftMs', { min: 100, p50: 100, p90: 100, max: 100 }),
      dist('ttftMs', { mean: 999, min: 1000 }),
      dist('ttftMs', { mean: 1000.9, max: 1000 }),
      dist('ttftMs', { mean: 980, p50: 2000 }),
      latency({ mean: 5000, p99: 202_001 }),
      { ...latency({ mean: 5000, p99: 202_002 }), durationMs: null },
      dist('ttftMs', { mean: 5000, p99: 202_002 }),
    ],
  },
  'table-disagrees': {
    // Neither rounded nor cut, in the unit of the log or a thousandth or a thousandfold of it.
    says: [
      mention('table', '5', '6'),
      mention('table', '5', '4.49'),
      mention('table', '6', '5000.5'),
      mention('table', '9', '2', 'counts.failed'),
    ],
    silent: [
      mention('table', '5', '5.999'),
      mention('table', '5', '4.5'),
      mention('table', '5', '5500'),
      mention('table', '5000', '5'),
      mention('table', '5', '0.0055'),
      mention('table', '5', 'five'),
      mention('block', '5', '9'),
      { ...mention('table', '9', '2', 'counts.failed'), ...counts({ ok: 991, failed: 2 }) },
    ],
  },
  'decode-starvation': {
    says: [
      { ...gaps({ p50: 10, mean: 50 }), ...dist('ttftMs', { mean: 398 }) },
      gaps({ p75: 10, mean: 50 }),
      gaps({ p50: 1, mean: 5 }),
      { ...gaps({ p50: 10, mean: 50 }), ttftMs: null },
    ],
    silent: [
      gaps({ p50: 10, mean: 49.9 }),
      { ...gaps({ p50: 10, mean: 50 }), ...dist('ttftMs', { mean: 399 }) },
      gaps({ p50: 0, mean: 50 }),
      gaps({ p50: 4, mean: 50, p98: 76 }),
    ],
    needs: ['itlMs', 'itlMs.mean', 'itlMs.p50'],
  },
  'integer-milliseconds': {
    says: [printed(whole)],
    silent: [printed({ ...whole, 'itlMs.min': '1' }), printed({ ...whole, 'itlMs.max': '60.5' })],
  },
  'warmup-overlap': {
    says: [{ server: { 'DecoderBatchsize.max': 11 } }],
    silent: [{ server: { 'DecoderBatchsize.max': 10 } }],
    needs: ['server', 'load.concurrency'],
  },
  'chunks-not-tokens': {
    says: [
      { ...by('vllm'), ...gaps({ mean: 13 }), ...latency({ mean: 1100 }), ...tokens(101) },
      { ...by('vllm'), ...gaps({ mean: 13 }), ...dist('tpotMs', { mean: 10 }), ...tokens(1) },
      { ...by('vllm'), ...gaps({ mean: 13 }), ...latency({ mean: 110 }), ...tokens(2) },
      { ...by('vllm'), ...gaps({ mean: 1.3 }), ...dist('tpotMs', { mean: 1 }), outputTokens: null },
      { ...by('vllm'), ...gaps({ mean: 13 }), ...dist('tpotMs', { mean: 10 }), ...latency({}) },
      { ...by('vllm'), ...gaps({ mean: 13 }), ...dist('tpotMs', { mean: 10 }), ttftMs: null },
    ],
    silent: [
      { ...by('vllm'), ...gaps({ mean: 12.99 }), ...latency({ mean: 1100 }), ...tokens(101) },
      { ...by('vllm'), ...gaps({ mean: 13 }), ...dist('tpotMs', { mean: 0 }), outputTokens: null },
      { ...gaps({ mean: 13 }), ...latency({ mean: 1100 }), ...tokens(101) },
    ],
    needs: ['itlMs', 'itlMs.mean', 'latencyMs.mean', 'ttftMs.mean', 'outputTokens.mean'],
  },
  'text-in-bursts': {
    says: [gaps({ p50: 4.9, mean: 25, p98: 37.6 }), gaps({ p50: 1, mean: 6, p98: 20.1 })],
    silent: [
      gaps({ p50: 5, mean: 26, p98: 90 }),
      gaps({ p50: 4, mean: 20, p98: 90 }),
      gaps({ p50: 4.9, mean: 25, p98: 37.5 }),
      gaps({ p50: 1, mean: 6, p98: 20 }),
    ],
    needs: ['itlMs', 'itlMs.p50', 'itlMs.mean', 'itlMs.p98'],
  },
  'length-off-label': {
    says: [
      { server: { generateSize: 100 }, ...tokens(121) },
      { server: { generateSize: 100 }, ...tokens(79) },
    ],
    silent: [
      { server: { generateSize: 100 }, ...tokens(120) },
      { server: { generateSize: 100 }, ...tokens(80) },
      { server: { generateSize: 0 } },
    ],
    needs: ['server', 'outputTokens', 'outputTokens.mean'],
  },
  'texts-missing': {
    says: [{ server: { textsOffered: 1001 } }],
    silent: [{ server: { textsOffered: 1000 } }],
    needs: ['server', 'counts.ok'],
  },
  'textless-answers': { says: [{ textlessAnswers: 1 }], silent: [{ textlessAnswers: 0 }, {}] },
  'tokens-unknown': {
    says: [{ outputTokens: null, outputTokensPerSec: null }],
    silent: [
      { outputTokens: null },
      { outputTokensPerSec: null },
      { outputTokens: null, outputTokensPerSec: null, ...by('vllm') },
      { outputTokens: null, outputTokensPerSec: null, ...lost(1000) },
    ],
  },
  'inverse-throughput': {
    says: [printed({ 'tpotMs.mean': '0.002' })],
    silent: [printed({ 'tpotMs.mean': '0.000' }), printed({ 'tpotMs.mean': '2' }, dist('tpotMs', { mean: 2 })), {}],
    needs: ['outputTokensPerSec'],
  },
  'not-streamed': {
    says: [load({ stream: false })],
    silent: [{}, { ...load({ stream: false }), ...lost(1000) }],
    needs: ['load.stream'],
  },
};
