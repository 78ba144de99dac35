import { randomInt } from 'node:crypto';
import { problems } from '../../core/index.ts';
import type { Exchange, Phrase } from '../../core/index.ts';
import { sightOf, traceOfExchanges } from '../../advice/fit/index.ts';
import type { ProbeSight, TracedRequest } from '../../advice/fit/index.ts';
import { measurePoints } from '../point-loop.ts';
import { loadPoints } from '../prepare/assemble-plan.ts';
import { planPoint } from '../prepare/prepare.ts';
import type { ServerWords } from '../prepare/prepare.ts';
import type { RunnerSource } from '../runners/runner-source.ts';
import { serverRunners } from '../runners/server-runners.ts';
import { note } from '../world.ts';
import type { World } from '../world.ts';

/** One short run against the server: fixed lengths, so many in flight. */
export interface Probe {
  concurrency: number;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  /** Only to check the fit with, never to fit. */
  validates?: true;
}

/**
 * The probes for a server that takes `batch` at once. Alone at three prompt lengths: prefill and overhead. Alone with a long answer: the
 * bare step. Half and whole batch with short prompts: what a sequence costs. Half a batch with long prompts: what the KV cache costs.
 */
export function probesFor(batch: number): Probe[] {
  const half = Math.max(2, Math.round(batch / 2));
  return [
    ...[64, 512, 1536].map((inputTokens) => ({ concurrency: 1, inputTokens, outputTokens: 8, requests: 12 })),
    { concurrency: 1, inputTokens: 64, outputTokens: 384, requests: 3 },
    { concurrency: half, inputTokens: 64, outputTokens: 128, requests: 4 * half },
    { concurrency: batch, inputTokens: 64, outputTokens: 128, requests: 4 * batch },
    { concurrency: half, inputTokens: 1024, outputTokens: 128, requests: 2 * half },
    {
      concurrency: Math.max(2, Math.round(batch * 0.75)),
      inputTokens: 256,
      outputTokens: 64,
      requests: 2 * half,
      validates: true,
    },
  ];
}

/** What the probes showed, and the requests of the one that only validates. */
export interface Probed {
  sights: ProbeSight[];
  validation: TracedRequest[];
  /** Probes that brought nothing, or nothing about prompts, and why. */
  lost: { concurrency: number; why: Phrase }[];
}

/** Runs the probes one after the other, each on an engine that the one before left idle. */
export async function probeServer(words: ServerWords, probes: readonly Probe[], world: World): Promise<Probed> {
  const probed: Probed = { sights: [], validation: [], lost: [] };
  // Fresh prompts each time: a server that keeps beginnings would skip the prefill of those it has seen.
  const seed = randomInt(1, 2 ** 31);
  const source = serverRunners(words, world);
  const measure = async (probe: Probe, done: readonly unknown[]): Promise<void> => {
    const { concurrency, inputTokens, outputTokens } = probe;
    const place = `${done.length + 1}/${probes.length}`;
    note(
      world,
      `probe ${place}: concurrency ${concurrency}, ${inputTokens} in, ${outputTokens} out`,
      `探测 ${place}：并发 ${concurrency}，输入 ${inputTokens}，输出 ${outputTokens}`,
    );
    const exchanges = await runProbe({ ...words, seed: seed + done.length }, probe, world, source);
    const sight = probe.validates === true ? null : sightOf(concurrency, exchanges);
    if (probe.validates === true) probed.validation = traceOfExchanges(exchanges);
    else if (sight !== null) probed.sights.push(sight);
    const why = probe.validates === true && probed.validation.length > 0 ? null : lossOf(probe, sight, exchanges);
    if (why === null) return;
    probed.lost.push({ concurrency, why });
    note(world, `probe ${place}: ${why.en}`, `探测 ${place}：${why.zh}`);
  };
  await measurePoints({ next: (done) => probes[done.length] ?? null }, measure, world.stops.drain);
  return probed;
}

/** Why a probe, or its part about prompts, is left out; null = it is not. */
export function lossOf(probe: Probe, sight: ProbeSight | null, exchanges: readonly Exchange[]): Phrase | null {
  const what = `${probe.inputTokens} → ${probe.outputTokens}`;
  if (sight !== null) {
    if (sight.ttftMs.length > 0 || sight.cachedShare === null) return null;
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
  const words = failed.words === null ? '' : `: ${failed.words}`;
  const cause = problems[failed.code];
  return {
    en: `${what}: lost, ${cause.en}${status}${words}`,
    zh: `${what}：无效，${cause.zh}${status}${words}`,
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

/** Nothing is kept of a probe: its requests go into the fit. */
async function runProbe(words: ServerWords, probe: Probe, world: World, source: RunnerSource): Promise<Exchange[]> {
  const { concurrency, requests, inputTokens, outputTokens } = probe;
  const asked: ServerWords = {
    ...words,
    concurrency: [concurrency],
    requests,
    inputTokens: { law: 'fixed', tokens: inputTokens },
    outputTokens: { law: 'fixed', tokens: outputTokens },
    metrics: 'none',
    devices: 'none',
  };
  let prepared = await source.prepare(asked, 1);
  const within = lengthWithin(probe, prepared.contextTokens, words.tokenizer !== undefined);
  if (within < inputTokens) {
    asked.inputTokens = { law: 'fixed', tokens: within };
    prepared = await source.prepare(asked, 1);
  }
  world.notify({ event: 'prepared', of: null });
  const plan = planPoint(prepared, loadPoints(asked)[0]!, 0);
  const { runner } = await source.runnerFor({ prepared, plan, number: 0, issuedBefore: 0, behind: null });
  const exchanges: Exchange[] = [];
  for await (const { exchange } of runner.run(plan, world.stops, [])) exchanges.push(exchange);
  await runner.close?.();
  return exchanges;
}
