import { join } from 'node:path';
import { apiNames, userError } from '../../core/index.ts';
import type { ApiName } from '../../core/index.ts';
import { openTokenizer } from '../../inputs/dataset/index.ts';
import { plainPrompt } from '../../inputs/workload/index.ts';
import type { ParsedCommand } from '../command.ts';
import { givenPrompts, opener } from './chosen-prompts.ts';
import {
  badValue,
  dialectOf,
  evalscopeBlock,
  evalscopeFigures,
  evalscopeFlags,
  jsonOf,
  overviewTables,
  pairsOf,
  percentileJson,
  readForeign,
  realOf,
  requiredOf,
  summaryJson,
  wholeOf,
  wholesOf,
} from '../../tools/index.ts';
import type { AsMeasured, Dialect, ForeignWords } from '../../tools/index.ts';
import { lengthChoice } from './evalscope-prompts.ts';
import { measureAs, warnIgnored } from './measure-as.ts';
import type { AsJob, AsPoint } from './measure-as.ts';
import { writeBeside } from './write-beside.ts';
import { readDocument } from '../../lab/index.ts';

/** A prompt as long as any model takes. */
const mostPromptBytes = 64 * 1024 * 1024;

/** evalscope's names of datasets in our typed; a path follows where there is one. */
const datasets: Readonly<Record<string, { kind: string; path: 'needed' | 'optional' | 'none' }>> = {
  openqa: { kind: 'openqa', path: 'optional' },
  longalpaca: { kind: 'longalpaca', path: 'needed' },
  line_by_line: { kind: 'lines', path: 'needed' },
  custom: { kind: 'lines', path: 'needed' },
  share_gpt_zh: { kind: 'sharegpt-chat', path: 'needed' },
  share_gpt_en: { kind: 'sharegpt-chat', path: 'needed' },
  random: { kind: 'random', path: 'none' },
};

const apis: Readonly<Record<string, string>> = {
  openai: '',
  openai_response: 'responses',
  openai_responses: 'responses',
  responses: 'responses',
  openai_embedding: 'embeddings',
  embedding: 'embeddings',
  openai_rerank: 'rerank',
  rerank: 'rerank',
  dashscope: 'dashscope',
};

/** Runs `evalscope perf …` and prints the block of 0.5; the JSON files of later releases are written beside. */
export async function evalscope(argv: readonly string[], given: ParsedCommand): Promise<number> {
  const typed = readForeign(evalscopeFlags, argv);
  warnIgnored(given, typed);
  const dialect = dialectOf(typed);
  // 0.5 asks every prompt of the dataset once unless told how many.
  const numbers = wholesOf(typed, '--number', 1) ?? (dialect === '0.5' ? [] : [1000]);
  const points = pointsOf(typed, numbers);
  const model = requiredOf(typed, '--model');
  const job = await jobOf(typed, dialect, numbers.length === 0 ? null : Math.max(...numbers), model);
  const folder = outputsFolder(typed, model);
  const all: AsMeasured[] = [];
  const { code } = await measureAs(given, {
    ...job,
    points,
    title: typed.last('--name') ?? model,
    pauseMs: dialect === '0.5' ? 0 : (wholeOf(typed, '--sleep-interval') ?? 5) * 1000,
    after: async (measured) => {
      all.push(measured);
      given.io.out(evalscopeBlock(evalscopeFigures(measured)));
      const { load, requests } = measured.plan;
      const point = typed.has('--open-loop') ? `rate_${load.ratePerSec}` : `parallel_${load.concurrency}`;
      const inside = join(folder, `${point}_number_${requests}`);
      await writeBeside(inside, 'benchmark_summary.json', `${JSON.stringify(summaryJson(measured), null, 4)}\n`);
      await writeBeside(inside, 'benchmark_percentile.json', `${JSON.stringify(percentileJson(measured), null, 4)}\n`);
    },
  });
  // 1.x closes with tables over all points.
  if (dialect === '1') given.io.out(overviewTables(all));
  return code;
}

async function jobOf(
  typed: ForeignWords,
  dialect: Dialect,
  most: number | null,
  model: string,
): Promise<Omit<AsJob, 'points' | 'title' | 'after'>> {
  const seconds = (flag: string): number | undefined => {
    const value = realOf(typed, flag, 0);
    return value === undefined ? undefined : value * 1000;
  };
  const [connect, read, total] = [seconds('--connect-timeout'), seconds('--read-timeout'), seconds('--total-timeout')];
  const defaultReadMs = dialect === '0.5' ? 120_000 : 21_600_000;
  const maxTokens = wholesOf(typed, '--max-tokens', 1) ?? (dialect === '0.5' ? [] : [2048]);
  const temperature = realOf(typed, '--temperature', 0) ?? (dialect === '0.5' ? undefined : 0);
  const minTokens = wholeOf(typed, '--min-tokens');
  const tokenizer = typed.last('--tokenizer-path');
  const warmup = warmupOf(typed, most);
  const duration = seconds('--duration');
  const api = apiOf(typed);
  return {
    settings: {
      url: typed.last('--url') ?? 'http://127.0.0.1:8877/v1/chat/completions',
      model,
      ...(api !== null && { api }),
      ...datasetSettings(typed),
      header: headersOf(typed),
      body: bodyOf(typed),
      stop: [...(typed.all('--stop') ?? [])],
      ...(maxTokens.length === 1 && { maxTokens: maxTokens[0]! }),
      ...(maxTokens.length > 1 && {
        outputTokens: { law: 'uniform', min: Math.min(...maxTokens), max: Math.max(...maxTokens) } as const,
        ignoreEos: false,
      }),
      ...(minTokens !== undefined && { minTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(tokenizer !== undefined && { tokenizer }),
      noStream: !streamed(typed, dialect),
      ...(connect !== undefined && { connectTimeout: connect }),
      readTimeout: read ?? defaultReadMs,
      timeout: total ?? 21_600_000,
      ...(duration !== undefined && { duration }),
      ...(warmup !== null && { warmup }),
      ...(typed.has('--seed') && { seed: wholeOf(typed, '--seed')! }),
      ...(typed.has('--no-test-connection') && { noPreflight: true }),
      ...(typed.has('--rate') && { rate: [realOf(typed, '--rate')!] }),
    },
    open: await openOf(typed, most === null ? null : most + (wholeOf(typed, '--dataset-offset') ?? 0), tokenizer),
  };
}

function streamed(typed: ForeignWords, dialect: Dialect): boolean {
  if (typed.has('--no-stream')) return false;
  return typed.has('--stream') || dialect !== '0.5';
}

async function openOf(
  typed: ForeignWords,
  most: number | null,
  tokenizer: string | undefined,
): Promise<NonNullable<AsJob['open']>> {
  const prompt = typed.last('--prompt');
  if (prompt !== undefined) {
    return givenPrompts([plainPrompt('prompt', textOrFile(prompt, '--prompt'))], 'given');
  }
  // The length of random prompts is made, not filtered.
  if (typed.last('--dataset') === 'random') return opener({ most, keep: () => true, rule: { en: '', zh: '' } });
  return opener(
    lengthChoice({
      most,
      min: wholeOf(typed, '--min-prompt-length') ?? 0,
      max: wholeOf(typed, '--max-prompt-length', 1) ?? 131_072,
      tokenizer: tokenizer === undefined ? null : await openTokenizer(tokenizer),
    }),
  );
}

function datasetSettings(typed: ForeignWords): Partial<AsJob['settings']> {
  const name = typed.last('--dataset') ?? 'openqa';
  const known = Object.hasOwn(datasets, name) ? datasets[name]! : null;
  if (known === null)
    throw badValue(
      '--dataset',
      name,
      `one of: ${Object.keys(datasets).join(', ')}`,
      `以下之一：${Object.keys(datasets).join('、')}`,
    );
  const path = typed.last('--dataset-path');
  if (known.path === 'none') {
    const min = wholeOf(typed, '--min-prompt-length') ?? 0;
    const max = wholeOf(typed, '--max-prompt-length', 1) ?? 131_072;
    const prefix = wholeOf(typed, '--prefix-length') ?? 0;
    return {
      dataset: prefix > 0 ? `shared-prefix:groups=1,prefix=${prefix}` : 'random',
      inputTokens: { law: 'uniform', min: Math.max(1, min), max: Math.max(1, max) },
    };
  }
  if (path !== undefined) return { dataset: `${known.kind}:${path}` };
  if (known.path === 'needed')
    throw userError(
      'foreign-flag-missing',
      `--dataset ${name} needs a file`,
      `--dataset ${name} 需要文件`,
      'Add --dataset-path FILE; nothing is downloaded here.',
      '请加上 --dataset-path 文件；此处不下载数据集。',
      '--dataset-path',
    );
  return {};
}

function pointsOf(typed: ForeignWords, numbers: readonly number[]): AsPoint[] {
  const parallels = wholesOf(typed, '--parallel', 1) ?? [1];
  const rates = (typed.all('--rate') ?? []).map(Number);
  const offset = wholeOf(typed, '--dataset-offset') ?? 0;
  const open = typed.has('--open-loop');
  if (open && !rates.some((rate) => rate > 0))
    throw badValue(
      '--rate',
      typed.last('--rate') ?? '',
      'above 0, which --open-loop needs',
      '大于 0 的数（--open-loop 需要）',
    );
  const loads = open ? rates : parallels;
  if (numbers.length > 1 && numbers.length !== loads.length) {
    throw badValue(
      '--number',
      numbers.join(' '),
      `one number, or ${loads.length}, as many as load points`,
      `一个数，或与负载点数相同的 ${loads.length} 个数`,
    );
  }
  return loads.map((value, i) => ({
    load: open
      ? { concurrency: null, ratePerSec: value }
      : { concurrency: value, ratePerSec: rates[0] !== undefined && rates[0] > 0 ? rates[0] : null },
    ...(numbers.length > 0 && { settings: { requests: numbers[i] ?? numbers[0]! } }),
    offset,
  }));
}

function warmupOf(typed: ForeignWords, most: number | null): { requests: number } | null {
  const value = realOf(typed, '--warmup-num', 0) ?? 0;
  if (value === 0) return null;
  return { requests: Math.max(1, Math.round(value < 1 ? value * (most ?? 1) : value)) };
}

function apiOf(typed: ForeignWords): ApiName | null {
  const name = typed.last('--api') ?? 'openai';
  const ours = Object.hasOwn(apis, name) ? apis[name]! : null;
  const api = apiNames.find((known) => known === ours) ?? null;
  if (ours === null || (ours !== '' && api === null)) {
    throw badValue(
      '--api',
      name,
      `one of: ${Object.keys(apis).join(', ')}`,
      `以下之一：${Object.keys(apis).join('、')}`,
    );
  }
  return api;
}

function headersOf(typed: ForeignWords): { name: string; value: string }[] {
  const headers = pairsOf(typed, '--headers').map(([name, value]) => ({ name: name.toLowerCase(), value }));
  const key = typed.last('--api-key');
  return key === undefined ? headers : [...headers, { name: 'authorization', value: `Bearer ${key}` }];
}

/** Fields of the body that have no word of their own here. */
function bodyOf(typed: ForeignWords): Record<string, unknown> {
  const template = typed.last('--query-template');
  const body: Record<string, unknown> =
    template === undefined ? {} : jsonOf(textOrFile(template, '--query-template'), '--query-template');
  delete body['messages'];
  delete body['prompt'];
  const numbers = {
    '--top-p': 'top_p',
    '--top-k': 'top_k',
    '--frequency-penalty': 'frequency_penalty',
    '--repetition-penalty': 'repetition_penalty',
    '--n-choices': 'n',
    '--seed': 'seed',
  } as const;
  for (const [flag, field] of Object.entries(numbers)) {
    const value = realOf(typed, flag);
    if (value !== undefined) body[field] = value;
  }
  if (typed.has('--logprobs')) body['logprobs'] = true;
  const ids = wholesOf(typed, '--stop-token-ids');
  if (ids !== undefined) body['stop_token_ids'] = ids;
  const extra = typed.last('--extra-args');
  return extra === undefined ? body : { ...body, ...jsonOf(extra, '--extra-args') };
}

function textOrFile(text: string, flag: string): string {
  return text.startsWith('@') ? readDocument(text.slice(1), { place: { flag } }, mostPromptBytes) : text;
}

function outputsFolder(typed: ForeignWords, model: string): string {
  const now = new Date().toISOString().replaceAll(/[-:]/g, '').replace('T', '_').slice(0, 15);
  const name = (typed.last('--name') ?? model.split('/').at(-1)!).replaceAll(/[/\\\0]/g, '_').replace(/^\.+/, '_');
  return join(typed.last('--outputs-dir') ?? 'outputs', ...(typed.has('--no-timestamp') ? [] : [now]), name);
}
