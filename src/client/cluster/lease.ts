import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { jsonIn, membersOf, printable, userError, UserError } from '../../core/index.ts';
import type { Redis } from './redis.ts';
import type { QueueKeys } from './keys.ts';
import { shown } from './redis.ts';
import type { RedisPlace } from './redis.ts';

/** Who controls a queue, as it stands in Redis. */
export interface Controlling {
  id: string;
  host: string;
  pid: number;
  llmdyno: string;
}

/** The right to control a queue; one at a time has it. */
export interface Lease {
  /** 'taken': another controller has it. 'empty': Redis lost what it held. */
  lost: Promise<'taken' | 'empty'>;
  release(): Promise<void>;
}

const leaseMs = 10_000;
const renewEveryMs = 2000;

const renewScript = `
local now = redis.call('GET', KEYS[1])
if now and now ~= ARGV[1] then return 'taken' end
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[2]) == 0 then return 'empty' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'held'
`;
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** Takes control of a queue, or says who has it. `running` tells whether the queue must hold a run of ours. */
export async function takeLease(
  place: RedisPlace,
  queue: string,
  parts: { redis: Redis; keys: QueueKeys; version: string; waitForDead: boolean; running(): boolean },
): Promise<Lease> {
  const { redis, keys } = parts;
  const id = randomBytes(8).toString('hex');
  const me: Controlling = { id, host: hostname(), pid: process.pid, llmdyno: parts.version };
  const mine = JSON.stringify(me);
  const deadlineMs = performance.now() + leaseMs + 1000;
  while ((await redis.set(keys.controller, mine, 'PX', leaseMs, 'NX')) === null) {
    const text = await redis.get(keys.controller);
    const other = text === null ? null : controllingIn(text);
    if (other === null) continue;
    if (isDead(other)) await redis.eval(releaseScript, 1, keys.controller, text!);
    else if (!parts.waitForDead || performance.now() > deadlineMs) throw busy(place, queue, other);
    else await new Promise((resolve) => setTimeout(resolve, 200));
  }
  let tell: (why: 'taken' | 'empty') => void = () => {};
  const lost = new Promise<'taken' | 'empty'>((resolve) => {
    tell = resolve;
  });
  const renew = async (): Promise<void> => {
    const word = await redis
      .eval(renewScript, 2, keys.controller, keys.run, mine, leaseMs, parts.running() ? '1' : '0')
      .catch(() => 'held');
    if (word === 'taken' || word === 'empty') tell(word);
  };
  const timer = setInterval(() => void renew(), renewEveryMs);
  return {
    lost,
    async release() {
      clearInterval(timer);
      if (redis.status === 'ready') await redis.eval(releaseScript, 1, keys.controller, mine).catch(() => {});
    },
  };
}

/** The controller that the key names, made printable because anybody may have written the key. */
export function controllingIn(text: string): Controlling {
  const { id, host, pid, llmdyno } = membersOf(jsonIn(text));
  return { id: String(id), host: printable(String(host)), pid: Number(pid), llmdyno: printable(String(llmdyno)) };
}

/** A controller of this host whose process is gone; of another host nothing is known before its time is up. */
function isDead({ host, pid }: Controlling): boolean {
  if (host !== hostname() || pid === process.pid || !(Number.isInteger(pid) && pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function busy(place: RedisPlace, queue: string, other: Controlling): UserError {
  return userError(
    'queue-busy',
    `queue "${queue}" at ${shown(place)} is in use by a run on ${other.host} (process ${other.pid}, llmdyno ${other.llmdyno})`,
    `${shown(place)} 的队列 "${queue}" 正被 ${other.host} 上的运行使用（进程 ${other.pid}，llmdyno ${other.llmdyno}）`,
    'Wait for it to end, or give workers and run a queue of their own: --queue NAME on both.',
    '请等待其结束，或让 worker 与本次运行使用另一队列：两边都加 --queue 名称。',
    '--workers',
  );
}
