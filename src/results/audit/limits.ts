import { userError } from '../../core/index.ts';
import type { Phrase } from '../../core/index.ts';
import type { AuditContext } from './rule.ts';

/** A number that decides a verdict, and that a user may set. All are shares. */
interface Limit {
  value: number;
  meaning: Phrase;
}

/** The numbers of the verdicts about the server, in one place; `--limit NAME=VALUE` sets another. */
export const limits = {
  'failed-warn': {
    value: 0.01,
    meaning: {
      en: 'share of requests that failed from which it stands in the first line',
      zh: '失败率达到此值时写入首行',
    },
  },
  'failed-invalid': {
    value: 0.5,
    meaning: {
      en: 'share of requests that failed above which the figures are not valid',
      zh: '失败率超过此值时结果无效',
    },
  },
  'cached-new': {
    value: 0.2,
    meaning: {
      en: 'share of the tokens of new prompts that came from the cache, above what they allow, from which it is told',
      zh: '全新提示词的缓存命中率超出其自身允许值达到此值时提示',
    },
  },
  'cache-apart': {
    value: 0.1,
    meaning: {
      en: 'difference of two cache hit shares above which the runs are not comparable',
      zh: '两次运行的缓存命中率相差超过此值时不可比',
    },
  },
  'front-busy': {
    value: 0.8,
    meaning: {
      en: "share of a core that the server's front took in a busy second from which it is named",
      zh: '服务器前端进程在繁忙的一秒内占用单核达到此值时提示',
    },
  },
  'front-full': {
    value: 0.95,
    meaning: { en: 'share from which the front is named as the limit', zh: '达到此值时认定前端进程为瓶颈' },
  },
  'host-stolen': {
    value: 0.05,
    meaning: {
      en: "share of this host's processor time that its hypervisor gave to others from which it is told",
      zh: '本机处理器时间被虚拟化平台收走的比例达到此值时提示',
    },
  },
  'host-wait': {
    value: 0.2,
    meaning: {
      en: "share of the time that the client's threads waited for a processor from which it is told",
      zh: '客户端线程等待处理器的时间占比达到此值时提示',
    },
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

/** The number that decides: what the user set for this audit, else in the plan, else the usual one. */
export function limitOf(context: AuditContext, name: LimitName): number {
  const set = [...(context.plan?.limits ?? []), ...(context.limits ?? [])].map(parseLimit);
  return set.findLast((limit) => limit.name === name)?.value ?? limits[name].value;
}

/** Understands one `--limit`: `failed-invalid=80%` or `failed-invalid=0.8`. */
export function parseLimit(text: string): { name: LimitName; value: number } {
  const match = /^\s*([a-z-]+)\s*=\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(text);
  const name = match === null ? undefined : (Object.keys(limits) as LimitName[]).find((known) => known === match[1]);
  const value = match === null ? Number.NaN : Number(match[2]) / (match[3] === '%' ? 100 : 1);
  if (name !== undefined && value <= 1) return { name, value };
  throw userError(
    'bad-limit',
    `"${text}" is no limit`,
    `"${text}" 不是有效的界限`,
    `Write NAME=SHARE, the share from 0 to 1 or in percent, as failed-invalid=80%. There are: ${Object.keys(limits).join(', ')}.`,
    `请写 名称=比例，比例为 0 到 1 或百分数，如 failed-invalid=80%。可用名称：${Object.keys(limits).join('、')}。`,
    '--limit',
  );
}
