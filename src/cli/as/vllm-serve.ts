import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiNames } from '../../core/index.ts';
import type { ApiName } from '../../core/index.ts';
import type { ParsedCommand } from '../command.ts';
import { opener } from './chosen-prompts.ts';
import {
  badValue,
  jsonOf,
  pairsOf,
  readForeign,
  realIn,
  realOf,
  vllmBlock,
  vllmFigures,
  vllmJson,
  vllmMetrics,
  vllmNamespace,
  vllmPreamble,
  vllmServeFlags,
  wholeOf,
} from '../../tools/index.ts';
import type { ForeignWords, Goodput, VllmBlockOptions, VllmMetric } from '../../tools/index.ts';
import { answersOf, measureAs, warnIgnored } from './measure-as.ts';
import type { AsJob } from './measure-as.ts';
import { tokenizerOr } from './tokenizer-word.ts';
import { vllm2023 } from './vllm-2023.ts';
import { vllmDataset } from './vllm-dataset.ts';
import { writeBeside } from './write-beside.ts';

/** vLLM's backends in our typed; those of the older script that spoke OpenAI's completions are among them. */
const backends: Readonly<Record<string, string>> = {
  vllm: 'openai-completions',
  openai: 'openai-completions',
  lmdeploy: 'openai-completions',
  sglang: 'openai-completions',
  scalellm: 'openai-completions',
  'llama.cpp': 'openai-completions',
  'openai-chat': 'openai-chat',
  'openai-embeddings': 'embeddings',
  'vllm-rerank': 'rerank',
  tgi: 'tgi',
  'tensorrt-llm': 'triton',
};

/** Runs `vllm bench serve …`. */
export function vllmServe(argv: readonly string[], given: ParsedCommand): Promise<number> {
  return serve(argv, given, 'now');
}

/** Runs `benchmark_serving.py …`: the script of 2023 where no model is named, else the one of 2024 and 2025. */
export function benchmarkServing(argv: readonly string[], given: ParsedCommand): Promise<number> {
  const named = argv.some((word) => /^--(model|dataset[-_]name|dataset[-_]path)(=|$)/.test(word));
  return named ? serve(argv, given, '2025') : vllm2023(argv, given);
}

async function serve(argv: readonly string[], given: ParsedCommand, dialect: 'now' | '2025'): Promise<number> {
  const typed = readForeign(vllmServeFlags, argv);
  warnIgnored(given, typed);
  const block = blockOptions(typed, dialect);
  const burstiness = realOf(typed, '--burstiness', 0) ?? 1;
  const goodput = goodputOf(typed);
  const job = jobOf(typed, given, dialect, block, burstiness);
  const { code } = await measureAs(given, {
    ...job,
    title: typed.last('--label') ?? typed.last('--served-model-name') ?? typed.last('--model') ?? 'vllm bench serve',
    before: () =>
      given.io.out(
        (dialect === '2025' ? vllmNamespace(typed) : '') +
          vllmPreamble(block, burstiness, wholeOf(typed, '--num-warmups') ?? 0),
      ),
    after: async (measured) => {
      const figures = vllmFigures(measured, goodput);
      given.io.out(vllmBlock(figures, block));
      if (!typed.has('--save-result') && !typed.has('--append-result')) return;
      const now = stampOf(new Date());
      const model = typed.last('--model') ?? measured.plan.target.model;
      const backend = typed.last('--backend') ?? (dialect === 'now' ? 'openai' : 'vllm');
      const document = vllmJson(
        figures,
        {
          ...block,
          date: now,
          backend,
          label: typed.last('--label') ?? null,
          model,
          tokenizer: typed.last('--tokenizer') ?? model,
          numPrompts: measured.plan.requests ?? figures.completed,
          metadata: pairsOf(typed, '--metadata'),
          burstiness,
          detailed: typed.has('--save-detailed'),
        },
        measured.exchanges,
        typed.has('--save-detailed') ? await answersOf(measured.dir) : new Map(),
      );
      await save(typed, document, fileName(typed, block, backend, model, now));
    },
  });
  return code;
}

function jobOf(
  typed: ForeignWords,
  given: ParsedCommand,
  dialect: 'now' | '2025',
  block: VllmBlockOptions,
  burstiness: number,
): Pick<AsJob, 'settings' | 'points' | 'open'> {
  const requests = wholeOf(typed, '--num-prompts', 1) ?? 1000;
  const model = typed.last('--served-model-name') ?? typed.last('--model');
  const finite = Number.isFinite(block.requestRate);
  const dataset = vllmDataset(typed, dialect, (named) => tokenizerOr(given, named));
  const api = apiOf(typed, dialect);
  const temperature = realOf(typed, '--temperature', 0) ?? (dialect === '2025' ? 0 : undefined);
  const warmups = wholeOf(typed, '--num-warmups') ?? 0;
  return {
    settings: {
      ...dataset.settings,
      url: urlOf(typed),
      api,
      ...(model !== undefined && { model }),
      requests,
      seed: wholeOf(typed, '--seed') ?? 0,
      ignoreEos: typed.has('--ignore-eos') || dataset.forcesLength,
      ...(temperature !== undefined && { temperature }),
      body: bodyOf(typed, api, dialect),
      header: pairsOf(typed, '--header').map(([name, value]) => ({ name: name.toLowerCase(), value })),
      ...(typed.has('--insecure') && { insecure: true }),
      ...(given.io.env['OPENAI_API_KEY'] !== undefined &&
        given.io.env['OPENAI_API_KEY'] !== '' && { keyEnv: 'OPENAI_API_KEY' }),
      ...(finite && { rate: [block.requestRate], arrival: arrivalOf(burstiness) }),
      ...(warmups > 0 && { warmup: { requests: warmups } }),
      // That tool's only limit is six hours for a whole request.
      readTimeout: 21_600_000,
      timeout: 21_600_000,
    },
    points: [
      {
        load: finite
          ? { concurrency: block.maxConcurrency, ratePerSec: block.requestRate }
          : { concurrency: Math.min(block.maxConcurrency ?? requests, requests), ratePerSec: null },
      },
    ],
    open: opener({
      most: requests,
      keep: () => true,
      noRepeat: typed.has('--no-oversample'),
      rule: { en: "vLLM's length rules", zh: 'vLLM 的长度筛选规则' },
    }),
  };
}

function arrivalOf(burstiness: number): { process: 'constant' | 'poisson' } | { process: 'gamma'; shape: number } {
  if (burstiness === 1) return { process: 'poisson' };
  if (!Number.isFinite(burstiness)) return { process: 'constant' };
  if (burstiness <= 0) throw badValue('--burstiness', String(burstiness), 'a number above 0', '大于 0 的数');
  return { process: 'gamma', shape: burstiness };
}

function apiOf(typed: ForeignWords, dialect: 'now' | '2025'): ApiName {
  const backend = typed.last('--backend') ?? (dialect === 'now' ? 'openai' : 'vllm');
  const api = apiNames.find((name) => Object.hasOwn(backends, backend) && backends[backend] === name);
  if (api !== undefined) return api;
  const known = Object.keys(backends).join(', ');
  throw badValue('--backend', backend, `one of: ${known}`, `以下之一：${known}`);
}

function urlOf(typed: ForeignWords): string {
  const base =
    typed.last('--base-url') ?? `http://${typed.last('--host') ?? '127.0.0.1'}:${wholeOf(typed, '--port') ?? 8000}`;
  const endpoint = typed.last('--endpoint') ?? '/v1/completions';
  return base.replace(/\/+$/, '') + (endpoint.startsWith('/') ? endpoint : `/${endpoint}`);
}

function bodyOf(typed: ForeignWords, api: ApiName, dialect: 'now' | '2025'): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  if (api === 'openai-completions' && dialect === 'now') body['repetition_penalty'] = 1;
  if (api === 'openai-completions' && dialect === '2025') body['best_of'] = wholeOf(typed, '--best-of', 1) ?? 1;
  const numbers = [
    'top-p',
    'top-k',
    'min-p',
    'frequency-penalty',
    'presence-penalty',
    'repetition-penalty',
    'logprobs',
  ];
  for (const name of numbers) {
    const value = realOf(typed, `--${name}`);
    if (value !== undefined) body[name.replaceAll('-', '_')] = value;
  }
  const kwargs = typed.last('--chat-template-kwargs');
  if (kwargs !== undefined) body['chat_template_kwargs'] = jsonOf(kwargs, '--chat-template-kwargs');
  const extra = typed.last('--extra-body');
  return extra === undefined ? body : { ...body, ...jsonOf(extra, '--extra-body') };
}

function blockOptions(typed: ForeignWords, dialect: 'now' | '2025'): VllmBlockOptions {
  const asked = (typed.last('--percentile-metrics') ?? 'ttft,tpot,itl').split(',').map((name) => name.trim());
  const known = dialect === 'now' ? vllmMetrics : vllmMetrics.slice(0, 4);
  const unknown = asked.find((name) => !known.some((metric) => metric === name));
  if (unknown !== undefined) {
    throw badValue('--percentile-metrics', unknown, `some of: ${known.join(', ')}`, `以下若干：${known.join('、')}`);
  }
  const percentiles = (typed.last('--metric-percentiles') ?? '99')
    .split(',')
    .map((text) => realIn(text, '--metric-percentiles', 0));
  const requestRate = realOf(typed, '--request-rate', 0) ?? Infinity;
  if (requestRate === 0) throw badValue('--request-rate', '0', 'above 0, or inf', '大于 0 的数或 inf');
  const maxConcurrency = wholeOf(typed, '--max-concurrency', 1) ?? null;
  // Nothing waits in the client without a cap, and without a rate there is no time to wait from.
  const shown: Partial<Record<VllmMetric, boolean>> = {
    client_queue_time: maxConcurrency !== null,
    e2el_including_client_queue: maxConcurrency !== null && Number.isFinite(requestRate),
  };
  return {
    dialect,
    maxConcurrency,
    requestRate,
    metrics: known.filter((metric) => asked.includes(metric) && shown[metric] !== false),
    percentiles: percentiles.map((percent) => Math.min(100, percent)),
  };
}

function goodputOf(typed: ForeignWords): Goodput | null {
  const pairs = typed.all('--goodput');
  if (pairs === undefined) return null;
  const goodput: Goodput = {};
  for (const text of pairs) {
    const [, key, value] = /^(ttft|tpot|e2el):(.+)$/.exec(text) ?? [];
    if (key === undefined)
      throw badValue('--goodput', text, 'ttft:MS, tpot:MS or e2el:MS', 'ttft:毫秒、tpot:毫秒 或 e2el:毫秒');
    goodput[key as keyof Goodput] = realIn(value!, '--goodput', 0);
  }
  return goodput;
}

function fileName(typed: ForeignWords, block: VllmBlockOptions, backend: string, model: string, now: string): string {
  const asked = typed.last('--result-filename');
  if (asked !== undefined) return asked;
  const label = typed.last('--label') ?? backend;
  const rate = Number.isFinite(block.requestRate) ? String(block.requestRate) : 'inf';
  const concurrency = block.maxConcurrency === null ? '' : `-concurrency${block.maxConcurrency}`;
  return `${label}-${rate}${Number.isInteger(block.requestRate) ? '.0' : ''}qps${concurrency}-${model.split('/').at(-1)}-${now}.json`;
}

async function save(typed: ForeignWords, document: Record<string, unknown>, name: string): Promise<void> {
  const folder = typed.last('--result-dir') ?? '.';
  const text = JSON.stringify(document);
  const asked = typed.last('--result-filename');
  if (asked !== undefined && typed.has('--append-result')) {
    await appendFile(join(folder, asked), `\n${text}`);
    return;
  }
  if (asked === undefined) await writeBeside(folder, name, text);
  else await writeBeside(join(folder, asked, '..'), asked.split('/').at(-1)!, text);
}

/** 20261115-052430, local time. */
function stampOf(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
