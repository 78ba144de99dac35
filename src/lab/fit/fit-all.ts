import { say, UserError } from '../../core/index.ts';
import type { Exchange, Lang, Summary } from '../../core/index.ts';
import { fitProbes, nextForProbes, readTrace, replay, scoreTrace, traceOfExchanges } from '../../advice/fit/index.ts';
import type { FormatName } from '../../tools/index.ts';
import type { EngineProfile } from '../../engine/sim/index.ts';
import { findEntry, readExchanges } from '../../results/store/index.ts';
import { doComputeJob } from '../compute/compute-job.ts';
import { openComputeQueue } from '../compute/compute-queue.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import { summaryOfRun, sweepOf } from '../read-run.ts';
import { importPaths } from '../results/import-files.ts';
import { isForeign } from '../results/is-foreign.ts';
import { readBeginning } from '../results/read-bounded.ts';
import type { World } from '../world.ts';
import { nameOf, nextMeasured } from './fit-document.ts';
import type { FitDocument, FittedEntry, NotFitted, SweepAsk } from './fit-document.ts';
import { markSimulated, withAssumedUnit, withUnanswered } from './fit-remarks.ts';
import type { TraceAsk } from './fit-requests.ts';
import { probeServer, probesFor } from './probe.ts';
import type { Probed } from './probe.ts';

const mostTraceBytes = 400 * 2 ** 20;
/** Sequences that probes put in flight at most where the server's batch size is not told. */
const probeBatch = 32;

/** What is to be fitted, and how. */
export interface FitExperiment {
  /** What the store holds, files, folders, or the address of a server to probe. */
  names: readonly string[];
  format: FormatName | 'request-trace';
  sweep: SweepAsk;
  trace: TraceAsk;
  /** How the servers that are named are spoken to, to probe them; null = nothing is probed. */
  probe: ((url: string) => ServerWords) | null;
  /** Whose processors are used. */
  queue: Pick<PlanSettings, 'workers' | 'queue' | 'waitWorkers'>;
}

type Entry = FittedEntry | NotFitted;

/** Fits everything that is named: each for itself, or runs of one server together. */
export async function fitAll(experiment: FitExperiment, world: World): Promise<FitDocument> {
  const queue = await openComputeQueue(experiment.queue, world);
  const fit: ComputeQueue['ask'] = (work) => (queue === null ? doComputeJob(work) : queue.ask(work));
  try {
    const together = await fitTogether(experiment, fit, world);
    const each = async (): Promise<Entry[]> =>
      (await Promise.all(experiment.names.map((name) => fitOne(name, experiment, fit, world)))).flat();
    const entries = together ?? (await each());
    return {
      schema: 'llmdyno.fit/1',
      sweeps: entries.filter((entry): entry is FittedEntry => 'profile' in entry),
      skipped: entries.filter((entry): entry is NotFitted => !('profile' in entry)),
    };
  } finally {
    await queue?.close();
  }
}

/**
 * Runs of the store that were told one by one are the points of one sweep, where they are closed loops at three concurrencies
 * or more; null = they are not, and each is fitted for itself.
 */
async function fitTogether(
  { names, format, sweep, probe }: FitExperiment,
  fit: ComputeQueue['ask'],
  { store }: World,
): Promise<Entry[] | null> {
  if (names.length < 3 || probe !== null || format === 'request-trace') return null;
  const points: Summary[] = [];
  for (const word of names) {
    if (await isForeign(word)) return null;
    const entry = await findEntry(store, word);
    if (entry.kind !== 'run') return null;
    points.push(await summaryOfRun(entry));
  }
  const loads = points.map(({ load }) => (load.kind === 'closed' ? load.concurrency : null));
  if (loads.includes(null) || new Set(loads).size < 3) return null;
  const sorted = points.toSorted((a, b) => a.load.concurrency! - b.load.concurrency!);
  const title = names.join(' + ');
  const entry = (await fit({
    do: 'fit-sweep',
    id: nameOf(title),
    title,
    points: sorted,
    ask: sweep,
  })) as Entry;
  return [markSimulated(entry, sorted)];
}

/** Of several sweeps in a document those that lack the points asked for are left out and told; the others are fitted. */
function leftOut(error: unknown, id: string, title: string, lang: Lang): NotFitted {
  if (!(error instanceof UserError)) throw error;
  const [mistake] = error.mistakes;
  return { id, title, why: `${say(mistake!.message, lang)}${lang === 'zh' ? '。' : '. '}${say(mistake!.hint, lang)}` };
}

/** A server's address is fitted by probes only, which somebody has to ask for. */
function refuseBareUrl(word: string): void {
  if (!/^https?:\/\//i.test(word)) return;
  throw new UserError({
    code: 'settings-disagree',
    message: { en: 'a server is fitted by probing it', zh: '拟合服务器需要对其探测' },
    hint: {
      en: `dyno fit ${word.slice(0, 200)} --probe sends eight short probes.`,
      zh: `请用 dyno fit ${word.slice(0, 200)} --probe，会发送八个短探测。`,
    },
    place: { flag: '--probe' },
  });
}

async function fitOne(
  word: string,
  { format, sweep: ask, trace, probe }: FitExperiment,
  fit: ComputeQueue['ask'],
  world: World,
): Promise<Entry[]> {
  if (probe !== null) return [await probeAndFit(word, probe(word), ask, world)];
  refuseBareUrl(word);
  if (format === 'request-trace') {
    const text = readBeginning(word, mostTraceBytes, {});
    const { requests, unanswered, assumedUnit } = readTrace(text, word);
    const entry = (await fit({ do: 'fit-trace', title: word, requests, ask: trace })) as FittedEntry;
    return [withAssumedUnit(withUnanswered(entry, unanswered, ask.lang), assumedUnit)];
  }
  if (await isForeign(word)) {
    const { sweeps, problems } = await importPaths([word], format);
    if (sweeps.length === 0 && problems.length === 0) {
      const why = { en: 'no result of a load test is in it', zh: '其中没有压测结果' };
      return [{ id: nameOf(word), title: word, why: say(why, ask.lang) }];
    }
    if (sweeps.length === 0) {
      return problems.map(({ file, line, message, zh }) => ({
        id: nameOf(file),
        title: line > 0 ? `${file}:${line}` : file,
        why: say({ en: message, zh }, ask.lang),
      }));
    }
    const all = sweeps.map(async ({ id, title, points }): Promise<Entry> => {
      try {
        return (await fit({ do: 'fit-sweep', id, title, points, ask })) as Entry;
      } catch (error) {
        if (sweeps.length === 1) throw error;
        return leftOut(error, id, title, ask.lang);
      }
    });
    return Promise.all(all);
  }
  const entry = await findEntry(world.store, word);
  if (entry.kind === 'run') {
    const exchanges: Exchange[] = [];
    for await (const exchange of readExchanges(entry)) exchanges.push(exchange);
    const summary = await summaryOfRun(entry);
    const title = summary.label ?? entry.id;
    const requests = traceOfExchanges(exchanges);
    return [markSimulated((await fit({ do: 'fit-trace', title, requests, ask: trace })) as Entry, [summary])];
  }
  const { points, title } = await sweepOf(world.store, entry);
  return [
    markSimulated(
      (await fit({ do: 'fit-sweep', id: entry.id, title: title ?? entry.id, points, ask })) as Entry,
      points,
    ),
  ];
}

async function probeAndFit(url: string, words: ServerWords, ask: SweepAsk, world: World): Promise<FittedEntry> {
  const { maxBatchSize, maxPrefillTokens, kv, date, lang } = ask;
  const batch = Math.min(maxBatchSize ?? probeBatch, 256);
  const { sights, validation, lost } = await probeServer(words, probesFor(batch), world);
  if (sights.length < 6) throw probesFailed(sights.length, lost);
  refuseUnknownPrefill(sights);
  const fit = fitProbes(sights);
  const { cost, overheadMs, stepSigma, intervals } = fit;
  const name = nameOf(url.replace(/^https?:\/\//, ''));
  const profile: EngineProfile = {
    schema: 'llmdyno.engine-profile/1',
    name,
    title: name,
    model: words.model ?? name,
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
  const start = Math.min(...validation.map((request) => request.arrivalMs));
  const played = validation.map((request) => ({ ...request, arrivalMs: request.arrivalMs - start }));
  const metrics = scoreTrace(played, [replay(profile, played)], 0);
  const heldOutError = Object.fromEntries(
    Object.entries(metrics).map(([key, metric]) => [key, Math.abs(metric.error)]),
  );
  return {
    id: name,
    title: url,
    profile: { ...profile, fit: { fittedTo: `${sights.length} probes`, heldOutError, intervals } },
    maxBatchSize,
    maxBatchSizeFrom: maxBatchSize === null ? 'not-reached' : 'given',
    limit: maxBatchSize === null ? 'none' : 'batch',
    used: [],
    excluded: lost.map(({ concurrency, why }) => ({ concurrency, why: say(why, lang) })),
    intervals,
    residual: null,
    heldOut: { metrics },
    interpolation: null,
    next: ask.next ? nextMeasured(nextForProbes(fit, batch, maxBatchSize !== null), lang) : null,
  };
}

/** Lone prompts of one length, or all from the cache, cannot tell what a prompt costs from what every request costs. */
function refuseUnknownPrefill(sights: Probed['sights']): void {
  const alone = sights.filter(({ concurrency, ttftMs }) => concurrency === 1 && ttftMs.length > 0);
  const lengths = alone.map(({ inputTokens }) => inputTokens);
  if (Math.max(...lengths) > 1.5 * Math.min(...lengths)) return;
  throw new UserError({
    code: 'prefill-not-identified',
    message: {
      en: 'p1 not identified: the lone prompts that the server computed are all alike',
      zh: 'p1 无法确定：服务器实际计算的单独提示词长度都相近',
    },
    hint: {
      en: 'Flush the prefix cache or restart the server without it, give --tokenizer, and run dyno fit URL --probe again.',
      zh: '请清空前缀缓存或关闭后重启服务，给出 --tokenizer，再运行 dyno fit URL --probe。',
    },
  });
}

function probesFailed(count: number, lost: Probed['lost']): UserError {
  const why = (lang: Lang): string => [...new Set(lost.map((each) => say(each.why, lang)))].join('; ');

  return new UserError({
    code: 'probes-failed',
    message: {
      en: `only ${count} of 7 probes brought streamed answers: ${why('en')}`,
      zh: `7 个探测中只有 ${count} 个得到流式回答：${why('zh')}`,
    },
    hint: {
      en: 'The server must stream, honour max_tokens and ignore_eos, and take prompts of 1536 tokens.',
      zh: '服务器需支持流式输出、max_tokens 与 ignore_eos，并能接受 1536 token 的输入。',
    },
  });
}
