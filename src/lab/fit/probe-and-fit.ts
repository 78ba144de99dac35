import { exitCodes, mistake, quantile, say, userError, UserError } from '../../core/index.ts';
import type { Exchange, Lang } from '../../core/index.ts';
import {
  figuresOf,
  fitProbes,
  nextForProbes,
  predictRun,
  replay,
  scoreTrace,
  traceOfExchanges,
  waitsInFront,
} from '../../advice/fit/index.ts';
import type { MeasuredRun, ProbeSight, TraceFit } from '../../advice/fit/index.ts';
import { schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import type { World } from '../world.ts';
import { nameOf, nextMeasured } from './fit-document.ts';
import type { FittedEntry, SweepAsk } from './fit-document.ts';
import type { TraceAsk } from './fit-requests.ts';
import { fitTogether, tellsSteps } from './fit-runs-together.ts';
import { probeServer, probesFor } from './probe.ts';
import type { Probed, ProbedRun } from './probe.ts';

/** The most in flight that a sequence's own cost is read from where the batch is not known. */
const usualBatch = 32;
/** Fewer lone and loaded probes than this say too little. */
const fewestSights = 6;

/** Tokens of a block where only their sum is known. */
const blockSize = 16;

/** Probes a server and fits it: all requests together where a front stands before the engine, steps and first tokens one by one where none does. */
export async function probeAndFit(
  url: string,
  server: ServerWords,
  sweep: SweepAsk,
  trace: TraceAsk,
  world: World,
): Promise<FittedEntry> {
  const probed = await probeServer(server, probesFor(sweep.maxBatchSize), world);
  if (!probed.whole) throw stopped(probed);
  const sights = probed.runs.flatMap(({ sight }) => sight ?? []);
  if (sights.length < fewestSights) throw probesFailed(sights.length, probed);
  refuseUnknownPrefill(sights);
  const batch = sweep.maxBatchSize ?? probed.batch;
  const known = { ...sweep, maxBatchSize: batch, kv: sweep.kv ?? kvOf(probed) };
  const fitted = probed.runs.filter(({ probe }) => probe.validates === undefined);
  const runs = fitted.flatMap(({ run }) => run ?? []);
  const together = waitsInFront(runs) === true && runs.every((run) => tellsSteps(run));
  const entry = together
    ? jointly(url, runs, probed, { ...trace, kv: known.kv, settings: withBatch(trace, batch) })
    : oneByOne(url, server, sights, probed, known);
  return {
    ...entry,
    maxBatchSize: batch,
    maxBatchSizeFrom: sweep.maxBatchSize !== null ? 'given' : batch === null ? 'not-reached' : 'seen',
    limit: batch === null ? 'none' : 'batch',
    excluded: probed.lost.map(({ concurrency, why }) => ({ concurrency, why: say(why, sweep.lang) })),
    kept: probed.id,
    repeated: repeatedOf(probed.runs),
  };
}

function kvOf({ kvTokens }: Probed): EngineProfile['kv'] {
  return kvTokens === null ? null : { blocks: Math.max(1, Math.floor(kvTokens / blockSize)), blockSize };
}

function withBatch({ scheduler, settings }: TraceAsk, batch: number | null): TraceAsk['settings'] {
  return batch === null ? settings : { ...settings, [schedulers[scheduler].batchSetting]: batch };
}

/** One server that explains every request of every probe; the last probe is predicted by it. */
function jointly(url: string, runs: readonly MeasuredRun[], { runs: probes }: Probed, ask: TraceAsk): FittedEntry {
  const entry = fitTogether(url, runs, ask);
  const { profile } = entry;
  const { reach, doubt } = profile.fit!;
  const asked = probes.find(({ probe }) => probe.validates === true)?.run ?? null;
  if (asked === null) return entry;
  const truth = figuresOf(asked);
  const { figures } = predictRun({ profile, reach: reach!, doubt: doubt! }, asked);
  const metrics: TraceFit['metrics'] = {};
  for (const [name, key] of validated) {
    const predicted = figures[key]?.value;
    if (predicted !== undefined) metrics[name] = { measured: truth[key], predicted, error: predicted / truth[key] - 1 };
  }
  return {
    ...entry,
    profile: { ...profile, source: `dyno fit --probe: ${runs.length} probes of a live server` },
    heldOut: { metrics },
  };
}

const validated = [
  ['outputTokensPerSec', 'outputTokensPerSec'],
  ['ttftMs.mean', 'ttftMeanMs'],
  ['ttftMs.p99', 'ttftP99Ms'],
  ['tpotMs.mean', 'tpotMeanMs'],
  ['latencyMs.p50', 'latencyP50Ms'],
] as const;

/** a, c, k and p1 read off the probes; the last probe is replayed. */
function oneByOne(
  url: string,
  server: ServerWords,
  sights: readonly ProbeSight[],
  { runs }: Probed,
  { maxBatchSize, maxPrefillTokens, kv, date, lang, next }: SweepAsk,
): FittedEntry {
  const fit = fitProbes(sights);
  const { cost, overheadMs, stepSigma, intervals } = fit;
  const name = nameOf(url.replace(/^https?:\/\//, ''));
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name,
    title: name,
    model: server.model ?? name,
    source: `dyno fit --probe: ${sights.length} probes of a live server`,
    date,
    cost,
    jitter: { stepSigma },
    maxBatchSize: maxBatchSize ?? 256,
    maxPrefillTokens,
    kv,
    overheadMs,
    notes: ['Fitted: cost, overheadMs and stepSigma. Assumed unless told by --set: maxBatchSize, kv, the scheduler.'],
  };
  const validation = traceOfExchanges(runs.find(({ probe }) => probe.validates === true)?.exchanges ?? []);
  const start = Math.min(...validation.map((request) => request.arrivalMs));
  const played = validation.map((request) => ({ ...request, arrivalMs: request.arrivalMs - start }));
  const metrics = played.length === 0 ? {} : scoreTrace(played, [replay(profile, played)], 0);
  const heldOutError = Object.fromEntries(
    Object.entries(metrics).map(([key, metric]) => [key, Math.abs(metric.error)]),
  );
  return {
    id: name,
    title: url,
    profile: { ...profile, fit: { fittedTo: `${sights.length} probes`, heldOutError, intervals } },
    maxBatchSize,
    maxBatchSizeFrom: 'given',
    limit: 'batch',
    used: [],
    excluded: [],
    intervals,
    residual: null,
    heldOut: { metrics },
    interpolation: null,
    next: next
      ? nextMeasured(nextForProbes(fit, Math.min(maxBatchSize ?? usualBatch, 256), maxBatchSize !== null), lang)
      : null,
  };
}

/** What the prefix cache spares: first tokens of the same prompts, asked for the first time and again. */
function repeatedOf(runs: readonly ProbedRun[]): NonNullable<FittedEntry['repeated']> | null {
  const again = runs.find(({ probe }) => probe.again !== undefined);
  const first = again === undefined ? undefined : runs[again.probe.again!];
  if (again === undefined || first === undefined) return null;
  const [freshMs, againMs] = [first, again].map(({ exchanges }) => firstTokenMs(exchanges));
  const tokens = again.summary.inputTokens?.p50 ?? null;
  if (freshMs == null || againMs == null || tokens === null) return null;
  return { promptTokens: tokens, freshMs, againMs, cachedShare: again.summary.cachedInputRatio ?? null };
}

function firstTokenMs(exchanges: readonly Exchange[]): number | null {
  const times = exchanges.flatMap(({ outcome, sentMs, chunks }) =>
    outcome === 'ok' && sentMs !== null && chunks.atMs.length > 0 ? [chunks.atMs[0]! - sentMs] : [],
  );
  return quantile(Float64Array.from(times).sort(), 0.5);
}

/** Lone prompts of one length, or all from the cache, cannot tell what a prompt costs from what every request costs. */
function refuseUnknownPrefill(sights: readonly ProbeSight[]): void {
  const alone = sights.filter(({ concurrency, ttftMs }) => concurrency === 1 && ttftMs.length > 0);
  const lengths = alone.map(({ inputTokens }) => inputTokens);
  if (Math.max(...lengths) > 1.5 * Math.min(...lengths)) return;
  throw userError(
    'prefill-not-identified',
    'p1 not identified: the lone prompts that the server computed are all alike',
    'p1 无法确定：服务器实际计算的单独提示词长度都相近',
    'Flush the prefix cache or restart the server without it, give --tokenizer, and run dyno fit URL --probe again.',
    '请清空前缀缓存或关闭后重启服务，给出 --tokenizer，再运行 dyno fit URL --probe。',
  );
}

function stopped({ id, runs }: Probed): UserError {
  const why = mistake(
    'probes-failed',
    `stopped after ${runs.length} probes`,
    `在 ${runs.length} 个探测后停止`,
    `What was asked is kept as ${id}: dyno fit ${id} fits it as it is.`,
    `已发送的请求保存为 ${id}：可用 dyno fit ${id} 直接拟合。`,
  );
  return new UserError(why, exitCodes.interrupted);
}

function probesFailed(count: number, { runs, lost }: Probed): UserError {
  const why = (lang: Lang): string => [...new Set(lost.map((each) => say(each.why, lang)))].join('; ');

  return userError(
    'probes-failed',
    `only ${count} of ${runs.length} probes can be fitted, and it takes ${fewestSights}: ${why('en')}`,
    `${runs.length} 个探测中只有 ${count} 个可用于拟合，至少需要 ${fewestSights} 个：${why('zh')}`,
    'The server must stream, honour max_tokens and ignore_eos, and take prompts of some hundred tokens.',
    '服务器需支持流式输出、max_tokens 与 ignore_eos，并能接受数百 token 的输入。',
  );
}
