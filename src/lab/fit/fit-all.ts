import { say, userError, UserError } from '../../core/index.ts';
import type { Exchange, Lang, Summary } from '../../core/index.ts';
import { readTrace, traceOfExchanges } from '../../advice/fit/index.ts';
import type { FormatName } from '../../tools/index.ts';
import { readExchanges } from '../../results/store/index.ts';
import { doComputeJob } from '../compute/compute-job.ts';
import { openComputeQueue } from '../compute/compute-queue.ts';
import type { ComputeQueue } from '../compute/compute-queue.ts';
import type { PlanSettings } from '../prepare/assemble-plan.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import { summaryOfRun } from '../read-run.ts';
import { importPaths } from '../results/import-files.ts';
import { isForeign } from '../results/is-foreign.ts';
import { readBeginning } from '../results/read-bounded.ts';
import { sourcesOf } from '../results/report-source.ts';
import type { World } from '../world.ts';
import { nameOf } from './fit-document.ts';
import type { FitDocument, FittedEntry, NotFitted, SweepAsk } from './fit-document.ts';
import type { TraceAsk } from './fit-requests.ts';
import { storedRuns } from './fit-runs-together.ts';
import { foreignRuns } from './foreign-runs.ts';
import { probeAndFit } from './probe-and-fit.ts';

const mostTraceBytes = 400 * 2 ** 20;

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
    const together = (await fitRecords(experiment, fit, world)) ?? (await fitPoints(experiment, fit, world));
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
 * Fits runs of the store, or of other tools' files, together as one server's if all tell the times of their tokens; null = points
 * were asked for, or some do not tell.
 */
async function fitRecords(
  { names, format, sweep, trace, probe }: FitExperiment,
  fit: ComputeQueue['ask'],
  { store }: World,
): Promise<Entry[] | null> {
  if (probe !== null || format === 'request-trace' || sweep.points.length > 0 || sweep.holdOut || sweep.next)
    return null;
  for (const word of names) refuseBareUrl(word);
  const stored = (await storedRuns(names, store)) ?? (await foreignRuns(names, format));
  if (stored === null) return null;
  const entry = await fit({ do: 'fit-runs', title: names.join(' + '), runs: stored.runs, ask: trace });
  return [markSimulated(entry as Entry, stored.summaries)];
}

/**
 * Runs of the store that were told one by one are the points of one sweep, where they are closed loops at three concurrencies
 * or more; null = they are not, and each is fitted for itself.
 */
async function fitPoints(
  { names, format, sweep, probe }: FitExperiment,
  fit: ComputeQueue['ask'],
  { store }: World,
): Promise<Entry[] | null> {
  if (names.length < 3 || probe !== null || format === 'request-trace') return null;
  const points: Summary[] = [];
  for (const word of names) {
    if (await isForeign(word)) return null;
    const [named, ...more] = await sourcesOf([word], { store, onProblems: () => {} });
    const [point, ...others] = named?.sweep.points ?? [];
    if (point === undefined || more.length > 0 || others.length > 0) return null;
    points.push(point);
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
  throw userError(
    'settings-disagree',
    'a server is fitted by probing it',
    '拟合服务器需要对其探测',
    `dyno fit ${word.slice(0, 200)} --probe sends some ten short probes.`,
    `请用 dyno fit ${word.slice(0, 200)} --probe，会发送约十个短探测。`,
    '--probe',
  );
}

async function fitOne(
  word: string,
  { format, sweep: ask, trace, probe }: FitExperiment,
  fit: ComputeQueue['ask'],
  world: World,
): Promise<Entry[]> {
  if (probe !== null) return [await probeAndFit(word, probe(word), ask, trace, world)];
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
  const [named] = await sourcesOf([word], { store: world.store, onProblems: () => {} });
  const { sweep, runs } = named!;
  const [entry] = sweep.points.length === 1 ? runs.values() : [];
  if (entry !== undefined) {
    const exchanges: Exchange[] = [];
    for await (const exchange of readExchanges(entry)) exchanges.push(exchange);
    const summary = await summaryOfRun(entry);
    const title = summary.label ?? entry.id;
    const requests = traceOfExchanges(exchanges);
    return [markSimulated((await fit({ do: 'fit-trace', title, requests, ask: trace })) as Entry, [summary])];
  }
  const { id, title, points } = sweep;
  return [
    markSimulated((await fit({ do: 'fit-sweep', id, title: title ?? id, points: [...points], ask })) as Entry, points),
  ];
}

/** An entry that says so where what it was fitted to was simulated. */
function markSimulated(entry: FittedEntry | NotFitted, summaries: readonly Summary[]): FittedEntry | NotFitted {
  const simulated = summaries.some((summary) => summary.simulated || summary.engine?.simulated === true);
  if (!simulated || !('profile' in entry)) return entry;
  const { profile } = entry;
  return {
    ...entry,
    title: `${entry.title} [SIMULATED]`,
    profile: {
      ...profile,
      source: `${profile.source} (simulated)`,
      notes: [...profile.notes, 'Fitted to a simulated engine, not to a real one.'],
    },
  };
}

/** An entry that tells how many requests of a trace were left out. */
function withUnanswered(entry: FittedEntry, count: number, lang: Lang): FittedEntry {
  if (count === 0) return entry;
  const why = say(
    {
      en: `${count} requests without an answer (no tokens or no times); what they asked of the server is not known`,
      zh: `${count} 个没有回答的请求（无 token 或无时间）；它们对服务器的占用未知`,
    },
    lang,
  );
  return { ...entry, excluded: [...entry.excluded, { concurrency: null, why }] };
}

/** An entry that tells what times without a unit were taken for. */
function withAssumedUnit(entry: FittedEntry, unit: 'ms' | 's' | null): FittedEntry {
  if (unit === null) return entry;
  const note = `Times of the trace had no unit in their names and were read as ${unit === 's' ? 'seconds' : 'milliseconds'}.`;
  return { ...entry, profile: { ...entry.profile, notes: [...entry.profile.notes, note] } };
}
