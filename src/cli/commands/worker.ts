import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { exitCodes, printable, userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import {
  anyText,
  checkRules,
  equipWorker,
  flag,
  many,
  one,
  positiveDurationMs,
  queueName,
  redisPlace,
  startComputeThread,
  version,
} from '../../lab/index.ts';
import { argument, example, makeCommand, remark } from '../command.ts';
import type { WorkerRules, WorkerSource } from '../../lab/index.ts';
import type { ShareEvent } from '../../client/cluster/index.ts';

/** A share whose controller is gone is kept up for this long, in case it comes back (`--resume`). */
const orphanAfterMs = 120_000;

export const command = makeCommand({
  about: {
    en: 'Lend this machine to runs that are started elsewhere with --workers: it waits on a queue in Redis, sends its share of the load, and hands the results back.',
    zh: '把本机借给别处用 --workers 发起的运行：在 Redis 队列上等待，发送分得的负载并交回结果。',
  },
  arguments: [
    argument(
      '<redis>',
      'redis://HOST:PORT or rediss://…; user, password and authority from DYNO_REDIS_USER, DYNO_REDIS_PASSWORD, DYNO_REDIS_CA',
      'redis://主机:端口 或 rediss://…；用户、密码与 CA 取自 DYNO_REDIS_USER、DYNO_REDIS_PASSWORD、DYNO_REDIS_CA',
    ),
  ],
  flags: {
    queue: one('queue NAME', queueName, 'queue to wait on (default: dyno)', '等待的队列（默认：dyno）'),
    lostAfter: one(
      'lost-after TIME',
      positiveDurationMs,
      'counts as lost when it is silent for so long (default: 5s); the same on all workers',
      '静默多久视为丢失（默认：5s）；所有 worker 应相同',
    ),
    name: one(
      'name NAME',
      anyText,
      'name of this worker in results (default: host and a random part)',
      '结果中的 worker 名称（默认：主机名加随机后缀）',
    ),
    label: many('label KEY=VALUE', labelPair, 'put beside its name in results: site=a', '在结果中与名称并列：site=a'),
    tls: flag('tls', 'speak TLS to Redis, as rediss:// does', '以 TLS 连接 Redis，同 rediss://'),
    allowUrl: many(
      'allow-url URL',
      allowedUrl,
      'ask only this address and what is below it (default: whatever the run names)',
      '只允许请求该地址及其下级路径（默认：由运行指定）',
    ),
    allowEnv: many(
      'allow-env NAME',
      anyText,
      'read only this environment variable for headers and keys (default: those the run names, never DYNO_…)',
      '请求头与密钥只允许读取该环境变量（默认：由运行指定，但不含 DYNO_…）',
    ),
    allowFile: many(
      'allow-file PATH',
      anyText,
      'read prompts and certificates only from this file or folder (default: whatever the run names)',
      '只允许从该文件或目录读取提示词与证书（默认：由运行指定）',
    ),
  },
  examples: [
    example(
      'dyno worker redis://10.0.0.5:6379 --label site=a',
      'on each machine that shall send',
      '在每台发送负载的机器上运行',
    ),
    example(
      'dyno run http://10.0.0.9:8000 --concurrency 20000 --duration 5m --workers redis://10.0.0.5:6379 --min-workers 4',
      'then anywhere: the run itself',
      '然后在任意机器上发起运行',
    ),
  ],
  async run(given, { allowUrl: urls = [], allowEnv: envs = [], allowFile: files = [], ...asked }) {
    const { io } = given;
    const note = ({ en, zh }: Phrase): void => remark(given, en, zh);
    const { serveWorker, defaultLostAfterMs, setAside, shown } = await import('../../client/cluster/index.ts');
    const place = redisPlace(given.args[0]!, io.env, asked.tls);
    const rules: WorkerRules = { urls, envs, files };
    const { queue = 'dyno', lostAfter: lostAfterMs = defaultLostAfterMs } = asked;
    const name = nameFor(asked.name ?? `${hostname()}-${randomBytes(2).toString('hex')}`);
    const hand = startComputeThread(setAside, rules);
    const worker = await serveWorker({
      place,
      queue,
      version,
      name,
      labels: Object.fromEntries(asked.label ?? []),
      lostAfterMs,
      orphanAfterMs,
      equip: (source, { target }) => {
        checkRules(rules, target, source as WorkerSource);
        return equipWorker(source as WorkerSource, io.env);
      },
      compute: {
        async do(job) {
          const began = performance.now();
          note({ en: 'computing for somebody (a simulation or a fit)', zh: '正在为他人计算（模拟或拟合）' });
          const answer = await hand.do(job);
          const seconds = ((performance.now() - began) / 1000).toFixed(1);
          note({ en: `computed, ${seconds} s`, zh: `计算完成，${seconds} 秒` });
          return answer;
        },
        drop: () => hand.drop(),
      },
      tell: (event) => note(sharePhrase(event)),
    });
    let done = (): void => {};
    const told = new Promise<void>((resolve) => {
      done = io.onInterrupt((count) => {
        if (count > 1) process.exit(exitCodes.interrupted);
        resolve();
      });
    });
    note({
      en: `worker ${name} waits on queue ${queue} at ${shown(place)} (Ctrl-C: finish what it has and leave)`,
      zh: `worker ${name} 在 ${shown(place)} 的队列 ${queue} 上等待（Ctrl-C：做完手头工作后离开）`,
    });
    try {
      await Promise.race([told, worker.failed]);
    } finally {
      await worker.leave();
      done();
    }
    note({ en: `worker ${name} has left`, zh: `worker ${name} 已离开` });
    return exitCodes.ok;
  },
});

function allowedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/i.test(text)) return text;
  throw userError(
    'bad-url',
    `"${text}" is not an address`,
    `"${text}" 不是地址`,
    'Write http://HOST:PORT or https://HOST.',
    '请写 http://主机:端口 或 https://主机。',
  );
}

function nameFor(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').slice(0, 60);
}

function labelPair(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw userError(
    'bad-label',
    `"${text}" is not KEY=VALUE`,
    `"${text}" 不是 键=值`,
    'Write --label site=a.',
    '请写 --label site=a。',
  );
}

/** What a worker tells whoever started it; what the run calls itself are a stranger's words. */
export function sharePhrase(event: ShareEvent): Phrase {
  if (event.say === 'began') {
    const model = printable(event.model);
    const phase = event.phase === 'warmup' ? { en: 'warm-up', zh: '预热' } : { en: 'run', zh: '运行' };
    const { slots } = event;
    return {
      en: `${phase.en} of ${model} begins${slots === null ? '' : `, ${slots} in flight here`}`,
      zh: `${model} 的${phase.zh}开始${slots === null ? '' : `，本机并发 ${slots}`}`,
    };
  }
  if (event.say === 'ended')
    return { en: `share done: ${event.exchanges} requests`, zh: `份额完成：${event.exchanges} 个请求` };
  if (event.say === 'failed')
    return { en: `share not done: ${printable(event.why.en)}`, zh: `份额未完成：${printable(event.why.zh)}` };
  if (event.say === 'lost')
    return {
      en: 'this worker was silent for too long: its share was given to others',
      zh: '本 worker 静默过久：份额已分给其他机器',
    };
  return { en: 'the controller is gone: share given up', zh: '控制端已不在：放弃份额' };
}
