import { defined, problems, secretValues, userError } from '../../core/index.ts';
import type { DatasetFacts, RunPlan, Target, Warmup } from '../../core/index.ts';
import { openDataset } from '../../inputs/dataset/index.ts';
import type { Dataset, DatasetOptions } from '../../inputs/dataset/index.ts';
import type { Secrets } from '../../client/load/index.ts';
import type { Protocol } from '../../client/protocol/index.ts';
import { addressFor, keyAsAsked, readAddress } from '../../client/protocol/index.ts';
import { note } from '../world.ts';
import type { World } from '../world.ts';
import { assemblePlan, fewestOf, loadPoints, reachFor, requestsOf, splitHeaders } from './assemble-plan.ts';
import type { LoadPoint, PlanSettings } from './assemble-plan.ts';
import { checkFit } from './check-fit.ts';
import { withProxy } from './env-proxy.ts';
import { noteLengths } from './length-notes.ts';
import { withNewPrompts } from './new-prompts.ts';
import { listKept, modelsListed, someModels } from './model-list.ts';
import { preflight, saidBy } from './preflight.ts';
import type { PromptSource } from './prompt-source.ts';
import { timingOf, traceGaps } from './timing.ts';
import { readWireFile } from './wire-file.ts';

/** A server and a dataset that were looked at and found good; ready to plan points against. */
export interface Prepared {
  settings: PlanSettings;
  target: Pick<Target, 'url' | 'api' | 'model' | 'headers' | 'wire' | 'server'>;
  dataset: Dataset;
  /** Gaps of the trace to replay; null = none. */
  gapsMs: readonly number[] | null;
  secrets: Secrets;
  /** A wire that a program brings; null = the target's. */
  protocol: Protocol | null;
  /** The most tokens that the model takes, prompt and answer, as asked or as the server tells; null = not known. */
  contextTokens: number | null;
  /** What the server listed as its models; null = it was not asked, or lists none. */
  models: readonly string[] | null;
  /** The settings alone say what the dataset is, so that other threads and machines can open it too. */
  reopenable: boolean;
}

/** Settings with the address of a server. */
export type ServerWords = PlanSettings & { url: string };

/** A dataset that was opened and looked at, with what it changes about the settings. */
export interface OpenedPrompts {
  dataset: Dataset;
  settings: PlanSettings;
  gapsMs: readonly number[] | null;
  /** The settings alone say what the dataset is. */
  reopenable: boolean;
}

/** How prompts are chosen: by the settings, or by another tool's rules. `points` = how many slices of them are asked. */
export type OpenPrompts = (settings: PlanSettings, points: number) => Promise<OpenedPrompts>;

const preflightTimeoutMs = 60_000;

/** Looks at everything that can be wrong before load: first the settings and files, then the server. */
export async function prepare(
  asked: ServerWords,
  world: Pick<World, 'env' | 'notify' | 'hide' | 'quiet'>,
  points: number,
  open: OpenPrompts = openWords,
  protocol: Protocol | null = null,
): Promise<Prepared> {
  const wire = asked.wire === undefined ? null : readWireFile(asked.wire);
  if (wire === null && asked.api === 'custom')
    throw userError(
      'no-wire',
      'api custom needs a description',
      'custom 接口需要描述文件',
      'Give it with --wire FILE.yaml.',
      '请用 --wire 文件.yaml 给出。',
      '--api',
    );
  const described = wire ?? protocol;
  const typed = readAddress(asked.url, described === null ? (asked.api ?? null) : 'custom', described?.path ?? null);
  const { shown, secrets: bearer } = splitHeaders(asked, world.env);
  const proxied = withProxy(asked, typed.url, world);
  const secrets = { ...keyAsAsked(typed, bearer, asked.keyEnv !== undefined), ...proxied.secrets };
  world.hide(secretValues({ ...shown, ...secrets }, asked.body, [typed.url]));
  const opened = await open(open === openWords ? withNewPrompts(proxied.settings) : proxied.settings, points);
  const { dataset, settings } = opened;
  const server = {
    url: typed.url,
    api: typed.api,
    headers: shown,
    keyEnv: settings.keyEnv ?? null,
    insecure: settings.insecure ?? false,
    ...reachFor(settings, typed.url),
    ...(wire !== null && { wire }),
    ...(protocol !== null && { protocol }),
  };
  const timeoutMs = Math.min(settings.timeout ?? preflightTimeoutMs, preflightTimeoutMs);
  const connectMs = Math.min(settings.connectTimeout ?? timeoutMs, timeoutMs);
  const listed =
    settings.model === undefined
      ? await someModels(typed, server, secrets, connectMs)
      : settings.noPreflight === true
        ? []
        : await modelsListed(typed, server, secrets, connectMs);
  const model = settings.model ?? listed[0]!.id;
  const address = addressFor(typed, model, settings.noStream !== true);
  const target = { url: address.url, api: address.api, model, headers: shown, ...(wire !== null && { wire }) };
  const prepared: Prepared = {
    settings,
    target,
    dataset,
    gapsMs: opened.gapsMs,
    secrets,
    protocol,
    reopenable: opened.reopenable && protocol === null,
    contextTokens: settings.contextTokens ?? listed.find(({ id }) => id === model)?.contextTokens ?? null,
    models: listKept(listed, model),
  };
  await checkFit(prepared, promptsNeeded(settings, points));
  if (settings.noPreflight !== true) {
    const { generation } = planPoint(prepared, { concurrency: 1, ratePerSec: null }, 0);
    const { remark, server: called } = await preflight(
      address,
      { ...server, url: address.url, model },
      generation,
      secrets,
      timeoutMs,
    );
    if (called !== null) prepared.target = { ...prepared.target, server: called };
    if (remark !== null) {
      const { en, zh } = problems[remark.code];
      const hungUp = remark.code === 'reset' && address.url.startsWith('http:');
      const said = saidBy(remark);
      note(
        world,
        `note: the test request failed (${en}${said.en}${hungUp ? '; a server that only speaks https hangs up like this' : ''}); going on, failures are counted`,
        `提示：试探请求失败（${zh}${said.zh}${hungUp ? '；只支持 https 的服务器会这样断开连接' : ''}）；继续运行，失败会计入统计`,
      );
    }
  }
  if (settings.noPreflight !== true) {
    const prompt = settings.inputTokens === undefined ? null : await dataset.workload(0).next();
    await noteLengths(world, { ...server, model }, secrets, dataset.facts({ offset: 0, count: null }), prompt);
  }
  return prepared;
}

/** The placeholder for a server address in virtual time; no request is sent there. */
export const nowhere = 'http://simulated.invalid/v1/chat/completions';

/** What a plan needs where there is no server to ask: `model` is what the simulated engine is called. */
export async function prepareSimulated(
  asked: PlanSettings,
  points: number,
  model: string,
  open: OpenPrompts = openWords,
): Promise<Prepared> {
  const { dataset, settings, gapsMs } = await open(asked, points);
  const target = {
    url: nowhere,
    api: settings.api ?? ('openai-chat' as const),
    model: settings.model ?? model,
    headers: {},
  };
  return {
    settings,
    target,
    dataset,
    gapsMs,
    secrets: {},
    protocol: null,
    reopenable: false,
    contextTokens: null,
    models: null,
  };
}

/** The dataset that the settings ask for, every prompt of the run looked at; a trace that is replayed whole sets the count. */
export async function openWords(asked: PlanSettings, points: number): Promise<OpenedPrompts> {
  const dataset = await openDataset(asked.dataset, datasetOptionsOf(asked));
  const count = asked.requests ?? null;
  const gapsMs = await traceGaps(asked, dataset, { offset: 0, count });
  const settings =
    gapsMs === null ? asked : { ...asked, requests: Math.min(asked.requests ?? Infinity, gapsMs.length) };
  await dataset.check({ offset: 0, count: promptsNeeded(settings, points) });
  return { dataset, settings, gapsMs, reopenable: true };
}

/** What the settings say about the dataset besides its spec. */
export function datasetOptionsOf(settings: PlanSettings): DatasetOptions {
  const { field, tokenizer, shuffle, template, contextTokens, keepReasoning } = settings;
  return {
    seed: settings.promptSeed ?? settings.seed ?? 1,
    ...defined({ field, tokenizer, shuffle, template, contextTokens, keepReasoning }),
    ...defined({ input: settings.inputTokens, output: settings.outputTokens, think: settings.thinkTime }),
  };
}

/** Prompts that a run of so many points takes before it repeats itself, at the most: measured ones, then those of the warm-up. */
export function promptsNeeded(settings: PlanSettings, points: number): number | null {
  const each = loadPoints(settings).map((point) => requestsOf(settings, point));
  if (each.includes(null) || (settings.warmup !== undefined && 'forMs' in settings.warmup)) return null;
  return (Math.max(...each.map((requests) => requests!)) + warmupRequests(settings.warmup)) * points;
}

/** Measured requests of a point; where nobody said how many, no more than there are records, as long as these make figures. */
function requestsAt({ dataset, settings }: Pick<Prepared, 'dataset' | 'settings'>, point: LoadPoint): number | null {
  const requests = requestsOf(settings, point);
  if (requests === null || settings.requests !== undefined) return requests;
  const { items } = dataset.facts({ offset: 0, count: requests });
  return items === null ? requests : Math.min(requests, Math.max(fewestOf(point), items));
}

function warmupRequests(warmup: Warmup | undefined): number {
  return warmup !== undefined && 'requests' in warmup ? warmup.requests : 0;
}

/** How many prompts a point of a sweep takes from number `offset` on, warm-up included: the next point begins behind them. */
export function sliceLength(
  prepared: Pick<Prepared, 'dataset' | 'settings'>,
  point: LoadPoint,
  offset: number,
): Promise<number> {
  const { dataset, settings } = prepared;
  return promptsFor(dataset, offset, (requestsAt(prepared, point) ?? 0) + warmupRequests(settings.warmup));
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
  const { settings, target, dataset } = prepared;
  const requests = requestsAt(prepared, point);
  const prompts =
    requests === null || (settings.warmup !== undefined && 'forMs' in settings.warmup)
      ? null
      : requests + warmupRequests(settings.warmup);
  const facts: DatasetFacts = dataset.facts({ offset, count: prompts });
  const timing = timingOf(settings, point, prepared.gapsMs, { requests, durationMs: settings.duration ?? null });
  return assemblePlan({ settings, target, dataset: facts, point, label: settings.label ?? null, requests, timing });
}
