import { availableParallelism } from 'node:os';
import { isSimulatedEngine, problems, say, secretValues, UserError } from '../core/index.ts';
import type { DatasetFacts, RunBehind, RunnerKit, RunPlan, Target, Warmup } from '../core/index.ts';
import { openDataset } from '../dataset/index.ts';
import type { Dataset, DatasetOptions } from '../dataset/index.ts';
import { makeLoadRunner, makeThreadedRunner } from '../load/index.ts';
import type { Secrets } from '../load/index.ts';
import { addressFor, keyAsAsked, readAddress } from '../protocol/index.ts';
import { assemblePlan, reachWord, requestsOf, splitHeaders } from '../run/index.ts';
import type { LoadPoint, PlanWords } from '../run/index.ts';
import { checkFit } from './check-fit.ts';
import { firstModel, listedModel, preflight } from './preflight.ts';
import type { Given } from './command.ts';
import { withProxy } from './env-proxy.ts';
import { withNewPrompts } from './new-prompts.ts';
import { noteLengths } from './input-notes.ts';
import type { PromptSource } from './prompt-source.ts';
import { readWireFile } from './wire-file.ts';
import { teamFor } from './team.ts';
import type { Team } from './team.ts';
import { timingOf, traceGaps } from './timing.ts';

/** A server and a dataset that were looked at and found good; ready to plan points against. */
export interface Prepared {
  words: PlanWords;
  target: Pick<Target, 'url' | 'api' | 'model' | 'headers' | 'wire' | 'server'>;
  dataset: Dataset;
  /** Gaps of the trace to replay; null = none. */
  gapsMs: readonly number[] | null;
  secrets: Secrets;
  /** The most tokens that the model takes, prompt and answer, as asked or as the server tells; null = not known. */
  contextTokens: number | null;
  /** The words alone say what the dataset is, so that other threads and machines can open it too. */
  reopenable: boolean;
  /** The machines that do it; absent = this one alone. */
  team?: Team;
  /** Which run of a sweep is made with it, from 0; absent = 0. */
  run?: number;
}

const preflightTimeoutMs = 60_000;
/** How long a server may take to list its models where the list is only asked for how many tokens they take. */
const listTimeoutMs = 3000;

/** Looks at everything that can be wrong before load: first the words and files, then the server. */
export async function prepare(
  asked: PlanWords & { url: string },
  given: Given,
  points: number,
  open: typeof openWords = openWords,
): Promise<Prepared> {
  const wire = asked.wire === undefined ? null : readWireFile(asked.wire);
  if (wire === null && asked.api === 'custom') throw noWire();
  const typed = readAddress(asked.url, wire === null ? (asked.api ?? null) : 'custom', wire?.path ?? null);
  const { shown, secrets: bearer } = splitHeaders(asked, given.io.env);
  const proxied = withProxy(asked, typed.url, given);
  const secrets = { ...keyAsAsked(typed, bearer, asked.keyEnv !== undefined), ...proxied.secrets };
  given.io.hide(secretValues({ ...shown, ...secrets }, asked.body, [typed.url]));
  const own = open === openWords;
  let opened = await open(own ? withNewPrompts(proxied.words) : proxied.words, points);
  const { dataset, words } = opened;
  const server = {
    url: typed.url,
    api: typed.api,
    headers: shown,
    keyEnv: words.keyEnv ?? null,
    insecure: words.insecure ?? false,
    ...reachWord(words, typed.url),
    ...(wire !== null && { wire }),
  };
  const timeoutMs = Math.min(words.timeout ?? preflightTimeoutMs, preflightTimeoutMs);
  const connectMs = Math.min(words.connectTimeout ?? timeoutMs, timeoutMs);
  const first = words.model === undefined ? await firstModel(typed, server, secrets, connectMs) : null;
  const model = words.model ?? first!.id;
  const address = addressFor(typed, model, words.noStream !== true);
  const target = { url: address.url, api: address.api, model, headers: shown, ...(wire !== null && { wire }) };
  const prepared: Prepared = {
    words,
    target,
    dataset,
    gapsMs: opened.gapsMs,
    secrets,
    reopenable: open === openWords,
    contextTokens: words.contextTokens ?? first?.contextTokens ?? null,
  };
  if (words.noPreflight !== true && prepared.contextTokens === null && first === null) {
    const listed = await listedModel(typed, server, secrets, Math.min(connectMs, listTimeoutMs), model);
    prepared.contextTokens = listed?.contextTokens ?? null;
  }
  await checkFit(prepared, promptsNeeded(words, points));
  if (words.noPreflight !== true) {
    const { generation } = planPoint(prepared, { concurrency: 1, ratePerSec: null }, 0);
    const { remark, server: called } = await preflight(
      address,
      { ...server, url: address.url, model },
      generation,
      secrets,
      timeoutMs,
    );
    if (called !== null) prepared.target = { ...prepared.target, server: called };
    // A simulated engine keeps nothing from run to run, and is asked what the same plan asks in virtual time.
    if (own && called !== null && isSimulatedEngine(called)) {
      opened = await open(proxied.words, points);
      prepared.dataset = opened.dataset;
      prepared.words = opened.words;
    }
    if (remark !== null && !given.common.quiet) {
      const why = say(problems[remark.code], given.common.lang);
      const hungUp = remark.code === 'reset' && address.url.startsWith('http:');
      given.io.err(
        say(
          {
            en: `note: the test request failed (${why}${hungUp ? '; a server that only speaks https hangs up like this' : ''}); going on, failures are counted\n`,
            zh: `提示：试探请求失败（${why}${hungUp ? '；只支持 https 的服务器会这样断开连接' : ''}）；继续运行，失败会计入统计\n`,
          },
          given.common.lang,
        ),
      );
    }
  }
  if (words.noPreflight !== true) {
    const prompt = words.inputTokens === undefined ? null : await dataset.workload(0).next();
    await noteLengths(given, { ...server, model }, secrets, dataset.facts({ offset: 0, count: null }), prompt);
  }
  if (words.workers === undefined) return prepared;
  return { ...prepared, team: teamFor(given, prepared) };
}

function noWire(): UserError {
  return new UserError({
    code: 'no-wire',
    message: { en: 'api custom needs a description', zh: 'custom 接口需要描述文件' },
    hint: { en: 'Give it with --wire FILE.yaml.', zh: '请用 --wire 文件.yaml 给出。' },
    place: { flag: '--api' },
  });
}

/** The dataset that the words ask for, every prompt of the run looked at; a trace that is replayed whole sets the count. */
export async function openWords(
  asked: PlanWords,
  points: number,
): Promise<{ dataset: Dataset; words: PlanWords; gapsMs: readonly number[] | null }> {
  const dataset = await openDataset(asked.dataset, datasetOptionsOf(asked));
  const count = asked.requests ?? null;
  const gapsMs = await traceGaps(asked, dataset, { offset: 0, count });
  const words = gapsMs === null ? asked : { ...asked, requests: Math.min(asked.requests ?? Infinity, gapsMs.length) };
  await dataset.check({ offset: 0, count: promptsNeeded(words, points) });
  return { dataset, words, gapsMs };
}

/** What the words say about the dataset besides its spec. */
export function datasetOptionsOf(words: PlanWords): DatasetOptions {
  return {
    seed: words.promptSeed ?? words.seed ?? 1,
    ...(words.field !== undefined && { field: words.field }),
    ...(words.inputTokens !== undefined && { input: words.inputTokens }),
    ...(words.outputTokens !== undefined && { output: words.outputTokens }),
    ...(words.tokenizer !== undefined && { tokenizer: words.tokenizer }),
    ...(words.shuffle !== undefined && { shuffle: words.shuffle }),
    ...(words.template !== undefined && { template: words.template }),
    ...(words.contextTokens !== undefined && { contextTokens: words.contextTokens }),
    ...(words.thinkTime !== undefined && { think: words.thinkTime }),
    ...(words.keepReasoning !== undefined && { keepReasoning: words.keepReasoning }),
  };
}

/** Prompts that a run takes before it repeats itself: measured ones, then those of the warm-up. */
export function promptsNeeded(words: PlanWords, points: number): number | null {
  const requests = requestsOf(words);
  if (requests === null || (words.warmup !== undefined && 'forMs' in words.warmup)) return null;
  return (requests + warmupRequests(words.warmup)) * points;
}

function warmupRequests(warmup: Warmup | undefined): number {
  return warmup !== undefined && 'requests' in warmup ? warmup.requests : 0;
}

/** How many prompts a point of a sweep takes from number `offset` on, warm-up included: the next point begins behind them. */
export function sliceLength({ dataset, words }: Pick<Prepared, 'dataset' | 'words'>, offset: number): Promise<number> {
  return promptsFor(dataset, offset, (requestsOf(words) ?? 0) + warmupRequests(words.warmup));
}

/** Numbers of the first prompt of each phase: measured prompts from the plan's offset on, warm-up takes those behind them. */
export async function offsetsOf(dataset: Dataset, plan: RunPlan): Promise<PromptSource['offsets']> {
  const { offset } = plan.dataset;
  return { measure: offset, warmup: offset + (await promptsFor(dataset, offset, plan.requests ?? 0)) };
}

async function promptsFor(dataset: Dataset, offset: number, requests: number): Promise<number> {
  return dataset.promptsWithin === undefined ? requests : dataset.promptsWithin(offset, requests);
}

/** The plan of one point; `offset` is the number of its first prompt. */
export function planPoint(prepared: Prepared, point: LoadPoint, offset: number): RunPlan {
  const { words, target, dataset } = prepared;
  const facts: DatasetFacts = dataset.facts({ offset, count: promptsNeeded(words, 1) });
  const limits = { requests: requestsOf(words), durationMs: words.duration ?? null };
  const timing = timingOf(words, point, prepared.gapsMs, limits);
  return assemblePlan({ words, target, dataset: facts, point, label: words.label ?? null, timing });
}

/** The runner for a plan, in as many threads, or on as many machines, as it needs; `behind` is what an interrupted run has done already. */
export async function runnerFor(
  prepared: Prepared,
  plan: RunPlan,
  behind: RunBehind | null = null,
): Promise<RunnerKit> {
  const { dataset, secrets, words, team } = prepared;
  const offsets = await offsetsOf(dataset, plan);
  if (team !== undefined) {
    const prompts: PromptSource = { spec: words.dataset, options: datasetOptionsOf(words), offsets };
    return team.runner(plan, prompts, behind);
  }
  // Prompts that another tool's rules chose live in this thread alone.
  const threads = prepared.reopenable ? threadsFor(words, plan) : 1;
  if (threads === 1) return makeLoadRunner({ secrets, behind, workload: (phase) => dataset.workload(offsets[phase]) });
  const source: PromptSource = { spec: words.dataset, options: datasetOptionsOf(words), offsets };
  return makeThreadedRunner({ threads, secrets, source, behind, entry: new URL('./load-worker.js', import.meta.url) });
}

/** Streams and sends a second that one thread carries well below its limit (docs/validation/client.md). */
const perThread = { streams: 800, sendsPerSec: 1000 };

/** Load threads for a plan: as many as asked for, or as the load needs and the cores allow; never more than slots. */
function threadsFor(words: PlanWords, plan: RunPlan): number {
  const { concurrency, ratePerSec } = plan.load;
  const needed = Math.max((concurrency ?? 0) / perThread.streams, (ratePerSec ?? 0) / perThread.sendsPerSec);
  const auto = Math.min(Math.ceil(needed), availableParallelism() - 1);
  const asked = words.threads === undefined || words.threads === 'auto' ? auto : words.threads;
  return Math.max(1, Math.min(asked, concurrency ?? asked));
}
