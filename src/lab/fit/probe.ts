import { randomInt } from 'node:crypto';
import { problems } from '../../core/index.ts';
import type { Exchange, Phrase, Summary } from '../../core/index.ts';
import { measuredRun, sightOf } from '../../advice/fit/index.ts';
import type { MeasuredRun, ProbeSight } from '../../advice/fit/index.ts';
import { openSweep, readExchanges, readTelemetry } from '../../results/store/index.ts';
import type { StoredRun } from '../../results/store/index.ts';
import { runExperiment } from '../experiment.ts';
import type { LabPoint, MeasuredPoint } from '../measure-point.ts';
import type { OwnPoints } from '../points/point-list.ts';
import { loadPoints } from '../prepare/assemble-plan.ts';
import { planPoint } from '../prepare/prepare.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import type { RunnerSource } from '../runners/runner-source.ts';
import { note, silent } from '../world.ts';
import type { World } from '../world.ts';
import { processorMs } from './fit-runs-together.ts';

/** One short run against the server: fixed lengths, and so many in flight, or so many sent a second. */
export interface Probe {
  /** null = an open loop, at the rate that keeps some `openStreams` in flight. */
  concurrency: number | null;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  /** Only to check the fit with, never to fit. */
  validates?: true;
  /** Asks the prompts of the probe with this place once more: what the server's prefix cache spares is seen there. */
  again?: number;
}

/** The probe that is repeated. */
const repeated = 1;
/** What a server without a known batch is taken to have in the middle probes, and what these have at the most. */
const usualBatch = 32;
const mostInMiddle = 64;
/** The burst where the batch is not known: vLLM's own default. */
const usualBurst = 256;
const openStreams = 16;

/**
 * The probes of a server that takes `batch` at once (null = not known). Alone at three prompt lengths: prefill and what stands before it. Alone with a long
 * answer: the bare step. Half and whole batch with short prompts: what a sequence costs. Half a batch with long prompts: what the KV
 * cache costs. An open loop: what each prompt that comes by itself holds up. A burst as large as the batch: the loaded front, and a slope that bends.
 */
export function probesFor(batch: number | null): Probe[] {
  const whole = Math.max(2, Math.min(batch ?? usualBatch, mostInMiddle));
  const half = Math.max(2, Math.round(whole / 2));
  const burst = Math.min(batch ?? usualBurst, usualBurst);
  return [
    ...[64, 512].map((inputTokens) => ({ concurrency: 1, inputTokens, outputTokens: 12, requests: 10 })),
    // At once, because a small cache would soon have no room left for them.
    { concurrency: 1, inputTokens: 512, outputTokens: 12, requests: 10, again: repeated },
    { concurrency: 1, inputTokens: 2048, outputTokens: 12, requests: 10 },
    { concurrency: 1, inputTokens: 64, outputTokens: 384, requests: 3 },
    { concurrency: half, inputTokens: 64, outputTokens: 128, requests: 4 * half },
    { concurrency: whole, inputTokens: 64, outputTokens: 128, requests: 4 * whole },
    { concurrency: half, inputTokens: 1024, outputTokens: 128, requests: 2 * half },
    { concurrency: null, inputTokens: 512, outputTokens: 128, requests: 400 },
    ...(burst > whole ? [{ concurrency: burst, inputTokens: 64, outputTokens: 64, requests: 2 * burst }] : []),
    {
      concurrency: Math.max(2, Math.round(whole * 0.75)),
      inputTokens: 256,
      outputTokens: 64,
      requests: 2 * whole,
      validates: true,
    },
  ];
}

/** A probe that was carried out. */
export interface ProbedRun {
  probe: Probe;
  summary: Summary;
  exchanges: Exchange[];
  /** null = nothing streamed ended well in it. */
  run: MeasuredRun | null;
  /** Of a closed loop that is fitted: steps and first tokens read one by one. */
  sight: ProbeSight | null;
}

/** What the probes showed. */
export interface Probed {
  /** The sweep of the store that keeps them. */
  id: string;
  /** All were carried out; false = somebody said stop. */
  whole: boolean;
  runs: ProbedRun[];
  /** Probes that brought nothing, or nothing about prompts, and why. */
  lost: { concurrency: number | null; why: Phrase }[];
  /** The most that ran at once while others waited; null = the server does not say, or nothing waited. */
  batch: number | null;
  /** Tokens that the KV cache holds; null = the server does not say. */
  kvTokens: number | null;
}

/** Runs the probes one after the other, each on an engine that the one before left idle, and keeps them in the store. */
export async function probeServer(server: ServerWords, probes: readonly Probe[], world: World): Promise<Probed> {
  const outcome = await runExperiment(
    {
      kind: 'sweep',
      settings: server,
      simulate: null,
      resume: null,
      title: `probe of ${server.url.replace(/^https?:\/\//, '')}`.slice(0, 100),
      points: (runners) => Promise.resolve(probePoints(server, probes, runners, world)),
    },
    silent(world),
  );
  const stored = await openSweep(world.store, outcome.dir);
  const runs = await Promise.all(stored.runs.map((run, i) => readProbe(probes[i]!, run, outcome.points[i]!)));
  const lost = runs.flatMap(({ probe, sight, exchanges }) => {
    const why = lossOf(probe, sight, exchanges);
    return why === null ? [] : [{ concurrency: probe.concurrency, why }];
  });
  for (const { why } of lost) note(world, `probe ${why.en}`, `探测 ${why.zh}`);
  const burst = stored.runs[probes.findLastIndex(({ concurrency }) => concurrency === largestOf(probes))];
  return {
    id: outcome.id,
    whole: outcome.whole,
    runs,
    lost,
    batch: burst === undefined ? null : await batchSeen(burst, largestOf(probes)),
    kvTokens: outcome.points.flatMap((point) => numberIn(point.server?.['kvCapacityTokens'])).at(-1) ?? null,
  };
}

function numberIn(value: unknown): number[] {
  return typeof value === 'number' && Number.isFinite(value) ? [value] : [];
}

function largestOf(probes: readonly Probe[]): number {
  return Math.max(...probes.map(({ concurrency }) => concurrency ?? 0));
}

/** Probes as points: each is planned when it is its turn, as long as the server's pace allows. */
function probePoints(server: ServerWords, probes: readonly Probe[], runners: RunnerSource, world: World): OwnPoints {
  // Fresh prompts each time: a server that keeps beginnings would skip the prefill of those it has seen.
  const seed = randomInt(1, 2 ** 31 - probes.length);
  // The first probe, which fits any model, tells what the others may be.
  let contextTokens: number | null = null;
  return {
    isGrid: true,
    async next(done): Promise<LabPoint | null> {
      const probe = probes[done.length];
      if (probe === undefined) return null;
      const outputTokens = answerLength(probe, done);
      const inputTokens = lengthWithin(probe, contextTokens, server.tokenizer !== undefined);
      const asked = askedFor(
        { ...probe, inputTokens, outputTokens },
        server,
        done,
        seed + (probe.again ?? done.length),
      );
      const prepared = await runners.prepare(asked, 1);
      ({ contextTokens } = prepared);
      const place = `${done.length + 1}/${probes.length}`;
      const load = asked.rate === undefined ? null : asked.rate[0]!.toPrecision(2);
      const how = `${inputTokens} → ${outputTokens}`;
      const name = {
        en: `probe ${place}: ${load === null ? `${probe.concurrency} at once` : `${load} requests/s`}, ${how} tokens`,
        zh: `探测 ${place}：${load === null ? `并发 ${probe.concurrency}` : `${load} 请求/s`}，${how} Token`,
      };
      note(world, name.en, name.zh);
      return { prepared, plan: planPoint(prepared, loadPoints(asked)[0]!, 0), name };
    },
  };
}

/** A probe sends for no longer than this, and none of its answers takes longer where the pace is known by then. */
const longestMs = 6000;
const longestAnswerMs = 5000;
/** Fewer tokens than this say too little of steps. */
const leastTokens = 12;

/** The slowest pace that was seen so far; 0 = none. */
function stepMsOf(done: readonly MeasuredPoint[]): number {
  return Math.max(0, ...done.map(({ summary }) => summary.tpotMs?.p50 ?? 0));
}

/** The lone probes, which come first, tell how long answers may be. */
function answerLength({ outputTokens }: Probe, done: readonly MeasuredPoint[]): number {
  const stepMs = stepMsOf(done);
  return stepMs === 0
    ? outputTokens
    : Math.min(outputTokens, Math.max(leastTokens, Math.floor(longestAnswerMs / stepMs)));
}

function askedFor(
  { concurrency, inputTokens, outputTokens, requests }: Probe,
  server: ServerWords,
  done: readonly MeasuredPoint[],
  promptSeed: number,
): ServerWords {
  return {
    ...server,
    promptSeed,
    requests,
    duration: longestMs,
    label: `${inputTokens} → ${outputTokens}, ${concurrency ?? 'open'}`,
    inputTokens: { law: 'fixed', tokens: inputTokens },
    outputTokens: { law: 'fixed', tokens: outputTokens },
    devices: 'none',
    ...(done.length === 0 ? { warmup: { requests: 2 } } : { noPreflight: true }),
    ...(concurrency === null ? { rate: [rateFor(outputTokens, done)] } : { concurrency: [concurrency] }),
  };
}

/** Sent at this rate some `openStreams` are in flight: one prompt after the other is computed alone, and all share the steps in between. */
function rateFor(outputTokens: number, done: readonly MeasuredPoint[]): number {
  const promptMs = done[repeated]?.summary.ttftMs?.p50 ?? 100;
  const stepMs = stepMsOf(done) || 20;
  return Number((1000 / (promptMs + (outputTokens * stepMs) / openStreams)).toPrecision(3));
}

async function readProbe(probe: Probe, stored: StoredRun, summary: Summary): Promise<ProbedRun> {
  const exchanges: Exchange[] = [];
  for await (const exchange of readExchanges(stored)) exchanges.push(exchange);
  const { plan } = stored.record;
  const server = { cpuMs: await processorMs(stored), steps: null, tpotMs: null, prefillMs: null };
  const measured = exchanges.filter(({ warmup }) => !warmup);
  const { concurrency, validates, again } = probe;
  const plain = concurrency !== null && validates === undefined && again === undefined;
  return {
    probe,
    summary,
    exchanges: measured,
    run: measuredRun(plan.label ?? stored.id, plan.load, exchanges, server),
    sight: plain ? sightOf(concurrency, measured) : null,
  };
}

/** The most that ran while others waited, where it was seen twice: a server that lets requests in one by one passes other numbers only once. */
async function batchSeen(burst: StoredRun, concurrency: number): Promise<number | null> {
  const seen: number[] = [];
  for await (const { running, waiting } of readTelemetry(burst))
    if (typeof running === 'number' && Number(waiting) > 0) seen.push(running);
  const most = Math.max(0, ...seen);
  return most > 0 && most < concurrency && seen.filter((one) => one === most).length > 1 ? most : null;
}

/** Why a probe, or its part about prompts, is left out; null = it is not. */
export function lossOf(probe: Probe, sight: ProbeSight | null, exchanges: readonly Exchange[]): Phrase | null {
  const what = `${probe.inputTokens} → ${probe.outputTokens}`;
  if (sight !== null || exchanges.some(({ outcome, chunks }) => outcome === 'ok' && chunks.atMs.length > 1)) {
    if (sight === null || sight.ttftMs.length > 0 || sight.cachedShare === null) return null;
    const share = (100 * sight.cachedShare).toFixed(0);
    return {
      en: `${what}: ${share} % of its prompts came from the server's cache; its first tokens are left out`,
      zh: `${what}：${share}% 的提示词来自服务器缓存，其首 token 时间不参与拟合`,
    };
  }
  const failed = exchanges.find(({ problem }) => problem !== null)?.problem ?? null;
  if (failed === null) {
    const one = 'not one streamed answer of two tokens or more';
    return { en: `${what}: lost, ${one}`, zh: `${what}：无效，没有两个 token 以上的流式回答` };
  }
  const status = failed.status === null ? '' : ` (HTTP ${failed.status})`;
  const said = failed.words === null ? '' : `: ${failed.words}`;
  const cause = problems[failed.code];
  return {
    en: `${what}: lost, ${cause.en}${status}${said}`,
    zh: `${what}：无效，${cause.zh}${status}${said}`,
  };
}

/** Tokens that a chat template adds at most, and how many a planned one may become without the model's own tokenizer. */
const templateTokens = 64;
const mostStretch = 1.5;

/** The prompt length that this model takes beside the answer, whatever its vocabulary makes of it. */
export function lengthWithin(probe: Probe, contextTokens: number | null, exact: boolean): number {
  if (contextTokens === null) return probe.inputTokens;
  const room = (contextTokens - probe.outputTokens - templateTokens) / (exact ? 1 : mostStretch);
  return Math.max(1, Math.min(probe.inputTokens, Math.floor(room)));
}
