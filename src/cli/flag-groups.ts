import type { Phrase } from '../core/index.ts';

/** A part of a long list of flags. */
interface FlagGroup {
  title: Phrase;
  flags: readonly string[];
}

/** Flags of load tests in the order in which people ask for them; what stands nowhere here belongs to its command alone. */
export const flagGroups: readonly FlagGroup[] = [
  {
    title: { en: 'Load', zh: '负载' },
    flags:
      'concurrency rate requests duration warmup arrival ramp speed drop-late grid repeat pause find find-runs sessions think-time'.split(
        ' ',
      ),
  },
  {
    title: { en: 'Data', zh: '数据' },
    flags:
      'dataset input-tokens output-tokens max-tokens min-tokens ignore-eos field shuffle same-prompts prompt-seed seed tokenizer context-tokens template keep-reasoning stop temperature body'.split(
        ' ',
      ),
  },
  {
    title: { en: 'Limits and promises', zh: '限制与承诺' },
    flags: 'slo fail-if lenient stop-when limit retry connect-timeout ttft-timeout read-timeout timeout'.split(' '),
  },
  {
    title: { en: 'Server', zh: '服务器' },
    flags:
      'url model api key-env header no-stream insecure ca cert cert-key wire proxy spread also-at no-preflight flush-cache metrics devices'.split(
        ' ',
      ),
  },
  {
    title: { en: 'Output', zh: '输出' },
    flags: 'all label variant set tags resume no-text per-worker out as cards price-per-hour power'.split(' '),
  },
  {
    title: { en: 'Many threads and machines', zh: '多线程与多机' },
    flags: 'threads workers min-workers wait-workers queue redis-wait resend clear-queue'.split(' '),
  },
];

/** A flag as the first screen of help says it, in one line of a terminal; a search means its load flags as a range. */
interface MostUsed {
  flag: string;
  says: Phrase;
  find?: { value?: string; says: Phrase };
}

/** What most people need of a load test. */
export const mostUsedFlags: readonly MostUsed[] = [
  {
    flag: 'model',
    says: { en: "model to ask for (default: the server's first)", zh: '模型名称（默认：服务器列出的第一个）' },
  },
  {
    flag: 'concurrency',
    says: { en: 'requests in flight; a list in a sweep: 8,16,32', zh: '并发数；sweep 中可为列表：8,16,32' },
    find: {
      value: 'LEAST,MOST',
      says: { en: 'users between these two (default: any)', zh: '并发的搜索范围（默认：不限）' },
    },
  },
  {
    flag: 'rate',
    says: { en: 'open loop: requests that come due per second', zh: '开环：每秒到期的请求数' },
    find: {
      value: 'LEAST,MOST',
      says: { en: 'requests/s instead of users, between these', zh: '改为搜索每秒请求数的范围' },
    },
  },
  {
    flag: 'requests',
    says: { en: 'measured requests', zh: '测量的请求数' },
    find: {
      says: { en: 'requests of each probe (default: 6 for each user)', zh: '每次探测的请求数（默认：每并发 6 个）' },
    },
  },
  {
    flag: 'duration',
    says: { en: 'stop sending after this long, then drain', zh: '发送多长时间后停止并等待剩余请求完成' },
    find: { says: { en: 'how long each probe lasts', zh: '每次探测的时长' } },
  },
  {
    flag: 'input-tokens',
    says: { en: 'prompt lengths: 512, 100..500, normal(512,64)', zh: '提示词长度：512、100..500、normal(512,64)' },
  },
  { flag: 'output-tokens', says: { en: 'answer lengths, written the same way', zh: '回答长度，写法相同' } },
  {
    flag: 'dataset',
    says: { en: 'your own prompts: openqa:FILE, sharegpt:FILE …', zh: '自己的提示词：openqa:文件、sharegpt:文件 …' },
  },
  {
    flag: 'slo',
    says: { en: "promise told kept or broken: 'ttft.p99<500ms'", zh: "承诺，逐条给出达标/未达标：'ttft.p99<500ms'" },
  },
  { flag: 'key-env', says: { en: 'environment variable that holds the API key', zh: '存放 API 密钥的环境变量名' } },
];
