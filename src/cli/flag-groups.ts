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

/** What most people need of a load test. */
export const mostUsedFlags: readonly string[] = [
  'model',
  'concurrency',
  'rate',
  'requests',
  'duration',
  'input-tokens',
  'output-tokens',
  'dataset',
  'slo',
  'key-env',
];
