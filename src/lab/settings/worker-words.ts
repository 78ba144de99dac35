import { positiveDurationMs, someText, wholeNumber } from './readers.ts';
import { BadValue, flag, one } from './setting.ts';
import type { Setting } from './setting.ts';

/** Load from many machines: where the workers are, and what happens when one is lost. They are part of planSettings. */
export const workerSettings = {
  workers: one(
    {
      name: 'workers',
      value: 'redis://HOST:PORT',
      help: {
        en: 'let the machines that run `dyno worker redis://HOST:PORT` do it; password from DYNO_REDIS_PASSWORD',
        zh: '由运行 `dyno worker redis://主机:端口` 的机器执行；密码取自 DYNO_REDIS_PASSWORD',
      },
    },
    someText,
  ),
  minWorkers: one(
    {
      name: 'min-workers',
      value: 'COUNT',
      help: { en: 'wait until so many workers are there (default: 1)', zh: '等到有这么多 worker 才开始（默认：1）' },
    },
    wholeNumber(1, 10_000),
  ),
  waitWorkers: one(
    {
      name: 'wait-workers',
      value: 'TIME',
      help: { en: 'how long to wait for them (default: 60s)', zh: '等待 worker 的时间（默认：60s）' },
    },
    positiveDurationMs,
  ),
  queue: one(
    {
      name: 'queue',
      value: 'NAME',
      help: {
        en: 'queue of the workers: one run at a time uses it (default: dyno)',
        zh: 'worker 所在队列：同一时间只供一次运行使用（默认：dyno）',
      },
    },
    queueName,
  ),
  redisWait: one(
    {
      name: 'redis-wait',
      value: 'TIME',
      help: {
        en: 'how long Redis may be away before the run ends without it (default: 30s)',
        zh: 'Redis 失联多久后结束运行（默认：30s）',
      },
    },
    positiveDurationMs,
  ),
  resend: flag({
    name: 'resend',
    help: {
      en: 'send the requests of a lost worker again (they may then be answered twice); default: count them as lost',
      zh: '重新发送丢失 worker 的请求（服务器可能处理两次）；默认计为丢失',
    },
  }),
  clearQueue: flag({
    name: 'clear-queue',
    help: { en: 'throw away what an older run left in the queue', zh: '丢弃较早运行遗留在队列中的内容' },
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** Queue names stand in keys of Redis. */
export function queueName(text: string): string {
  const word = text.trim();
  if (/^[\w.-]{1,64}$/.test(word)) return word;
  throw new BadValue(
    { en: `"${word}" is not a name for a queue`, zh: `"${word}" 不能作为队列名` },
    { en: 'Use up to 64 letters, digits, dots, dashes.', zh: '请用不超过 64 个字母、数字、点或连字符。' },
  );
}
