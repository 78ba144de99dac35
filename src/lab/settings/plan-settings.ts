import { apiNames, userError } from '../../core/index.ts';
import type { Warmup } from '../../core/index.ts';
import { readArrival, readRamp } from './arrival-setting.ts';
import { readGridSide } from './grid-setting.ts';
import {
  anyText,
  header,
  jsonObject,
  oneOf,
  positiveDurationMs,
  realNumber,
  someText,
  wholeNumber,
} from './readers.ts';
import type { SettingsOf } from './read-vocabulary.ts';
import { flag, list, many, one } from './setting.ts';
import type { Setting } from './setting.ts';
import { reachSettings } from './reach-settings.ts';
import { limitSettings } from './limit-settings.ts';
import { workerSettings } from './worker-settings.ts';
import { workloadSettings } from './workload-settings.ts';

/** What a point is called beside its load and lengths: told by who runs it, because a client cannot see it. They are part of planSettings. */
const askedSettings = {
  variant: one(
    'variant NAME',
    someText,
    'which of several ways of running the same thing this is (a binding, a build): a column, and SWEEP[variant=NAME]',
    '同一服务的哪种运行方式（绑核、版本等）：作为一列，并可用 SWEEP[variant=NAME] 引用',
  ),
  set: many(
    'set NAME=VALUE',
    serverSetting,
    'a setting that the server was started with, under its own name (max_num_seqs=64): kept with the result, not sent; repeatable',
    '服务器启动时的设置，用其自身名称（max_num_seqs=64）：随结果保存，不发送；可重复',
  ),
};

function serverSetting(text: string): readonly [name: string, value: string] {
  const match = /^\s*([A-Za-z][\w.[\]-]{0,99})\s*=\s*(.{1,200}?)\s*$/.exec(text);
  if (match !== null) return [match[1]!, match[2]!];
  throw userError(
    'bad-value',
    `"${text.slice(0, 60)}" is no setting`,
    `"${text.slice(0, 60)}" 不是有效的设置`,
    'Write NAME=VALUE, such as --set max_num_seqs=64.',
    '请写 名称=值，如 --set max_num_seqs=64。',
  );
}

/** Every setting of a run, a sweep or a simulation: the one place its name, meaning and limits are written. */
export const planSettings = {
  url: one(
    'url URL',
    someText,
    'address of the server, when it does not stand first',
    '服务器地址（未作为第一个参数给出时）',
  ),
  model: one(
    'model NAME',
    someText,
    "model to ask for (default: the server's first)",
    '模型名称（默认：服务器列出的第一个）',
  ),
  api: one(
    'api NAME',
    oneOf(apiNames),
    `wire to speak: ${apiNames.join(', ')} (default: guessed from the URL)`,
    `接口类型：${apiNames.join('、')}（默认：由 URL 判断）`,
  ),
  keyEnv: one('key-env VARIABLE', someText, 'environment variable that holds the API key', '存放 API 密钥的环境变量名'),
  header: many(
    'header NAME: VALUE',
    header,
    "extra request header; 'Name: env:VARIABLE' keeps a secret out of the command line",
    "附加请求头；'Name: env:变量名' 可避免密钥出现在命令行中",
  ),
  ...reachSettings,
  insecure: flag('insecure', 'accept any TLS certificate', '接受任意 TLS 证书'),
  ...workloadSettings,
  maxTokens: one(
    'max-tokens COUNT',
    wholeNumber(1),
    "longest answer, in tokens (default: the server's)",
    '回答的最大 token 数（默认：由服务器决定）',
  ),
  minTokens: one(
    'min-tokens COUNT',
    wholeNumber(0),
    'shortest answer, in tokens (vLLM, SGLang)',
    '回答的最小 token 数（vLLM、SGLang）',
  ),
  temperature: one(
    'temperature NUMBER',
    realNumber(0, 10),
    "sampling temperature (default: the server's)",
    '采样温度（默认：由服务器决定）',
  ),
  ignoreEos: flag(
    'ignore-eos',
    'generate up to max-tokens whatever the model says',
    '忽略结束符，始终生成到 max-tokens',
  ),
  stop: many('stop TEXT', anyText, 'text that ends an answer', '停止词'),
  body: one('body JSON', jsonObject, 'fields put into every request body as they are', '原样加入每个请求体的字段'),
  noStream: flag(
    'no-stream',
    'ask for whole answers (TTFT and gaps are then not measurable)',
    '非流式请求（此时无法测量 TTFT 和 token 间隔）',
  ),
  requests: one(
    'requests COUNT',
    wholeNumber(1, 100_000_000),
    'measured requests (default: 25 for each in flight, or 30 s of the rate, and 100 at least; with --duration as many as come due)',
    '测量的请求数（默认：每个并发 25 个，或按速率 30 秒，且不少于 100；给出 --duration 时为该时间内到期的请求）',
    { short: 'n' },
  ),
  duration: one(
    'duration TIME',
    positiveDurationMs,
    'stop sending after this long, then drain',
    '发送多长时间后停止并等待剩余请求完成',
  ),
  concurrency: list(
    'concurrency COUNT',
    wholeNumber(1, 100_000),
    'requests in flight (default: 1); with --rate the most in flight; a list in a sweep',
    '并发数（默认：1）；与 --rate 同用时为上限；sweep 中可为列表',
  ),
  rate: list(
    'rate PER_SEC',
    realNumber(0, 1e6, true),
    'open loop: requests that come due per second; a list in a sweep',
    '开环：每秒到期的请求数；sweep 中可为列表',
  ),
  arrival: one(
    'arrival PROCESS',
    readArrival,
    'how open-loop requests come due: poisson (default), constant, uniform, gamma(0.5), trace, trace:FILE',
    '开环到达过程：poisson（默认）、constant、uniform、gamma(0.5)、trace、trace:文件',
  ),
  ramp: one(
    'ramp SHAPE',
    readRamp,
    'rate over time: 30s (rise to --rate, or in a closed loop to --concurrency), linear(1,20,60s), exponential(1,20,60s), steps(5,10,20,30s), spike(5,50,30s,5s), sine(10,5,60s)',
    '速率随时间变化：30s（升至 --rate；闭环时升至 --concurrency）、linear(1,20,60s)、exponential(1,20,60s)、steps(5,10,20,30s)、spike(5,50,30s,5s)、sine(10,5,60s)',
  ),
  speed: one(
    'speed FACTOR',
    realNumber(0, 1e6, true),
    'of a replayed trace: 2 is twice as fast (default: 1)',
    '回放轨迹的速度：2 为两倍（默认：1）',
  ),
  dropLate: flag(
    'drop-late',
    'with --rate and --concurrency: drop what comes due while all slots are taken',
    '与 --rate、--concurrency 同用：到期时并发已满则丢弃',
  ),
  warmup: one<Warmup>(
    'warmup COUNT|TIME',
    readWarmup,
    'requests (20, 0 for none) or time (10s) before measuring starts; as many as are in flight or more hand their slots over without a pause, others are drained first',
    '测量前的预热：请求数（20，0 为不预热）或时长（10s）；不少于并发数时直接接续测量、不留空档，否则等预热全部完成',
  ),
  connectTimeout: one(
    'connect-timeout TIME',
    positiveDurationMs,
    'longest wait for a connection (default: 10s)',
    '连接超时（默认：10s）',
  ),
  ttftTimeout: one(
    'ttft-timeout TIME',
    positiveDurationMs,
    'longest wait for the first output (default: none)',
    '首 token 超时（默认：无）',
  ),
  readTimeout: one(
    'read-timeout TIME',
    positiveDurationMs,
    'longest silence between two reads (default: 300s)',
    '两次读取间的最长间隔（默认：300s）',
  ),
  timeout: one(
    'timeout TIME',
    positiveDurationMs,
    'longest whole request (default: 1h)',
    '单个请求的总超时（默认：1h）',
  ),
  ...limitSettings,
  threads: one<number | 'auto'>(
    'threads auto|COUNT',
    (text) => (text.trim() === 'auto' ? 'auto' : wholeNumber(1, 256)(text)),
    'load threads (default: auto, by concurrency, rate and cores)',
    '负载线程数（默认：auto，按并发、速率和核数决定）',
  ),
  seed: one('seed NUMBER', wholeNumber(0), 'seed of everything random (default: 1)', '随机种子（默认：1）'),
  devices: one(
    'devices auto|none|always',
    oneOf(['auto', 'none', 'always']),
    'sample this host’s accelerators and CPUs during the run (default: auto, when the server is on this host)',
    '运行期间采样本机加速卡与 CPU（默认 auto：服务器在本机时采样）',
  ),
  metrics: one(
    'metrics auto|none|URL',
    metricsPlace,
    'scrape the server’s /metrics during the run (default: auto, beside the API)',
    '运行期间抓取服务器 /metrics（默认 auto：与接口同址）',
  ),
  label: one('label TEXT', someText, 'name of this run in lists and reports', '本次运行在列表和报告中的名称'),
  ...askedSettings,
  ...workerSettings,
  lenient: flag('lenient', 'exit 0 even when the run is not valid', '即使结果无效也返回 0'),
  noText: flag('no-text', 'do not keep the answers', '不保存回答文本'),
  noPreflight: flag('no-preflight', 'do not ask the server one short question first', '开始前不发送试探请求'),
} as const satisfies Record<string, Setting<unknown>>;

/** Settings that only a sweep takes. */
export const sweepSettings = {
  grid: many(
    'grid NAME=LIST',
    readGridSide,
    'every pair of lengths: --grid input=100,500,1000 output=100,500; tokens of random text, characters of continuation',
    '长度网格：--grid input=100,500,1000 output=100,500；随机文本以 token 计，continuation 以字符计',
  ),
  repeat: one(
    'repeat COUNT',
    wholeNumber(1, 1000),
    'measure every point so many times (default: 1)',
    '每个测试点重复次数（默认：1）',
  ),
  pause: one('pause TIME', positiveDurationMs, 'rest between points (default: 0s)', '测试点之间的间隔（默认：0s）'),
} as const satisfies Record<string, Setting<unknown>>;

/** Settings of a search for the largest load. */
export const findSettings = {
  find: one(
    'find max',
    oneOf(['max']),
    'largest load that keeps every --slo: --concurrency or --rate gives the range, such as 1,256 or 0.1,20',
    '满足所有 --slo 的最大负载：范围由 --concurrency 或 --rate 给出，如 1,256 或 0.1,20',
  ),
  findRuns: one(
    'find-runs COUNT',
    wholeNumber(3, 1000),
    'most runs of --find, confirmations among them (default: 16; simulated: 60)',
    '--find 的最多运行次数，含确认（默认：16；模拟时 60）',
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Settings of a sweep as read. */
export type SweepSettings = SettingsOf<typeof sweepSettings>;

/** Settings of a search as read. */
export type FindSettings = SettingsOf<typeof findSettings>;

function metricsPlace(text: string): string {
  const word = text.trim();
  if (word === 'auto' || word === 'none' || /^https?:\/\/\S+$/i.test(word)) return word;
  throw userError(
    'bad-value',
    `"${word}" is neither auto, none nor a URL`,
    `"${word}" 不是 auto、none 或 URL`,
    'Write http://HOST:PORT/metrics.',
    '请写 http://主机:端口/metrics。',
  );
}

function readWarmup(text: string): Warmup {
  return /^\d+$/.test(text.trim())
    ? { requests: wholeNumber(0, 1_000_000)(text) }
    : { forMs: positiveDurationMs(text) };
}
