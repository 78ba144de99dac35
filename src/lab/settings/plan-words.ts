import { apiNames } from '../../core/index.ts';
import type { Warmup } from '../../core/index.ts';
import { askedWords } from './asked-words.ts';
import { arrivalWord, rampWord } from './arrival-words.ts';
import { gridWord } from './grid-words.ts';
import { header, jsonObject, oneOf, positiveDurationMs, realNumber, someText, wholeNumber } from './readers.ts';
import type { Words } from './read-words.ts';
import { BadValue, flag, many, one } from './setting.ts';
import type { Setting } from './setting.ts';
import { reachWords } from './reach-words.ts';
import { limitWords } from './limit-words.ts';
import { workerSettings } from './worker-words.ts';
import { workloadWords } from './workload-words.ts';

/** Every setting of a run, a sweep or a simulation: the one place its name, meaning and limits are written. */
export const planSettings = {
  url: one(
    {
      name: 'url',
      value: 'URL',
      help: { en: 'address of the server, when it does not stand first', zh: '服务器地址（未作为第一个参数给出时）' },
    },
    someText,
  ),
  model: one(
    {
      name: 'model',
      value: 'NAME',
      help: { en: "model to ask for (default: the server's first)", zh: '模型名称（默认：服务器列出的第一个）' },
    },
    someText,
  ),
  api: one(
    {
      name: 'api',
      value: 'NAME',
      help: {
        en: `wire to speak: ${apiNames.join(', ')} (default: guessed from the URL)`,
        zh: `接口类型：${apiNames.join('、')}（默认：由 URL 判断）`,
      },
    },
    oneOf(apiNames),
  ),
  keyEnv: one(
    {
      name: 'key-env',
      value: 'VARIABLE',
      help: { en: 'environment variable that holds the API key', zh: '存放 API 密钥的环境变量名' },
    },
    someText,
  ),
  header: many(
    {
      name: 'header',
      value: 'NAME: VALUE',
      help: {
        en: "extra request header; 'Name: env:VARIABLE' keeps a secret out of the command line",
        zh: "附加请求头；'Name: env:变量名' 可避免密钥出现在命令行中",
      },
    },
    'repeat',
    header,
  ),
  ...reachWords,
  insecure: flag({ name: 'insecure', help: { en: 'accept any TLS certificate', zh: '接受任意 TLS 证书' } }),
  ...workloadWords,
  maxTokens: one(
    {
      name: 'max-tokens',
      value: 'COUNT',
      help: {
        en: "longest answer, in tokens (default: the server's)",
        zh: '回答的最大 token 数（默认：由服务器决定）',
      },
    },
    wholeNumber(1),
  ),
  minTokens: one(
    {
      name: 'min-tokens',
      value: 'COUNT',
      help: { en: 'shortest answer, in tokens (vLLM, SGLang)', zh: '回答的最小 token 数（vLLM、SGLang）' },
    },
    wholeNumber(0),
  ),
  temperature: one(
    {
      name: 'temperature',
      value: 'NUMBER',
      help: { en: "sampling temperature (default: the server's)", zh: '采样温度（默认：由服务器决定）' },
    },
    realNumber(0, 10),
  ),
  ignoreEos: flag({
    name: 'ignore-eos',
    help: { en: 'generate up to max-tokens whatever the model says', zh: '忽略结束符，始终生成到 max-tokens' },
  }),
  stop: many(
    { name: 'stop', value: 'TEXT', help: { en: 'text that ends an answer', zh: '停止词' } },
    'repeat',
    (text) => text,
  ),
  body: one(
    {
      name: 'body',
      value: 'JSON',
      help: { en: 'fields put into every request body as they are', zh: '原样加入每个请求体的字段' },
    },
    jsonObject,
  ),
  noStream: flag({
    name: 'no-stream',
    help: {
      en: 'ask for whole answers (TTFT and gaps are then not measurable)',
      zh: '非流式请求（此时无法测量 TTFT 和 token 间隔）',
    },
  }),
  requests: one(
    {
      name: 'requests',
      short: 'n',
      value: 'COUNT',
      help: {
        en: 'measured requests (default: 25 for each in flight, or 30 s of the rate, and 100 at least; with --duration as many as come due)',
        zh: '测量的请求数（默认：每个并发 25 个，或按速率 30 秒，且不少于 100；给出 --duration 时为该时间内到期的请求）',
      },
    },
    wholeNumber(1, 100_000_000),
  ),
  duration: one(
    {
      name: 'duration',
      value: 'TIME',
      help: { en: 'stop sending after this long, then drain', zh: '发送多长时间后停止并等待剩余请求完成' },
    },
    positiveDurationMs,
  ),
  concurrency: many(
    {
      name: 'concurrency',
      value: 'COUNT',
      help: {
        en: 'requests in flight (default: 1); with --rate the most in flight; a list in a sweep',
        zh: '并发数（默认：1）；与 --rate 同用时为上限；sweep 中可为列表',
      },
    },
    'comma',
    wholeNumber(1, 100_000),
  ),
  rate: many(
    {
      name: 'rate',
      value: 'PER_SEC',
      help: {
        en: 'open loop: requests that come due per second; a list in a sweep',
        zh: '开环：每秒到期的请求数；sweep 中可为列表',
      },
    },
    'comma',
    realNumber(0, 1e6, true),
  ),
  arrival: one(
    {
      name: 'arrival',
      value: 'PROCESS',
      help: {
        en: 'how open-loop requests come due: poisson (default), constant, uniform, gamma(0.5), trace, trace:FILE',
        zh: '开环到达过程：poisson（默认）、constant、uniform、gamma(0.5)、trace、trace:文件',
      },
    },
    arrivalWord,
  ),
  ramp: one(
    {
      name: 'ramp',
      value: 'SHAPE',
      help: {
        en: 'rate over time: 30s (rise to --rate, or in a closed loop to --concurrency), linear(1,20,60s), exponential(1,20,60s), steps(5,10,20,30s), spike(5,50,30s,5s), sine(10,5,60s)',
        zh: '速率随时间变化：30s（升至 --rate；闭环时升至 --concurrency）、linear(1,20,60s)、exponential(1,20,60s)、steps(5,10,20,30s)、spike(5,50,30s,5s)、sine(10,5,60s)',
      },
    },
    rampWord,
  ),
  speed: one(
    {
      name: 'speed',
      value: 'FACTOR',
      help: { en: 'of a replayed trace: 2 is twice as fast (default: 1)', zh: '回放轨迹的速度：2 为两倍（默认：1）' },
    },
    realNumber(0, 1e6, true),
  ),
  dropLate: flag({
    name: 'drop-late',
    help: {
      en: 'with --rate and --concurrency: drop what comes due while all slots are taken',
      zh: '与 --rate、--concurrency 同用：到期时并发已满则丢弃',
    },
  }),
  warmup: one<Warmup>(
    {
      name: 'warmup',
      value: 'COUNT|TIME',
      help: {
        en: 'requests (20, 0 for none) or time (10s) before measuring starts; as many as are in flight or more hand their slots over without a pause, others are drained first',
        zh: '测量前的预热：请求数（20，0 为不预热）或时长（10s）；不少于并发数时直接接续测量、不留空档，否则等预热全部完成',
      },
    },
    readWarmup,
  ),
  connectTimeout: one(
    {
      name: 'connect-timeout',
      value: 'TIME',
      help: { en: 'longest wait for a connection (default: 10s)', zh: '连接超时（默认：10s）' },
    },
    positiveDurationMs,
  ),
  ttftTimeout: one(
    {
      name: 'ttft-timeout',
      value: 'TIME',
      help: { en: 'longest wait for the first output (default: none)', zh: '首 token 超时（默认：无）' },
    },
    positiveDurationMs,
  ),
  readTimeout: one(
    {
      name: 'read-timeout',
      value: 'TIME',
      help: { en: 'longest silence between two reads (default: 300s)', zh: '两次读取间的最长间隔（默认：300s）' },
    },
    positiveDurationMs,
  ),
  timeout: one(
    {
      name: 'timeout',
      value: 'TIME',
      help: { en: 'longest whole request (default: 1h)', zh: '单个请求的总超时（默认：1h）' },
    },
    positiveDurationMs,
  ),
  ...limitWords,
  threads: one<number | 'auto'>(
    {
      name: 'threads',
      value: 'auto|COUNT',
      help: {
        en: 'load threads (default: auto, by concurrency, rate and cores)',
        zh: '负载线程数（默认：auto，按并发、速率和核数决定）',
      },
    },
    (text) => (text.trim() === 'auto' ? 'auto' : wholeNumber(1, 256)(text)),
  ),
  seed: one(
    {
      name: 'seed',
      value: 'NUMBER',
      help: { en: 'seed of everything random (default: 1)', zh: '随机种子（默认：1）' },
    },
    wholeNumber(0),
  ),
  devices: one(
    {
      name: 'devices',
      value: 'auto|none|always',
      help: {
        en: 'sample this host’s accelerators and CPUs during the run (default: auto, when the server is on this host)',
        zh: '运行期间采样本机加速卡与 CPU（默认 auto：服务器在本机时采样）',
      },
    },
    oneOf(['auto', 'none', 'always'] as const),
  ),
  metrics: one(
    {
      name: 'metrics',
      value: 'auto|none|URL',
      help: {
        en: 'scrape the server’s /metrics during the run (default: auto, beside the API)',
        zh: '运行期间抓取服务器 /metrics（默认 auto：与接口同址）',
      },
    },
    metricsPlace,
  ),
  label: one(
    {
      name: 'label',
      value: 'TEXT',
      help: { en: 'name of this run in lists and reports', zh: '本次运行在列表和报告中的名称' },
    },
    someText,
  ),
  ...askedWords,
  ...workerSettings,
  lenient: flag({ name: 'lenient', help: { en: 'exit 0 even when the run is not valid', zh: '即使结果无效也返回 0' } }),
  noText: flag({ name: 'no-text', help: { en: 'do not keep the answers', zh: '不保存回答文本' } }),
  noPreflight: flag({
    name: 'no-preflight',
    help: { en: 'do not ask the server one short question first', zh: '开始前不发送试探请求' },
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** Words that only a sweep takes. */
export const sweepSettings = {
  grid: many(
    {
      name: 'grid',
      value: 'NAME=LIST',
      help: {
        en: 'every pair of lengths: --grid input=100,500,1000 output=100,500; tokens of random text, characters of continuation',
        zh: '长度网格：--grid input=100,500,1000 output=100,500；随机文本以 token 计，continuation 以字符计',
      },
    },
    'repeat',
    gridWord,
  ),
  repeat: one(
    {
      name: 'repeat',
      value: 'COUNT',
      help: { en: 'measure every point so many times (default: 1)', zh: '每个测试点重复次数（默认：1）' },
    },
    wholeNumber(1, 1000),
  ),
  pause: one(
    {
      name: 'pause',
      value: 'TIME',
      help: { en: 'rest between points (default: 0s)', zh: '测试点之间的间隔（默认：0s）' },
    },
    positiveDurationMs,
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Words of a search for the largest load. */
export const findSettings = {
  find: one(
    {
      name: 'find',
      value: 'max',
      help: {
        en: 'largest load that keeps every --slo: --concurrency or --rate gives the range, such as 1,256 or 0.1,20',
        zh: '满足所有 --slo 的最大负载：范围由 --concurrency 或 --rate 给出，如 1,256 或 0.1,20',
      },
    },
    oneOf(['max'] as const),
  ),
  findRuns: one(
    {
      name: 'find-runs',
      value: 'COUNT',
      help: {
        en: 'most runs of --find, confirmations among them (default: 16; simulated: 60)',
        zh: '--find 的最多运行次数，含确认（默认：16；模拟时 60）',
      },
    },
    wholeNumber(3, 1000),
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Settings of a sweep as read. */
export type SweepSettings = Words<typeof sweepSettings>;

/** Settings of a search as read. */
export type FindSettings = Words<typeof findSettings>;

function metricsPlace(text: string): string {
  const word = text.trim();
  if (word === 'auto' || word === 'none' || /^https?:\/\/\S+$/i.test(word)) return word;
  throw new BadValue(
    { en: `"${word}" is neither auto, none nor a URL`, zh: `"${word}" 不是 auto、none 或 URL` },
    { en: 'Write http://HOST:PORT/metrics.', zh: '请写 http://主机:端口/metrics。' },
  );
}

function readWarmup(text: string): Warmup {
  return /^\d+$/.test(text.trim())
    ? { requests: wholeNumber(0, 1_000_000)(text) }
    : { forMs: positiveDurationMs(text) };
}
