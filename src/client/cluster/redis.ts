import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { exitCodes, mistake, printable, UserError, userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';

/** Where a Redis or Valkey is and how to get in; the password comes from the environment, never from argv. */
export interface RedisPlace {
  url: string;
  user: string | null;
  password: string | null;
  /** PEM file of the authority behind rediss://; null = those that Node trusts. */
  ca: string | null;
}

export type { Redis };

const connectMs = 5000;
/** A Redis that is asked for by a person answers sooner or is taken for absent. */
const checkMs = 3000;
/** A connection on which nothing answers for so long is given up and made anew; blocking reads answer more often. */
const silentMs = 4000;

/** How long to wait for a Redis that is away; asked at each try. Where it is left out, as in workers, the wait has no end. */
export type Patience = () => number;

/** The options of every connection, ours and BullMQ's: they wait for Redis to come back rather than fail. */
export function redisOptions(
  place: RedisPlace,
  { flag, patienceMs = () => Infinity }: { flag?: string; patienceMs?: Patience } = {},
): Omit<RedisOptions, 'replyMapping'> {
  const url = readUrl(place.url, flag);
  let awaySinceMs = 0;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
    port: url.port === '' ? 6379 : Number(url.port),
    db: Number(url.pathname.replace(/^\//, '') || 0),
    ...(place.user !== null && { username: place.user }),
    ...(place.password !== null && { password: place.password }),
    ...(url.protocol === 'rediss:' && {
      tls: {
        ...(isIP(url.hostname) === 0 && { servername: url.hostname }),
        ...(place.ca !== null && { ca: readAuthority(place.ca) }),
      },
    }),
    connectTimeout: connectMs,
    socketTimeout: silentMs,
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    retryStrategy: (times) => {
      const nowMs = performance.now();
      if (times === 1) awaySinceMs = nowMs;
      // Given up: the connection ends, and every command that waits in it fails.
      return nowMs - awaySinceMs >= patienceMs() ? null : Math.min(50 * times, 500);
    },
  };
}

/** Whether a command failed because its connection was given up. */
export function isGivenUp(failure: unknown): boolean {
  return failure instanceof Error && failure.message.startsWith('Connection is closed');
}

/** What Redis answers; where it went away and was given up, the user is told so. */
export async function answered<T>(place: RedisPlace, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (failure) {
    throw isGivenUp(failure) ? wentAway(place) : failure;
  }
}

/** Redis was there and is not any more, before anything was done with it. */
export function wentAway(place: RedisPlace): UserError {
  return new UserError(
    mistake(
      'redis-gone',
      `Redis at ${shown(place)} answered and then went away`,
      `${shown(place)} 的 Redis 曾有响应，随后失联`,
      'See that it runs and stays, then start again; --redis-wait says how long it may be away. A run that was under way goes on with --resume where Redis keeps its data (`--appendonly yes`).',
      '请确认其持续运行后重试；--redis-wait 指定可失联多久。若 Redis 保留数据（`--appendonly yes`），进行中的运行可用 --resume 继续。',
      '--workers',
    ),
    exitCodes.unreachable,
  );
}

function readAuthority(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw userError(
      'bad-redis-ca',
      `DYNO_REDIS_CA names a file that cannot be read: ${printable((error as Error).message)}`,
      `DYNO_REDIS_CA 指定的文件无法读取：${printable((error as Error).message)}`,
      'Give the PEM file of the authority that signed the certificate of Redis, or unset it.',
      '请给出签发 Redis 证书的机构的 PEM 文件，或取消该环境变量。',
    );
  }
}

/** A connection that lasts; losses are mended in silence, so listen to 'close' and 'ready'. */
export function openRedis(place: RedisPlace, patienceMs?: Patience): Redis {
  const redis = new Redis(redisOptions(place, patienceMs === undefined ? {} : { patienceMs }));
  redis.on('error', () => {});
  return redis;
}

/** Connects once and asks a question; whatever is wrong is a UserError that says how to mend it. */
export async function checkRedis(place: RedisPlace, flag: string): Promise<void> {
  const redis = new Redis({
    ...redisOptions(place, { flag }),
    connectTimeout: checkMs,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // What a socket met comes as an event; the failed command then only says that the connection is closed.
  const heard: Error[] = [];
  redis.on('error', (error) => heard.push(error));
  try {
    await redis.connect();
    await redis.ping();
    await checkVersion(redis, place);
  } catch (failure) {
    if (failure instanceof UserError) throw failure;
    const plain = readUrl(place.url).protocol === 'rediss:' && (await speaksPlain(place));
    throw redisError(place, [...heard, failure as Error], plain, flag);
  } finally {
    redis.disconnect();
  }
}

/** Whether a Redis without TLS answers there: to a TLS hello such a one says nothing at all. */
function speaksPlain(place: RedisPlace): Promise<boolean> {
  const { host, port } = redisOptions(place);
  return new Promise((resolve) => {
    const socket = connect({ host: host!, port: port! });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => end(false));
    socket.on('error', () => end(false));
    socket.on('connect', () => socket.write('PING\r\n'));
    socket.on('data', (piece) => end(/^[+-]/.test(piece.toString('latin1'))));
  });
}

async function checkVersion(redis: Redis, place: RedisPlace): Promise<void> {
  const info = await redis.info('server');
  const version = /redis_version:(\d+)\.(\d+)/.exec(info);
  if (version === null || Number(version[1]) >= 6) return;
  throw userError(
    'redis-too-old',
    `${shown(place)} is Redis ${version[1]}.${version[2]}; at least 6.2 is needed`,
    `${shown(place)} 是 Redis ${version[1]}.${version[2]}，至少需要 6.2`,
    'Use a newer Redis, or Valkey.',
    '请使用更新的 Redis 或 Valkey。',
    '--workers',
  );
}

/** The address without what may be secret. */
export function shown(place: RedisPlace): string {
  const { protocol, host, pathname } = readUrl(place.url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** Reads the address; a password in it would stand in the list of processes. */
export function readUrl(text: string, flag = '--workers'): URL {
  let url: URL | null = null;
  try {
    url = new URL(text);
  } catch {}
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:'))
    throw userError(
      'bad-redis-url',
      `"${printable(text)}" is not the address of a Redis`,
      `"${printable(text)}" 不是 Redis 地址`,
      'Write redis://HOST:6379, or rediss:// for TLS.',
      '请写 redis://主机:6379；TLS 用 rediss://。',
      flag,
    );
  if (url.password !== '' || url.username !== '')
    throw userError(
      'password-in-argv',
      'a password on the command line can be read by everyone on this host',
      '命令行中的密码可被本机所有人看到',
      'Leave it out of the address and set DYNO_REDIS_PASSWORD (and DYNO_REDIS_USER).',
      '请从地址中去掉，改设环境变量 DYNO_REDIS_PASSWORD（以及 DYNO_REDIS_USER）。',
      flag,
    );
  return url;
}

/** What stood in the way, in words that help. */
function redisError(place: RedisPlace, errors: readonly Error[], plain: boolean, flag: string): UserError {
  const text = errors.map((error) => `${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}`).join(' ');
  const where = shown(place);
  // What comes after the first only says that the connection is closed.
  const cause = first(errors[0]?.message ?? text);
  const tls = readUrl(place.url).protocol === 'rediss:';
  if (/NOAUTH|WRONGPASS|invalid password|invalid username|AUTH.*without any password/i.test(text))
    return userError(
      'redis-password',
      `${where} does not accept the user or password`,
      `${where} 拒绝了用户名或密码`,
      'Set DYNO_REDIS_PASSWORD (and DYNO_REDIS_USER where the server has users); leave both unset for a server without a password.',
      '请设置 DYNO_REDIS_PASSWORD（有用户名时还有 DYNO_REDIS_USER）；服务器无密码时不要设置。',
      flag,
    );
  if (tls && /self.signed|unable to (get|verify)|certificate|altname/i.test(text))
    return userError(
      'redis-tls',
      `the certificate of ${where} is not trusted: ${cause}`,
      `不信任 ${where} 的证书：${cause}`,
      'Set DYNO_REDIS_CA to the PEM file of its authority.',
      '请将 DYNO_REDIS_CA 设为其签发机构的 PEM 文件。',
      flag,
    );
  if (plain || (tls && /wrong version|packet length|disconnected before secure/i.test(text)))
    return userError(
      'redis-tls',
      `${where} does not speak TLS`,
      `${where} 不使用 TLS`,
      'Write redis:// instead of rediss://, or give the TLS port.',
      '请把 rediss:// 改为 redis://，或给出 TLS 端口。',
      flag,
    );
  if (
    !tls &&
    /protocol error|parser|Connection is closed|ECONNRESET|EPIPE/i.test(text) &&
    !/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/.test(text)
  )
    return userError(
      'redis-tls',
      `${where} answers, but not as a Redis without TLS does`,
      `${where} 有响应，但不像未启用 TLS 的 Redis`,
      'Write rediss:// (worker: --tls) if it speaks TLS; else check the port.',
      '若启用了 TLS，请写 rediss://（worker 用 --tls）；否则请检查端口。',
      flag,
    );
  const known = Object.entries(absences).find(([code]) => text.includes(code))?.[1];
  return new UserError(
    mistake(
      'no-redis',
      `no Redis at ${where}: ${known?.en ?? cause}`,
      `${where} 没有 Redis：${known?.zh ?? cause}`,
      'Start one (`redis-server --appendonly yes`, `docker run -p 6379:6379 redis`, or Valkey), and check the address.',
      '请启动一个（`redis-server --appendonly yes`、`docker run -p 6379:6379 redis` 或 Valkey），并检查地址。',
      flag,
    ),
    exitCodes.unreachable,
  );
}

/** Why nobody answers, by the system's word for it. */
const absences: Readonly<Record<string, Phrase>> = {
  ECONNREFUSED: { en: 'nothing listens there (ECONNREFUSED)', zh: '该端口无服务监听（ECONNREFUSED）' },
  ENOTFOUND: { en: 'the name of the host is not known (ENOTFOUND)', zh: '无法解析主机名（ENOTFOUND）' },
  EAI_AGAIN: { en: 'the name of the host cannot be looked up now (EAI_AGAIN)', zh: '暂时无法解析主机名（EAI_AGAIN）' },
  EHOSTUNREACH: { en: 'the host cannot be reached (EHOSTUNREACH)', zh: '无法到达该主机（EHOSTUNREACH）' },
  ENETUNREACH: { en: 'its network cannot be reached (ENETUNREACH)', zh: '无法到达其网络（ENETUNREACH）' },
  ETIMEDOUT: { en: 'it does not answer (ETIMEDOUT)', zh: '没有响应（ETIMEDOUT）' },
};

function first(text: string): string {
  return printable(text).slice(0, 160);
}
