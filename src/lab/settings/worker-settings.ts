import { userError } from '../../core/index.ts';
import { positiveDurationMs, someText, wholeNumber } from './readers.ts';
import { flag, one } from './setting.ts';
import type { Setting } from './setting.ts';

/** Load from many machines: where the workers are, and what happens when one is lost. They are part of planSettings. */
export const workerSettings = {
  workers: one(
    'workers redis://HOST:PORT',
    someText,
    'let the machines that run `dyno worker redis://HOST:PORT` do it; password from DYNO_REDIS_PASSWORD',
    '由运行 `dyno worker redis://主机:端口` 的机器执行；密码取自 DYNO_REDIS_PASSWORD',
  ),
  minWorkers: one(
    'min-workers COUNT',
    wholeNumber(1, 10_000),
    'wait until so many workers are there (default: 1)',
    '等到有这么多 worker 才开始（默认：1）',
  ),
  waitWorkers: one(
    'wait-workers TIME',
    positiveDurationMs,
    'how long to wait for them (default: 60s)',
    '等待 worker 的时间（默认：60s）',
  ),
  queue: one(
    'queue NAME',
    queueName,
    'queue of the workers: one run at a time uses it (default: dyno)',
    'worker 所在队列：同一时间只供一次运行使用（默认：dyno）',
  ),
  redisWait: one(
    'redis-wait TIME',
    positiveDurationMs,
    'how long Redis may be away before the run ends without it (default: 30s)',
    'Redis 失联多久后结束运行（默认：30s）',
  ),
  resend: flag(
    'resend',
    'send the requests of a lost worker again (they may then be answered twice); default: count them as lost',
    '重新发送丢失 worker 的请求（服务器可能处理两次）；默认计为丢失',
  ),
  clearQueue: flag('clear-queue', 'throw away what an older run left in the queue', '丢弃较早运行遗留在队列中的内容'),
} as const satisfies Record<string, Setting<unknown>>;

/** Queue names stand in keys of Redis. */
export function queueName(text: string): string {
  const word = text.trim();
  if (/^[\w.-]{1,64}$/.test(word)) return word;
  throw userError(
    'bad-value',
    `"${word}" is not a name for a queue`,
    `"${word}" 不能作为队列名`,
    'Use up to 64 letters, digits, dots, dashes.',
    '请用不超过 64 个字母、数字、点或连字符。',
  );
}
