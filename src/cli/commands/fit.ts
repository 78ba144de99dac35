import { writeFile } from 'node:fs/promises';
import { exitCodes, userError } from '../../core/index.ts';
import type { UserError } from '../../core/index.ts';
import { namedFiles } from '../named-files.ts';
import {
  anyText,
  fitAll,
  fitText,
  flag,
  many,
  one,
  planSettings,
  readBeginning,
  workerSettings,
} from '../../lab/index.ts';
import type { NotFitted, ServerWords, SweepAsk, TraceAsk, SettingsOf } from '../../lab/index.ts';
import { parseSetting, schedulerNames, schedulers } from '../../engine/sim/index.ts';
import type { EngineProfile, SettingValue } from '../../engine/sim/index.ts';
import { argument, example, jsonText, makeCommand, printJson } from '../command.ts';
import type { ParsedCommand } from '../command.ts';
import { blocksInServerLog, settingsInServerLog } from '../../advice/plan/index.ts';
import type { ServerSettings } from '../../advice/plan/index.ts';
import { commandWorld } from '../experiment-command.ts';
import { formatNamed } from '../format-flag.ts';
import { readPlanInput } from '../plan-input.ts';
import { schedulerNamed } from '../profile-flags.ts';

/** How a live server is spoken to, as for dyno run. */
const serverSettings = {
  model: planSettings.model,
  api: planSettings.api,
  keyEnv: planSettings.keyEnv,
  header: planSettings.header,
  insecure: planSettings.insecure,
  tokenizer: planSettings.tokenizer,
};

const flags = {
  points: one(
    'points WORDS',
    (text) => text.split(',').map((word) => word.trim()),
    'which points to fit: auto, or lowest,middle,highest,half,knee,half-knee,below-knee, or concurrencies (default: all; with --hold-out: auto)',
    '参与拟合的点：auto，或 lowest,middle,highest,half,knee,half-knee,below-knee，或并发数（默认全部；用 --hold-out 时为 auto）',
  ),
  holdOut: flag(
    'hold-out',
    'fit three points and print the error on all others, beside interpolation',
    '用三个点拟合，给出其余点的误差，并与插值对比',
  ),
  format: one(
    'format NAME',
    (text) => (text === 'request-trace' ? text : formatNamed(text)),
    'request-trace, or as for dyno import',
    'request-trace，或同 dyno import',
  ),
  train: one(
    'train SHARE',
    trainShare,
    'share of a request trace to fit (default: 0.25)',
    '逐请求记录中用于拟合的比例（默认 0.25）',
  ),
  scheduler: one(
    'scheduler NAME',
    schedulerNamed,
    `for request traces: ${schedulerNames.join(', ')} (default: vllm-v1)`,
    `用于逐请求记录：${schedulerNames.join('、')}（默认 vllm-v1）`,
  ),
  set: many(
    'set NAME=VALUE',
    anyText,
    "what is known of the server: maxBatchSize, blocks, blockSize, or the scheduler's settings",
    '已知的服务器设置：maxBatchSize、blocks、blockSize，或调度器的设置项',
  ),
  serverLog: one(
    'server-log FILE',
    anyText,
    "take the server's batch, prefill budget and KV cache from its log; what --set says wins",
    '从服务端日志读取批大小、prefill 预算与 KV Cache；以 --set 为准',
  ),
  probe: flag(
    'probe',
    'the argument is the URL of a live server: run some ten short probes against it and fit them',
    '参数为服务器 URL：运行约十个短探测并拟合',
  ),
  ...serverSettings,
  // Whose CPUs are used.
  workers: workerSettings.workers,
  queue: workerSettings.queue,
  waitWorkers: workerSettings.waitWorkers,
  next: flag('next', 'name the most informative next measurement', '给出最有价值的下一个测量点'),
  out: one('out FILE', anyText, 'write the (first) profile there', '将（第一个）引擎配置写入文件'),
};

type Asked = SettingsOf<typeof flags>;

export const command = makeCommand({
  about: {
    en: 'Calibrate an engine profile from measured points (a run or sweep of the store, or a file that import reads) or from a request trace, and say how well it predicts what it was not shown.',
    zh: '由实测数据（已存的运行或扫描、import 支持的文件，或逐请求记录）标定引擎配置，并给出对未参与拟合数据的预测误差。',
  },
  arguments: [
    argument(
      '<run-or-file...>',
      'what is in the store (id, label, latest …), files, or folders',
      '存储中的结果（id、标签、latest 等）、文件或目录',
    ),
  ],
  flags,
  examples: [
    example(
      'dyno fit blog-post.md --hold-out',
      "fit three points of somebody's sweep, predict the others",
      '用三个点拟合，预测其余点',
    ),
    example(
      'dyno fit latest --out my-engine.json && dyno engine --profile my-engine.json',
      'your server as a simulated one',
      '把自己的服务器变成模拟引擎',
    ),
    example(
      'dyno fit post-1.md post-2.md --hold-out --workers redis://10.0.0.5:6379',
      'sweeps fitted side by side, by whoever is on the queue',
      '由队列上的 worker 并行拟合各扫描',
    ),
    example(
      'dyno fit trace.jsonl --format request-trace --train 0.25 --set max_num_seqs=256',
      'one line per request: fit a quarter, predict the rest',
      '逐请求记录：用四分之一拟合，预测其余',
    ),
  ],
  async run(given, asked) {
    if (asked.workers !== undefined && asked.probe === true) throw probesFromHere();
    const limits = serverLimits(asked);
    const common = { next: asked.next === true, date: new Date().toISOString().slice(0, 10), lang: given.common.lang };
    const { world, done } = commandWorld(given);
    const document = await fitAll(
      {
        names: given.args,
        format: asked.format ?? 'auto',
        sweep: { ...common, ...sweepAsk(asked, limits) },
        trace: { ...common, ...traceAsk(asked, limits) },
        probe: asked.probe === true ? (url) => probeSettings(given, url) : null,
        queue: asked,
      },
      world,
    ).finally(done);
    const [first] = document.sweeps;
    if (given.common.json) printJson(given, document);
    if (first === undefined) throw nothingFitted(given.args, document.skipped);
    if (!given.common.json) given.io.out(fitText(document, given.common.lang));
    if (asked.out !== undefined) await writeFile(asked.out, jsonText(first.profile));
    return exitCodes.ok;
  },
});

function probesFromHere(): UserError {
  return userError(
    'settings-disagree',
    'probes are sent from this machine',
    '探测由本机发送',
    'Leave out --workers: fitting ten probes takes a moment.',
    '请去掉 --workers：拟合十个探测很快。',
    '--workers',
  );
}

/** The server to probe, and how it is spoken to. */
function probeSettings(given: ParsedCommand, url: string): ServerWords {
  const names = new Set(Object.values(serverSettings).map(({ name }) => name));
  const flagsOfServer = new Map([...given.flags].filter(([name]) => names.has(name)));
  return readPlanInput({ args: [url], flags: flagsOfServer }, {});
}

/** What is known of the server's limits, and the settings that are the scheduler's own. */
type Limits = ServerSettings & { kv: EngineProfile['kv']; others: readonly string[] };

/** What a fit of a sweep is told besides its points. */
function sweepAsk({ points = [], holdOut = false }: Asked, limits: Limits): Omit<SweepAsk, 'next' | 'date' | 'lang'> {
  const { maxBatchSize, maxPrefillTokens, kv, others } = limits;
  const named = others.map((text) => text.split('=')).find(([key = '']) => batchNames.has(key));
  const typedBatch = named === undefined ? null : Number(named[1]);
  return { points, holdOut, maxBatchSize: maxBatchSize ?? typedBatch, maxPrefillTokens, kv };
}

function traceAsk(
  { scheduler = 'vllm-v1', train = 0.25 }: Asked,
  { kv, maxBatchSize, maxPrefillTokens, others }: Limits,
): Omit<TraceAsk, 'next' | 'date' | 'lang'> {
  const settings: Record<string, SettingValue> = Object.fromEntries(
    others.map((text) => parseSetting(scheduler, text)),
  );
  const budget = scheduler === 'sglang' ? 'chunked_prefill_size' : 'max_num_batched_tokens';
  if (maxPrefillTokens !== null && budgetIn(others) === null && budgetTaken.has(scheduler))
    settings[budget] = maxPrefillTokens;
  if (maxBatchSize !== null) settings[schedulers[scheduler].batchSetting] = maxBatchSize;
  return { train, scheduler, settings, kv };
}

/** What --set and the server's log say; what is typed wins. */
function serverLimits({ set: typed = [], serverLog }: Asked): Limits {
  const amounts: Record<string, number | null> = { maxBatchSize: null, blocks: null, blockSize: null };
  const others: string[] = [];
  for (const text of typed) {
    const [key = '', value = ''] = text.split('=');
    if (!Object.hasOwn(amounts, key)) others.push(text);
    else if (/^[1-9]\d{0,8}$/.test(value)) amounts[key] = Number(value);
    else
      throw userError(
        'bad-setting',
        `"${text.slice(0, 80)}" is not NAME=COUNT`,
        `"${text.slice(0, 80)}" 不是 名称=数量 的形式`,
        'For example --set maxBatchSize=200.',
        '例如 --set maxBatchSize=200。',
        '--set',
      );
  }
  const { maxBatchSize, blocks, blockSize } = amounts as Record<'maxBatchSize' | 'blocks' | 'blockSize', number | null>;
  const log = readServerLog(serverLog, blockSize ?? 16);
  const batchTyped = others.some((text) => batchNames.has(text.split('=')[0] ?? ''));
  return {
    maxBatchSize: maxBatchSize ?? (batchTyped ? null : log.maxBatchSize),
    kv: blocks === null ? log.kv : { blocks, blockSize: blockSize ?? 16 },
    maxPrefillTokens: budgetIn(others) ?? log.maxPrefillTokens,
    others,
  };
}

const batchNames = new Set<string>(Object.values(schedulers).map((kind) => kind.batchSetting));
/** What each server calls the most tokens of a step. */
const budgetNames = new Set(['max_num_batched_tokens', 'chunked_prefill_size', 'maxPrefillTokens']);

function budgetIn(others: readonly string[]): number | null {
  const said = others.map((text) => text.split('=')).find(([key = '']) => budgetNames.has(key));
  const tokens = Number(said?.[1]);
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null;
}

/** Schedulers with a budget of tokens that a server's log states. */
const budgetTaken = new Set<string>(['vllm-v1', 'vllm-v0', 'sglang']);
const mostLogBytes = 64 * 1024 * 1024;

/** What the server's log says of its limits; nothing where no log was given. */
function readServerLog(file: string | undefined, blockSize: number): Omit<Limits, 'others'> {
  if (file === undefined) return { maxBatchSize: null, maxPrefillTokens: null, kv: null };
  const text = readBeginning(file, mostLogBytes, { flag: '--server-log' });
  const found = blocksInServerLog(text, blockSize);
  return { ...settingsInServerLog(text), kv: found === null ? null : { blocks: found.blocks, blockSize } };
}

function trainShare(text: string): number {
  const share = Number(text);
  if (share > 0 && share < 1) return share;
  throw userError(
    'bad-train-share',
    `"${text.slice(0, 50)}" is not a share between 0 and 1`,
    `"${text.slice(0, 50)}" 不是 0 到 1 之间的比例`,
    'For example --train 0.25.',
    '例如 --train 0.25。',
  );
}

function nothingFitted(files: readonly string[], skipped: readonly NotFitted[]): UserError {
  const named = namedFiles(files);
  const why = skipped.map((entry) => `${entry.title}: ${entry.why}`).join('\n');
  return userError(
    'nothing-to-fit',
    `${named}: nothing could be fitted${why === '' ? '' : `:\n${why}`}`,
    `${named}：没有可拟合的数据${why === '' ? '' : `：\n${why}`}`,
    'A fit needs a concurrency sweep with three usable points, one of them at saturation; or two runs or more with their requests: dyno run, or vllm bench serve --save-detailed, all files of one server in one dyno fit.',
    '拟合需要一个并发扫描，至少三个可用点，其中一个达到饱和；或两个以上带逐请求记录的运行：dyno run，或 vllm bench serve --save-detailed，同一服务器的文件一并交给 dyno fit。',
  );
}
