import { sampleDistribution } from '../sample-point.ts';
import type { ClientHealth, Flow, RunPlan, Silence, Summary } from '../../src/core/index.ts';
import type { AuditContext } from '../../src/results/audit/index.ts';
import { client, counts, dist, latency, load, lost, steady } from './edge.ts';
import type { Edge } from './edge.ts';

const silence = (changes: Partial<Silence>) => ({
  silences: [{ fromMs: 4000, toMs: 6000, waiting: 4, lost: 0, back: true, ...changes }],
});
const dataset = (changes: Partial<RunPlan['dataset']>): AuditContext => ({
  plan: { dataset: { cycled: false, kind: 'random', items: null, ...changes }, load: {} } as unknown as RunPlan,
});
const slow = (ttftP90: number, ttftMax: number, p90: number, max: number) => ({
  ttftMs: sampleDistribution({ p90: ttftP90, max: ttftMax }),
  latencyMs: sampleDistribution({ p90, max }),
});
const flow: Flow = {
  state: 'overloaded',
  rising: false,
  duePerSec: null,
  answeredPerSec: null,
  pilingRatio: null,
  openEarly: null,
  openLate: null,
  unserved: 120,
};
const open = load({ kind: 'open', concurrency: null, ratePerSec: 5 });
const late = (p99: number) => dist('latenessMs', { p99 });
const front = (busiestRatio: number) => ({
  server: { front: { processes: 1, busiestRatio, meanRatio: 0.5, usPerToken: null } },
});
const worker = (name: string, health: Partial<ClientHealth> | null, state = 'stayed') =>
  ({ name, state, exchanges: 500, health: health && client(health).client }) as NonNullable<Summary['workers']>[number];
const spare = { fileHandlesLeft: 10, fileHandlesLimit: 100, portsLeft: 10, portsLimit: 100 };
const yes = dataset({ items: 1000 });

/** Rules that doubt a run by its client, its server, its load or its prompts. */
export const edgesOfCircumstances: Record<string, Edge> = {
  'nothing-ok': {
    says: [lost(1000), counts({ ok: 0, cancelled: 1000 }), { partial: true, ...counts({ planned: 0, ok: 0 }) }],
    silent: [lost(999), counts({ planned: 0, ok: 0 })],
    needs: ['counts.planned', 'counts.ok'],
  },
  'server-gone': {
    says: [silence({ back: false, lost: 1 })],
    silent: [silence({ back: false, lost: 0 }), silence({ back: true, lost: 1 })],
  },
  'client-bound': {
    says: [
      client({ cpuRatio: 0.9 }),
      client({ cpuRatio: 1.8, threads: 2 }),
      client({ cpuRatio: 0.9, threads: 0 }),
      client({ cpuRatio: 0.9, cpuPerThread: [0.1] }),
      client({ cpuPerThread: [0.1, 0.9] }),
      client({ loopDelayP99Ms: 20.1 }),
      { ...client({ loopDelayP99Ms: 100.1 }), ...dist('ttftMs', { p50: 2000 }) },
      { ...client({ loopDelayP99Ms: 20.1, loopDelayP90Ms: 1 }), ...latency({ n: 1000 }) },
      { ...client({ loopDelayP99Ms: 20.1, loopDelayP90Ms: 1 }), latencyMs: null, ...counts({ ok: 1000 }) },
      { ...client({ loopDelayP90Ms: 20.1 }), ...latency({ n: 999 }) },
      { ...client({}), ...open, ...late(20.1) },
      { ...client({}), ...open, ...late(20.1), workers: [worker('a', {})] },
    ],
    silent: [
      client({ cpuRatio: 0.89 }),
      client({ cpuRatio: 1.7, threads: 2 }),
      client({ cpuRatio: 0.9, cpuPerThread: [0.1, 0.8] }),
      client({ cpuPerThread: [0.95] }),
      client({ loopDelayP99Ms: 20 }),
      { ...client({ loopDelayP99Ms: 100 }), ...dist('ttftMs', { p50: 2000 }) },
      { ...client({ loopDelayP99Ms: 20.1, loopDelayP90Ms: 1 }), ...latency({ n: 999 }) },
      { ...client({}), ...open, ...late(20) },
      { ...client({}), ...late(20.1) },
      { ...client({ cpuRatio: 0.9 }), workers: [worker('a', {})] },
      { ...client({ cpuRatio: 0.9 }), ...lost(1000) },
      { ...client({ loopDelayP99Ms: 90 }), ttftMs: null, latencyMs: null },
    ],
    needs: ['client', 'client.cpuRatio'],
  },
  'client-room': {
    says: [
      client({ ...spare, fileHandlesLeft: 9 }),
      client({ ...spare, portsLeft: 9 }),
      { ...client(spare), ...counts({ byProblem: { 'client-resources': 1 } }) },
    ],
    silent: [client(spare), client({ ...spare, portsLeft: 9, portsLimit: null })],
    needs: ['client', 'client.fileHandlesLeft', 'client.fileHandlesLimit'],
  },
  'client-stalls': {
    says: [{ ...client({ loopDelayP99Ms: 20.1, loopDelayP90Ms: 20 }), ...latency({ n: 50 }) }],
    silent: [
      { ...client({ loopDelayP99Ms: 20, loopDelayP90Ms: 1 }), ...latency({ n: 50 }) },
      { ...client({ loopDelayP99Ms: 30, loopDelayP90Ms: 20.1 }), ...latency({ n: 50 }) },
      { ...client({ loopDelayP99Ms: 30, loopDelayP90Ms: 0 }), ...latency({ n: 50 }), ttftMs: null },
    ],
    needs: ['client', 'client.loopDelayP99Ms', 'client.loopDelayP90Ms'],
  },
  'host-wait': {
    says: [client({ cpuWaitRatio: 0.2 }), client({ stolenRatio: 0.05 })],
    silent: [client({ cpuWaitRatio: 0.199, stolenRatio: 0.049 })],
    needs: ['client', 'client.cpuWaitRatio'],
  },
  'sick-worker': {
    says: [
      { workers: [worker('a', { cpuRatio: 0.9 })] },
      { workers: [worker('a', {}), worker('b', { loopDelayP99Ms: 20.1 })] },
    ],
    silent: [{ workers: [worker('a', { cpuRatio: 0.89, loopDelayP99Ms: 20 }), worker('b', null)] }, { workers: [] }],
    needs: ['workers'],
  },
  'lost-with-worker': {
    says: [
      counts({ byProblem: { 'lost-with-worker': 1 } }),
      counts({ byProblem: { 'lost-with-redis': 1 } }),
      { workers: [worker('a', {}, 'lost')] },
    ],
    silent: [{ workers: [worker('a', {}, 'left')] }, {}],
  },
  'concurrency-not-reached': {
    says: [steady({ concurrencyAchieved: 9.49 })],
    silent: [
      steady({ concurrencyAchieved: 9.5 }),
      { ...steady({ concurrencyAchieved: 9.49 }), ...load({ kind: 'open' }) },
      [steady({ concurrencyAchieved: 9.49 }), dataset({ settings: { think: '2s' } })],
    ],
    needs: ['load.concurrency', 'steady.concurrencyAchieved', 'steady'],
  },
  // 1,000 at 5 a second span 200 s.
  'rate-not-achieved': {
    says: [
      { ...open, ...late(0), ...counts({ issued: 989 }) },
      { ...open, ...late(2100) },
      [open, { sendsPerSec: 4.94 }],
    ],
    silent: [
      { ...open, ...late(0), ...counts({ issued: 990 }) },
      { ...open, ...late(2000) },
      [open, { sendsPerSec: 4.95 }],
      { ...open, ...late(9000), partial: true },
      { ...open, ...late(9000), ...load({ kind: 'closed', ratePerSec: 5 }) },
      { ...open, ...late(9000), ...counts({ planned: 0, issued: 0 }) },
      { ...late(9000), ...load({ kind: 'open', ratePerSec: 0 }) },
      [{ ...open, ...late(9000) }, { plan: { load: { sessions: true } } as unknown as RunPlan }],
    ],
    needs: ['load.ratePerSec', 'latenessMs'],
  },
  overloaded: { says: [{ flow }], silent: [{ flow: { ...flow, state: 'stable' } }, {}] },
  'server-silent': { says: [silence({})], silent: [silence({ lost: 1, back: false }), { silences: [] }] },
  'server-restarted': { says: [{ server: { restartedAtMs: 0 } }], silent: [{ server: {} }], needs: ['server'] },
  'partial-run': { says: [{ partial: true }, [{}, { interrupted: true }]], silent: [[{}, { interrupted: false }]] },
  'resumed-run': {
    says: [{ resumed: [{ gapMs: 0, at: '', atMs: 0, monotonicOriginNs: null }] }],
    silent: [{ resumed: [] }],
  },
  failures: {
    says: [lost(1), counts({ failed: 1, ok: null as never })],
    silent: [lost(0), lost(1000)],
    needs: ['counts.failed'],
  },
  'cold-start': {
    says: [slow(100, 1000, 1000, 2000), { ...slow(100, 1000, 1000, 2000), ...silence({ back: false }) }],
    silent: [
      slow(50, 999, 1000, 2000),
      slow(101, 1000, 1000, 2000),
      slow(100, 1000, 1000, 1999),
      { ...slow(100, 1000, 1000, 2000), ...silence({}) },
    ],
    needs: ['ttftMs.max', 'ttftMs.p90', 'latencyMs.max', 'latencyMs.p90', 'ttftMs', 'latencyMs'],
  },
  'short-run': {
    says: [{ ...counts({ ok: 2 }), durationMs: 5999, ...latency({ mean: 2000 }) }],
    silent: [
      { ...counts({ ok: 2 }), durationMs: 6000, ...latency({ mean: 2000 }) },
      { ...counts({ ok: 1 }), durationMs: 5999, ...latency({ mean: 2000 }) },
      { durationMs: -1, ...latency({ mean: 0 }) },
    ],
    needs: ['durationMs', 'latencyMs', 'latencyMs.mean', 'counts.ok'],
  },
  'too-few-samples': {
    says: [
      { ...latency({ p90: 5, n: 99 }), ttftMs: null },
      dist('tpotMs', { n: 999 }),
      dist('ttftMs', { p99: 1, n: 999 }),
      dist('tpotMs', { p99: 1, n: 1 }),
    ],
    silent: [
      { ...latency({ p90: 5, n: 100 }), ttftMs: null },
      latency({ n: 1000 }),
      dist('tpotMs', { n: 0 }),
      { latencyMs: null, ttftMs: null },
    ],
  },
  'dataset-cycled': {
    says: [
      [counts({ planned: 1001 }), yes],
      [counts({ planned: 1001 }), dataset({ items: 5000, asks: 1000 })],
      [{}, dataset({ cycled: true })],
      [{}, { datasetCycled: true }],
      [{ partial: true }, dataset({ cycled: true })],
    ],
    silent: [
      [{}, yes],
      [counts({ planned: 1001, byProblem: { 'not-sent': 1 } }), yes],
      [{ partial: true }, dataset({ items: 1000, cycled: true })],
      [{}, { ...dataset({ cycled: true }), datasetCycled: false }],
    ],
  },
  'cached-prompts': {
    says: [
      [{ cachedInputRatio: 0.2, ...dist('inputTokens', { mean: 320 }) }, dataset({})],
      [{ cachedInputRatio: 0.5, ...dist('inputTokens', { mean: 128 }) }, dataset({})],
      [{ cachedInputRatio: 0.5, inputTokens: null }, dataset({})],
    ],
    silent: [
      [{ cachedInputRatio: 0.199, inputTokens: null }, dataset({})],
      [{ cachedInputRatio: 0.5, ...dist('inputTokens', { mean: 127 }) }, dataset({})],
      [{ cachedInputRatio: 0.5, inputTokens: null }, dataset({ kind: 'jsonl' })],
      { cachedInputRatio: 0.5, inputTokens: null },
    ],
    needs: ['cachedInputRatio'],
  },
  'front-bound': { says: [front(0.8)], silent: [front(0.799)], needs: ['server', 'server.front'] },
  'kv-bound': {
    says: [{ server: { kvUsageMaxRatio: 0.95 } }, { server: { preemptions: 1 } }],
    silent: [{ server: { kvUsageMaxRatio: 0.949, preemptions: 0 } }],
    needs: ['server'],
  },
};
