import { threadId } from 'node:worker_threads';
import { exitCodes, userError } from '../../core/index.ts';
import type { ApiName, Exchange, Prompt } from '../../core/index.ts';
import { openTokenizer } from '../../inputs/dataset/index.ts';
import type { Tokenizer } from '../../inputs/dataset/index.ts';
import { fetchOnce } from '../../client/load/index.ts';
import { remark } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { opener } from './chosen-prompts.ts';
import {
  badValue,
  choiceOf,
  jsonOf,
  mindieCells,
  mindieColumns,
  mindieCommon,
  mindieFlags,
  mindieRequests,
  mindieRows,
  prettyTable,
  readForeign,
  realIn,
  requiredOf,
  truthOf,
  wholeOf,
} from '../../tools/index.ts';
import type { AsMeasured, ClientFacts, ForeignWords } from '../../tools/index.ts';
import { answersOf, measureAs, warnIgnored } from './measure-as.ts';
import type { AsJob } from './measure-as.ts';
import { mindieDataset } from './mindie-dataset.ts';
import { writeMindie } from './mindie-files.ts';
import { tokenizerOr } from './tokenizer-word.ts';

const testTypes = ['client', 'openai', 'vllm_client', 'tgi_client'] as const;
type TestType = (typeof testTypes)[number];

/** Runs MindIE's `benchmark …`: both tables for every rate, CSV and JSON files in --SavePath. */
export async function mindieBenchmark(argv: readonly string[], given: ParsedCommand): Promise<number> {
  const typed = readForeign(mindieFlags, argv);
  if (truthOf(typed, '--Tokenizer') === false)
    throw userError(
      'foreign-value',
      'prompts are sent as text here, not as token numbers',
      '此处以文本发送提示词，不发送 token id',
      'Leave it out, or send token numbers with dyno run --dataset requests:FILE.',
      '请去掉该选项；发送 token id 请用 dyno run --dataset requests:文件。',
      '--Tokenizer',
    );
  const type = choiceOf(typed, '--TestType', testTypes) ?? 'client';
  const stream = (choiceOf(typed, '--TaskKind', ['stream', 'text']) ?? 'stream') === 'stream';
  const folder = tokenizerOr(given, requiredOf(typed, '--ModelPath'));
  const tokenizer = await openTokenizer(folder);
  const concurrency = wholeOf(typed, '--Concurrency', 1) ?? 128;
  const base = typed.last('--Http') ?? 'https://127.0.0.1:1025';
  const ready = await managementReady(typed, base);
  warnIgnored(given, typed);
  noteServer(given, typed, base, ready);
  const data = mindieDataset(typed);
  const prompts = new Map<string, Prompt>();
  const { code } = await measureAs(given, {
    settings: { ...settingsOf(typed, type, stream, base, ready), ...data.settings, tokenizer: folder },
    open: opener({
      most: countOf(typed, data.count),
      keep: () => true,
      change: (prompt) => {
        const cut = shortened(prompt, tokenizer, wholeOf(typed, '--MaxInputLen') ?? 0);
        prompts.set(cut.id, cut);
        return cut;
      },
      noRepeat: true,
      rule: { en: 'the dataset is empty', zh: '数据集为空' },
    }),
    points: ratesOf(typed).map((ratePerSec) => ({ load: { concurrency, ratePerSec } })),
    title: requiredOf(typed, '--ModelName'),
    after: async (measured) => {
      const answers = await answersOf(measured.dir);
      const clientOf = clientFacts(tokenizer, prompts, answers);
      const requests = mindieRequests(measured.exchanges, type === 'client', clientOf);
      const rows = mindieRows(requests);
      const common = mindieCommon(requests, {
        currentTime: localTime(new Date()),
        dataSource: data.source,
        planned: measured.summary.counts.planned,
        concurrency,
        model: requiredOf(typed, '--ModelName'),
        accuracy: accuracyOf(typed, measured),
      });
      const cells = rows.map((row) => [row.name, ...mindieCells(row, requests.length)]);
      const stamp = logStamp(new Date());
      given.io.out(
        `${stamp}\nThe BenchMark test performance metric result is:\n${prettyTable(['Metric', ...mindieColumns], cells)}` +
          `${stamp}\nThe BenchMark test common metric result is:\n${prettyTable(['Common Metric', 'Value'], common)}`,
      );
      const textOf = (exchange: Exchange): string => prompts.get(exchange.promptId)?.text ?? '';
      await writeMindie(typed.last('--SavePath') ?? './instance', {
        cells,
        common,
        requests,
        measured,
        answers,
        textOf,
      });
    },
  });
  if (code !== exitCodes.interrupted) given.io.out('Benchmark task completed successfully!\n');
  return code;
}

function settingsOf(
  typed: ForeignWords,
  type: TestType,
  stream: boolean,
  base: string,
  ready: boolean,
): AsJob['settings'] {
  const { api, path } = endpointOf(type, ready);
  const sampling = jsonOf(typed.last('--SamplingParams') ?? '{}', '--SamplingParams');
  const doSampling = truthOf(typed, '--DoSampling') ?? false;
  const timeout = typed.last('--RequestTimeOut') ?? '600';
  const timeoutMs = timeout === 'None' ? 21_600_000 : realIn(timeout, '--RequestTimeOut', 0) * 1000;
  const rates = ratesOf(typed).filter((rate) => rate !== null);
  const warmups = wholeOf(typed, '--WarmupSize') ?? 10;
  const nested = api === 'mindie' || api === 'tgi';
  const extras = { ...(nested && doSampling && { do_sample: true }), ...sampling };
  return {
    url: base.replace(/\/+$/, '') + path,
    api,
    model: requiredOf(typed, '--ModelName'),
    maxTokens: wholeOf(typed, '--MaxOutputLen', 1) ?? 20,
    ...(!doSampling && { temperature: 0 }),
    body: nested ? (Object.keys(extras).length === 0 ? {} : { parameters: extras }) : extras,
    noStream: !stream,
    // The certificates of that tool stand in its own config.json, which is not read here.
    insecure: true,
    readTimeout: timeoutMs,
    timeout: timeoutMs,
    ...(rates.length > 0 && {
      rate: rates,
      arrival: { process: choiceOf(typed, '--Distribution', ['uniform', 'poisson']) ?? 'uniform' },
    }),
    ...(warmups > 0 && { warmup: { requests: warmups } }),
  };
}

function endpointOf(type: TestType, ready: boolean): { api: ApiName; path: string } {
  switch (type) {
    case 'client':
      return { api: 'mindie', path: '' };
    case 'openai':
      return { api: 'openai-chat', path: '/v1/chat/completions' };
    case 'tgi_client':
      return { api: 'tgi', path: '/' };
    case 'vllm_client':
      return ready
        ? { api: 'vllm-generate', path: '/generate' }
        : { api: 'openai-completions', path: '/v1/completions' };
  }
}

/** Whether the management port says that the server is ready; that tool tells MindIE from others by it. */
async function managementReady(typed: ForeignWords, base: string): Promise<boolean> {
  const management = typed.last('--ManagementHttp') ?? base;
  const target = { url: base, api: 'openai-chat', model: '', headers: {}, keyEnv: null, insecure: true } as const;
  let url: string;
  try {
    url = new URL('/v2/health/ready', management).href;
  } catch {
    throw badValue('--ManagementHttp', management, 'an http(s) address', 'http(s) 地址');
  }
  const fetched = await fetchOnce(target, { method: 'GET', url, body: '' }, {}, 5000);
  return fetched.problem === null && fetched.status === 200;
}

function noteServer(given: ParsedCommand, typed: ForeignWords, base: string, ready: boolean): void {
  const management = typed.last('--ManagementHttp');
  if (!ready && management !== undefined)
    remark(
      given,
      `note: ${management}/v2/health/ready does not answer 200; going on`,
      `提示：${management}/v2/health/ready 未返回 200；继续运行`,
    );
  if (base.startsWith('https:'))
    remark(
      given,
      'note: the certificate of the server is not checked (MindIE keeps its CA in a config.json of its own)',
      '提示：未校验服务器证书（MindIE 的 CA 配置在其自己的 config.json 中）',
    );
}

function ratesOf(typed: ForeignWords): (number | null)[] {
  const perTick = wholeOf(typed, '--RequestNum', 1) ?? 1;
  const text = (typed.last('--RequestRate') ?? '').trim();
  if (text === '') return [null];
  if (perTick !== 1)
    throw badValue(
      '--RequestNum',
      String(perTick),
      '1 (several requests per tick are not offered here)',
      '1（此处不支持每次发送多个请求）',
    );
  return text.split(',').map((part) => {
    const rate = realIn(part, '--RequestRate', 0);
    if (rate <= 0 || rate > 10_000)
      throw badValue('--RequestRate', part, 'above 0 and at most 10000', '大于 0 且不超过 10000 的数');
    return rate;
  });
}

function countOf(typed: ForeignWords, made: number | null): number | null {
  const count = Number(typed.last('--RequestCount') ?? -1);
  if (!Number.isInteger(count) || count === 0 || count < -1)
    throw badValue('--RequestCount', String(typed.last('--RequestCount')), '-1 or a count', '-1 或正整数');
  return count === -1 ? made : count;
}

/** Cuts a prompt to so many tokens; 0 = as it is. */
function shortened(prompt: Prompt, tokenizer: Tokenizer, most: number): Prompt {
  const { text } = prompt;
  if (most === 0 || text === null || tokenizer.count(text) <= most) return prompt;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokenizer.count(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  return { ...prompt, text: cut, messages: [{ role: 'user', content: cut }] };
}

function clientFacts(
  tokenizer: Tokenizer,
  prompts: ReadonlyMap<string, Prompt>,
  answers: ReadonlyMap<number, string>,
): (exchange: Exchange) => ClientFacts {
  const known = new Map<number, ClientFacts>();
  const timed = (text: string): { count: number; ms: number } => {
    const began = performance.now();
    const count = tokenizer.count(text);
    return { count, ms: performance.now() - began };
  };
  return (exchange) => {
    const before = known.get(exchange.seq);
    if (before !== undefined) return before;
    const encoded = timed(prompts.get(exchange.promptId)?.text ?? '');
    const facts = {
      inputTokens: encoded.count,
      tokenizerMs: encoded.ms,
      detokenizerMs: timed(answers.get(exchange.seq) ?? '').ms,
    };
    known.set(exchange.seq, facts);
    return facts;
  };
}

function accuracyOf(typed: ForeignWords, { summary }: AsMeasured): number | null {
  return truthOf(typed, '--TestAccuracy') === true ? (summary.accuracy?.ratio ?? null) : null;
}

function localTime(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
}

/** The line that tool's logger puts before a table. */
function logStamp(now: Date): string {
  const offset = -now.getTimezoneOffset();
  const two = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
  const ms = String(now.getMilliseconds()).padStart(3, '0');
  return `[${localTime(now)}.${ms}${zone}] [${process.pid}] [${threadId}] [benchmark] [INFO] [llmdyno]`;
}
