import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { exitCodes, printable, UserError } from '../../core/index.ts';
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

/** The options of every connection, ours and BullMQ's: they wait for Redis to come back rather than fail. */
export function redisOptions(place: RedisPlace, flag?: string): Omit<RedisOptions, 'replyMapping'> {
  const url = readUrl(place.url, flag);
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
    retryStrategy: (times) => Math.min(50 * times, 500),
  };
}

function readAuthority(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UserError({
      code: 'bad-redis-ca',
      message: {
        en: `DYNO_REDIS_CA names a file that cannot be read: ${printable((error as Error).message)}`,
        zh: `DYNO_REDIS_CA 指定的文件无法读取：${printable((error as Error).message)}`,
      },
      hint: {
        en: 'Give the PEM file of the authority that signed the certificate of Redis, or unset it.',
        zh: '请给出签发 Redis 证书的机构的 PEM 文件，或取消该环境变量。',
      },
    });
  }
}

/** A connection that lasts; losses are mended in silence, so listen to 'close' and 'ready'. */
export function openRedis(place: RedisPlace): Redis {
  const redis = new Redis(redisOptions(place));
  redis.on('error', () => {});
  return redis;
}

/** Connects once and asks a question; whatever is wrong is a UserError that says how to mend it. */
export async function checkRedis(place: RedisPlace, flag: string): Promise<void> {
  const redis = new Redis({
    ...redisOptions(place, flag),
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
  throw mistake(
    'redis-too-old',
    {
      en: `${shown(place)} is Redis ${version[1]}.${version[2]}; at least 6.2 is needed`,
      zh: `${shown(place)} 是 Redis ${version[1]}.${version[2]}，至少需要 6.2`,
    },
    { en: 'Use a newer Redis, or Valkey.', zh: '请使用更新的 Redis 或 Valkey。' },
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
    throw mistake(
      'bad-redis-url',
      { en: `"${printable(text)}" is not the address of a Redis`, zh: `"${printable(text)}" 不是 Redis 地址` },
      { en: 'Write redis://HOST:6379, or rediss:// for TLS.', zh: '请写 redis://主机:6379；TLS 用 rediss://。' },
      flag,
    );
  if (url.password !== '' || url.username !== '')
    throw mistake(
      'password-in-argv',
      {
        en: 'a password on the command line can be read by everyone on this host',
        zh: '命令行中的密码可被本机所有人看到',
      },
      {
        en: 'Leave it out of the address and set DYNO_REDIS_PASSWORD (and DYNO_REDIS_USER).',
        zh: '请从地址中去掉，改设环境变量 DYNO_REDIS_PASSWORD（以及 DYNO_REDIS_USER）。',
      },
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
    return mistake(
      'redis-password',
      { en: `${where} does not accept the user or password`, zh: `${where} 拒绝了用户名或密码` },
      {
        en: 'Set DYNO_REDIS_PASSWORD (and DYNO_REDIS_USER where the server has users); leave both unset for a server without a password.',
        zh: '请设置 DYNO_REDIS_PASSWORD（有用户名时还有 DYNO_REDIS_USER）；服务器无密码时不要设置。',
      },
      flag,
    );
  if (tls && /self.signed|unable to (get|verify)|certificate|altname/i.test(text))
    return mistake(
      'redis-tls',
      {
        en: `the certificate of ${where} is not trusted: ${cause}`,
        zh: `不信任 ${where} 的证书：${cause}`,
      },
      {
        en: 'Set DYNO_REDIS_CA to the PEM file of its authority.',
        zh: '请将 DYNO_REDIS_CA 设为其签发机构的 PEM 文件。',
      },
      flag,
    );
  if (plain || (tls && /wrong version|packet length|disconnected before secure/i.test(text)))
    return mistake(
      'redis-tls',
      { en: `${where} does not speak TLS`, zh: `${where} 不使用 TLS` },
      {
        en: 'Write redis:// instead of rediss://, or give the TLS port.',
        zh: '请把 rediss:// 改为 redis://，或给出 TLS 端口。',
      },
      flag,
    );
  if (
    !tls &&
    /protocol error|parser|Connection is closed|ECONNRESET|EPIPE/i.test(text) &&
    !/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/.test(text)
  )
    return mistake(
      'redis-tls',
      { en: `${where} answers, but not as a Redis without TLS does`, zh: `${where} 有响应，但不像未启用 TLS 的 Redis` },
      {
        en: 'Write rediss:// (worker: --tls) if it speaks TLS; else check the port.',
        zh: '若启用了 TLS，请写 rediss://（worker 用 --tls）；否则请检查端口。',
      },
      flag,
    );
  const known = Object.entries(absences).find(([code]) => text.includes(code))?.[1];
  return mistake(
    'no-redis',
    { en: `no Redis at ${where}: ${known?.en ?? cause}`, zh: `${where} 没有 Redis：${known?.zh ?? cause}` },
    {
      en: 'Start one (`redis-server --appendonly yes`, `docker run -p 6379:6379 redis`, or Valkey), and check the address.',
      zh: '请启动一个（`redis-server --appendonly yes`、`docker run -p 6379:6379 redis` 或 Valkey），并检查地址。',
    },
    flag,
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

/** A mistake about the job engine. */
export function mistake(
  code: string,
  message: Phrase,
  hint: Phrase,
  flag: string,
  exitCode: number = exitCodes.usage,
): UserError {
  return new UserError({ code, message, hint, place: { flag } }, exitCode);
}
