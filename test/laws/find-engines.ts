import { verdictOf } from '../../src/core/index.ts';
import type { RunPlan, StoppedBecause, Summary } from '../../src/core/index.ts';
import { randomStream } from '../../src/core/random.ts';
import { builtinProfile } from '../../src/engine/sim/index.ts';
import type { EngineProfile } from '../../src/engine/sim/index.ts';
import { judged } from '../../src/lab/execute-run.ts';
import { measurePoints } from '../../src/lab/point-loop.ts';
import { findResultOf } from '../../src/lab/points/find-result.ts';
import { loadSearch, searchSizes } from '../../src/lab/points/load-search.ts';
import { planPoint } from '../../src/lab/prepare/prepare.ts';
import { simulatedRunners } from '../../src/lab/runners/simulated-runners.ts';
import { findSettings } from '../../src/lab/settings/plan-settings.ts';
import { readSettings } from '../../src/lab/settings/read-settings.ts';
import { stopRulesOf } from '../../src/lab/stop-rules/stop-rules.ts';
import { factsOfPlan, makeTrace, meterFor, slicesOf, summarise } from '../../src/results/measure/index.ts';
import type { ComparedRun } from '../../src/results/measure/index.ts';
import type { FindResult } from '../../src/results/report/index.ts';

/** What stands in the way of more load in a drawn engine; none = nothing does within the range. */
export const limitKinds = ['batch', 'kv', 'prefill', 'decode', 'none'] as const;
export type LimitKind = (typeof limitKinds)[number];

/** An engine whose limit is known, and what is promised of it. */
export interface DrawnEngine {
  kind: LimitKind;
  profile: EngineProfile;
  slo: readonly string[];
  /** The end of the range. */
  most: number;
}

export const lengths = { input: 256, output: 64 } as const;
const promises = ['ttft.p99<500ms', 'tpot.p99<50ms'] as const;

/** The engine of a seed: kinds take turns, everything else is drawn. */
export function drawEngine(seed: number): DrawnEngine {
  const random = randomStream(seed, 'engine to find');
  const kind = limitKinds[seed % limitKinds.length]!;
  const usual = builtinProfile('qwen1.5-7b-mindie-8x910b4');
  const between = (low: number, high: number): number => low * (high / low) ** random.next();
  const cost = {
    ...usual.cost,
    aMs: between(8, 20),
    cMsPerDecode: between(0.02, 0.08),
    p1MsPerPrefillToken: between(0.004, 0.02),
  };
  const profile: EngineProfile = {
    ...usual,
    name: `drawn-${seed}`,
    cost,
    jitter: { stepSigma: 0.03, runSigma: 0.005 },
    maxBatchSize: 512,
    kv: null,
  };
  const places = Math.round(between(12, 160));
  if (kind === 'batch') profile.maxBatchSize = places;
  // Blocks for so many whole requests.
  if (kind === 'kv') profile.kv = { blockSize: 16, blocks: places * Math.ceil((lengths.input + lengths.output) / 16) };
  if (kind === 'prefill') profile.cost = { ...cost, p1MsPerPrefillToken: between(0.06, 0.3) };
  if (kind === 'decode') profile.cost = { ...cost, cMsPerDecode: between(0.25, 1.5) };
  if (kind === 'none') profile.cost = { ...cost, p1MsPerPrefillToken: 0.001, cMsPerDecode: 0.01 };
  return { kind, profile, slo: promises, most: kind === 'none' ? 64 : 512 };
}

/** What a search came to, with what it would have taken on a clock. */
export interface Searched extends FindResult {
  virtualMs: number;
}

const never = { drain: new AbortController().signal, cancel: new AbortController().signal };

/** Searches an engine as `dyno find` searches a server, in virtual time and with the sizes of a live search. */
export async function searchEngine({ profile, slo, most }: DrawnEngine, seed: number): Promise<Searched> {
  const { words, runners } = question(profile, slo, seed, [1, most]);
  const search = await loadSearch(words, runners, searchSizes.server);
  const { done } = await measurePoints(
    search,
    async ({ plan, prepared }, before) => {
      const at = { prepared, plan, number: before.length, issuedBefore: 0, behind: null };
      const { runner } = await runners.runnerFor(at);
      const own = stopRulesOf(plan);
      const meter = meterFor(plan);
      for await (const { exchange } of runner.run(plan, never, own.rules)) meter.add(exchange);
      return { summary: read(plan, meter, runner, own.reason()), dir: '' };
    },
    never.drain,
  );
  const points = done.map(({ summary }) => summary);
  const virtualMs = points.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const asked = { kind: 'concurrency', slo, durationMs: virtualMs } as const;
  return { ...findResultOf(search.found(), search.looks(), points, asked), virtualMs };
}

/** A long run at one load: what its promises truly come to. */
export async function truthAt(engine: DrawnEngine, load: number, seed: number): Promise<Summary> {
  return (await measuredAt(engine, load, Math.max(3000, 24 * load), seed)).summary;
}

/** A run at one load, with its requests, as comparisons take it. */
export async function measuredAt(
  { profile, slo }: DrawnEngine,
  load: number,
  requests: number,
  seed: number,
): Promise<ComparedRun> {
  const { words, runners } = question(profile, slo, seed, [load, load]);
  const prepared = await runners.prepare({ ...words, requests }, 1);
  const own = { ...prepared, settings: { ...prepared.settings, requests, seed } };
  const plan = planPoint(own, { concurrency: load, ratePerSec: null }, 0);
  const { runner } = await runners.runnerFor({ prepared: own, plan, number: 1000, issuedBefore: 0, behind: null });
  const meter = meterFor(plan);
  const trace = makeTrace(plan.load);
  for await (const { exchange } of runner.run(plan, never, [])) {
    meter.add(exchange);
    trace.add(exchange);
  }
  const summary = read(plan, meter, runner, null);
  return { id: `${seed}`, name: `${seed}`, summary, plan, slices: slicesOf(trace), trace };
}

/** Whether every promise was kept. */
export function keeps({ slo = [] }: Summary): boolean {
  return slo.every(({ kept }) => kept === true);
}

function question(
  profile: EngineProfile,
  slo: readonly string[],
  seed: number,
  [least, most]: readonly [number, number],
) {
  // One engine is as fast on each day as it is drawn for that day; its steps are not.
  const runners = simulatedRunners({ profile, faults: [] }, null);
  const given = [
    { name: 'slo', texts: [...slo], place: {} },
    { name: 'input-tokens', texts: [String(lengths.input)], place: {} },
    { name: 'output-tokens', texts: [String(lengths.output)], place: {} },
    { name: 'concurrency', texts: [`${least},${most}`], place: {} },
    { name: 'seed', texts: [String(1 + seed)], place: {} },
  ];
  const words = readSettings(given, findSettings, 'http://virtual.invalid/');
  return { words, runners };
}

function read(
  plan: RunPlan,
  meter: ReturnType<typeof meterFor>,
  runner: unknown,
  stoppedBecause: StoppedBecause | null,
): Summary {
  const partial = stoppedBecause !== null;
  const facts = { ...factsOfPlan(plan), runId: 'r', simulated: true, partial };
  const summary = summarise(meter, { ...facts, ...(stoppedBecause !== null && { stoppedBecause }) });
  const server = ((runner as { counters?(): unknown }).counters?.() ?? null) as Record<string, unknown> | null;
  return judged({ ...summary, server, verdict: verdictOf([]) }, plan, partial);
}
